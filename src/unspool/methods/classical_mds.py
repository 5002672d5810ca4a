"""Classical multidimensional scaling."""

from __future__ import annotations

from typing import Literal

from .. import graph
from ..values import Array, Metric
from ._parameters import method, parameter
from ._similarity import SimilarityMethod


@method
class ClassicalMDS(SimilarityMethod):
    """Classical multidimensional scaling: points from their distances (S0 4.2.1; S1; S4 16.38).

    -1/2 H D^2 H is the gram matrix of points with the distances D; its leading eigenvectors,
    scaled by the roots of their values, are the coordinates. On Euclidean distances it is PCA. A
    new point needs only its distances to the old ones (S1).

    Attributes: ``eigenvalues_`` of -1/2 H D^2 H (negative ones mean that D is not Euclidean).

    >>> from unspool import ClassicalMDS
    >>> ClassicalMDS(1, metric="precomputed").fit_transform([[0.0, 3.0], [3.0, 0.0]]).ravel()
    array([ 1.5, -1.5])
    """

    metric: Metric = parameter("euclidean", help="name, callable, or 'precomputed' distances")

    _INSTEAD = "on Euclidean distances PCA gives the same map without the table"

    def _table(self) -> Literal["distances"] | None:
        graph.check_metric(self.metric)
        return "distances" if self.metric == "precomputed" else None

    def _similarity(self, points: Array) -> Array:
        if self._points is None:
            return -0.5 * points**2
        return -0.5 * graph.squared(points, self._points, self.metric)
