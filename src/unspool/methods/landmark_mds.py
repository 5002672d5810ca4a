"""Landmark multidimensional scaling."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import distances
from ..relation import GramMap, kernel_factor, triangulate, triangulate_moments
from ..runtime import claim
from ..scale.files import at_random
from ..scale.placing import place_rows
from ..scale.reduction import distances_from, find_moments
from ..scale.sources import Source
from ..values import Array, Metric
from .door import DISTANCES, check_table
from .estimator import SpectralEstimator
from .parameters import LandmarkChoice, check_n_components, learned, method, parameter


@method
class LandmarkMDS(LandmarkChoice, SpectralEstimator):
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
        default="euclidean",
        help="name, callable, or 'precomputed' distances: of all points, or, where landmarks names "
        "some, of all points to these, one column each",
    )

    eigenvalues_: Array = learned(help="eigenvalues of the landmarks, one per coordinate")
    _triangulation: GramMap = learned()

    _TABLES = DISTANCES

    def _is_square(self, X: Any) -> bool:
        """Say no where the landmarks are named, and the table has one column for each of them."""
        shape = np.shape(X)
        return isinstance(self.landmarks, str) or shape[1:] != (len(self.landmarks),)

    def _fit(self, X: Any) -> None:
        distances.check_metric(self.metric)
        n = X.shape[0]
        check_n_components(self._n_wanted, min(self.n_landmarks, n) - 1)
        claim(3 * n * self.n_landmarks * 8, "the distances to the landmarks", "use fewer landmarks")
        self.landmarks_ = self._choose_landmarks(
            n, self._distances_from, self._n_wanted + 1, self._seed
        )
        check_n_components(self._n_wanted, len(self.landmarks_) - 1)
        if self._input_kind() == "distances" and X.shape[1] < n:  # of the landmarks to each other
            check_table(X[self.landmarks_], None, reset=True, kind="distances", sparse=False)
        similarities = self._similarities(X)
        self._triangulation = triangulate(
            similarities, self.landmarks_, self._n_wanted, self._seed, self.scaling
        )
        self.eigenvalues_ = self._triangulation.eigenvalues
        self.embedding_ = self._triangulation.place(similarities)

    def _keeps_single(self, n_columns: int) -> bool:
        return self.metric in ("euclidean", "l2")

    def _fit_source(self, source: Source) -> None:
        """Choose landmarks in passes over the rows, then place these block by block."""
        distances.check_metric(self.metric)
        n, self._X = len(source), at_random(source)
        check_n_components(self._n_wanted, min(self.n_landmarks, n) - 1)
        self.landmarks_ = self._choose_landmarks(
            n, self._distances_from, self._n_wanted + 1, self._seed
        )
        count, m = self._n_wanted, len(self.landmarks_)
        check_n_components(count, m - 1)
        if self.scaling == "distance":  # by the landmarks alone
            among, seed = self._similarities(self._X[self.landmarks_]), self._seed
            self._triangulation = triangulate(among, np.arange(m), count, seed, "distance")
        else:
            moments = find_moments(self._X, self._similarities, m)
            fitted = triangulate_moments(moments.mean, moments.factor, count, self._seed)
            self._triangulation = fitted
        self.eigenvalues_ = self._triangulation.eigenvalues
        held = 8.0 * 3 * (source.shape[1] + m)
        self.embedding_ = place_rows(self._X, self._transform, count, held, self._dtype)

    def _distances_from(self, point: int) -> Array:
        if isinstance(self._X, Source):
            return distances_from(self._X, self._X[point], self.metric)
        if self._input_kind() == "distances":
            return np.asarray(self._X[point])
        return distances.pairwise_distances(self._X, self._X[point : point + 1], self.metric)[:, 0]

    def _similarities(self, X: Any) -> Array:
        """Return -1/2 of the squared distances to the landmarks."""
        if self._input_kind() == "distances":
            of_all_points = X.shape[1] == len(self._X)  # else one column per landmark, in order
            seen = X[:, self.landmarks_] if of_all_points else X
            return np.asarray(-0.5 * seen**2)
        table = distances.pairwise_squared_distances(X, self._X[self.landmarks_], self.metric)
        table *= -0.5
        return table

    def _transform(self, X: Any) -> Array:
        return self._triangulation.place(self._similarities(X))

    def _kernel_factor(self) -> Array:
        similarities = self._similarities(np.asarray(self._X))
        return kernel_factor(similarities, self.landmarks_, self._seed, self.scaling)
