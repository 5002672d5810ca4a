"""Shortest paths by Dijkstra's algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array, NeighborGraph

SEARCHED_SOURCES = 8  # between two looks at who wants to cancel
TOGETHER = 16  # near sources that share a search: their lengths at a vertex are two cache lines
SOME_EDGES = 100_000  # that show how long edges are
MOST_BUCKETS = 4096  # so that empty ones cost nothing
WORTH_RENUMBERING = 8  # sources from which on a renumbered graph pays back (n = 100,000: 2.3x)


@dataclass(frozen=True, slots=True)
class Searched:
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

    def rounded(self, dtype: Any) -> Searched:
        """Return this engine: only its answers are rounded."""
        return self

    @property
    def _tickets(self) -> int:
        """How often vertices may become nearer; the heap needs 4 more than there are vertices."""
        once = max(len(self.neighbors), len(self.position)) + 4
        return 2 * once if self.together else once

    def space_bytes(self, n_sources: int) -> int:
        """Return the bytes of ``space``."""
        lengths = 8 * n_sources if self.together else 8
        return len(self.position) * (lengths + 2 * 4) + self._tickets * (8 + 2 * 4)

    def space(self, n_sources: int) -> Any:
        """Return the lengths found so far, and room for a heap or for buckets."""
        n, tickets = len(self.position), self._tickets
        ring = int(self.distances.max(initial=0.0) / self.width) + 3  # all lengths that can wait
        ring = 1 << (ring - 1).bit_length()  # so that going round it is cheap
        sizes = n, n, tickets, tickets, ring
        lengths = np.empty((n, n_sources) if self.together else n)
        return lengths, np.empty(tickets), *(np.empty(size, dtype=np.int32) for size in sizes)

    def solve(self, sources: Array, rows: Array, out: Array, space: Any) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        from .dijkstra_kernels import search, search_together

        graph = self.starts, self.neighbors, self.distances
        lengths, *room = space
        if self.together:
            part = lengths.reshape(-1)[: len(self.position) * len(sources)]
            part = part.reshape(len(self.position), len(sources))
            if search_together(graph, self.position[sources], self.width, part, *room):
                out[rows] = part[self.position].T
                return
            space = np.empty(len(self.position)), *room
        search(graph, self.position, self.position[sources], rows, self.width, space, out)


def searched(graph: NeighborGraph, n_sources: int) -> Searched:
    """Return the engine that searches ``graph``, renumbered if there are sources to pay for it."""
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
    counts = graph.counts[order]
    starts = np.concatenate([[0], np.cumsum(counts)])
    edges = np.repeat(graph.starts[order] - starts[:-1], counts) + np.arange(graph.n_edges)
    neighbors = position[graph.neighbors[edges]].astype(np.int32)
    distances = graph.distances[edges].astype(np.float64)
    return Searched(position, starts, neighbors, distances, _bucket_width(distances), together)


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
