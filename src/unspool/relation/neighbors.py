"""From points to their neighbour graph, each step done once where fits share their work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import distances, graph
from ..runtime import reuse
from ..values import Array, Metric, NeighborGraph

Symmetrize = Literal["union", "mutual", "directed"]


@dataclass(frozen=True, slots=True)
class NeighborSearch:
    """How neighbours are searched; the seed matters to an approximate search only."""

    metric: Metric
    search: distances.Search = "exact"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Who is a neighbour: the nearest ones, or all within a radius; and whose word counts."""

    n_neighbors: int | Sequence[int] | Array | None = None
    radius: float | None = None
    squared_radius: bool = False
    symmetrize: Symmetrize = "union"


def relate_neighbors(
    space: Any, search: NeighborSearch, hood: Neighborhood
) -> tuple[distances.NeighborIndex, NeighborGraph]:
    """Return the search structure over ``space`` (points, or distances) and its neighbour graph."""
    arrays = (space.data, space.indices, space.indptr) if sp.issparse(space) else (space,)
    kind, seed = search.search, search.seed if search.search == "approximate" else 0
    build = partial(distances.build_index, space, search.metric, kind, search.seed)
    index = reuse("index", arrays, (search.metric, kind, seed), build)
    wanted = hood.n_neighbors
    if wanted is None and not sp.issparse(space):
        wanted = min(distances.DEFAULT_NEIGHBORS, space.shape[0] - 1)
    counts = b"" if wanted is None else np.asarray(wanted).tobytes()
    find = partial(distances.find_neighbors, index, space, wanted, hood.radius, hood.squared_radius)
    setting = (search.metric, kind, seed, counts, hood.radius, hood.squared_radius)
    directed = reuse("neighbours", arrays, setting, find)
    if hood.symmetrize == "directed":
        return index, directed
    join = partial(graph.symmetrize, directed, hood.symmetrize)
    return index, reuse("undirected", directed.edges, hood.symmetrize, join)
