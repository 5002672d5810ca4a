"""What a planned elimination leaves behind: the filled pattern, and its shortest arcs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..values import Array, NeighborGraph
from .order import Elimination, indices_of


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
    from ._kernels import later_vertices

    starts, columns = indices_of(sp.csr_array(matrix))
    fill_starts = np.concatenate([[0], np.cumsum(plan.counts)])
    order, seen = (plan.position, plan.vertex_at), np.full(len(plan.counts), -1)
    later = np.empty(fill_starts[-1], dtype=np.int32)
    later_vertices(starts, columns, *order, fill_starts, fill_starts[:-1].copy(), seen, later)
    return FilledPattern(fill_starts, later, _heads(plan.counts, fill_starts, later))


def shortest_arcs(graph: NeighborGraph, plan: Elimination, pattern: FilledPattern) -> Array:
    """Return for each entry of the filled pattern the shortest way through earlier vertices.

    This is sparse Cholesky in the algebra of (min, +): when v goes, any two that it meets are
    joined by an arc through v, unless they have a shorter one. Between two vertices of the rest,
    the arcs then give the same distances as the whole graph did. Where there is no way, the arc is
    infinitely long.
    """
    from ._kernels import eliminate

    edges = (*indices_of(graph.with_weights(graph.distances)), graph.distances.astype(np.float64))
    order = plan.position, plan.vertex_at
    heads, starts, n = pattern.heads, pattern.starts, len(pattern.starts) - 1
    count = len(heads) - 1
    space = (
        np.repeat(np.arange(count), np.diff(heads)),  # the supernode of each vertex
        np.full(count, -1),  # the first supernode with news for this one,
        np.full(count, -1),  # the next one with news for the same,
        starts[heads[1:] - 1],  # and the first of its arcs that leads there
        np.zeros(n, dtype=np.int64),
        np.empty(n),
    )
    weights = np.full(len(pattern.later), np.inf)
    eliminate(edges, order, (starts, pattern.later), heads, weights, space)
    return weights


def _heads(counts: Array, starts: Array, later: Array) -> Array:
    follows = np.zeros(len(counts), dtype=bool)
    follows[1:] = counts[:-1] == counts[1:] + 1
    candidates = np.flatnonzero(follows)
    follows[candidates] = later[starts[candidates - 1]] == candidates
    return np.append(np.flatnonzero(~follows), len(counts))
