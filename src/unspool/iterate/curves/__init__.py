"""Principal curves: the polygon, its projection index, the smoothers, and the steps between them.

A principal curve passes through the middle of the data: each of its points is the mean of the data
that project there (S4 16.7). Project, smooth, project again: ``fit_curve`` is that alternation.
"""

from .fit import Draft, Settings, fit_curve, self_consistency
from .geometry import Curve
from .polygon import Polygon, Projection, polygon
from .smoothers import NAMES, Smoother, smoother
from .starts import circle_start, line_start

__all__ = [
    "NAMES",
    "Curve",
    "Draft",
    "Polygon",
    "Projection",
    "Settings",
    "Smoother",
    "circle_start",
    "fit_curve",
    "line_start",
    "polygon",
    "self_consistency",
    "smoother",
]
