"""The one formula for new points, and the chart that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array


@dataclass(frozen=True, slots=True)
class Chart:
    """The map of one connected piece: its points, their coordinates, and how new ones are weighed.

    ``multipliers`` is what the formula divides by; ``relation`` is whatever the method needs to
    turn the neighbours of a new point into its rows.
    """

    members: Array
    coordinates: Array
    values: Array
    multipliers: Array
    relation: Any = None
    anchors: Array | None = None  # coordinates of the landmarks, where rows refer to these alone


def place(rows: Any, coordinates: Array, multipliers: Array) -> Array:
    """Return ``rows @ coordinates / multipliers``: where new points go (Bengio et al. 2004).

    ``rows`` (dense or sparse) say what each new point looks like to the old ones. A coordinate
    whose multiplier is zero carries nothing and stays zero.
    """
    image = np.asarray(rows @ coordinates)
    divisors = np.broadcast_to(multipliers, image.shape)
    placed = np.zeros_like(image)
    np.divide(image, divisors, out=placed, where=divisors != 0.0)
    return placed
