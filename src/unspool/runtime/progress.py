"""Who listens to long work, how it is cancelled, and what a person sees of it.

Work announces itself with ``with stage("geodesics", total=n) as running: running.advance(m)``.
Nobody passes a callback down: whoever wants to hear opens ``listen(callback)`` around the call, in
the same thread; a listener may be cancelled from any thread, and the next ``advance`` then raises
``Cancelled``. The same announcements fill the report of a fit (``recording``).

    >>> from unspool import Isomap, runtime
    >>> with runtime.listen(lambda event: print(event.name, event.done, event.total)):
    ...     Isomap().fit(X)                                                # doctest: +SKIP

One display (``show_progress``) serves ``verbose=True`` and the command line: bars of rich in a
terminal and of HTML in a notebook, one for each stage; plain lines elsewhere, one at the end of
each stage and one per second in between, fewer as the work goes on. Each names the stage, how far
it is and the time that is left. The command line's is ``transient``: a bar goes when its stage is
done, and quick work leaves no line in a log.
"""

from __future__ import annotations

import html
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..values import Report, Stage

IN_TERMINAL = 0.05  # seconds between two changes of a bar
IN_NOTEBOOK = 0.25  # each is a message to the browser
IN_LOG = 1.0  # seconds between two lines at first;
SPARSER = 0.1  # then this share of the time since the work began,
AT_MOST = 60.0  # so that an hour leaves about a hundred lines


class Cancelled(Exception):
    """The work was cancelled by a listener; the object that was being fitted is as before."""


@dataclass(frozen=True, slots=True)
class Event:
    """A moment of long work: ``done`` of ``total`` units of the stage ``name``."""

    name: str
    done: int
    total: int


Hear = Callable[[Event], None]
Draw = Callable[[Event, str], None]  # with the time, as text


@dataclass(eq=False)
class Listener:
    """One who listens, and may cancel from any thread."""

    callback: Callable[[Event], None]
    _stop: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Ask the work to stop at its next step; it then raises ``Cancelled``."""
        self._stop.set()

    def hear(self, event: Event) -> None:
        """Pass an event on, then stop the work if that was asked for."""
        self.callback(event)
        if self._stop.is_set():
            raise Cancelled(f"cancelled during {event.name!r} at {event.done} of {event.total}")

    def check(self, name: str) -> None:
        """Stop the work called ``name`` if that was asked for."""
        if self._stop.is_set():
            raise Cancelled(f"cancelled during {name!r}")


@dataclass(eq=False)
class Recorder:
    """Collects what the stages of one fit did."""

    stages: list[Stage] = field(default_factory=list)
    advice: list[str] = field(default_factory=list)

    def report(self) -> Report:
        """Return what was collected, frozen."""
        return Report(tuple(self.stages), tuple(dict.fromkeys(self.advice)))


_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("listeners", default=())
_recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)
_running: ContextVar[Running | None] = ContextVar("running", default=None)


@dataclass(eq=False)
class Running:
    """A stage while it runs."""

    name: str
    total: int
    done: int = 0
    bytes: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    def advance(self, units: int = 1) -> None:
        """Tell the listeners that ``units`` more are done; raises ``Cancelled`` when one asks."""
        self.done += units
        self._announce()

    def note(self, *, holds: int = 0, **facts: Any) -> None:
        """Remember a fact for the report: what was chosen, how often, the bytes it ``holds``."""
        self.bytes += int(holds)
        self.facts.update(facts)

    def _announce(self) -> None:
        for listener in _listeners.get():
            listener.hear(Event(self.name, self.done, self.total))


@contextmanager
def stage(name: str, total: int = 1) -> Iterator[Running]:
    """Announce a stage of the work; it counts as done when the block ends.

    Parameters
    ----------
    name : str
        What is done.
    total : int, default=1
        Number of units that will be done.

    Yields
    ------
    Running
        Its ``advance`` tells of progress, its ``note`` of facts for the report.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.stage("rows", total=2) as running:
    ...     for _ in range(2):
    ...         running.advance(1)
    """
    running = Running(name, total)
    began = time.perf_counter()
    running._announce()
    token = _running.set(running)
    try:
        yield running
    finally:
        _running.reset(token)
    if running.done < total:
        running.advance(total - running.done)
    recorder = _recorder.get()
    if recorder is not None:
        seconds = time.perf_counter() - began
        recorder.stages.append(Stage(name, seconds, running.bytes, running.facts))


def tell_progress(done: int, total: int) -> None:
    """Tell the listeners how far one step of the running stage is; nothing outside of stages.

    For work that is a single unit to its stage and long nevertheless, in units of its own. Raises
    ``Cancelled`` when a listener asks for it. The stage itself announces its end.

    Parameters
    ----------
    done : int
        Number of units of the step that are done.
    total : int
        Number of units of the step.

    Examples
    --------
    >>> from unspool import runtime
    >>> events = []
    >>> with runtime.listen(events.append), runtime.stage("search"):
    ...     runtime.tell_progress(3, 10)
    >>> [(event.done, event.total) for event in events]
    [(0, 1), (3, 10), (1, 1)]
    """
    running = _running.get()
    if running is not None and running.total == 1 and done < total:
        for listener in _listeners.get():
            listener.hear(Event(running.name, done, total))


def check_cancelled() -> None:
    """Raise ``Cancelled`` if a listener asked for it, where there is nothing to tell it.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.check_cancelled()
    """
    running = _running.get()
    for listener in _listeners.get():
        listener.check("long work" if running is None else running.name)


def advise(sentence: str) -> None:
    """Leave a sentence of advice in the report of the running fit.

    Parameters
    ----------
    sentence : str
        What to change, and why.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.recording() as record:
    ...     runtime.advise("raise n_neighbors")
    >>> record.report().advice
    ('raise n_neighbors',)
    """
    recorder = _recorder.get()
    if recorder is not None and sentence not in recorder.advice:
        recorder.advice.append(sentence)


def warn(sentence: str) -> None:
    """Leave a sentence in the report of the running fit, and warn whoever called it, once a fit.

    Parameters
    ----------
    sentence : str
        What is wrong, and what to do.

    Examples
    --------
    >>> import warnings
    >>> from unspool import runtime
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     runtime.warn("lower n_components")
    >>> len(caught)
    1
    """
    recorder = _recorder.get()
    if recorder is not None and sentence in recorder.advice:
        return  # said of another connected component
    advise(sentence)
    warnings.warn(sentence, UserWarning, stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return how many frames above the one that asks the first is that runs the user's code.

    Frames of scikit-learn are passed over too: it wraps ``transform`` and calls ``fit``.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("unspool", "sklearn")


def replay(stages: Iterable[Stage], advice: Iterable[str]) -> None:
    """Put stages and advice that were recorded before into the report of the running fit.

    Parameters
    ----------
    stages : iterable of Stage
        Stages of another recording, or of another process.
    advice : iterable of str
        Sentences of advice.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.recording() as record:
    ...     runtime.replay([], ["raise n_neighbors"])
    >>> record.report().advice
    ('raise n_neighbors',)
    """
    recorder = _recorder.get()
    if recorder is not None:
        recorder.stages.extend(stages)
        recorder.advice.extend(advice)


@contextmanager
def listen(callback: Callable[[Event], None]) -> Iterator[Listener]:
    """Hear every event of the work inside the block.

    Parameters
    ----------
    callback : callable
        Called with each event, in the thread that works.

    Yields
    ------
    Listener
        Its ``cancel()`` stops the work.

    Examples
    --------
    >>> from unspool import PCA, datasets, runtime
    >>> events = []
    >>> with runtime.listen(events.append):
    ...     model = PCA(2).fit(datasets.circle(50).points)
    >>> len(events) > 0
    True
    """
    listener = Listener(callback)
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield listener
    finally:
        _listeners.reset(token)


@contextmanager
def recording() -> Iterator[Recorder]:
    """Collect what the stages inside the block do.

    Yields
    ------
    Recorder
        Its ``report()`` tells stages, seconds, bytes and advice.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.recording() as record:
    ...     with runtime.stage("counting"):
    ...         pass
    >>> [stage.name for stage in record.report().stages]
    ['counting']
    """
    recorder = Recorder()
    token = _recorder.set(recorder)
    try:
        yield recorder
    finally:
        _recorder.reset(token)


@contextmanager
def show_progress(title: str, *, transient: bool = False) -> Iterator[None]:
    """Show on stderr, or in a notebook, what the block is doing and how far it is.

    Parameters
    ----------
    title : str
        What stands before the name of each stage.
    transient : bool, default False
        Leave as little behind as possible: a bar is removed when its stage is done, and a log gets
        lines of long work only, none at the end of a stage.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.show_progress("Work"), runtime.stage("sweep", total=3) as running:
    ...     running.advance()                                              # doctest: +SKIP
    Work: sweep 3/3, in 2 ms
    """
    bars = _rich_progress(transient) if sys.stderr.isatty() else None
    if bars is not None:
        draw = _bar(bars, title, transient)
        with bars, listen(_paced(draw, lambda _: IN_TERMINAL, _is_end_or_start)):
            yield
    elif _is_notebook():
        with listen(_paced(_page(title), lambda _: IN_NOTEBOOK, _is_end_or_start)):
            yield
    else:
        with listen(_paced(_line(title), _pause_in_log, _never if transient else _is_end)):
            yield


def _never(event: Event) -> bool:
    return False


def _is_end(event: Event) -> bool:
    return event.done >= event.total


def _is_end_or_start(event: Event) -> bool:
    return event.done == 0 or event.done >= event.total


def _pause_in_log(since: float) -> float:
    return max(IN_LOG, min(SPARSER * since, AT_MOST))


def _paced(draw: Draw, pause: Callable[[float], float], always: Callable[[Event], bool]) -> Hear:
    """Return ``draw`` for few of the events, and for those to be drawn always.

    ``pause`` tells the seconds between two of the few, from those since the work began.
    """
    clock = _clock()
    began = last = time.monotonic()

    def hear(event: Event) -> None:
        nonlocal last
        now, words = time.monotonic(), clock(event)
        if now - last >= pause(now - began) or always(event):
            last = now
            draw(event, words)

    return hear


def _clock() -> Callable[[Event], str]:
    """Return what says how long a stage has run, or will: ``"12 s left"``.

    The pace is the one since the first units of the stage were done: before that, kernels may have
    been compiled.
    """
    began: dict[str, float] = {}
    first: dict[str, tuple[float, float]] = {}

    def words(event: Event) -> str:
        now, share = time.monotonic(), event.done / max(event.total, 1)
        if event.name not in began or share < first.get(event.name, (0.0, 0.0))[1]:
            began[event.name] = now
            first.pop(event.name, None)
        if _is_end(event):
            first.pop(event.name, None)
            return f"in {_duration(now - began.pop(event.name))}"
        if share == 0.0:
            passed = now - began[event.name]
            return f"{_duration(passed)} so far" if passed >= 1.0 else ""
        then, before = first.setdefault(event.name, (now, share))
        if share == before:
            return ""
        return f"{_duration((now - then) * (1.0 - share) / (share - before))} left"

    return words


def _duration(seconds: float) -> str:
    """Return a time as text, rounded to what matters at a glance."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def _line(title: str) -> Draw:
    def draw(event: Event, words: str) -> None:
        said = f"{title}: {event.name} {event.done}/{event.total}"
        print(f"{said}, {words}" if words else said, file=sys.stderr, flush=True)

    return draw


def _rich_progress(transient: bool) -> Any:
    """Return a display of rich, or None where that is not installed."""
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    except ImportError:
        return None
    columns = [TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()]
    columns.append(TextColumn("{task.fields[time]}", style="progress.remaining"))
    return Progress(*columns, console=Console(stderr=True), transient=transient)


def _bar(progress: Any, title: str, transient: bool) -> Draw:
    tasks: dict[str, Any] = {}

    def draw(event: Event, words: str) -> None:
        name = event.name
        if name not in tasks:
            tasks[name] = progress.add_task(f"{title}: {name}", total=None, time="")
        # a single unit is either begun or done: a bar that swings says so
        total = None if event.total == 1 and event.done == 0 else event.total
        progress.update(tasks[name], completed=event.done, total=total, time=words)
        if _is_end(event):
            done = tasks.pop(name)
            if transient:
                progress.remove_task(done)

    return draw


def _is_notebook() -> bool:
    """Tell whether a kernel of Jupyter runs this, whose pages show HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return hasattr(get_ipython(), "kernel")


def _page(title: str) -> Draw:
    """Return what draws one bar per stage into the output of a cell."""
    from IPython.display import display

    rows: dict[str, tuple[str, str]] = {}
    show: Any = display
    handle = show({"text/plain": title}, raw=True, display_id=True)

    def draw(event: Event, words: str) -> None:
        name = f"{title}: {event.name}"
        value = "" if event.total == 1 and event.done == 0 else f' value="{event.done}"'
        bar = f'<progress max="{event.total}"{value}></progress>'
        cells = f"<td>{html.escape(name)}</td><td>{bar}</td><td>{html.escape(words)}</td>"
        rows[event.name] = cells, f"{name} {event.done}/{event.total}, {words}"
        page = "".join(f"<tr>{cells}</tr>" for cells, _ in rows.values())
        plain = "\n".join(line for _, line in rows.values())
        handle.update({"text/html": f"<table>{page}</table>", "text/plain": plain}, raw=True)

    return draw
