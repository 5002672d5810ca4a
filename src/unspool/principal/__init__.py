"""Principal curves and surfaces: project, smooth, repeat."""

from .curve import (
    CurveSettings,
    CurveState,
    Distances,
    Normalization,
    fit_curve,
    initial_circle,
    initial_line,
    narrowing_spans,
    self_consistency,
)
from .geometry import Curve, Polygon, Projection, polygon
from .polygonal import PolygonalFit, ambiguity_points, corner_price, fit_polygonal
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
    surface_self_consistency,
    surface_weights,
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
    "PolygonalFit",
    "Projection",
    "Smoother",
    "SplineSurface",
    "SurfaceSettings",
    "SurfaceState",
    "ambiguity_points",
    "corner_price",
    "count_folds",
    "count_tears",
    "farthest_points",
    "fit_curve",
    "fit_edge_lengths",
    "fit_polygonal",
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
    "surface_self_consistency",
    "surface_weights",
]
