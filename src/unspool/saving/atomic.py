"""Files that are there whole or not at all, and several of them all or none."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from .. import _unfinished

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
        _unfinished.begun(part)
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
    _unfinished.ended(part)
