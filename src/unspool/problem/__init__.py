"""Relation -> EigenProblem: gram, Laplacian, reconstruction and alignment.

Similarities or centred points make the problem of kernel PCA and classical scaling; weights of a
graph that of its Laplacian D - W. Neighbourhoods are in neighborhoods.py, and the sum of their
patches in alignment.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..values import Array, EigenProblem, NeighborGraph, Operator
from .alignment import (
    alignment,
    alignment_bytes,
    flatness,
    hessian_patches,
    local_spectra,
    members_needed,
    modified_patches,
    tangent_patches,
)
from .neighborhoods import (
    Batch,
    LocalDistances,
    LocalFrames,
    LocalGeometry,
    LocalGrams,
    LocalPaths,
    LocalPoints,
    Look,
    batch_neighborhoods,
    grams_of_distances,
    grams_of_points,
    look_at,
    look_bytes,
    reconstruction,
    reconstruction_weights,
    tangent_coordinates,
    tangents_of_grams,
    weights,
)

__all__ = [
    "Batch",
    "LocalDistances",
    "LocalFrames",
    "LocalGeometry",
    "LocalGrams",
    "LocalPaths",
    "LocalPoints",
    "Look",
    "Normalization",
    "alignment",
    "alignment_bytes",
    "batch_neighborhoods",
    "covariance",
    "cuts",
    "flatness",
    "gram",
    "grams_of_distances",
    "grams_of_points",
    "hessian_patches",
    "laplace_operator",
    "laplacian",
    "local_spectra",
    "look_at",
    "look_bytes",
    "members_needed",
    "modified_patches",
    "reconstruction",
    "reconstruction_weights",
    "tangent_coordinates",
    "tangent_patches",
    "tangents_of_grams",
    "weights",
]
Normalization = Literal["random-walk", "symmetric", "unnormalized"]


def gram(similarity: Array | Operator, *, centered: bool = True) -> EigenProblem:
    """Return the problem K v = value v, or H K H v = value v when ``centered``.

    The table is not copied: centring means that the constant vector is projected out.

    Parameters
    ----------
    similarity : ndarray or operator of shape (n_samples, n_samples)
        A table of similarities.
    centered : bool, default=True
        Whether the table is centred in rows and columns.

    Returns
    -------
    EigenProblem
        The largest end of the table.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem, spectrum
    >>> points = np.array([[0.0], [2.0]])
    >>> spectrum.solve(problem.gram(points @ points.T), 1).values
    array([2.])
    """
    constant = np.ones((similarity.shape[0], 1)) if centered else None
    return EigenProblem(similarity, "largest", trivial=constant)


def covariance(
    points: Array | sp.csr_array, divisor: float = 1.0, *, mean: Array | None = None
) -> EigenProblem:
    """Return the problem X'X a = divisor value a of centred points.

    The matrix is given by its factor X, and the points as they are: they are centred before
    anything is squared, so that an offset costs no digits.

    Parameters
    ----------
    points : ndarray or sparse matrix of shape (n_samples, n_features)
        Points; sparse ones are multiplied as they are, and never made dense.
    divisor : float, default=1.0
        What sums of squares are divided by: n or n - 1 for variances.
    mean : ndarray of shape (n_features,), optional
        Mean of the points; without it they are taken to be centred already.

    Returns
    -------
    EigenProblem
        The largest end of X'X.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem, spectrum
    >>> points = np.array([[2.0, 0.0], [0.0, 0.0]])
    >>> spectrum.solve(problem.covariance(points, mean=points.mean(axis=0)), 1).values
    array([2.])
    """
    if sp.issparse(points):
        center = np.zeros(points.shape[1]) if mean is None else mean
        return EigenProblem(SparseProducts(points, center), "largest", divisor=divisor)
    return EigenProblem(points, "largest", is_factor=True, divisor=divisor, center=mean)


@dataclass(frozen=True, slots=True)
class SparseProducts:
    """X'X of sparse points less their center, by its products alone."""

    points: sp.csr_array
    center: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.center), len(self.center)

    @property
    def norm_bound(self) -> float:
        """A bound of its norm: twice what the points and their center have as squares."""
        n = self.points.shape[0]
        return float(2.0 * (np.square(self.points.data).sum() + n * (self.center @ self.center)))

    def __matmul__(self, block: Array) -> Array:
        """Return the product with a block of vectors."""
        scores = self.points @ block - self.center @ block
        return np.asarray(self.points.T @ scores - np.outer(self.center, scores.sum(axis=0)))


def laplacian(
    weights: sp.csr_array,
    normalization: Normalization = "random-walk",
    masses: Array | None = None,
) -> EigenProblem:
    """Return the eigenproblem of a graph Laplacian.

    L y = value D y ("random-walk"), L y = value y ("unnormalized"), or the problem of
    D^-1/2 L D^-1/2 ("symmetric"). In each the solution with value 0 is known: the constant, or
    sqrt(D) for "symmetric".

    Parameters
    ----------
    weights : sparse matrix of shape (n_samples, n_samples)
        Symmetric non-negative weights of one connected graph.
    normalization : {"random-walk", "symmetric", "unnormalized"}, default="random-walk"
        Which of the three problems.
    masses : ndarray of shape (n_samples,), optional
        Numbers of copies m of the points, where some have any; the weights are those of all
        copies together, w_ij m_i m_j, and what stands for one point is divided by m again.

    Returns
    -------
    EigenProblem
        The smallest end, the known solution left out.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from unspool import problem, spectrum
    >>> path = sp.csr_array(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> spectrum.solve(problem.laplacian(path), 1).values.round(12)
    array([1.])
    """
    degree = np.asarray(weights.sum(axis=1)).ravel()
    matrix = sp.csr_array(sp.diags_array(degree) - weights)
    constant = np.ones((len(degree), 1))
    if normalization == "random-walk":
        return EigenProblem(matrix, "smallest", constant, mass=degree, ceiling=2.0)
    own = degree if masses is None else degree / masses
    if normalization == "unnormalized":
        return EigenProblem(matrix, "smallest", constant, masses, ceiling=2.0 * float(own.max()))
    root = np.sqrt(own)
    scaled = sp.csr_array(sp.diags_array(1.0 / root) @ matrix @ sp.diags_array(1.0 / root))
    return EigenProblem(scaled, "smallest", root[:, None], masses, ceiling=2.0)


def laplace_operator(graph: NeighborGraph, t: float, dimension: int) -> sp.csr_array:
    """Return the discrete Laplace operator of a manifold as a matrix (Belkin, Niyogi 2001, eq. 10).

    (L f)(x_i) = -(1/t) [f(x_i) - (1/n) (4 pi t)^(-d/2) sum_j exp(-|x_i - x_j|^2 / 4t) f(x_j)] over
    the neighbours j within a radius, for n points drawn uniformly from a d-dimensional manifold of
    volume 1 (multiply the sum by the volume otherwise). Minus this operator tends to the
    Laplace-Beltrami operator, with eigenvalues >= 0, as t goes to 0 slowly enough.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours within a radius.
    t : float
        Time of the heat kernel.
    dimension : int
        Dimension d of the manifold.

    Returns
    -------
    sparse matrix of shape (n_samples, n_samples)
        The operator.

    Examples
    --------
    >>> from unspool import datasets, distances, problem
    >>> near = distances.neighbor_graph(datasets.circle(100).points, radius=0.5)
    >>> problem.laplace_operator(near, 0.01, 1).shape
    (100, 100)
    """
    if t <= 0 or dimension < 1:
        raise ValueError(f"t must be positive and dimension at least 1; got {t!r}, {dimension!r}")
    heat = graph.with_weights(np.exp(-(graph.distances**2) / (4.0 * t)))
    heat = heat * ((4.0 * np.pi * t) ** (-dimension / 2.0) / graph.n_points)
    return sp.csr_array((heat - sp.eye_array(graph.n_points)) / t)


def cuts(weights: Any, labels: Array) -> tuple[float, float]:
    """Return the weight of the edges between clusters, and the same over the clusters' volumes.

    Parameters
    ----------
    weights : sparse matrix of shape (n_samples, n_samples)
        Symmetric weights of the edges.
    labels : ndarray of shape (n_samples,)
        The cluster of every point.

    Returns
    -------
    tuple of float
        The cut, and the normalised cut.

    Examples
    --------
    >>> import numpy as np
    >>> import scipy.sparse as sp
    >>> from unspool import problem
    >>> path = sp.csr_array(np.diag([1.0, 1.0, 1.0], 1) + np.diag([1.0, 1.0, 1.0], -1))
    >>> problem.cuts(path, np.array([0, 0, 1, 1]))[0]
    1.0
    """
    edges = weights.tocoo()
    crossing = labels[edges.row] != labels[edges.col]
    size = int(labels.max()) + 1
    leaving = np.bincount(labels[edges.row[crossing]], edges.data[crossing], minlength=size)
    volume = np.bincount(labels[edges.row], edges.data, minlength=size)
    return 0.5 * float(leaving.sum()), float((leaving / np.where(volume > 0, volume, 1.0)).sum())
