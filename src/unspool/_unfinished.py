"""The files that a process has begun and not finished, told to the parent that clears up after it.

A process that is killed cannot remove them itself. Their names stand in memory that it shares with
its parent, which is there whatever happens to the child.
"""

from __future__ import annotations

import mmap
import os
from contextlib import suppress
from pathlib import Path

SIZE = 2**16  # bytes for the names: more than ten of the longest paths
_shared: mmap.mmap | None = None
_names: list[bytes] = []


def share() -> None:
    """Let the processes that are forked from now on tell this one of their files."""
    global _shared
    _shared = mmap.mmap(-1, SIZE)


def begun(part: Path) -> None:
    """Note a file that is about to be written, by its absolute path."""
    _names.append(os.fsencode(part))
    _tell()


def ended(part: Path) -> None:
    """Strike out a file that has got its name, or was removed."""
    _names.remove(os.fsencode(part))
    _tell()


def _tell() -> None:
    names = b"\0".join(_names)
    if _shared is not None and len(names) <= SIZE:
        _shared[:] = names.ljust(SIZE, b"\0")


def remove_all() -> None:
    """Remove the files that were not finished; no process that writes them may go on."""
    for name in _shared[:].split(b"\0") if _shared is not None else ():
        if name:
            with suppress(OSError):
                os.unlink(name)
