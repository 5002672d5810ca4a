"""How a neighbour graph hangs together: points, undirected edges, connected components, bridges.

Rows of the data that are copies of one another are one point, with the mass of them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..edges import graph_from_edges, subgraph
from ..values import Array, Components, NeighborGraph, NeighborIndex, StoredPoints

SymmetrizeRule = Literal["union", "mutual"]
LOOKED_AT = 16  # features by which most rows are told to differ
ZERO = 1e-14  # a distance that may be zero, rounded: by angle, or in a feature space
FEW_COLUMNS = 16  # that tell almost all rows apart, where not nearly all of them are copies
STRIP = 2**16  # numbers whose keys are made at a time: the cache holds them


@dataclass(frozen=True, slots=True)
class Copies:
    """Which rows of the data are copies of one another: equal in every column.

    ``first`` are the rows unlike all before them, which are the distinct points; ``point_of`` is
    the number of the distinct point that each row shows. ``masses`` are the numbers of rows that
    show each point; None where each is shown by one.
    """

    first: Array
    point_of: Array
    masses: Array | None = None

    @classmethod
    def none(cls, n_rows: int) -> Copies:
        """Return that all rows are points of their own."""
        return cls(np.arange(n_rows), np.arange(n_rows))

    @property
    def exist(self) -> bool:
        """Whether any row is a copy of another."""
        return self.masses is not None

    def positions(self, points: Array) -> Array:
        """Return which of ``points``, in increasing order, each of the rows of them shows."""
        rows = self.point_of[np.isin(self.point_of, points)]
        return np.searchsorted(points, rows)


def find_copies(rows: Array | StoredPoints) -> Copies:
    """Return which rows of a table are equal; -0.0 equals 0.0.

    Rows are told apart by a key of a few columns, and only those that share it by one of all.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Points, or rows of a table of distances.

    Returns
    -------
    Copies
        The distinct rows, and which of them each row equals.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import graph
    >>> graph.find_copies(np.array([[1.0], [0.0], [1.0], [-0.0]])).point_of
    array([0, 1, 0, 1])
    """
    if isinstance(rows, StoredPoints):
        found: Copies = rows.find_copies()
        return found
    if sp.issparse(rows):
        return _find_sparse_copies(rows)
    n, width = rows.shape
    few = np.linspace(0, width - 1, min(width, FEW_COLUMNS)).astype(np.intp)
    keys = _row_keys(rows, np.arange(n), few)
    suspects = np.flatnonzero(_is_repeated(keys))
    if len(few) < width:
        keys = _row_keys(rows, suspects, slice(None))
        suspects = suspects[_is_repeated(keys)]
        keys = keys[_is_repeated(keys)]
    else:
        keys = keys[suspects]
    if len(suspects) == 0:
        return Copies.none(n)
    equal_to = np.arange(n)
    equal_to[suspects] = suspects[_first_equal(rows, suspects, keys)]
    first = np.flatnonzero(equal_to == np.arange(n))
    point_of = np.searchsorted(first, equal_to)
    return Copies(first, point_of, np.bincount(point_of).astype(np.float64))


def recognize(X: Any, fitted: Any, nearest: Array, gap: Array) -> tuple[Array, Array]:
    """Return the fitted points that queries are, or are nearest to, and which of them are one.

    Angles round the distance of a point to itself above zero; and where a metric or a kernel puts
    unlike points at no distance, each is still itself.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_queries, n_features)
        The query points.
    fitted : ndarray or sparse matrix of shape (n_samples, n_features)
        The fitted points, in the same layout.
    nearest : ndarray of shape (n_queries,)
        The fitted point that is nearest to each query.
    gap : ndarray of shape (n_queries,)
        How far it is.

    Returns
    -------
    tuple of ndarray
        The fitted points, and whether each query is one.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import graph
    >>> points, first = np.array([[1.0], [2.0]]), np.array([0])
    >>> graph.recognize(np.array([[2.0]]), points, first, np.zeros(1))[0]  # by angle, 0 is as near
    array([1])
    """
    if sp.issparse(fitted):
        return _recognize_sparse(X, fitted, nearest, gap)
    nearest, equal = np.array(nearest), _equal_rows(X, fitted, nearest)
    doubtful = np.flatnonzero(~equal & (gap <= ZERO))
    if not isinstance(fitted, np.ndarray):  # on disk, where Euclidean neighbours leave no doubt
        doubtful = doubtful[:0]
    for row in doubtful:
        same = np.flatnonzero((X[row] == fitted).all(axis=1))
        if len(same):
            nearest[row], equal[row] = same[0], True
    return nearest, np.asarray(equal | (gap == 0.0))


def _equal_rows(X: Array, fitted: Any, nearest: Array) -> Array:
    """Tell which rows equal their nearest ones; a few features first, which few rows agree in."""
    some = np.unique(np.linspace(0, X.shape[1] - 1, min(LOOKED_AT, X.shape[1])).astype(np.intp))
    if not isinstance(fitted, np.ndarray) or len(some) == X.shape[1]:
        return np.asarray((fitted[nearest] == X).all(axis=1))
    equal = (fitted[nearest[:, None], some] == X[:, some]).all(axis=1)
    alike = np.flatnonzero(equal)
    equal[alike] = (fitted[nearest[alike]] == X[alike]).all(axis=1)
    return np.asarray(equal)


def _recognize_sparse(
    X: sp.csr_array, fitted: sp.csr_array, nearest: Array, gap: Array
) -> tuple[Array, Array]:
    nearest, equal = np.array(nearest), np.zeros(len(nearest), dtype=bool)
    rows = np.flatnonzero(gap <= ZERO)
    if len(rows):
        first = {key: row for row, key in reversed([*enumerate(_sparse_row_keys(fitted))])}
        for row, key in zip(rows, _sparse_row_keys(X[rows]), strict=True):
            if key in first:
                nearest[row], equal[row] = first[key], True
    return nearest, np.asarray(equal | (gap == 0.0))


def _sparse_row_keys(rows: sp.csr_array) -> list[bytes]:
    """Return what is the same for equal rows, entries in order and none zero, and for no others."""
    columns, values, cuts = rows.indices.astype(np.int64), rows.data, rows.indptr[1:-1]
    pairs = zip(np.split(columns, cuts), np.split(values, cuts), strict=True)
    return [place.tobytes() + value.tobytes() for place, value in pairs]


def _find_sparse_copies(rows: sp.csr_array) -> Copies:
    seen: dict[bytes, int] = {}
    point_of = np.array([seen.setdefault(key, len(seen)) for key in _sparse_row_keys(rows)])
    if len(seen) == len(point_of):
        return Copies.none(len(point_of))
    first = np.unique(point_of, return_index=True)[1]
    return Copies(first, point_of, np.bincount(point_of).astype(np.float64))


def row_keys(rows: Array, seed: int = 0) -> Array:
    """Return a number of 64 bits for each row: the same for equal rows, for others almost never.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Points.
    seed : int, default=0
        Keys of two seeds are independent.

    Returns
    -------
    ndarray of uint64
        The keys.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import graph
    >>> keys = graph.row_keys(np.array([[1.0], [-0.0], [0.0]]))
    >>> bool(keys[1] == keys[2]), bool(keys[0] == keys[1])
    (True, False)
    """
    return _row_keys(rows, np.arange(len(rows)), slice(None), seed)


def _row_keys(rows: Array, chosen: Array, columns: Array | slice, seed: int = 0) -> Array:
    """Return a number for each chosen row, the same for equal ones."""
    width = rows.shape[1] if isinstance(columns, slice) else len(columns)
    # halves of 32 bits: whole numbers end in many zeros, which products of 64 bits would keep
    factors = np.random.default_rng(seed).integers(0, 2**63, 2 * width, dtype=np.uint64) * 2 + 1
    keys = np.empty(len(chosen), dtype=np.uint64)
    step = max(1, STRIP // max(1, width))
    for start in range(0, len(chosen), step):
        strip = rows[chosen[start : start + step]][:, columns]
        normal = np.ascontiguousarray(strip, dtype=np.float64) + 0.0  # -0.0 + 0.0 is 0.0
        keys[start : start + step] = normal.view(np.uint32).astype(np.uint64) @ factors
    return keys


def _is_repeated(keys: Array) -> Array:
    """Tell which keys occur more than once."""
    ordered = np.sort(keys)
    if (ordered[1:] != ordered[:-1]).all():  # nearly always, and told in a third of the time
        return np.zeros(len(keys), dtype=bool)
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(counts[group] > 1)


def _first_equal(rows: Array, suspects: Array, keys: Array) -> Array:
    """Return for each suspect the position of the first suspect that its row equals."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    step = max(1, STRIP // rows.shape[1])
    for start in range(0, len(suspects), step):
        part = slice(start, start + step)
        if not np.array_equal(rows[suspects[part]], rows[suspects[first[group[part]]]]):
            # two unlike rows with one key: next to impossible, and then settled by sorting
            _, first, group = np.unique(
                rows[suspects] + 0.0, axis=0, return_index=True, return_inverse=True
            )
            group = group.ravel()  # NumPy 2.0 gives a column
            break
    return np.asarray(first[group])


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
    if rule == "mutual":
        graph = _listed_by_both(graph)
    starts = np.zeros(graph.n_points + 1, dtype=np.int64)
    ends = np.empty(2 * graph.n_edges, dtype=np.int64)  # what is not filled takes no memory
    lengths = np.empty(2 * graph.n_edges, dtype=graph.distances.dtype)
    filled = 0
    for first, last in graph.strips():  # sorting takes ten times the memory of what is sorted
        part = _joined_rows(graph, first, last)
        starts[first + 1 : last + 1] = filled + part.starts[1:]
        span = slice(filled, filled + part.n_edges)
        ends[span], lengths[span] = part.neighbors, part.distances
        filled = span.stop
    for table in (ends, lengths):
        table.resize(filled, refcheck=False)
    return NeighborGraph(starts, ends, lengths, graph.n_columns, graph.search, graph.recall)


def _listed_by_both(graph: NeighborGraph) -> NeighborGraph:
    """Return the edges that stand in both rows."""
    there = graph.rows * graph.n_columns + graph.neighbors
    back = graph.neighbors.astype(np.int64) * graph.n_columns + graph.rows
    both = np.isin(there, back)
    starts = np.concatenate([[0], np.cumsum(both)])[graph.starts]
    ends, lengths = graph.neighbors[both], graph.distances[both]
    return NeighborGraph(starts, ends, lengths, graph.n_columns, graph.search, graph.recall)


def _joined_rows(graph: NeighborGraph, first: int, last: int) -> NeighborGraph:
    """Return some rows of the undirected graph: who they list, and who lists them."""
    own = graph.some_rows(first, last)
    inside = (graph.neighbors >= first) & (graph.neighbors < last)
    back = np.flatnonzero(inside)
    return graph_from_edges(
        np.concatenate([own.rows, graph.neighbors[back] - first]),
        np.concatenate([own.neighbors, np.searchsorted(graph.starts, back, side="right") - 1]),
        np.concatenate([own.distances, graph.distances[back]]),
        shape=(last - first, graph.n_columns),
        search=graph.search,
    )


def find_components(graph: NeighborGraph) -> Components:
    """Return the components of a graph: the closed classes of points, with all that lead to them.

    In an undirected graph these are the connected components. In a directed one (LLE's) a class is
    closed if its points list no others; coordinates of different closed classes are independent of
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
    if not classes.any():
        return Components(_largest_first(classes))
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
    if not labels.any():
        return np.zeros(len(labels), dtype=np.intp)
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
    graph: NeighborGraph,
    found: Components,
    index: NeighborIndex,
    X: Array | sp.csr_array | StoredPoints,
) -> NeighborGraph:
    """Join the connected components by the shortest edges that connect them all.

    A minimum spanning tree of the components by Boruvka's rounds: each component but the largest
    reaches for its nearest foreign point, until one is left. In a directed graph its core does:
    links of other points leave it closed. A sparse graph of distances holds few such links; where
    it has none, the center of a component is joined to that of the largest, by an edge as long as
    the radii of both.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbour graph.
    found : Components
        Its components, as ``find_components`` returns them.
    index : NeighborIndex
        The search over the points.
    X : ndarray of shape (n_samples, n_features), or sparse matrix
        The points, or their distances.

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
    if sp.issparse(X) and index.name == "given distances":
        return _bridge_sparse(graph, found, sp.coo_array(X))

    def nearest_foreign(found: Components) -> Links:
        links = [
            _shortest_link(found.core(c), found.members(c), index, X) for c in range(1, found.count)
        ]
        return Links(*(np.array(column) for column in zip(*links, strict=True)))

    return join_components(graph, found, nearest_foreign)


def _bridge_sparse(graph: NeighborGraph, found: Components, given: sp.coo_array) -> NeighborGraph:
    """Return the graph joined by the shortest given edges, then from center to center."""
    order = np.argsort(given.data, kind="stable")
    ends = given.row[order], given.col[order]
    lengths = given.data[order]

    def shortest_given(found: Components) -> Links:
        labels, is_core = found.labels, found.is_core
        crossing = np.flatnonzero(labels[ends[0]] != labels[ends[1]])
        best: list[int] = []
        for label in range(found.count):
            leaves = np.zeros(len(crossing), dtype=bool)
            for side in ends:  # a link of a point outside the core would leave that closed
                start = side[crossing]
                leaves |= (labels[start] == label) & (True if is_core is None else is_core[start])
            best += crossing[leaves][:1].tolist()
        chosen = np.unique(np.array(best, dtype=np.intp))
        return Links(ends[0][chosen], ends[1][chosen], lengths[chosen])

    graph = join_components(graph, found, shortest_given)
    found = find_components(graph)
    if found.count == 1:
        return graph
    middles = [_center(graph, found.core(c)) for c in range(found.count)]

    def centers(found: Components) -> Links:
        first, radius = middles[0]
        others = np.array([point for point, _ in middles[1:]])
        reach = np.array([radius + own for _, own in middles[1:]])
        return Links(np.full(len(others), first), others, reach)

    return join_components(graph, found, centers)


def _center(graph: NeighborGraph, points: Array) -> tuple[int, float]:
    """Return a point in the middle of a component, and how far the farthest is from it.

    It is the middle of a longest path, as two sweeps find it.
    """
    from scipy.sparse.csgraph import dijkstra

    among = subgraph(graph, points)
    edges = among.with_weights(np.maximum(among.distances, np.finfo(float).tiny))

    def sweep(start: int) -> Array:
        return np.asarray(dijkstra(edges, directed=False, indices=start))

    first = sweep(int(np.argmax(sweep(0))))
    second = sweep(int(np.argmax(first)))
    middle = int(np.argmin(np.maximum(first, second)))
    return int(points[middle]), float(sweep(middle).max())


def _shortest_link(
    core: Array, members: Array, index: NeighborIndex, X: Array | sp.csr_array | StoredPoints
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
