"""Short circuits: edges of a neighbour graph that jump between parts of the manifold.

One such edge spoils a whole map: shortest paths rush through it (Izenman 2013, section 16.6.3,
calls them false connections). It gives itself away because the rest of the graph does not confirm
it. The graph is first cut down to edges that are beyond doubt, those that

- lead to one of the nearer half (at least 7) of somebody's neighbours, and
- join points with common neighbours: at least half as many as is typical in this graph,

and to the shortest further edges that are needed to keep its components connected. Every
other edge is then asked how long the way between its ends is without it. In a sound graph that is
one or two neighbourhood radii; an edge whose ends are more than ``limit`` (5) apart is suspicious.
The radius of an edge is the longest of: its own length, and how far either end lists neighbours.

Measured on Swiss rolls with known geodesics: false edges that come from too many neighbours (20
to 30 of 500 to 1,000 points) are all found; of those that come from noise, which puts points and
not only edges between the sheets, about half. Of 1,000 sound edges 2 are called suspicious with
10 neighbours or more, and 8 with 7, where a graph has few ways around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import neighbor_graph
from ..edges import graph_from_edges
from ..graph import Components, Links, find_components, join_components, symmetrize
from ..paths import lengths_between
from ..runtime import stage
from ..values import Array, Metric, NeighborGraph
from .distance_rows import check_neighbors, checked_table, points_of
from .score import Score

NEARER = 7  # neighbours that a plane needs to stay connected without long ways around
COMMON = 0.5  # of the typical share of common neighbours: fewer raise doubt
FARTHEST = 50.0  # radii at which the way around a suspicious edge counts as long enough
CHUNK = 4096  # edges between two looks at who wants to cancel


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ShortCircuits(Score):
    """Suspicious edges of a neighbour graph.

    ``edges`` (m, 2), worst first, with their ``lengths`` and ``detours``: the way around in units
    of the neighbourhood radius, at most 50. The value is the share of suspicious edges among all
    ``n_edges``; per point it is how many of them it has.
    """

    edges: Array
    lengths: Array
    detours: Array
    n_edges: int


def short_circuits(
    X: Any, n_neighbors: int = 10, *, metric: Metric = "euclidean", limit: float = 5.0
) -> ShortCircuits:
    """Return the suspicious edges of the graph that joins each point to its nearest neighbours.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    n_neighbors : int, default=10
        Number of neighbours of each point.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    limit : float, default=5.0
        How many times longer the way around an edge must be to make it suspicious.

    Returns
    -------
    ShortCircuits
        The edges, and how much shorter paths are through them.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> quality.short_circuits(datasets.swiss_roll(500).points, 5).edges.shape[1]
    2
    """
    points = checked_table(X, "X") if metric == "precomputed" else points_of(X, "X")
    check_neighbors(n_neighbors, len(points))
    return suspicious_edges(neighbor_graph(points, n_neighbors, metric=metric), limit=limit)


def suspicious_edges(neighbors: NeighborGraph, *, limit: float = 5.0) -> ShortCircuits:
    """Return the suspicious edges of a neighbour graph, as each point lists its neighbours.

    Parameters
    ----------
    neighbors : NeighborGraph
        The neighbours of every point.
    limit : float, default=5.0
        How many times longer the way around an edge must be to make it suspicious.

    Returns
    -------
    ShortCircuits
        The edges, and how much shorter paths are through them.

    Examples
    --------
    >>> from unspool import datasets, distances, quality
    >>> graph = distances.neighbor_graph(datasets.swiss_roll(500).points, 5)
    >>> quality.suspicious_edges(graph).edges.shape[1]
    2
    """
    if not np.isfinite(limit) or limit <= 1.0:
        raise ValueError(f"limit must be a number of neighbourhood radii above 1; got {limit!r}")
    first, second, lengths, in_nearer_half = _undirected_edges(neighbors)
    n = neighbors.n_points
    shares = _shares_of_common_neighbors(neighbors, first, second)
    sound = in_nearer_half & (shares >= COMMON * np.median(shares)) if len(shares) else shares > 0
    sound = _kept_whole(n, first, second, lengths, sound)
    reach = _reach(neighbors)
    radii = np.maximum(lengths, np.maximum(reach[first], reach[second]))
    graph = _graph(n, first[sound], second[sound], lengths[sound])
    doubted = np.flatnonzero(~sound & (radii > 0))
    ways = _ways_around(graph, first[doubted], second[doubted], limit * radii[doubted])
    found = doubted[ways > limit * radii[doubted]]
    ways = _ways_around(graph, first[found], second[found], FARTHEST * radii[found])
    detours = np.minimum(ways / radii[found], FARTHEST)
    worst = np.argsort(-detours, kind="stable")
    ends = np.column_stack([first[found], second[found]])[worst]
    return ShortCircuits(
        name="short-circuit edges",
        value=len(found) / max(1, len(lengths)),
        per_point=np.bincount(ends.ravel(), minlength=n).astype(np.float64),
        sample=np.arange(n),
        n_points=n,
        edges=ends,
        lengths=lengths[found][worst],
        detours=detours[worst],
        n_edges=len(lengths),
    )


def _undirected_edges(neighbors: NeighborGraph) -> tuple[Array, Array, Array, Array]:
    """Return ends i < j, lengths, and whether one end lists the other among its nearer half."""
    n, rows, columns = neighbors.n_points, neighbors.rows, neighbors.neighbors
    rank = np.arange(neighbors.n_edges) - np.repeat(neighbors.starts[:-1], neighbors.counts)
    near = rank < np.maximum(NEARER, neighbors.counts[rows] / 2)
    pair = np.minimum(rows, columns).astype(np.int64) * n + np.maximum(rows, columns)
    pairs, where = np.unique(pair, return_inverse=True)
    lengths = np.full(len(pairs), np.inf)
    np.minimum.at(lengths, where, neighbors.distances)
    in_nearer_half = np.bincount(where, weights=near, minlength=len(pairs)) > 0
    return pairs // n, pairs % n, lengths, in_nearer_half


def _shares_of_common_neighbors(neighbors: NeighborGraph, first: Array, second: Array) -> Array:
    """Return what share of the neighbours of the end with fewer are neighbours of the other."""
    both = symmetrize(neighbors)
    pattern = both.with_weights(np.ones(both.n_edges))
    common = np.empty(len(first))
    for start in range(0, len(first), CHUNK):
        part = slice(start, start + CHUNK)
        common[part] = pattern[first[part]].multiply(pattern[second[part]]).sum(axis=1)
    possible = np.minimum(both.counts[first], both.counts[second]) - 1
    return np.asarray(common / np.maximum(1, possible))


def _kept_whole(n: int, first: Array, second: Array, lengths: Array, sound: Array) -> Array:
    """Add the shortest edges that join what the sound ones alone leave apart."""
    sound = sound.copy()

    def shortest_links(found: Components) -> Links:
        labels = found.labels
        between = np.flatnonzero(labels[first] != labels[second])
        between = between[np.argsort(lengths[between], kind="stable")]
        ends = np.concatenate([labels[first[between]], labels[second[between]]])
        _, shortest = np.unique(ends, return_index=True)
        chosen = np.unique(between[shortest % max(1, len(between))])
        sound[chosen] = True
        return Links(first[chosen], second[chosen], lengths[chosen])

    graph = _graph(n, first[sound], second[sound], lengths[sound])
    join_components(graph, find_components(graph), shortest_links)
    return sound


def _reach(neighbors: NeighborGraph) -> Array:
    """Return how far away the farthest neighbour is that each point lists."""
    reach = np.zeros(neighbors.n_points)
    np.maximum.at(reach, neighbors.rows, neighbors.distances)
    return reach


def _graph(n: int, first: Array, second: Array, lengths: Array) -> NeighborGraph:
    return graph_from_edges(
        np.concatenate([first, second]),
        np.concatenate([second, first]),
        np.concatenate([lengths, lengths]),
        shape=(n, n),
        search="sound edges",
    )


def _ways_around(graph: NeighborGraph, first: Array, second: Array, limits: Array) -> Array:
    """Return the lengths of the shortest paths between ends; infinite beyond the limits."""
    ways = np.empty(len(first))
    with stage("short circuits", total=len(first)) as running:
        for start in range(0, len(first), CHUNK):
            part = slice(start, start + CHUNK)
            ways[part] = lengths_between(graph, first[part], second[part], limits[part])
            running.advance(len(ways[part]))
    return ways
