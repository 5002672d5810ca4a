"""Relations through landmarks: a few points that all others are placed by.

Classical scaling of the landmarks alone, and every other point placed by its distances to them
(de Silva and Tenenbaum 2004): landmark MDS and landmark Isomap, initial configurations of stress.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from .. import problem
from ..kernel import Centering
from ..spectrum import solve
from ..values import Array, EigenProblem
from .chart import Queries
from .geodesic_rows import GeodesicRows
from .gram import GramMap, clip_eigenvalues, decompose_landmarks, scale_by_roots

Scaling = Literal["distance", "svd"]


def triangulate(
    similarities: Array,
    landmarks: Array,
    n_components: int,
    seed: int,
    scaling: Scaling,
    masses: Array | None = None,
) -> GramMap:
    """Return the map from similarities -1/2 d^2 (n, m) of all points to the landmarks.

    ``scaling="distance"`` keeps the distances to the landmarks; "svd" divides by singular values
    of the whole (n, m) table, as IsomapII does, which shrinks the map by (m / n)^(1/4). There a
    point counts as often as it has copies (``masses``); a landmark counts once.
    """
    if scaling == "distance":
        centering, spectrum = decompose_landmarks(similarities, landmarks, n_components, seed)
        eigenvalues, anchors = scale_by_roots(spectrum)
        return GramMap(centering, anchors, eigenvalues)
    if masses is None:
        centering, root = Centering.of(similarities), np.ones(1)
    else:
        means, root = masses @ similarities / masses.sum(), np.sqrt(masses)
        centering = Centering(means, float(means.mean()))
    rows = centering.rows(similarities) * root[:, None]
    singular = replace(problem.covariance(rows), unit="root")
    spectrum = solve(singular, n_components, seed=seed)
    eigenvalues = spectrum.values
    return GramMap(centering, spectrum.vectors * np.sqrt(eigenvalues), eigenvalues)


def triangulate_moments(means: Array, factor: Array, n_components: int, seed: int) -> GramMap:
    """Return the map of ``scaling="svd"`` from the moments of the table of similarities (n, m).

    ``means`` are those of its columns, and R'R is their centred scatter with R the ``factor``:
    rows that are centred too have R (I - 11'/m) instead.
    """
    centering = Centering(means, float(means.mean()))
    rows = factor - factor.mean(axis=1, keepdims=True)
    spectrum = solve(replace(problem.covariance(rows), unit="root"), n_components, seed=seed)
    return GramMap(centering, spectrum.vectors * np.sqrt(spectrum.values), spectrum.values)


def place_roughly(similarities: Array, landmarks: Array, n_components: int, seed: int) -> Array:
    """Return coordinates (n, n_components) to start from: triangulated, without any warning."""
    count = min(n_components, len(landmarks) - 1)
    centering, spectrum = decompose_landmarks(similarities, landmarks, count, seed)
    eigenvalues = clip_eigenvalues(spectrum)
    fitted = GramMap(centering, spectrum.vectors * np.sqrt(eigenvalues), eigenvalues)
    return fitted.place(similarities)


@dataclass(frozen=True, slots=True)
class LandmarkGeodesics:
    """Geodesic distances (m, n) from the landmarks of a component to all of its points."""

    landmarks: Array
    geodesics: Array
    triangulation: GramMap

    def problem(self) -> EigenProblem:
        """State the gram problem of the landmarks."""
        return problem.gram(-0.5 * np.square(self.geodesics[:, self.landmarks]))

    def rows(self, queries: Queries) -> GeodesicRows:
        """Return the centred similarities of query points to the landmarks, along geodesics."""

        def lengths_from(points: Array) -> Callable[[slice], Array]:
            lengths = np.ascontiguousarray(self.geodesics[:, points].T, dtype=np.float64)
            return lambda columns: np.ascontiguousarray(lengths[:, columns])

        centering: Any = self.triangulation.centering
        seen = queries.neighbors
        at_once = max(1, seen.n_points)
        return GeodesicRows(seen, lengths_from, centering.column_means, at_once)

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return the eigenvalues."""
        return eigenvalues
