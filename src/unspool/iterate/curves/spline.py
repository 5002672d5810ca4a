"""The cubic smoothing spline with given degrees of freedom, open or periodic.

Minimises sum w (y - f)^2 + alpha * integral f''^2. As many knots as the degrees of freedom can use
(not one a point) make it a small banded problem, whatever the number of points; alpha is found by
bisection on the trace of the smoother.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...values import Array

KNOTS = 4  # intervals for each degree of freedom: with more, the fit no longer changes
ALPHA = (-15.0, 6.0)  # decades searched, for a curve of unit length and weights that sum to one
POINT = 1.0 / np.sqrt(3.0)  # Gauss's two points integrate the product of two lines exactly


@dataclass(frozen=True, slots=True)
class _Basis:
    """Cubic B-splines on the unit interval; periodic ones continue around the end."""

    knots: Array
    periodic: bool

    def __call__(self, at: Array) -> sp.csr_array:
        """Return the values of all splines at these places: four that are not zero for each."""
        from scipy.interpolate import BSpline

        return sp.csr_array(BSpline.design_matrix(at, self.knots, 3)) @ self._fold()

    def penalty(self) -> Array:
        """Return the integrals of the products of second derivatives."""
        from scipy.interpolate import BSpline

        ends = np.unique(self.knots[3:-3])
        half = np.diff(ends) / 2
        middle = ends[:-1] + half
        at = np.concatenate([middle - POINT * half, middle + POINT * half])
        every = BSpline(self.knots, np.eye(len(self.knots) - 4), 3)
        bends = every.derivative(2)(at) @ self._fold()
        return np.asarray((bends.T * np.concatenate([half, half])) @ bends)

    def _fold(self) -> sp.csr_array:
        """Return the matrix that adds the last three splines to the first, if periodic."""
        count = len(self.knots) - 4
        own = count - 3 if self.periodic else count
        return sp.csr_array((np.ones(count), (np.arange(count), np.arange(count) % own)))


def smoothing_spline(
    places: Array,
    values: Array,
    weights: Array,
    nodes: Array,
    freedom: float,
    period: float | None = None,
) -> Array:
    """Return the values at ``nodes`` of the smoothing spline with ``freedom`` degrees of freedom.

    A weighted straight line is fitted first and only the rest smoothed: data on a line then stay
    on it to the last digit, because the rest is zero.
    """
    start = float(places[0])
    reach = float(places[-1]) - start if period is None else period
    unit, wanted = (places - start) / reach, np.clip((nodes - start) / reach, 0.0, 1.0)
    share = weights / weights.sum()
    trend = _line(unit, values, share) if period is None else (share @ values, 0.0 * values[0])
    rest = values - trend[0] - np.multiply.outer(unit, trend[1])
    basis = _Basis(_knots(unit, freedom, period is not None), period is not None)
    rows = basis(unit)
    shared = sp.csr_array(rows.multiply(share[:, None])).T
    gram = (shared @ rows).toarray()
    coefficients = _penalised(gram, basis.penalty(), shared @ rest, freedom)
    line = trend[0] + np.multiply.outer(wanted, trend[1])
    return np.asarray(line + basis(wanted) @ coefficients)


def _line(unit: Array, values: Array, share: Array) -> tuple[Array, Array]:
    centre, mean = share @ unit, share @ values
    lever = unit - centre
    slope = (share * lever) @ (values - mean) / (share @ lever**2)
    return mean - slope * centre, slope


def _knots(unit: Array, freedom: float, periodic: bool) -> Array:
    """Return the knots: interior ones where the data are, the rest as the ends ask for."""
    distinct = np.unique(unit)
    intervals = int(np.clip(np.ceil(KNOTS * freedom), 4, max(4, len(distinct) - 1)))
    inner = np.quantile(distinct, np.arange(1, intervals) / intervals)
    inner = inner[np.diff(inner, prepend=0.0) > 1e-6]
    inner = inner[inner < 1.0 - 1e-6]
    if not periodic:
        return np.concatenate([np.zeros(4), inner, np.ones(4)])
    if len(inner) < 4:
        inner = np.arange(1, 5) / 5.0
    ends = np.concatenate([[0.0], inner, [1.0]])
    return np.concatenate([ends[-4:-1] - 1.0, ends, ends[1:4] + 1.0])


def _penalised(gram: Array, penalty: Array, sides: Array, freedom: float) -> Array:
    """Solve (gram + alpha penalty) c = sides for the alpha that leaves ``freedom``."""
    from scipy.linalg import cho_factor, cho_solve

    # a hair of ridge: with fewer distinct places than knots the sum is singular to rounding
    ridge = 1e-13 * np.trace(gram) * np.eye(len(gram)) / len(gram)

    def factor(exponent: float) -> tuple[Array, bool]:
        stiff = gram + 10.0**exponent * penalty + ridge
        found: tuple[Array, bool] = cho_factor(stiff, lower=True)
        return found

    low, high = ALPHA
    for _ in range(40):
        middle = (low + high) / 2
        left = float(np.trace(cho_solve(factor(middle), gram)))
        low, high = (middle, high) if left > freedom else (low, middle)
    return np.asarray(cho_solve(factor(high), sides))
