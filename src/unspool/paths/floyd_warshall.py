"""Shortest paths by the algorithm of Floyd (1962) and Warshall: all of them at once, n^3 steps.

A path from i to j over the first k points is the shorter of the one over the first k - 1 and the
one that passes point k (Izenman 2013, section 16.6.3). SciPy runs it on a dense table: where most
pairs are joined, nothing is searched and nothing sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array, NeighborGraph

if TYPE_CHECKING:
    from .geodesics import Layout, Workspace


@dataclass(frozen=True, slots=True)
class TableSolver:
    """All path lengths, ready to be copied."""

    table: Array
    name = "floyd-warshall"

    @property
    def position(self) -> Array:
        """Place of each point: its own number."""
        return np.arange(len(self.table))

    @property
    def chunk(self) -> int:
        """How many sources are answered at once."""
        return 1024

    def rounded(self, dtype: Any) -> TableSolver:
        """Return this solver: only its answers are rounded."""
        return self

    def workspace(self, n_sources: int) -> Layout:
        """Return that nothing is needed."""
        return []

    def solve(self, sources: Array, rows: Array, out: Array, workspace: Workspace) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        out[rows] = self.table[sources]


def prepare_floyd_warshall(graph: NeighborGraph) -> TableSolver:
    """Return all shortest paths of an undirected graph, at once."""
    from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

    n = graph.n_points
    lengths = np.full((n, n), np.inf)
    np.minimum.at(lengths, (graph.rows, graph.neighbors), graph.distances)
    np.fill_diagonal(lengths, 0.0)
    edges = csgraph_from_dense(lengths, null_value=np.inf)  # zero is a length, not a missing edge
    return TableSolver(np.asarray(floyd_warshall(edges, directed=False)))
