"""From points to their neighbour graph, each step done once where fits share their work."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import distances, graph
from ..runtime import reuse
from ..values import Array, Metric, NeighborGraph

Rule = Literal["union", "mutual", "directed"]


def neighbor_index(
    space: Any, metric: Metric, search: distances.Search = "exact", seed: int = 0
) -> distances.NeighborIndex:
    """Return the search structure over points, or over a table of distances."""
    return reuse(
        "index",
        _arrays_of(space),
        (metric, *_setting(search, seed)),
        lambda: distances.build_index(space, metric, search, seed),
    )


def directed_neighbors(
    index: distances.NeighborIndex,
    space: Any,
    metric: Metric,
    n_neighbors: Any = None,
    radius: float | None = None,
    squared_radius: bool = False,
    search: distances.Search = "exact",
    seed: int = 0,
) -> NeighborGraph:
    """Return the neighbours that each point lists; ``search`` and ``seed`` made the index."""
    if n_neighbors is None and not sp.issparse(space):
        n_neighbors = min(distances.DEFAULT_NEIGHBORS, space.shape[0] - 1)
    counts = b"" if n_neighbors is None else np.asarray(n_neighbors).tobytes()
    return reuse(
        "neighbours",
        _arrays_of(space),
        (metric, *_setting(search, seed), counts, radius, squared_radius),
        lambda: distances.find_neighbors(index, space, n_neighbors, radius, squared_radius),
    )


def undirected_neighbors(directed: NeighborGraph, rule: Rule = "union") -> NeighborGraph:
    """Return the graph with every edge in both directions, by this rule ("directed": as it is)."""
    if rule == "directed":
        return directed
    return reuse("undirected", edges_of(directed), rule, lambda: graph.symmetrize(directed, rule))


def edges_of(neighbors: NeighborGraph) -> tuple[Array, Array, Array]:
    """Return the arrays that make two graphs the same."""
    return neighbors.starts, neighbors.neighbors, neighbors.distances


def _setting(search: distances.Search, seed: int) -> tuple[distances.Search, int]:
    """Return what tells two searches of the same points apart: no exact one depends on a seed."""
    return search, seed if search == "approximate" else 0


def _arrays_of(table: Any) -> tuple[Array, ...]:
    return (table.data, table.indices, table.indptr) if sp.issparse(table) else (table,)
