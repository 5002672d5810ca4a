"""Places that lie far from each other, and the nearest ones of each.

A smooth sheet: a polyharmonic smoothing spline from the parameters to the data space.

f(p) = a + A p + sum of loads_k |p - knot_k|^3, with loads that sum to zero against every affine
function (S4 16.17). In one dimension this is the cubic smoothing spline; in any dimension flat
data give a flat sheet, and beyond its knots a sheet continues almost straight.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from ..values import Array


def spread_order(places: Array, count: int) -> Array:
    """Return the numbers of up to ``count`` distinct places, each far from those before it."""
    from .surface_kernels import spread_out

    n = len(places)
    chosen = np.empty(min(count, n), dtype=np.int64)
    found = spread_out(np.ascontiguousarray(places.T), np.full(n, np.inf), np.empty(n), chosen)
    return np.asarray(chosen[:found])


def well_spread(places: Array, count: int) -> Array:
    """Return up to ``count`` distinct places, each far from those before it."""
    return np.ascontiguousarray(places[spread_order(places, count)])


def nearest(places: Array, count: int) -> Array:
    """Return the ``count`` nearest others of each of a few hundred places, nearest first."""
    gaps = cdist(places, places, "sqeuclidean")
    np.fill_diagonal(gaps, np.inf)
    count = min(count, len(places) - 1)
    others = np.argpartition(gaps, count - 1, axis=1)[:, :count] if count else gaps[:, :0]
    others = np.sort(others.astype(np.int64), axis=1)  # of equals the first comes first
    order = np.argsort(np.take_along_axis(gaps, others, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(others, order, axis=1))


KNOTS = 3  # for each degree of freedom: with more, the fit no longer changes
MOST_KNOTS = 300
SEEDS = 500  # places from which projections start
STEPS = 60
ROWS = 1024  # points projected together: their distances to the seeds are a table
PATHS = 256  # looked along together for folds
ALPHA, TYPICAL = (
    (-14.0, 10.0),
    (-2.0, 1.0),
)  # decades of the smoothing parameter, and the usual ones


class SurfaceProjection(NamedTuple):
    """Where points fall on a sheet: ``places`` (parameters), ``feet``, ``squares`` of the way."""

    places: Array
    feet: Array
    squares: Array


@dataclass(frozen=True, slots=True)
class Sheet:
    """A smooth function from d parameters to D dimensions, and the places it was fitted at.

    ``flat`` holds a (first row) and A, ``loads`` one row a knot; ``seeds`` are well-spread places
    from which projections start, sorted: of equally near ones the largest is taken (S4 16.18).
    """

    knots: Array
    flat: Array
    loads: Array
    seeds: Array

    @property
    def spacing(self) -> float:
        """Typical distance between neighbouring seeds."""
        extent = np.ptp(self.seeds, axis=0)
        return float((np.prod(extent) / len(self.seeds)) ** (1 / len(extent)))

    def turned(self, centre: Array, axes: Array) -> Sheet:
        """Return the same sheet in parameters counted from ``centre`` along orthonormal axes."""
        start = self.flat[0] + centre @ self.flat[1:]
        flat = np.vstack([start, axes @ self.flat[1:]])
        knots, seeds = (self.knots - centre) @ axes.T, (self.seeds - centre) @ axes.T
        return Sheet(np.ascontiguousarray(knots), flat, self.loads, _sorted(seeds))

    def at(self, places: Array) -> Array:
        """Return the points of the sheet at these parameters."""
        from .surface_kernels import values_at

        values = np.empty((len(places), self.flat.shape[1]))
        values_at(np.ascontiguousarray(places), self._columns(), self._seen(), values)
        return values

    def folded(self, paths: Array) -> Array:
        """Tell on which paths (m, stations, d) the sheet turns over.

        There the tangents change their orientation from one station to the next:
        det(J J_next') <= 0. A sheet that bends, but does not crease, has none.
        """
        m, stations, d = paths.shape
        folded = np.zeros(m, dtype=bool)
        for first in range(0, m, PATHS):
            some = paths[first : first + PATHS]
            slopes = self.slopes(some.reshape(-1, d)).reshape(len(some), stations, d, -1)
            turns = np.einsum("psaw,psbw->psab", slopes[:, :-1], slopes[:, 1:])
            folded[first : first + PATHS] = (np.linalg.slogdet(turns)[0] <= 0.0).any(axis=1)
        return folded

    def slopes(self, places: Array) -> Array:
        """Return the derivatives (n, d, D): one tangent vector for every parameter."""
        from .surface_kernels import slopes_at

        slopes = np.empty((*places.shape, self.flat.shape[1]))
        slopes_at(np.ascontiguousarray(places), self._columns(), self._seen(), slopes)
        return slopes

    def _columns(self) -> tuple[Array, Array, Array]:
        """Return knots, flat and loads as the compiled loops want them."""
        return np.ascontiguousarray(self.knots.T), self.flat, np.ascontiguousarray(self.loads.T)

    def _seen(self) -> tuple[Array, Array]:
        """Return room for the distances from a place to all knots, and their squares."""
        return np.empty(len(self.knots)), np.empty(len(self.knots))

    def project(self, points: Array) -> SurfaceProjection:
        """Return where each point falls: the nearest place that Newton's method finds.

        Every row by itself, so batches do not matter.
        """
        directions = np.vstack([self.flat[1:], self.loads])
        if 2 * len(directions) >= points.shape[1]:
            return self._descended(points)
        # the sheet stays in a few of many dimensions, and the others do not matter for its places
        basis = np.linalg.qr(directions.T)[0]
        flat = np.vstack([np.zeros(basis.shape[1]), self.flat[1:] @ basis])
        within = Sheet(self.knots, flat, np.ascontiguousarray(self.loads @ basis), self.seeds)
        places = within._descended((points - self.flat[0]) @ basis).places
        feet = self.at(places)
        return SurfaceProjection(places, feet, np.square(points - feet).sum(axis=1))

    def _descended(self, points: Array) -> SurfaceProjection:
        """Project by descents from two seeds: of the nearest value, and the nearest elsewhere.

        The second counts where the sheet comes as near again (a bend, another turn); the nearer
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
            gaps[gaps > ((np.sqrt(near.squares) + 2.0 * self.spacing) ** 2)[:, None]] = np.inf
            gaps[cdist(near.places, seeds, "sqeuclidean") <= 9.0 * self.spacing**2] = np.inf
            starts = gaps.argmin(axis=1)
            again = np.flatnonzero(gaps[np.arange(len(gaps)), starts] < np.inf)
            other = self._descended_from(seeds[starts[again]], points[rows][again])
            better = other.squares < near.squares[again]
            for kept, fresh, whole in zip(near, other, found, strict=True):
                kept[again[better]] = fresh[better]
                whole[rows] = kept
        return found

    def _descended_from(self, places: Array, points: Array) -> SurfaceProjection:
        from .surface_kernels import descend_on_sheet

        (n, width), d = points.shape, places.shape[1]
        found = SurfaceProjection(places, np.empty((n, width)), np.empty(n))
        room = np.empty(width), np.empty(width), np.empty((d, width)), *self._seen()
        newton = np.empty(d), np.empty(d), np.empty((d, d)), np.zeros((d, d)), np.empty(d)
        points = np.ascontiguousarray(points)
        descend_on_sheet(points, self._columns(), STEPS, (room, newton), *found)
        return found


def smooth_sheet(places: Array, points: Array, freedom: float) -> Sheet:
    """Return the sheet that smooths the points over their places with ``freedom`` parameters.

    An affine map is fitted first and only the rest smoothed: data on a flat stay on it to the last
    digit, because the rest is zero.
    """
    seeds = well_spread(places, SEEDS)
    count = int(min(np.ceil(KNOTS * freedom), MOST_KNOTS, len(seeds)))
    knots = seeds[:count]
    flat = np.linalg.lstsq(_affine(places), points, rcond=None)[0]
    rest = points - _affine(places) @ flat
    frame = np.linalg.qr(_affine(knots), mode="complete")[0]
    bending = frame[:, knots.shape[1] + 1 :]  # loads that no affine function feels
    stiffness = bending.T @ _cubes(knots, knots) @ bending
    rows = np.hstack([_affine(places), _cubes(places, knots) @ bending])
    solution = _penalised(rows, stiffness, rest, freedom)
    n_flat = knots.shape[1] + 1
    return Sheet(knots, flat + solution[:n_flat], bending @ solution[n_flat:], _sorted(seeds))


def _sorted(places: Array) -> Array:
    return np.ascontiguousarray(places[np.lexsort(places.T[::-1])])


def _affine(places: Array) -> Array:
    return np.hstack([np.ones((len(places), 1)), places])


def _cubes(places: Array, knots: Array) -> Array:
    """Return |place - knot|^3 for all pairs; differences are taken first, so nothing cancels."""
    squares = np.zeros((len(places), len(knots)))
    for a in range(places.shape[1]):
        squares += np.subtract.outer(places[:, a], knots[:, a]) ** 2
    return np.asarray(squares * np.sqrt(squares))


def _penalised(rows: Array, stiffness: Array, sides: Array, freedom: float) -> Array:
    """Solve least squares with alpha x stiffness on the bending part, alpha leaving ``freedom``."""
    from scipy.linalg import cho_factor, cho_solve, cholesky

    # columns of unit length: the affine ones and the bending ones differ by orders of magnitude
    scale = np.linalg.norm(rows, axis=0)
    rows = rows / scale
    n_flat = rows.shape[1] - len(stiffness)
    penalty = np.zeros((rows.shape[1], rows.shape[1]))
    penalty[n_flat:, n_flat:] = stiffness / np.outer(scale[n_flat:], scale[n_flat:])
    penalty /= max(float(np.trace(penalty)), 1e-300)
    gram = rows.T @ rows
    ridge = 1e-13 * np.eye(len(gram))

    def freedom_left(exponent: float) -> float:
        root = cholesky(gram + 10.0**exponent * penalty + ridge, lower=True, check_finite=False)
        return float(np.trace(cho_solve((root, True), gram, check_finite=False)))

    exponent = _where_equal(freedom_left, freedom, n_flat)
    factor = cho_factor(gram + 10.0**exponent * penalty + ridge, lower=True)
    return np.asarray(cho_solve(factor, rows.T @ sides) / scale[:, None])


def _where_equal(freedom_left: Callable[[float], float], freedom: float, least: int) -> float:
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
