"""A value that many tasks need, as one file: arrays in it are memory-mapped, not copied.

Pickle hands out the arrays' own memory beside the rest (protocol 5); they are written one after the
other, and whoever opens the file gets arrays that look into it. Such files are made and read by one
run of the work, in a folder of its own.
"""

from __future__ import annotations

import mmap
import os
import pickle
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .settings import Folder, make_folder

INLINE = 2**16  # bytes up to which a value travels with its task
ALIGNED = 64  # bytes at which arrays begin


@dataclass(frozen=True, slots=True)
class Inline:
    """A value that travels with every task."""

    value: Any

    def open(self) -> Any:
        """Return the value."""
        return self.value


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A value in a file, opened once by each process."""

    path: str
    spans: tuple[tuple[int, int], ...]  # where the pickle and the arrays are
    folder: Folder | None = None  # which lasts as long as this

    def open(self) -> Any:
        """Return the value; its arrays look into the file."""
        return _opened(self.path, self.spans)


def share(value: Any) -> Inline | SharedFile:
    """Return a value as tasks take it along: itself if it is small, else by a file."""
    buffers: list[pickle.PickleBuffer] = []
    head = _dumps(value, buffers)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    if sum(part.nbytes for part in parts) <= INLINE:
        return Inline(value)
    folder = make_folder("shared", str(os.urandom(8)))
    path, spans = str(Path(folder.path) / "value"), []
    with open(path, "wb") as file:
        for part in parts:
            file.seek(-(-file.tell() // ALIGNED) * ALIGNED)
            spans.append((file.tell(), part.nbytes))
            file.write(part)
    return SharedFile(path, tuple(spans), folder)


def _dumps(value: Any, buffers: list[pickle.PickleBuffer]) -> bytes:
    """Return the pickle of a value; functions of the user's go along with it, as Dask does it."""
    import cloudpickle

    head: bytes = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return head


@lru_cache(maxsize=4)
def _opened(path: str, spans: tuple[tuple[int, int], ...]) -> Any:
    try:
        with open(path, "rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except FileNotFoundError:
        raise ValueError(
            f"this worker does not see {path}; name a folder that all machines share, by "
            "scale.settings(directory=...)"
        ) from None
    parts = [whole[start : start + size] for start, size in spans]
    return pickle.loads(parts[0], buffers=parts[1:])
