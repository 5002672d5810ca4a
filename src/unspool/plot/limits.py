"""What part of a map a picture shows: where a few strays would squeeze all others into a dot.

Strays are then drawn at the border, and counted. The same rule serves scales of colours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array
from .style import LABEL, SOFT

CORE = (0.025, 0.975)  # quantiles between which the points lie that must be seen
SQUEEZED = 4.0  # times the width of these: from there on they would fill a quarter of the picture
MARGIN = 0.5  # of their width, to both sides
INSET = 0.02  # of the picture: strays are drawn this far inside the border


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """The corners of what is shown, the places to draw, and which of them lie outside."""

    low: Array
    high: Array
    places: Array
    outside: Array

    @property
    def cropped(self) -> bool:
        """Whether there are strays."""
        return bool(self.outside.any())


def robust_range(values: Array) -> tuple[float, float]:
    """Return the range to show: all of it, unless a few values would take most of it."""
    low, high = float(values.min()), float(values.max())
    first, last = (float(q) for q in np.quantile(values, CORE))
    core = last - first
    if core <= 0.0 or high - low <= SQUEEZED * core:
        return low, high
    return max(low, first - MARGIN * core), min(high, last + MARGIN * core)


def extent_of(places: Array) -> Extent:
    """Return the part of a map that is shown: a square (a cube) around all but strays."""
    ranges = np.array([robust_range(column) for column in places.T])
    low, high = ranges[:, 0], ranges[:, 1]
    if (places >= low).all() and (places <= high).all():
        return Extent(low, high, places, np.zeros(len(places), dtype=bool))
    middle, half = 0.5 * (low + high), 0.5 * float((high - low).max())
    low, high = middle - half, middle + half  # equal lengths on all axes, so more may be inside
    outside = ((places < low) | (places > high)).any(axis=1)
    inset = 2.0 * half * INSET
    drawn = np.where(outside[:, None], np.clip(places, low + inset, high - inset), places)
    return Extent(low, high, drawn, outside)


def show_extent(axes: Any, extent: Extent) -> None:
    """Set the limits of axes where points lie outside, and say how many do."""
    if not extent.cropped:
        return
    solid = extent.places.shape[1] == 3
    margin = INSET * (extent.high - extent.low)
    limits = np.column_stack([extent.low - margin, extent.high + margin])
    for set_limits, pair in zip(
        (axes.set_xlim, axes.set_ylim, *((axes.set_zlim,) if solid else ())), limits, strict=True
    ):
        set_limits(*pair)
    if not solid:
        axes.set_box_aspect(1.0)
    count = int(extent.outside.sum())
    write = axes.text2D if solid else axes.text
    write(
        0.98,
        -0.01,  # below the frame, where no stray is drawn
        f"{count:,} point{'s' if count > 1 else ''} outside",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=LABEL - 1,
        color=SOFT,
    )
