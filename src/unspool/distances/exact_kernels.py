# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the exact search and of the distance tables, without the interpreter's lock.

A tile of bounds is read while it is in cache: MNIST 20,000 x 784, k = 15 takes 2 processor seconds
so, where scikit-learn's brute force takes 13 and the same passes in NumPy 30.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

# Of what only other kernels call no code is stored, and none made to call it from Python: that was
# a third of the time that compiling takes (10 s; now 7).
INNER: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

OWN, BOTH, OTHERS = 0, 1, 2  # whose neighbours a sweep looks for
STRIP = 64  # columns of a tile tested together; one in thousands has anything in it
SHORT = 64  # edges of a row that are sorted by insertion; NumPy sorts longer rows
TILE = 32  # rows and columns copied together, so that both sides stay in cache
CHUNK = 128  # coordinates between two looks at whether a sum has passed its limit


@njit(fastmath={"reassoc", "nsz"}, forceinline=True, **INNER)
def _sum_of_squares(a, b):
    """Return |a - b|^2 in double precision; the sum may be taken in any order (vectorised)."""
    total = 0.0
    for c in range(a.shape[0]):
        e = np.float64(a[c]) - np.float64(b[c])
        total += e * e
    return total


@njit(forceinline=True, **INNER)
def squared_difference(a, b, limit):
    """Return |a - b|^2 in double precision, or a part of the sum that is already above ``limit``.

    The parts are not negative, so one that is above ``limit`` settles the whole.
    """
    if a.shape[0] <= CHUNK:
        return _sum_of_squares(a, b)
    total = 0.0
    for first in range(0, a.shape[0], CHUNK):
        total += _sum_of_squares(a[first : first + CHUNK], b[first : first + CHUNK])
        if total > limit:
            break
    return total


@njit(forceinline=True, **INNER)
def _later(d1, i1, d2, i2):
    """Say whether (d1, i1) comes after (d2, i2): by distance, ties by index."""
    return d1 > d2 or (d1 == d2 and i1 > i2)


@njit(forceinline=True, **INNER)
def _sift_down(dist, index, size, d, i):
    """Put (d, i) at the root of the max-heap of ``size`` entries, in place of what is there."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        right = child + 1
        if right < size and _later(dist[right], index[right], dist[child], index[child]):
            child = right
        if not _later(dist[child], index[child], d, i):
            break
        dist[at] = dist[child]
        index[at] = index[child]
        at = child
    dist[at] = d
    index[at] = i


@njit(forceinline=True, **INNER)
def sort_heap(dist, index):
    """Turn a max-heap into ascending order of (distance, index), in place."""
    for size in range(dist.shape[0] - 1, 0, -1):
        d, i = dist[size], index[size]
        dist[size], index[size] = dist[0], index[0]
        _sift_down(dist, index, size, d, i)


@njit(forceinline=True, **INNER)
def _consider(query, points, ids, j, dist, index):
    """Evaluate point ``j`` and keep it, if it belongs among the nearest so far."""
    d = squared_difference(query, points[j], dist[0])
    if _later(dist[0], index[0], d, ids[j]):
        _sift_down(dist, index, dist.shape[0], d, ids[j])


@njit(forceinline=True, **INNER)
def _select_smallest(bound, who, size, k):
    """Reorder so that the ``k`` smallest of the first ``size`` bounds come first (Hoare)."""
    low, high = 0, size - 1
    while low < high:
        pivot = bound[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while bound[i] < pivot:
                i += 1
            while bound[j] > pivot:
                j -= 1
            if i <= j:
                bound[i], bound[j] = bound[j], bound[i]
                who[i], who[j] = who[j], who[i]
                i += 1
                j -= 1
        if k - 1 <= j:
            high = j
        elif k - 1 >= i:
            low = i
        else:
            return


@njit(forceinline=True, **INNER)
def _evaluate(q, first, last, queries, points, ids, state):
    """Evaluate the candidates first..last of query ``q`` that are still within its limit."""
    bound, who, _held, limit, dist, index, inflate = state
    for c in range(first, last):
        if bound[q, c] <= limit[q]:
            _consider(queries[q], points, ids, who[q, c], dist[q], index[q])
            limit[q] = dist[q, 0] * inflate


@njit(forceinline=True, **INNER)
def _tighten(q, queries, points, ids, state):
    """Make room in the buffer of query ``q``: evaluate the most promising, drop what they rule out.

    The rest stays unevaluated, as later neighbours may rule it out too; but no more than half the
    buffer, else there would be little room for what comes.
    """
    bound, who, held, limit, dist, _index, _inflate = state
    size = held[q]
    k = min(dist.shape[1], size)
    if size > k:
        _select_smallest(bound[q], who[q], size, k)
    _evaluate(q, 0, k, queries, points, ids, state)
    kept = 0
    for c in range(k, size):
        if bound[q, c] <= limit[q]:
            bound[q, kept] = bound[q, c]
            who[q, kept] = who[q, c]
            kept += 1
    if 2 * kept > bound.shape[1]:
        _evaluate(q, 0, kept, queries, points, ids, state)
        kept = 0
    held[q] = kept


@njit(nogil=True, cache=True, error_model="numpy")
def finish_rows(first, last, queries, points, ids, state):
    """Evaluate what the queries first..last still hold, and sort their neighbours."""
    _bound, _who, held, _limit, dist, index, _inflate = state
    for q in range(first, last):
        _tighten(q, queries, points, ids, state)
        _evaluate(q, 0, held[q], queries, points, ids, state)
        sort_heap(dist[q], index[q])


@njit(forceinline=True, **INNER)
def _any_within(strip, limit):
    """Say whether a strip has an entry within the limit of its row."""
    hit = np.int32(0)
    for c in range(strip.shape[0]):
        hit |= np.int32(strip[c] <= limit)
    return hit != 0


@njit(forceinline=True, **INNER)
def _any_within_either(strip, limit, limits):
    """Say whether a strip has an entry within the limit of its row or of its column."""
    hit = np.int32(0)
    for c in range(strip.shape[0]):
        hit |= np.int32(strip[c] <= max(limit, limits[c]))
    return hit != 0


# The two scans append to the buffers themselves: a call that takes the arrays costs ten times the
# append, as each counts its references.


@njit(forceinline=True, **INNER)
def _scan_rows(tile, q0, j0, queries, points, ids, state):
    """Give each query of a tile its candidates."""
    bound, who, held, limit, _dist, _index, _inflate = state
    width, room = tile.shape[1], bound.shape[1]
    for r in range(tile.shape[0]):
        q = q0 + r
        for first in range(0, width, STRIP):
            last = min(first + STRIP, width)
            if not _any_within(tile[r, first:last], limit[q]):
                continue
            for c in range(first, last):
                if tile[r, c] <= limit[q]:
                    bound[q, held[q]] = tile[r, c]
                    who[q, held[q]] = j0 + c
                    held[q] += 1
                    if held[q] == room:
                        _tighten(q, queries, points, ids, state)


@njit(forceinline=True, **INNER)
def _scan_both(tile, q0, j0, points, ids, state):
    """Give the points of both sides of a tile their candidates: each pair is computed once."""
    bound, who, held, limit, _dist, _index, _inflate = state
    width, room = tile.shape[1], bound.shape[1]
    for r in range(tile.shape[0]):
        q = q0 + r
        for first in range(0, width, STRIP):
            last = min(first + STRIP, width)
            if not _any_within_either(tile[r, first:last], limit[q], limit[j0 + first : j0 + last]):
                continue
            for c in range(first, last):
                j, value = j0 + c, tile[r, c]
                if value <= limit[q]:
                    bound[q, held[q]] = value
                    who[q, held[q]] = j
                    held[q] += 1
                    if held[q] == room:
                        _tighten(q, points, points, ids, state)
                if value <= limit[j]:
                    bound[j, held[j]] = value
                    who[j, held[j]] = q
                    held[j] += 1
                    if held[j] == room:
                        _tighten(j, points, points, ids, state)


@njit(forceinline=True, **INNER)
def _bounds(left, right, rows, columns, space):
    """Return the tile of lower bounds between some rows and some columns."""
    shape = (rows[1] - rows[0], columns[1] - columns[0])
    tile = space[: shape[0] * shape[1]].reshape(shape)
    np.dot(left[rows[0] : rows[1]], right[columns[0] : columns[1]].T, tile)
    return tile


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(rows, columns, left, right, queries, points, ids, state, space, side, way):
    """Search the points of ``columns`` for the queries of ``rows``, tile by tile.

    ``way``: OWN, the points of one block for each other, each tile's rows in their own tile first;
    BOTH, the points of two blocks for each other; OTHERS, queries that are no points. One function
    for all three, since each would be compiled with everything below it.
    """
    tall, wide = side
    n_tiles = -((columns[0] - columns[1]) // wide)
    for a in range(rows[0], rows[1], tall):
        mine = (a, min(a + tall, rows[1]))
        nearest = (a - columns[0]) // wide if way == OWN else 0
        for step in range(n_tiles):
            c = columns[0] + (nearest + step) % n_tiles * wide
            tile = _bounds(left, right, mine, (c, min(c + wide, columns[1])), space)
            if way == BOTH:
                _scan_both(tile, a, c, points, ids, state)
            else:
                _scan_rows(tile, a, c, queries, points, ids, state)
            if way == OWN and step == 0:
                for q in range(mine[0], mine[1]):
                    _tighten(q, queries, points, ids, state)


@njit(nogil=True, cache=True, error_model="numpy")
def collect_within(
    left, right, columns, space, limit, queries, points, radius, row, index, dist, size
):
    """Append the edges of a tile, row by row; return how many there are now."""
    tile = _bounds(left, right, (0, left.shape[0]), columns, space)
    width = tile.shape[1]
    for r in range(tile.shape[0]):
        query = queries[r]
        for first in range(0, width, STRIP):
            last = min(first + STRIP, width)
            if not _any_within(tile[r, first:last], limit):
                continue
            for c in range(first, last):
                if tile[r, c] <= limit:
                    j = columns[0] + c
                    d = np.sqrt(squared_difference(query, points[j], np.inf))
                    if d <= radius:
                        row[size], index[size], dist[size] = r, j, d
                        size += 1
    return size


@njit(nogil=True, cache=True, error_model="numpy")
def group_edges(row, index, dist, starts, columns, distances):
    """Bring the edges of each row together; rows of at most ``SHORT`` edges are sorted too."""
    at = starts[:-1].copy()
    for e in range(row.shape[0]):
        place = at[row[e]]
        columns[place], distances[place] = index[e], dist[e]
        at[row[e]] += 1
    for r in range(starts.shape[0] - 1):
        first, last = starts[r], starts[r + 1]
        if last - first <= SHORT:
            _insertion_sort(distances[first:last], columns[first:last])


@njit(forceinline=True, **INNER)
def _insertion_sort(dist, index):
    """Sort by distance; equal ones stay in their order, which is that of the index."""
    for e in range(1, dist.shape[0]):
        d, i = dist[e], index[e]
        at = e
        while at > 0 and dist[at - 1] > d:
            dist[at], index[at] = dist[at - 1], index[at - 1]
            at -= 1
        dist[at], index[at] = d, i


# Tables of all distances.


@njit(forceinline=True, **INNER)
def _combine(product, norm, norms, share, out):
    """Write a row of squared distances; say whether one is too small to be trusted."""
    small = np.int32(0)
    for j in range(norms.shape[0]):
        both = norm + norms[j]
        value = both - 2 * product[j]
        out[j] = value
        small |= np.int32(not (value > share * both))  # so that NaN counts
    return small != 0


@njit(nogil=True, cache=True, error_model="numpy")
def finish(product, mine, theirs, rows, others, share, table):
    """Turn products into squared distances; those that cancel are computed by differences."""
    for i in range(product.shape[0]):
        if _combine(product[i], mine[i], theirs, share, table[i]):
            for j in range(product.shape[1]):
                if not (table[i, j] > share * (mine[i] + theirs[j])):
                    table[i, j] = squared_difference(rows[i], others[j], np.inf)


@njit(nogil=True, cache=True, error_model="numpy")
def transpose(source, target):
    """Copy the transpose, by small tiles."""
    for a in range(0, source.shape[0], TILE):
        for b in range(0, source.shape[1], TILE):
            for i in range(a, min(a + TILE, source.shape[0])):
                for j in range(b, min(b + TILE, source.shape[1])):
                    target[j, i] = source[i, j]


@njit(nogil=True, cache=True, error_model="numpy")
def mirror(table):
    """Copy the upper triangle to the lower: products need not round alike on both sides."""
    for i in range(table.shape[0]):
        for j in range(i):
            table[i, j] = table[j, i]
