"""Reconstruction weights rebuild a point from its neighbours: they sum to one and err the least.

Solve G w = 1 and normalise, with G the Gram matrix of the differences to the neighbours (Vidal, Ma,
Sastry 2016, eq. 4.46; Mohri et al. 2012, eq. 15.9). LLE asks for coordinates that the same weights
rebuild; the placing of query points uses their own weights.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from ..runtime import limit_blas_threads, run_strips, stage
from ..values import Array, EigenProblem, NeighborGraph
from .neighborhoods import CHUNK_BYTES, LocalGrams

IN_CACHE = 4 * 2**20  # bytes of neighbours that a thread looks at at a time
NEGLIGIBLE = 1e-12  # of the trace: a hundred times what rounding leaves of a zero eigenvalue


def reconstruction(weights: sp.csr_array, masses: Array | None = None) -> EigenProblem:
    """Return the problem of M = (I - W)'(I - W): coordinates rebuilt by the same weights.

    Rows of W sum to one, so the constant vector is a solution with value 0 (Vidal, Ma, Sastry 2016,
    eq. 4.48-4.49). M is given by its factor I - W: its wanted values are so small that squaring
    would lose them.

    Parameters
    ----------
    weights : sparse matrix of shape (n_samples, n_samples)
        Reconstruction weights, one row per point.
    masses : ndarray of shape (n_samples,), optional
        How often each point counts, where some have copies: in the cost and in the scale.

    Returns
    -------
    EigenProblem
        The smallest end of M, the constant vector left out.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from unspool import problem
    >>> problem.reconstruction(sp.csr_array([[0.0, 1.0], [1.0, 0.0]])).end
    'smallest'
    """
    n = weights.shape[0]
    misfit = sp.csr_array(sp.eye_array(n, format="csr") - weights)
    if masses is not None:
        misfit = sp.csr_array(sp.diags_array(np.sqrt(masses)) @ misfit)
    return EigenProblem(misfit, "smallest", trivial=np.ones((n, 1)), mass=masses, is_factor=True)


def weights(grams: Array, regularization: float) -> Array:
    """Return the reconstruction weights for a batch of Gram matrices.

    The trace is added to the diagonal because G is singular as soon as there are more neighbours
    than dimensions. Neighbours that all coincide with the point share the weight evenly.

    Parameters
    ----------
    grams : ndarray of shape (b, k, k)
        Gram matrices of the neighbours, seen from their points.
    regularization : float
        Share of the trace that is added to the diagonal; with 0, the least of the weights that
        rebuild the point exactly are taken.

    Returns
    -------
    ndarray of shape (b, k)
        The weights; every row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.weights(np.array([[[1.0, -1.0], [-1.0, 1.0]]]), 1e-3).round(12)
    array([[0.5, 0.5]])
    """
    n_neighbors = grams.shape[1]
    trace = np.trace(grams, axis1=1, axis2=2)
    trace = np.where(trace > 0.0, trace, 1.0)
    scaled = grams / trace[:, None, None] + regularization * np.eye(n_neighbors)
    flat = ~grams.any(axis=(1, 2))
    scaled[flat] = np.eye(n_neighbors)
    if regularization < NEGLIGIBLE:
        solution = _limit(scaled)
    else:
        solution = np.linalg.solve(scaled, np.ones((len(grams), n_neighbors, 1)))[:, :, 0]
    return np.asarray(solution / solution.sum(axis=1, keepdims=True))


def _limit(systems: Array) -> Array:
    """Return what the solutions tend to as the regularization goes to zero.

    Directions that G does not see cost nothing, so all of them count alike, and far more than the
    others. (The pseudo-inverse would leave out just these.)
    """
    values, vectors = np.linalg.eigh(systems)
    shares = vectors.sum(axis=1) / np.maximum(values, NEGLIGIBLE)
    return np.asarray(np.einsum("bij,bj->bi", vectors, shares))


def reconstruction_weights(
    graph: NeighborGraph, local_grams: LocalGrams, regularization: float, width: int
) -> sp.csr_array:
    """Return the sparse W whose row i rebuilds point i from its neighbours.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours of every point.
    local_grams : callable
        ``local_grams(points, neighbours, distances)`` gives the Gram matrices of a batch.
    regularization : float
        Share of the trace that is added to the diagonal.
    width : int
        Number of floats it handles for one neighbour, which bounds the batch in memory.

    Returns
    -------
    sparse matrix of shape (n_samples, n_columns)
        The weights; every row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, problem
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> def grams(points, neighbors, distances):
    ...     return problem.grams_of_points(X[points], X[neighbors])
    >>> W = problem.reconstruction_weights(distances.neighbor_graph(X, 2), grams, 1e-3, 1)
    >>> W.sum(axis=1).round(12)
    array([1., 1., 1.])
    """
    values, most = np.empty(graph.n_edges), max(1, int(graph.counts.max(initial=1)))
    per_point = 8 * most * (width + most)
    with stage("weights", total=graph.n_points) as running:
        for points, neighbors, distances in graph.by_count(max(1, CHUNK_BYTES // per_point)):

            def work(
                some: slice, batch: tuple[Array, ...] = (points, neighbors, distances)
            ) -> None:
                points, neighbors, distances = (part[some] for part in batch)
                grams = local_grams(points, neighbors, distances)
                slots = graph.starts[points][:, None] + np.arange(neighbors.shape[1])
                values[slots] = weights(grams, regularization)

            _run(work, len(points), max(1, IN_CACHE // per_point))
            running.advance(len(points))
        running.note(holds=values.nbytes)
    return graph.with_weights(values)


def _run(work: Callable[[slice], None], n_points: int, step: int) -> None:
    """Call ``work`` for all points, a few at a time in each thread; few are not worth a thread."""
    if n_points <= step:
        work(slice(0, n_points))
        return
    with limit_blas_threads():
        run_strips(work, n_points, step)
