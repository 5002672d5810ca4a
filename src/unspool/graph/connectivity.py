"""How a neighbour graph hangs together: undirected edges, connected components, bridges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..edges import graph_from_edges
from ..values import Array, Components, NeighborGraph, NeighborIndex

SymmetrizeRule = Literal["union", "mutual"]


def symmetrize(graph: NeighborGraph, rule: SymmetrizeRule = "union") -> NeighborGraph:
    """Join i and j if either ("union") or both ("mutual") list the other.

    Where the two directions disagree on a distance, the shorter counts.

    Parameters
    ----------
    graph : NeighborGraph
        A directed graph.
    rule : {"union", "mutual"}, default="union"
        Which edges stay.

    Returns
    -------
    NeighborGraph
        The undirected graph: every edge stands in both rows.

    Examples
    --------
    >>> from unspool import distances, graph
    >>> directed = distances.neighbor_graph([[0.0], [1.0], [3.0]], 1)
    >>> graph.symmetrize(directed).n_edges, graph.symmetrize(directed, "mutual").n_edges
    (4, 2)
    """
    rows, columns, distances = graph.rows, graph.neighbors, graph.distances
    if rule == "mutual":
        there = rows.astype(np.int64) * graph.n_columns + columns
        back = columns.astype(np.int64) * graph.n_columns + rows
        both = np.isin(there, back)
        rows, columns, distances = rows[both], columns[both], distances[both]
    return graph_from_edges(
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([distances, distances]),
        shape=(graph.n_points, graph.n_columns),
        search=graph.search,
        recall=graph.recall,
    )


def find_components(graph: NeighborGraph) -> Components:
    """Return the components of a graph: the closed classes of points, with all that lead to them.

    In an undirected graph these are the connected components. In a directed one (LLE's) a class is
    closed if its points list no others; coordinates of different closed classes do not know of
    each other even when a point in between lists both, so that point joins the class it reaches
    first.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbour graph.

    Returns
    -------
    Components
        The label of every point, the largest component first.

    Examples
    --------
    >>> from unspool import distances, graph
    >>> apart = distances.neighbor_graph([[0.0], [1.0], [8.0], [9.0]], 1)
    >>> graph.find_components(graph.symmetrize(apart)).labels
    array([0, 0, 1, 1])
    """
    from scipy.sparse.csgraph import connected_components

    pattern = graph.with_weights(np.ones(graph.n_edges, dtype=np.int8))
    _, classes = connected_components(pattern, directed=True, connection="strong")
    leaving = classes[graph.rows] != classes[graph.neighbors]
    if not leaving.any():
        return Components(_largest_first(classes))
    closed = np.ones(classes.max() + 1, dtype=bool)
    closed[classes[graph.rows[leaving]]] = False
    is_core = closed[classes]
    return Components(_largest_first(_first_reached(graph, classes, is_core)), is_core)


def _first_reached(graph: NeighborGraph, classes: Array, is_closed: Array) -> Array:
    """Return the closed class that each point reaches by the shortest path."""
    from scipy.sparse.csgraph import dijkstra

    if len(np.unique(classes[is_closed])) == 1:
        return np.zeros(len(classes), dtype=np.intp)
    backwards = sp.csr_array(
        (graph.distances, (graph.neighbors, graph.rows)), shape=(graph.n_points, graph.n_points)
    )
    *_, source = dijkstra(
        backwards, indices=np.flatnonzero(is_closed), min_only=True, return_predecessors=True
    )
    return np.asarray(classes[source])


def _largest_first(labels: Array) -> Array:
    _, labels, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    rank = np.empty(len(sizes), dtype=np.intp)
    rank[np.argsort(-sizes, kind="stable")] = np.arange(len(sizes))
    return np.asarray(rank[labels])


class Links(NamedTuple):
    """Undirected edges that may join components: their ends and lengths."""

    first: Array
    second: Array
    lengths: Array


def join_components(
    graph: NeighborGraph, found: Components, shortest_links: Callable[[Components], Links]
) -> NeighborGraph:
    """Join the components of a graph by shortest links until one is left: a minimum spanning tree.

    Boruvka's rounds; they end early where there are no more links.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbour graph.
    found : Components
        Its components, as ``find_components`` returns them.
    shortest_links : callable
        ``shortest_links(components)`` gives for each component, or all but one, the shortest link
        that leaves it: the ends (two arrays) and the lengths.

    Returns
    -------
    NeighborGraph
        The graph with the links added.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, graph
    >>> apart = graph.symmetrize(distances.neighbor_graph([[0.0], [1.0], [8.0], [9.0]], 1))
    >>> def links(components):
    ...     return np.array([1]), np.array([2]), np.array([7.0])
    >>> graph.join_components(apart, graph.find_components(apart), links).n_edges
    6
    """
    while found.count > 1:
        first, second, lengths = shortest_links(found)
        if len(lengths) == 0:
            break
        graph = graph_from_edges(
            np.concatenate([graph.rows, first, second]),
            np.concatenate([graph.neighbors, second, first]),
            np.concatenate([graph.distances, lengths, lengths]),
            shape=(graph.n_points, graph.n_columns),
            search=graph.search,
            recall=graph.recall,
        )
        found = find_components(graph)
    return graph


def bridge_components(
    graph: NeighborGraph, found: Components, index: NeighborIndex, X: Array
) -> NeighborGraph:
    """Join the connected components by the shortest edges that connect them all.

    A minimum spanning tree of the components by Boruvka's rounds: each component but the largest
    reaches for its nearest foreign point, until one is left. In a directed graph its core does:
    links of other points leave it closed.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbour graph.
    found : Components
        Its components, as ``find_components`` returns them.
    index : NeighborIndex
        The search over the points.
    X : ndarray of shape (n_samples, n_features)
        The points.

    Returns
    -------
    NeighborGraph
        The graph with the edges of the bridges added.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, graph
    >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> apart = graph.symmetrize(distances.neighbor_graph(X, 1))
    >>> found = graph.find_components(apart)
    >>> graph.bridge_components(apart, found, distances.build_index(X), X).n_edges
    6
    """
    if sp.issparse(X):
        raise ValueError(
            f"{found.describe()} and a sparse graph has no distances to bridge them with; "
            "pass dense distances, or components='separate'"
        )

    def nearest_foreign(found: Components) -> Links:
        links = [
            _shortest_link(found.core(c), found.members(c), index, X) for c in range(1, found.count)
        ]
        return Links(*(np.array(column) for column in zip(*links, strict=True)))

    return join_components(graph, found, nearest_foreign)


def _shortest_link(
    core: Array, members: Array, index: NeighborIndex, X: Array
) -> tuple[int, int, float]:
    """Return the shortest edge from a component's core to outside: its ends, and its length."""
    if len(members) ** 2 < index.n_points:
        # among one more neighbour than the component has points, at least one is foreign
        seen = index.nearest(X[core], len(members) + 1)
        foreign = ~np.isin(seen.neighbors, members)
        rows, columns = seen.rows[foreign], seen.neighbors[foreign]
        lengths = seen.distances[foreign]
    else:
        outside = np.setdiff1d(np.arange(index.n_points), members)
        seen = index.among(outside).nearest(X[core], 1)
        rows, columns, lengths = seen.rows, outside[seen.neighbors], seen.distances
    best = int(np.argmin(lengths))
    return int(core[rows[best]]), int(columns[best]), float(lengths[best])
