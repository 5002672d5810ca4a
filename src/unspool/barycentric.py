"""Weights that rebuild a point from its neighbours: they sum to one and miss it by the least.

Solve G w = 1 and normalise, with G the Gram matrix of the differences to the neighbours
(S0 4.46, S3 15.9, S4 16.6.4). Both the LLE family and the placing of new points use it.
"""

from __future__ import annotations

import numpy as np

from .values import Array

NEGLIGIBLE = 1e-12  # of the trace: a hundred times what rounding leaves of a zero eigenvalue


def grams_of_points(centres: Array, neighbors: Array) -> Array:
    """Return G of each row: centres (b, D) seen from neighbors (b, k, D), as (b, k, k)."""
    differences = neighbors - centres[:, None, :]
    grams: Array = differences @ differences.transpose(0, 2, 1)
    return grams


def grams_of_distances(to_neighbors: Array, among_neighbors: Array) -> Array:
    """Return the same G from distances alone: 2 G_jk = d_j^2 + d_k^2 - d_jk^2."""
    squares = to_neighbors**2
    return np.asarray(0.5 * (squares[:, :, None] + squares[:, None, :] - among_neighbors**2))


def weights(grams: Array, regularization: float) -> Array:
    """Return the weights (b, k) for a batch of Gram matrices (b, k, k).

    ``regularization`` times the trace is added to the diagonal, because G is singular as soon as
    there are more neighbours than dimensions; without it, the least of the weights that rebuild
    the point exactly are taken. Neighbours that all coincide with the point share the weight
    evenly.
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
