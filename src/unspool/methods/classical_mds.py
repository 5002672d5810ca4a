"""Classical multidimensional scaling."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..distances import check_metric, pairwise_distances, pairwise_squared_distances
from ..kernel import double_centered
from ..spectrum import additive_constant, negative_mass
from ..values import Array, Metric
from .gram_family import SimilarityMethod
from .parameters import learned, method, parameter


@method
class ClassicalMDS(SimilarityMethod):
    """Classical multidimensional scaling: points from their distances (S0 4.2.1; S1; S4 16.38).

    -1/2 H D^2 H is the gram matrix of points with the distances D; its leading eigenvectors, scaled
    by the roots of their values, are the coordinates. On Euclidean distances it is PCA. A new point
    needs only its distances to the old ones (S1). Distances that no points have give negative
    eigenvalues; ``additive_constant`` enlarges all distances just enough to remove them.

    Attributes: ``eigenvalues_`` of -1/2 H D^2 H, ``additive_constant_`` (what was added).

    >>> from unspool import ClassicalMDS
    >>> ClassicalMDS(1, metric="precomputed").fit_transform([[0.0, 3.0], [3.0, 0.0]]).ravel()
    array([ 1.5, -1.5])
    """

    metric: Metric = parameter("euclidean", help="name, callable, or 'precomputed' distances")
    additive_constant: bool = parameter(
        False, kind=bool, help="add the least constant that makes the distances Euclidean"
    )

    _INSTEAD = "on Euclidean distances PCA gives the same map without the table"

    additive_constant_: float = learned()

    def _table(self) -> Literal["distances"] | None:
        check_metric(self.metric)
        return "distances" if self.metric == "precomputed" else None

    def _learn(self, points: Array) -> None:
        self.additive_constant_ = 0.0
        if self.additive_constant:
            distances = self._distances(points)
            centred_squares = double_centered(-0.5 * distances**2)
            constant = additive_constant(centred_squares, double_centered(-0.5 * distances))
            self.additive_constant_ = max(0.0, constant)
        super()._learn(points)

    def _distances(self, points: Array) -> Array:
        if self._points is None:
            return points
        return pairwise_distances(points, self._points, self.metric)

    def _similarity(self, points: Array) -> Array:
        if self.additive_constant_ > 0.0:
            distances = self._distances(points)
            enlarged = distances + self.additive_constant_ * (distances > 0.0)
            return np.asarray(-0.5 * enlarged**2)
        if self._points is None:
            return -0.5 * points**2
        return -0.5 * pairwise_squared_distances(points, self._points, self.metric)

    def negative_mass(self) -> float:
        """Return the share of the spectrum that is negative: how far D is from Euclidean."""
        return negative_mass(np.asarray(self.kernel_()))
