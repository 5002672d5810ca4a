"""Distances of all pairs between two sets of points, by any metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array, Metric


def cross(queries: Array, points: Array, metric: Metric = "euclidean") -> Array:
    """Return the table of distances from each query to each point.

    Euclidean distances come from the differences themselves, never from |x|^2 + |y|^2 - 2 x.y,
    which loses all digits of close pairs far from the origin.
    """
    if metric not in ("euclidean", "l2"):
        from sklearn.metrics import pairwise_distances

        return np.asarray(pairwise_distances(queries, points, metric=metric))
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(queries, points))


def squared(queries: Array, points: Array, metric: Metric = "euclidean") -> Array:
    """Return the table of squared distances."""
    if metric in ("euclidean", "l2"):
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(queries, points, "sqeuclidean"))
    return cross(queries, points, metric) ** 2


def check_metric(metric: Any) -> None:
    """Raise ValueError with the known names if ``metric`` is neither callable nor known."""
    if callable(metric) or metric == "precomputed":
        return
    from sklearn.metrics.pairwise import _VALID_METRICS as SCIPY_METRICS
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS

    known = sorted({*SCIPY_METRICS, *PAIRWISE_DISTANCE_FUNCTIONS} - {"nan_euclidean", "haversine"})
    if metric not in known:
        raise ValueError(f"unknown metric {metric!r}; use a callable or one of {', '.join(known)}")
