"""Distances of all pairs between two sets of points, by any metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array, Metric

# haversine knows two columns only; the last two would take their scales anew from each call's data
UNUSABLE = {"nan_euclidean", "haversine", "mahalanobis", "seuclidean"}


def pairwise_distances(queries: Array, points: Array, metric: Metric = "euclidean") -> Array:
    """Return the table of distances from each query to each point.

    Euclidean distances come from the differences themselves, never from |x|^2 + |y|^2 - 2 x.y,
    which loses all digits of close pairs far from the origin.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        The points of the rows.
    points : ndarray of shape (n_samples, n_features)
        The points of the columns.
    metric : str or callable, default="euclidean"
        Name of a metric, or a function of two points.

    Returns
    -------
    ndarray of shape (n_queries, n_samples)
        The distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.pairwise_distances(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [0.0, 1.0]]))
    array([[5., 1.]])
    """
    if metric not in ("euclidean", "l2"):
        from sklearn import metrics

        table = np.asarray(metrics.pairwise_distances(queries, points, metric=metric))
        _check_distances(table, metric)
        return table
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(queries, points))


def pairwise_squared_distances(
    queries: Array, points: Array, metric: Metric = "euclidean"
) -> Array:
    """Return the table of squared distances from each query to each point.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        The points of the rows.
    points : ndarray of shape (n_samples, n_features)
        The points of the columns.
    metric : str or callable, default="euclidean"
        Name of a metric, or a function of two points.

    Returns
    -------
    ndarray of shape (n_queries, n_samples)
        The squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.pairwise_squared_distances(np.array([[0.0]]), np.array([[3.0], [2.0]]))
    array([[9., 4.]])
    """
    if metric in ("euclidean", "l2"):
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(queries, points, "sqeuclidean"))
    return pairwise_distances(queries, points, metric) ** 2


def _check_distances(table: Array, metric: Metric) -> None:
    wrong = ~(table >= 0.0) | np.isinf(table)  # the comparison is false for NaN
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise ValueError(
            f"metric {metric!r} gave {table[row, column]} between row {row} and point {column}; a "
            "distance is a finite number that is not negative"
        )


def check_metric(metric: Any) -> None:
    """Raise ValueError with the known names if ``metric`` is neither callable nor known.

    Parameters
    ----------
    metric : str or callable
        The metric to check.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.check_metric("cosine")
    """
    if callable(metric) or metric == "precomputed":
        return
    from sklearn.metrics.pairwise import _VALID_METRICS as SCIPY_METRICS
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS

    known = sorted({*SCIPY_METRICS, *PAIRWISE_DISTANCE_FUNCTIONS} - UNUSABLE)
    if metric not in known:
        raise ValueError(f"unknown metric {metric!r}; use a callable or one of {', '.join(known)}")
