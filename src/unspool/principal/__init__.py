"""Principal curves and surfaces: project, smooth, repeat."""

from .curve import (
    CurveSettings,
    CurveState,
    fit_curve,
    initial_circle,
    initial_line,
    self_consistency,
)
from .fitting import Distances, Normalization, narrowing_spans
from .geometry import Curve, Polygon, Projection, polygon
from .smoothers import Smoother, smoother, smoothing_spline
from .spline_surface import SplineSurface, farthest_points, nearest_neighbors, smooth_surface
from .surface import (
    PARAMETRIZATIONS,
    Parametrization,
    SurfaceSettings,
    SurfaceState,
    count_folds,
    count_tears,
    fit_edge_lengths,
    fit_surface,
)

__all__ = [
    "PARAMETRIZATIONS",
    "Curve",
    "CurveSettings",
    "CurveState",
    "Distances",
    "Normalization",
    "Parametrization",
    "Polygon",
    "Projection",
    "Smoother",
    "SplineSurface",
    "SurfaceSettings",
    "SurfaceState",
    "count_folds",
    "count_tears",
    "farthest_points",
    "fit_curve",
    "fit_edge_lengths",
    "fit_surface",
    "initial_circle",
    "initial_line",
    "narrowing_spans",
    "nearest_neighbors",
    "polygon",
    "self_consistency",
    "smooth_surface",
    "smoother",
    "smoothing_spline",
]
