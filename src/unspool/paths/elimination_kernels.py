# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the elimination and of the sweeps over its arcs.

Only sums of two and minima: no sum is reordered, so a length does not depend on the block or the
thread that it is computed in. All kernels let other threads run (``nogil``). Vertices are numbered
by their position in the order of elimination, except where the graph itself is read. Those that
create no array do without reference counts (``VIEWS``), which halves the time to compile them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted

PANEL = 64  # rows of a dense block that stay in the cache together
TILE = 256  # points whose lengths are turned over together: runs that the cache can foresee


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def sweep(pattern, weights, heads, sources, touched, lengths):
    """Fill ``lengths``, one row per vertex and one column per source, with shortest paths.

    Up: only what lies above a source in the elimination tree can be reached upwards. Down: the last
    vertices know their lengths, the others take them from those they met. ``touched`` comes false.
    """
    starts, later = pattern
    for j in range(len(sources)):
        k = sources[j]
        while not touched[k]:
            touched[k] = True
            lengths[k] = np.inf
            if starts[k] < starts[k + 1]:
                k = later[starts[k]]
        lengths[sources[j], j] = 0.0
    for s in range(len(heads) - 1):
        if touched[heads[s + 1] - 1]:
            _rise(lengths, later, weights, starts, heads[s], heads[s + 1], touched)
    for s in range(len(heads) - 2, -1, -1):
        for k in range(heads[s], heads[s + 1]):
            if not touched[k]:
                lengths[k] = np.inf
        _fall(lengths, later, weights, starts, heads[s], heads[s + 1])


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def turn_over(lengths, position, rows, out):
    """Write column j of ``lengths`` to ``out[rows[j]]``, points in their own order."""
    for low in range(0, len(position), TILE):
        high = min(low + TILE, len(position))
        for j in range(len(rows)):
            line = out[rows[j]]
            for v in range(low, high):
                line[v] = lengths[position[v], j]


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _rise(lengths, later, weights, starts, first, after, touched):
    """Tell all that a supernode meets the lengths through its touched vertices."""
    k = first
    while not touched[k]:
        k += 1
    while k + 4 <= after:
        for i in range(3):
            _push(lengths, later, weights, k + i, starts[k + i], starts[k + i] + 3 - i)
        m = starts[k + 4] - starts[k + 3]
        _push_four(lengths, later, weights, starts, k, m)
        k += 4
    while k < after:
        _push(lengths, later, weights, k, starts[k], starts[k + 1])
        k += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _shorten(row, other, arc):
    """Shorten ``row`` by the ways over one arc from another row."""
    for j in range(len(row)):
        p, old = other[j] + arc, row[j]
        row[j] = p if p < old else old


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _shorten_by_four(row, others, arcs):
    """Shorten ``row`` by the ways over four arcs from four other rows: one store for four sums."""
    a, b, c, d = others
    w, x, y, z = arcs
    for j in range(len(row)):
        p, q, r, s = a[j] + w, b[j] + x, c[j] + y, d[j] + z
        p = q if q < p else p
        r = s if s < r else r
        p = r if r < p else p
        old = row[j]
        row[j] = p if p < old else old


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _push(lengths, later, weights, k, slot, end):
    """Shorten the rows that the arcs slot .. end of vertex k lead to."""
    a = lengths[k]
    for arc in range(slot, end):
        _shorten(lengths[later[arc]], a, weights[arc])


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _push_four(lengths, later, weights, starts, k, m):
    """Shorten the rows of the last m vertices that k, k+1, k+2 and k+3 all meet."""
    a, b, c, d = lengths[k], lengths[k + 1], lengths[k + 2], lengths[k + 3]
    for t in range(m, 0, -1):
        row = lengths[later[starts[k + 4] - t]]
        w, x = weights[starts[k + 1] - t], weights[starts[k + 2] - t]
        y, z = weights[starts[k + 3] - t], weights[starts[k + 4] - t]
        _shorten_by_four(row, (a, b, c, d), (w, x, y, z))


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _fall(lengths, later, weights, starts, first, after):
    """Let a supernode take its lengths from those it meets, two rows at a time from its end."""
    k = after - 1
    while k > first:
        _pull_two(lengths, later, weights, k, starts[k], starts[k + 1], starts[k - 1] + 1)
        _pull(lengths, later, weights, k - 1, starts[k - 1], starts[k - 1] + 1)
        k -= 2
    if k == first:
        _pull(lengths, later, weights, k, starts[k], starts[k + 1])


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _pull(lengths, later, weights, k, slot, end):
    """Shorten row k by the ways along its arcs slot .. end."""
    row = lengths[k]
    while slot + 4 <= end:
        a, b = lengths[later[slot]], lengths[later[slot + 1]]
        c, d = lengths[later[slot + 2]], lengths[later[slot + 3]]
        w, x, y, z = weights[slot], weights[slot + 1], weights[slot + 2], weights[slot + 3]
        _shorten_by_four(row, (a, b, c, d), (w, x, y, z))
        slot += 4
    while slot < end:
        _shorten(row, lengths[later[slot]], weights[slot])
        slot += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _pull_two(lengths, later, weights, k, slot, end, twin):
    """Shorten rows k and k - 1 by the ways to the same vertices: each is read once for both."""
    row, other = lengths[k], lengths[k - 1]
    while slot + 4 <= end:
        a, b = lengths[later[slot]], lengths[later[slot + 1]]
        c, d = lengths[later[slot + 2]], lengths[later[slot + 3]]
        w, x, y, z = weights[slot], weights[slot + 1], weights[slot + 2], weights[slot + 3]
        e, f, g, h = weights[twin], weights[twin + 1], weights[twin + 2], weights[twin + 3]
        for j in range(len(row)):
            aj, bj, cj, dj, old, older = a[j], b[j], c[j], d[j], row[j], other[j]
            p, q, r, s = aj + w, bj + x, cj + y, dj + z
            p = q if q < p else p
            r = s if s < r else r
            p = r if r < p else p
            row[j] = p if p < old else old
            p, q, r, s = aj + e, bj + f, cj + g, dj + h
            p = q if q < p else p
            r = s if s < r else r
            p = r if r < p else p
            other[j] = p if p < older else older
        slot, twin = slot + 4, twin + 4
    while slot < end:
        a, w, e = lengths[later[slot]], weights[slot], weights[twin]
        for j in range(len(row)):
            p, q, old, older = a[j] + w, a[j] + e, row[j], other[j]
            row[j] = p if p < old else old
            other[j] = q if q < older else older
        slot, twin = slot + 1, twin + 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def eliminate(graph, order, pattern, heads, weights, workspace):
    """Fill the lengths of the arcs of the filled pattern: shortest ways through earlier vertices.

    Sparse Cholesky in (min, +), left-looking by supernodes: ``heads`` are the first vertices of
    runs in which each vertex meets the next one and then the same others, so that all but the
    scattering at the end runs over contiguous rows. ``weights`` come filled with infinity;
    ``workspace`` is what ``shortest_arcs`` says.
    """
    (starts, later), (owner, waiting, following, reached, place, best) = pattern, workspace
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
        _shorten_by_four(row, (a, b, c, d), (w, x, y, z))
        k += 4
    while k < high:
        e = starts[k + 1]
        _shorten(row, weights[e - m : e], weights[e - m - 1])
        k += 1
