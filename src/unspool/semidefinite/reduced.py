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

from ..optimize import Outcome, minimize
from ..values import Array
from .combination import half_vectorize, solve_combination
from .unfolding import DistanceBounds, Unfolding

STIFFNESS = 3.0  # of the bounds at first: little, so that folds come out before they are held fast
SHARE = 1e-4  # of the largest variance: axes with less than that are not refined
AXES = 4  # that are refined at least: a fold comes out through a further dimension
REWARDED = 50.0  # times the variance: errors of all pairs that count as much as it does
BLOCK = 4_096  # pairs whose products of vectors are held at a time
ROUNDS = 8  # of multipliers, where the bounds are not kept sooner
STIFFER = 2.0  # times as stiff in the next round
SHIFT = 10.0  # of the loss, which is negative, so that shares of it are shares of something
PRECISE = 1e-7  # share of the loss that a step of descent must still change


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
        Steps of descent in each round.
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
    """Coordinates in which long waves are as stiff as short ones, so that descent is quick.

    The stiffness of a wave along the pairs is about its value of the graph Laplacian; the smoothest
    are the known vectors.
    """

    vectors: Array
    stretch: Array

    @classmethod
    def of(cls, bounds: DistanceBounds, vectors: Array) -> _SmoothSteps:
        orthonormal = np.linalg.qr(vectors - vectors.mean(axis=0))[0]
        rough = np.square(orthonormal[bounds.first] - orthonormal[bounds.second]).sum(axis=0)
        typical = 2.0 * bounds.count / bounds.n_points
        return cls(orthonormal, np.sqrt(typical / np.maximum(rough, 1e-12 * typical)))

    def stretched(self, block: Array, power: float = 1.0) -> Array:
        """Return the block with its share of each known vector stretched."""
        shares = self.vectors.T @ block
        return np.asarray(block + self.vectors @ ((self.stretch**power - 1.0)[:, None] * shares))


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
    nothing, steps = np.zeros(bounds.count), 0
    loss = _Lagrangian(scaled, masses, _differences(bounds), variance, stiffness, nothing)
    for _ in range(ROUNDS):
        found = _descend(loss, places, smooth, max_steps)
        places, steps = found.state, steps + found.steps
        squared = scaled.squared_between(places)
        broken = float(np.sqrt(np.mean(np.square(np.maximum(scaled.excess(squared), 0.0)))))
        if broken <= tolerance:
            break
        loss = replace(loss, weights=loss.pulls(squared), stiffness=STIFFER * loss.stiffness)
    return Unfolding(places * np.sqrt(unit), None, broken, broken <= tolerance, bounds.count, steps)


def _descend(
    loss: _Lagrangian, places: Array, smooth: _SmoothSteps, max_steps: int
) -> Outcome[Array]:
    """Return the coordinates that descent leads to, centred."""

    def objective(position: Array) -> tuple[float, Array]:
        value, slope = loss(smooth.stretched(position))
        return value + SHIFT, smooth.stretched(slope)

    typical = 2.0 * loss.bounds.count / loss.bounds.n_points
    curvature = 4.0 * loss.stiffness * typical / loss.variance
    found = minimize(
        objective,
        smooth.stretched(places, -1.0),
        np.asarray(np.sqrt(curvature)),
        tolerance=PRECISE,
        negligible=-np.inf,
        name="refinement",
        max_steps=max_steps,
    )
    reached = smooth.stretched(found.state)
    centered = reached - (loss.masses @ reached) / loss.masses.sum()
    return Outcome(centered, found.losses, found.converged)


def _differences(bounds: DistanceBounds) -> sp.csr_array:
    """Return the table that takes coordinates to their differences along the pairs."""
    m = bounds.count
    ends = np.column_stack([bounds.first, bounds.second]).ravel()
    signs = np.tile([1.0, -1.0], m)
    return sp.csr_array((signs, ends, np.arange(0, 2 * m + 1, 2)), shape=(m, bounds.n_points))
