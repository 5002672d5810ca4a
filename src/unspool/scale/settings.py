"""Where the files of large work go, how large its blocks are, and the files made so.

    with scale.settings(directory="/shared/scratch", checkpoint="/shared/job-7"):
        LandmarkIsomap(2).fit("points.npy")

A value that many tasks need is one file. Pickle hands out the memory of its arrays beside the rest
(protocol 5); they are written one after the other, and whoever opens the file gets arrays that look
into it: memory-mapped, not copied.

Blocks are as large as a worker has room for. Most of a small worker is Python and its libraries,
and of the rest Dask wants a share: it hands no work to a worker that is nearly full. So workers
load no data frames with what they are given.
"""

from __future__ import annotations

import mmap
import os
import pickle
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from threading import get_ident
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import format_bytes, warn
from ..values import Array

Result = tuple[Array, ...]  # of a block
IN_MEMORY = 256e6  # bytes of a table up to which it is kept in memory
INLINE = 2**16  # bytes up to which a value travels with its task
ALIGNED = 64  # bytes at which arrays begin
WORKER_LEAST = 200e6  # bytes of a worker that has loaded as little as it can
WORKER_ITSELF = 300e6  # bytes of a worker before any block: Python, libraries, compiled loops
USED = 0.6  # of a worker's memory is counted on: at 0.7 Dask begins to spill, at 0.8 it pauses
LEAST = 0.1  # of a worker's memory for blocks, however little that is
TIGHT = 5e8  # bytes of a worker with less than which Dask's own settings leave no room for blocks
FEWER_ROWS = "scale.settings(chunk_rows={fewer}) (--chunk-rows {fewer})"
LARGEST = 5e8  # bytes of a block, however much room there is: more would make nothing faster


@dataclass(frozen=True, slots=True)
class Settings:
    """Where files are made that all workers read, rows of a block, and what survives the client."""

    directory: str | None = None
    chunk_rows: int | None = None
    checkpoint: str | None = None


_settings: ContextVar[Settings] = ContextVar("settings", default=Settings())  # noqa: B039  # frozen


def current_settings() -> Settings:
    """Return what holds here.

    Returns
    -------
    Settings
        The innermost ``settings`` block, or the defaults.

    Examples
    --------
    >>> from unspool import scale
    >>> scale.current_settings().chunk_rows is None
    True
    """
    return _settings.get()


@contextmanager
def settings(
    directory: str | os.PathLike[str] | None = None,
    chunk_rows: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Iterator[None]:
    """Say how the work inside the block is laid out.

    Parameters
    ----------
    directory : str, path or None, default=None
        Folder for files that all workers read; on several machines one that they share. None is
        the folder for temporary files.
    chunk_rows : int or None, default=None
        Rows of a block; None is as many as a worker has room for.
    checkpoint : str, path or None, default=None
        Folder in which finished blocks are kept, so that the same call resumes after the client
        was killed; None keeps nothing.

    Examples
    --------
    >>> from unspool import scale
    >>> with scale.settings(chunk_rows=1000):
    ...     scale.current_settings().chunk_rows
    1000
    """
    if chunk_rows is not None and chunk_rows < 1:
        raise ValueError(f"chunk_rows must be at least 1; got {chunk_rows}")
    for folder in (directory, checkpoint):
        if folder is not None:
            Path(folder).mkdir(parents=True, exist_ok=True)
    given = Settings(
        None if directory is None else str(Path(directory).resolve()),
        chunk_rows,
        None if checkpoint is None else str(Path(checkpoint).resolve()),
    )
    token = _settings.set(given)
    try:
        yield
    finally:
        _settings.reset(token)


def room_of(limit: float) -> float:
    """Return the bytes that blocks may take on a worker with this limit."""
    return max(LEAST * limit, spare_of(limit))


def spare_of(limit: float) -> float:
    """Return the bytes that one large piece of work may take on a worker with this limit."""
    return max(0.0, USED * limit - WORKER_ITSELF)


def warn_if_tight(limit: float, pause: float) -> None:
    """Warn where a worker is soon given no work, from a share ``pause`` of its limit on."""
    if pause * limit < WORKER_ITSELF + LEAST * limit:
        warn(
            f"a worker has {format_bytes(limit)}, of which Python and its libraries take about "
            f"{format_bytes(WORKER_ITSELF)}, and Dask hands no work to one that holds "
            f"{format_bytes(pause * limit)}; use workers with {format_bytes(TIGHT)}, or set "
            "distributed.worker.memory.pause to 0.93"
        )


@dataclass(frozen=True, slots=True)
class BlockSize:
    """Rows of the largest block, the bytes that each is foreseen to take, how to have fewer.

    ``beside`` are the bytes that a block takes however few rows it has: those of a graph.
    """

    rows: int
    row_bytes: float
    remedy: str = FEWER_ROWS
    beside: float = 0.0

    @classmethod
    def of(cls, ranges: Sequence[tuple[int, int]], row_bytes: float) -> BlockSize:
        """Return the size of blocks that are ranges of rows."""
        return cls(max((stop - start for start, stop in ranges), default=1), row_bytes)

    def fewer(self, room: float) -> int:
        """Return how many rows to try where these were too many: what fits, at most half."""
        return max(1, min(self.rows // 2, int((room - self.beside) // self.row_bytes)))

    @property
    def needed(self) -> float:
        """Bytes of a worker that does a block, itself included."""
        return self.rows * self.row_bytes + self.beside + WORKER_ITSELF


def describe_loss(what: str, why: str, memory: tuple[float, float], size: BlockSize | None) -> str:
    """Return in one sentence what a block needed, what a worker had, and what to do.

    ``memory`` are the bytes of a worker, and those of them that a block may take.
    """
    has, room = memory
    told = f"{what} more than the {format_bytes(has)} that a worker has ({why})"
    if size is None:
        return f"{told}; use workers with more memory"
    needed = size.needed
    fewer = size.fewer(room)
    return (
        f"{told}: a block of {size.rows:,} rows takes about {format_bytes(needed)}, the worker "
        f"itself included; use {size.remedy.format(fewer=fewer)}, or workers with "
        f"at least {format_bytes(max(2 * has, needed / USED))}"
    )


class Folder:
    """A folder that lasts as long as what was made of it; in a checkpoint it stays.

    Another process to which it is sent has the path alone.
    """

    def __init__(self, path: str, owner: int) -> None:
        self.path = path
        if owner == os.getpid():
            weakref.finalize(self, _remove, path, owner)

    def __reduce__(self) -> tuple[type[Folder], tuple[str, int]]:
        return Folder, (self.path, 0)


def make_folder(what: str, fingerprint: str = "") -> Folder:
    """Return a new folder; in a checkpoint, the one that the same work used before.

    Without a fingerprint there is nothing to find again, and the folder goes with what was made.
    """
    given = current_settings()
    if given.checkpoint is None or not fingerprint:
        where = given.directory or given.checkpoint
        return Folder(tempfile.mkdtemp(prefix=f"unspool-{what}-", dir=where), os.getpid())
    name = blake2b(fingerprint.encode(), digest_size=12).hexdigest()
    path = Path(given.checkpoint) / f"{what}-{name}"
    path.mkdir(parents=True, exist_ok=True)
    return Folder(str(path), 0)


def checkpoint_key(*parts: Any) -> str:
    """Return what tells arrays, and what they are used for, from others; "" without a checkpoint.

    It is made of their bits: of a graph of 10^8 edges in a few seconds.
    """
    if current_settings().checkpoint is None:
        return ""
    digest = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype} {part.shape}".encode())
            digest.update(np.ascontiguousarray(part).data)
        else:
            digest.update(str(part).encode())
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Kept:
    """Results of finished blocks in a checkpoint."""

    folder: Path

    @classmethod
    def of(cls, name: str, key: str) -> Kept | None:
        """Return where the results of a stage are kept; None without a checkpoint or a key."""
        root = current_settings().checkpoint
        if root is None or not key:
            return None
        digest = blake2b(key.encode(), digest_size=12).hexdigest()
        folder = Path(root) / f"{name.replace(' ', '-')}-{digest}"
        folder.mkdir(parents=True, exist_ok=True)
        return cls(folder)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number}.npz"

    def has(self, number: int) -> bool:
        """Tell whether a block is finished."""
        return self._path(number).exists()

    def read(self, number: int) -> Result:
        """Return the result of a block."""
        with np.load(self._path(number), allow_pickle=False) as stored:
            return tuple(stored[f"arr_{i}"] for i in range(len(stored.files)))

    def write(self, number: int, result: Result) -> None:
        """Keep the result of a block: a file of this name is whole."""
        unfinished = self._path(number).with_suffix(f".{os.getpid()}")
        with open(unfinished, "wb") as file:
            np.savez(file, *result)
        os.replace(unfinished, self._path(number))


def remembered(what: str, number: int) -> int:
    """Return a number as the first run of a checkpointed job chose it.

    Blocks are as large as memory is free: a run that resumes must not lay them out anew.
    """
    root = current_settings().checkpoint
    if root is None:
        return number
    path = Path(root) / f"layout-{blake2b(what.encode(), digest_size=12).hexdigest()}"
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(str(number))
        os.replace(unfinished, path)
    return int(path.read_text())


def empty_table(shape: tuple[int, int], what: str) -> Any:
    """Return a table to be filled: in memory, or in a file that goes with it if it is large."""
    size = 8.0 * shape[0] * shape[1]
    if size <= IN_MEMORY:
        return np.empty(shape)
    folder = make_folder(what)
    check_disk(folder, size, f"a table of {shape[0]} x {shape[1]} {what}")
    path = str(Path(folder.path) / "table.npy")
    table = np.lib.format.open_memmap(path, "w+", dtype=np.float64, shape=shape)
    weakref.finalize(table, _let_go, folder)
    return table


def free_on_disk(folder: Folder) -> int:
    """Return the bytes that are free where a folder is."""
    return shutil.disk_usage(folder.path).free


def check_disk(folder: Folder, size: float, what: str) -> None:
    """Refuse, before the work, files that the disk has no room for."""
    free = free_on_disk(folder)
    if size > free:
        raise MemoryError(
            f"{what} takes {format_bytes(size)} on disk, and {format_bytes(free)} are free in "
            f"{folder.path}; ask for fewer points, or name another folder by "
            "scale.settings(directory=...)"
        )


def create_table(path: Path, shape: tuple[int, ...], dtype: Any) -> str:
    """Make an npy file of this shape, unless it is there from before; rows are written later."""
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}")
        np.lib.format.open_memmap(
            unfinished, "w+", dtype=dtype, shape=tuple(int(side) for side in shape)
        ).flush()
        os.replace(unfinished, path)
    return str(path)


def read_rows(table: Any, start: int, stop: int) -> Array:
    """Return a copy of some rows of an npy file that is mapped: no page of it comes to memory.

    Pages would count as the worker's, beside the copy.
    """
    width, stop = table.shape[1], min(stop, table.shape[0])
    if not table.flags.c_contiguous or stop <= start:
        return np.array(table[start:stop])
    offset = table.offset + start * width * table.dtype.itemsize
    found = np.fromfile(table.filename, table.dtype, (stop - start) * width, offset=offset)
    return found.reshape(stop - start, width)


def write_rows(path: str, rows: Any, spans: Sequence[tuple[int, slice]]) -> None:
    """Write parts of some rows at places of a file: no page of it stays in memory.

    A worker that takes over writes the same again.
    """
    table = np.load(path, mmap_mode="r", allow_pickle=False)
    width, kind, offset = table.shape[1], table.dtype, table.offset
    dense = np.ascontiguousarray(rows.toarray() if sp.issparse(rows) else rows, dtype=kind)
    with open(path, "r+b") as file:
        for first, some in spans:
            file.seek(offset + first * width * kind.itemsize)
            file.write(dense[some].data)


def _let_go(folder: Folder) -> None:
    """Do nothing: the folder lasted until now."""


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a process that was forked from it
        shutil.rmtree(path, ignore_errors=True)


class _NoFrames:
    """A finder that has no pandas to offer to the thread that made it."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Refuse pandas, and leave everything else to the finders behind."""
        if name == "pandas" and get_ident() == self._thread:
            raise ModuleNotFoundError(f"{name} is left out while a worker loads what it needs")


class _Later:
    """A package for one who took it not to be installed: loaded when something of it is used."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._package), name)


@contextmanager
def without_frames() -> Iterator[None]:
    """Let what this thread loads inside the block go without pandas if it can.

    scikit-learn imports it as soon as it is installed, and with it pyarrow: 74 of the 119 MB that
    the base class of our methods takes, for data frames that no block is. Whatever asks for pandas
    later gets it: scikit-learn looks then whether it is loaded.
    """
    if {"pandas", "sklearn"} & set(sys.modules):  # nothing is left to be saved
        yield
        return
    hiding: Any = _NoFrames()
    sys.meta_path.insert(0, hiding)
    try:
        yield
    finally:
        sys.meta_path.remove(hiding)
        fixes: Any = sys.modules.get("sklearn.utils.fixes")
        if getattr(fixes, "pd", True) is None:  # older versions look only once
            fixes.pd = _Later("pandas")


@dataclass(frozen=True)
class Inline:
    """A value that travels with every task, unread until it is wanted.

    ``lasting`` stays here, and with it the files that the value refers to.
    """

    pickled: bytes
    lasting: Any = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Inline], tuple[bytes]]:
        return Inline, (self.pickled,)

    def __dask_tokenize__(self) -> bytes:
        return self.pickled

    def open(self) -> Any:
        """Return the value."""
        with without_frames():
            return pickle.loads(self.pickled)


@dataclass(frozen=True)
class SharedFile:
    """A value in a file, opened once by each process."""

    path: str
    spans: tuple[tuple[int, int], ...]  # where the pickle and the arrays are
    folder: Folder | None = None  # which lasts as long as this
    lasting: Any = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[SharedFile], tuple[Any, ...]]:
        return SharedFile, (self.path, self.spans, self.folder)

    def __dask_tokenize__(self) -> str:
        return self.path

    def open(self) -> Any:
        """Return the value; its arrays look into the file."""
        return _opened(self.path, self.spans)


def share(value: Any) -> Inline | SharedFile:
    """Return a value as tasks take it along: itself if it is small, else by a file."""
    buffers: list[pickle.PickleBuffer] = []
    head = _dumps(value, buffers)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    if sum(part.nbytes for part in parts) <= INLINE:
        return Inline(_dumps(value), value)
    folder = make_folder("shared")
    path, spans = str(Path(folder.path) / "value"), []
    with open(path, "wb") as file:
        for part in parts:
            file.seek(-(-file.tell() // ALIGNED) * ALIGNED)
            spans.append((file.tell(), part.nbytes))
            file.write(part)
    return SharedFile(path, tuple(spans), folder, value)


def _dumps(value: Any, buffers: list[pickle.PickleBuffer] | None = None) -> bytes:
    """Return the pickle of a value; functions of the user's go along with it, as Dask does it."""
    import cloudpickle

    apart = None if buffers is None else buffers.append
    head: bytes = cloudpickle.dumps(value, protocol=5, buffer_callback=apart)
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
    with without_frames():
        return pickle.loads(parts[0], buffers=parts[1:])
