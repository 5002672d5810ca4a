"""Places on a surface, in its parameters: well-spread ones, their neighbours, and moving them."""

from __future__ import annotations

import numpy as np

from ....values import Array

ROUNDS = 30


def spread_order(places: Array, count: int) -> Array:
    """Return the numbers of up to ``count`` distinct places, each far from those before it."""
    from ._kernels import spread_out

    return np.asarray(spread_out(np.ascontiguousarray(places.T), min(count, len(places))))


def well_spread(places: Array, count: int) -> Array:
    """Return up to ``count`` distinct places, each far from those before it."""
    return np.ascontiguousarray(places[spread_order(places, count)])


def nearest(places: Array, count: int) -> Array:
    """Return the ``count`` nearest others of each of a few hundred places."""
    from ._kernels import nearest_places

    others = np.empty((len(places), min(count, len(places) - 1)), dtype=np.int64)
    nearest_places(np.ascontiguousarray(places), others)
    return others


def with_lengths(places: Array, edges: Array, lengths: Array) -> Array:
    """Return the places moved so that edges get their lengths: majorised local stress.

    Errors count relative to the length; a little inertia keeps places that no edge ties down.
    """
    from ._kernels import settle_lengths

    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * float(weights.mean())
    inverse = np.linalg.inv(_laplacian(weights, edges, len(places)) + inertia * np.eye(len(places)))
    moved, (first, second) = places.copy(), np.ascontiguousarray(edges.T)
    settle_lengths(moved, first, second, lengths, weights, inverse, inertia, ROUNDS)
    return moved


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix
