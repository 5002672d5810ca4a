"""Neighbours by blocks of distances: products of points, any metric, or distances that are given.

Each index answers ``nearest(queries, count)`` and ``within(queries, radius)`` with exact distances,
sorted by distance, then by index; ``among(points)`` narrows the search. Products of points that are
not few are searched in compiled tiles (``exact``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ..edges import graph_from_edges, graph_from_table, without_self
from ..runtime import check_cancelled, claim, limit_blas_threads, run_kernel, run_strips
from ..values import Array, Metric, NeighborGraph, NeighborIndex
from .metrics import expand_squares, pairwise_distances, squared_norms

if TYPE_CHECKING:
    from .approximate import ApproximateSearch
    from .exact import Nearest, PreparedPoints

EPS = float(np.finfo(np.float64).eps)
SPARE = 8  # candidates beyond the wanted ones: rounding in |q|^2 + |x|^2 - 2 q.x may swap near ties
FEW_POINTS, FEW_COLUMNS = 500, 3  # up to which nothing is worth compiling for
PAIR, PAIR_AXIS = 1e-9, 2.2e-11  # processor seconds a pair of points, and a pair and axis, in tiles
MOST_AXES = 100  # of a tile, about, however many columns there are
AT_ONCE = 128  # rows of a table by any metric that a thread makes
CHUNK_BYTES = 64 * 2**20  # a block of distances that stays near the cache and never fills memory


def exact_seconds(n_points: int, n_columns: int) -> float:
    """Return the processor seconds that an exact Euclidean search by products takes, about.

    Parameters
    ----------
    n_points : int
        Number of points, each of which is asked for its neighbours.
    n_columns : int
        Number of columns, more than a tree is used for.

    Returns
    -------
    float
        Seconds of one core.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.exact_seconds(10**6, 50) > 50 * distances.exact_seconds(10**5, 50)
    True
    """
    return float(n_points) ** 2 * (PAIR + PAIR_AXIS * min(n_columns, MOST_AXES))


def exact_bytes(n_points: int, n_columns: int, count: int, item: float = 8) -> float:
    """Return the bytes that the exact search by products takes beside the points.

    Parameters
    ----------
    n_points : int
        Number of points, each of which is asked for its neighbours.
    n_columns : int
        Number of columns.
    count : int
        Neighbours of each point.
    item : float, default=8
        Bytes of a number of the points: 4 in single precision.

    Returns
    -------
    float
        Bytes at the peak.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.exact_bytes(10_000, 784, 10) > 8 * 10_000 * 784
    True
    """
    width = n_columns if n_points < 2_000 else min(n_columns, MOST_AXES)
    # the points in a better order; both sides of the tiles, and in that order; what a point holds
    each = item * n_columns + 4 * 4 * (width + 3) + 8 * max(128, 2 * count) + 50 * count
    return float(n_points) * each


def pair_distances(queries: Array, points: Array, columns: Array) -> Array:
    """Return the Euclidean distances from each query to the points in its row of ``columns``.

    By the compiled sum that the exact search decides by: the same to the last digit.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        The queries.
    points : ndarray of shape (n_samples, n_features)
        The points.
    columns : ndarray of int of shape (n_queries, k)
        Rows of ``points``.

    Returns
    -------
    ndarray of shape (n_queries, k)
        The distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.pair_distances(np.zeros((1, 4)), np.ones((2, 4)), np.array([[1]]))
    array([[2.]])
    """
    from .approximate_kernels import measure_pairs

    queries, points = (np.ascontiguousarray(rows, np.float64) for rows in (queries, points))
    table = np.empty(columns.shape)
    run_kernel(measure_pairs, (queries, points, columns.astype(np.int64), table), len(table), 4_096)
    return table


@dataclass(frozen=True)
class BlockSearch:
    """Euclidean distances by matrix products; those that matter are computed by differences.

    What else is kept follows from the fields, and is found on first use.
    """

    points: Array
    center: Array
    name = "brute force"
    seed = None

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        if self._is_small:
            return self._nearest_in_blocks(queries, count)
        queries = self._as_rows(queries)
        found = self._nearest(queries, count)
        if found is None:
            return MetricSearch(self.points, "euclidean").nearest(queries, count)
        return graph_from_table(*found, n_columns=self.n_points, search=self.name)

    def within(self, queries: Array, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included."""
        if self._is_small:
            return without_self(self._within_in_blocks(queries, radius), others)
        from . import exact

        queries = self._as_rows(queries)
        prepared = self._prepared("within", queries, radius)
        if prepared is None:
            return MetricSearch(self.points, "euclidean").within(queries, radius, others=others)
        found = exact.within(prepared, queries, radius, others=others)
        return NeighborGraph(*found, self.n_points, self.name)

    def among(self, points: Array) -> BlockSearch:
        """Return the search over ``points`` alone."""
        return BlockSearch(self.points[points], self.center)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def _is_small(self) -> bool:
        # by the points alone: the same answers, whatever else is asked with a query
        return self.n_points < FEW_POINTS or self.points.shape[1] <= FEW_COLUMNS

    def _as_rows(self, queries: Any) -> Array:
        """Return queries in double precision, or as they are where all is single: no copy then."""
        queries = np.asarray(queries)
        is_single = queries.dtype == self.points.dtype == np.float32
        return np.ascontiguousarray(queries, np.float32 if is_single else np.float64)

    @cached_property
    def _single(self) -> Array:
        return np.ascontiguousarray(self.points, np.float32)

    @cached_property
    def _double(self) -> Array:
        return np.ascontiguousarray(self.points, np.float64)

    def _points_for(self, queries: Array) -> Array:
        """Return the points in the precision of the queries: what is compiled is for one."""
        return self._single if queries.dtype == np.float32 else self._double

    @cached_property
    def _last_prepared(self) -> dict[tuple[str, float, np.dtype[Any]], PreparedPoints]:
        return {}

    def _nearest(self, queries: Array, count: int) -> Nearest | None:
        from . import exact

        points = self._points_for(queries)
        if queries is points or np.array_equal(queries, points):
            n, d = points.shape
            claim(
                exact_bytes(n, d, count, points.itemsize),
                f"the search for neighbours among {n} points of {d} columns",
                "map a sample of the points and transform the rest, or project to fewer columns",
            )
            return exact.nearest_of_all(points, count)
        prepared = self._prepared("nearest", queries, count)
        return None if prepared is None else exact.nearest(prepared, queries, count)

    def _prepared(self, question: str, queries: Array, size: float) -> PreparedPoints | None:
        """Return the points ready for the queries: as for the last ones, if these were alike."""
        from . import exact

        asked = (question, size, queries.dtype)
        known = self._last_prepared.get(asked)
        if known is not None and known.reaches(queries):
            return known
        if question == "nearest":
            prepared = exact.prepare(self._points_for(queries), queries, int(size))
        else:
            prepared = exact.prepare(self._points_for(queries), queries, 1, size)
        self._last_prepared.clear()
        if prepared is not None:
            self._last_prepared[asked] = prepared
        return prepared

    def _nearest_in_blocks(self, queries: Array, count: int) -> NeighborGraph:
        width = min(count + SPARE, self.n_points)
        columns = np.empty((len(queries), count), dtype=np.intp)
        distances = np.empty((len(queries), count))
        for rows, squares, rounding in self._squared(queries):
            candidates = np.argpartition(squares, width - 1, axis=1)[:, :width]
            exact = self.distances_to(queries[rows], candidates)
            order = np.lexsort((candidates, exact), axis=1)[:, :count]
            columns[rows] = np.take_along_axis(candidates, order, axis=1)
            distances[rows] = np.take_along_axis(exact, order, axis=1)
            # two distant clusters, or one wild outlier, round so much that nearer points may hide
            beyond = np.take_along_axis(squares, candidates, axis=1).max(axis=1) - rounding
            unsure = np.flatnonzero(beyond < distances[rows, -1] ** 2 * (1 - 1e-9)) + rows.start
            if width < self.n_points and len(unsure):
                table = pairwise_distances(queries[unsure], self.points)
                columns[unsure], distances[unsure] = smallest(table, count)
        return graph_from_table(columns, distances, n_columns=self.n_points, search=self.name)

    def _within_in_blocks(self, queries: Array, radius: float) -> NeighborGraph:
        edges = []
        for rows, squares, _ in self._squared(queries):
            near_rows, near = np.nonzero(squares <= radius**2 * (1 + 1e-6) + 1e-12 * squares.max())
            differences = np.asarray(queries[rows], np.float64)[near_rows] - self.points[near]
            exact = np.linalg.norm(differences, axis=1)
            inside = exact <= radius
            edges.append((near_rows[inside] + rows.start, near[inside], exact[inside]))
        return from_edges(*joined(edges), len(queries), self)

    def _squared(self, queries: Array) -> Iterator[tuple[slice, Array, Array]]:
        """Yield squared distances block by block, and a bound of each row's rounding."""
        centered = self.points - self.center
        norms = squared_norms(centered)
        for rows in blocks(len(queries), self.n_points):
            block = queries[rows] - self.center
            own = squared_norms(block)
            squares = expand_squares(block, centered, own, norms)
            yield rows, squares, 2 * EPS * centered.shape[1] * (own + norms.max())

    def distances_to(self, queries: Array, columns: Array) -> Array:
        """Return the distances from each query to the points in its row of ``columns``."""
        exact = np.empty(columns.shape)
        step = max(1, CHUNK_BYTES // (8 * columns.shape[1] * queries.shape[1]))
        for first in range(0, len(queries), step):
            part = slice(first, first + step)
            differences = (
                np.asarray(queries[part, None, :], np.float64) - self.points[columns[part]]
            )
            exact[part] = np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))
        return exact


@dataclass(frozen=True)
class MetricSearch:
    """Any metric by name or callable: strips of rows, several at a time.

    Cosine distances are those between directions; with a ``seed`` these are searched approximately.
    """

    points: Array
    metric: Metric
    seed: int | None = None
    name = "brute force"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        directions = _unit_rows(queries) if self._directions is not None else None
        if self._directions is not None and directions is not None:
            found = self._directions.nearest(directions, count)
            # of rows of length 1 half the squared distance is 1 - cos, without its cancellation
            return replace(found, distances=0.5 * found.distances * found.distances)
        columns = np.empty((len(queries), count), dtype=np.intp)
        distances = np.empty((len(queries), count))

        def work(rows: slice) -> None:
            block = pairwise_distances(queries[rows], self.points, self.metric)
            columns[rows], distances[rows] = smallest(block, count)

        self._run(work, len(queries))
        return graph_from_table(columns, distances, n_columns=self.n_points, search=self.name)

    def within(self, queries: Array, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included."""
        edges = {}

        def work(rows: slice) -> None:
            block = pairwise_distances(queries[rows], self.points, self.metric)
            near_rows, near = np.nonzero(block <= radius)
            edges[rows.start] = (near_rows + rows.start, near, block[near_rows, near])

        self._run(work, len(queries))
        found = joined([edges[first] for first in sorted(edges)])
        return without_self(from_edges(*found, len(queries), self), others)

    def among(self, points: Array) -> MetricSearch:
        """Return the search over ``points`` alone."""
        return MetricSearch(self.points[points], self.metric)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def _directions(self) -> BlockSearch | ApproximateSearch | None:
        """The search over the rows scaled to length 1, where that answers for cosine distances."""
        if self.metric != "cosine" or self.n_points < FEW_POINTS:
            return None
        rows = _unit_rows(self.points)
        if rows is None or self.seed is None:
            return None if rows is None else BlockSearch(rows, rows.mean(axis=0))
        from .approximate import ApproximateSearch

        return ApproximateSearch(rows, rows.mean(axis=0), self.seed)

    def _run(self, work: Callable[[slice], None], n_rows: int) -> None:
        """Work on strips of rows, of one length whatever the number of threads."""
        step = max(1, min(AT_ONCE, CHUNK_BYTES // (8 * max(1, self.n_points))))
        with limit_blas_threads():
            run_strips(work, n_rows, step)


@dataclass(frozen=True)
class GivenDistances:
    """Distances that the user brings: queries are rows of distances to the old points.

    A sparse row lists the only points that are reachable at all.
    """

    given: Any
    columns: Array | None = None
    name = "given distances"
    seed = None

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return int(self.given.shape[1]) if self.columns is None else len(self.columns)

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each row of distances."""
        queries = self._narrow(queries)
        if not sp.issparse(queries):
            return graph_from_table(
                *_smallest_in_blocks(np.asarray(queries), count),
                n_columns=self.n_points,
                search=self.name,
            )
        graph = self._edges(queries, np.inf)
        rank = np.arange(graph.n_edges) - np.repeat(graph.starts[:-1], graph.counts)
        kept = rank < count
        edges = graph.rows[kept], graph.neighbors[kept], graph.distances[kept]
        return from_edges(*edges, graph.n_points, self)

    def within(self, queries: Any, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` in each row of distances."""
        return without_self(self._edges(self._narrow(queries), radius), others)

    def among(self, points: Array) -> GivenDistances:
        """Return the search over ``points`` alone (columns of the rows of distances)."""
        return GivenDistances(self.given, points)

    def _narrow(self, queries: Any) -> Any:
        if self.columns is None:
            return queries
        return (
            queries.tocsc()[:, self.columns] if sp.issparse(queries) else queries[:, self.columns]
        )

    def _edges(self, queries: Any, radius: float) -> NeighborGraph:
        limit = np.float64(radius)  # a plain number would be rounded to single precision of a table
        if sp.issparse(queries):
            edges = sp.coo_array(queries)  # keeps explicit zeros: duplicates are real edges
            rows, columns, distances = edges.row, edges.col, edges.data
            near = distances <= limit
            rows, columns, distances = rows[near], columns[near], distances[near]
        else:
            rows, columns = np.nonzero(queries <= limit)
            distances = queries[rows, columns]
        return from_edges(rows, columns, distances, queries.shape[0], self)


def _unit_rows(points: Array) -> Array | None:
    """Return the rows scaled to length 1; None if one is zero, and has no direction."""
    points = np.asarray(points, dtype=np.float64)
    largest = np.abs(points).max(axis=1, keepdims=True, initial=0.0)
    if not (largest > 0).all():
        return None
    scaled = points / largest  # first, so that squares do not leave double precision
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield strips of rows whose tables of ``n_columns`` fit into a chunk of memory."""
    step = max(1, CHUNK_BYTES // (8 * max(1, n_columns)))
    for first in range(0, n_rows, step):
        yield slice(first, min(first + step, n_rows))


def smallest(block: Array, count: int) -> tuple[Array, Array]:
    """Return the columns and values of the ``count`` smallest of each row, in order."""
    candidates = np.argpartition(block, count - 1, axis=1)[:, :count]
    distances = np.take_along_axis(block, candidates, axis=1)
    order = np.lexsort((candidates, distances), axis=1)
    return np.take_along_axis(candidates, order, axis=1), np.take_along_axis(distances, order, 1)


def _smallest_in_blocks(table: Array, count: int) -> tuple[Array, Array]:
    """Return the same of a table of any size: no second one is made to sort it."""
    columns = np.empty((len(table), count), dtype=np.intp)
    distances = np.empty((len(table), count), dtype=table.dtype)
    for rows in blocks(len(table), table.shape[1]):
        check_cancelled()
        columns[rows], distances[rows] = smallest(table[rows], count)
    return columns, distances


def joined(edges: list[tuple[Array, Array, Array]]) -> tuple[Array, Array, Array]:
    """Return lists of edges (rows, columns, distances) as one."""
    rows, columns, distances = (np.concatenate(part) for part in zip(*edges, strict=True))
    return rows, columns, distances


def from_edges(
    rows: Array, columns: Array, distances: Array, n_rows: int, found_by: NeighborIndex
) -> NeighborGraph:
    """Return the graph of a list of edges."""
    shape = (n_rows, found_by.n_points)
    return graph_from_edges(rows, columns, distances, shape=shape, search=found_by.name)
