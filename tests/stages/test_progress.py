"""Progress: events, listeners, cancellation, recording, and the lines shown."""

import re
import threading

import numpy as np
import pytest

import unspool
from unspool import runtime
from unspool.runtime import Cancelled, Event, progress


def heard(work):
    events = []
    with runtime.listen(events.append):
        work()
    return [(event.name, event.done, event.total) for event in events]


def test_a_stage_announces_its_beginning_its_steps_and_its_end():
    def work():
        with runtime.stage("sweep", total=5) as running:
            running.advance(2)
            running.advance()

    assert heard(work) == [("sweep", 0, 5), ("sweep", 2, 5), ("sweep", 3, 5), ("sweep", 5, 5)]


def test_a_stage_that_is_done_is_not_announced_again():
    def work():
        with runtime.stage("sweep", total=1) as running:
            running.advance()

    assert heard(work) == [("sweep", 0, 1), ("sweep", 1, 1)]


def test_nobody_listens_nothing_happens():
    with runtime.stage("alone", total=3) as running:
        running.advance()
    assert running.done == 3


def test_listeners_may_be_many_and_nested():
    outer, inner = [], []
    with runtime.listen(outer.append):
        with runtime.stage("first"):
            pass
        with runtime.listen(inner.append), runtime.stage("second"):
            pass
    assert [event.name for event in outer] == ["first", "first", "second", "second"]
    assert [event.name for event in inner] == ["second", "second"]


def test_cancelling_stops_at_the_next_step():
    steps = []

    def count():
        with runtime.stage("count", total=10) as running:
            for step in range(10):
                steps.append(step)
                running.advance()

    with (
        runtime.listen(lambda event: listener.cancel() if event.done == 2 else None) as listener,
        pytest.raises(Cancelled, match="cancelled during 'count' at 2 of 10"),
    ):
        count()
    assert steps == [0, 1]


def test_an_inner_listener_may_cancel_and_an_outer_one_goes_on():
    events = []
    with runtime.listen(events.append):
        with (
            runtime.listen(lambda event: listener.cancel()) as listener,
            pytest.raises(Cancelled),
            runtime.stage("one"),
        ):
            pass
        with runtime.stage("two"):
            pass
    assert [event.name for event in events] == ["one", "two", "two"]


def test_another_thread_does_not_hear_but_can_cancel():
    events, errors = [], []
    with runtime.listen(events.append) as listener:

        def elsewhere():
            try:
                with runtime.stage("elsewhere"):
                    pass
            except Cancelled as error:
                errors.append(error)

        worker = threading.Thread(target=elsewhere)
        worker.start()
        worker.join()
        assert events == []
        canceller = threading.Thread(target=listener.cancel)
        canceller.start()
        canceller.join()
        with pytest.raises(Cancelled), runtime.stage("here"):
            pass
    assert not errors


def test_a_listener_is_taken_off_when_its_block_fails():
    events = []

    def fails():
        with runtime.listen(events.append):
            raise KeyError

    with pytest.raises(KeyError):
        fails()
    with runtime.stage("after"):
        pass
    assert events == []


def test_recording_collects_stages_facts_and_advice():
    with runtime.recording() as record:
        with runtime.stage("first") as running:
            running.note(holds=100, search="tree")
            running.note(holds=20, edges=7)
        with runtime.stage("second"):
            runtime.advise("do this")
            runtime.advise("do that")
            runtime.advise("do this")
    report = record.report()
    assert [stage.name for stage in report.stages] == ["first", "second"]
    assert report.stage("first").bytes == 120
    assert report.stage("first").facts == {"search": "tree", "edges": 7}
    assert report.advice == ("do this", "do that")  # said once
    assert report.stage("first").seconds >= 0


def test_a_recording_within_a_recording_keeps_its_own():
    with runtime.recording() as outer:
        with runtime.recording() as inner, runtime.stage("inner"):
            pass
        with runtime.stage("outer"):
            pass
    assert [stage.name for stage in inner.report().stages] == ["inner"]
    assert [stage.name for stage in outer.report().stages] == ["outer"]


def test_advice_without_a_recording_is_lost_quietly():
    runtime.advise("nobody hears this")


def test_a_stage_that_fails_is_not_recorded():
    def fails():
        with runtime.stage("broken"):
            raise ValueError("as planned")

    with runtime.recording() as record, pytest.raises(ValueError, match="as planned"):
        fails()
    assert record.report().stages == ()


def test_events_are_values():
    assert Event("a", 1, 2) == Event("a", 1, 2)
    with pytest.raises(AttributeError):
        Event("a", 1, 2).done = 3


def test_plain_lines_where_there_is_no_terminal(capfd):
    with runtime.show_progress("Work"):
        with runtime.stage("slow", total=3) as running:
            running.advance(3)
        with runtime.stage("quick"):
            pass
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["Work: slow 3/3", "Work: quick 1/1"]
    with runtime.stage("after"):
        pass
    assert capfd.readouterr().err == ""


def test_a_log_is_not_flooded(capfd):
    """Ten thousand steps in a moment: the first, the last, and few in between."""
    with runtime.show_progress("Work"), runtime.stage("many", total=10_000) as running:
        for _ in range(10_000):
            running.advance()
    lines = capfd.readouterr().err.splitlines()
    assert lines[-1].startswith("Work: many 10000/10000, in ")
    assert len(lines) < 60


def lines_of(events, monkeypatch, capfd, **given):
    """Return the lines of a log in which the events happen at the given seconds."""
    clock = {"now": 0.0}
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock["now"])
    with runtime.show_progress("Work", **given), runtime.stage("sweep", total=1000) as running:
        for clock["now"], done in events:
            running.advance(done - running.done)
    return capfd.readouterr().err.splitlines()


def test_the_time_that_is_left_follows_the_pace(monkeypatch, capfd):
    """The first units cost 100 s (kernels are compiled), the rest 0.1 s each."""
    lines = lines_of([(100, 100), (120, 300), (130, 400), (190, 1000)], monkeypatch, capfd)
    assert lines[:2] == ["Work: sweep 100/1000", "Work: sweep 300/1000, 70 s left"]
    # the tenth of 130 s has not passed since the last line
    assert lines[2:] == ["Work: sweep 1000/1000, in 3 min"]


def test_before_the_first_unit_the_time_so_far_is_told(monkeypatch, capfd):
    lines = lines_of([(4, 0), (9, 0)], monkeypatch, capfd)
    assert lines[:2] == ["Work: sweep 0/1000, 4.0 s so far", "Work: sweep 0/1000, 9.0 s so far"]


def test_a_long_work_leaves_few_lines(monkeypatch, capfd):
    """A thousand steps in an hour: about a hundred lines, early ones every second or two."""
    events = [(3.6 * step, step) for step in range(1, 1001)]
    lines = lines_of(events, monkeypatch, capfd, transient=True)
    assert 60 < len(lines) < 130
    assert lines[:3] == [
        "Work: sweep 1/1000",
        "Work: sweep 2/1000, 60 min left",
        "Work: sweep 3/1000, 60 min left",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.012, "12 ms"), (0.5, "0.5 s"), (12.4, "12 s"), (240, "4 min"), (7260, "2 h 1 min")],
)
def test_a_time_in_words(seconds, words):
    assert progress._duration(seconds) == words


def test_the_exact_search_tells_how_far_it_is_and_the_time_left(monkeypatch, capfd):
    monkeypatch.setattr(progress, "IN_LOG", 0.0)
    monkeypatch.setattr(progress, "SPARSER", 0.0)
    points = np.random.default_rng(0).normal(size=(6000, 40))
    unspool.LLE(n_neighbors=8, search="exact", verbose=True).fit(points)
    lines = capfd.readouterr().err.splitlines()
    search = [line for line in lines if line.startswith("LLE: neighbours ")]
    told = [re.search(r"(\d+)/(\d+)", line).groups() for line in search[1:-1]]
    shares = [int(done) / int(total) for done, total in told]
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert sum(line.endswith(" left") for line in search) > 3


def test_a_warning_names_the_line_of_the_user_and_stays_in_the_report():
    sheet = np.random.default_rng(0).normal(size=(60, 2)) @ np.ones((2, 4))  # a line, in truth
    for call in (lambda m: m.fit(sheet), lambda m: m.fit_transform(sheet)):
        model = unspool.ClassicalMDS(3)
        with pytest.warns(UserWarning, match="lower n_components") as heard:
            call(model)
        assert heard[0].filename == __file__
        assert str(heard[0].message) in model.report_.advice
