"""Weights of a graph -> the eigenproblem of its Laplacian D - W, and what a clustering cuts off."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..values import Array, EigenProblem, NeighborGraph

Normalization = Literal["random-walk", "symmetric", "unnormalized"]


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
