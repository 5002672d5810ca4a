"""The one display of progress, for ``verbose=True`` and for the command line.

Bars of rich in a terminal and of HTML in a notebook, one for each stage; plain lines elsewhere, one
at the end of each stage and one per second in between, fewer as the work goes on. Each names the
stage, how far it is and the time that is left. The command line's is ``transient``: a bar goes when
its stage is done, and quick work leaves no line in a log.
"""

from __future__ import annotations

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .progress import Event, listen

IN_TERMINAL = 0.05  # seconds between two changes of a bar
IN_NOTEBOOK = 0.25  # each is a message to the browser
IN_LOG = 1.0  # seconds between two lines at first;
SPARSER = 0.1  # then this share of the time since the work began,
AT_MOST = 60.0  # so that an hour leaves about a hundred lines

Hear = Callable[[Event], None]
Draw = Callable[[Event, str], None]  # with the time, in words


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
    """Return a time in words, as exactly as a glance needs it."""
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
