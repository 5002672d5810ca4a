"""Kernel locally linear embedding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..runtime import claim, stage
from ..values import Array, Metric, NeighborGraph
from .door import KERNEL_MATRIX
from .lle import LLE
from .parameters import KernelChoice, learned, method, parameter

# of the largest similarity: squared distances that are less negative are zero, rounded
DOUBLE, SINGLE = 1e-9, 1e-5
SAME = 8 * float(np.finfo(np.float64).eps)  # of the largest similarity: rows of one point
BEYOND = 1e-6  # of the least k(x, x): what a query point is farther than at distance zero


@method
class KernelLLE(KernelChoice, LLE):
    """Kernel LLE: neighbours and weights in the feature space of a kernel (DeCoste 2001).

    Feature-space distances K_ii - 2 K_ij + K_jj give the neighbours and, through them, the local
    Gram matrices; the rest is LLE (Izenman 2013, eqs. 16.56-16.57). With ``kernel="linear"`` it is
    LLE.

    Examples
    --------
    >>> from unspool import KernelLLE, datasets
    >>> KernelLLE(2, n_neighbors=12, sigma=20.0).fit(datasets.s_curve(300).points).embedding_.shape
    (300, 2)
    """

    metric: Literal["kernel"] = parameter(
        default="kernel",
        choices=("kernel",),
        help="distances are always those of the feature space",
    )
    search: Literal["exact"] = parameter(
        default="exact",
        choices=("exact",),
        help="the table of those distances is searched as it is",
    )

    _diagonal: Array = learned()  # k(x, x) of the fitted points

    _SPARSE_POINTS = False
    _SPARSE_TABLES = False  # distances in feature space are a dense table
    _TABLES = KERNEL_MATRIX
    _ON_DISK = False

    def _search_metric(self) -> Metric:
        return "precomputed"

    def _fit(self, X: Any) -> None:
        n = X.shape[0]
        claim(3 * n * n * 8, f"the {n} x {n} kernel table of KernelLLE", "use LLE on the points")
        # shifting the points is exact here: distances in feature space do not see it
        self._choose_kernel(X, centered=True)
        super()._fit(X)

    def _keeps_single(self, n_columns: int) -> bool:
        return False  # a kernel matrix, which is larger, is made of them

    def _search_space(self, X: Any) -> Array:
        """Return the distances in feature space between the fitted points."""
        with stage("similarity") as running:
            table = self._similarities(X)
            self._diagonal = np.array(np.diag(table))
            squares = self._squared_distances(table, self._diagonal)
            np.fill_diagonal(squares, 0.0)
            running.note(holds=squares.nbytes)
        return np.asarray(np.sqrt(squares))

    def _query_space(self, X: Any) -> Array:
        """Return the distances in feature space from query points to the fitted ones."""
        with stage("similarity") as running:
            table = self._similarities(X)
            squares = self._squared_distances(table, self._own_similarities(X, table))
            running.note(holds=squares.nbytes)
        return np.asarray(np.sqrt(squares))

    def _nearness(self, nearest: NeighborGraph) -> Array:
        """Return nothing for rows of a kernel matrix that tell no distance, lacking k(x, x).

        Where it is the same for all fitted points, as with a Gaussian, it is taken to be that.
        """
        is_constant = np.ptp(self._diagonal) <= 1e-12 * np.abs(self._diagonal).max(initial=0.0)
        if self._input_kind() == "points" or is_constant:
            return super()._nearness(nearest)
        return np.zeros(nearest.n_points)

    def _similarities(self, X: Any) -> Array:
        return np.asarray(X) if self._input_kind() == "kernel" else self._kernel(X, self._X)

    def _squared_distances(self, table: Array, own: Array) -> Array:
        squares: Array = own[:, None] - 2.0 * table + self._diagonal
        scale = max(float(np.abs(part).max(initial=0.0)) for part in (table, self._diagonal))
        lowest = float(squares.min(initial=0.0))
        if lowest < -(SINGLE if self._dtype is np.float32 else DOUBLE) * scale:
            row, column = (int(i) for i in np.unravel_index(squares.argmin(), squares.shape))
            raise ValueError(
                f"the kernel is not positive semi-definite: row {row} and fitted point {column} "
                f"have the squared distance {lowest:.3g} in its feature space, so there are no "
                "nearest neighbours; use a Gaussian, Laplacian or polynomial kernel"
            )
        # what is zero up to rounding is zero: the same point
        squares[squares <= 1e-14 * float(np.abs(self._diagonal).max(initial=0.0))] = 0.0
        return squares

    def _own_similarities(self, X: Any, table: Array) -> Array:
        """Return k(x, x) of each query point.

        Rows of a precomputed kernel do not tell it, unless they are rows of the fitted points.
        The order of the neighbours does not depend on it, and the weights only as they are
        regularized, so somewhat more than the least value that a kernel could have there will do:
        no other point is at distance zero.
        """
        if self._input_kind() == "points":
            return self._kernel.diagonal(X)
        bounds = 2.0 * table - self._diagonal
        nearest, least = bounds.argmax(axis=1), bounds.max(axis=1)
        typical = float(np.median(np.abs(self._diagonal)))
        beyond = np.maximum(least + BEYOND * (np.abs(least) + typical), typical)
        # not to the last digit: products by blocks are symmetric up to rounding only
        gaps = np.abs(table - self._X[nearest]).max(axis=1)
        is_fitted = gaps <= SAME * np.abs(self._X).max(initial=0.0)
        return np.asarray(np.where(is_fitted, self._diagonal[nearest], beyond))
