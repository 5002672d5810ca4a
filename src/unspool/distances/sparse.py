"""Neighbours and distances of sparse points, which are never made dense.

Inner products of a few queries with all points are summed column by column, over the entries that
are there; columns that most points have an entry in are multiplied as a dense block instead. With
norms they bound all squared distances from below (Higham 2002, section 3.1: a sum of m products
errs by at most m 2^-53 |x||y| to first order, and ``SLACK`` times that is taken off). What the
bounds let pass is computed by the differences of the entries: the same neighbours, and distances
with the same digits, as by brute force.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..edges import graph_from_edges, graph_from_table, without_self
from ..runtime import limit_blas_threads, run_strips
from ..values import Array, NeighborGraph

SLACK = 8.0
FULL = 0.125  # of the points with an entry in a column, from which on it is multiplied as dense
STRIP, TALL = 64, 8  # queries that a thread takes, and whose products stay in cache
SPARSE_METRICS = ("euclidean", "l2", "cosine")


def check_sparse_metric(metric: Any) -> None:
    """Raise ValueError unless sparse points can be compared by this metric."""
    if metric not in SPARSE_METRICS:
        raise ValueError(
            f"sparse points are compared by {' or '.join(SPARSE_METRICS)} distances; got "
            f"metric={metric!r}: pass X.toarray(), if that fits into memory"
        )


class Rows(NamedTuple):
    """A CSR table as the kernels take it, with the squared norms of its rows."""

    starts: Array
    columns: Array
    values: Array
    squares: Array

    @classmethod
    def of(cls, table: Any) -> Rows:
        """Return the rows of a table, their entries in the order of the columns."""
        table = sp.csr_array(table, dtype=np.float64)
        if not table.has_canonical_format:
            table = table.copy()
            table.sum_duplicates()
        squares = np.asarray(table.multiply(table).sum(axis=1)).ravel()
        starts, columns = table.indptr.astype(np.int64), table.indices.astype(np.int64)
        return cls(starts, columns, table.data, squares)


class Factors(NamedTuple):
    """Points as queries are multiplied with them: full columns as a block, others by entries.

    ``place`` is the position of a column in the block, -1 for the others.
    """

    block: Array
    place: Array
    starts: Array
    points: Array
    values: Array

    @classmethod
    def of(cls, table: Any) -> Factors:
        """Return the factors of a table."""
        columns = sp.csc_array(table, dtype=np.float64)
        is_full = np.diff(columns.indptr) > FULL * table.shape[0]
        place = np.where(is_full, np.cumsum(is_full) - 1, -1)
        block = np.ascontiguousarray(columns[:, is_full].toarray())
        starts, points = columns.indptr.astype(np.int64), columns.indices.astype(np.int64)
        return cls(block, place, starts, points, columns.data)


@dataclass(frozen=True)
class SparseSearch:
    """Euclidean or cosine neighbours of sparse points."""

    points: Any
    metric: str
    name = "brute force"
    seed = None

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return int(self.points.shape[0])

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        from . import sparse_kernels as kernels

        rows = Rows.of(self._scaled(queries))
        n = len(rows.squares)
        index, dist = np.empty((n, count), np.int64), np.empty((n, count))

        def work(strip: slice) -> None:
            space = np.empty((TALL, self.n_points))
            place = strip.start, strip.stop, rows, self._rows, self._factors, space
            kernels.nearest(*place, SLACK, index, dist)

        with limit_blas_threads():
            run_strips(work, n, STRIP)
        lengths = self._lengths(dist)
        return graph_from_table(index, lengths, n_columns=self.n_points, search=self.name)

    def within(self, queries: Any, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included."""
        limit = 2.0 * radius if self.metric == "cosine" else radius * radius
        edges = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
        for strip, squares in self._tables(queries, limit * (1 + 1e-12)):
            lengths = self._lengths(squares)
            row, column = np.nonzero(lengths <= radius)
            edges.append((row + strip.start, column, lengths[row, column]))
        rows, columns, distances = (np.concatenate(part) for part in zip(*edges, strict=True))
        shape = (queries.shape[0], self.n_points)
        graph = graph_from_edges(rows, columns, distances, shape=shape, search=self.name)
        return without_self(graph, others)

    def among(self, points: Array) -> SparseSearch:
        """Return the search over ``points`` alone."""
        return SparseSearch(sp.csr_array(self.points)[points], self.metric)

    def table(self, queries: Any) -> Array:
        """Return the distances of all pairs."""
        table = np.empty((queries.shape[0], self.n_points))
        for strip, squares in self._tables(queries, np.inf):
            table[strip] = self._lengths(squares)
        return table

    def _tables(self, queries: Any, limit: float) -> Iterator[tuple[slice, Array]]:
        """Yield strips of squared distances; infinity where they are surely above the limit."""
        from . import sparse_kernels as kernels

        rows = Rows.of(self._scaled(queries))
        height = max(STRIP, 2**23 // max(1, self.n_points))
        for first in range(0, len(rows.squares), height):
            strip = slice(first, min(first + height, len(rows.squares)))
            table = np.empty((strip.stop - first, self.n_points))

            def work(part: slice, table: Array = table, first: int = first) -> None:
                place = first + part.start, first + part.stop, rows, self._rows, self._factors
                kernels.squares(*place, table[part], SLACK, limit)

            with limit_blas_threads():
                run_strips(work, len(table), TALL)
            yield strip, table

    def _lengths(self, squares: Array) -> Array:
        # of rows of length 1 half the squared distance is 1 - cos, without its cancellation
        return np.asarray(0.5 * squares if self.metric == "cosine" else np.sqrt(squares))

    def _scaled(self, table: Any) -> Any:
        """Return rows as they are compared: for cosine of length 1.

        A row of zeros has no direction. It gets an entry in a column of its own, and so is at
        distance 1 from all others, but for rows of zeros.
        """
        table = sp.csr_array(table, dtype=np.float64)
        if self.metric != "cosine":
            return table
        largest = np.asarray(abs(table).max(axis=1).todense()).ravel()
        empty = largest == 0.0
        scaled = sp.diags_array(1.0 / np.where(empty, 1.0, largest)) @ table
        norms = np.sqrt(np.asarray(scaled.multiply(scaled).sum(axis=1)).ravel())
        scaled = sp.diags_array(1.0 / np.where(empty, 1.0, norms)) @ scaled
        apart = sp.csr_array(empty[:, None].astype(np.float64))
        return sp.csr_array(sp.hstack([scaled, apart], format="csr"))

    @cached_property
    def _table(self) -> Any:
        return self._scaled(self.points)

    @cached_property
    def _rows(self) -> Rows:
        return Rows.of(self._table)

    @cached_property
    def _factors(self) -> Factors:
        return Factors.of(self._table)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
