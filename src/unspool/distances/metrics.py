"""Distances of all pairs between two sets of points, by any metric."""

from __future__ import annotations

import numpy as np

from ..values import Array, Metric


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


def squared_norms(points: Array) -> Array:
    """Return |x|^2 of each row.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points.

    Returns
    -------
    ndarray of shape (n_samples,)
        The squared norms.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.squared_norms(np.array([[3.0, 4.0]]))
    array([25.])
    """
    return np.asarray(np.einsum("ij,ij->i", points, points))


def expand_squares(queries: Array, points: Array, own: Array, norms: Array) -> Array:
    """Return |x|^2 + |y|^2 - 2 x.y of all pairs: squared distances at the speed of a product.

    Center queries and points first: what is near beside the norms loses its digits, and may come
    out negative.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_features)
        The points of the rows.
    points : ndarray of shape (n_samples, n_features)
        The points of the columns.
    own : ndarray of shape (n_queries,)
        The ``squared_norms`` of the queries.
    norms : ndarray of shape (n_samples,)
        The ``squared_norms`` of the points.

    Returns
    -------
    ndarray of shape (n_queries, n_samples)
        The squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> x, y = np.array([[1.0]]), np.array([[3.0], [-1.0]])
    >>> distances.expand_squares(x, y, distances.squared_norms(x), distances.squared_norms(y))
    array([[4., 4.]])
    """
    squares = np.asarray(queries @ (-2.0 * points.T))
    squares += norms
    squares += own[:, None]
    return squares


def _check_distances(table: Array, metric: Metric) -> None:
    wrong = ~(table >= 0.0) | np.isinf(table)  # the comparison is false for NaN
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise ValueError(
            f"metric {metric!r} gave {table[row, column]} between row {row} and point {column}; a "
            "distance is a finite number that is not negative"
        )
