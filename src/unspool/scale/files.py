"""Tables in files: npy, zarr, parquet, blocks of sparse rows; and Dask arrays written to such.

Methods read rows several times and in any order; a Dask array would be computed anew each time. So
each of its blocks is computed and written once, by whoever computed it. A zarr or parquet table is
copied in the same way where single rows are wanted.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..values import Array
from .executor import block_ranges, run_blocks, run_lazily
from .settings import BlockSize, Folder, Result, create_table, make_folder, read_rows, write_rows
from .sources import INSTALL, Source, check_rows

GATHERED = 16_384  # rows gathered together: pages of more would fill a worker
DECODED = 2**21  # numbers of a row group that are decoded together
RECHUNK = "X.rechunk(({fewer}, -1))"  # blocks of a Dask array are its own
Facts = tuple[tuple[str, ...], Array, list[tuple[str, int]], Any]


@dataclass(frozen=True)
class NpyFile(Source):
    """The table in an npy file, of which rows are read, or mapped for as long as few are gathered.

    ``token`` says what it holds where that is known better than by its time of change.
    """

    path: str
    token: str = ""
    at_random = True

    @property
    def _table(self) -> Array:
        try:
            with np.errstate(over="ignore"):  # of a header with a shape beyond all addresses
                table: Array = np.load(self.path, mmap_mode="r", allow_pickle=False)
        except ValueError as error:
            raise ValueError(f"{self.path} is no array file that can be read ({error})") from None
        if table.ndim != 2 or table.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.path} should hold a table of numbers; it holds {table.dtype} of shape "
                f"{table.shape}"
            )
        return table

    @cached_property
    def _facts(self) -> tuple[tuple[int, int], Any]:
        table = self._table
        return (int(table.shape[0]), int(table.shape[1])), table.dtype

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the file
        """Rows and columns."""
        return self._facts[0]

    @property
    def dtype(self) -> Any:
        """The type of the stored numbers."""
        return self._facts[1]

    @property
    def fingerprint(self) -> str:
        """The path with its size and time of change."""
        return self.token or _file_fingerprint(self.path)

    def read_range(self, start: int, stop: int) -> Array:
        """Return a copy of some rows."""
        return read_rows(self._table, start, stop)

    def gather(self, rows: Array) -> Array:
        """Return rows by themselves: nothing between them is read."""
        found = np.empty((len(rows), self.shape[1]))
        for first in range(0, len(rows), GATHERED):  # opened anew: pages that were read are let go
            some = slice(first, first + GATHERED)
            found[some] = self._table[rows[some]]
        check_rows(found, int(rows[0]) if len(rows) else 0)
        return found


@dataclass(frozen=True)
class ZarrArray(Source):
    """A two-dimensional zarr array in a folder."""

    path: str
    member: str = ""

    @cached_property
    def _array(self) -> Any:
        try:
            import zarr
        except ModuleNotFoundError:
            raise ImportError(f"zarr arrays need zarr; {INSTALL}") from None
        opened = zarr.open(self.path, mode="r", path=self.member or None)
        if getattr(opened, "ndim", 0) != 2:
            raise ValueError(f"{self.path} is no zarr array with rows and columns")
        return opened

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the file
        """Rows and columns."""
        return int(self._array.shape[0]), int(self._array.shape[1])

    @property
    def dtype(self) -> Any:
        """The type of the stored numbers."""
        return np.dtype(self._array.dtype)

    @property
    def fingerprint(self) -> str:
        """The folder, with the time of change of its newest entry."""
        return f"{self.path}:{self.member} {_newest(Path(self.path))}"

    @property
    def bounds(self) -> Array:
        """The rows at which chunks begin."""
        return np.append(np.arange(0, len(self), int(self._array.chunks[0])), len(self))

    def read_range(self, start: int, stop: int) -> Array:
        """Return some rows."""
        return np.asarray(self._array[start:stop])

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "member": self.member}


@dataclass(frozen=True)
class SparseFiles(Source):
    """Blocks of sparse rows in npz files, one after the other."""

    paths: tuple[str, ...]
    starts: tuple[int, ...]  # and the number of rows
    n_columns: int
    token: str
    dtype: Any = np.float64
    sparse = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the files
        """Rows and columns."""
        return self.starts[-1], self.n_columns

    @property
    def nbytes(self) -> float:
        """Bytes of the files, which are those of the rows in memory."""
        return float(sum(os.path.getsize(path) for path in self.paths))

    @property
    def fingerprint(self) -> str:
        """What the blocks were made of."""
        return self.token

    @property
    def bounds(self) -> Array:
        """The rows at which blocks begin."""
        return np.array(self.starts)

    def read_range(self, start: int, stop: int) -> sp.csr_array:
        """Return some rows, sparse."""
        parts = [
            sp.csr_array(sp.load_npz(path))[max(start - first, 0) : stop - first]
            for path, first, last in zip(self.paths, self.starts, self.starts[1:], strict=False)
            if first < stop and last > start
        ]
        return sp.csr_array(sp.vstack(parts, format="csr"))


def _file_fingerprint(path: str) -> str:
    """Return what tells a file from others, and from itself after a change."""
    found = os.stat(path)
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _newest(folder: Path) -> int:
    return max(file.stat().st_mtime_ns for file in folder.rglob("*"))


def _files() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise ImportError("parquet files need pyarrow; pip install 'unspool[dask]'") from None
    return parquet


def describe(paths: tuple[str, ...], chosen: tuple[str, ...] | None) -> Facts:
    """Return the columns, the rows at which row groups begin, where these are, and their type.

    Only the ends of the files are read. All files must have the columns of the first.
    """
    columns, dtype = _number_columns(paths[0], chosen)
    sizes, groups = [0], []
    for path in paths:
        with _files().ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            missing = [name for name in columns if name not in names]
            if missing:
                raise ValueError(f"{path} has no column {missing[0]!r}, which {paths[0]} has")
            for number in range(file.metadata.num_row_groups):
                sizes.append(file.metadata.row_group(number).num_rows)
                groups.append((path, number))
    return columns, np.cumsum(sizes), groups, dtype


def _number_columns(path: str, chosen: tuple[str, ...] | None) -> tuple[tuple[str, ...], Any]:
    """Return the columns that are mapped, and single precision if all of them are."""
    import pyarrow.types as kinds

    with _files().ParquetFile(path) as file:
        types = {field.name: field.type for field in file.schema_arrow}
    numbers = [
        name
        for name, kind in types.items()
        if kinds.is_floating(kind) or kinds.is_integer(kind) or kinds.is_boolean(kind)
    ]
    if chosen is not None:
        unknown = [name for name in chosen if name not in numbers]
        if unknown:
            raise ValueError(f"{path} has no column of numbers {unknown[0]!r}")
        numbers = list(chosen)
    if not numbers:
        raise ValueError(f"{path} has no column of numbers")
    single = all(kinds.is_float32(types[name]) for name in numbers)
    return tuple(numbers), np.dtype(np.float32 if single else np.float64)


def read_group(place: tuple[str, int], rows: slice, columns: tuple[str, ...], out: Array) -> None:
    """Write some rows of one row group into a table; what is missing is NaN.

    A few columns at a time are decoded: a row group may be larger than the memory of a worker.
    """
    path, number = place
    with _files().ParquetFile(path) as file:
        n_rows = file.metadata.row_group(number).num_rows
        step = max(1, DECODED // max(1, n_rows))
        for first in range(0, len(columns), step):
            names = list(columns[first : first + step])
            table = file.read_row_group(number, columns=names, use_threads=False)
            for place_of, name in enumerate(names, first):
                column = table.column(name).slice(rows.start, rows.stop - rows.start)
                out[:, place_of] = column.to_numpy()


@dataclass(frozen=True)
class ParquetFiles(Source):
    """The number columns of parquet files, one after the other; row groups are read apart."""

    paths: tuple[str, ...]
    chosen: tuple[str, ...] | None = None

    @cached_property
    def _facts(self) -> tuple[tuple[str, ...], Array, list[tuple[str, int]], Any]:
        """Return the columns, the first rows of row groups, where these are, and their type."""
        return describe(self.paths, self.chosen)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # of the files
        """Names of the columns."""
        return self._facts[0]

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the files
        """Rows and columns."""
        return int(self._facts[1][-1]), len(self.columns)

    @property
    def dtype(self) -> Any:
        """Single precision if all columns are; else double."""
        return self._facts[3]

    @property
    def fingerprint(self) -> str:
        """The paths, with sizes and times of change."""
        files = " ".join(_file_fingerprint(path) for path in self.paths)
        return f"{files} {self.columns}"

    @property
    def bounds(self) -> Array:
        """The rows at which row groups begin."""
        return self._facts[1]

    def select(self, names: tuple[str, ...]) -> Source:
        """Return the columns of these names."""
        return ParquetFiles(self.paths, names)

    def read_range(self, start: int, stop: int) -> Array:
        """Return some rows of the row groups that they are in."""
        columns, bounds, groups, dtype = self._facts
        out = np.empty((stop - start, len(columns)), dtype=dtype)
        first = int(np.searchsorted(bounds, start, side="right")) - 1
        while first < len(groups) and bounds[first] < stop:
            begins = int(bounds[first])
            low, high = max(start, begins), min(stop, int(bounds[first + 1]))
            some = slice(low - begins, high - begins)
            read_group(groups[first], some, columns, out[low - start : high - start])
            first += 1
        return out

    def __getstate__(self) -> dict[str, Any]:
        return {"paths": self.paths, "chosen": self.chosen}


@dataclass(frozen=True)
class SpooledFile(NpyFile):
    """An npy file in a folder that lasts as long as this source."""

    folder: Folder | None = None


def as_dask_array(X: Any) -> Any:
    """Return a Dask collection as an array whose blocks are whole rows."""
    try:
        import dask.array
    except ModuleNotFoundError:
        raise ImportError(f"Dask arrays need dask; {INSTALL}") from None
    array = X.to_dask_array(lengths=True) if hasattr(X, "to_dask_array") else X
    if not isinstance(array, dask.array.Array) or array.ndim != 2:
        raise ValueError(f"expected a Dask array with rows and columns; got {type(X).__name__}")
    if len(array.chunks[1]) > 1:
        array = array.rechunk({1: -1})  # type: ignore[no-untyped-call]
    return array


def spool(X: Any) -> Source:
    """Return a Dask array, or a data frame, as a source: each block is computed and written once.

    Parameters
    ----------
    X : dask array or data frame
        The points.

    Returns
    -------
    Source
        The file that they were written to, which lasts as long as this.

    Examples
    --------
    >>> import dask.array as da
    >>> from unspool import scale
    >>> scale.spool(da.ones((10, 3), chunks=4)).shape
    (10, 3)
    """
    names = tuple(str(name) for name in getattr(X, "columns", ()))
    array = as_dask_array(X)
    if any(np.isnan(size) for size in array.chunks[0]):
        array = array.compute_chunk_sizes()
    if array.dtype.kind not in "biuf":
        raise ValueError(f"the array holds {array.dtype}, no numbers")
    folder = make_folder("points", array.name)
    rows = [0, *np.cumsum(array.chunks[0]).tolist()]
    size = BlockSize(max(array.chunks[0]), 8.0 * 3 * array.shape[1], RECHUNK)
    if sp.issparse(array._meta):
        return _spool_sparse(array, folder, rows, size)
    path = create_table(Path(folder.path) / "points.npy", array.shape, as_float(array.dtype))
    _write_blocks(array, partial(_write_dense, path), rows, size)
    return _named(SpooledFile(path, array.name, folder), names)


def _write_blocks(array: Any, write: Callable[..., None], rows: list[int], size: BlockSize) -> None:
    """Write all blocks as one Dask computation: what they have in common is computed once."""
    starts = np.array(rows[:-1])
    written = array.map_blocks(
        partial(_write_block, write, starts),
        dtype=np.int64,
        chunks=((1,) * len(starts), (1,)),
        meta=np.empty((0, 0), np.int64),
    )
    blocks = list(written.to_delayed().ravel())
    for _ in run_lazily("reading", blocks, key=array.name, size=size):
        pass


def _write_block(
    write: Callable[..., None], starts: Array, block: Any, block_info: Any = None
) -> Array:
    number = int(block_info[0]["chunk-location"][0])
    write(int(starts[number]), block)
    return np.array([[number]])


def _named(source: SpooledFile, names: tuple[str, ...]) -> SpooledFile:
    object.__setattr__(source, "columns", names)
    return source


def _spool_sparse(array: Any, folder: Folder, rows: list[int], size: BlockSize) -> SparseFiles:
    paths = tuple(_sparse_path(folder.path, start) for start in rows[:-1])
    _write_blocks(array, partial(_write_sparse, folder.path), rows, size)
    source = SparseFiles(paths, tuple(rows), int(array.shape[1]), array.name)
    object.__setattr__(source, "_folder", folder)
    return source


def _sparse_path(folder: str, start: int) -> str:
    return os.path.join(folder, f"{start}.npz")


def at_random(source: Source) -> Source:
    """Return a source whose single rows are read fast: itself, or a copy in one file."""
    if source.at_random:
        return source
    folder = make_folder("points", source.fingerprint)
    path = create_table(Path(folder.path) / "points.npy", source.shape, as_float(source.dtype))
    held = 8.0 * 3 * source.shape[1]
    ranges = block_ranges(len(source), held)
    key, size = source.fingerprint, BlockSize.of(ranges, held)
    for _ in run_blocks("reading", _copy_rows, ranges, source, path, key=key, size=size):
        pass
    return _named(SpooledFile(path, source.fingerprint, folder), source.columns)


def as_float(dtype: Any) -> Any:
    """Return the type by which numbers are kept: their own, or double precision for integers."""
    return np.dtype(dtype) if np.dtype(dtype).kind == "f" else np.dtype(np.float64)


def _write_dense(path: str, start: int, rows: Any) -> None:
    write_rows(path, rows, [(start, slice(None))])


def _write_sparse(folder: str, start: int, rows: Any) -> None:
    path = _sparse_path(folder, start)
    unfinished = f"{path}.{os.getpid()}.npz"
    sp.save_npz(unfinished, sp.csr_array(rows), compressed=False)
    os.replace(unfinished, path)


def _copy_rows(rows: tuple[int, int], source: Source, path: str) -> Result:
    _write_dense(path, rows[0], source.read_range(*rows))
    return (np.array([rows[0]]),)
