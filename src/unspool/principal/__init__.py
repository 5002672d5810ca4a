"""Principal curves and surfaces: project, smooth, repeat."""

from .curve import CurveSettings, Draft, circle_start, fit_curve, line_start, self_consistency
from .geometry import Curve
from .parametrization import PARAMETRIZATIONS, count_folds, count_tears, with_lengths
from .polygon import Polygon, Projection, polygon
from .scaling import Distances, Frame, narrowing
from .sheet import Sheet, nearest, smooth_sheet, spread_order, well_spread
from .smoothers import NAMES, Smoother, smoother, smoothing_spline
from .surface import Fitted, SurfaceSettings, fit_surface

__all__ = [
    "NAMES",
    "PARAMETRIZATIONS",
    "Curve",
    "CurveSettings",
    "Distances",
    "Draft",
    "Fitted",
    "Frame",
    "Polygon",
    "Projection",
    "Sheet",
    "Smoother",
    "SurfaceSettings",
    "circle_start",
    "count_folds",
    "count_tears",
    "fit_curve",
    "fit_surface",
    "line_start",
    "narrowing",
    "nearest",
    "polygon",
    "self_consistency",
    "smooth_sheet",
    "smoother",
    "smoothing_spline",
    "spread_order",
    "well_spread",
    "with_lengths",
]
