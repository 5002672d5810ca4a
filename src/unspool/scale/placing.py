"""Rows in, coordinates out, a block at a time: an array, a lazy Dask array, or a folder of files.

What is computed of a block is what the method computes of it in memory. Memory stays that of a
block, with Dask or without.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import available_bytes, claim, limit_blas_threads, limit_memory, limit_threads
from ..values import Array
from .executor import WorkerLost, block_ranges, check_workers, in_order, run_blocks, worker_limit
from .settings import FEWER_ROWS, WORKER_LEAST, BlockSize, Result, describe_loss, room_of, share
from .sources import Source, open_source

HELD = 12.0  # numbers of 8 bytes held for each number of a row that is placed
LEAST_HELD = 2.0  # as they are read, and with their mean taken off: no method has less
WRITTEN = 16.0  # and of one that is prepared, placed and written
Prepare = Callable[[Array, int], tuple[Array, Array]]  # rows as stored -> points, and which rows


def place_rows(
    source: Source, place: Callable[[Any], Array], n_columns: int, row_bytes: float, dtype: Any
) -> Array:
    """Return what ``place`` makes of all rows, block by block, as one array."""
    claim(
        len(source) * n_columns * np.dtype(dtype).itemsize,
        f"the map of {len(source)} rows",
        "transform the rows a part at a time, or write them by `unspool transform`",
    )
    out = np.empty((len(source), n_columns), dtype=dtype)
    ranges = block_ranges(len(source), row_bytes)
    options, size = (source, place, dtype), BlockSize.of(ranges, row_bytes)
    for number, (rows,) in run_blocks("placing", _placed, ranges, *options, size=size):
        start, stop = ranges[number]
        out[start:stop] = rows
    return out


def _placed(
    rows: tuple[int, int], source: Source, place: Callable[[Any], Array], dtype: Any
) -> Result:
    return (np.asarray(place(source.read(*rows))).astype(dtype),)


def map_rows(model: Any, way: str, X: Any, n_columns: int) -> Any:
    """Return ``model.transform`` (or whatever ``way`` names) of rows that are not in memory.

    A Dask array of the same blocks, computed when it is asked for; where Dask is not installed, an
    array, computed block by block.
    """
    try:
        import dask.array
    except ModuleNotFoundError:
        return _now(model, way, open_source(X), n_columns)
    da: Any = dask.array
    check_workers()
    apply = partial(_apply, share(_without_names(model)), way)
    if _is_dask(X):
        from .files import RECHUNK, as_dask_array

        array, apply = as_dask_array(X), partial(apply, remedy=RECHUNK)
        kind = np.float32 if array.dtype == np.float32 else np.float64
        return array.map_blocks(
            apply, dtype=kind, chunks=(array.chunks[0], (n_columns,)), meta=np.empty((0, 0), kind)
        )
    source = open_source(X)
    ranges = np.array(block_ranges(len(source), 8.0 * HELD * source.shape[1]))
    kind = np.float32 if source.dtype == np.float32 else np.float64
    sizes = tuple(int(size) for size in np.diff(ranges, axis=1).ravel())
    blocks = da.from_array(ranges, chunks=(1, 2))
    return blocks.map_blocks(
        partial(_apply_range, apply, source),
        dtype=kind,
        chunks=(sizes, (n_columns,)),
        meta=np.empty((0, 0), kind),
    )


def _without_names(model: Any) -> Any:
    """Return a model for rows of arrays: the names of the columns were compared before."""
    bare = copy(model)
    for name in ("feature_names_in_", "_sklearn_output_config"):
        bare.__dict__.pop(name, None)
    return bare


def _is_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] == "dask"


def _apply(handle: Any, way: str, rows: Any, remedy: str = FEWER_ROWS) -> Array:
    """Return what the model makes of some rows, by one thread: other blocks run beside it."""
    with (
        _telling(rows.shape, sp.issparse(rows), remedy),
        limit_threads(1),
        limit_blas_threads(),
        limit_memory(worker_limit()),
    ):
        return np.asarray(getattr(handle.open(), way)(rows))


def _apply_range(apply: Any, source: Source, rows: Array) -> Array:
    start, stop = (int(row) for row in rows[0])
    with _telling((stop - start, source.shape[1]), source.sparse):
        block = source.read_range(start, stop)
    return np.asarray(apply(block))


@contextmanager
def _telling(shape: tuple[int, int], sparse: bool, remedy: str = FEWER_ROWS) -> Iterator[None]:
    """Say in one sentence that rows are too many for whoever places them: before, if that is sure.

    Dask runs lazy blocks by itself: what it says of a worker that it killed is not ours.
    """
    numbers, limit = float(shape[0]) * shape[1], worker_limit() or available_bytes()
    size = BlockSize(shape[0], 8.0 * HELD * shape[1], remedy)
    told = partial(describe_loss, "placing needs", memory=(limit, room_of(limit)), size=size)
    if not sparse and 8.0 * LEAST_HELD * numbers + WORKER_LEAST > limit:
        raise WorkerLost(told(why="seen before the work"))
    try:
        yield
    except MemoryError as error:
        if error.args and type(error) in (MemoryError, WorkerLost):
            raise  # which says all of it
        raise WorkerLost(told(why="it ran out of memory")) from None


def _now(model: Any, way: str, source: Source, n_columns: int) -> Array:
    held = 8.0 * HELD * source.shape[1]
    ranges = block_ranges(len(source), held)
    options, size = (_without_names(model), way, source), BlockSize.of(ranges, held)
    found = run_blocks("placing", _placed_by, ranges, *options, size=size)
    return np.concatenate([rows for (rows,) in in_order(found)])


def _placed_by(rows: tuple[int, int], model: Any, way: str, source: Source) -> tuple[Array]:
    return (np.asarray(getattr(model, way)(source.read_range(*rows))),)


def write_parts(
    source: Source, place: Any, prepare: Prepare | None, folder: Path, names: list[str]
) -> int:
    """Write what ``place`` makes of all rows as parts in a folder; return how many rows.

    Parts are parquet where the source is, with the number of each row in a column ``row``, and npy
    elsewhere. A part that is written again, by a worker that took over, is the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ending = "parquet" if source.columns else "npy"
    held = 8.0 * WRITTEN * source.shape[1] + 2_000
    ranges = block_ranges(len(source), held)
    items = [(n, *rows) for n, rows in enumerate(ranges)]
    options = (source, place, prepare, str(folder), names, ending)
    key = f"{source.fingerprint} {ranges} {folder}"
    size = BlockSize.of(ranges, held)
    found = run_blocks("placing", _write_part, items, *options, key=key, size=size)
    return int(sum(count[0] for _, (count,) in found))


def _write_part(
    item: tuple[int, int, int],
    source: Source,
    place: Any,
    prepare: Prepare | None,
    folder: str,
    names: list[str],
    ending: str,
) -> Result:
    number, start, stop = item
    stored = source.read_range(start, stop)
    points, rows = (stored, np.arange(len(stored))) if prepare is None else prepare(stored, start)
    placed = np.asarray(place(points)) if len(points) else np.empty((0, len(names)), stored.dtype)
    goal = os.path.join(folder, f"part-{number:05d}.{ending}")
    unfinished = f"{goal}.{os.getpid()}.unfinished"
    if ending == "npy":
        with open(unfinished, "wb") as file:
            np.save(file, placed)
    else:
        _write_parquet(unfinished, placed, start + rows, names)
    os.replace(unfinished, goal)
    return (np.array([len(placed)]),)


def _write_parquet(path: str, placed: Array, rows: Array, names: list[str]) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {name: placed[:, place] for place, name in enumerate(names)}
    parquet.write_table(pyarrow.table({"row": rows, **columns}), path)
