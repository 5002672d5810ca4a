"""Moving places until the edges between them have the lengths they should."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ....values import Array

ROUNDS = 30


def with_lengths(places: Array, edges: Array, lengths: Array) -> Array:
    """Return the places moved so that edges get their lengths: majorised local stress.

    Errors count relative to the length; a little inertia keeps places that no edge ties down.
    """
    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * float(weights.mean())
    inverse = np.linalg.inv(_laplacian(weights, edges, len(places)) + inertia * np.eye(len(places)))
    moved, (first, second) = places, edges.T
    numbers = np.arange(len(edges))
    n, ends = len(places), (np.tile(numbers, 2), np.concatenate([first, second]))
    signs = np.repeat([1.0, -1.0], len(edges))
    gather = sp.csr_array((signs, ends), shape=(len(edges), n))  # edge = first end - second
    spread = sp.csr_array(gather.T)
    for _ in range(ROUNDS):
        ways = gather @ moved
        now = np.sqrt(np.square(ways).sum(axis=1))
        pulls = np.divide(weights * lengths, now, out=np.zeros_like(now), where=now > 0.0)
        moved = inverse @ (inertia * moved + spread @ (pulls[:, None] * ways))
    return np.asarray(moved)


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix
