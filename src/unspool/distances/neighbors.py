"""Points -> NeighborGraph: who neighbours whom, and never oneself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..edges import graph_from_edges
from ..runtime import stage
from ..values import Array, Metric, NeighborGraph
from .search import NeighborIndex, Search, build_index

DEFAULT_NEIGHBORS = 10


def neighbor_graph(
    X: Any,
    n_neighbors: int | Sequence[int] | Array | None = None,
    *,
    radius: float | None = None,
    metric: Metric = "euclidean",
    squared_radius: bool = False,
    search: Search = "exact",
    seed: int = 0,
) -> NeighborGraph:
    """Return the directed neighbour graph of the rows of ``X``.

    A point is never its own neighbour: it is left out by its index, so that duplicates keep each
    other.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Points, one row per point; with ``metric="precomputed"`` their distances, dense or a graph.
    n_neighbors : int, array-like of int or None, default=None
        Neighbours of each point: one number, or one number per point. None is 10, or all others if
        there are fewer, unless there is a radius.
    radius : float or None, default=None
        All neighbours within this distance instead.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.
    search : {"exact", "approximate"}, default="exact"
        "approximate" (Euclidean distances, more than 10 features) finds at least 0.99 of the
        neighbours; ``recall`` of the graph tells the share.
    seed : int, default=0
        Seed of the k-means of an approximate search.

    Returns
    -------
    NeighborGraph
        The neighbours of every point, nearest first.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.neighbor_graph([[0.0], [1.0], [3.0]], 1).neighbors
    array([1, 0, 1])
    """
    index = build_index(X, metric, search, seed)
    return find_neighbors(index, X, n_neighbors, radius, squared_radius)


def find_neighbors(
    index: NeighborIndex,
    X: Any,
    n_neighbors: int | Sequence[int] | Array | None = None,
    radius: float | None = None,
    squared_radius: bool = False,
) -> NeighborGraph:
    """Return the neighbour graph of the points that ``index`` searches, which are the rows of X.

    Parameters
    ----------
    index : NeighborIndex
        The search over the points, as ``build_index`` makes it.
    X : array-like of shape (n_samples, n_features)
        The same points.
    n_neighbors : int, array-like of int or None, default=None
        Neighbours of each point: one number, or one number per point.
    radius : float or None, default=None
        All neighbours within this distance instead.
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.

    Returns
    -------
    NeighborGraph
        The neighbours of every point, nearest first.

    Examples
    --------
    >>> from unspool import datasets, distances
    >>> points = datasets.circle(50).points
    >>> distances.find_neighbors(distances.build_index(points), points, 4).n_edges
    200
    """
    with stage("neighbours") as running:
        if radius is not None:
            graph = _without_self(index.within(X, _plain_radius(radius, squared_radius)))
        elif n_neighbors is None and _is_sparse(X):
            graph = _without_self(index.within(X, np.inf))
        else:
            graph = _nearest_of_all(index, X, n_neighbors)
        running.note(search=graph.search, edges=graph.n_edges, holds=_bytes(graph))
        if graph.recall is not None:
            running.note(recall=round(graph.recall, 4))
    return graph


def find_query_neighbors(
    index: NeighborIndex,
    X_new: Any,
    n_neighbors: int | None = None,
    radius: float | None = None,
    squared_radius: bool = False,
) -> NeighborGraph:
    """Return the fitted points that each query point sees; with a radius, at least the nearest one.

    Parameters
    ----------
    index : NeighborIndex
        The search over the fitted points, as ``build_index`` makes it.
    X_new : array-like of shape (n_queries, n_features)
        The query points.
    n_neighbors : int or None, default=None
        Neighbours of each query point.
    radius : float or None, default=None
        All neighbours within this distance instead.
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.

    Returns
    -------
    NeighborGraph
        The neighbours of every query point, nearest first.

    Examples
    --------
    >>> from unspool import datasets, distances
    >>> index = distances.build_index(datasets.circle(50).points)
    >>> distances.find_query_neighbors(index, [[1.0, 0.0]], 3).counts
    array([3])
    """
    if radius is None:
        if n_neighbors is None and _is_sparse(X_new):
            return index.within(X_new, np.inf)
        return index.nearest(X_new, min(n_neighbors or DEFAULT_NEIGHBORS, index.n_points))
    graph = index.within(X_new, _plain_radius(radius, squared_radius))
    if graph.counts.min(initial=1) > 0:
        return graph
    closest = index.nearest(X_new, 1)
    rows = np.concatenate([graph.rows, closest.rows])
    columns = np.concatenate([graph.neighbors, closest.neighbors])
    distances = np.concatenate([graph.distances, closest.distances])
    shape = (graph.n_points, graph.n_columns)
    return graph_from_edges(
        rows, columns, distances, shape=shape, search=graph.search, recall=graph.recall
    )


def _nearest_of_all(
    index: NeighborIndex, X: Any, n_neighbors: int | Sequence[int] | Array | None
) -> NeighborGraph:
    default = min(DEFAULT_NEIGHBORS, index.n_points - 1)
    wanted = np.asarray(default if n_neighbors is None else n_neighbors)
    _check_counts(wanted, index.n_points)
    most = int(wanted.max())
    # One more than wanted, since a point usually finds itself; where duplicates crowd it out of its
    # own list, the farthest one found goes instead.
    graph = _without_self(index.nearest(X, min(most + 1, index.n_points)))
    rank = np.arange(graph.n_edges) - np.repeat(graph.starts[:-1], graph.counts)
    kept = rank < np.broadcast_to(wanted, graph.n_points)[graph.rows]
    return _select(graph, kept)


def _without_self(graph: NeighborGraph) -> NeighborGraph:
    return _select(graph, graph.neighbors != graph.rows)


def _select(graph: NeighborGraph, kept: Array) -> NeighborGraph:
    counts = np.bincount(graph.rows[kept], minlength=graph.n_points)
    starts = np.concatenate([[0], np.cumsum(counts)])
    neighbors, distances = graph.neighbors[kept], graph.distances[kept]
    return NeighborGraph(starts, neighbors, distances, graph.n_columns, graph.search, graph.recall)


def _check_counts(wanted: Array, n_points: int) -> None:
    if not np.issubdtype(wanted.dtype, np.integer):
        raise ValueError(f"n_neighbors must be a whole number; got {wanted!r}")
    if wanted.ndim not in (0, 1) or (wanted.ndim == 1 and len(wanted) != n_points):
        raise ValueError(
            f"n_neighbors must be one number or one a point ({n_points}); got shape {wanted.shape}"
        )
    if wanted.min() < 1:
        raise ValueError(
            f"every point needs at least one neighbour; got n_neighbors={int(wanted.min())}"
        )
    if wanted.max() >= n_points:
        raise ValueError(
            f"n_neighbors={int(wanted.max())} needs more than that many points, and there are "
            f"n_samples={n_points}; use n_neighbors between 1 and {n_points - 1}"
        )


def _plain_radius(radius: float, squared_radius: bool) -> float:
    # S2 joins points with |x - y|^2 < eps, S1 and S4 with |x - y| <= eps
    return float(np.nextafter(np.sqrt(radius), 0.0)) if squared_radius else float(radius)


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr")


def _bytes(graph: NeighborGraph) -> int:
    return int(graph.starts.nbytes + graph.neighbors.nbytes + graph.distances.nbytes)
