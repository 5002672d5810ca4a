"""Symbolic factorisation: a fill-reducing order, its exact fill, and the pattern of the factor.

All of it before any number is spent. The order is SuperLU's minimum degree, read off an incomplete
factorisation that drops everything, or nested dissection, which takes longer to find but fills in
half as much where neighbours are in more than two dimensions. The fill then follows from the
pattern of the matrix alone (elimination tree and row subtrees, Liu 1990).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg

from ..values import Array
from .dissection import nested_dissection

SYMMETRIC = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}
PLANNED = {"permc_spec": "NATURAL", "options": {"SymmetricMode": True}}  # ordered beforehand


@dataclass(frozen=True, slots=True)
class Elimination:
    """The position of each vertex in the order, and how many later vertices each one meets.

    The order is a postorder of the elimination tree: whatever a vertex depends on stands just
    before it, which is what caches like. ``parent`` is the first later vertex that each one meets,
    by position, and -1 for the last of a connected component.
    """

    position: Array
    counts: Array
    parent: Array

    @property
    def vertex_at(self) -> Array:
        """The vertex at each position."""
        vertices = np.empty(len(self.position), dtype=np.int64)
        vertices[self.position] = np.arange(len(self.position))
        return vertices

    @property
    def fill(self) -> int:
        """Number of entries below the diagonal of the factor."""
        return int(self.counts.sum())

    @property
    def flops(self) -> float:
        """Multiplications of a factorisation, about."""
        return float((self.counts.astype(np.float64) ** 2).sum())


def plan_elimination(matrix: Any, *, nested: bool = False) -> Elimination:
    """Return a fill-reducing order of a symmetric sparse matrix, with its fill counted exactly.

    By minimum degree, or ``nested`` dissection.
    """
    from .symbolic_kernels import column_counts

    pattern = sp.csr_array(matrix)
    starts, columns = indices_of(pattern)
    position = nested_dissection(pattern, _minimum_degree) if nested else _minimum_degree(pattern)
    vertex_at = np.argsort(position)
    subtrees = _postorder(_tree(starts, columns, position, vertex_at))
    vertex_at = vertex_at[subtrees]
    position = np.empty_like(position)
    position[vertex_at] = np.arange(len(position))
    parent = _tree(starts, columns, position, vertex_at)
    counts = np.zeros(len(parent), dtype=np.int64)
    column_counts(starts, columns, position, vertex_at, parent, *_room(len(parent)), counts)
    return Elimination(position, counts, parent)


@dataclass(frozen=True, slots=True)
class FilledPattern:
    """The later vertices that each vertex meets, by position: the pattern of the factor.

    ``heads`` are the first vertices of the supernodes and the number of vertices. In a supernode
    each vertex meets the next one and then the same others, which makes its rows dense blocks.
    """

    starts: Array
    later: Array
    heads: Array


def filled_pattern(matrix: Any, plan: Elimination) -> FilledPattern:
    """Return the pattern of the factor of ``matrix``, eliminated as planned."""
    from .symbolic_kernels import later_vertices

    pattern = *indices_of(sp.csr_array(matrix)), plan.position, plan.vertex_at, plan.parent
    starts = np.concatenate([[0], np.cumsum(plan.counts)])
    later = np.empty(starts[-1], dtype=np.int32)
    later_vertices(*pattern, *_room(len(plan.counts)), starts[:-1].copy(), later)
    return FilledPattern(starts, later, _heads(plan.counts, starts, later))


def _room(n: int) -> tuple[Array, Array]:
    """Return what a walk over row subtrees marks and lists vertices in."""
    return np.full(n, -1), np.empty(n, dtype=np.int64)


def _heads(counts: Array, starts: Array, later: Array) -> Array:
    follows = np.zeros(len(counts), dtype=bool)
    follows[1:] = counts[:-1] == counts[1:] + 1
    candidates = np.flatnonzero(follows)
    follows[candidates] = later[starts[candidates - 1]] == candidates
    return np.append(np.flatnonzero(~follows), len(counts))


def _tree(starts: Array, columns: Array, position: Array, vertex_at: Array) -> Array:
    """Return, by position, the first later vertex that each one meets; -1 for the last."""
    from .symbolic_kernels import elimination_tree

    ancestor, parent = (np.full(len(vertex_at), -1) for _ in range(2))
    elimination_tree(starts, columns, position, vertex_at, ancestor, parent)
    return parent


def _postorder(parent: Array) -> Array:
    """Return the vertices of a forest so that each subtree is contiguous and ends in its root."""
    from .symbolic_kernels import postorder

    n = len(parent)
    first_child, sibling, path = (np.full(n + 1, -1) for _ in range(3))
    order = np.empty(n, dtype=np.int64)
    postorder(parent, first_child, sibling, path, order)
    return order


def indices_of(pattern: sp.csr_array) -> tuple[Array, Array]:
    """Return the starts and columns of a sparse matrix in the one type that kernels expect."""
    return pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32)


def _minimum_degree(pattern: sp.csr_array) -> Array:
    n = pattern.shape[0]
    ones = sp.csr_array((np.ones(pattern.nnz), pattern.indices, pattern.indptr), shape=(n, n))
    heavy = sp.csc_array(ones + 1e3 * n * sp.eye_array(n))  # so dominant that no pivoting happens
    order = sparse_linalg.spilu(heavy, drop_tol=0.99, fill_factor=1.0, **SYMMETRIC)
    return np.asarray(order.perm_c, dtype=np.int64)
