"""Nested dissection: split a graph by a small set of vertices, both halves likewise, and so on.

What is eliminated in one half never meets the other: only the separators fill in, and they come
last (George 1973). A separator is found on a graph that was coarsened until it is tiny, then moved
and improved on each finer one (Karypis and Kumar 1998).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from ..values import Array

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
    from .dissection_kernels import induced

    generator = np.random.default_rng(0)
    number = np.full(len(starts) - 1, -1)
    found = [np.empty(0, dtype=np.int64)]
    to_split = [np.arange(len(starts) - 1)]
    while to_split:
        members = to_split.pop()
        if len(members) <= LEAF:
            continue
        side = _side(induced(starts, columns, members, number), generator)
        found.append(members[side == 2])
        halves = members[side == 0], members[side == 1]
        if min(len(half) for half in halves) > 0:  # else it cannot be split: a clique
            to_split.extend(halves)
    return np.concatenate(found)


def _side(graph: Graph, generator: np.random.Generator) -> Array:
    """Return the side of each vertex: 0 or 1, or 2 for the separator."""
    from .dissection_kernels import contracted, matched, refined

    graphs, pairs = [graph], []
    limit = max(2, 3 * len(graph[3]) // (2 * COARSE))
    while len(graphs[-1][3]) > COARSE:
        size = len(graphs[-1][3])
        # few choices first: hubs find a partner late, too (MNIST: 8 % less fill); ties at random
        order = np.argsort(np.diff(graphs[-1][0]) + generator.random(size))
        pair, count = matched(graphs[-1], order, limit)
        if count > 0.95 * size:  # stars, or all pairs at their limit: coarser will not come
            break
        pairs.append(pair)
        graphs.append(contracted(graphs[-1], pair, count))
    side = _first_side(graphs[-1])
    for finer, pair in zip(graphs[-2::-1], reversed(pairs), strict=True):
        side = side[pair]
        refined(finer, side)
    return side


def _first_side(graph: Graph) -> Array:
    """Return the best sides out of several tries on the coarsest graph."""
    from .dissection_kernels import grown, refined

    tries: list[tuple[float, Array]] = []
    for seed in np.linspace(0, len(graph[3]) - 1, TRIES).astype(np.int64):
        side = grown(graph, seed)
        low, high, between = refined(graph, side)
        lopsided = max(0.0, abs(low - high) - 0.2 * (low + high))  # 40 to 60 % are halves, too
        tries.append((between + lopsided, side))
    return min(tries, key=lambda trial: trial[0])[1]
