"""What fits of curves and surfaces share: normalized data, spans, convergence, their trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..optimize import Converged, relative_change_below
from ..values import Array

WIDE, NARROWER = 1.0, 0.75  # the widest first span, and the factor from step to step
PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Normalization:
    """Centers points and divides them to about unit size, so that no square overflows.

    The scale is a power of two: there and back loses no digit beyond the centering.
    """

    center: Array
    scale: float

    @classmethod
    def of(cls, points: Array) -> Normalization:
        """Return the normalization of these points; they may not all coincide."""
        points = np.ascontiguousarray(points)  # sums in one order, whatever the layout
        center = points.mean(axis=0)
        largest = float(np.abs(points - center).max())
        size = float(np.abs(points).max())
        if largest <= 16 * np.finfo(np.float64).eps * size:
            raise ValueError(
                f"all {len(points)} points coincide, and no curve or surface is determined by one "
                "point; pass points that differ"
            )
        return cls(center, float(2.0 ** np.ceil(np.log2(largest))))

    def apply(self, points: Array) -> Array:
        """Return points of the data space, normalized."""
        return np.ascontiguousarray((points - self.center) / self.scale)

    def undo(self, points: Array) -> Array:
        """Return normalized points in the data space."""
        return np.asarray(self.center + points * self.scale)


@dataclass(frozen=True, slots=True)
class Distances:
    """Squared distances between data and curve at the start and after every iteration.

    ``sums`` (Izenman 2013, eq. 16.9) are over ``n_counted`` of the ``n_points`` points: all, or in
    a robust fit the nearest ones.
    """

    sums: Array
    n_counted: int
    n_points: int

    @classmethod
    def of(cls, losses: Sequence[float], scale: float, n_counted: int, n_points: int) -> Distances:
        """Return the trace of a fit whose losses are sums of squares in units of ``scale``."""
        return cls(np.array(losses) * scale**2, n_counted, n_points)

    @property
    def means(self) -> Array:
        """Mean squared distances D^2 (Izenman 2013, eq. 16.15)."""
        return self.sums / self.n_counted

    @property
    def legacy(self) -> Array:
        """The numbers of Izenman 2013, figure 16.3: sums, but for the first, which is n times that.

        The program behind the figure multiplies its first value by the number of points: its
        "1023.3 to 0.54" is a fall of the sum of squares from 10.2 to 0.54.
        """
        printed = np.array(self.sums)
        printed[0] *= self.n_points
        return printed

    def __str__(self) -> str:
        """Return the sums, first to last."""
        return " -> ".join(f"{value:.4g}" for value in self.sums)


def narrowing_spans(span: float, max_steps: int) -> tuple[float, ...]:
    """Return the spans of the first steps: wide ones first, then narrower, last the one asked for.

    From a line or a plane, a narrow span ties the curve to whatever overlaps there; a wide one
    first finds the large bends. All of 96 S-shapes were unrolled, from 0.5 down only a quarter.
    """
    spans = [span]
    while spans[0] / NARROWER <= WIDE and len(spans) < max_steps:
        spans.insert(0, spans[0] / NARROWER)
    return tuple(spans)


def convergence_rule(tolerance: float, total: float, after: int) -> Converged:
    """Return the rule: converged when the loss changes by at most this share of it.

    (Izenman 2013, eq. 16.16.) The first ``after`` losses belong to other spans and do not count.
    Nothing makes the losses fall, so a fit has also converged when ``PATIENCE`` steps have not
    improved on the best; and when the loss is nothing but rounding compared to the ``total`` sum
    of squares.
    """
    change = relative_change_below(tolerance)
    rounding = 1e-26 * total

    def rule(losses: Sequence[float]) -> bool:
        counted = losses[after:]
        if losses[-1] <= rounding or len(counted) < 2:
            return losses[-1] <= rounding
        early, late = counted[:-PATIENCE], counted[-PATIENCE:]
        stuck = len(early) > 0 and min(late) > (1 - PATIENCE * tolerance) * min(early)
        return change(counted) or stuck

    return rule
