"""Raw stress, sum over pairs of w (d - delta)^2, and its descent.

(Kruskal 1964; Vidal, Ma, Sastry 2016, eq. 4.30.) A configuration is moved until its distances d are
as near to the dissimilarities delta as they can be. Loss and gradient come from one pass over the
pairs. The descent is L-BFGS from a first step of majorization (de Leeuw 1977): from classical
scaling it reaches in 12 passes what majorization alone reaches in 35. A pair that is not known has
NaN for delta; zero is a distance like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np

from ..optimize import Objective, Outcome, minimize
from ..runtime import run_kernel, run_strips
from ..values import Array

NEGLIGIBLE = 1e-22  # of sum w delta^2: a stress-1 below 1e-11 is rounding
CHUNKS = 16  # of a pass, each with a gradient of its own: the most threads that can share it
PAIRS_PER_POINT = 8  # below, clearing another gradient (n x d) costs a thread more than its pairs
ROWS = 256  # of a table looked at together, so that no second table is ever made
STRIP = 1 << 18  # values that a thread gathers at a time
LARGE = 1 << 20  # entries of a table, from which on most steps are taken in single precision
WORTH_THREADS = 1 << 15  # pairs: fewer are done before a second thread has begun


def chunks_per_call(n_pairs: int) -> int:
    """Return how many of the chunks one thread takes at a time: all where there is little to do."""
    return 1 if n_pairs >= WORTH_THREADS else CHUNKS


@dataclass(frozen=True, slots=True)
class Fit:
    """How a configuration fits: half of the stress of each point's pairs, and sum w d^2."""

    stress_per_point: Array
    squared_distances: float


@dataclass(frozen=True, slots=True)
class ShepardDiagram:
    """The known pairs in increasing order of dissimilarity: what was asked for and what came out.

    ``disparities`` are the dissimilarities themselves, or in ordinal scaling the monotone
    sequence nearest to the ``distances`` on the map.
    """

    dissimilarities: Array
    distances: Array
    disparities: Array


class KnownPairs(Protocol):
    """What is known of the dissimilarities that a map was fitted to."""

    def pairs(self) -> Pairs:
        """Return the known pairs, each once."""

    def as_table(self) -> Array:
        """Return the dissimilarities as a table, NaN for pairs not known."""


class Disparities(Protocol):
    """What the distances on a fitted map were fitted to.

    ``known`` computes the dissimilarities again, which are not kept: only the points are.
    """

    def table(self, known: Callable[[], KnownPairs]) -> Array:
        """Return the disparities as a table, NaN for pairs not known."""

    def shepard(self, known: Callable[[], KnownPairs], configuration: Array) -> ShepardDiagram:
        """Return the known pairs with their distances and disparities."""

    def of_rows(self, rows: Array) -> Array:
        """Return the disparities of query points; NaN stays NaN."""


class Stress(Protocol):
    """The stress of configurations (n, d): what a descent minimizes."""

    @property
    def total(self) -> float:
        """Sum of w delta^2: the stress of a map that is one point."""

    @property
    def curvature(self) -> Array:
        """Half the curvature that the first step assumes at each point."""

    def loss_and_gradient(self, configuration: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""

    def rough(self, n_coordinates: int) -> Objective | None:
        """Return loss and gradient in single precision, where a descent should begin with them."""

    def rescale(self, configuration: Array) -> Array:
        """Return the configuration at the scale that fits best."""

    def normalize(self, configuration: Array) -> Array:
        """Return a minimum at the scale of the data, if stress itself does not fix the scale."""

    def fit(self, configuration: Array) -> Fit:
        """Return how well a configuration fits, point by point."""

    def disparities(self, configuration: Array, scale: float) -> Disparities:
        """Return what the distances of a configuration are fitted to, multiplied by ``scale``."""


@dataclass(frozen=True, slots=True)
class MetricDisparities:
    """Metric scaling fits distances to the dissimilarities themselves."""

    def table(self, known: Callable[[], KnownPairs]) -> Array:
        """Return the dissimilarities as a table, NaN for pairs not known."""
        return known().as_table()

    def shepard(self, known: Callable[[], KnownPairs], configuration: Array) -> ShepardDiagram:
        """Return the known pairs with their distances on the map."""
        pairs = known().pairs()
        pairs = pairs.take(np.argsort(pairs.dissimilarities, kind="stable"))
        delta = pairs.dissimilarities
        return ShepardDiagram(delta, pairs.distances(configuration), delta)

    def of_rows(self, rows: Array) -> Array:
        """Return the dissimilarities of query points."""
        return rows


class _MetricStress:
    """What stress against the dissimilarities themselves has in common."""

    __slots__ = ()

    def normalize(self, configuration: Array) -> Array:
        """Return the configuration: its stress fixes its scale."""
        return configuration

    def rough(self, n_coordinates: int) -> Objective | None:
        """Return None: all steps are taken in one precision."""
        return None

    def disparities(self, configuration: Array, scale: float) -> MetricDisparities:
        """Return the dissimilarities, whatever the configuration."""
        return MetricDisparities()


@dataclass(frozen=True, slots=True)
class TableStress(_MetricStress):
    """The stress of a full symmetric table (float32 or float64), NaN where nothing is known.

    Its diagonal is zero. ``weights`` is a table too, or empty where all weigh the same.
    """

    table: Array
    weights: Array
    total: float
    curvature: Array

    @classmethod
    def of(cls, table: Array, weights: Array | None = None) -> TableStress:
        """Return the stress of this table; without weights all pairs weigh the same."""
        weighting = np.empty((0, 0), table.dtype) if weights is None else weights
        empty = cls(table, weighting, 0.0, np.empty(0))
        total = empty.loss_and_gradient(np.zeros((len(table), 1)))[0]
        return cls(table, weighting, total, _weight_sums(table, weighting))

    def loss_and_gradient(self, configuration: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        if configuration.shape[1] == 2 and not self.weights.size:
            n = len(self.table)
            return _pass_in_plane(self.table.ravel(), np.arange(n) * (n + 1) + 1, configuration)
        losses, half_gradient = self._pass(configuration)
        return 0.5 * float(losses.sum()), 2.0 * half_gradient.T

    def rough(self, n_coordinates: int) -> Objective | None:
        """Return the same in single precision, of a large table in the plane.

        A pass takes a third of the time, and its copy of the pairs a quarter of the memory.
        """
        n, is_plain = len(self.table), self.table.dtype == np.float64 and not self.weights.size
        if n_coordinates != 2 or not is_plain or self.table.size < LARGE:
            return None
        points = np.arange(n)
        starts = points * (2 * n - points - 1) // 2
        pairs = np.empty(n * (n - 1) // 2, np.float32)
        for i, start in enumerate(starts):
            pairs[start : start + n - 1 - i] = self.table[i, i + 1 :]
        return partial(_pass_in_plane, pairs, starts)

    def rescale(self, configuration: Array) -> Array:
        """Return the configuration at the scale that fits best: sum w d delta / sum w d^2."""
        # about sum w d^2
        rough = float(np.einsum("i,ik,ik->", self.curvature, configuration, configuration))
        if rough == 0.0 or self.total == 0.0:
            return configuration
        near = configuration * np.sqrt(self.total / rough)  # where the sums have no digits to lose
        squares, products = self._sums(near, *self._pass(near))
        return np.asarray(near * (products / squares if squares > 0.0 else 1.0))

    def fit(self, configuration: Array) -> Fit:
        """Return how well a configuration fits, point by point."""
        losses, half_gradient = self._pass(configuration)
        return Fit(0.5 * losses, self._sums(configuration, losses, half_gradient)[0])

    def _sums(
        self, configuration: Array, losses: Array, half_gradient: Array
    ) -> tuple[float, float]:
        """Return sum w d^2 and sum w d delta: their difference is <x, gradient / 2>."""
        excess = float(np.einsum("ik,ki->", configuration, half_gradient))
        products = max(0.0, self.total - 0.5 * float(losses.sum()) + excess)
        return max(0.0, products + excess), products

    def _pass(self, configuration: Array) -> tuple[Array, Array]:
        from .stress_kernels import table_gradient

        columns = np.ascontiguousarray(configuration.T, dtype=self.table.dtype)
        gradients = np.empty((CHUNKS, *columns.shape), self.table.dtype)
        losses = np.empty((CHUNKS, len(configuration)), self.table.dtype)
        arrays = self.table, self.weights, columns, gradients, losses
        run_kernel(table_gradient, arrays, CHUNKS, chunks_per_call(self.table.size))
        return losses.sum(axis=0, dtype=np.float64), gradients.sum(axis=0, dtype=np.float64)


def _pass_in_plane(pairs: Array, starts: Array, configuration: Array) -> tuple[float, Array]:
    """Return the stress of a configuration of two coordinates, and its gradient."""
    from .stress_kernels import plane_gradient

    columns = np.ascontiguousarray(configuration.T, dtype=pairs.dtype)
    gradients, losses = np.empty((CHUNKS, *columns.shape), pairs.dtype), np.empty(CHUNKS)
    arrays = pairs, starts, columns, gradients, losses
    run_kernel(plane_gradient, arrays, CHUNKS, chunks_per_call(len(starts) ** 2))
    return float(losses.sum()), 2.0 * gradients.sum(axis=0, dtype=np.float64).T


def _weight_sums(table: Array, weights: Array) -> Array:
    """Return the weights of each point's known pairs, summed, times n / (n - 1).

    With equal weights and nothing missing that is n, and the first step is SMACOF's.
    """
    n = len(table)
    sums = np.empty(n)
    for first in range(0, n, ROWS):
        rows = slice(first, min(first + ROWS, n))
        unknown = np.isnan(table[rows])
        if weights.size:
            own = np.arange(rows.stop - first), np.arange(first, rows.stop)
            known_weights = np.where(unknown, 0.0, weights[rows])
            sums[rows] = known_weights.sum(axis=1, dtype=np.float64) - known_weights[own]
        else:
            sums[rows] = n - 1 - np.count_nonzero(unknown, axis=1)
    return sums * (n / (n - 1))


@dataclass(frozen=True, slots=True)
class Pairs:
    """Known pairs, each once: points ``first[p]`` and ``second[p]``, their dissimilarity, a weight.

    ``weights`` is empty where all weigh the same. Points are numbered by uint32: an index that
    cannot be negative is looked up a third faster.
    """

    first: Array
    second: Array
    dissimilarities: Array
    weights: Array
    n_points: int

    @classmethod
    def of_table(cls, table: Array, weights: Array) -> Pairs:
        """Return the known pairs of a symmetric table, row by row; ``weights`` may be empty."""
        known = ~np.isnan(table)
        known &= np.arange(len(table))[:, None] < np.arange(len(table))
        first, second = (ends.astype(np.uint32) for ends in np.nonzero(known))
        chosen = weights[known] if weights.size else np.empty(0, table.dtype)
        return cls(first, second, table[known], chosen, len(table))

    def take(self, order: Array) -> Pairs:
        """Return the pairs in another order."""
        weights = _gather(self.weights, order) if len(self.weights) else self.weights
        ends = _gather(self.first, order), _gather(self.second, order)
        return Pairs(*ends, _gather(self.dissimilarities, order), weights, self.n_points)

    def distances(self, configuration: Array, out: Array | None = None) -> Array:
        """Return the distances of the pairs on a map."""
        from .stress_kernels import pair_distances

        answer = np.empty(len(self.first), self.dissimilarities.dtype) if out is None else out
        arrays = self.first, self.second, self._points(configuration), answer
        run_kernel(pair_distances, arrays, len(answer), STRIP)
        return answer

    def gradient(
        self, configuration: Array, distances: Array, targets: Array, shrink: float = 0.0
    ) -> Array:
        """Return the gradient of sum w ((1 - shrink) d^2 - 2 d target); d are the distances."""
        from .stress_kernels import pair_gradient

        # a number that the machine has no say in, so that every machine adds in the same order
        chunks = min(CHUNKS, max(1, len(self.first) // (PAIRS_PER_POINT * self.n_points)))
        gradients = np.empty((chunks, *configuration.shape))
        ends, points = (self.first, self.second), self._points(configuration)
        arrays = ends, distances, targets, self.weights, points, shrink, gradients
        run_kernel(pair_gradient, arrays, chunks, chunks_per_call(len(self.first)))
        return np.asarray(2.0 * gradients.sum(axis=0))

    def misfit(self, distances: Array, targets: Array) -> tuple[float, float]:
        """Return sum w d^2 and sum w (d - target)^2."""
        from .stress_kernels import misfit

        sums = np.empty((CHUNKS, 2))
        arrays = distances, targets, self.weights, sums
        run_kernel(misfit, arrays, CHUNKS, chunks_per_call(len(distances)))
        size, miss = sums.sum(axis=0)  # not in the kernel, where threads would share it out
        return float(size), float(miss)

    def weighted_sum(self, a: Array, b: Array) -> float:
        """Return sum w a b."""
        if len(self.weights):
            a = a * self.weights
        if a.dtype == np.float64:
            return float(np.einsum("i,i->", a, b))
        return float((a * b).sum(dtype=np.float64))

    def sum_per_point(self, values: Array) -> Array:
        """Return for each point the sum of w times the values of its pairs."""
        weighted = values * self.weights if len(self.weights) else values
        firsts = np.bincount(self.first, weighted, self.n_points)
        return np.asarray(firsts + np.bincount(self.second, weighted, self.n_points))

    def fit(self, distances: Array, targets: Array) -> Fit:
        """Return how well distances fit their targets, point by point."""
        costs = np.square(distances - targets, dtype=np.float64)
        return Fit(0.5 * self.sum_per_point(costs), self.weighted_sum(distances, distances))

    def curvature(self) -> Array:
        """Return the weights of each point's pairs, summed, times n / (n - 1)."""
        return self.sum_per_point(np.ones(len(self.first))) * (self.n_points / (self.n_points - 1))

    def table(self, values: Array) -> Array:
        """Return the symmetric table of one value per pair: NaN elsewhere, 0 on the diagonal."""
        answer = np.full((self.n_points, self.n_points), np.nan)
        answer[self.first, self.second] = answer[self.second, self.first] = values
        np.fill_diagonal(answer, 0.0)
        return answer

    def _points(self, configuration: Array) -> Array:
        return np.ascontiguousarray(configuration, dtype=self.dissimilarities.dtype)


def _gather(values: Array, order: Array) -> Array:
    """Return values[order], by several threads."""
    answer = np.empty(len(order), values.dtype)

    def take(strip: slice) -> None:
        values.take(order[strip], out=answer[strip], mode="clip")  # other modes hold the lock

    run_strips(take, len(order), STRIP)
    return answer


@dataclass(frozen=True, slots=True)
class PairStress(_MetricStress):
    """The stress of a list of known pairs: for tables that are mostly unknown."""

    pairs: Pairs
    total: float
    curvature: Array

    @classmethod
    def of(cls, pairs: Pairs) -> PairStress:
        """Return the stress of these pairs."""
        total = pairs.weighted_sum(pairs.dissimilarities, pairs.dissimilarities)
        return cls(pairs, total, pairs.curvature())

    def loss_and_gradient(self, configuration: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        distances, targets = self.pairs.distances(configuration), self.pairs.dissimilarities
        gradient = self.pairs.gradient(configuration, distances, targets)
        return self.pairs.misfit(distances, targets)[1], gradient

    def rescale(self, configuration: Array) -> Array:
        """Return the configuration at the scale that fits best: sum w d delta / sum w d^2."""
        distances = self.pairs.distances(configuration)
        squares = self.pairs.weighted_sum(distances, distances)
        products = self.pairs.weighted_sum(distances, self.pairs.dissimilarities)
        return configuration * (products / squares if squares > 0.0 else 1.0)

    def fit(self, configuration: Array) -> Fit:
        """Return how well a configuration fits, point by point."""
        return self.pairs.fit(self.pairs.distances(configuration), self.pairs.dissimilarities)


def minimize_stress(
    stress: Stress, initial: Array, *, tolerance: float, max_steps: int
) -> Outcome[Array]:
    """Return where a descent from ``initial`` leads, and the stress of every step on the way.

    Converged when a step changes the stress by at most ``tolerance`` of it, or when it is nothing
    but rounding. No step raises it.
    """
    found = minimize(
        stress.loss_and_gradient,
        stress.rescale(initial),
        np.sqrt(2.0 * stress.curvature)[:, None],  # the first step then is one of majorization
        tolerance=tolerance,
        negligible=NEGLIGIBLE * stress.total,
        name="stress",
        max_steps=max_steps,
        rough=stress.rough(initial.shape[1]),
    )
    return replace(found, state=stress.normalize(found.state))


def smacof_step(
    configuration: Array, dissimilarities: Array, weights: Array | None = None
) -> Array:
    """Return the Guttman transform V^+ B(x) x of a configuration: one step of SMACOF.

    V has -w off its diagonal and B(x) -w delta / d, and their rows sum to zero. It is the lowest
    point of the parabola that touches stress at x from above (de Leeuw 1977), x - V^+ gradient / 2.
    V is solved with, which costs n^3 if weights differ: the descent uses V's diagonal instead.
    """
    table = np.asarray(dissimilarities, dtype=np.float64)
    n = len(table)
    known_weights = np.ones((n, n)) if weights is None else np.array(weights, dtype=np.float64)
    known_weights[np.isnan(table)] = 0.0
    np.fill_diagonal(known_weights, 0.0)
    _, gradient = TableStress.of(table, known_weights).loss_and_gradient(configuration)
    laplacian = np.diag(known_weights.sum(axis=1)) - known_weights
    # the constant makes V regular, and does nothing to a gradient, whose columns sum to zero
    moved = configuration - np.linalg.solve(laplacian + 1.0 / n, 0.5 * gradient)
    return np.asarray(moved - moved.mean(axis=0))
