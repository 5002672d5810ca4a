"""Symbolic factorisation: a fill-reducing order, its exact fill, and the pattern of the factor.

All of it before any number is spent. The order is SuperLU's minimum degree, read off an incomplete
factorisation that drops everything, or nested dissection, which takes longer to find but fills in
half as much where neighbours are in more than two dimensions. The fill then follows from the
pattern of the matrix alone (elimination tree and row subtrees, Liu 1990).

Nested dissection splits a graph by a small set of vertices, both halves likewise, and so on. What
is eliminated in one half never meets the other: only the separators fill in, and they come last
(George 1973). A separator is found on a graph that was coarsened until it is tiny, then moved and
improved on each finer one (Karypis and Kumar 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sparse_linalg
from scipy.sparse.csgraph import breadth_first_order

from .values import Array

LEAF = 150  # vertices that are no longer split: minimum degree is as good there
COARSE = 120  # vertices of the coarsest graph: enough to have a shape, few enough to try often
TRIES = 8  # starting points on the coarsest graph

Graph = tuple[Array, Array, Array, Array]  # starts, columns, joined, sizes: see the kernels


def nested_dissection(
    pattern: sp.csr_array, order_leaves: Callable[[sp.csr_array], Array]
) -> Array:
    """Return the position of each vertex; what lies between the separators comes first.

    ``order_leaves`` orders the graph without its separators, which is many small components.
    """
    apart = _separators(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int32))
    leaves = np.setdiff1d(np.arange(pattern.shape[0]), apart)
    position = np.empty(pattern.shape[0], dtype=np.int64)
    position[apart] = pattern.shape[0] - 1 - np.arange(len(apart))
    if len(leaves):
        position[leaves] = order_leaves(pattern[leaves][:, leaves])
    return position


def _separators(starts: Array, columns: Array) -> Array:
    """Return the vertices of all separators, those that are to be eliminated last first."""
    generator = np.random.default_rng(0)
    number = np.full(len(starts) - 1, -1)
    found = [np.empty(0, dtype=np.int64)]
    to_split = [np.arange(len(starts) - 1)]
    while to_split:
        members = to_split.pop()
        if len(members) <= LEAF:
            continue
        side = _side(_among(members, starts, columns, number), generator)
        found.append(members[side == 2])
        halves = members[side == 0], members[side == 1]
        if min(len(half) for half in halves) > 0:  # else it cannot be split: a clique
            to_split.extend(halves)
    return np.concatenate(found)


def _among(members: Array, starts: Array, columns: Array, number: Array) -> Graph:
    """Return the graph among some vertices; ``number`` is -1 everywhere, room for their places."""
    from .elimination_order_kernels import induced

    n, room = len(members), int((starts[members + 1] - starts[members]).sum())
    inner = np.zeros(n + 1, dtype=np.int64), np.empty(room, dtype=np.int32)
    end = induced(starts, columns, members, number, *inner)
    ones = np.ones(max(n, end), dtype=np.int64)
    return inner[0], inner[1][:end], ones[:end], ones[:n]


def _coarser(graph: Graph, pair: Array, count: int) -> Graph:
    """Return the graph of the pairs."""
    from .elimination_order_kernels import contracted

    starts, sizes = np.zeros(count + 1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    columns, joined = np.empty_like(graph[1]), np.empty_like(graph[2])
    end = contracted(graph, pair, (starts, columns, joined, sizes))
    return starts, columns[:end].copy(), joined[:end].copy(), sizes


def _side(graph: Graph, generator: np.random.Generator) -> Array:
    """Return the side of each vertex: 0 or 1, or 2 for the separator."""
    from .elimination_order_kernels import matched, refined

    graphs, pairs = [graph], []
    limit = max(2, 3 * len(graph[3]) // (2 * COARSE))
    while len(graphs[-1][3]) > COARSE:
        size = len(graphs[-1][3])
        # few choices first: hubs find a partner late, too (MNIST: 8 % less fill); ties at random
        order = np.argsort(np.diff(graphs[-1][0]) + generator.random(size))
        pair = np.full(size, -1, dtype=np.int32)
        count = matched(graphs[-1], order, limit, pair)
        if count > 0.95 * size:  # stars, or all pairs at their limit: coarser will not come
            break
        pairs.append(pair)
        graphs.append(_coarser(graphs[-1], pair, count))
    side, weight = _first_side(graphs[-1]), np.empty(3, dtype=np.int64)
    for finer, pair in zip(graphs[-2::-1], reversed(pairs), strict=True):
        side = side[pair]
        refined(finer, side, weight)
    return side


def _first_side(graph: Graph) -> Array:
    """Return the best sides out of several tries on the coarsest graph."""
    from .elimination_order_kernels import grown, refined

    tries: list[tuple[float, Array]] = []
    for seed in np.linspace(0, len(graph[3]) - 1, TRIES).astype(np.int64):
        side, weight = np.ones(len(graph[3]), dtype=np.int8), np.empty(3, dtype=np.int64)
        grown(graph, seed, side)
        refined(graph, side, weight)
        low, high, between = weight
        lopsided = max(0.0, abs(low - high) - 0.2 * (low + high))  # 40 to 60 % are halves, too
        tries.append((between + lopsided, side))
    return min(tries, key=lambda trial: trial[0])[1]


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
    from .elimination_order_kernels import column_counts

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


def narrowest_cut(pattern: sp.csr_array) -> tuple[Array, int]:
    """Return the vertices from one end of a graph to the other, and the fewest that part it.

    They come by their number of steps from a vertex far out. The fewest of them that have later
    neighbours, in the middle third, part what comes before from what comes after: no optimal
    separator, but a tenth of the time of an order of elimination tells how wide the graph is.
    A graph in several connected components has a cut of none.
    """
    n = pattern.shape[0]
    far = breadth_first_order(pattern, 0, return_predecessors=False)[-1]
    order = breadth_first_order(pattern, far, return_predecessors=False)
    if len(order) < n or n == 1:
        return np.arange(n), 0
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    last = np.maximum.reduceat(position[pattern.indices], pattern.indptr[:-1])[order]
    last = np.maximum(last, np.arange(n))
    met = np.cumsum(np.bincount(last, minlength=n))  # by then, with all their neighbours
    behind = np.arange(1, n + 1) - met
    return order, int(behind[n // 3 : 2 * n // 3 + 1].min())


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
    from .elimination_order_kernels import later_vertices

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
    from .elimination_order_kernels import elimination_tree

    ancestor, parent = (np.full(len(vertex_at), -1) for _ in range(2))
    elimination_tree(starts, columns, position, vertex_at, ancestor, parent)
    return parent


def _postorder(parent: Array) -> Array:
    """Return the vertices of a forest so that each subtree is contiguous and ends in its root."""
    from .elimination_order_kernels import postorder

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
