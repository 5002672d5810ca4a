"""The patch of Hessian LLE: how far a function is from being linear in the tangent coordinates."""

from __future__ import annotations

import numpy as np

from ...values import Array

# Functions that are neither affine nor quadratic on a neighbourhood do not show in its Hessian.
# Where neighbourhoods repeat (duplicate points, the ends of a curve) nothing else binds them, and
# they would be solutions of their own; a small weight keeps them out and leaves flat maps alone.
RESIDUE = 1e-2


def members_needed(n_components: int) -> int:
    """Return how many members a neighbourhood needs: 1 + t + t(t+1)/2 columns to estimate."""
    t = n_components
    return 1 + t + t * (t + 1) // 2


def hessian_patches(tangents: Array) -> Array:
    """Return H'H of each neighbourhood, with H the estimator of the tangent Hessian (S4 16.53).

    The columns 1, the tangent coordinates, and their squares and cross-products are made
    orthonormal in this order; the part that belongs to the quadratic columns reads off the Hessian.
    """
    m, t = tangents.shape[1:]
    first, second = np.triu_indices(t)
    quadratic = tangents[:, :, first] * tangents[:, :, second] * np.sqrt(m)
    ones = np.full((len(tangents), m, 1), 1.0 / np.sqrt(m))
    basis = np.linalg.qr(np.concatenate([ones, tangents, quadratic], axis=2))[0]
    estimator = basis[:, :, 1 + t :]
    rest = np.eye(m) - basis @ basis.transpose(0, 2, 1)
    return np.asarray(estimator @ estimator.transpose(0, 2, 1) + RESIDUE * rest)
