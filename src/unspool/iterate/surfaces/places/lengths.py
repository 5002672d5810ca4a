"""Moving places until the edges between them have the lengths they should."""

from __future__ import annotations

import numpy as np

from ....values import Array

ROUNDS = 30


def with_lengths(places: Array, edges: Array, lengths: Array) -> Array:
    """Return the places moved so that edges get their lengths: majorised local stress.

    Errors count relative to the length; a little inertia keeps places that no edge ties down.
    """
    from ._kernels import settle_lengths

    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * float(weights.mean())
    inverse = np.linalg.inv(_laplacian(weights, edges, len(places)) + inertia * np.eye(len(places)))
    moved, (first, second) = places.copy(), np.ascontiguousarray(edges.T)
    room = np.empty(places.shape[::-1])
    settle_lengths(moved, (first, second), lengths, weights, inverse, inertia, ROUNDS, room)
    return moved


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix
