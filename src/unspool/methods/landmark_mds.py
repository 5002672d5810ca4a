"""Landmark multidimensional scaling."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import distances, extension
from ..runtime import claim
from ..values import Array, Metric
from .estimator import Method
from .gram_family import check_count
from .landmark_parameters import LandmarkChoice, LandmarkMap
from .parameters import learned, method, parameter


@method
class LandmarkMDS(LandmarkChoice, Method):
    """Landmark MDS: classical scaling of a few landmarks, all others placed by their distances.

    Only the n x m distances to the m landmarks are ever held (de Silva and Tenenbaum 2004). Exact
    on Euclidean data whose landmarks span it. ``scaling="svd"`` divides the points' matrix by
    singular values instead, as IsomapII and the book's figures do; it shrinks the map by
    (m/n)^(1/4).

    Attributes: ``landmarks_`` (indices), ``eigenvalues_``.

    >>> from unspool import LandmarkMDS, datasets
    >>> LandmarkMDS(2, n_landmarks=20).fit(datasets.s_curve(500).points).embedding_.shape
    (500, 2)
    """

    metric: Metric = parameter("euclidean", help="name, callable, or 'precomputed' distances")

    _map_of_landmarks: LandmarkMap = learned()

    def _table(self) -> Literal["distances"] | None:
        distances.check_metric(self.metric)
        return "distances" if self.metric == "precomputed" else None

    def _learn(self, given: Any) -> None:
        n = given.shape[0]
        check_count(self.n_components, min(self.n_landmarks, n) - 1)
        claim(3 * n * self.n_landmarks * 8, "the distances to the landmarks", "use fewer landmarks")
        self.landmarks_ = self._choose(
            n, self._distances_from, self.n_components + 1, self.random_state
        )
        check_count(self.n_components, len(self.landmarks_) - 1)
        squares = self._squares(given)
        self._map_of_landmarks = self._fit_landmarks(
            squares, self.landmarks_, self.n_components, self.random_state
        )
        self.eigenvalues_ = self._map_of_landmarks.values
        self.embedding_ = self._placed(squares)

    def _distances_from(self, point: int) -> Array:
        if self._points is None:
            return np.asarray(self._given[point])
        return distances.pairwise_distances(
            self._points, self._points[point : point + 1], self.metric
        )[:, 0]

    def _squares(self, points: Any) -> Array:
        if self._points is None:
            return np.asarray(points[:, self.landmarks_] ** 2)
        return distances.pairwise_squared_distances(
            points, self._points[self.landmarks_], self.metric
        )

    def _map(self, points: Any) -> Array:
        return self._placed(self._squares(points))

    def _placed(self, squares: Array) -> Array:
        fitted = self._map_of_landmarks
        return extension.place(fitted.rows(squares), fitted.anchors, fitted.values)
