"""The one display of progress, of ``verbose=True`` and of the command line.

Bars of rich in a terminal, one for each stage; plain lines elsewhere, one per second and one at the
end of each stage. The command line's is ``transient``: a bar goes when its stage is done, and quick
work leaves no line in a log.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .progress import Event, listen

IN_TERMINAL = 0.05  # seconds between two changes of a bar
IN_LOG = 1.0  # seconds between two lines

Draw = Callable[[Event], None]


@contextmanager
def show_progress(title: str, *, transient: bool = False) -> Iterator[None]:
    """Show on stderr what the block is doing and how far it is.

    Parameters
    ----------
    title : str
        What stands before the name of each stage.
    transient : bool, default False
        Leave as little behind as possible: a bar is removed when its stage is done, and a log gets
        one line per second of work but none at the end of a stage.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.show_progress("Work"), runtime.stage("sweep", total=3) as running:
    ...     running.advance()                                              # doctest: +SKIP
    Work: sweep 3/3
    """
    bars = _rich_progress(transient) if sys.stderr.isatty() else None
    if bars is None:
        always = _never if transient else _is_end
        with listen(_paced(_line(title), IN_LOG, always)):
            yield
        return
    with bars, listen(_paced(_bar(bars, title, transient), IN_TERMINAL, _is_end_or_start)):
        yield


def _never(event: Event) -> bool:
    return False


def _is_end(event: Event) -> bool:
    return event.done >= event.total


def _is_end_or_start(event: Event) -> bool:
    return event.done == 0 or event.done >= event.total


def _paced(draw: Draw, pause: float, always: Callable[[Event], bool]) -> Draw:
    """Return ``draw`` for one event in ``pause`` seconds, and for those to be drawn always."""
    last = time.monotonic()

    def hear(event: Event) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= pause or always(event):
            last = now
            draw(event)

    return hear


def _line(title: str) -> Draw:
    def draw(event: Event) -> None:
        print(f"{title}: {event.name} {event.done}/{event.total}", file=sys.stderr, flush=True)

    return draw


def _rich_progress(transient: bool) -> Any:
    """Return a display of rich, or None where that is not installed."""
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return None
    return Progress(console=Console(stderr=True), transient=transient)


def _bar(progress: Any, title: str, transient: bool) -> Draw:
    tasks: dict[str, Any] = {}

    def draw(event: Event) -> None:
        if event.done == 0 or event.name not in tasks:
            tasks[event.name] = progress.add_task(f"{title}: {event.name}", total=event.total)
        progress.update(tasks[event.name], completed=event.done, total=event.total)
        if transient and _is_end(event):
            progress.remove_task(tasks.pop(event.name))

    return draw
