"""At which scale to read a dimension.

Dimension depends on the scale. Too close, noise fills the space and points on a regular grid look
like anything; too far, bends and neighbouring sheets count. What is wanted lies in between and
shows as a level stretch. So: start at the finest scale; as long as the next coarser one says
clearly less, noise or a grid is still being resolved, and one goes on. If the estimate then
fills the space, so that it may be noise throughout, a clearly lower stretch farther on wins.
Where near-copies count, scales after which the estimate jumps up are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..values import Array

OVERLAP = 1.5  # errors over neighbourhoods that share points, for errors over as many apart:
# 1.1 to 1.7 at every scale, measured on normal clouds in 1, 2 and 4 dimensions
LEVEL = 0.03  # a smaller relative change from one scale to the next counts as none
FILLED = 0.5  # an estimate this close to the dimension of the space fills it
JUMP = 0.5  # a relative rise from one scale to the next that no bend explains
LOWER = 0.2  # of the dimension of the space (and at least 0.5): a clearly lower stretch


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


def settle(
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
    >>> from unspool import dimension
    >>> dimension.settle(lambda scale: (2.0 + 1.0 / scale, 0.1), [10, 20, 40], 3.0).index
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


def doubling(first: int, last: int) -> list[int]:
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
    >>> from unspool import dimension
    >>> dimension.doubling(10, 50)
    [10, 20, 40]
    """
    scales = [max(1, min(first, last))]
    while 2 * scales[-1] <= last:
        scales.append(2 * scales[-1])
    return scales
