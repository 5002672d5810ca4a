"""Landmark multidimensional scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import distances
from ..relation import GramMap, triangulate
from ..runtime import claim
from ..values import Array, Metric
from .choices import LandmarkChoice
from .estimator import Estimator, InputKind, check_n_components, input_kind
from .parameters import learned, method, parameter


@method
class LandmarkMDS(LandmarkChoice, Estimator):
    """Landmark MDS: classical scaling of a few landmarks, all others placed by their distances.

    Only the n x m distances to the m landmarks are ever held (de Silva and Tenenbaum 2004). Exact
    on Euclidean data whose landmarks span it. ``scaling="svd"`` divides the points' matrix by
    singular values instead, as IsomapII and the figures of Izenman 2013 do; it shrinks the map by
    (m/n)^(1/4).

    Examples
    --------
    >>> from unspool import LandmarkMDS, datasets
    >>> LandmarkMDS(2, n_landmarks=20).fit(datasets.s_curve(500).points).embedding_.shape
    (500, 2)
    """

    metric: Metric = parameter(
        default="euclidean", help="name, callable, or 'precomputed' distances"
    )

    eigenvalues_: Array = learned(help="eigenvalues of the landmarks, one per coordinate")
    _triangulation: GramMap = learned()

    def _input_kind(self) -> InputKind:
        return input_kind(self.metric)

    def _fit(self, X: Any) -> None:
        distances.check_metric(self.metric)
        n = X.shape[0]
        check_n_components(self.n_components, min(self.n_landmarks, n) - 1)
        claim(3 * n * self.n_landmarks * 8, "the distances to the landmarks", "use fewer landmarks")
        self.landmarks_ = self._choose_landmarks(
            n, self._distances_from, self.n_components + 1, self.random_state
        )
        check_n_components(self.n_components, len(self.landmarks_) - 1)
        similarities = self._similarities(X)
        self._triangulation = triangulate(
            similarities, self.landmarks_, self.n_components, self.random_state, self.scaling
        )
        self.eigenvalues_ = self._triangulation.eigenvalues
        self.embedding_ = self._triangulation.place(similarities)

    def _distances_from(self, point: int) -> Array:
        if self._input_kind() == "distances":
            return np.asarray(self._X[point])
        return distances.pairwise_distances(self._X, self._X[point : point + 1], self.metric)[:, 0]

    def _similarities(self, X: Any) -> Array:
        """Return -1/2 of the squared distances to the landmarks."""
        if self._input_kind() == "distances":
            return np.asarray(-0.5 * X[:, self.landmarks_] ** 2)
        return -0.5 * distances.pairwise_squared_distances(X, self._X[self.landmarks_], self.metric)

    def _transform(self, X: Any) -> Array:
        return self._triangulation.place(self._similarities(X))
