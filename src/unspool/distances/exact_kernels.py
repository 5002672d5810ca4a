# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the exact search and of the distance tables, without the interpreter's lock.

A tile of bounds is read while it is in cache: MNIST 20,000 x 784, k = 15 takes 2 processor seconds
so, where scikit-learn's brute force takes 13 and the same passes in NumPy 30.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

# Of what only other kernels call no code is stored, and none made to call it from Python: that was
# a third of the time that compiling takes (10 s; now 7).
INNER: Any = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

OWN, BOTH = 0, 1  # whose neighbours a sweep looks for
TILE = 32  # rows and columns copied together, so that both sides stay in cache
STRIP = 64  # columns of a tile tested together; one in thousands has anything in it
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
def _sift_down(dist, index, at, size, d, i):
    """Put (d, i) at a place of the max-heap of ``size`` entries, in place of what is there."""
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
        _sift_down(dist, index, 0, size, d, i)


@njit(forceinline=True, **INNER)
def _consider(query, point, name, dist, index):
    """Evaluate a point and keep it, if it belongs among the nearest so far."""
    d = squared_difference(query, point, dist[0])
    if _later(dist[0], index[0], d, name):
        _sift_down(dist, index, 0, dist.shape[0], d, name)


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
            _consider(queries[q], points[who[q, c]], ids[who[q, c]], dist[q], index[q])
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
def sweep(rows, columns, left, right, points, ids, state, space, side, way):
    """Search the points of ``rows`` and of ``columns`` for each other, tile by tile.

    ``way``: OWN, the points of one block, each tile's rows in their own tile first; BOTH, those of
    two blocks. One function for both, since each would be compiled with everything below it.
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
                _scan_rows(tile, a, c, points, points, ids, state)
            if way == OWN and step == 0:
                for q in range(mine[0], mine[1]):
                    _tighten(q, points, points, ids, state)


@njit(fastmath={"reassoc", "nsz", "contract"}, forceinline=True, **INNER)
def _product(a, b):
    """Return a'b in the type of both, summed in any order."""
    total = a.dtype.type(0)
    for c in range(a.shape[0]):
        total += a[c] * b[c]
    return total


@njit(forceinline=True, **INNER)
def _find_least(row, least, who):
    """Fill a heap with the least entries of a row, and where they are."""
    least[:], who[:] = np.inf, -1
    for first in range(0, row.shape[0], STRIP):
        last = min(first + STRIP, row.shape[0])
        if _any_within(row[first:last], least[0]):
            for c in range(first, last):
                if row[c] < least[0]:
                    _sift_down(least, who, 0, least.shape[0], row[c], c)


@njit(nogil=True, cache=True, error_model="numpy")
def find_nearest(rows, queries, points, orders, rough, fine, space, index, dist):
    """Find the nearest points of the queries of ``rows``: those of the least bounds come first.

    These give limits that hardly fall later on. What then remains within them by the ``rough``
    bounds is looked at by the ``fine`` ones, if there are any, and evaluated where these let it.
    ``orders`` tell which query, and which point, a row of the bounds is of.
    """
    (left, right, inflate), (fine_left, fine_right, fine_inflate) = rough, fine
    asked, ids = orders
    least, who = np.empty(dist.shape[1], left.dtype), np.empty(dist.shape[1], np.int64)
    width = max(1, min(len(ids), space.shape[0] // (rows[1] - rows[0])))
    for j0 in range(0, len(ids), width):
        tile = _bounds(left, right, rows, (j0, min(j0 + width, len(ids))), space)
        for q in range(rows[0], rows[1]):
            row, query = tile[q - rows[0]], queries[asked[q]]
            best, names = dist[asked[q]], index[asked[q]]
            if j0 == 0:
                _find_least(row, least, who)
                for at in range(len(who)):
                    if who[at] >= 0:
                        _consider(query, points[ids[who[at]]], ids[who[at]], best, names)
                        row[who[at]] = np.nan  # no more within any limit
            limit = left.dtype.type(best[0] * inflate)
            for first in range(0, row.shape[0], STRIP):
                last = min(first + STRIP, row.shape[0])
                if not _any_within(row[first:last], limit):
                    continue
                for c in range(first, last):
                    if not row[c] <= limit:
                        continue
                    if fine_left.shape[1] > 0:
                        bound = np.float64(_product(fine_left[q], fine_right[j0 + c]))
                        if bound > best[0] * fine_inflate:
                            continue
                    _consider(query, points[ids[j0 + c]], ids[j0 + c], best, names)
                    limit = left.dtype.type(best[0] * inflate)
    for q in range(rows[0], rows[1]):
        sort_heap(dist[asked[q]], index[asked[q]])


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
