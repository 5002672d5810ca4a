"""The points of largest inner product with a query: a search for neighbours with a column more.

With M the largest length of a point, (y, sqrt(M^2 - |y|^2)) has length M for every point y, so that
its squared distance to (x, 0) is |x|^2 + M^2 - 2 x'y: the nearest points are those of largest inner
product (Bachrach et al. 2014). This is no metric, since a point need not be its own nearest, and so
no ``metric`` of the methods; a kernel matrix of inner products is what ``kernel="linear"`` means.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..runtime import run_strips
from ..values import Array
from .search import build_index

SPARE = 8  # candidates beyond those asked for
ROUNDING = 16 * float(np.finfo(np.float64).eps)  # of |x| M and column: what may hide a better one
ROWS = 512


class LargestProducts(NamedTuple):
    """Tables of points and of the inner products with them, a row per query, largest first."""

    neighbors: Array
    products: Array


def largest_inner_products(points: Any, n_neighbors: int, queries: Any = None) -> LargestProducts:
    """Return the points with which each query has the largest inner products, exactly.

    Parameters
    ----------
    points : array-like of shape (n_samples, n_features)
        The points.
    n_neighbors : int
        How many points are found for each query.
    queries : array-like of shape (n_queries, n_features), optional
        The queries; without them the points themselves, each of which leaves itself out.

    Returns
    -------
    LargestProducts
        The row numbers of the points, and the inner products; of equal ones the first row numbers.

    Examples
    --------
    >>> from unspool import distances
    >>> found = distances.largest_inner_products([[1.0, 0.0], [0.0, 3.0], [2.0, 1.0]], 1)
    >>> found.neighbors.ravel(), found.products.ravel()
    (array([2, 2, 1]), array([2., 3., 3.]))
    """
    rows = _finite_rows(points, "points")
    asked = rows if queries is None else _finite_rows(queries, "queries")
    others = int(queries is None)
    if asked.shape[1] != rows.shape[1] or not 1 <= n_neighbors <= len(rows) - others:
        raise ValueError(
            f"n_neighbors must be 1 to {len(rows) - others}, and queries must have the "
            f"{rows.shape[1]} columns of the points; got n_neighbors={n_neighbors} and "
            f"{asked.shape[1]} columns"
        )
    # longest point and all queries have length 1: so rounding is of |x| M, as that of x'y itself
    lengths = _lengths(rows)
    unit = rows / (float(lengths.max()) or 1.0)
    lifted = np.column_stack([unit, np.sqrt(np.maximum(1.0 - np.square(_lengths(unit)), 0.0))])
    sizes = _lengths(asked)[:, None]
    level = asked / np.where(sizes > 0.0, sizes, 1.0)
    width = min(n_neighbors + others + SPARE, len(rows))
    near = build_index(lifted).nearest(np.column_stack([level, np.zeros(len(level))]), width)
    candidates = near.neighbors.reshape(len(asked), width)
    return _largest(_Question(asked, rows, n_neighbors, bool(others)), candidates)


def _lengths(rows: Array) -> Array:
    """Return the lengths of the rows, whatever their squares."""
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scaled = rows / np.where(largest > 0.0, largest, 1.0)[:, None]
    return np.asarray(largest * np.sqrt(np.einsum("ij,ij->i", scaled, scaled)))


def _finite_rows(given: Any, name: str) -> Array:
    rows = np.asarray(given, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise ValueError(f"{name} must be a table of finite numbers, one row per point")
    return rows


class _Question(NamedTuple):
    queries: Array
    points: Array
    wanted: int
    without_own: bool

    def best(self, rows: Array, candidates: Array) -> tuple[Array, Array, Array]:
        """Return the best candidates of some queries, their products, and the least of all."""
        products = np.einsum("ij,ikj->ik", self.queries[rows], self.points[candidates])
        if self.without_own:
            products[candidates == rows[:, None]] = -np.inf
        order = np.lexsort((candidates, -products), axis=1)
        ranked = np.take_along_axis(products, order, axis=1)
        kept = np.take_along_axis(candidates, order[:, : self.wanted], axis=1)
        least = ranked[:, -2 if self.without_own else -1]  # oneself may be the last
        return kept, ranked[:, : self.wanted], least


def _largest(asked: _Question, candidates: Array) -> LargestProducts:
    """Return the best of the candidates; of all points where rounding may have hidden one."""
    n, count, everyone = len(candidates), asked.wanted, np.arange(len(asked.points))
    found = LargestProducts(np.empty((n, count), np.intp), np.empty((n, count)))
    longest = float(_lengths(asked.points).max())
    unsure = ROUNDING * len(asked.points[0]) * longest * _lengths(asked.queries)

    def work(strip: slice) -> None:
        rows = np.arange(strip.start, min(strip.stop, n))
        found.neighbors[rows], found.products[rows], least = asked.best(rows, candidates[rows])
        hidden = found.products[rows, -1] - least <= unsure[rows]
        for row in rows[hidden] if candidates.shape[1] < len(everyone) else ():
            again = asked.best(np.array([row]), everyone[None])
            found.neighbors[row], found.products[row] = again[0][0], again[1][0]

    run_strips(work, n, ROWS)
    return found
