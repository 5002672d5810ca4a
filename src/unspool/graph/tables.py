"""What searches find, in tables and lists of edges, and the NeighborGraph made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..values import Array, NeighborGraph, graph_from_edges

CHUNK_BYTES = 64 * 2**20  # a block of distances that stays near the cache and never fills memory


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield strips of rows whose tables of ``n_columns`` fit into a chunk of memory."""
    step = max(1, CHUNK_BYTES // (8 * max(1, n_columns)))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def smallest(block: Array, count: int) -> tuple[Array, Array]:
    """Return the columns and values of the ``count`` smallest of each row, in order."""
    candidates = np.argpartition(block, count - 1, axis=1)[:, :count]
    distances = np.take_along_axis(block, candidates, axis=1)
    order = np.lexsort((candidates, distances), axis=1)
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(distances, order, 1)


def joined(edges: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    """Return lists of edges (rows, columns, distances) as one."""
    rows, columns, distances = (np.concatenate(part) for part in zip(*edges, strict=True))
    return rows, columns, distances


def from_table(columns: Array, distances: Array, found_by: Any) -> NeighborGraph:
    """Return the graph of tables with equally many neighbours in each row."""
    order = np.lexsort((columns, distances), axis=1)
    columns = np.take_along_axis(columns, order, axis=1)
    distances = np.take_along_axis(distances, order, axis=1)
    starts = np.arange(len(columns) + 1) * columns.shape[1]
    return NeighborGraph(
        starts, columns.ravel(), distances.ravel(), found_by.n_points, found_by.name
    )


def from_edges(
    rows: Array, columns: Array, distances: Array, n_rows: int, found_by: Any
) -> NeighborGraph:
    """Return the graph of a list of edges."""
    shape = (n_rows, found_by.n_points)
    return graph_from_edges(rows, columns, distances, shape=shape, search=found_by.name)
