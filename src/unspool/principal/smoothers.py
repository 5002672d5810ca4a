"""Scatterplot smoothers: averages of the data over neighbors along the curve.

(Izenman 2013, section 16.3.3.) All smooth every coordinate against arc length. ``span`` is the
share of the points that an average is taken over: "kernel" takes their tricube-weighted mean,
"lowess" a weighted running line through them, and "spline" is the cubic smoothing spline with about
as many degrees of freedom as that line, 1 + 2 / span. Running lines and splines reproduce straight
lines; a mean shortens the ends.

The smoothing spline, open or periodic, minimizes sum w (y - f)^2 + alpha * integral f''^2. As many
knots as the degrees of freedom can use (not one per point) make it a small banded problem, whatever
the number of points; alpha is found by bisection on the trace of the smoother.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import run_kernel
from ..values import Array
from .geometry import space_out

NAMES = ("spline", "lowess", "kernel")
NODES = 32  # smoothed between two looks at who wants to interrupt
# of the curve: finer than any span resolves, the chords miss it by 1e-6 of its length
VERTICES = 1000
KNOTS = 4  # intervals for each degree of freedom: with more, the fit no longer changes
ALPHA = (-15.0, 6.0)  # decades searched, for a curve of unit length and weights that sum to one
POINT = 1.0 / np.sqrt(3.0)  # Gauss's two points integrate the product of two lines exactly


@dataclass(frozen=True, slots=True)
class Smoother:
    """A smoother with its span; ``weighted`` tells a function that it is given weights too."""

    kind: str | Callable[..., Any]
    span: float
    weighted: bool = False

    @property
    def freedom(self) -> float:
        """Degrees of freedom: about as many parameters as the smooth curve has per coordinate."""
        return 1.0 + 2.0 / self.span

    @property
    def detail(self) -> float:
        """Share of the length below which the curve is rough: windows gain and lose points."""
        return self.span / 8 if self.kind in ("lowess", "kernel") else 0.0

    def __call__(
        self, positions: Array, values: Array, weights: Array, nodes: Array, period: float | None
    ) -> Array:
        """Return the smooth values at the ``nodes``; nodes and positions are sorted.

        With a ``period`` the curve is closed: the data go around.
        """
        if self.kind == "spline":
            return smoothing_spline(positions, values, weights, nodes, self.freedom, period)
        count = min(len(positions), max(3, int(np.ceil(self.span * len(positions)))))
        if period is not None:
            positions, values, weights = _wrapped(positions, values, weights, period, count)
        if callable(self.kind):
            given = (positions, values, weights) if self.weighted else (positions, values)
            return _interpolated(self.kind(*given), positions, values.shape, nodes)
        from .principal_kernels import smooth_locally

        values, degree = np.ascontiguousarray(values), 1 if self.kind == "lowess" else 0
        smooth = np.empty((len(nodes), values.shape[1]))
        arguments = positions, values, weights, nodes, count, degree, smooth
        run_kernel(smooth_locally, arguments, len(nodes), NODES)
        return smooth


def _interpolated(smooth: Any, positions: Array, shape: tuple[int, ...], nodes: Array) -> Array:
    """Return at the nodes what a function made of the values at the positions."""
    smooth = np.asarray(smooth, dtype=np.float64)
    if smooth.shape != shape or not np.isfinite(smooth).all():
        raise ValueError(
            f"the smoother must return finite values of shape {shape}, one row per point; it "
            f"returned shape {smooth.shape}"
        )
    return np.column_stack([np.interp(nodes, positions, column) for column in smooth.T])


def smoother(kind: str | Callable[..., Any], span: float, weighted: bool) -> Smoother:
    """Return a smoother by name, or of a function ``(positions, values[, weights]) -> values``."""
    if not callable(kind) and kind not in NAMES:
        raise ValueError(f"unknown smoother {kind!r}; use a function or one of {NAMES}")
    return Smoother(kind, span, weighted)


def choose_nodes(positions: Array) -> Array:
    """Return the positions that become corners of the curve, sorted: those of all points, if few.

    Of many points, half of the corners are spread evenly over the points and half over the length,
    so that neither dense nor empty stretches are drawn coarsely.
    """
    distinct = np.unique(positions)
    if len(distinct) > VERTICES:
        ranks = np.linspace(0, len(distinct) - 1, VERTICES // 2).round().astype(int)
        even = np.linspace(distinct[0], distinct[-1], VERTICES // 2)
        distinct = np.unique(np.concatenate([distinct[ranks], even]))
    return np.asarray(distinct[space_out(distinct, 1e-4 * float(distinct[-1] - distinct[0]))])


def _wrapped(
    positions: Array, values: Array, weights: Array, period: float, count: int
) -> tuple[Array, Array, Array]:
    """Return the data of a closed curve with ``count`` more of them at either end."""
    wrapped = np.concatenate([positions[-count:] - period, positions, positions[:count] + period])
    return (
        wrapped,
        np.concatenate([values[-count:], values, values[:count]]),
        np.concatenate([weights[-count:], weights, weights[:count]]),
    )


@dataclass(frozen=True, slots=True)
class _Basis:
    """Cubic B-splines on the unit interval; periodic ones continue around the end."""

    knots: Array
    periodic: bool

    def __call__(self, at: Array) -> sp.csr_array:
        """Return the values of all splines at these positions: four that are not zero for each."""
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
        second = every.derivative(2)(at) @ self._fold()
        return np.asarray((second.T * np.concatenate([half, half])) @ second)

    def _fold(self) -> sp.csr_array:
        """Return the matrix that adds the last three splines to the first, if periodic."""
        count = len(self.knots) - 4
        own = count - 3 if self.periodic else count
        return sp.csr_array((np.ones(count), (np.arange(count), np.arange(count) % own)))


def smoothing_spline(
    positions: Array,
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
    start = float(positions[0])
    reach = float(positions[-1]) - start if period is None else period
    unit, wanted = (positions - start) / reach, np.clip((nodes - start) / reach, 0.0, 1.0)
    share = weights / weights.sum()
    trend = _line(unit, values, share) if period is None else (share @ values, 0.0 * values[0])
    rest = values - trend[0] - np.multiply.outer(unit, trend[1])
    basis = _Basis(_knots(unit, freedom, period is not None), period is not None)
    rows = basis(unit)
    shared = sp.csr_array(rows.multiply(share[:, None])).T
    gram = (shared @ rows).toarray()
    coefficients = _penalized(gram, basis.penalty(), shared @ rest, freedom)
    line = trend[0] + np.multiply.outer(wanted, trend[1])
    return np.asarray(line + basis(wanted) @ coefficients)


def _line(unit: Array, values: Array, share: Array) -> tuple[Array, Array]:
    center, mean = share @ unit, share @ values
    lever = unit - center
    gradient = (share * lever) @ (values - mean) / (share @ lever**2)
    return mean - gradient * center, gradient


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


def _penalized(gram: Array, penalty: Array, sides: Array, freedom: float) -> Array:
    """Solve (gram + alpha penalty) c = sides for the alpha that leaves ``freedom``."""
    from scipy.linalg import cho_factor, cho_solve

    # a hair of ridge: with fewer distinct positions than knots the sum is singular to rounding
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
