"""Questions about a whole spectrum, for tables small enough to be decomposed."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..values import Array


def all_eigenvalues(table: Array) -> Array:
    """Return all eigenvalues of a symmetric table, largest first."""
    return np.asarray(scipy.linalg.eigvalsh(np.asarray(table, dtype=np.float64)))[::-1]


def negative_mass(table: Array) -> float:
    """Return the share of a table's spectrum that is negative: sum of |negative| over sum of all.

    Zero for the inner products of points; what is left of a table of distances that no points have.
    """
    values = all_eigenvalues(table)
    total = float(np.abs(values).sum())
    return float(-values[values < 0].sum() / total) if total > 0 else 0.0


def additive_constant(squares: Array, distances: Array) -> float:
    """Return the least c for which the distances d + c (off the diagonal) are Euclidean.

    The largest real eigenvalue of [[0, 2 B], [-I, -4 C]], with B and C the centred -1/2 d^2 and
    -1/2 d (Cailliez 1983).
    """
    n = len(squares)
    block = np.block([[np.zeros((n, n)), 2.0 * squares], [-np.eye(n), -4.0 * distances]])
    return float(np.max(np.real(scipy.linalg.eigvals(block))))


def components_of_null_space(vectors: Array) -> Array:
    """Return the connected component of each point from a basis of the Laplacian's null space.

    The basis is the components' indicators times a regular matrix: rows are equal within a
    component and independent between components (Vidal, Ma, Sastry 2016, proposition 4.12). One
    row of each component is found by pivoting; every row joins the nearest.
    """
    _, _, pivots = scipy.linalg.qr(vectors.T, mode="economic", pivoting=True)
    heads = vectors[np.sort(pivots[: vectors.shape[1]])]
    gaps = np.square(vectors[:, None, :] - heads[None, :, :]).sum(axis=2)
    return np.asarray(gaps.argmin(axis=1))
