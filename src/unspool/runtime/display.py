"""How ``verbose=True`` shows progress: bars of rich in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Show = Callable[[Any], None]


@contextmanager
def display(title: str) -> Iterator[Show]:
    """Yield the callback that shows events on stderr in the way the output can take."""
    bars = _rich_progress() if sys.stderr.isatty() else None
    if bars is None:
        yield _plain_lines(title)
        return
    with bars:
        yield _bars(bars, title)


def _rich_progress() -> Any:
    try:
        from rich.console import Console
        from rich.progress import Progress
    except ImportError:
        return None
    return Progress(console=Console(stderr=True), transient=False)


def _bars(progress: Any, title: str) -> Show:
    tasks: dict[str, Any] = {}

    def show(event: Any) -> None:
        if event.done == 0 or event.name not in tasks:
            tasks[event.name] = progress.add_task(f"{title}: {event.name}", total=event.total)
        progress.update(tasks[event.name], completed=event.done)

    return show


def _plain_lines(title: str) -> Show:
    last = {"time": 0.0}

    def show(event: Any) -> None:
        now = time.monotonic()
        finished = event.done >= event.total
        if finished or now - last["time"] > 1.0:  # a line a second is enough for a log
            last["time"] = now
            print(f"{title}: {event.name} {event.done}/{event.total}", file=sys.stderr, flush=True)

    return show
