"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


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
    part = goal.with_name(f".{goal.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb+") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(goal)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
