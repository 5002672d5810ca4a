"""The steps from points to their neighbour graph, each done once where fits share their work."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances, graph
from ..runtime import reuse
from ..values import Array, Metric, NeighborGraph


def searched(
    given: Any, metric: Metric, search: distances.Search = "exact", seed: int = 0
) -> distances.NeighborIndex:
    """Return the search structure over points, or over a table of distances."""
    how = (metric, search, seed if search == "approximate" else None)
    return reuse(
        "index", _arrays_of(given), how, lambda: distances.build_index(given, metric, search, seed)
    )


def listed(
    index: distances.NeighborIndex,
    given: Any,
    metric: Metric,
    n_neighbors: Any = None,
    radius: float | None = None,
    squared_radius: bool = False,
) -> NeighborGraph:
    """Return the neighbours that each point lists."""
    if n_neighbors is None and not sp.issparse(given):
        n_neighbors = min(distances.DEFAULT_NEIGHBORS, given.shape[0] - 1)
    counts = None if n_neighbors is None else np.asarray(n_neighbors).tobytes()
    return reuse(
        "neighbours",
        _arrays_of(given),
        (metric, type(index), getattr(index, "seed", None), counts, radius, squared_radius),
        lambda: distances.find_neighbors(index, given, n_neighbors, radius, squared_radius),
    )


def undirected(directed: NeighborGraph, rule: Any = "union") -> NeighborGraph:
    """Return the graph with every edge in both directions."""
    return reuse("undirected", edges_of(directed), rule, lambda: graph.symmetrize(directed, rule))


def edges_of(neighbors: NeighborGraph) -> tuple[Array, Array, Array]:
    """Return the arrays that make two graphs the same."""
    return neighbors.starts, neighbors.neighbors, neighbors.distances


def _arrays_of(table: Any) -> tuple[Array, ...]:
    return (table.data, table.indices, table.indptr) if sp.issparse(table) else (table,)
