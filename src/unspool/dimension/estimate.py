"""What an estimate of dimension is, and at which scale it is read.

Dimension depends on the scale. Too close, noise fills the space and points on a regular grid look
like anything; too far, bends and neighbouring sheets count. What is wanted lies in between and
shows as a level stretch. So: start at the finest scale; as long as the next coarser one says
clearly less, noise or a grid is still being resolved, and one goes on. If the estimate then
fills the space, so that it may be noise throughout, a clearly lower stretch farther on wins.
Where near-copies count, scales after which the estimate jumps up are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..values import Array

OVERLAP = 1.5  # errors over neighbourhoods that share points, for errors over as many apart:
# 1.1 to 1.7 at every scale, measured on normal clouds in 1, 2 and 4 dimensions
LEVEL = 0.03  # a smaller relative change from one scale to the next counts as none
FILLED = 0.5  # an estimate this close to the dimension of the space fills it
JUMP = 0.5  # a relative rise from one scale to the next that no bend explains
LOWER = 0.2  # of the dimension of the space (and at least 0.5): a clearly lower stretch


def _nothing() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Estimate:
    """The dimension by one method.

    ``standard_error`` holds both the scatter of the data and half the change to the next coarser
    scale. ``curve[i]`` is the estimate read at ``scales[i]`` (neighbours, or a radius), and
    ``read_at`` says in words which of them counts. ``per_point[i]`` belongs to the row
    ``sample[i]`` of the data, where the method has an answer per point; ``exact`` says that all
    distinct points were looked at.
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


@dataclass(frozen=True, slots=True)
class Reading:
    """The scale that counts (``index``), and all that were looked at, finest first."""

    index: int
    values: Array
    errors: Array

    @property
    def value(self) -> float:
        """The estimate."""
        return float(self.values[self.index])

    @property
    def error(self) -> float:
        """Its standard error, half the step to the next coarser scale included."""
        step = 0.0
        if self.index + 1 < len(self.values):
            step = float(self.values[self.index + 1] - self.values[self.index]) / 2
        return float(np.hypot(self.errors[self.index], step))


def choose_scale(
    read: Callable[[int], tuple[float, float]],
    scales: Sequence[int],
    ceiling: float,
    *,
    near_copies: bool = False,
) -> Reading:
    """Return at which scale to read the dimension.

    Coarse scales are computed only if they are needed.

    Parameters
    ----------
    read : callable
        ``read(scale)`` gives an estimate and its error.
    scales : sequence of int
        The scales, finest first.
    ceiling : float
        Dimension of the space that the points lie in.
    near_copies : bool, default=False
        Pairs of almost equal points would spoil the finest scales.

    Returns
    -------
    Reading
        The scale that counts, and all that were looked at.

    Examples
    --------
    >>> from unspool.dimension.estimate import choose_scale
    >>> choose_scale(lambda scale: (2.0 + 1.0 / scale, 0.1), [10, 20, 40], 3.0).index
    0
    """
    values: list[float] = []
    errors: list[float] = []

    def known(index: int) -> bool:
        while len(values) <= index < len(scales):
            value, error = read(scales[len(values)])
            values.append(value)
            errors.append(error)
        return index < len(scales)

    def descend(index: int) -> int:
        while known(index + 1) and _falls(values, errors, index):
            index += 1
        return index

    known(0)
    index = 0
    while near_copies and known(index + 1) and _jumps(values, errors, index):
        index += 1
    index = descend(index)
    if values[index] > ceiling - FILLED:
        known(len(scales) - 1)
        enough = values[index] - max(0.5, LOWER * ceiling)
        lower = [i for i in range(index + 1, len(values)) if values[i] < enough]
        index = descend(lower[0]) if lower else index
    known(index + 1)
    return Reading(index, np.array(values), np.array(errors))


def _falls(values: list[float], errors: list[float], index: int) -> bool:
    fall = values[index] - values[index + 1]
    noise = 2.0 * float(np.hypot(errors[index], errors[index + 1]))
    return fall > max(LEVEL * values[index], noise)


def _jumps(values: list[float], errors: list[float], index: int) -> bool:
    rise = values[index + 1] - values[index]
    noise = 3.0 * float(np.hypot(errors[index], errors[index + 1]))
    return rise > max(JUMP * values[index], noise)


def doubling_scales(first: int, last: int) -> list[int]:
    """Return first, 2 first, 4 first, ... as far as ``last``; at least one.

    Parameters
    ----------
    first : int
        The smallest scale.
    last : int
        The largest scale.

    Returns
    -------
    list of int
        The scales, each twice the one before.

    Examples
    --------
    >>> from unspool.dimension.estimate import doubling_scales
    >>> doubling_scales(10, 50)
    [10, 20, 40]
    """
    scales = [max(1, min(first, last))]
    while 2 * scales[-1] <= last:
        scales.append(2 * scales[-1])
    return scales
