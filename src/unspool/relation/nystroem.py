"""Kernel PCA through landmarks: the features of all points by the Nystroem method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import graph, problem
from ..kernel import Kernel, features, pivoted_cholesky
from ..spectrum import solve
from ..values import Array


@dataclass(frozen=True)
class GivenTable:
    """A precomputed kernel table as a kernel of row numbers."""

    table: Array

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the entries of these rows and columns."""
        return np.asarray(self.table[np.ix_(A[:, 0], B[:, 0])])

    def diagonal(self, A: Array) -> Array:
        """Return the diagonal entries of these rows."""
        return np.asarray(np.diag(self.table)[A[:, 0]])


@dataclass(frozen=True)
class NystroemMap:
    """Landmarks (points, or row numbers of a table), and the PCA of the features they make."""

    landmarks: Array
    inverse_root: Array
    mean: Array
    axes: Array
    values: Array

    def place(self, columns: Array) -> Array:
        """Return the coordinates of points from their similarities to the landmarks."""
        return np.asarray((columns @ self.inverse_root - self.mean) @ self.axes)

    def shares(self, places: Array) -> Array:
        """Return the coefficients of the landmarks' features that stand for places on the map."""
        return np.asarray((places @ self.axes.T + self.mean) @ self.inverse_root.T)


def choose_landmarks(kernel: Any, X: Array, landmarks: Any, choice: str, seed: int) -> Array:
    """Return the landmarks as rows: given by index, or ``landmarks`` many by ``choice``."""
    if np.ndim(landmarks) > 0:
        return np.asarray(X[graph.check_landmarks(landmarks, len(X))])
    if isinstance(landmarks, bool) or not isinstance(landmarks, int | np.integer) or landmarks < 1:
        raise ValueError(f"landmarks must be None, a number or indices; got {landmarks!r}")
    count = min(int(landmarks), len(X))
    if choice == "uniform":
        return np.asarray(X[graph.choose_uniform(len(X), count, seed)])
    if choice == "cholesky":
        return np.asarray(X[pivoted_cholesky(kernel, X, count, seed)])
    if isinstance(kernel, GivenTable):
        raise ValueError("k-means needs points; use landmark_choice='cholesky' or 'uniform'")
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(count, n_init=1, random_state=seed).fit(X).cluster_centers_)


def fit_nystroem(
    kernel: Kernel | GivenTable, X: Array, landmarks: Array, count: int, *, center: bool
) -> tuple[NystroemMap, Array]:
    """Return the map through ``landmarks`` and the coordinates of the rows of ``X``."""
    among = kernel(landmarks, landmarks)
    whole = solve(problem.gram(among, centered=False), len(among))
    used = whole.values > 1e-12 * whole.values[0]
    inverse_root = whole.vectors[:, used] / np.sqrt(whole.values[used])
    table = features(kernel, X, landmarks, inverse_root)
    mean = table.mean(axis=0) if center else np.zeros(table.shape[1])
    if count > table.shape[1]:
        raise ValueError(
            f"n_components={count} is more than {table.shape[1]} independent landmarks; use more"
        )
    table -= mean
    spectrum = solve(problem.covariance(table), count)
    fitted = NystroemMap(landmarks, inverse_root, mean, spectrum.vectors, spectrum.values)
    return fitted, np.asarray(table @ spectrum.vectors)
