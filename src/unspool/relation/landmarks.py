"""Relations through landmarks: a few points that all others are placed by.

Classical scaling of the landmarks alone, and every other point placed by its distances to them
(de Silva and Tenenbaum 2004): landmark MDS and landmark Isomap, initial configurations of stress.
Kernel PCA through landmarks: the features of all points by the Nystroem method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from .. import graph, problem
from ..kernel import Centering, Kernel, check_definite, features, median_gamma, pivoted_cholesky
from ..spectrum import double_product, solve
from ..values import Array, EigenProblem
from .chart import Queries
from .geodesic_rows import GeodesicRows
from .gram import GramMap, clip_eigenvalues, decompose_landmarks, scale_by_roots

Scaling = Literal["distance", "svd"]
REGRESSORS = 500  # places that a regression is made of: of 10,000 points, 3 Gflop
PENALTIES = 10.0 ** np.arange(-10, 1)  # per point; leaving one out decides between them
LandmarkRule = Literal["cholesky", "uniform", "kmeans"]


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


def kernel_factor(
    similarities: Array, landmarks: Array, seed: int, scaling: Scaling, masses: Array | None = None
) -> Array:
    """Return all coordinates that landmarks give: the kernel matrix they stand for is F F'.

    That is C A+ C' with C the centred similarities to the landmarks and A those among these
    (``scaling="distance"``), or the root of C C' ("svd").
    """
    count = len(landmarks) - 1
    if scaling == "svd":
        found = triangulate(similarities, landmarks, count, seed, scaling, masses)
        return found.place(similarities)
    return place_roughly(similarities, landmarks, count, seed)


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


class KernelColumns(Protocol):
    """A kernel over the rows of fitted data, be they points or rows of a kernel matrix."""

    def __call__(self, A: Array, B: Array) -> Array:
        """Return k(a, b) of all pairs."""
        ...

    def diagonal(self, A: Array) -> Array:
        """Return k(a, a) of each row."""
        ...


@dataclass(frozen=True, slots=True)
class GivenKernel:
    """A precomputed kernel matrix as a kernel of row numbers."""

    table: Array

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the entries of these rows and columns."""
        return np.asarray(self.table[np.ix_(A[:, 0], B[:, 0])])

    def diagonal(self, A: Array) -> Array:
        """Return the diagonal entries of these rows."""
        return np.asarray(np.diag(self.table)[A[:, 0]])


@dataclass(frozen=True, slots=True)
class NystroemMap:
    """Landmarks (points, or row numbers of a kernel matrix), and the PCA of their features."""

    landmarks: Array
    inverse_root: Array
    mean: Array
    axes: Array
    eigenvalues: Array

    def place(self, columns: Array) -> Array:
        """Return the coordinates of points from their similarities to the landmarks."""
        return np.asarray((columns @ self.inverse_root - self.mean) @ self.axes)

    def combine(self, places: Array) -> Array:
        """Return the coefficients of the landmarks' features that stand for places on the map."""
        return np.asarray((places @ self.axes.T + self.mean) @ self.inverse_root.T)


def draw_landmarks(
    kernel: KernelColumns, X: Array, count: int, rule: LandmarkRule, seed: int
) -> Array:
    """Return the row numbers of ``count`` landmarks, drawn uniformly or by pivoted Cholesky."""
    if rule == "uniform":
        return graph.choose_uniform(len(X), count, seed)
    drawn = pivoted_cholesky(kernel, X, count, seed)
    if len(drawn) == 0:
        raise ValueError("k(x, x) is zero for every point, so there is nothing to map")
    return drawn


def center_landmarks(points: Array, count: int, seed: int) -> Array:
    """Return ``count`` landmarks that are no data points: the centers of k-means."""
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(count, n_init=1, random_state=seed).fit(points).cluster_centers_)


def fit_nystroem(
    kernel: Kernel | GivenKernel,
    X: Array,
    landmarks: Array,
    n_components: int,
    *,
    centered: bool,
    seed: int,
) -> tuple[NystroemMap, Array]:
    """Return the map through ``landmarks`` and the coordinates of the rows of ``X``."""
    inverse_root = _inverse_root(kernel(landmarks, landmarks), seed)
    table = features(kernel, X, landmarks, inverse_root)
    mean = table.mean(axis=0) if centered else np.zeros(table.shape[1])
    _check_rank(n_components, table.shape[1])
    spectrum = solve(problem.covariance(table, mean=mean), n_components, seed=seed)
    fitted = NystroemMap(landmarks, inverse_root, mean, spectrum.vectors, spectrum.values)
    if len(table) * (mean @ mean) > spectrum.values.sum():  # far: products would lose digits
        return fitted, np.asarray((table - mean) @ spectrum.vectors)
    places = double_product(table, spectrum.vectors)
    places -= mean @ spectrum.vectors
    return fitted, places


def begin_nystroem(kernel: Kernel, landmarks: Array, seed: int) -> NystroemMap:
    """Return the map to features, with no axes yet: rows are features of points as they are."""
    root = _inverse_root(kernel(landmarks, landmarks), seed)
    rank = root.shape[1]
    return NystroemMap(landmarks, root, np.zeros(rank), np.eye(rank), np.ones(rank))


def finish_nystroem(
    begun: NystroemMap, mean: Array, factor: Array, n_components: int, seed: int
) -> NystroemMap:
    """Return the map with the axes of features of which a factor of the scatter is known."""
    _check_rank(n_components, factor.shape[1])
    spectrum = solve(problem.covariance(factor), n_components, seed=seed)
    return replace(begun, mean=mean, axes=spectrum.vectors, eigenvalues=spectrum.values)


def _check_rank(n_components: int, rank: int) -> None:
    if n_components > rank:
        raise ValueError(
            f"n_components={n_components} is more than {rank} independent landmarks; use more"
        )


def _inverse_root(among: Array, seed: int) -> Array:
    """Return W^(-1/2) of the landmarks' own table, on the directions that it has."""
    whole = solve(problem.gram(among, centered=False), len(among), seed=seed)
    check_definite(whole.values, float(np.abs(whole.values).max()), "an eigenvalue")
    used = whole.values > 1e-12 * whole.values[0]
    return np.asarray(whole.vectors[:, used] / np.sqrt(whole.values[used]))


def regress_points(queries: Array, places: Array, points: Array, seed: int) -> Array:
    """Return the points that places on a map stand for, by ridge regression from known ones.

    In the features of a Gaussian on the map (Bakir, Weston and Schoelkopf 2004), seen through at
    most 500 places spread evenly over the rows. The penalty is the one with the least error at
    points left out, which ridge regression tells without leaving any out.
    """
    spread = np.linspace(0, len(places) - 1, min(len(places), REGRESSORS)).astype(int)
    centers, mean = places[spread], points.mean(axis=0)
    kernel = Kernel("gaussian", median_gamma(places))
    root = _inverse_root(kernel(centers, centers), seed)
    table = features(kernel, places, centers, root)
    spectrum = solve(problem.covariance(table), table.shape[1], seed=seed)
    used = spectrum.values > 1e-12 * spectrum.values[0]
    squares, axes = spectrum.values[used], spectrum.vectors[:, used]
    left = table @ (axes / np.sqrt(squares))
    answers = left.T @ (points - mean)
    best, least = answers, np.inf
    for penalty in PENALTIES * len(places):
        kept = squares / (squares + penalty)
        misfit = points - mean - left @ (kept[:, None] * answers)
        free = np.maximum(1.0 - np.square(left) @ kept, 1e-12)  # of what the point says itself
        error = float(np.square(misfit / free[:, None]).sum())
        if error < least:
            best, least = (kept / np.sqrt(squares))[:, None] * answers, error
    return np.asarray(mean + features(kernel, queries, centers, root) @ (axes @ best))
