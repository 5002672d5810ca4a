"""What estimators of dimension look at, what they answer, and at which scale that is read.

All look at the distinct points of the data with the same neighbours.

Dimension depends on the scale. Too close, noise fills the space and points on a regular grid look
like anything; too far, bends and neighbouring sheets count. What is wanted lies in between and
shows as a level stretch. So: start at the finest scale; as long as the next coarser one says
clearly less, noise or a grid is still being resolved, and one goes on. If the estimate then
fills the space, so that it may be noise throughout, a clearly lower stretch farther on wins.
Where near-copies count, scales after which the estimate jumps up are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
from ..values import Array, Metric, refuse_cells

OVERLAP = 1.5  # errors over neighbourhoods that share points, for errors over as many apart:
# 1.1 to 1.7 at every scale, measured on normal clouds in 1, 2 and 4 dimensions
LEVEL = 0.03  # a smaller relative change from one scale to the next counts as none
FILLED = 0.5  # an estimate this close to the dimension of the space fills it
JUMP = 0.5  # a relative rise from one scale to the next that no bend explains
LOWER = 0.2  # of the dimension of the space (and at least 0.5): a clearly lower stretch
FEWEST = 10  # distinct points without which no neighbourhood has a shape
MOST_CHOSEN = 10_000  # points whose neighbours are searched: the error of a mean is then 1 %
MOST_READ = 100_000  # rows looked among, where the data are not in memory
WORK = 2.5e10  # products spent on that where a matrix product has to do the search
FARTHEST = 256  # neighbours at the coarsest scale,
FARTHEST_WIDE = 80  # and of points of many columns, where each costs a distance
ALL = slice(None)


def _nothing() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Estimate:
    """The dimension by one method.

    ``standard_error`` holds both the scatter of the data and half the change to the next coarser
    scale. ``curve[i]`` is the estimate read at ``scales[i]`` (neighbours, or a radius), and
    ``read_at`` says which of them counts. ``per_point[i]`` belongs to the row
    ``sample[i]`` of the data, where the method has an answer per point; ``exact`` says that all
    distinct points were looked at.
    """

    method: str
    value: float
    standard_error: float
    read_at: str
    exact: bool
    curve: Array = field(default_factory=_nothing)
    scales: Array = field(default_factory=_nothing)
    per_point: Array = field(default_factory=_nothing)
    sample: Array = field(default_factory=_nothing)

    @property
    def interval(self) -> tuple[float, float]:
        """Two standard errors to both sides, never below 0."""
        return max(0.0, self.value - 2 * self.standard_error), self.value + 2 * self.standard_error

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """Return the estimate in one line."""
        return f"{self.method}: {self.value:.2f} +- {self.standard_error:.2f} ({self.read_at})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Dimension:
    """The intrinsic dimension of data: what each method says, and what they say together.

    ``value`` is the median of the estimates and ``spread`` their range; ``left_out`` tells why a
    method has no say. Prints as a table.
    """

    estimates: tuple[Estimate, ...]
    n_points: int
    n_distinct: int
    n_columns: int
    left_out: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """Median of the estimates."""
        return float(np.median([estimate.value for estimate in self.estimates]))

    @property
    def spread(self) -> tuple[float, float]:
        """Lowest and highest estimate."""
        values = [estimate.value for estimate in self.estimates]
        return min(values), max(values)

    @property
    def n_components(self) -> int:
        """The number of coordinates to ask a method for: the value as a whole number, at least
        1. Closed shapes (a ring, a sphere) need one more.
        """
        return max(1, round(self.value))

    def __float__(self) -> float:
        return self.value

    def __getitem__(self, method: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.method == method:
                return estimate
        known = ", ".join(estimate.method for estimate in self.estimates)
        raise KeyError(f"no estimate {method!r} here; there are: {known}")

    def __str__(self) -> str:
        """Return the consensus and a table of the estimates."""
        low, high = self.spread
        copies = self.n_points - self.n_distinct
        lines = [
            f"intrinsic dimension {self.value:.2f}, methods say {low:.2f} to {high:.2f}",
            f"{self.n_points} points"
            + (f", {copies} of them copies" if copies else "")
            + (f", {self.n_columns} columns" if self.n_columns else ", given by distances"),
            "",
            f"{'method':<14}{'estimate':>9}{'+-':>7}{'80% of points':>16}   read at",
            *(_line(estimate) for estimate in self.estimates),
            *(f"left out: {reason}" for reason in self.left_out),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


def _line(estimate: Estimate) -> str:
    points = "-"
    if len(estimate.per_point):
        low, high = np.quantile(estimate.per_point, [0.1, 0.9])
        points = f"{low:.1f} .. {high:.1f}"
    return (
        f"{estimate.method:<14}{estimate.value:>9.2f}{estimate.standard_error:>7.2f}{points:>16}"
        f"   {estimate.read_at}"
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """The scale that counts (``index``), and all that were looked at, finest first."""

    index: int
    values: Array
    errors: Array

    @property
    def value(self) -> float:
        """The estimate."""
        return float(self.values[self.index])

    @property
    def error(self) -> float:
        """Its standard error, half the step to the next coarser scale included."""
        step = 0.0
        if self.index + 1 < len(self.values):
            step = float(self.values[self.index + 1] - self.values[self.index]) / 2
        return float(np.hypot(self.errors[self.index], step))

    def estimate(
        self,
        method: str,
        read_at: str,
        scales: Any,
        *,
        per_point: Array,
        sample: Array,
        exact: bool,
    ) -> Estimate:
        """Return what a method says by this reading of its scales."""
        return Estimate(
            method=method,
            value=self.value,
            standard_error=self.error,
            read_at=read_at,
            exact=exact,
            curve=self.values,
            scales=np.array(scales[: len(self.values)]),
            per_point=per_point,
            sample=sample,
        )


def choose_scale(
    read: Callable[[int], tuple[float, float]],
    scales: Sequence[int],
    ceiling: float,
    *,
    near_copies: bool = False,
) -> Reading:
    """Return at which scale to read the dimension.

    Coarse scales are computed only if they are needed.

    Parameters
    ----------
    read : callable
        ``read(scale)`` gives an estimate and its error.
    scales : sequence of int
        The scales, finest first.
    ceiling : float
        Dimension of the space that the points lie in.
    near_copies : bool, default=False
        Pairs of almost equal points would spoil the finest scales.

    Returns
    -------
    Reading
        The scale that counts, and all that were looked at.

    Examples
    --------
    >>> from unspool.dimension.estimate import choose_scale
    >>> choose_scale(lambda scale: (2.0 + 1.0 / scale, 0.1), [10, 20, 40], 3.0).index
    0
    """
    values: list[float] = []
    errors: list[float] = []

    def known(index: int) -> bool:
        while len(values) <= index < len(scales):
            value, error = read(scales[len(values)])
            values.append(value)
            errors.append(error)
        return index < len(scales)

    def descend(index: int) -> int:
        while known(index + 1) and _falls(values, errors, index):
            index += 1
        return index

    known(0)
    index = 0
    while near_copies and known(index + 1) and _jumps(values, errors, index):
        index += 1
    index = descend(index)
    if values[index] > ceiling - FILLED:
        known(len(scales) - 1)
        enough = values[index] - max(0.5, LOWER * ceiling)
        lower = [i for i in range(index + 1, len(values)) if values[i] < enough]
        index = descend(lower[0]) if lower else index
    known(index + 1)
    return Reading(index, np.array(values), np.array(errors))


def _falls(values: list[float], errors: list[float], index: int) -> bool:
    fall = values[index] - values[index + 1]
    noise = 2.0 * float(np.hypot(errors[index], errors[index + 1]))
    return fall > max(LEVEL * values[index], noise)


def _jumps(values: list[float], errors: list[float], index: int) -> bool:
    rise = values[index + 1] - values[index]
    noise = 3.0 * float(np.hypot(errors[index], errors[index + 1]))
    return rise > max(JUMP * values[index], noise)


def doubling_scales(first: int, last: int) -> list[int]:
    """Return first, 2 first, 4 first, ... as far as ``last``; at least one.

    Parameters
    ----------
    first : int
        The smallest scale.
    last : int
        The largest scale.

    Returns
    -------
    list of int
        The scales, each twice the one before.

    Examples
    --------
    >>> from unspool.dimension.estimate import doubling_scales
    >>> doubling_scales(10, 50)
    [10, 20, 40]
    """
    scales = [max(1, min(first, last))]
    while 2 * scales[-1] <= last:
        scales.append(2 * scales[-1])
    return scales


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
    refuse_cells(X)
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
