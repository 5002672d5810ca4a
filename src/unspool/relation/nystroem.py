"""Kernel PCA through landmarks: the features of all points by the Nystroem method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from .. import graph, problem
from ..kernel import Kernel, features, pivoted_cholesky
from ..spectrum import solve
from ..values import Array

LandmarkRule = Literal["cholesky", "uniform", "kmeans"]


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
    return pivoted_cholesky(kernel, X, count, seed)


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
    among = kernel(landmarks, landmarks)
    whole = solve(problem.gram(among, centered=False), len(among), seed=seed)
    used = whole.values > 1e-12 * whole.values[0]
    inverse_root = whole.vectors[:, used] / np.sqrt(whole.values[used])
    table = features(kernel, X, landmarks, inverse_root)
    mean = table.mean(axis=0) if centered else np.zeros(table.shape[1])
    if n_components > table.shape[1]:
        raise ValueError(
            f"n_components={n_components} is more than {table.shape[1]} independent landmarks; "
            "use more"
        )
    table -= mean
    spectrum = solve(problem.covariance(table), n_components, seed=seed)
    fitted = NystroemMap(landmarks, inverse_root, mean, spectrum.vectors, spectrum.values)
    return fitted, np.asarray(table @ spectrum.vectors)
