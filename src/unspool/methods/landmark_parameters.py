"""How many landmarks, and which: the parameters that landmark methods share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import graph, problem
from ..kernel import Centering
from ..spectrum import solve
from ..values import Array
from .gram_family import scaled_coordinates
from .parameters import learned, method, parameter


@method
class LandmarkChoice:
    """Landmarks by maxmin, at random, or named; and the two ways to scale their map."""

    n_landmarks: int = parameter(
        50, kind=int, at_least=2, help="number of landmarks (S4 suggests 50)"
    )
    landmarks: Any = parameter(
        "maxmin",
        help="'maxmin', 'random', or the indices of the landmarks (then n_landmarks is moot)",
    )
    scaling: str = parameter(
        "distance",
        choices=("distance", "svd"),
        help="keep distances to landmarks, or scale by singular values as IsomapII and the book",
    )

    landmarks_: Array = learned()

    def _choose(
        self, n_points: int, distances_from: Callable[[int], Array], least: int, seed: int
    ) -> Array:
        """Return the landmarks among ``n_points``, ``least`` of them even if all coincide."""
        if not isinstance(self.landmarks, str):
            return graph.check_landmarks(self.landmarks, n_points)
        count = min(self.n_landmarks, n_points)
        if self.landmarks == "random":
            return graph.choose_uniform(n_points, count, seed)
        if self.landmarks == "maxmin":
            return graph.choose_maxmin(distances_from, n_points, count, at_least=least, seed=seed)
        raise ValueError(f"landmarks must be 'maxmin', 'random' or indices; got {self.landmarks!r}")

    def _fit_landmarks(self, squares: Array, chosen: Array, count: int, seed: int) -> LandmarkMap:
        """Return the map from squared distances (n, m) of all points to the landmarks."""
        similarity = -0.5 * squares
        if self.scaling == "distance":
            among = similarity[chosen]
            spectrum = solve(problem.gram(among), count, seed=seed)
            values, anchors = scaled_coordinates(spectrum)
            return LandmarkMap(Centering.of(among), anchors, values)
        centering = Centering.of(similarity)
        spectrum = solve(problem.covariance(centering.rows(similarity)), count, seed=seed)
        values = np.sqrt(spectrum.values)
        return LandmarkMap(centering, spectrum.vectors * np.sqrt(values), values)


class LandmarkMap:
    """Coordinates of the landmarks, and what turns distances to them into rows."""

    def __init__(self, centering: Centering, anchors: Array, values: Array) -> None:
        self.centering, self.anchors, self.values = centering, anchors, values

    def rows(self, squares: Array) -> Array:
        """Return the centred rows of points with these squared distances to the landmarks."""
        return self.centering.rows(-0.5 * squares)
