"""What methods with explicit features share: the projection of query points, and the kernel."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ..relation import FeatureProjection, operator_by_factor
from ..values import Array
from .estimator import Estimator
from .parameters import learned, method


@method
class FeatureMethod(Estimator):
    """Computes features outright, and projects them on axes."""

    _projection: FeatureProjection = learned()

    @abstractmethod
    def _features(self, X: Array) -> Array:
        """Return the features of points, one row per point."""

    def _transform(self, X: Array) -> Array:
        return self._projection.project(self._features(X))

    def _factor(self) -> Array:
        """Return the features whose inner products are the kernel."""
        return self._projection.standardize(self._features(self._X[:]))

    def kernel_(self) -> Array:
        """Return the inner products of the centred features: kernel PCA of them is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The gram matrix.
        """
        factor = self._factor()
        return np.asarray(factor @ factor.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_factor(self._factor())
