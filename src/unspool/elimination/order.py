"""Fill-reducing order of a sparse symmetric matrix and its exact fill, before any number is spent.

The order is SuperLU's minimum degree, read off an incomplete factorisation that drops everything;
the fill then follows from the pattern alone (elimination tree and row subtrees).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg

from ..values import Array

SYMMETRIC = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}


PLANNED = {"permc_spec": "NATURAL", "options": {"SymmetricMode": True}}  # ordered beforehand


@dataclass(frozen=True, slots=True)
class Elimination:
    """The position of each vertex in the order, and how many later vertices each one meets."""

    position: Array
    counts: Array

    @property
    def fill(self) -> int:
        """Number of entries below the diagonal of the factor."""
        return int(self.counts.sum())

    @property
    def flops(self) -> float:
        """Multiplications of a factorisation, about."""
        return float((self.counts.astype(np.float64) ** 2).sum())


def plan_elimination(matrix: Any) -> Elimination:
    """Return a fill-reducing order of a symmetric sparse matrix, with its fill counted exactly."""
    pattern = sp.csr_array(matrix)
    n = pattern.shape[0]
    position = _minimum_degree(pattern)
    vertex_at = np.empty(n, dtype=np.int64)
    vertex_at[position] = np.arange(n)
    from ._kernels import column_counts

    counts = column_counts(
        pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64), position, vertex_at
    )
    return Elimination(position, counts)


def _minimum_degree(pattern: sp.csr_array) -> Array:
    n = pattern.shape[0]
    ones = sp.csr_array((np.ones(pattern.nnz), pattern.indices, pattern.indptr), shape=(n, n))
    heavy = sp.csc_array(ones + 1e3 * n * sp.eye_array(n))  # so dominant that no pivoting happens
    order = sparse_linalg.spilu(heavy, drop_tol=0.99, fill_factor=1.0, **SYMMETRIC)
    return np.asarray(order.perm_c, dtype=np.int64)
