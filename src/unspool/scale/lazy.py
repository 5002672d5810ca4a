"""Rows in, rows out, a block at a time: lazily as a Dask array, or streamed to files.

What is computed of a block is what the method computes of it in memory.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from ..runtime import limit_blas_threads, limit_threads
from ..values import Array
from .executor import block_ranges, in_order, run_blocks
from .shared import share
from .sources import Source, open_source

HELD = 12.0  # numbers of 8 bytes held for each number of a row that is placed


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
    apply = partial(_apply, share(_without_names(model)), way)
    if _is_dask(X):
        from .spool import as_dask_array

        array = as_dask_array(X)
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


def _apply(handle: Any, way: str, rows: Any) -> Array:
    """Return what the model makes of some rows, by one thread: other blocks run beside it."""
    with limit_threads(1), limit_blas_threads():
        return np.asarray(getattr(handle.open(), way)(rows))


def _apply_range(apply: Any, source: Source, rows: Array) -> Array:
    start, stop = (int(row) for row in rows[0])
    block = source.read_range(start, stop)
    return np.asarray(apply(block))


def _now(model: Any, way: str, source: Source, n_columns: int) -> Array:
    ranges = block_ranges(len(source), 8.0 * HELD * source.shape[1])
    found = run_blocks("placing", _placed, ranges, _without_names(model), way, source)
    return np.concatenate([rows for (rows,) in in_order(found)])


def _placed(rows: tuple[int, int], model: Any, way: str, source: Source) -> tuple[Array]:
    return (np.asarray(getattr(model, way)(source.read_range(*rows))),)
