"""Classical multidimensional scaling."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import distances, extension
from ..kernel import double_centered
from ..relation import GramMap, fit_gram, operator_by_rows
from ..runtime import claim, stage
from ..spectrum import additive_constant, negative_mass
from ..values import Array, Metric
from .door import DISTANCES
from .estimator import SpectralEstimator
from .parameters import check_n_components, learned, method, parameter

BLOCK = 4096  # rows that are centred at a time: no copy of all points is made


@method
class ClassicalMDS(SpectralEstimator):
    """Classical multidimensional scaling: points from their distances.

    -1/2 H D^2 H is the gram matrix of points with the distances D; its leading eigenvectors, scaled
    by the roots of their values, are the coordinates (Torgerson 1952; Izenman 2013, eq. 16.38). On
    Euclidean distances it is PCA. A query point needs only its distances to the fitted ones.
    Distances that no points have give negative eigenvalues; ``additive_constant`` enlarges all
    distances just enough to remove them.

    Examples
    --------
    >>> from unspool import ClassicalMDS
    >>> ClassicalMDS(1, metric="precomputed").fit_transform([[0.0, 3.0], [3.0, 0.0]]).ravel()
    array([ 1.5, -1.5])
    """

    metric: Metric = parameter(
        default="euclidean", help="name, callable, or 'precomputed' distances"
    )
    additive_constant: bool = parameter(
        default=False,
        kind=bool,
        help="add the least constant that makes the distances Euclidean",
    )

    eigenvalues_: Array = learned(help="eigenvalues of -1/2 H D^2 H, one per coordinate")
    additive_constant_: float = learned(help="what was added to all distances")
    _map: GramMap = learned()

    _TABLES = DISTANCES

    def _keeps_single(self, n_columns: int) -> bool:
        return self.metric in ("euclidean", "l2")

    def _fit(self, X: Any) -> None:
        distances.check_metric(self.metric)
        n = X.shape[0]
        claim(
            3 * n * n * 8,
            f"the {n} x {n} similarities of ClassicalMDS",
            "on Euclidean distances PCA gives the same map without the table",
        )
        check_n_components(self._n_wanted, n - 1)
        self.additive_constant_ = self._least_constant(X) if self.additive_constant else 0.0
        with stage("similarity") as running:
            similarities = self._similarities(X)
            running.note(holds=similarities.nbytes)
        self._map = fit_gram(similarities, self._n_wanted, centered=True, seed=self._seed)
        self.eigenvalues_, self.embedding_ = self._map.eigenvalues, self._map.anchors

    def _least_constant(self, X: Any) -> float:
        table = self._distances(X)
        squares = double_centered(-0.5 * table**2)
        return max(0.0, additive_constant(squares, double_centered(-0.5 * table)))

    def _distances(self, X: Any) -> Array:
        if self._input_kind() == "distances":
            return np.asarray(X)
        return distances.pairwise_distances(X, self._X, self.metric)

    def _similarities(self, X: Any) -> Array:
        """Return -1/2 of the squared distances to the fitted points."""
        if self.additive_constant_ > 0.0:
            table = self._distances(X)
            return np.asarray(-0.5 * (table + self.additive_constant_ * (table > 0.0)) ** 2)
        if self._input_kind() == "distances":
            return np.asarray(-0.5 * X**2)
        table = distances.pairwise_squared_distances(X, self._X, self.metric)
        table *= -0.5
        return table

    def _transform(self, X: Any) -> Array:
        if self.metric not in ("euclidean", "l2") or self.additive_constant_ > 0.0:
            return self._map.place(self._similarities(X))
        return extension.divide(self._inner_products(X), self._map.eigenvalues)

    def _inner_products(self, X: Array) -> Array:
        """Return the centred similarities of points to the fitted ones, times the map of these.

        Of Euclidean distances they are (x - m)'(x_j - m), m the mean, so that no table is made.
        """
        anchors, fitted = self._map.anchors, self._X
        mean = fitted.mean(axis=0, dtype=np.float64)
        blocks = [slice(first, first + BLOCK) for first in range(0, len(fitted), BLOCK)]
        axes = sum((fitted[block] - mean).T @ anchors[block] for block in blocks)
        strips = range(0, len(X), BLOCK)
        return np.concatenate([(X[first : first + BLOCK] - mean) @ axes for first in strips])

    def kernel_(self) -> Array:
        """Return -1/2 H D^2 H, whose kernel PCA is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The centred similarities.
        """
        return self._map.centering.rows(self._similarities(self._X))

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_rows(
            self._X.shape[0], lambda rows: self._similarities(self._X[rows]), centered=True
        )

    def negative_mass(self) -> float:
        """Return the share of the spectrum that is negative: how far D is from Euclidean.

        Returns
        -------
        float
            Sum of the sizes of negative eigenvalues over that of all.
        """
        return negative_mass(np.asarray(self.kernel_()))
