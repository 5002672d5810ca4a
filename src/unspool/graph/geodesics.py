"""Shortest paths through a neighbour graph."""

from __future__ import annotations

import numpy as np

from ..memory import claim
from ..progress import stage
from ..values import Array, NeighborGraph

BLOCK = 256  # sources between two looks at the clock and at who wants to cancel


def geodesic(graph: NeighborGraph, sources: Array | None = None) -> Array:
    """Return the lengths of the shortest paths from ``sources`` (default: all) to every point.

    ``graph`` is undirected (see ``symmetric``); points that cannot be reached are infinitely far.
    """
    starts = np.arange(graph.n_points) if sources is None else np.asarray(sources)
    claim(
        len(starts) * graph.n_points * 8,
        f"the geodesics between {len(starts)} and {graph.n_points} points",
        "map fewer points, or use a method that keeps only neighbours (LLE, LaplacianEigenmaps)",
    )
    lengths = np.empty((len(starts), graph.n_points))
    with stage("geodesics", total=len(starts)) as running:
        for first in range(0, len(starts), BLOCK):
            block = starts[first : first + BLOCK]
            lengths[first : first + BLOCK] = _dijkstra(graph, block)
            running.advance(len(block))
        running.note(engine="dijkstra", holds=lengths.nbytes)
    return lengths


def _dijkstra(graph: NeighborGraph, sources: Array) -> Array:
    from scipy.sparse.csgraph import dijkstra

    # directed=True although the graph is symmetric: SciPy then skips a transposition for each call
    return np.asarray(dijkstra(graph.with_weights(graph.distances), indices=sources))
