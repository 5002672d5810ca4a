"""What an estimate of dimension is: a number, how sure, at which scale, and the same per point."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..values import Array


def _nothing() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Estimate:
    """The dimension by one method.

    ``standard_error`` holds both the scatter of the data and half the change to the next coarser
    scale. ``curve[i]`` is the estimate read at ``scales[i]`` (neighbours, or a radius), and
    ``read_at`` says in words which of them counts. ``per_point[i]`` belongs to the row
    ``sample[i]`` of the data, where the method has an answer per point; ``exact`` says that all
    distinct points were asked.
    """

    method: str
    value: float
    standard_error: float
    read_at: str
    exact: bool
    curve: Array = field(default_factory=_nothing)
    scales: Array = field(default_factory=_nothing)
    per_point: Array = field(default_factory=_nothing)
    sample: Array = field(default_factory=_nothing)

    @property
    def interval(self) -> tuple[float, float]:
        """Two standard errors to both sides, never below 0."""
        return max(0.0, self.value - 2 * self.standard_error), self.value + 2 * self.standard_error

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        """Return the estimate in one line."""
        return f"{self.method}: {self.value:.2f} +- {self.standard_error:.2f} ({self.read_at})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Dimension:
    """The intrinsic dimension of data: what each method says, and what they say together.

    ``value`` is the median of the estimates and ``spread`` their range; ``left_out`` tells why a
    method has no say. Prints as a table.
    """

    estimates: tuple[Estimate, ...]
    n_points: int
    n_distinct: int
    n_columns: int
    left_out: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        """Median of the estimates."""
        return float(np.median([estimate.value for estimate in self.estimates]))

    @property
    def spread(self) -> tuple[float, float]:
        """Lowest and highest estimate."""
        values = [estimate.value for estimate in self.estimates]
        return min(values), max(values)

    @property
    def n_components(self) -> int:
        """The number of coordinates to ask a method for: the value as a whole number, at least
        1. Closed shapes (a ring, a sphere) need one more.
        """
        return max(1, round(self.value))

    def __float__(self) -> float:
        return self.value

    def __getitem__(self, method: str) -> Estimate:
        for estimate in self.estimates:
            if estimate.method == method:
                return estimate
        known = ", ".join(estimate.method for estimate in self.estimates)
        raise KeyError(f"no estimate {method!r} here; there are: {known}")

    def __str__(self) -> str:
        """Return the consensus and a table of the estimates."""
        low, high = self.spread
        copies = self.n_points - self.n_distinct
        lines = [
            f"intrinsic dimension {self.value:.2f}, methods say {low:.2f} to {high:.2f}",
            f"{self.n_points} points"
            + (f", {copies} of them copies" if copies else "")
            + (f", {self.n_columns} columns" if self.n_columns else ", given by distances"),
            "",
            f"{'method':<14}{'estimate':>9}{'+-':>7}{'80% of points':>16}   read at",
            *(_line(estimate) for estimate in self.estimates),
            *(f"left out: {reason}" for reason in self.left_out),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


def _line(estimate: Estimate) -> str:
    points = "-"
    if len(estimate.per_point):
        low, high = np.quantile(estimate.per_point, [0.1, 0.9])
        points = f"{low:.1f} .. {high:.1f}"
    return (
        f"{estimate.method:<14}{estimate.value:>9.2f}{estimate.standard_error:>7.2f}{points:>16}"
        f"   {estimate.read_at}"
    )
