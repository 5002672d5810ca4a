"""Between the data and the network: the units in which a network sees points and answers.

Points are centred and divided by one number for all features. One number each would make a network
without hidden layers the PCA of correlations; with one for all it is the PCA of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import Array

REACH = 0.8  # of a sigmoid's range is used by the data: its ends are reached at infinity only


@dataclass(frozen=True, slots=True)
class Frame:
    """``inputs = (points - center) / scale`` and ``points = offset + span * outputs``."""

    center: Array
    scale: float
    offset: Array
    span: Array

    def inputs(self, points: Array) -> Array:
        """Return points as the network sees them: mean 0, root mean square 1."""
        return np.ascontiguousarray((points - self.center) / self.scale)

    def targets(self, points: Array) -> Array:
        """Return the outputs that would reconstruct the points exactly."""
        worth = np.where(self.span > 0.0, self.span, 1.0)
        return np.ascontiguousarray((points - self.offset) / worth)

    def points(self, outputs: Array) -> Array:
        """Return the points that outputs stand for."""
        return np.asarray(self.offset + self.span * outputs)

    @property
    def worth(self) -> Array:
        """What an output of one is worth in inputs, feature by feature."""
        return np.asarray(self.span / self.scale)


def frame_of(points: Array, output: str) -> Frame:
    """Return the frame of the data for a network whose output layer has this activation."""
    points = np.ascontiguousarray(points)  # sums depend on the order in memory, by a last digit
    center = points.mean(axis=0)
    scale = _spread(points - center, float(np.abs(points).max()))
    if output == "linear":
        return Frame(center, scale, center, np.full(len(center), scale))
    lowest, highest = points.min(axis=0), points.max(axis=0)
    middle, half = lowest + (highest - lowest) / 2, (highest - lowest) / (2 * REACH)
    if output == "tanh":
        return Frame(center, scale, middle, half)
    return Frame(center, scale, middle - half, 2 * half)


def _spread(centred: Array, magnitude: float) -> float:
    """Return the root mean square of all entries; 1 where the points differ by rounding alone."""
    largest = float(np.abs(centred).max())
    if largest <= 8 * np.finfo(float).eps * magnitude:
        return 1.0
    return largest * float(np.sqrt(np.square(centred / largest).mean()))
