"""Distances of all pairs between two sets of points, by any metric.

Large Euclidean tables come from |x|^2 + |y|^2 - 2 x.y, at the speed of a product, and what loses
digits there is computed again by differences. With v = 2^-53, z = x - m, w = y - m (m the mean) and
S = |z|^2 + |w|^2, the product of D terms errs by at most 2 g_D(v) |z||w| <= g_D(v) S, the squared
norms by g_D(v) S together, centring by 2 v (|z| + |w|)^2 <= 4 v S and the two sums by 3 v S:
altogether by 2 g_{D+4}(v) S. A pair is kept only if its value is above that bound divided by
``TOLERANCE``. So every entry has a relative error of ``TOLERANCE`` at most (in practice 1e-14),
equal points have distance zero, and a table of points with themselves is symmetric.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import limit_blas_threads, run_strips
from ..values import Array, Metric, refuse_cells

TOLERANCE = 1e-11
BY_ANGLE = ("cosine", "correlation")
ONE_DIRECTION = 8 * float(np.finfo(np.float64).eps)  # of those: nothing but rounding
FEW_PAIRS, FEW_COLUMNS = 500_000, 8  # up to which SciPy is as fast, and nothing is compiled
FEW_NUMBERS = 1 << 20  # of the queries, up to which they are looked at all at once
SAMPLE = 64  # rows and columns on which is tried how much would be computed again
SIDE = 512  # rows and columns of a block
# haversine knows two columns only; the last two would take their scales anew from each call's data
UNUSABLE = {"nan_euclidean", "haversine", "mahalanobis", "seuclidean", "wminkowski"}


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
    if metric in ("inner_product", "dot", "ip"):
        raise ValueError(
            f"{metric!r} is no metric: a point need not be its own nearest; use metric='cosine', "
            "kernel='linear', or distances.largest_inner_products for the search alone"
        )
    if metric not in known:
        raise ValueError(f"unknown metric {metric!r}; use a callable or one of {', '.join(known)}")


def pairwise_distances(queries: Array, points: Array, metric: Metric = "euclidean") -> Array:
    """Return the table of distances from each query to each point.

    Euclidean distances have all their digits, also of close pairs far from the origin: where
    |x|^2 + |y|^2 - 2 x.y would lose them, they come from the differences themselves.

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
    for given in (queries, points):
        refuse_cells(given)
    if sp.issparse(queries) or sp.issparse(points):
        return _of_sparse(queries, points, metric)
    if metric not in ("euclidean", "l2"):
        from sklearn import metrics

        queries, points = (np.asarray(rows, np.float64) for rows in (queries, points))
        if metric == "cosine":  # scikit-learn takes rows shorter than 1e-15 for zero
            queries, points = _enlarged(queries), _enlarged(points)
        if metric in metrics.pairwise.PAIRWISE_BOOLEAN_FUNCTIONS:  # else it warns of doing so
            queries, points = queries != 0.0, points != 0.0
        found = np.asarray(metrics.pairwise_distances(queries, points, metric=metric))
        _check_distances(found, metric)
        if metric in BY_ANGLE:  # 1 - cos of one direction is this, and not the same both ways
            found[found <= ONE_DIRECTION] = 0.0
        if metric == "cosine":
            # rows of zeros have no direction: they are equal, and at distance 1 from all others
            found[np.ix_(~queries.any(axis=1), ~points.any(axis=1))] = 0.0
        return found
    table = _squares_by_products(queries, points)
    if table is not None:
        return _roots(table)
    return _by_differences(queries, points, "euclidean")


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
    for given in (queries, points):
        refuse_cells(given)
    if sp.issparse(queries) or sp.issparse(points):
        return np.square(_of_sparse(queries, points, metric))
    if metric in ("euclidean", "l2"):
        table = _squares_by_products(queries, points)
        if table is not None:
            return table
        return _by_differences(queries, points, "sqeuclidean")
    return pairwise_distances(queries, points, metric) ** 2


def squared_distances_to(
    points: Array, then: Callable[[Array], object] | None = None
) -> Callable[[Array], Array]:
    """Return what gives the squared Euclidean distances of some queries to all points.

    The points are prepared once, and a call works in the thread that makes it: so the table of many
    queries is made, and used, a strip at a time in each thread.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_features)
        The points of the columns.
    then : callable or None, default=None
        Changes a part of the table in place, while it is in the cache.

    Returns
    -------
    callable
        Queries -> their table of squared distances, one row per query.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances
    >>> distances.squared_distances_to(np.array([[3.0], [2.0]]))(np.array([[0.0]]))
    array([[9., 4.]])
    """
    columns = _as_reals(points)
    center, varying = _center_and_varying(columns)
    share = _least_share(columns.shape[1])
    if columns.shape[1] <= FEW_COLUMNS or _cancels(columns, columns, center, share):
        return lambda queries: _finished(_by_differences(queries, columns, "sqeuclidean"), then)
    w = columns - center
    norms, w = squared_norms(w), _kept(w, varying)

    def squares(queries: Array) -> Array:
        from . import exact_kernels as kernels

        rows = np.ascontiguousarray(queries, np.float64)
        z = rows - center
        own, table = squared_norms(z), np.empty((len(rows), len(columns)))
        z = _kept(z, varying)
        for first in range(0, len(columns), SIDE):
            place = slice(first, min(first + SIDE, len(columns)))
            given = rows, np.ascontiguousarray(columns[place], np.float64)
            kernels.finish(z @ w[place].T, own, norms[place], *given, share, table[:, place])
            _finished(table[:, place], then)
        return table

    return squares


def _center_and_varying(points: Array) -> tuple[Array, Array | None]:
    """Return the mean, and the columns that vary (None: all, or nearly so).

    About the mean the others are zero, and add nothing to a product: those at the border of an
    image are a sixth of MNIST's.
    """
    center = points.mean(axis=0, dtype=np.float64)
    low = points.min(axis=0, initial=np.inf)
    is_constant = low == points.max(axis=0, initial=-np.inf)
    if is_constant.sum() * 20 < len(center):  # not worth a copy
        return center, None
    return np.where(is_constant, low, center), np.flatnonzero(~is_constant)


def _kept(table: Array, columns: Array | None) -> Array:
    """Return some columns, or all."""
    return table if columns is None else np.take(table, columns, axis=1)


def _finished(table: Array, then: Callable[[Array], object] | None) -> Array:
    """Return a table, changed in place where that is asked for."""
    if then is not None:
        then(table)
    return table


def _least_share(n_columns: int) -> float:
    """Return the share of |z|^2 + |w|^2 above which a value by products is kept."""
    return 2 * (n_columns + 4) * 2.0**-53 / TOLERANCE


def _of_sparse(queries: Any, points: Any, metric: Metric) -> Array:
    """Return the table of distances between sparse points."""
    from .sparse import SparseSearch, check_sparse_metric

    check_sparse_metric(metric)
    table = SparseSearch(sp.csr_array(points), str(metric)).table(sp.csr_array(queries))
    # products need not round alike on both sides
    return np.maximum(table, table.T) if queries is points else table


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


def _squares_by_products(queries: Array, points: Array) -> Array | None:
    """Return the squared distances by products and repair; None where differences are as fast."""
    rows = _as_reals(queries)
    columns = rows if points is queries else _as_reals(points)
    if rows.ndim != 2 or columns.ndim != 2 or rows.shape[1] != columns.shape[1]:
        return None  # SciPy says what is wrong
    if len(rows) * len(columns) <= FEW_PAIRS or rows.shape[1] <= FEW_COLUMNS:
        return None
    share = _least_share(rows.shape[1])
    if _cancels(rows, columns, columns.mean(axis=0, dtype=np.float64), share):
        return None
    with limit_blas_threads():
        return _fill_table(rows, columns, share)


def _as_reals(points: Array) -> Array:
    """Return points in float64; those in float32 as they are: a few at a time become float64."""
    points = np.asarray(points)
    return np.ascontiguousarray(points, np.float32 if points.dtype == np.float32 else np.float64)


def _by_differences(queries: Array, points: Array, metric: str) -> Array:
    """Return the table by SciPy, several strips of rows at a time."""
    from scipy.spatial.distance import cdist

    is_large = np.ndim(queries) == 2 and np.size(queries) > FEW_NUMBERS  # to SciPy as float64
    if np.ndim(queries) != 2 or (len(queries) * len(points) <= FEW_PAIRS and not is_large):
        return np.asarray(cdist(queries, points, metric))
    table = np.empty((len(queries), len(points)))

    def work(rows: slice) -> None:
        cdist(queries[rows], points, metric, out=table[rows])

    run_strips(work, len(queries), SIDE)
    return table


def _enlarged(rows: Array) -> Array:
    """Return rows of numbers far from 1 divided by their largest: directions do not change."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
    common = (largest > 1e-8) & (largest < 1e8)
    return np.asarray(rows / np.where(common | (largest == 0.0), 1.0, largest))


def _roots(squares: Array) -> Array:
    """Return the square roots, in place."""

    def work(rows: slice) -> None:
        np.sqrt(squares[rows], out=squares[rows])

    run_strips(work, len(squares), SIDE)
    return squares


def _cancels(rows: Array, columns: Array, center: Array, share: float) -> bool:
    """Say whether much would be computed again: clusters far apart beside their width."""
    some = rows[:: -(-len(rows) // SAMPLE)] - center
    others = columns[:: -(-len(columns) // SAMPLE)] - center
    own, norms = squared_norms(some), squared_norms(others)
    lost = ~(expand_squares(some, others, own, norms) > share * (own[:, None] + norms))
    return bool(lost.mean() > 0.1)


def _fill_table(rows: Array, columns: Array, share: float) -> Array:
    """Compute the table block by block; of points with themselves each block once."""
    from . import exact_kernels as kernels

    center, varying = _center_and_varying(columns)
    w = columns - center
    norms, w = squared_norms(w), _kept(w, varying)
    table = np.empty((len(rows), len(columns)))

    def work(strip: slice) -> None:
        start = strip.start if columns is rows else 0
        mine = np.ascontiguousarray(rows[strip], np.float64)
        z = w[strip] if columns is rows else mine - center
        own = norms[strip] if columns is rows else squared_norms(z)
        z = z if columns is rows else _kept(z, varying)
        for first in range(start, len(columns), SIDE):
            place = slice(first, min(first + SIDE, len(columns)))
            block = table[strip, place]
            given = mine, np.ascontiguousarray(columns[place], np.float64)
            kernels.finish(z @ w[place].T, own, norms[place], *given, share, block)
            if columns is rows and first == start:
                kernels.mirror(block)
            elif columns is rows:
                kernels.transpose(block, table[place, strip])

    run_strips(work, len(rows), SIDE)
    return table


def _check_distances(table: Array, metric: Metric) -> None:
    wrong = ~(table >= 0.0) | np.isinf(table)  # the comparison is false for NaN
    if wrong.any():
        row, column = (int(index) for index in np.argwhere(wrong)[0])
        raise ValueError(
            f"metric {metric!r} gave {table[row, column]} between row {row} and point {column}; a "
            "distance is a finite number that is not negative"
        )


def bipartite_table(distances: Any) -> Array:
    """Return the table of all pairs of two sets of points, of which only those between are known.

    What ``MDS(metric="precomputed")`` unfolds: rows and columns of a rectangular table (who likes
    what, which station heard which) become points of one map, rows first.

    Parameters
    ----------
    distances : array-like of shape (n_rows, n_columns)
        Distances or dissimilarities of each row to each column; NaN where not known.

    Returns
    -------
    ndarray of shape (n_rows + n_columns, n_rows + n_columns)
        The same in both directions; NaN within the two sets, and 0 on the diagonal.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.bipartite_table([[1.0, 2.0]])
    array([[ 0.,  1.,  2.],
           [ 1.,  0., nan],
           [ 2., nan,  0.]])
    """
    given = np.asarray(distances, dtype=np.float64)
    if given.ndim != 2:
        raise ValueError(f"distances must have rows and columns; got shape {given.shape}")
    n_rows, n_columns = given.shape
    table = np.full((n_rows + n_columns, n_rows + n_columns), np.nan)
    table[:n_rows, n_rows:], table[n_rows:, :n_rows] = given, given.T
    np.fill_diagonal(table, 0.0)
    return table
