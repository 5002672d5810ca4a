"""Points that stay where they are: a path and its rows, read a range at a time by whoever works.

A source is small and travels to any process; its rows do not. What is read is checked: a row with a
missing value is told by its number, whoever reads it first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..runtime import available_bytes, claim, format_bytes
from ..values import Array, StoredPoints

if TYPE_CHECKING:
    from ..graph import Copies
    from ..values import Metric, NeighborIndex, Search

LAZY_PACKAGES = ("dask", "zarr", "pyarrow")
INSTALL = "pip install 'unspool[dask]'"
HELD = 4.0  # tables of the size of the points that most methods hold, at least
LARGEST = 1e70  # fourth powers of anything larger overflow
SHOWN = 8  # columns of a table that an error names


def is_lazy(X: Any) -> bool:
    """Tell whether points are not in memory: a path, a source, a dask or zarr array, parquet.

    Parameters
    ----------
    X : object
        What a method is given.

    Returns
    -------
    bool
        Whether ``open_source`` opens it.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import scale
    >>> scale.is_lazy("points.npy"), scale.is_lazy(np.zeros((2, 2)))
    (True, False)
    """
    if isinstance(X, Source | str | os.PathLike):
        return True
    return type(X).__module__.partition(".")[0] in LAZY_PACKAGES


class Source(StoredPoints):
    """A table whose rows are read a range at a time.

    Indexing gathers rows into memory, so that a few of them can be asked for as of an array.
    """

    shape: tuple[int, int]
    dtype: Any
    ndim = 2
    columns: tuple[str, ...] = ()  # names, where the file has some
    at_random = False  # whether single rows are read as fast as ranges
    sparse = False  # whether rows are

    @property
    def nbytes(self) -> float:
        """Bytes of all rows in memory."""
        return 8.0 * self.shape[0] * self.shape[1]

    def read_range(self, start: int, stop: int) -> Any:
        """Return the rows of a range as they are stored, dense or sparse."""
        raise NotImplementedError

    @property
    def fingerprint(self) -> str:
        """What tells this table from others, and from itself after a change."""
        raise NotImplementedError

    @property
    def bounds(self) -> Array:
        """Rows at which it is cheap to begin reading; the last is the number of rows."""
        return np.array([0, len(self)])

    def __len__(self) -> int:
        return self.shape[0]

    def read(self, start: int, stop: int) -> Any:
        """Return the rows of a range in float64, checked."""
        rows = self.read_range(start, stop)
        if sp.issparse(rows):
            rows = sp.csr_array(rows, dtype=np.float64)
            check_rows(rows.data, start)
            return rows
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        check_rows(rows, start)
        return rows

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            start, stop, step = rows.indices(len(self))
            return self.read(start, max(start, stop))[:: 1 if step == 1 else step]
        chosen = np.asarray(rows)
        chosen = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
        if chosen.ndim == 0:
            return self.read(int(chosen), int(chosen) + 1)[0]
        distinct, back = np.unique(chosen, return_inverse=True)
        return self.gather(distinct)[back.reshape(chosen.shape)]

    def gather(self, rows: Array) -> Any:
        """Return rows in increasing order, in float64."""
        found = [
            self.read(int(first), int(last))[rows[slots] - first]
            for first, last, slots in self._ranges(rows)
        ]
        if not found:
            return np.empty((0, self.shape[1]))
        return sp.vstack(found, format="csr") if sp.issparse(found[0]) else np.concatenate(found)

    def _ranges(self, rows: Array) -> list[tuple[int, int, slice]]:
        """Return the ranges to be read for some rows, and which of them lie in each."""
        cuts = np.searchsorted(rows, self.bounds)
        return [
            (int(rows[first]), int(rows[last - 1]) + 1, slice(int(first), int(last)))
            for first, last in pairwise(cuts)
            if last > first
        ]

    def take(self, rows: Array) -> Source:
        """Return the source of some rows alone, in increasing order: nothing is read."""
        return RowsOf(self, np.asarray(rows))

    def mean(self, axis: int = 0, dtype: Any = np.float64) -> Array:
        """Return the mean of each column; asked as an array is, and double precision always."""
        from .reduction import find_means

        return find_means(self)

    def select(self, names: tuple[str, ...]) -> Source:
        """Return the same with the columns of these names, in this order, where it has names."""
        return ColumnsOf(self, names) if self.columns and self.columns != names else self

    def search_index(self, metric: Metric, search: Search, seed: int) -> NeighborIndex:
        """Return the search over the rows, which the cells of the points answer."""
        from .search import build_cell_index

        return build_cell_index(self, metric, search, seed)

    def find_copies(self) -> Copies:
        """Return which rows are equal, told by keys of whole rows."""
        from .reduction import find_copies

        return find_copies(self)


def in_memory(X: Any, what: str) -> Any:
    """Return points that are not in memory as an array, if they fit; others as they are."""
    if not is_lazy(X):
        return X
    source = open_source(X)
    claim(8.0 * 3 * source.shape[0] * source.shape[1], what, "use a sample of the rows")
    return source[:]


def read_whole(source: Source, method: str, *, sparse: bool) -> Any:
    """Return all rows, for a method that has no other way; ``sparse`` says if they may be so."""
    if source.sparse and not sparse:
        raise ValueError(
            f"{method} takes dense points, and these blocks are sparse; make them dense by "
            "X.map_blocks(lambda block: block.toarray(), dtype=X.dtype)"
        )
    needed, free = HELD * source.nbytes, available_bytes()
    if needed > free:
        raise MemoryError(
            f"{method} holds all {len(source)} rows in memory, about {format_bytes(needed)}, and "
            f"{format_bytes(free)} are free; scale.by_sample({method}(...), 20_000) fits a sample "
            "and places the others, and tells how well"
        )
    return source[:]


def match_columns(X: Any, names: Sequence[str]) -> Any:
    """Return points that are not in memory with the columns that a fit saw, in their order.

    Others that they have are left out. Where one of the two has no names, columns are taken as they
    come.
    """
    X = X if hasattr(X, "shape") else open_source(X)
    labels = {str(label): label for label in getattr(X, "columns", ())}
    missing = [name for name in names if name not in labels]
    if labels and missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise ValueError(
            f"X has no column {missing[0]!r}{more}, which the map was made of; its columns are "
            f"{', '.join(list(labels)[:SHOWN])}{', ...' if len(labels) > SHOWN else ''}"
        )
    if not labels or not len(names):
        return X
    if isinstance(X, Source):
        return X.select(tuple(names))
    return X[[labels[name] for name in names]]


class NamedFrame:
    """A frame of polars as scikit-learn before 1.9 finds the names of its columns.

    It asks for the interchange protocol, which polars 2 no longer has; later ones ask Narwhals.
    """

    def __init__(self, frame: Any) -> None:
        self._frame, self.shape, self.columns = frame, frame.shape, list(frame.columns)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self._frame.to_numpy(), dtype=dtype)

    def __dataframe__(self) -> NamedFrame:
        return self

    def column_names(self) -> list[str]:
        """Return the names of the columns, as the protocol calls it."""
        return self.columns


def with_names(X: Any) -> Any:
    """Return X so that scikit-learn finds the names of its columns, whichever version it is."""
    is_polars = type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "columns")
    if not is_polars or hasattr(X, "__dataframe__"):
        return X
    from sklearn.utils import validation

    return X if hasattr(validation, "nw") else NamedFrame(X)


def rows_of(points: Any, rows: Array) -> Any:
    """Return some rows of points; of those on disk, a source, without reading them."""
    return points.take(rows) if isinstance(points, Source) else points[rows]


def check_rows(values: Array, start: int) -> None:
    """Raise ValueError with the row if a value is no number, or too large to be squared."""
    square = float(np.vdot(values, values))
    if square < LARGEST**2:
        return
    if values.ndim == 2 and not np.isfinite(values).all():
        row, column = (int(at) for at in np.argwhere(~np.isfinite(values))[0])
        kind = "NaN" if np.isnan(values[row, column]) else "infinity (inf)"
        raise ValueError(
            f"X contains {kind} in row {start + row}, column {column}; drop those rows or fill "
            "them in first"
        )
    raise ValueError(
        f"rows {start} and on hold values that are not finite or reach "
        f"{float(np.abs(values).max()):.1e}, and powers of that overflow; drop or scale them"
    )


@dataclass(frozen=True)
class RowsOf(Source):
    """Some rows of a source, in increasing order."""

    source: Source
    rows: Array

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the rows
        """Rows and columns."""
        return len(self.rows), self.source.shape[1]

    @property
    def dtype(self) -> Any:
        """The type of the stored numbers."""
        return self.source.dtype

    @property
    def at_random(self) -> bool:  # type: ignore[override]  # of the source
        """Whether single rows are read as fast as ranges."""
        return self.source.at_random

    @property
    def fingerprint(self) -> str:
        """That of the source, and which rows."""
        from hashlib import blake2b

        chosen = blake2b(np.ascontiguousarray(self.rows).tobytes(), digest_size=8).hexdigest()
        return f"{self.source.fingerprint} {chosen}"

    def read_range(self, start: int, stop: int) -> Any:
        """Return the rows numbered so among those that are kept."""
        kept = self.rows[start:stop]
        if len(kept) == 0:
            return np.empty((0, self.shape[1]), self.dtype)
        first, last = int(kept[0]), int(kept[-1]) + 1
        return self.source.read_range(first, last)[kept - first]

    def gather(self, rows: Array) -> Any:
        """Return rows in increasing order."""
        return self.source.gather(self.rows[rows])


@dataclass(frozen=True)
class ColumnsOf(Source):
    """Some columns of a source, in an order of their own."""

    source: Source
    columns: tuple[str, ...]

    @property
    def _places(self) -> list[int]:
        return [self.source.columns.index(name) for name in self.columns]

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the columns
        """Rows and columns."""
        return len(self.source), len(self.columns)

    @property
    def dtype(self) -> Any:
        """The type of the stored numbers."""
        return self.source.dtype

    @property
    def at_random(self) -> bool:  # type: ignore[override]  # of the source
        """Whether single rows are read as fast as ranges."""
        return self.source.at_random

    @property
    def fingerprint(self) -> str:
        """That of the source, and which columns."""
        return f"{self.source.fingerprint} {self.columns}"

    @property
    def bounds(self) -> Array:
        """Rows at which it is cheap to begin reading."""
        return self.source.bounds

    def read_range(self, start: int, stop: int) -> Any:
        """Return these columns of some rows."""
        return self.source.read_range(start, stop)[:, self._places]

    def gather(self, rows: Array) -> Any:
        """Return these columns of rows in increasing order."""
        return self.source.gather(rows)[:, self._places]


@dataclass(frozen=True)
class InMemory(Source):
    """Rows of an array that is in memory."""

    table: Array
    at_random = True

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the array
        """Rows and columns."""
        return int(self.table.shape[0]), int(self.table.shape[1])

    @property
    def dtype(self) -> Any:
        """The type of the numbers."""
        return self.table.dtype

    @property
    def fingerprint(self) -> str:
        """Nothing: it is seen by this process alone."""
        return ""

    def read_range(self, start: int, stop: int) -> Array:
        """Return some rows."""
        return np.asarray(self.table[start:stop])


def open_source(X: Any) -> Source:
    """Return the source of points that are not in memory.

    Parameters
    ----------
    X : str, path, Source, zarr array or pyarrow dataset
        An npy file, a folder of a zarr array, parquet files (one, a folder or a pattern of several)
        or an object that stands for one of these. Dask arrays are written to files first, by
        ``scale.spool``.

    Returns
    -------
    Source
        What reads ranges of rows.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from unspool import scale
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(f"{folder}/points.npy", np.eye(3))
    ...     scale.open_source(f"{folder}/points.npy").shape
    (3, 3)
    """
    if isinstance(X, Source):
        return X
    if isinstance(X, str | os.PathLike):
        return _open_path(os.fspath(X))
    package = type(X).__module__.partition(".")[0]
    if package == "pyarrow" and hasattr(X, "files"):
        return _open_parquet(X.files, "the dataset")
    if package == "zarr" and hasattr(X, "store"):
        return _open_zarr(X)
    if package == "dask":
        from .files import spool

        return spool(X)
    raise ValueError(
        f"a {type(X).__name__} holds no rows that can be read a range at a time; give a path to "
        "npy, parquet or zarr, or a dask array"
    )


def _open_zarr(array: Any) -> Source:
    """Return the source of an open zarr array: another process must find it by its path."""
    from .files import ZarrArray

    root = getattr(array.store, "root", None) or getattr(array.store, "path", None)
    if root is None:
        raise ValueError("a zarr array in memory is seen by this process alone; save it to disk")
    return _checked(ZarrArray(str(root), str(array.path)))


def _open_path(name: str) -> Source:
    from .files import NpyFile, ZarrArray

    path = Path(name).expanduser()
    if has_magic(name) and not path.exists():
        return _open_parquet(sorted(glob(str(path))), name)
    if not path.exists():
        raise ValueError(f"there is no file {name}")
    if path.is_dir() and (any((path / part).exists() for part in (".zarray", "zarr.json"))):
        return _checked(ZarrArray(str(path.resolve())))
    if path.is_dir():
        return _open_parquet([str(file) for file in sorted(path.iterdir())], name)
    if path.suffix == ".npy":
        return _checked(NpyFile(str(path.resolve())))
    if path.suffix == ".parquet":
        return _open_parquet([str(path)], name)
    raise ValueError(
        f"{name} cannot be read a range of rows at a time; there are: npy, parquet (also a folder "
        "or 'part-*.parquet'), and folders of zarr arrays"
    )


def _open_parquet(found: Sequence[str], name: str) -> Source:
    from .files import ParquetFiles

    files = tuple(str(Path(file).resolve()) for file in found if file.endswith(".parquet"))
    if not files:
        raise ValueError(f"{name} names no parquet files")
    return _checked(ParquetFiles(files))


def _checked(source: Source) -> Source:
    """Return a source that was just opened, once its shape is known to be that of a table."""
    n, width = source.shape
    if n == 0 or width == 0:
        raise ValueError(f"the table has {n} rows and {width} columns; there is nothing to map")
    return source
