"""Progress on stderr: one line that changes in a terminal, a line a second in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..runtime import Event, listen

IN_TERMINAL = 0.1  # seconds between two changes of the line
IN_LOG = 1.0  # seconds between two lines; quick work leaves none
CLEAR = "\r\x1b[2K"  # back to the start of the line, and empty it


@contextmanager
def shown(title: str) -> Iterator[None]:
    """Show what the block is doing, and how far it is."""
    terminal = sys.stderr.isatty()
    pause = IN_TERMINAL if terminal else IN_LOG
    last = time.monotonic()

    def show(event: Event) -> None:
        nonlocal last
        if time.monotonic() - last < pause:
            return
        last = time.monotonic()
        line = f"{title}: {event.name} {event.done}/{event.total}"
        sys.stderr.write(f"{CLEAR}{line}" if terminal else f"{line}\n")
        sys.stderr.flush()

    try:
        with listen(show):
            yield
    finally:
        if terminal:
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
