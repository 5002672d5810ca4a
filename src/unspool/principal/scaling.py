"""What principal curves and surfaces share: the frame they are computed in, and their trace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..optimize import relative_change_below
from ..values import Array

WIDE, NARROWER = 1.0, 0.75  # the widest first span, and the factor from step to step
PATIENCE = 5


@dataclass(frozen=True, slots=True)
class Frame:
    """Centred coordinates in which the data have about unit size, so that no square overflows.

    The unit is a power of two: going in and out loses no digit beyond the centring.
    """

    origin: Array
    unit: float

    @classmethod
    def of(cls, points: Array) -> Frame:
        """Return the frame of these points; they may not all coincide."""
        points = np.ascontiguousarray(points)  # sums in one order, whatever the layout
        origin = points.mean(axis=0)
        largest = float(np.abs(points - origin).max())
        size = float(np.abs(points).max())
        if largest <= 16 * np.finfo(np.float64).eps * size:
            raise ValueError(
                f"all {len(points)} points coincide, and no curve or surface is determined by one "
                "point; pass points that differ"
            )
        return cls(origin, float(2.0 ** np.ceil(np.log2(largest))))

    def inside(self, points: Array) -> Array:
        """Return points of the data space in this frame."""
        return np.ascontiguousarray((points - self.origin) / self.unit)

    def outside(self, points: Array) -> Array:
        """Return points of this frame in the data space."""
        return np.asarray(self.origin + points * self.unit)


@dataclass(frozen=True, slots=True)
class Distances:
    """Squared distances between data and curve at the start and after every iteration.

    ``sums`` (S4 16.9) are over ``n_counted`` of the ``n_points`` points: all, or in a robust fit
    the nearest ones.
    """

    sums: Array
    n_counted: int
    n_points: int

    @classmethod
    def of(cls, losses: Sequence[float], unit: float, n_counted: int, n_points: int) -> Distances:
        """Return the trace of a run whose losses are sums of squares in a frame of this unit."""
        return cls(np.array(losses) * unit**2, n_counted, n_points)

    @property
    def means(self) -> Array:
        """Mean squared distances D^2 (S4 16.15)."""
        return self.sums / self.n_counted

    @property
    def legacy(self) -> Array:
        """The numbers printed in S4 (figure 16.3): sums, but for the start, which is n times that.

        The program behind the figure multiplies its first value by the number of points: its
        "1023.3 to 0.54" is a fall of the sum of squares from 10.2 to 0.54.
        """
        printed = np.array(self.sums)
        printed[0] *= self.n_points
        return printed

    def __str__(self) -> str:
        """Return the sums, first to last."""
        return " -> ".join(f"{value:.4g}" for value in self.sums)


def narrowing(span: float, max_steps: int) -> tuple[float, ...]:
    """Return the spans of the first steps: wide ones first, then narrower, last the one asked for.

    From a line or a plane, a narrow span ties the curve to whatever overlaps there; a wide one
    first finds the large bends. All of 96 S-shapes were unrolled, from 0.5 down only a quarter.
    """
    spans = [span]
    while spans[0] / NARROWER <= WIDE and len(spans) < max_steps:
        spans.insert(0, spans[0] / NARROWER)
    return tuple(spans)


def converged_below(
    tolerance: float, total: float, after: int
) -> Callable[[Sequence[float]], bool]:
    """Return the rule of S4 16.16: converged when the loss changes by less than this share of it.

    The first ``after`` losses belong to other spans and do not count. Nothing makes the losses
    fall, so a run is also settled when ``PATIENCE`` steps have not improved on the best; and when
    the loss is nothing but rounding compared to the ``total`` sum of squares.
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
