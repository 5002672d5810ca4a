"""Points -> NeighborGraph: who neighbours whom, and never oneself.

The metric and the points decide how neighbours are searched: by a KD-tree where it visits few of
its leaves, by blocks of distances elsewhere, approximately where that is asked for.

A search by leaves works by differences of coordinates, and what a box rules out is not looked at.
The points are put in order by median cuts, so that those of a leaf lie near each other, and each
leaf has its bounding box. Rounding is monotone, and a box is no farther from a query, coordinate by
coordinate, than any point in it. Summed in the same order, the distance to the box as computed is
at most that to each of its points as computed: nothing is ever missed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..edges import graph_from_edges, graph_from_table
from ..runtime import in_words, run_chunks, run_strips, stage, tell_progress, thread_count, warn
from ..values import Array, Metric, NeighborGraph, NeighborIndex, Search, StoredPoints, refuse_cells
from .blocks import BlockSearch, GivenDistances, MetricSearch, exact_seconds, pair_distances
from .exact import Nearest, Within
from .metrics import check_metric, pairwise_squared_distances
from .sketch import coherent_order, halves
from .sparse import SparseSearch, check_sparse_metric

DEFAULT_NEIGHBORS = 10
TREE_METRICS: dict[Any, float] = {
    "euclidean": 2.0,
    "l2": 2.0,
    "manhattan": 1.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "chebyshev": np.inf,
}
APPROXIMATE = ("euclidean", "l2", "cosine")  # distances that random trees know of
TREE_DIMENSIONS = 10  # up to which a KD-tree is usually the fastest; the points decide (below)
TREE_FEWEST, TREE_MOST = 3, 64  # columns: with no more a tree always is, with more it never is
LEAF = 64  # points; a box is tested at the cost of two
LEAVES_AT_ONCE = 4  # that a thread takes at a time
ALONE = 500  # queries in a KD-tree that one thread answers in a millisecond or two
QUERIES_AT_ONCE = 4_096  # in a KD-tree: a tenth of a second, in which Ctrl-C is not heard
PILOTS = 32  # queries by which is told how many points a tree visits
CACHE = 2**21  # bytes of points beyond which a visit costs twice as much
TIED = 1 + 1e-9  # of a distance: up to there rounding, not the points, decides which is nearer
FEW_POINTS = 1000  # fewer are searched exactly before an approximate search has begun
PATIENCE = 40.0  # processor seconds of an exact search beyond which search="auto" is approximate


def build_index(
    X: Any, metric: Metric = "euclidean", search: Search = "exact", seed: int = 0
) -> NeighborIndex:
    """Return the index that searches the rows of ``X`` fastest, for this metric and dimension.

    With ``search="approximate"`` a few neighbours may be missed; in few dimensions and among few
    points none are, since there the exact search is the fastest.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Points, one row per point; with ``metric="precomputed"`` their distances, dense or a graph.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    search : {"exact", "approximate", "auto"}, default="exact"
        Whether all neighbours must be found; "auto": where that does not take long.
    seed : int, default=0
        Seed of the random trees of an approximate search.

    Returns
    -------
    NeighborIndex
        What answers ``nearest`` and ``within``.

    Examples
    --------
    >>> from unspool import datasets, distances
    >>> distances.build_index(datasets.circle(50).points).n_points
    50
    """
    if search not in ("auto", "exact", "approximate"):
        raise ValueError(f"search must be 'auto', 'exact' or 'approximate'; got {search!r}")
    if not (isinstance(metric, str) and metric in TREE_METRICS):
        check_metric(metric)
    if isinstance(X, StoredPoints):
        return X.search_index(metric, search, seed)
    if choose_search(X, metric, search) == "approximate":
        return _approximate(X, metric, seed)
    if isinstance(metric, str) and metric == "precomputed":
        return GivenDistances(X)
    if sp.issparse(X):
        check_sparse_metric(metric)
        return SparseSearch(sp.csr_array(X, dtype=np.float64), str(metric))
    if metric in ("euclidean", "l2"):
        X = _reals(X)
        if not _tree_pays(X):
            return BlockSearch(X, X.mean(axis=0, dtype=np.float64))
        return TreeSearch(X.astype(np.float64, copy=False), 2.0)
    X = np.asarray(X, dtype=np.float64)
    if metric in TREE_METRICS:
        return TreeSearch(X, TREE_METRICS[metric])
    return MetricSearch(X, metric)


def _reals(points: Any) -> Array:
    """Return points in float64; those in float32 stay as they are."""
    given: Array = np.asarray(points)
    return given if given.dtype == np.float32 else given.astype(np.float64, copy=False)


def _may_choose(points: Array) -> bool:
    """Say whether the points themselves, not their number of columns alone, decide the search."""
    return bool(TREE_FEWEST < points.shape[1] <= TREE_MOST and len(points) >= FEW_POINTS)


def _tree_pays(points: Array) -> bool:
    """Say whether a KD-tree finds Euclidean neighbours faster than products of all pairs.

    A query visits the leaves whose boxes reach into the ball of its neighbours. That depends on
    the data more than on the number of columns: 2.5 % of covtype's leaves, and half of those of as
    many normal points, both with 10 columns. Measured in nanoseconds on one core: a visit to a
    point costs 5 and 1 a column, a query by products 12,000 and 0.45 a point.
    """
    n_points, n_columns = points.shape
    if not _may_choose(points):
        return bool(n_columns <= TREE_DIMENSIONS)
    every = n_points // FEW_POINTS  # a tree of few points that already visits too many loses
    is_worth = every < 2 or n_columns <= TREE_DIMENSIONS or _visits_few(points[::every], n_points)
    return is_worth and _visits_few(points, n_points)


def _visits_few(points: Array, n_points: int) -> bool:
    """Say whether visits to these points' leaves cost less than products with ``n_points``."""
    leaves, n_columns = arrange(points), points.shape[1]
    pilots = points[np.linspace(0, len(points) - 1, PILOTS).astype(int)]
    rank = min(DEFAULT_NEIGHBORS + 1, len(points) - 1)
    reach = np.partition(pairwise_squared_distances(pilots, points), rank, axis=1)[:, rank]
    gaps = np.maximum(leaves.low - pilots[:, None], pilots[:, None] - leaves.high)
    gaps = np.square(np.maximum(gaps, 0.0, out=gaps), out=gaps).sum(axis=2)
    visited = LEAF * float(np.mean(np.sum(gaps <= reach[:, None], axis=1)))
    slowed = 2.0 if points.nbytes > CACHE else 1.0
    return bool(slowed * visited * (5.0 + n_columns) < 12_000.0 + 0.45 * n_points)


def choose_search(X: Any, metric: Metric, search: Search) -> Search:
    """Return the search that ``"auto"`` stands for; where it is approximate, say so.

    Processor seconds decide, not those of this machine's cores: the same map on any number of them.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Points, of which the shape counts.
    metric : str or callable
        Name of a metric, or a function of two points.
    search : {"auto", "exact", "approximate"}
        What was asked for.

    Returns
    -------
    {"exact", "approximate"}
        What is done.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.choose_search(np.zeros((100, 3)), "euclidean", "auto")
    'exact'
    """
    if not isinstance(X, np.ndarray):
        refuse_cells(X)
    if search != "auto":
        return search
    if metric not in APPROXIMATE or sp.issparse(X):
        return "exact"
    n, d = X.shape
    if d <= TREE_DIMENSIONS or (seconds := exact_seconds(n, d)) <= PATIENCE:
        return "exact"
    warn(
        f"the neighbours of {n:,} points of {d} columns are searched approximately: all of them "
        f"would take about {in_words(seconds / thread_count())}, with search='exact'; the report "
        "tells the measured recall"
    )
    return "approximate"


def _approximate(X: Any, metric: Metric, seed: int) -> NeighborIndex:
    from .approximate import ApproximateSearch

    if metric not in APPROXIMATE or sp.issparse(X):
        raise ValueError(
            "search='approximate' needs dense points and Euclidean or cosine distances between "
            f"them; got metric={metric!r}, for which search='exact' is the only one"
        )
    X = _reals(X)
    if X.shape[1] <= TREE_DIMENSIONS or len(X) < FEW_POINTS:
        return build_index(X, metric)
    if metric == "cosine":
        return MetricSearch(X.astype(np.float64, copy=False), metric, seed)
    return ApproximateSearch(X, X.mean(axis=0, dtype=np.float64), seed)


@dataclass(frozen=True)
class TreeSearch:
    """KD-tree, for a Minkowski metric; of many columns by leaves of our own: these are faster."""

    points: Array
    power: float
    name = "kd-tree"
    seed = None

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        if self.points.shape[1] > TREE_DIMENSIONS and self.power != 2.0:
            found = nearest_by_leaves(self._leaves, queries, count, self.power)
            return graph_from_table(*found, n_columns=self.n_points, search=self.name)
        # one more than wanted tells where the last is tied; an array of ranks keeps it a table
        ranks = np.arange(1, min(count + 1, self.n_points) + 1)
        distances, columns = self._query(np.asarray(queries), ranks)
        tied = distances[:, -1] <= distances[:, count - 1] * TIED
        columns, distances = columns[:, :count], distances[:, :count]
        if self._has_rival:
            distances = pair_distances(queries, self.points, columns)
        if count < self.n_points and tied.any():
            self._break_ties(queries, np.flatnonzero(tied), columns, distances)
        return graph_from_table(columns, distances, n_columns=self.n_points, search=self.name)

    def _query(self, queries: Array, ranks: Array) -> tuple[Array, Array]:
        """Return the points of these ranks, and their distances, in strips of our own threads.

        SciPy's go on after Ctrl-C, in arrays that nobody holds any more: the process crashes.
        """
        if len(queries) <= ALONE:
            distances, columns = self.tree.query(queries, ranks, p=self.power)
            return distances, columns
        found = np.empty((len(queries), len(ranks))), np.empty((len(queries), len(ranks)), np.intp)

        def work(rows: slice) -> None:
            found[0][rows], found[1][rows] = self.tree.query(queries[rows], ranks, p=self.power)

        step = min(QUERIES_AT_ONCE, len(queries) // thread_count() + 1)
        run_strips(work, len(queries), step)
        return found

    def _break_ties(self, queries: Array, rows: Array, columns: Array, distances: Array) -> None:
        """Let the numbers of the points decide, not the tree, which of equally far ones is last.

        So a point has the same neighbours in the tree of all points and in that of a part of them.
        """
        reach = distances[rows].max(axis=1) * TIED
        found = nearest_by_leaves(
            self._leaves, np.asarray(queries)[rows], columns.shape[1], self.power, reach
        )
        columns[rows], distances[rows] = found

    def within(self, queries: Array, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included."""
        found = within_by_leaves(self._leaves, queries, radius, self.power, others=others)
        return NeighborGraph(*found, self.n_points, self.name)

    def among(self, points: Array) -> TreeSearch:
        """Return the search over ``points`` alone."""
        return TreeSearch(self.points[points], self.power)

    @property
    def _has_rival(self) -> bool:
        """Whether products might have been searched by: which of the two is to change no digit."""
        return self.power == 2.0 and _may_choose(self.points)

    @cached_property
    def _leaves(self) -> Leaves:
        return arrange(self.points)

    @cached_property
    def tree(self) -> Any:
        """The KD-tree over the points."""
        from scipy.spatial import cKDTree

        return cKDTree(self.points)


class Leaves(NamedTuple):
    """Points in the order of their leaves, one column per point, and the boxes of the leaves.

    ``ids`` tells which of the given points each is.
    """

    columns: Array
    ids: Array
    starts: Array
    low: Array
    high: Array

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.starts) - 1


def arrange(points: Array) -> Leaves:
    """Return the leaves of some points."""
    points = np.asarray(points, np.float64)
    ids = coherent_order(points, LEAF)
    cuts = [middle for _, middle, _ in halves(len(points), LEAF)]
    starts = np.array(sorted({0, *cuts, len(points)}))
    points = points[ids]
    low, high = (bound.reduceat(points, starts[:-1]) for bound in (np.minimum, np.maximum))
    return Leaves(np.ascontiguousarray(points.T), ids, starts, low, high)


def nearest_by_leaves(
    leaves: Leaves, queries: Array, k: int, power: float, reach: Array | None = None
) -> Nearest:
    """Return the ``k`` nearest points of each query, for the Minkowski metric of this power.

    The power is 1, 2 or infinity. ``reach`` are distances within which that many points are known
    to be. Of points at the same distance the first are taken.
    """
    from . import search_kernels as kernels

    asked = arrange(queries)
    points = np.ascontiguousarray(leaves.columns.T) if power == 2.0 else leaves.columns[:0]
    reach = np.full(len(queries), np.inf) if reach is None else reach
    found = Nearest(np.empty((len(queries), k), np.int64), np.empty((len(queries), k)))

    def work(strip: Array, _: None) -> None:
        among = (leaves, points, power, reach)
        kernels.nearest(strip[0], strip[-1] + 1, asked, among, *found)

    _run_leaves(work, asked, 1)
    return found


def within_by_leaves(
    leaves: Leaves, queries: Array, radius: float, power: float, *, others: bool = False
) -> Within:
    """Return all points at most ``radius`` from each query, nearest first, ties by index.

    ``others`` says that the queries are the points, and that none is to list itself.
    """
    from . import search_kernels as kernels

    asked = leaves if others else arrange(queries)
    ball, counts = (radius, power, others), np.zeros(len(queries), np.int64)
    _run_leaves(
        lambda strip, _: kernels.count(strip[0], strip[-1] + 1, asked, leaves, ball, counts), asked
    )
    starts = np.concatenate([[0], np.cumsum(counts)])
    found = Within(starts, np.empty(starts[-1], np.int64), np.empty(starts[-1]))

    def write(strip: Array, _: None) -> None:
        kernels.write(strip[0], strip[-1] + 1, asked, leaves, ball, *found)

    _run_leaves(write, asked)
    return found


def _run_leaves(
    work: Callable[[Array, None], None], asked: Leaves, step: int = LEAVES_AT_ONCE
) -> None:
    """Do the leaves of the queries, several at a time."""
    strips = [
        np.arange(first, min(first + step, asked.n_leaves))
        for first in range(0, asked.n_leaves, step)
    ]
    done = 0

    def tell(n_leaves: int) -> None:
        nonlocal done
        done += n_leaves
        tell_progress(done, asked.n_leaves)

    run_chunks(work, strips, [None] * thread_count(), tell)


def neighbor_graph(
    X: Any,
    n_neighbors: int | Sequence[int] | Array | None = None,
    *,
    radius: float | None = None,
    metric: Metric = "euclidean",
    squared_radius: bool = False,
    strict_radius: bool = False,
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
        Neighbours of each point: one number, or one per point. None is 10, or all others if
        there are fewer, unless there is a radius.
    radius : float or None, default=None
        All neighbours within this distance instead.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.
    strict_radius : bool, default=False
        Only neighbours nearer than the radius, those at just this distance left out.
    search : {"exact", "approximate", "auto"}, default="exact"
        "approximate" (Euclidean or cosine distances, more than 10 features) finds at least 0.99 of
        the neighbours; ``recall`` of the graph tells the share. "auto" is exact unless that would
        take long.
    seed : int, default=0
        Seed of the random trees of an approximate search.

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
    return find_neighbors(index, X, n_neighbors, radius, squared_radius, strict_radius)


def find_neighbors(
    index: NeighborIndex,
    X: Any,
    n_neighbors: int | Sequence[int] | Array | None = None,
    radius: float | None = None,
    squared_radius: bool = False,
    strict_radius: bool = False,
) -> NeighborGraph:
    """Return the neighbour graph of the points that ``index`` searches, which are the rows of X.

    Parameters
    ----------
    index : NeighborIndex
        The search over the points, as ``build_index`` makes it.
    X : array-like of shape (n_samples, n_features)
        The same points.
    n_neighbors : int, array-like of int or None, default=None
        Neighbours of each point: one number, or one per point.
    radius : float or None, default=None
        All neighbours within this distance instead.
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.
    strict_radius : bool, default=False
        Only neighbours nearer than the radius, those at just this distance left out.

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
            reach = _reach(radius, squared_radius, strict_radius)
            graph = index.within(X, reach, others=True)
        elif n_neighbors is None and _lists_edges(index, X):
            graph = index.within(X, np.inf, others=True)
        else:
            graph = _nearest_of_all(index, X, n_neighbors)
        running.note(search=graph.search, edges=graph.n_edges, holds=_bytes(graph))
        if graph.recall is not None:
            running.note(recall=round(graph.recall, 4))
    return graph


def find_query_neighbors(
    index: NeighborIndex,
    queries: Any,
    n_neighbors: int | None = None,
    radius: float | None = None,
    squared_radius: bool = False,
    strict_radius: bool = False,
) -> NeighborGraph:
    """Return the fitted points that each query point sees; with a radius, at least the nearest one.

    Parameters
    ----------
    index : NeighborIndex
        The search over the fitted points, as ``build_index`` makes it.
    queries : array-like of shape (n_queries, n_features)
        The query points.
    n_neighbors : int or None, default=None
        Neighbours of each query point.
    radius : float or None, default=None
        All neighbours within this distance instead.
    squared_radius : bool, default=False
        Compare the squared distance with the radius, strictly.
    strict_radius : bool, default=False
        Only neighbours nearer than the radius, those at just this distance left out.

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
        if n_neighbors is None and _lists_edges(index, queries):
            return index.within(queries, np.inf)
        return index.nearest(queries, min(n_neighbors or DEFAULT_NEIGHBORS, index.n_points))
    graph = index.within(queries, _reach(radius, squared_radius, strict_radius))
    if graph.counts.min(initial=1) > 0:
        return graph
    closest = index.nearest(queries, 1)
    rows = np.concatenate([graph.rows, closest.rows])
    columns = np.concatenate([graph.neighbors, closest.neighbors])
    distances = np.concatenate([graph.distances, closest.distances])
    shape = (graph.n_points, graph.n_columns)
    return graph_from_edges(
        rows, columns, distances, shape=shape, search=graph.search, recall=graph.recall
    )


def _lists_edges(index: NeighborIndex, rows: Any) -> bool:
    """Say whether rows are those of a sparse graph, which lists all edges there are."""
    return index.name == GivenDistances.name and bool(sp.issparse(rows))


def _nearest_of_all(
    index: NeighborIndex, X: Any, n_neighbors: int | Sequence[int] | Array | None
) -> NeighborGraph:
    default = min(DEFAULT_NEIGHBORS, index.n_points - 1)
    wanted = np.asarray(default if n_neighbors is None else n_neighbors)
    _check_counts(wanted, index.n_points)
    most = int(wanted.max())
    # One more than wanted, since a point usually finds itself; where duplicates crowd it out of its
    # own list, the farthest one found goes instead.
    graph = index.nearest(X, min(most + 1, index.n_points))
    wanted = np.broadcast_to(wanted, graph.n_points)
    starts, kept = np.zeros_like(graph.starts), np.empty(graph.n_edges, dtype=bool)
    for first, last in graph.strips():
        some = graph.some_rows(first, last)
        stays = _nearest_others(some, first, wanted[first:last])
        kept[graph.starts[first] : graph.starts[last]] = stays
        ends_of = np.concatenate([[0], np.cumsum(stays)])[some.starts[1:]]
        starts[first + 1 : last + 1] = starts[first] + ends_of
    ends, lengths = graph.neighbors[kept], graph.distances[kept]
    return NeighborGraph(starts, ends, lengths, graph.n_columns, graph.search, graph.recall)


def _nearest_others(some: NeighborGraph, first: int, wanted: Array) -> Array:
    """Return which edges of the rows from ``first`` on lead to the nearest points but oneself."""
    rows = some.rows
    own = some.neighbors == rows + first
    found = np.concatenate([[0], np.cumsum(~own)])
    rank = found[:-1] - found[some.starts[rows]]
    return np.asarray(~own & (rank < wanted[rows]))


def _check_counts(wanted: Array, n_points: int) -> None:
    if not np.issubdtype(wanted.dtype, np.integer):
        raise ValueError(f"n_neighbors must be a whole number; got {wanted!r}")
    if wanted.ndim not in (0, 1) or (wanted.ndim == 1 and len(wanted) != n_points):
        raise ValueError(
            f"n_neighbors must be one number, or one per point ({n_points}); got shape "
            f"{wanted.shape}"
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


def _reach(radius: float, squared_radius: bool, strict_radius: bool) -> float:
    """Return the largest distance that is near enough: searches include their border."""
    # Belkin and Niyogi 2001 join |x - y|^2 < eps, Izenman 2013 all within a ball (sec. 16.6.3) and
    # |x - y| < eps (sec. 16.6.5)
    if not radius >= 0.0:
        raise ValueError(f"radius must not be negative; got {radius!r}")
    distance = np.sqrt(radius) if squared_radius else radius
    return float(np.nextafter(distance, 0.0) if squared_radius or strict_radius else distance)


def _bytes(graph: NeighborGraph) -> int:
    return int(graph.starts.nbytes + graph.neighbors.nbytes + graph.distances.nbytes)
