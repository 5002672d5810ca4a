"""Files that are there whole or not at all, and several of them all or none.

The files that a process has begun and not finished, told to the parent that clears up after it.

A process that is killed cannot remove them itself. Their names stand in memory that it shares with
its parent, which is there whatever happens to the child.
"""

from __future__ import annotations

import mmap
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

Waiting = list[tuple[Path, Path]]  # files that are written, and the names they shall take

_waiting: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


@contextmanager
def together() -> Iterator[Waiting]:
    """Let the files that are ``written`` in the block take their names when it ends well.

    If it does not, none of them does, and what was there before is still there.
    """
    waiting: Waiting = []
    token = _waiting.set(waiting)
    try:
        yield waiting
        for part, goal in waiting:
            part.replace(goal)
    finally:
        _waiting.reset(token)
        for part, _ in waiting:
            _forget(part)


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Yield a binary file that takes the name ``path`` when the block ends well.

    It is written beside its later place, so that the last step is one renaming; a block that fails
    or is interrupted leaves what was there before.
    """
    goal = Path(path)
    if goal.is_dir():
        raise ValueError(f"{goal} is a folder; name a file to write")
    if not goal.parent.is_dir():
        raise ValueError(f"there is no folder {goal.parent} to write {goal.name} to; make it first")
    goal = goal.absolute()  # wherever the process may be at the end of the block
    part = goal.with_name(f".{goal.name}.{secrets.token_hex(4)}.part")
    others = _waiting.get()
    with together() if others is None else nullcontext(others) as waiting:
        begun(part)
        try:
            with part.open("xb+") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            _forget(part)
            raise
        waiting.append((part, goal))


def _forget(part: Path) -> None:
    """Remove a file if it has not got its name."""
    part.unlink(missing_ok=True)
    ended(part)


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
