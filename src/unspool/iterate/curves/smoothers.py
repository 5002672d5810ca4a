"""Scatterplot smoothers: the average of the data over neighbouring places on the curve (S4 16.3.3).

All smooth every coordinate against arc length. ``span`` is the share of the points that an average
is taken over: "kernel" takes their tricube-weighted mean, "lowess" a weighted running line through
them, and "spline" is the cubic smoothing spline with about as many degrees of freedom as that line,
1 + 2 / span. Running lines and splines reproduce straight lines; a mean shortens the ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...values import Array
from .polygon import spaced
from .spline import smoothing_spline

NAMES = ("spline", "lowess", "kernel")
VERTICES = (
    1000  # of the curve: finer than any span resolves, the chords miss it by 1e-6 of its length
)


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
        self, places: Array, values: Array, weights: Array, nodes: Array, period: float | None
    ) -> Array:
        """Return the smooth values at the ``nodes``; nodes and places are sorted.

        With a ``period`` the curve is closed: the data go around.
        """
        if self.kind == "spline":
            return smoothing_spline(places, values, weights, nodes, self.freedom, period)
        count = min(len(places), max(3, int(np.ceil(self.span * len(places)))))
        if period is not None:
            places, values, weights = _around(places, values, weights, period, count)
        if callable(self.kind):
            return self._called(self.kind, places, values, weights, nodes)
        from ._kernels import smooth_locally

        degree = 1 if self.kind == "lowess" else 0
        smooth = smooth_locally(places, np.ascontiguousarray(values), weights, nodes, count, degree)
        return np.asarray(smooth)

    def _called(
        self, kind: Callable[..., Any], places: Array, values: Array, weights: Array, nodes: Array
    ) -> Array:
        given = (places, values, weights) if self.weighted else (places, values)
        smooth = np.asarray(kind(*given), dtype=np.float64)
        if smooth.shape != values.shape or not np.isfinite(smooth).all():
            raise ValueError(
                f"the smoother must return finite values of shape {values.shape}, one row a place; "
                f"it returned shape {smooth.shape}"
            )
        columns = [np.interp(nodes, places, column) for column in smooth.T]
        return np.column_stack(columns)


def smoother(kind: str | Callable[..., Any], span: float, weighted: bool) -> Smoother:
    """Return a smoother by name, or around a function ``(places, values[, weights]) -> values``."""
    if not callable(kind) and kind not in NAMES:
        raise ValueError(f"unknown smoother {kind!r}; use a function or one of {NAMES}")
    return Smoother(kind, span, weighted)


def nodes_among(places: Array) -> Array:
    """Return the places that become corners of the curve, sorted: those of all points, if few.

    Of many points, half of the corners are spread evenly over the points and half over the length,
    so that neither dense nor empty stretches are drawn coarsely.
    """
    distinct = np.unique(places)
    if len(distinct) > VERTICES:
        ranks = np.linspace(0, len(distinct) - 1, VERTICES // 2).round().astype(int)
        even = np.linspace(distinct[0], distinct[-1], VERTICES // 2)
        distinct = np.unique(np.concatenate([distinct[ranks], even]))
    return np.asarray(distinct[spaced(distinct, 1e-4 * float(distinct[-1] - distinct[0]))])


def _around(
    places: Array, values: Array, weights: Array, period: float, count: int
) -> tuple[Array, Array, Array]:
    """Return the data of a closed curve with ``count`` more of them at either end."""
    wrapped = np.concatenate([places[-count:] - period, places, places[:count] + period])
    return (
        wrapped,
        np.concatenate([values[-count:], values, values[:count]]),
        np.concatenate([weights[-count:], weights, weights[:count]]),
    )
