"""Solving with a sparse square matrix B that has one null vector.

B gets a border, [[B, e], [e', 0]] with e a coordinate vector: regular as long as neither null
vector of B vanishes there. Its solutions are those of the pseudo-inverse once the null vectors are
taken out. (A dense border would do for any B, but pivoting spreads it over the factor: 3.7 times
the fill for LLE's I - W on a Swiss roll.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg

from ..ordering import PLANNED
from ..values import Array

FAINT = 1e-6  # of its largest entry: where the left null vector is smaller, the border is moved


class NotSolved(Exception):
    """This solver gave no trustworthy answer; the message says why."""


@dataclass(frozen=True)
class Bordered:
    """The factorised bordered matrix, and the null vector of B'."""

    factor: Any
    order: Array
    left_null: Array

    @classmethod
    def of(cls, matrix: Any, null: Array, position: Array) -> Bordered:
        """Factorise B, which has this null vector, in the given order of elimination."""
        order = np.argsort(position)
        permuted = sp.csr_array(matrix)[order][:, order]
        sizes = np.abs(null[order, 0])
        corner = int(np.flatnonzero(sizes >= 0.5 * sizes.max())[-1])  # late: it adds least fill
        factor, left_null = _factorised(permuted, corner)
        if abs(left_null[corner, 0]) < FAINT:
            factor, left_null = _factorised(permuted, int(np.abs(left_null).argmax()))
        unpermuted = np.empty_like(left_null)
        unpermuted[order] = left_null
        return cls(factor, order, unpermuted / np.linalg.norm(unpermuted))

    def solve(self, block: Array, direction: str) -> Array:
        """Return a solution of B x = block ("N") or B' x = block ("T"), up to null vectors."""
        padded = np.zeros((len(block) + 1, block.shape[1]))
        padded[:-1] = block[self.order]
        solution = np.empty_like(block)
        solution[self.order] = self.factor.solve(padded, direction)[:-1]
        return solution

    def off(self, block: Array) -> Array:
        """Return the part of a block along the null vector of B'."""
        return np.asarray(self.left_null @ (self.left_null.T @ block))


def _factorised(matrix: sp.csr_array, corner: int) -> tuple[Any, Array]:
    """Return the factor bordered at ``corner``, and B's left null vector (largest entry 1)."""
    n = matrix.shape[0]
    edge = sp.csr_array((np.ones(1), ([corner], [0])), shape=(n, 1))
    bordered = sp.csc_array(sp.block_array([[matrix, edge], [edge.T, None]]))
    try:
        factor = sparse_linalg.splu(bordered, **PLANNED, diag_pivot_thresh=0.1)
    except RuntimeError as error:
        raise NotSolved(str(error)) from error
    unit = np.zeros((n + 1, 1))
    unit[-1] = 1.0
    left_null = factor.solve(unit, "T")[:-1]
    size = float(np.abs(left_null).max())
    if not np.isfinite(size) or size == 0.0:
        raise NotSolved("the bordered matrix is singular")
    return factor, left_null / size
