"""Maximum variance of many points: by smooth functions on their graph first, then point by point.

The kernel matrix is taken as Q P Q' with Q the bottom eigenvectors of the Laplacian or of LLE, so
that a program over a small psd matrix P is left: distances between neighbours are kept in the sense
of least squares, with a share of the variance as reward (Weinberger, Sha, Zhu, Saul 2007). Descent
on the coordinates of all points then keeps the bounds ever more closely (augmented Lagrangian;
Burer and Monteiro 2003).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from ..optimize import Outcome, iterate, minimize
from ..values import Array
from .maximum_variance import DistanceBounds, Unfolding
from .vector_combinations import half_vectorize, solve_combination

STIFFNESS = 3.0  # of the bounds at first: little, so that folds come out before they are held fast
SHARE = 1e-4  # of the largest variance: axes with less than that are not refined
AXES = 4  # that are refined at least: a fold comes out through a further dimension
REWARDED = 50.0  # times the variance: errors of all pairs that count as much as it does
BLOCK = 4_096  # pairs whose products of vectors are held at a time
ROUND = 60  # steps of descent before multipliers are renewed
STIFFER = 2.0  # times as stiff in the next round
SHIFT = 10.0  # of the loss, which is negative, so that shares of it are shares of something
PRECISE = 1e-7  # share of the loss that a step of descent must still change
LOWEST = 0.015  # of 2: waves that are longer are stretched as those are
STRETCH = np.polynomial.Chebyshev.interpolate(lambda x: (1.0 + x + LOWEST) ** -0.5, 20).coef


def unfold_smoothly(
    bounds: DistanceBounds,
    vectors: Array,
    masses: Array,
    tolerance: float,
    max_steps: int,
    most: int = AXES,
    stiffness: float = STIFFNESS,
) -> Unfolding:
    """Return nearly the coordinates of largest variance that keep the bounds.

    Parameters
    ----------
    bounds : DistanceBounds
        Bounds of squared distances between neighbours.
    vectors : ndarray of shape (n_points, n_vectors)
        Bottom eigenvectors of the graph Laplacian, without the constant one.
    masses : ndarray of shape (n_points,)
        How often each point counts.
    tolerance : float
        Share of a squared distance by which its bounds may be overstepped, in the root mean square.
    max_steps : int
        Steps of descent, in all.
    most : int, default=4
        Coordinates that are refined at most, at least 4.
    stiffness : float, default=3
        Weight of the bounds in the first round; large where the vectors are nearly the answer.

    Returns
    -------
    Unfolding
        The coordinates; nothing bounds what others could gain, so that there is no gap.
    """
    masses = masses / masses.mean()
    start = combine_vectors(bounds, vectors, masses, max_steps, max(most, AXES))
    smooth = _SmoothSteps.of(bounds, vectors)
    return _refine(bounds, start, masses, smooth, tolerance, max_steps, stiffness)


def combine_vectors(
    bounds: DistanceBounds, vectors: Array, masses: Array, max_steps: int, most: int = AXES
) -> Array:
    """Return the combinations of vectors that best keep distances and have most variance.

    Parameters
    ----------
    bounds : DistanceBounds
        Bounds of squared distances; their middle is aimed at where they are two, else the upper.
    vectors : ndarray of shape (n_points, n_vectors)
        What is combined.
    masses : ndarray of shape (n_points,)
        How often each point counts.
    max_steps : int
        Steps of the interior-point method.
    most : int, default=4
        Coordinates that are returned at most.

    Returns
    -------
    ndarray of shape (n_points, n_coordinates)
        Coordinates of decreasing variance; those with next to none are left out.
    """
    aims = np.where(bounds.lower > 0.0, 0.5 * (bounds.lower + bounds.upper), bounds.upper)
    share = masses / masses.sum()
    centered = vectors - share @ vectors
    # every vector is as long along the pairs: the small program is then well conditioned
    lengths = np.square(centered[bounds.first] - centered[bounds.second]).mean(axis=0)
    scaled = centered * np.sqrt(aims.mean() / np.maximum(lengths, 1e-300))
    quadratic, linear = _least_squares(bounds, scaled, aims)
    variance = half_vectorize((scaled * masses[:, None]).T @ scaled)
    close = _solve(quadratic, linear, max_steps)
    reward = bounds.count / (REWARDED * float(variance @ half_vectorize(close)))
    found = _solve(quadratic, linear + reward * variance, max_steps)
    values, axes = _decompose(found, (scaled * masses[:, None]).T @ scaled)
    kept = values > SHARE * values[0]
    kept[most:] = False
    return np.asarray(scaled @ axes[:, kept])


def _solve(quadratic: Array, linear: Array, max_steps: int) -> Array:
    return solve_combination(
        quadratic, linear, unit_trace=False, tolerance=1e-7, max_steps=max_steps
    ).state


def _least_squares(bounds: DistanceBounds, vectors: Array, aims: Array) -> tuple[Array, Array]:
    """Return A and b of the sum over all pairs of (squared distance / aim - 1)^2 / 2."""
    size = vectors.shape[1]
    quadratic = np.zeros((size * (size + 1) // 2, size * (size + 1) // 2))
    linear = np.zeros(len(quadratic))
    for start in range(0, bounds.count, BLOCK):
        block = slice(start, start + BLOCK)
        steps = vectors[bounds.first[block]] - vectors[bounds.second[block]]
        products = half_vectorize(steps[:, :, None] * steps[:, None, :]) / aims[block, None]
        quadratic += products.T @ products
        linear += products.sum(axis=0)
    return quadratic, linear


def _decompose(matrix: Array, metric: Array) -> tuple[Array, Array]:
    """Return the variances, largest first, and axes L with L L' = P and L' metric L diagonal."""
    root = np.linalg.cholesky(matrix + 1e-12 * np.trace(matrix) * np.eye(len(matrix)))
    values, turned = np.linalg.eigh(root.T @ metric @ root)
    return values[::-1], np.asarray(root @ turned[:, ::-1])


@dataclass(frozen=True, slots=True)
class _SmoothSteps:
    """Steps of descent in which long waves are as stiff as short ones, so that few are needed.

    The stiffness of a wave along the pairs is its value of their graph Laplacian N, normalized by
    the degrees, which is at most 2. A step u moves the points by N^-1/2 u: a Chebyshev polynomial
    of N stands for that, and no matrix has to be factorised; its degree resolves values down to
    about ``LOWEST``. The longest waves, which are nearly the known vectors, get what is missing.
    """

    laplacian: sp.csr_array
    roots: Array  # of the degrees
    vectors: Array
    missing: Array

    @classmethod
    def of(cls, bounds: DistanceBounds, vectors: Array) -> _SmoothSteps:
        between = _differences(bounds)
        weighted = sp.csr_array(between.multiply(1.0 / np.sqrt(bounds.upper)[:, None]))
        table = sp.csr_array(weighted.T @ weighted)
        roots = np.sqrt(np.maximum(table.diagonal(), 1e-300))[:, None]
        turned = sp.csr_array(table.multiply(1.0 / roots).multiply(1.0 / roots.T))
        known = np.linalg.qr(roots * (vectors - vectors.mean(axis=0)))[0]
        values, axes = np.linalg.eigh(known.T @ (turned @ known))
        plain = np.polynomial.chebyshev.chebval(values - 1.0, STRETCH)
        wanted = 1.0 / np.sqrt(np.maximum(values, 1e-12))
        return cls(turned, roots, known @ axes, np.maximum(wanted - plain, 0.0)[:, None])

    def _stretched(self, block: Array) -> Array:
        """Return nearly N^-1/2 times a block."""
        before, now = block, self.laplacian @ block - block
        total = STRETCH[0] * before + STRETCH[1] * now
        for weight in STRETCH[2:]:
            before, now = now, 2.0 * (self.laplacian @ now - now) - before
            total += weight * now
        return np.asarray(total + self.vectors @ (self.missing * (self.vectors.T @ block)))

    def moved(self, steps: Array) -> Array:
        """Return by how much a step moves the points."""
        return np.asarray(self._stretched(steps) / self.roots)

    def slope(self, gradient: Array) -> Array:
        """Return the gradient by the step, of one by the points."""
        return self._stretched(gradient / self.roots)


@dataclass(frozen=True, slots=True)
class _Lagrangian:
    """Minus the variance, and what oversteps the bounds, by multipliers and squares of it."""

    bounds: DistanceBounds
    masses: Array
    differences: sp.csr_array
    variance: float
    stiffness: float
    weights: Array

    def pulls(self, squared: Array) -> Array:
        """Return the weights of the pairs: positive above the upper bound, negative below."""
        upper, lower = self.bounds.upper, self.bounds.lower
        longer = np.maximum(self.weights + self.stiffness * (squared / upper - 1.0), 0.0)
        shorter = np.minimum(self.weights + self.stiffness * (squared - lower) / upper, 0.0)
        return np.asarray(longer + np.where(lower > 0.0, shorter, 0.0))

    def __call__(self, places: Array) -> tuple[float, Array]:
        """Return the loss, as a share of the variance at the start, and its gradient."""
        centered = places - (self.masses @ places) / self.masses.sum()
        steps = self.differences @ centered
        pull = self.pulls(np.square(steps).sum(axis=1))
        spread = float(self.masses @ np.square(centered).sum(axis=1))
        loss = 0.5 * float(pull @ pull) / self.stiffness - spread
        slope = self.differences.T @ (steps * (2.0 * pull / self.bounds.upper)[:, None])
        slope -= 2.0 * self.masses[:, None] * centered
        return loss / self.variance, slope / self.variance


def _refine(
    bounds: DistanceBounds,
    start: Array,
    masses: Array,
    smooth: _SmoothSteps,
    tolerance: float,
    max_steps: int,
    stiffness: float,
) -> Unfolding:
    """Return where descent leads, with the multipliers of the bounds renewed every round."""
    unit = float(bounds.upper.mean())
    scaled = replace(bounds, lower=bounds.lower / unit, upper=bounds.upper / unit)
    places = start / np.sqrt(unit)
    variance = float(masses @ np.square(places).sum(axis=1))
    stiffness = 2.0 * stiffness * variance / bounds.count
    first = _Lagrangian(
        scaled, masses, _differences(bounds), variance, stiffness, np.zeros(bounds.count)
    )

    def descend(now: _Round) -> tuple[_Round, float]:
        found = _descend(now.loss, now.places, smooth, min(ROUND, max_steps - now.steps))
        squared = scaled.squared_between(found.state)
        broken = float(np.sqrt(np.mean(np.square(np.maximum(scaled.excess(squared), 0.0)))))
        pulls, stiffer = now.loss.pulls(squared), STIFFER * now.loss.stiffness
        loss = replace(now.loss, weights=pulls, stiffness=stiffer)
        return _Round(found.state, loss, now.steps + found.steps), broken

    found = iterate(
        _Round(places, first, 0),
        np.inf,
        descend,
        lambda losses: losses[-1] <= tolerance,
        name="multipliers",
        max_steps=-(-max_steps // ROUND),
    )
    places, steps = found.state.places * np.sqrt(unit), found.state.steps
    return Unfolding(places, None, found.loss, found.converged, bounds.count, steps)


@dataclass(frozen=True, slots=True)
class _Round:
    """Coordinates, the loss that is descended next, and the steps taken so far."""

    places: Array
    loss: _Lagrangian
    steps: int


def _descend(
    loss: _Lagrangian, places: Array, smooth: _SmoothSteps, max_steps: int
) -> Outcome[Array]:
    """Return the coordinates that descent leads to, centred."""

    def objective(steps: Array) -> tuple[float, Array]:
        value, slope = loss(places + smooth.moved(steps))
        return value + SHIFT, smooth.slope(slope)

    found = minimize(
        objective,
        np.zeros_like(places),
        np.asarray(np.sqrt(4.0 * loss.stiffness / loss.variance)),
        tolerance=PRECISE,
        negligible=-np.inf,
        name="refinement",
        max_steps=max_steps,
    )
    reached = places + smooth.moved(found.state)
    centered = reached - (loss.masses @ reached) / loss.masses.sum()
    return Outcome(centered, found.losses, found.converged)


def _differences(bounds: DistanceBounds) -> sp.csr_array:
    """Return the table that takes coordinates to their differences along the pairs."""
    m = bounds.count
    ends = np.column_stack([bounds.first, bounds.second]).ravel()
    signs = np.tile([1.0, -1.0], m)
    return sp.csr_array((signs, ends, np.arange(0, 2 * m + 1, 2)), shape=(m, bounds.n_points))
