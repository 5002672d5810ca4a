"""Where a principal curve starts: the first principal component, or a circle."""

from __future__ import annotations

import numpy as np

from ...values import Array
from .polygon import Polygon, polygon

CORNERS = 360


def line_start(points: Array, axis: Array) -> Polygon:
    """Return the segment along ``axis`` through the origin that all centred points fall on."""
    scores = points @ axis
    return polygon(np.array([scores.min(), scores.max()])[:, None] * axis)


def circle_start(points: Array, axes: Array, closed: bool) -> Polygon:
    """Return a circle around the origin in the plane of two ``axes``, as wide as the points are.

    Its radius is the mean distance of the centred points from the origin in that plane. Unless
    ``closed`` it is cut open at the back of the first axis.
    """
    radius = float(np.linalg.norm(points @ axes.T, axis=1).mean())
    angle = np.linspace(-np.pi, np.pi, CORNERS + 1)
    circle = radius * np.column_stack([np.cos(angle), np.sin(angle)]) @ axes
    return polygon(circle[:-1], closed)
