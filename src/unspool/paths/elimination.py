"""Shortest paths by elimination: sparse Cholesky in the algebra of (min, +), and two sweeps.

A planned elimination leaves behind the filled pattern, and for each of its entries the shortest
arc; one sweep up and one down over these arcs answer for a chunk of sources.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..elimination_order import Elimination, FilledPattern, filled_pattern, indices_of
from ..values import Array, NeighborGraph

if TYPE_CHECKING:
    from . import Layout, Workspace


ROW_BYTES = 640  # of a vertex in a sweep: ten cache lines, and a chunk of 10,000 near the cache
TRIED_SOURCES = 6  # before the arcs are rounded
SAFE_ERROR = 5e-7  # of these, so that no other source is off by more than 1e-6


def shortest_arcs(graph: NeighborGraph, plan: Elimination, pattern: FilledPattern) -> Array:
    """Return for each entry of the filled pattern the shortest way through earlier vertices.

    This is sparse Cholesky in the algebra of (min, +): when v goes, any two that it meets are
    joined by an arc through v, unless they have a shorter one. Between two vertices of the rest,
    the arcs then give the same distances as the whole graph did. Where there is no way, the arc is
    infinitely long.
    """
    from .elimination_kernels import eliminate

    edges = (*indices_of(graph.with_weights(graph.distances)), graph.distances.astype(np.float64))
    order = plan.position, plan.vertex_at
    heads, starts, n = pattern.heads, pattern.starts, len(pattern.starts) - 1
    count = len(heads) - 1
    workspace = (
        np.repeat(np.arange(count), np.diff(heads)),  # the supernode of each vertex
        np.full(count, -1),  # the first supernode with news for this one,
        np.full(count, -1),  # the next one with news for the same,
        starts[heads[1:] - 1],  # and the first of its arcs that leads there
        np.zeros(n, dtype=np.int64),
        np.empty(n),
    )
    weights = np.full(len(pattern.later), np.inf)
    eliminate(edges, order, (starts, pattern.later), heads, weights, workspace)
    return weights


@dataclass(frozen=True, slots=True)
class EliminationSolver:
    """A graph eliminated in the algebra of (min, +): one sweep up and one down answer a chunk.

    Lengths are summed in the precision of ``weights``, whatever the table holds.
    """

    position: Array
    pattern: FilledPattern
    weights: Array
    name = "elimination"

    @property
    def chunk(self) -> int:
        """How many sources share a sweep."""
        return ROW_BYTES // int(self.weights.itemsize)

    def rounded(self, dtype: Any) -> EliminationSolver:
        """Return the solver to fill a table of ``dtype``: with rounded arcs if that is safe.

        A sweep over a surface adds a few dozen arcs, and single precision will do; along a curve
        it adds them one by one. So some sources, spread over the graph, are compared with exact
        lengths (SciPy's: a second sweep would first have to be compiled).
        """
        if np.dtype(dtype) == self.weights.dtype:
            return self
        with np.errstate(over="ignore"):  # found out below
            other = replace(self, weights=self.weights.astype(dtype))
        tried = np.linspace(0, len(self.position) - 1, TRIED_SOURCES).astype(np.int64)
        places = np.unique(tried)
        rough = np.empty((len(places), len(self.position)), dtype=dtype)
        vertex_at = np.argsort(self.position)
        workspace = [np.empty(shape, kind) for shape, kind in other.workspace(len(places))]
        other.solve(vertex_at[places], np.arange(len(places)), rough, workspace)
        exact = self._exactly_from(places)[:, self.position]
        return other if np.allclose(rough, exact, rtol=SAFE_ERROR, atol=0.0) else self

    def _exactly_from(self, places: Array) -> Array:
        """Return the lengths from some places in the order of elimination, points in that order."""
        from scipy.sparse.csgraph import dijkstra

        n = len(self.position)
        arcs = sp.csr_array((self.weights, self.pattern.later, self.pattern.starts), shape=(n, n))
        return np.asarray(dijkstra(arcs, directed=False, indices=places))

    def workspace(self, n_sources: int) -> Layout:
        """Return the table that a chunk is worked out in: a row per vertex, a column per source."""
        return [((len(self.position) * n_sources,), self.weights.dtype)]

    def solve(self, sources: Array, rows: Array, out: Array, workspace: Workspace) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        from .elimination_kernels import sweep, turn_over

        n, pattern = len(self.position), self.pattern
        lengths = workspace[0][: n * len(sources)].reshape(n, len(sources))
        arcs = pattern.starts, pattern.later
        touched = np.zeros(n, dtype=bool)
        sweep(arcs, self.weights, pattern.heads, self.position[sources], touched, lengths)
        turn_over(lengths, self.position, rows, out)


def prepare_elimination(graph: NeighborGraph, plan: Elimination) -> EliminationSolver:
    """Return the solver that sweeps over ``graph``, eliminated as planned."""
    pattern = filled_pattern(graph.with_weights(graph.distances), plan)
    return EliminationSolver(plan.position, pattern, shortest_arcs(graph, plan, pattern))
