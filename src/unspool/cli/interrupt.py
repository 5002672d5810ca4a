"""Ctrl-C ends the work within two seconds, wherever it is.

Python hears a signal only between two of its own steps, and a compiled loop or a matrix routine may
take minutes. So the work runs in a child process, and the parent does nothing but wait: at the
first Ctrl-C the child has a moment to end by itself, then it is ended, and the files that it was
writing are removed. Where processes cannot be forked (Windows) the work runs in the process itself.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NoReturn

from ..io import atomic

GRACE = 1.2  # seconds for the child to put its things in order
SETTLING = 0.05  # seconds after which a process that was killed does nothing more
INTERRUPTED = 130
SHOW_CURSOR = "\x1b[?25h"


def run(work: Callable[[], NoReturn]) -> NoReturn:
    """Run ``work``, which ends by SystemExit, so that it can be interrupted at any time."""
    if not hasattr(os, "fork"):
        work()
    atomic.share_unfinished()
    lifeline, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        threading.Thread(target=_end_with_parent, args=(lifeline,), daemon=True).start()
        signal.signal(signal.SIGINT, _stop_once)
        work()
    os.close(lifeline)
    raise SystemExit(_wait_for(child))


def _end_with_parent(lifeline: int) -> None:
    """End this process when the parent has gone: only then does reading return."""
    os.read(lifeline, 1)
    atomic.remove_unfinished()
    os._exit(INTERRUPTED)


def _stop_once(number: int, frame: Any) -> NoReturn:
    """Stop at the first Ctrl-C; the terminal and the parent may both send one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _wait_for(child: int) -> int:
    """Wait for the child and return its exit status, 130 after Ctrl-C."""
    asked = signal.SIGINT

    def stop(number: int, frame: Any) -> NoReturn:
        nonlocal asked
        asked = signal.Signals(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        _stop(child)
        return 128 + asked
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # killed by somebody else, or for want of memory
        atomic.remove_unfinished()
        name = signal.Signals(-code).name
        hint = "; the system does that when memory runs out" if name == "SIGKILL" else ""
        sys.stderr.write(f"unspool: the work was ended by {name}{hint}\n")
    return code if code >= 0 else 128 - code


def _stop(child: int) -> None:
    """Ask the child to stop, and end it if it has not after a moment."""
    os.kill(child, signal.SIGINT)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)  # not waited for: to give back gigabytes may take seconds
    time.sleep(SETTLING)
    atomic.remove_unfinished()
    if sys.stderr.isatty():
        sys.stderr.write(SHOW_CURSOR)  # which bars of progress hide
        sys.stderr.flush()
