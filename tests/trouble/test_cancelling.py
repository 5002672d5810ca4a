"""Cancelled work raises Cancelled and leaves the object as it was."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import unspool
from tests.cases import CASES, CLOSED_FORM, bent
from unspool import runtime

X = bent(300)
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def events_of(case, points):
    events = []
    with runtime.listen(events.append):
        case.make().fit(points)
    return events


@every_method
def test_every_fit_can_be_heard(case):
    events = events_of(case, X)
    assert events
    assert events[0].done == 0
    assert events[-1].done >= events[-1].total
    for before, after in pairwise(events):
        assert after.name != before.name or after.done >= before.done or after.done == 0
        assert after.name == before.name or after.done == 0  # a stage begins at its beginning


@every_method
def test_cancelling_at_any_event_leaves_an_unfitted_object(case):
    count = len(events_of(case, X))
    for moment in sorted({0, 1, count // 3, count // 2, count - 1}):
        model, heard = case.make(), []

        def stop(event, heard=heard, moment=moment):
            heard.append(event)
            if len(heard) > moment:
                listener.cancel()

        with runtime.listen(stop) as listener, pytest.raises(unspool.Cancelled, match="cancelled"):
            model.fit(X)
        assert len(heard) == moment + 1  # stopped at once
        assert set(vars(model)) == set(vars(case.make()))  # nothing half done remains
        with pytest.raises(NotFittedError):
            model.transform(X)
        # and the object is as good as new
    np.testing.assert_array_equal(model.fit(X).embedding_, case.make().fit(X).embedding_)


@every_method
def test_cancelling_a_second_fit_keeps_the_first(case):
    model = case.make().fit(X)
    kept, report, placed = np.array(model.embedding_), model.report_, model.transform(X[:5] + 0.01)
    with (
        runtime.listen(lambda event: listener.cancel()) as listener,
        pytest.raises(unspool.Cancelled),
    ):
        model.fit(bent(100, seed=9)[:, :4])
    np.testing.assert_array_equal(model.embedding_, kept)
    assert model.report_ is report
    assert model.n_features_in_ == 5
    np.testing.assert_array_equal(model.transform(X[:5] + 0.01), placed)


@every_method
def test_cancelling_from_another_thread(case):
    """The work waits in its first event until the other thread has cancelled it."""
    model = case.make()
    started, cancelled = threading.Event(), threading.Event()

    def wait(event):
        started.set()
        assert cancelled.wait(30)

    with runtime.listen(wait) as listener:

        def cancel():
            assert started.wait(30)
            listener.cancel()
            cancelled.set()

        other = threading.Thread(target=cancel)
        other.start()
        with pytest.raises(unspool.Cancelled):
            model.fit(X)
        other.join(30)
    assert not hasattr(model, "embedding_")


def test_the_message_says_where():
    with (
        runtime.listen(
            lambda event: listener.cancel() if event.name == "geodesics" else None
        ) as listener,
        pytest.raises(unspool.Cancelled, match=r"cancelled during 'geodesics' at 0 of 300"),
    ):
        CASES["Isomap"].make().fit(X)


def test_a_failing_callback_is_not_swallowed_and_leaves_nothing():
    class Unforeseen(Exception):
        pass

    def fail(event):
        if event.name == "spectrum":
            raise Unforeseen

    for case in CLOSED_FORM.values():
        model = case.make()
        with runtime.listen(fail), pytest.raises(Unforeseen):
            model.fit(X)
        assert set(vars(model)) == set(vars(case.make()))


def test_a_listener_hears_nothing_after_its_block():
    events = []
    with runtime.listen(events.append):
        CASES["PCA"].make().fit(X)
    count = len(events)
    CASES["PCA"].make().fit(X)
    assert len(events) == count


def test_a_cancelled_listener_does_not_cancel_later_work():
    with runtime.listen(lambda event: None) as listener:
        listener.cancel()
    assert np.isfinite(CASES["PCA"].make().fit(X).embedding_).all()
