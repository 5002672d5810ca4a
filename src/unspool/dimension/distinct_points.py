"""The distinct points of the data, with the neighbours that all estimators look at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from ..distances import (
    TREE_DIMENSIONS,
    NeighborIndex,
    build_index,
    check_metric,
    expand_squares,
    pairwise_distances,
    squared_norms,
)
from ..graph import find_copies
from ..runtime import stage
from ..scale.sources import is_lazy, open_source
from ..values import Array, Metric

FEWEST = 10  # distinct points without which no neighbourhood has a shape
MOST_CHOSEN = 10_000  # points whose neighbours are searched: the error of a mean is then 1 %
MOST_READ = 100_000  # rows looked among, where the data are not in memory
WORK = 2.5e10  # products spent on that where a matrix product has to do the search
FARTHEST = 256  # neighbours at the coarsest scale,
FARTHEST_WIDE = 80  # and of points of many columns, where each costs a distance
ALL = slice(None)


@dataclass(frozen=True)
class DistinctPoints:
    """Distinct points (or a table of their distances), and those that the estimates look at.

    ``original[i]`` is the row, in what was given, of the distinct point i; ``chosen`` are distinct
    points, in increasing order, around which the dimension is estimated. Lengths are divided by
    ``unit``, because dimension does not depend on it and squares of extreme numbers overflow.
    Neighbours are searched when they are first needed, once for all estimators.
    """

    given: Array
    metric: Metric
    original: Array
    chosen: Array
    n_given: int
    unit: float
    seed: int

    @property
    def n_points(self) -> int:
        """Number of distinct points."""
        return len(self.original)

    @property
    def n_columns(self) -> int:
        """Number of columns of the points, 0 if distances are all there is."""
        return 0 if self.metric == "precomputed" else int(self.given.shape[1])

    @property
    def complete(self) -> bool:
        """Whether all distinct points are chosen."""
        return len(self.chosen) == self.n_points

    @property
    def sample(self) -> Array:
        """Rows, in what was given, of the chosen points."""
        return np.asarray(self.original[self.chosen])

    @cached_property
    def index(self) -> NeighborIndex:
        """The search structure over all distinct points."""
        return build_index(self.given, self.metric)

    @cached_property
    def near(self) -> tuple[Array, Array]:
        """Neighbours of the chosen points, and the distances to them, nearest first."""
        farthest = FARTHEST_WIDE if self.n_columns > TREE_DIMENSIONS else FARTHEST
        count = min(max(20, self.n_points // 8), farthest, self.n_points - 1)
        return self.neighbors_of(self.chosen, count)

    @property
    def distances(self) -> Array:
        """Distances (chosen points, neighbours), nearest first."""
        return self.near[1]

    @cached_property
    def ceiling(self) -> float:
        """Dimension of the space that the points span, or a bound on it."""
        if self.metric == "precomputed" or self.n_columns > 64:
            return float(min(self.n_columns or self.n_points, self.n_points - 1))
        centred = self.given - self.given.mean(axis=0)
        lengths = np.linalg.svd(centred.T @ centred, compute_uv=False)
        return float((lengths > 1e-12 * lengths[0]).sum())

    def neighbors_of(self, points: Array, count: int) -> tuple[Array, Array]:
        """Return the ``count`` nearest neighbours of some points and their distances."""
        with stage("neighbours") as running:
            found = self.index.nearest(self.given[points], count + 1)
            neighbors = found.neighbors.reshape(-1, count + 1)
            distances = found.distances.reshape(-1, count + 1)
            own = neighbors == points[:, None]
            own[~own.any(axis=1), -1] = True  # crowded out of its list: the farthest goes
            running.note(search=found.search)
        shape = len(points), count
        return neighbors[~own].reshape(shape), distances[~own].reshape(shape)

    def between(self, points: Array, others: Array | slice = ALL) -> Array:
        """Return the distances from some points to others (default: to all distinct points)."""
        if self.metric == "precomputed":
            return np.asarray(self.given[points][:, others])
        if self.metric not in ("euclidean", "l2") or self.n_columns <= TREE_DIMENSIONS:
            return pairwise_distances(self.given[points], self.given[others], self.metric)
        # the points are centred and no two are equal: a matrix product is accurate enough to count
        first, second = self.given[points], self.given[others]
        squares = expand_squares(first, second, squared_norms(first), squared_norms(second))
        return np.asarray(np.sqrt(np.maximum(squares, 0.0, out=squares), out=squares))


def find_distinct_points(
    X: Any, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> DistinctPoints:
    """Return the distinct points of ``X``, checked; the estimates look at ``sample`` of them.

    By default that is all up to 10,000, fewer where the search is slow.
    """
    check_metric(metric)
    X = _some_rows(X, seed) if is_lazy(X) else X
    given = _checked(X, metric)
    original = _distinct_table(given) if metric == "precomputed" else find_copies(given).first
    n = len(original)
    if n < FEWEST:
        copies = f", the other {len(given) - n} are copies" if n < len(given) else ""
        raise ValueError(
            f"there are {n} distinct points{copies}; a dimension needs at least {FEWEST}"
        )
    if n < len(given):
        given = given[np.ix_(original, original)] if metric == "precomputed" else given[original]
    chosen = _choose(n, given.shape[1], sample, seed)
    given, unit = _in_units(given, metric)
    return DistinctPoints(given, metric, original, chosen, len(np.asarray(X)), unit, seed)


def _some_rows(X: Any, seed: int) -> Array:
    """Return the rows of points that are not in memory: all, or of very many a random sample."""
    source = open_source(X)
    if len(source) <= MOST_READ:
        return np.asarray(source[:])
    rows = np.random.default_rng(seed).choice(len(source), MOST_READ, replace=False)
    return np.asarray(source[np.sort(rows)])


def _in_units(given: Array, metric: Metric) -> tuple[Array, float]:
    """Return lengths as a share of the largest; only a metric that we know may be rescaled."""
    if metric not in ("euclidean", "l2", "precomputed"):
        return given, 1.0
    if metric != "precomputed":
        given = given - given.mean(axis=0)
    unit = float(np.abs(given).max())
    return given / unit, unit


def _choose(n: int, n_columns: int, sample: int | None, seed: int) -> Array:
    if sample is None:
        searched = WORK / (n * n_columns) if n_columns > TREE_DIMENSIONS else np.inf
        sample = int(np.clip(searched, 500, MOST_CHOSEN))
    elif isinstance(sample, bool) or not isinstance(sample, Integral) or sample < FEWEST:
        raise ValueError(f"sample must be a whole number of at least {FEWEST}; got {sample!r}")
    if sample >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, int(sample), replace=False))


def _checked(X: Any, metric: Metric) -> Array:
    values = np.asarray(X)
    if values.ndim != 2 or values.size == 0 or values.dtype.kind not in "fiub":
        raise ValueError(
            f"X must be a matrix of numbers with one row per point; got {values.dtype} of shape "
            f"{values.shape}"
        )
    values = values.astype(np.float64, copy=False)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        raise ValueError(
            f"X is {values[row, column]} at row {row}, column {column}; drop or fill it"
        )
    if metric == "precomputed" and (values.shape[0] != values.shape[1] or values.min() < 0):
        raise ValueError("precomputed distances must be a square table without negative entries")
    return values


def _distinct_table(table: Array) -> Array:
    """Return the points that have no earlier point at distance 0."""
    earlier = np.array([not (row[:i] == 0.0).any() for i, row in enumerate(table)])
    return np.flatnonzero(earlier)
