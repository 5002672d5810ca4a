# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the approximate search, without the interpreter's lock.

A pass works on rows of its own and reads a copy of the others' as they were before it, so that the
number of threads and their order change nothing.
"""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit
from .approximate import FRESH as NEW
from .exact_kernels import INNER, STRIP, _any_within, _sift_down, sort_heap, squared_difference

FRESH = np.int32(NEW)  # bit of a neighbour that was found in the last pass
WHO = np.int32(FRESH - 1)  # the other bits: its index
TALL = 64  # rows of a leaf whose distances are in cache at a time


@njit(fastmath={"reassoc", "nsz", "contract"}, forceinline=True, **INNER)
def _squared(a, b):
    """Return |a - b|^2 in single precision."""
    total = np.float32(0.0)
    for c in range(a.shape[0]):
        e = a[c] - b[c]
        total += e * e
    return total


@njit(forceinline=True, **INNER)
def _offer(dist, who, d, j):
    """Put point ``j`` into the heap of the nearest so far, unless it is there or too far away."""
    if not d < dist[0]:
        return
    there = np.int32(0)
    for c in range(who.shape[0]):
        there |= np.int32(who[c] & WHO == j)  # without a branch: several at once
    if there == 0:
        _sift_down(dist, who, 0, dist.shape[0], d, j | FRESH)


@njit(nogil=True, cache=True, error_model="numpy")
def join_leaf(members, table, norms, dist, who, rows, tile):
    """Offer the points of a leaf to each other."""
    size, depth = members.shape[0], table.shape[1]
    mine = rows[: size * depth].reshape((size, depth))
    own = np.empty(size, np.float32)
    for r in range(size):
        mine[r] = table[members[r]]
        own[r] = norms[members[r]]
    for first in range(0, size, TALL):
        last = min(first + TALL, size)
        block = tile[: (last - first) * size].reshape((last - first, size))
        np.dot(mine[first:last], mine.T, block)
        for r in range(first, last):
            q = members[r]
            row = block[r - first]
            for c in range(size):
                row[c] = own[c] - 2 * row[c]
            for start in range(0, size, STRIP):
                stop = min(start + STRIP, size)
                if not _any_within(row[start:stop], dist[q, 0] - own[r]):
                    continue
                for c in range(start, stop):
                    if c != r and row[c] < dist[q, 0] - own[r]:
                        _offer(dist[q], who[q], max(row[c] + own[r], np.float32(0)), members[c])


@njit(nogil=True, cache=True, error_model="numpy")
def reverse(before, breadth, counts, others):
    """List for each point those, up to a number, that have it among their nearest."""
    for q in range(before.shape[0]):
        for c in range(breadth):
            code = before[q, c]
            if code < 0:
                continue
            j = code & WHO
            if counts[j] < others.shape[1]:
                others[j, counts[j]] = q | (code & FRESH)
                counts[j] += 1


@njit(forceinline=True, **INNER)
def _expand(q, code, table, before, breadth, dist, who, seen):
    """Offer to ``q`` the nearest of one of its neighbours; return how many were looked at."""
    looked = 0
    neighbor = code & WHO
    for e in range(breadth):
        other = before[neighbor, e]
        if other < 0 or (code | other) & FRESH == 0:
            continue
        j = other & WHO
        if seen[j] == q:
            continue
        seen[j] = q
        looked += 1
        _offer(dist[q], who[q], _squared(table[q], table[j]), j)
    return looked


@njit(nogil=True, cache=True, error_model="numpy")
def visit_neighbors(table, before, breadth, counts, others, dist, who, seen, begin, end):
    """Offer to each point the neighbours of its neighbours, and of those that it is one of."""
    looked = 0
    for q in range(begin, end):
        seen[q] = q
        for c in range(who.shape[1]):
            if before[q, c] >= 0:
                seen[before[q, c] & WHO] = q
            who[q, c] = who[q, c] & WHO if who[q, c] >= 0 else who[q, c]
        for c in range(breadth):
            if before[q, c] >= 0:
                looked += _expand(q, before[q, c], table, before, breadth, dist, who, seen)
        for c in range(counts[q]):
            code = others[q, c]
            j = code & WHO
            if seen[j] != q:
                seen[j] = q
                looked += 1
                _offer(dist[q], who[q], _squared(table[q], table[j]), j)
            looked += _expand(q, code, table, before, breadth, dist, who, seen)
    return looked


@njit(nogil=True, cache=True, error_model="numpy")
def evaluate(points, ids, asked, who, columns, squares):
    """Choose some points' nearest among their candidates, by differences in double precision.

    A point is its own candidate, as it is in the exact search.
    """
    count, width = columns.shape[1], who.shape[1]
    for r in range(asked.shape[0]):
        q = asked[r]
        exact, index = squares[r], columns[r]
        exact[:], index[:] = np.inf, np.iinfo(np.int64).max
        _sift_down(exact, index, 0, count, 0.0, ids[q])
        for c in range(width):
            if who[q, c] < 0:
                continue
            j = ids[who[q, c] & WHO]
            d = squared_difference(points[ids[q]], points[j], exact[0])
            if d < exact[0] or (d == exact[0] and j < index[0]):
                _sift_down(exact, index, 0, count, d, j)
        sort_heap(exact, index)


@njit(nogil=True, cache=True, error_model="numpy")
def measure_pairs(queries, points, columns, table, begin, end):
    """Write the distance of each query to the points in its row of columns."""
    for i in range(begin, end):
        for j in range(columns.shape[1]):
            square = squared_difference(queries[i], points[columns[i, j]], np.inf)
            table[i, j] = np.sqrt(square)
