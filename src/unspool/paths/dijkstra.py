"""Shortest paths by Dijkstra's algorithm: from sources to all points, or between pairs near by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array, NeighborGraph

if TYPE_CHECKING:
    from . import Layout, Workspace

SEARCHED_SOURCES = 8  # between two looks at who wants to cancel
TOGETHER = 16  # near sources that share a search: their lengths at a vertex are two cache lines
SOME_EDGES = 100_000  # that show how long edges are
MOST_BUCKETS = 4096  # so that empty ones cost nothing
WORTH_RENUMBERING = 8  # sources from which on a renumbered graph pays back (n = 100,000: 2.3x)


@dataclass(frozen=True, slots=True)
class DijkstraSolver:
    """A graph searched by Dijkstra's algorithm, one source after the other or some together.

    Lengths are summed in double precision, whatever the table holds: a path may have thousands of
    edges.
    """

    position: Array
    starts: Array
    neighbors: Array
    distances: Array
    width: float
    together: bool = False
    name = "dijkstra"

    @property
    def chunk(self) -> int:
        """How many sources are searched before the next look at who wants to cancel."""
        return TOGETHER if self.together else SEARCHED_SOURCES

    def rounded(self, dtype: Any) -> DijkstraSolver:
        """Return this solver: only its answers are rounded."""
        return self

    @property
    def _tickets(self) -> int:
        """How often vertices may become nearer; the heap needs 4 more than there are vertices."""
        once = max(len(self.neighbors), len(self.position)) + 4
        return 2 * once if self.together else once

    def workspace(self, n_sources: int) -> Layout:
        """Return the lengths found so far, and room for a heap or for buckets."""
        n, tickets = len(self.position), self._tickets
        ring = int(self.distances.max(initial=0.0) / self.width) + 3  # all lengths that can wait
        ring = 1 << (ring - 1).bit_length()  # so that going round it is cheap
        lengths = (n, n_sources) if self.together else (n,)
        integers = (((size,), np.int32) for size in (n, n, tickets, tickets, ring))
        return [(lengths, np.float64), ((tickets,), np.float64), *integers]

    def solve(self, sources: Array, rows: Array, out: Array, workspace: Workspace) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        from .dijkstra_kernels import search, search_together

        graph = self.starts, self.neighbors, self.distances
        lengths, *room = workspace
        if self.together:
            part = lengths.reshape(-1)[: len(self.position) * len(sources)]
            part = part.reshape(len(self.position), len(sources))
            if search_together(graph, self.position[sources], self.width, part, *room):
                out[rows] = part[self.position].T
                return
            workspace = [np.empty(len(self.position)), *room]
        places = self.position[sources]
        search(graph, self.position, places, rows, self.width, tuple(workspace), out)


def prepare_dijkstra(graph: NeighborGraph, n_sources: int) -> DijkstraSolver:
    """Return the solver of ``graph``, renumbered if there are sources to pay for it."""
    together = near_each_other(graph, n_sources)
    order = np.arange(graph.n_points)
    if together:
        order = _in_clusters(graph)
    elif n_sources >= WORTH_RENUMBERING:
        from scipy.sparse.csgraph import reverse_cuthill_mckee

        pattern = graph.with_weights(np.ones(graph.n_edges, dtype=np.int8))
        order = np.asarray(reverse_cuthill_mckee(pattern, symmetric_mode=True), dtype=np.int64)
    position = np.empty(graph.n_points, dtype=np.int64)
    position[order] = np.arange(graph.n_points)
    starts, neighbors, distances = _renumbered(graph, order, position)
    return DijkstraSolver(
        position, starts, neighbors, distances, _bucket_width(distances), together
    )


def _renumbered(graph: NeighborGraph, order: Array, position: Array) -> tuple[Array, Array, Array]:
    """Return the arrays of a graph whose points are put in order, each found at its position."""
    counts = graph.counts[order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    neighbors, distances = np.empty(graph.n_edges, np.int32), np.empty(graph.n_edges)
    moved = replace(graph, starts=starts)
    for first, last in moved.strips():
        span = slice(starts[first], starts[last])
        shift = graph.starts[order[first:last]] - starts[first:last]
        edges = np.repeat(shift, counts[first:last]) + np.arange(span.start, span.stop)
        neighbors[span] = position[graph.neighbors[edges]]
        distances[span] = graph.distances[edges]
    return starts, neighbors, distances


def near_each_other(graph: NeighborGraph, n_sources: int) -> bool:
    """Tell whether sources are so many that TOGETHER of them are found in one place."""
    return 2 * n_sources >= graph.n_points


def _in_clusters(graph: NeighborGraph) -> Array:
    """Return the points in clusters of TOGETHER: each of one point, and those around it.

    Only neighbours that no cluster has yet; the nearest first, then theirs.
    """
    starts, neighbors = graph.starts.tolist(), graph.neighbors.tolist()
    free, order = [True] * graph.n_points, []
    for seed in range(graph.n_points):
        if not free[seed]:
            continue
        free[seed], cluster = False, [seed]
        for v in cluster:  # grows while it is read
            near = [a for a in neighbors[starts[v] : starts[v + 1]] if free[a]]
            for a in near[: TOGETHER - len(cluster)]:
                free[a] = False
                cluster.append(a)
            if len(cluster) == TOGETHER:
                break
        order += cluster
    return np.array(order, dtype=np.int64)


def _bucket_width(distances: Array) -> float:
    """Return half the length that 95 % of the edges exceed, but not so little that buckets abound.

    Nearly every vertex is then settled once; wider buckets would settle more of them again.
    """
    longest = float(distances.max(initial=0.0))
    some = distances[:: max(1, len(distances) // SOME_EDGES)]
    short = np.quantile(some[some > 0], 0.05) / 2 if (some > 0).any() else 0.0
    return float(max(short, longest / MOST_BUCKETS, np.finfo(float).tiny)) if longest else 1.0


def lengths_between(graph: NeighborGraph, first: Array, second: Array, limits: Array) -> Array:
    """Return the shortest path between each pair of ends, infinite if longer than its limit.

    A search is given up at the limit: a pair costs the points within it, not the graph.

    Parameters
    ----------
    graph : NeighborGraph
        An undirected graph, as ``graph.symmetrize`` makes it.
    first : ndarray of int
        Where each path begins.
    second : ndarray of int
        Where it ends.
    limits : ndarray of float
        The length at which the search for it is given up.

    Returns
    -------
    ndarray of shape (n_pairs,)
        The lengths.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, graph, paths
    >>> line = graph.symmetrize(distances.neighbor_graph([[0.0], [1.0], [3.0]], 1))
    >>> ends = np.array([0, 0]), np.array([1, 2])
    >>> paths.lengths_between(line, *ends, np.array([2.0, 2.0]))
    array([ 1., inf])
    """
    from .dijkstra_kernels import search_between

    n = graph.n_points
    edges = graph.starts, graph.neighbors.astype(np.int32), graph.distances.astype(np.float64)
    members, touched = (np.empty(n, dtype=np.int32) for _ in range(2))
    room = np.full(n, np.inf), np.full(n + 4, np.inf), members, np.full(n, -1, np.int32), touched
    answer = np.full(len(first), np.inf)
    search_between(edges, first, second, limits, room, answer)
    return answer
