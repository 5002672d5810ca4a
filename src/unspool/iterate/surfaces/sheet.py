"""A smooth sheet: a polyharmonic smoothing spline from the parameters to the data space.

f(p) = a + A p + sum of loads_k |p - knot_k|^3, with loads that sum to zero against every affine
function (S4 16.17). In one dimension this is the cubic smoothing spline; in any dimension flat
data give a flat sheet, and beyond its knots a sheet continues almost straight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...memory import claim
from ...values import Array

KNOTS = 3  # for each degree of freedom: with more, the fit no longer changes
MOST_KNOTS = 300
SEEDS = 500  # places from which projections start
STEPS = 60
ALPHA = (-14.0, 10.0)  # decades searched for the smoothing parameter


@dataclass(frozen=True, slots=True)
class Projection:
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
        bends = _cubes(places, self.knots) @ self.loads
        return np.asarray(self.flat[0] + places @ self.flat[1:] + bends)

    def slopes(self, places: Array) -> Array:
        """Return the derivatives (n, d, D): one tangent vector for every parameter."""
        from ._kernels import slopes_at

        places = np.ascontiguousarray(places)
        return np.asarray(slopes_at(places, self.knots, self.flat, self.loads))

    def project(self, points: Array) -> Projection:
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
        return Projection(places, feet, np.square(points - feet).sum(axis=1))

    def _descended(self, points: Array) -> Projection:
        from ._kernels import project_on_sheet

        sheet = (self.knots, self.flat, self.loads)
        values = self.at(self.seeds)
        found = project_on_sheet(
            np.ascontiguousarray(points), sheet, self.seeds, values, self.spacing, STEPS
        )
        return Projection(*found)


def smooth_sheet(places: Array, points: Array, freedom: float) -> Sheet:
    """Return the sheet that smooths the points over their places with ``freedom`` parameters.

    An affine map is fitted first and only the rest smoothed: data on a flat stay on it to the last
    digit, because the rest is zero.
    """
    seeds = well_spread(places, SEEDS)
    count = int(min(np.ceil(KNOTS * freedom), MOST_KNOTS, len(seeds)))
    knots = seeds[:count]
    claim(
        4 * len(places) * (count + len(seeds)) * 8,
        f"smoothing {len(places)} points over {count} knots",
        "fit a sample and transform the rest, or raise span",
    )
    flat = np.linalg.lstsq(_affine(places), points, rcond=None)[0]
    rest = points - _affine(places) @ flat
    frame = np.linalg.qr(_affine(knots), mode="complete")[0]
    bending = frame[:, knots.shape[1] + 1 :]  # loads that no affine function feels
    stiffness = bending.T @ _cubes(knots, knots) @ bending
    rows = np.hstack([_affine(places), _cubes(places, knots) @ bending])
    solution = _penalised(rows, stiffness, rest, freedom)
    n_flat = knots.shape[1] + 1
    return Sheet(knots, flat + solution[:n_flat], bending @ solution[n_flat:], _sorted(seeds))


def well_spread(places: Array, count: int) -> Array:
    """Return up to ``count`` distinct places, each far from those before it."""
    from ._kernels import spread_out

    chosen = spread_out(np.ascontiguousarray(places), min(count, len(places)))
    return np.ascontiguousarray(places[chosen])


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
    from scipy.linalg import cho_factor, cho_solve

    # columns of unit length: the affine ones and the bending ones differ by orders of magnitude
    scale = np.linalg.norm(rows, axis=0)
    rows = rows / scale
    n_flat = rows.shape[1] - len(stiffness)
    penalty = np.zeros((rows.shape[1], rows.shape[1]))
    penalty[n_flat:, n_flat:] = stiffness / np.outer(scale[n_flat:], scale[n_flat:])
    penalty /= max(float(np.trace(penalty)), 1e-300)
    gram, ridge = rows.T @ rows, 1e-13 * np.eye(rows.shape[1])

    def factor(exponent: float) -> tuple[Array, bool]:
        found: tuple[Array, bool] = cho_factor(gram + 10.0**exponent * penalty + ridge, lower=True)
        return found

    low, high = ALPHA
    for _ in range(30):
        middle = (low + high) / 2
        left = float(np.trace(cho_solve(factor(middle), gram)))
        low, high = (middle, high) if left > freedom else (low, middle)
    return np.asarray(cho_solve(factor(high), rows.T @ sides) / scale[:, None])
