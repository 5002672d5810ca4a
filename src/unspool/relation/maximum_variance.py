"""Maximum variance: the kernel matrix of largest trace that keeps the distances between neighbours.

The program is (Weinberger and Saul 2004)

    maximise tr(K)  where  lower <= K_ii - 2 K_ij + K_jj <= upper,  K psd and centred.

Its dual asks for the least Σ upper w over weights of the pairs whose graph Laplacian L(w) exceeds
the identity on everything but the constant (Sun, Boyd, Xiao, Diaconis 2006). Both are followed
together by a primal-dual interior-point method (the direction of Helmberg, Rendl, Vanderbei and
Wolkowicz 1996, predictor and corrector of Mehrotra): a pair (i, j) enters by the one vector
e_i - e_j, so that the system for the weights is the elementwise product of two tables. The gap
between the two values bounds what any other kernel matrix could gain.

All pairs are in the program from the first step. To begin with the nearest of them and to add those
that the answer breaks takes three to five times as long: in the end most pairs are in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..optimize import Outcome, iterate
from ..problem import gram
from ..runtime import claim, limit_blas_threads
from ..spectrum import solve
from ..values import Array

INSIDE = 0.97  # of the step to the border of the cone
SHORTER = 0.9  # of a step that led out of it
ROUNDS = 10  # after which distances begin near those that are wanted
TRIALS = 60  # steps tried: 0.9^60 is nothing
STRIP = 128  # rows of a table of pairs by pairs that are made at a time
SHORTEST = 1e-8  # of the mean squared distance: no bound is tighter, so that there is an inside

FLAT = 1e-10  # of the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True, slots=True)
class DistanceBounds:
    """Pairs of points, each once, and the bounds of their squared distances on the map."""

    first: Array
    second: Array
    lower: Array
    upper: Array
    n_points: int

    @property
    def count(self) -> int:
        """Number of pairs."""
        return len(self.first)

    def squared(self, table: Array) -> Array:
        """Return the squared distance of each pair by a kernel matrix."""
        own = np.diag(table)
        return np.asarray(own[self.first] + own[self.second] - 2.0 * table[self.first, self.second])

    def squared_between(self, places: Array) -> Array:
        """Return the squared distance of each pair by coordinates."""
        return np.asarray(np.square(places[self.first] - places[self.second]).sum(axis=1))

    def excess(self, squared: Array) -> Array:
        """Return by which share of its upper bound each squared distance breaks its bounds."""
        return np.asarray(np.maximum(squared - self.upper, self.lower - squared) / self.upper)

    def laplacian(self, weights: Array) -> Array:
        """Return the Laplacian of the graph whose edges are the pairs, with these weights."""
        table = np.zeros((self.n_points, self.n_points))
        table[self.first, self.second] = table[self.second, self.first] = -weights
        np.fill_diagonal(table, -table.sum(axis=1))
        return table

    def pairs_by_pairs(self, table: Array, others: Array) -> Array:
        """Return (B'KB) * (B'LB) for two tables, where the columns of B are e_i - e_j.

        Its lower triangle, and of the rest what a strip has besides. Columns are subtracted once:
        whole rows are then read, nearly twice as fast as entries here and there.
        """
        sides = [values[:, self.first] - values[:, self.second] for values in (table, others)]
        product = np.zeros((self.count, self.count))
        for start in range(0, self.count, STRIP):
            stop = min(start + STRIP, self.count)
            near, far = self.first[start:stop], self.second[start:stop]
            one, other = (side[near, :stop] - side[far, :stop] for side in sides)
            np.multiply(one, other, out=product[start:stop, :stop])
        return product


@dataclass(frozen=True, slots=True)
class Unfolding:
    """Coordinates whose products are the kernel matrix, and how far they are from the optimum.

    ``gap`` is the share of the variance that any other kernel matrix could have more, where that
    is known; ``broken`` the largest share of a squared distance by which a bound is overstepped.
    """

    coordinates: Array
    gap: float | None
    broken: float
    converged: bool
    n_pairs: int
    steps: int


@dataclass(frozen=True, slots=True)
class _Iterate:
    """A kernel matrix and how far each pair is from its bounds; what each bound weighs."""

    kernel: Array
    below: Array
    above: Array
    pull: Array
    push: Array

    @property
    def weights(self) -> Array:
        return np.asarray(self.pull - self.push)


@dataclass(frozen=True, slots=True)
class _Direction:
    kernel: Array
    below: Array
    weights: Array
    pull: Array
    push: Array
    slack: Array


def maximize_variance(
    bounds: DistanceBounds, masses: Array, tolerance: float, max_steps: int
) -> Unfolding:
    """Return the coordinates of largest variance among those that keep the bounds.

    Parameters
    ----------
    bounds : DistanceBounds
        Bounds of squared distances; the pairs must connect all points.
    masses : ndarray of shape (n_points,)
        How often each point counts.
    tolerance : float
        The relative gap to the dual program, and share of a bound that may be overstepped.
    max_steps : int
        Steps of each interior-point solution.

    Returns
    -------
    Unfolding
        The coordinates, by decreasing variance, and what is known of the optimum.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import DistanceBounds, maximize_variance
    >>> pairs = np.array([0, 1]), np.array([1, 2])
    >>> chain = DistanceBounds(*pairs, lower=np.zeros(2), upper=np.ones(2), n_points=3)
    >>> found = maximize_variance(chain, np.ones(3), 1e-6, 100)
    >>> np.abs(found.coordinates[:, 0]).round(3)
    array([1., 0., 1.])
    """
    unit = float(bounds.upper.mean())
    upper = np.maximum(bounds.upper / unit, SHORTEST)
    lower = np.minimum(bounds.lower / unit, (1.0 - SHORTEST) * upper)
    scaled = DistanceBounds(bounds.first, bounds.second, lower, upper, bounds.n_points)
    program = _Program(scaled, masses / masses.mean())
    outcome = program.solve(tolerance, max_steps)
    found, converged = outcome.state, outcome.loss <= tolerance
    places = _factor(found.kernel, masses) * np.sqrt(unit)
    broken = max(0.0, float(scaled.excess(scaled.squared(found.kernel)).max()))
    gap = max(0.0, program.gap(found))
    return Unfolding(places, gap, broken, converged, bounds.count, outcome.steps)


@dataclass(frozen=True, slots=True)
class _Program:
    """The program of some pairs: squared distances are near 1, masses near 1."""

    bounds: DistanceBounds
    masses: Array

    @property
    def _constant(self) -> Array:
        n = self.bounds.n_points
        return np.full((n, n), 1.0 / n)

    @property
    def _variance(self) -> Array:
        """The C of tr(C K): the variance about the mean of all masses."""
        shares = self.masses / self.masses.sum()
        return np.asarray(np.diag(self.masses) - np.outer(self.masses, shares))

    def solve(self, tolerance: float, max_steps: int) -> Outcome[_Iterate]:
        """Return the solution."""
        n, m = self.bounds.n_points, self.bounds.count
        claim(
            8.0 * (2.5 * m**2 + 12.0 * n**2),
            f"the semidefinite program of {n} points and {m} distances",
            "pass program='reduced', fewer neighbours, or a sample",
        )

        def converged(losses: Sequence[float]) -> bool:
            return losses[-1] <= tolerance or losses[-1] == losses[-2]

        def step(state: _Iterate) -> tuple[_Iterate, float]:
            after = self._step(state)
            return after, self._loss(after)

        with limit_blas_threads():
            initial = self._initial()
            return iterate(
                initial,
                self._loss(initial),
                step,
                converged,
                name="semidefinite program",
                max_steps=max_steps,
            )

    def _initial(self) -> _Iterate:
        """Return weights that hold the points together twice over, and a kernel well inside.

        The kernel is the inverse of a Laplacian whose weights change places with the distances that
        they bring about, over those wanted: so the determinant grows to the largest (Titterington
        1976). Without, one pair much nearer than all others would keep them all as near.
        """
        bounds, scale = self.bounds, 1.0
        weights = 1.0 / bounds.upper
        for _ in range(ROUNDS):
            kernel = _inverse(bounds.laplacian(weights) + self._constant) - self._constant
            shares = bounds.squared(kernel) / bounds.upper
            weights = weights * shares
        kernel *= 0.9 / float(shares.max())
        while not _is_inside(self._slack(scale * weights)):
            scale *= 2.0
        weights = 2.0 * scale * weights
        width = bounds.upper - bounds.lower
        below = np.clip(bounds.upper - bounds.squared(kernel), 0.1 * width, 0.9 * width)
        above = width - below
        level = float(np.sum(kernel * self._slack(weights))) / bounds.n_points
        push = level / above
        return _Iterate(kernel, below, above, weights + push, push)

    def _slack(self, weights: Array) -> Array:
        """Return L(w) - C, made regular on the constant vector."""
        return self.bounds.laplacian(weights) - self._variance + self._constant

    def _values(self, state: _Iterate) -> tuple[float, float]:
        """Return the variance, and the bound that the weights give of it."""
        bounds = self.bounds
        primal = float(np.sum(self._variance * state.kernel))
        return primal, float(bounds.upper @ state.pull - bounds.lower @ state.push)

    def gap(self, state: _Iterate) -> float:
        """Return the share by which the bound exceeds the variance."""
        primal, dual = self._values(state)
        return (dual - primal) / max(abs(primal), 1e-300)

    def _loss(self, state: _Iterate) -> float:
        """Return the gap, or the share of a bound that the distances do not yet keep."""
        bounds = self.bounds
        left = bounds.squared(state.kernel) + state.below - bounds.upper
        return max(abs(self.gap(state)), float(np.abs(left / bounds.upper).max()))

    def _step(self, state: _Iterate) -> _Iterate:
        """Return the next iterate, or the same one where rounding leaves no step."""
        slack = self._slack(state.weights)
        shares = 1.0 / (state.pull / state.below + state.push / state.above)
        try:
            inverse = _inverse(slack)
            system = self.bounds.pairs_by_pairs(state.kernel, inverse)
            system.flat[:: len(system) + 1] += shares
            factor = cho_factor(system.T, overwrite_a=True, check_finite=False)  # in place
        except np.linalg.LinAlgError:  # weights grow without bound where no points keep the bounds
            return state
        newton = _Newton(self.bounds, state, inverse, shares, factor, self._constant)
        level = _complementarity(state, slack)
        predicted = newton.direction(0.0)
        ahead = self._move(state, predicted, slack, 1.0)
        left = _complementarity(ahead, self._slack(ahead.weights))
        target = level * min(1.0, max(left / level, 0.0)) ** 3
        return self._move(state, newton.direction(target, predicted), slack, INSIDE)

    def _move(self, state: _Iterate, by: _Direction, slack: Array, share: float) -> _Iterate:
        """Return the state as far along a direction as both cones allow."""
        regular = state.kernel + self._constant * (np.trace(state.kernel) / len(slack))
        primal = _step_inside(((state.below, by.below), (state.above, -by.below)), share)
        primal = _step_within_cone(regular, by.kernel, primal, share)
        dual = _step_inside(((state.pull, by.pull), (state.push, by.push)), share)
        dual = _step_within_cone(slack, by.slack, dual, share)
        kernel = state.kernel + primal * by.kernel
        return _Iterate(
            0.5 * (kernel + kernel.T),
            state.below + primal * by.below,
            state.above - primal * by.below,
            state.pull + dual * by.pull,
            state.push + dual * by.push,
        )


@dataclass(frozen=True, slots=True)
class _Newton:
    """The linearised conditions K S = level I, and level for each bound, at one iterate."""

    bounds: DistanceBounds
    state: _Iterate
    inverse: Array
    shares: Array
    factor: tuple[Array, bool]
    constant: Array

    def direction(self, level: float, predicted: _Direction | None = None) -> _Direction:
        """Return the direction to a level, corrected by the products that were predicted."""
        state, bounds = self.state, self.bounds
        curved = np.zeros_like(state.kernel)
        first = second = np.zeros_like(state.below)
        if predicted is not None:
            curved = _symmetric(predicted.kernel @ predicted.slack @ self.inverse)
            first, second = predicted.below * predicted.pull, -predicted.below * predicted.push
        pull, push = (level - first) / state.below, (level - second) / state.above
        wanted = self.shares * (pull - push - state.weights)
        rest = level * bounds.squared(self.inverse) - bounds.squared(curved) - bounds.upper
        weights = cho_solve(self.factor, rest + state.below + wanted, check_finite=False)
        below = wanted - self.shares * weights
        slack = bounds.laplacian(weights)
        kernel = level * (self.inverse - self.constant) - state.kernel - curved
        kernel -= _symmetric(state.kernel @ slack @ self.inverse)
        return _Direction(
            kernel,
            below,
            weights,
            pull - state.pull - state.pull * below / state.below,
            push - state.push + state.push * below / state.above,
            slack,
        )


def _complementarity(state: _Iterate, slack: Array) -> float:
    """Return the mean of all products that vanish at the optimum."""
    total = np.sum(state.kernel * slack) + state.below @ state.pull + state.above @ state.push
    return float(total) / (len(slack) - 1 + 2 * len(state.below))


def _step_inside(parts: tuple[tuple[Array, Array], ...], share: float) -> float:
    """Return the longest step, at most 1, that leaves all entries positive."""
    longest = 1.0
    for values, changes in parts:
        falling = changes < 0.0
        if falling.any():
            border = float((values[falling] / -changes[falling]).min())
            longest = min(longest, share * border)
    return longest


def _step_within_cone(table: Array, change: Array, longest: float, share: float) -> float:
    """Return a step, at most the longest, that leaves a matrix positive definite."""
    for _ in range(TRIALS):
        if _is_inside(table + longest / share * change):
            return longest
        longest *= SHORTER
    return 0.0


def _is_inside(table: Array) -> bool:
    try:
        np.linalg.cholesky(table)
    except np.linalg.LinAlgError:
        return False
    return True


def _inverse(table: Array) -> Array:
    factor = cho_factor(table, lower=True, check_finite=False)
    return _symmetric(cho_solve(factor, np.eye(len(table)), check_finite=False))


def _symmetric(table: Array) -> Array:
    return np.asarray(0.5 * (table + table.T))


def _factor(kernel: Array, masses: Array) -> Array:
    """Return centred coordinates whose products are the kernel matrix, by decreasing variance."""
    share = masses / masses.sum()
    centered = kernel - share @ kernel
    centered = centered - (centered @ share)[:, None]
    spectrum = solve(gram(_symmetric(centered), centered=False), len(kernel) - 1)
    kept = spectrum.values > FLAT * spectrum.values[0]
    return np.ascontiguousarray(spectrum.vectors[:, kept] * np.sqrt(spectrum.values[kept]))
