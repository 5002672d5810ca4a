"""Compiled loops over elimination trees.

All let other threads run (``nogil``). Vertices are numbered by their position in the order of
elimination, except where the matrix or graph itself is read. Arrays come from the caller, so that
loops need no reference counts (``VIEWS``), which take half of the time to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted

PANEL = 64  # rows of a dense block that stay in the cache together


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def elimination_tree(starts, columns, position, vertex_at, ancestor, parent):
    """Fill, by position, the first later vertex that each one meets; -1 for the last of a piece.

    Path compression as in Liu (1990): almost one step an entry of the matrix. Both come as -1.
    """
    for k in range(len(vertex_at)):
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            while i != -1 and i < k:
                following = ancestor[i]
                ancestor[i] = k
                if following == -1:
                    parent[i] = k
                i = following


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def postorder(parent, first_child, sibling, path, order):
    """Fill the vertices of a forest so that each subtree is contiguous and ends in its root.

    First children and siblings come as -1; they and ``path`` hold one more, the root of all.
    """
    n = len(parent)
    for k in range(n - 1, -1, -1):
        above = parent[k] if parent[k] != -1 else n
        sibling[k] = first_child[above]
        first_child[above] = k
    path[0] = n
    depth, done = 1, 0
    while depth > 0:
        k = path[depth - 1]
        child = first_child[k]
        if child != -1:
            first_child[k] = sibling[child]
            path[depth] = child
            depth += 1
        else:
            depth -= 1
            if k < n:
                order[done] = k
                done += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def column_counts(starts, columns, position, vertex_at, parent, seen, counts):
    """Count the later vertices that each vertex meets when it is eliminated (by position).

    Walks each row's subtree of the elimination tree: one step an entry of the factor (Liu 1990).
    """
    for k in range(len(vertex_at)):
        seen[k] = k
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            if i > k:
                continue
            while seen[i] != k:
                counts[i] += 1
                seen[i] = k
                i = parent[i]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def later_vertices(starts, columns, position, vertex_at, fill_starts, end, seen, later):
    """List the later vertices that each vertex meets, ascending: the walks of ``column_counts``.

    Row k of the factor is written to the lists of all that meet k, and k ascends; so the first
    entry of each list, written before it is needed, is the parent. ``end`` comes as where each list
    starts.
    """
    for k in range(len(vertex_at)):
        seen[k] = k
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            if i > k:
                continue
            while seen[i] != k:
                later[end[i]] = k
                end[i] += 1
                seen[i] = k
                i = later[fill_starts[i]]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def eliminate(graph, order, pattern, heads, weights, space):
    """Fill the lengths of the arcs of the filled pattern: shortest ways through earlier vertices.

    Sparse Cholesky in (min, +), left-looking by supernodes: ``heads`` are the first vertices of
    runs in which each vertex meets the next one and then the same others, so that all but the
    scattering at the end runs over contiguous rows. ``weights`` come filled with infinity;
    ``space`` is what ``shortest_arcs`` says.
    """
    (starts, later), (owner, waiting, following, reached, place, best) = pattern, space
    count = len(heads) - 1
    for s in range(count):
        first, after = heads[s], heads[s + 1]
        _lay_edges(weights, graph, order, pattern, place, first, after)
        giver = waiting[s]
        while giver != -1:
            upcoming, low, high = following[giver], heads[giver], heads[giver + 1]
            while reached[giver] < starts[high] and later[reached[giver]] < after:
                _hand_on(weights, pattern, low, high, reached[giver], first, place, best)
                reached[giver] += 1
            if reached[giver] < starts[high]:
                target = owner[later[reached[giver]]]
                following[giver], waiting[target] = waiting[target], giver
            giver = upcoming
        _within_block(weights, starts, first, after)
        if reached[s] < starts[after]:
            target = owner[later[reached[s]]]
            following[s], waiting[target] = waiting[target], s


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _lay_edges(weights, graph, order, pattern, place, first, after):
    """Enter the edges of the graph that leave a supernode, and note the place of their ends."""
    graph_starts, neighbors, distances = graph
    position, vertex_at = order
    starts, later = pattern
    for k in range(first, after):
        place[k] = k - first
    for slot in range(starts[after - 1], starts[after]):
        place[later[slot]] = after - first + slot - starts[after - 1]
    for k in range(first, after):
        v, base = vertex_at[k], starts[k] - (k - first) - 1
        for edge in range(graph_starts[v], graph_starts[v + 1]):
            a = position[neighbors[edge]]
            if a > k and distances[edge] < weights[base + place[a]]:
                weights[base + place[a]] = distances[edge]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _hand_on(weights, pattern, low, high, slot, first, place, best):
    """Tell ``later[slot]``, of the supernode at ``first``, the ways through low .. high."""
    starts, later = pattern
    m = starts[high] - slot - 1
    row = best[:m]
    row[:] = np.inf
    _through(row, weights, starts, low, high)
    ends = later[slot + 1 : slot + 1 + m]
    base = starts[later[slot]] - (later[slot] - first) - 1
    for t in range(m):
        arc = base + place[ends[t]]
        if row[t] < weights[arc]:
            weights[arc] = row[t]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _within_block(weights, starts, first, after):
    """Eliminate the vertices of one supernode among themselves, panel by panel."""
    for top in range(first, after, PANEL):
        bottom = min(top + PANEL, after)
        for left in range(first, bottom, PANEL):
            for a in range(max(top, left + 1), bottom):
                row = weights[starts[a] : starts[a + 1]]
                _through(row, weights, starts, left, min(a, left + PANEL))


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _through(row, weights, starts, low, high):
    """Shorten ``row``, arcs of a vertex a, by the ways through each vertex of low .. high.

    The arcs of each of these end with those to a and to the ends of ``row``.
    """
    m = len(row)
    k = low
    while k + 4 <= high:  # four at a time: one store for four sums
        e, f, g, h = starts[k + 1], starts[k + 2], starts[k + 3], starts[k + 4]
        a, b, c, d = weights[e - m : e], weights[f - m : f], weights[g - m : g], weights[h - m : h]
        w, x = weights[e - m - 1], weights[f - m - 1]
        y, z = weights[g - m - 1], weights[h - m - 1]
        for t in range(m):
            p, q, r, s = a[t] + w, b[t] + x, c[t] + y, d[t] + z
            p = q if q < p else p
            r = s if s < r else r
            p = r if r < p else p
            old = row[t]
            row[t] = p if p < old else old
        k += 4
    while k < high:
        e = starts[k + 1]
        a, w = weights[e - m : e], weights[e - m - 1]
        for t in range(m):
            p, old = a[t] + w, row[t]
            row[t] = p if p < old else old
        k += 1
