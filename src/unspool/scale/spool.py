"""Dask arrays and data frames -> files: what is computed is written once, by whoever computed it.

Methods read rows several times and in any order; a Dask array would be computed anew each time. A
zarr or parquet source is copied in the same way where single rows are wanted.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from .executor import BlockSize, Result, block_ranges, run_blocks
from .settings import Folder, make_folder
from .sources import INSTALL, NpyFile, Source, SparseFiles

RECHUNK = "X.rechunk(({fewer}, -1))"  # blocks of a Dask array are its own


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
    rows = [0, *np.cumsum(array.chunks[0]).tolist()]
    items = [(start, array.blocks[number]) for number, start in enumerate(rows[:-1])]
    if sp.issparse(array._meta):
        return _spool_sparse(array, items, rows)
    folder = make_folder("points", array.name)
    path = _create(Path(folder.path) / "points.npy", array.shape, array.dtype)
    size = BlockSize(max(array.chunks[0]), 8.0 * 3 * array.shape[1], RECHUNK)
    for _ in run_blocks("reading", _write_block, items, path, key=array.name, size=size):
        pass
    return _named(SpooledFile(path, array.name, folder), names)


def _named(source: SpooledFile, names: tuple[str, ...]) -> SpooledFile:
    object.__setattr__(source, "columns", names)
    return source


def _spool_sparse(array: Any, items: list[Any], rows: list[int]) -> SparseFiles:
    folder = make_folder("points", array.name)
    paths = [str(Path(folder.path) / f"{number}.npz") for number in range(len(items))]
    todo = [(path, block) for path, (_, block) in zip(paths, items, strict=True)]
    for _ in run_blocks("reading", _write_sparse, todo, key=array.name):
        pass
    source = SparseFiles(tuple(paths), tuple(rows), int(array.shape[1]), array.name)
    object.__setattr__(source, "_folder", folder)
    return source


def at_random(source: Source) -> Source:
    """Return a source whose single rows are read fast: itself, or a copy in one file."""
    if source.at_random:
        return source
    folder = make_folder("points", source.fingerprint)
    path = _create(Path(folder.path) / "points.npy", source.shape, source.dtype)
    held = 8.0 * 3 * source.shape[1]
    ranges = block_ranges(len(source), held)
    key, size = source.fingerprint, BlockSize.of(ranges, held)
    for _ in run_blocks("reading", _copy_rows, ranges, source, path, key=key, size=size):
        pass
    return _named(SpooledFile(path, source.fingerprint, folder), source.columns)


def _create(path: Path, shape: tuple[int, ...], dtype: Any) -> str:
    """Make an npy file of this shape, unless it is there from before; rows are written later."""
    if not path.exists():
        unfinished = path.with_suffix(f".{os.getpid()}")
        kind = np.dtype(dtype) if np.dtype(dtype).kind == "f" else np.dtype(np.float64)
        np.lib.format.open_memmap(
            unfinished, "w+", dtype=kind, shape=tuple(int(side) for side in shape)
        ).flush()
        os.replace(unfinished, path)
    return str(path)


def _write_rows(path: str, start: int, rows: Any) -> None:
    """Write rows into a file by position: no page of it stays in memory."""
    table = np.load(path, mmap_mode="r", allow_pickle=False)
    width, kind, offset = table.shape[1], table.dtype, table.offset
    with open(path, "r+b") as file:
        file.seek(offset + start * width * kind.itemsize)
        file.write(np.ascontiguousarray(rows, dtype=kind).data)


def _write_block(item: tuple[int, Any], path: str) -> Result:
    start, block = item
    _write_rows(path, start, block.compute(scheduler="synchronous"))
    return (np.array([start]),)


def _write_sparse(item: tuple[str, Any]) -> Result:
    path, block = item
    unfinished = f"{path}.{os.getpid()}.npz"
    sp.save_npz(unfinished, sp.csr_array(block.compute(scheduler="synchronous")))
    os.replace(unfinished, path)
    return (np.array([0]),)


def _copy_rows(rows: tuple[int, int], source: Source, path: str) -> Result:
    _write_rows(path, rows[0], source.read_range(*rows))
    return (np.array([rows[0]]),)
