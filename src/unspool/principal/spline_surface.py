"""A smooth surface: a polyharmonic smoothing spline from the parameters to the data space.

f(p) = a + A p + sum of c_k |p - knot_k|^3, with coefficients that sum to zero against every affine
function (Izenman 2013, eq. 16.17). In one dimension this is the cubic smoothing spline; in any
dimension flat data give a flat surface, and beyond its knots a surface continues almost straight.
Knots, and the parameters from which projections descend, lie far from each other. Knots of an
adaptive surface lie where they help: one after the other is taken that lowers the residuals most,
and then left out again as long as that lowers the error of generalized cross-validation. So LeBlanc
and Tibshirani (1994) choose theirs, of products of splines of one parameter each (Friedman 1991);
here they are those of the one spline of all parameters, which has no axes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ..values import Array

KNOTS = 3  # for each degree of freedom: with more, the fit no longer changes
MOST_KNOTS = 300
SEEDS = 500  # parameters from which projections descend
STEPS = 60
ROWS = 1024  # points projected together: their distances to the seeds are a table
PATHS = 256  # looked along together for folds
CANDIDATES = 200  # knots that an adaptive surface chooses from
MOST_CHOSEN = 100
CHARGE = 3.0  # degrees of freedom that looking for a knot costs besides its own (Friedman 1991)
ALPHA, TYPICAL = (-14.0, 10.0), (-2.0, 1.0)  # decades of the smoothing parameter: all, and usual


def farthest_point_order(parameters: Array, count: int) -> Array:
    """Return the indices of up to ``count`` distinct parameters, each far from those before it."""
    from .principal_kernels import sample_farthest

    n, columns = len(parameters), np.ascontiguousarray(parameters.T)
    chosen = np.empty(min(count, n), dtype=np.int64)
    found = sample_farthest(columns, np.full(n, np.inf), np.empty(n), chosen)
    return np.asarray(chosen[:found])


def farthest_points(parameters: Array, count: int) -> Array:
    """Return up to ``count`` distinct parameters, each far from those before it."""
    return np.ascontiguousarray(parameters[farthest_point_order(parameters, count)])


def nearest_neighbors(points: Array, count: int) -> Array:
    """Return the ``count`` nearest others of each of a few hundred points, nearest first."""
    gaps = cdist(points, points, "sqeuclidean")
    np.fill_diagonal(gaps, np.inf)
    count = min(count, len(points) - 1)
    others = np.argpartition(gaps, count - 1, axis=1)[:, :count] if count else gaps[:, :0]
    others = np.sort(others.astype(np.int64), axis=1)  # of equals the first comes first
    order = np.argsort(np.take_along_axis(gaps, others, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(others, order, axis=1))


class SurfaceProjection(NamedTuple):
    """Where points fall on a surface: at which parameters, the foot, and how far away."""

    parameters: Array
    feet: Array
    squared_distances: Array


@dataclass(frozen=True, slots=True)
class SplineSurface:
    """A smooth function from d parameters to D dimensions, and parameters it was fitted at.

    ``affine`` holds a (first row) and A, ``coefficients`` one row per knot; ``seeds`` are
    parameters from which projections descend, sorted: of equally near ones the largest is taken
    (Izenman 2013, eq. 16.18).
    """

    knots: Array
    affine: Array
    coefficients: Array
    seeds: Array

    @property
    def spacing(self) -> float:
        """Typical distance between neighboring seeds."""
        extent = np.ptp(self.seeds, axis=0)
        return float((np.prod(extent) / len(self.seeds)) ** (1 / len(extent)))

    @property
    def n_terms(self) -> float:
        """Number of functions that an unpenalized surface with these knots is made of."""
        d = self.knots.shape[1]
        return float(d + 1 + max(0, len(self.knots) - (2 * d + 3)))

    def rotated(self, center: Array, axes: Array) -> SplineSurface:
        """Return the same surface in parameters counted from ``center`` along orthonormal axes."""
        origin = self.affine[0] + center @ self.affine[1:]
        affine = np.vstack([origin, axes @ self.affine[1:]])
        knots, seeds = (self.knots - center) @ axes.T, (self.seeds - center) @ axes.T
        return SplineSurface(np.ascontiguousarray(knots), affine, self.coefficients, _sorted(seeds))

    def at(self, parameters: Array) -> Array:
        """Return the points of the surface at these parameters."""
        from .principal_kernels import values_at

        values = np.empty((len(parameters), self.affine.shape[1]))
        values_at(np.ascontiguousarray(parameters), self._columns(), self._workspace(), values)
        return values

    def folds(self, paths: Array) -> Array:
        """Tell on which paths (m, stations, d) the surface turns over.

        There the tangents change their orientation from one station to the next:
        det(J J_next') <= 0. A surface that bends, but does not crease, has none.
        """
        m, stations, d = paths.shape
        folds = np.zeros(m, dtype=bool)
        for first in range(0, m, PATHS):
            some = paths[first : first + PATHS]
            tangents = self.tangents(some.reshape(-1, d)).reshape(len(some), stations, d, -1)
            turns = np.einsum("psaw,psbw->psab", tangents[:, :-1], tangents[:, 1:])
            folds[first : first + PATHS] = (np.linalg.slogdet(turns)[0] <= 0.0).any(axis=1)
        return folds

    def tangents(self, parameters: Array) -> Array:
        """Return the derivatives (n, d, D): one tangent vector for every parameter."""
        from .principal_kernels import tangents_at

        tangents = np.empty((*parameters.shape, self.affine.shape[1]))
        tangents_at(np.ascontiguousarray(parameters), self._columns(), self._workspace(), tangents)
        return tangents

    def _columns(self) -> tuple[Array, Array, Array]:
        """Return knots and coefficients as the compiled loops want them: one row per dimension."""
        knots, coefficients = (np.ascontiguousarray(m.T) for m in (self.knots, self.coefficients))
        return knots, self.affine, coefficients

    def _workspace(self) -> tuple[Array, Array]:
        """Return a workspace for the distances from parameters to all knots, and their squares."""
        return np.empty(len(self.knots)), np.empty(len(self.knots))

    def project(self, points: Array) -> SurfaceProjection:
        """Return where each point falls: the nearest foot that Newton's method finds.

        Every row by itself, so batches do not matter.
        """
        directions = np.vstack([self.affine[1:], self.coefficients])
        if 2 * len(directions) >= points.shape[1]:
            return self._descended(points)
        # the surface stays in a few of many dimensions, and the others do not matter
        basis = np.linalg.qr(directions.T)[0]
        affine = np.vstack([np.zeros(basis.shape[1]), self.affine[1:] @ basis])
        coefficients = np.ascontiguousarray(self.coefficients @ basis)
        within = SplineSurface(self.knots, affine, coefficients, self.seeds)
        parameters = within._descended((points - self.affine[0]) @ basis).parameters
        feet = self.at(parameters)
        return SurfaceProjection(parameters, feet, np.square(points - feet).sum(axis=1))

    def _descended(self, points: Array) -> SurfaceProjection:
        """Project by descents from two seeds: of the nearest value, and the nearest elsewhere.

        The second counts where the surface comes as near again (a bend, another turn); the nearer
        foot wins. Seeds are looked at from the last one on: of equally near ones that comes first.
        """
        seeds, n = self.seeds[::-1], len(points)
        values = self.at(seeds)
        found = SurfaceProjection(
            np.empty((n, seeds.shape[1])), np.empty(points.shape), np.empty(n)
        )
        for first in range(0, n, ROWS):
            rows = slice(first, min(first + ROWS, n))
            gaps = cdist(points[rows], values, "sqeuclidean")
            near = self._descended_from(seeds[gaps.argmin(axis=1)], points[rows])
            reach = np.sqrt(near.squared_distances) + 2.0 * self.spacing
            gaps[gaps > (reach**2)[:, None]] = np.inf
            gaps[cdist(near.parameters, seeds, "sqeuclidean") <= 9.0 * self.spacing**2] = np.inf
            second = gaps.argmin(axis=1)
            again = np.flatnonzero(gaps[np.arange(len(gaps)), second] < np.inf)
            other = self._descended_from(seeds[second[again]], points[rows][again])
            better = other.squared_distances < near.squared_distances[again]
            for kept, fresh, whole in zip(near, other, found, strict=True):
                kept[again[better]] = fresh[better]
                whole[rows] = kept
        return found

    def _descended_from(self, parameters: Array, points: Array) -> SurfaceProjection:
        from .principal_kernels import descend_on_surface

        (n, width), d = points.shape, parameters.shape[1]
        found = SurfaceProjection(parameters, np.empty((n, width)), np.empty(n))
        evaluation = np.empty(width), np.empty(width), np.empty((d, width)), *self._workspace()
        newton = np.empty(d), np.empty(d), np.empty((d, d)), np.zeros((d, d)), np.empty(d)
        points = np.ascontiguousarray(points)
        descend_on_surface(points, self._columns(), STEPS, (evaluation, newton), *found)
        return found


def smooth_surface(parameters: Array, points: Array, freedom: float) -> SplineSurface:
    """Return the surface that smooths the points over their parameters, with so much ``freedom``.

    An affine map is fitted first and only the rest smoothed: data on a flat stay on it to the last
    digit, because the rest is zero.
    """
    seeds = farthest_points(parameters, SEEDS)
    count = int(min(np.ceil(KNOTS * freedom), MOST_KNOTS, len(seeds)))
    knots = seeds[:count]
    affine = np.linalg.lstsq(_affine(parameters), points, rcond=None)[0]
    rest = points - _affine(parameters) @ affine
    basis = np.linalg.qr(_affine(knots), mode="complete")[0]
    bending = basis[:, knots.shape[1] + 1 :]  # coefficients that no affine function feels
    stiffness = bending.T @ _cubes(knots, knots) @ bending
    rows = np.hstack([_affine(parameters), _cubes(parameters, knots) @ bending])
    solution = _penalized(rows, stiffness, rest, freedom)
    n_affine = knots.shape[1] + 1
    affine, coefficients = affine + solution[:n_affine], bending @ solution[n_affine:]
    return SplineSurface(knots, affine, coefficients, _sorted(seeds))


def smooth_adaptively(parameters: Array, points: Array, freedom: float) -> SplineSurface:
    """Return the surface with the knots that generalized cross-validation wants, and no penalty.

    It has at most so much ``freedom``. Each knot comes with a share of a few fixed ones, the
    anchors, so that no affine function feels its coefficients.
    """
    seeds, d = farthest_points(parameters, SEEDS), parameters.shape[1]
    anchors = seeds[: 2 * d + 3]
    knots = seeds[len(anchors) : len(anchors) + CANDIDATES]
    shares = np.linalg.pinv(_affine(anchors).T) @ _affine(knots).T  # of the anchors, one per column
    columns = _cubes(parameters, knots) - _cubes(parameters, anchors) @ shares
    most = int(min(freedom - d - 1, MOST_CHOSEN, len(points) / 4, len(knots)))
    flat = np.linalg.lstsq(_affine(parameters), points, rcond=None)[0]
    rest = points - _affine(parameters) @ flat
    size = float(np.square(points - points.mean(axis=0)).sum())
    chosen = _prune(
        _affine(parameters), columns, rest, _choose(_affine(parameters), columns, rest, most), size
    )
    rows = np.hstack([_affine(parameters), columns[:, chosen]])
    scale = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
    solution = np.linalg.lstsq(rows / scale, rest, rcond=None)[0] / scale[:, None]
    bends = solution[d + 1 :]
    return SplineSurface(
        np.vstack([anchors, knots[chosen]]),
        flat + solution[: d + 1],
        np.vstack([-shares[:, chosen] @ bends, bends]),
        _sorted(seeds),
    )


def _choose(plain: Array, columns: Array, rest: Array, count: int) -> list[int]:
    """Return columns in the order in which each lowers the residuals most, beside the plain ones.

    What is left of every column, and of the data, is kept orthogonal to those that are chosen.
    """
    basis = np.linalg.qr(plain)[0]
    left, rest = columns - basis @ (basis.T @ columns), rest - basis @ (basis.T @ rest)
    least = 1e-10 * np.square(columns).sum(axis=0) + 1e-300
    chosen: list[int] = []
    for _ in range(count):
        lengths = np.square(left).sum(axis=0)
        gains = np.square(left.T @ rest).sum(axis=1) / np.maximum(lengths, least)
        gains[lengths <= least] = -1.0  # those that are chosen, or say nothing new
        best = int(gains.argmax())
        if gains[best] <= 0.0:
            break
        chosen.append(best)
        along = left[:, best] / np.sqrt(lengths[best])
        left = left - np.outer(along, along @ left)
        rest = rest - np.outer(along, along @ rest)
    return chosen


def _prune(plain: Array, columns: Array, rest: Array, chosen: list[int], size: float) -> list[int]:
    """Return those columns that generalized cross-validation keeps, leaving out one at a time."""
    n, best, kept, floor = len(rest), np.inf, chosen, 1e-26 * size
    while True:
        rows = np.hstack([plain, columns[:, chosen]])
        scale = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
        inverse = np.linalg.pinv(rows / scale)
        solution = inverse @ rest
        residual = max(float(np.square(rest - (rows / scale) @ solution).sum()), floor)
        spent = rows.shape[1] + CHARGE * len(chosen)
        error = residual / (1.0 - min(spent / n, 0.99)) ** 2
        if error <= best:
            best, kept = error, list(chosen)
        if not chosen:
            return kept
        costs = np.square(solution).sum(axis=1) / np.square(inverse).sum(axis=1)
        del chosen[int(costs[plain.shape[1] :].argmin())]


def _sorted(parameters: Array) -> Array:
    return np.ascontiguousarray(parameters[np.lexsort(parameters.T[::-1])])


def _affine(parameters: Array) -> Array:
    return np.hstack([np.ones((len(parameters), 1)), parameters])


def _cubes(parameters: Array, knots: Array) -> Array:
    """Return |parameter - knot|^3 for all pairs; differences are taken first: nothing cancels."""
    squares = np.zeros((len(parameters), len(knots)))
    for a in range(parameters.shape[1]):
        squares += np.subtract.outer(parameters[:, a], knots[:, a]) ** 2
    return np.asarray(squares * np.sqrt(squares))


def _penalized(rows: Array, stiffness: Array, sides: Array, freedom: float) -> Array:
    """Solve least squares with alpha x stiffness on the bending part, alpha leaving ``freedom``."""
    from scipy.linalg import cho_factor, cho_solve, cholesky

    # columns of unit length: the affine ones and the bending ones differ by orders of magnitude
    scale = np.linalg.norm(rows, axis=0)
    rows = rows / scale
    n_affine = rows.shape[1] - len(stiffness)
    penalty = np.zeros((rows.shape[1], rows.shape[1]))
    penalty[n_affine:, n_affine:] = stiffness / np.outer(scale[n_affine:], scale[n_affine:])
    penalty /= max(float(np.trace(penalty)), 1e-300)
    gram = rows.T @ rows
    ridge = 1e-13 * np.eye(len(gram))

    def freedom_left(exponent: float) -> float:
        root = cholesky(gram + 10.0**exponent * penalty + ridge, lower=True, check_finite=False)
        return float(np.trace(cho_solve((root, True), gram, check_finite=False)))

    exponent = _find_exponent(freedom_left, freedom, n_affine)
    factor = cho_factor(gram + 10.0**exponent * penalty + ridge, lower=True)
    return np.asarray(cho_solve(factor, rows.T @ sides) / scale[:, None])


def _find_exponent(freedom_left: Callable[[float], float], freedom: float, least: int) -> float:
    """Return the power of ten of alpha that leaves this freedom, or the end that comes nearest.

    Above its least, freedom falls like a power of alpha, so that its logarithm is almost straight.
    """
    from scipy.optimize import brentq

    @cache
    def surplus(exponent: float) -> float:
        return float(np.log(max(freedom_left(exponent) - least, 1e-12) / (freedom - least)))

    if freedom - least < 1e-6:
        return ALPHA[1]
    low, high = TYPICAL
    while surplus(low) < 0.0 and low > ALPHA[0]:
        low, high = max(low - 3.0, ALPHA[0]), low
    while surplus(high) > 0.0 and high < ALPHA[1]:
        low, high = high, min(high + 3.0, ALPHA[1])
    if surplus(low) <= 0.0 or surplus(high) >= 0.0:
        return low if surplus(low) <= 0.0 else high
    return float(brentq(surplus, low, high, xtol=1e-5))
