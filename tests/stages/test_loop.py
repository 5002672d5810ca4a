"""The loop of everything that iterates: stopping, the best state, progress, cancellation."""

import pytest

from unspool import runtime
from unspool.optimize import iterate, relative_change_below


def halving(state):
    return state / 2, state / 2


def test_it_stops_when_converged():
    outcome = iterate(8.0, 8.0, halving, lambda losses: losses[-1] <= 1.0, name="h", max_steps=50)
    assert outcome.state == 1.0
    assert outcome.losses == (8.0, 4.0, 2.0, 1.0)
    assert (outcome.loss, outcome.steps, outcome.converged) == (1.0, 3, True)


def test_it_stops_after_the_last_step_allowed():
    outcome = iterate(8.0, 8.0, halving, lambda losses: False, name="h", max_steps=2)
    assert (outcome.state, outcome.steps, outcome.converged) == (2.0, 2, False)


def test_no_steps_give_the_initial_state():
    outcome = iterate("initial", 3.0, halving, lambda losses: True, name="h", max_steps=0)
    assert (outcome.state, outcome.loss, outcome.steps) == ("initial", 3.0, 0)
    assert not outcome.converged


def test_the_best_state_is_kept_not_the_last():
    losses = iter([5.0, 1.0, 7.0, 2.0])

    def step(state):
        return state + 1, next(losses)

    outcome = iterate(0, 6.0, step, lambda _: False, name="wander", max_steps=4)
    assert outcome.state == 2
    assert outcome.loss == 1.0
    assert outcome.losses == (6.0, 5.0, 1.0, 7.0, 2.0)


def test_an_initial_state_that_is_never_beaten_is_the_answer():
    outcome = iterate(0, 1.0, lambda s: (s + 1, 2.0), lambda _: False, name="up", max_steps=3)
    assert outcome.state == 0


@pytest.mark.parametrize(
    ("losses", "converged"),
    [([2.0, 1.0], False), ([1.0, 0.9999], True), ([1.0, 1.0], True), ([0.0, 0.0], True)],
)
def test_relative_change(losses, converged):
    assert relative_change_below(1e-3)(losses) is converged


def test_it_is_heard_recorded_and_cancelled():
    events = []
    with runtime.recording() as record, runtime.listen(events.append):
        iterate(8.0, 8.0, halving, lambda losses: losses[-1] <= 2.0, name="halve", max_steps=9)
    assert [event.done for event in events] == [0, 1, 2, 9]
    assert record.report().stage("halve").facts == {"steps": 2, "converged": True, "loss": 2.0}
    with (
        runtime.listen(lambda event: listener.cancel() if event.done == 1 else None) as listener,
        pytest.raises(runtime.Cancelled),
    ):
        iterate(8.0, 8.0, halving, lambda losses: False, name="halve", max_steps=9)
