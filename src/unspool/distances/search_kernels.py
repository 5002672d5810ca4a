# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the search within a radius and by leaves, without the interpreter's lock.

Distances to all points of a leaf are summed together, coordinate by coordinate: each point's sum is
in the order of the coordinates, as that of a box, and the loop over the points is vectorised.
"""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit
from .exact_kernels import (
    INNER,
    STRIP,
    _any_within,
    _bounds,
    _later,
    _sift_down,
    sort_heap,
    squared_difference,
)

SHORT = 32  # edges that are sorted by insertion
SLACK = 1 + 1e-12  # of sums of squares that are added up in another order
CHUNK = 64  # coordinates between two looks at whether all sums have passed their limit


# Within a radius, by bounds.


@njit(nogil=True, cache=True, error_model="numpy")
def count_within(left, right, columns, limit, space, counts):
    """Add to each row's count the entries of a tile that are within the limit."""
    tile = _bounds(left, right, (0, left.shape[0]), columns, space)
    for r in range(tile.shape[0]):
        count = np.int32(0)
        for c in range(tile.shape[1]):
            count += np.int32(tile[r, c] <= limit)
        counts[r] += count


@njit(nogil=True, cache=True, error_model="numpy")
def write_within(rows, columns, left, right, limit, space, pairs, ends, index, dist):
    """Write the edges of a tile, each row's where its own end, and move that on.

    ``both`` says that queries are points, that each pair is met once, and that none is its own.
    """
    queries, points, radius, both = pairs
    tile = _bounds(left, right, rows, columns, space)
    for r in range(tile.shape[0]):
        q = rows[0] + r
        for c in range(tile.shape[1]):
            j = columns[0] + c
            if tile[r, c] <= limit and not (both and j <= q):
                d = np.sqrt(squared_difference(queries[q], points[j], np.inf))
                if d <= radius:
                    index[ends[q]], dist[ends[q]] = j, d
                    ends[q] += 1
                    if both:
                        index[ends[j]], dist[ends[j]] = q, d
                        ends[j] += 1


@njit(nogil=True, cache=True, error_model="numpy")
def close_gaps(starts, ends, index, dist):
    """Move the edges of all rows together, and the starts with them."""
    to = starts[0]
    for r in range(ends.shape[0]):
        first, last = starts[r], ends[r]
        starts[r] = to
        if first != to:
            for e in range(first, last):
                index[to + e - first], dist[to + e - first] = index[e], dist[e]
        to += last - first
    starts[ends.shape[0]] = to


@njit(nogil=True, cache=True, error_model="numpy")
def collect_within(left, right, columns, limit, space, pairs, row, index, dist, size):
    """Append the edges of a tile, row by row; return how many there are now."""
    queries, points, radius, own = pairs
    tile = _bounds(left, right, (0, left.shape[0]), columns, space)
    width = tile.shape[1]
    for r in range(tile.shape[0]):
        query = queries[r]
        for first in range(0, width, STRIP):
            last = min(first + STRIP, width)
            if not _any_within(tile[r, first:last], limit):
                continue
            for c in range(first, last):
                j = columns[0] + c
                if tile[r, c] <= limit and j != own + r:
                    d = np.sqrt(squared_difference(query, points[j], np.inf))
                    if d <= radius:
                        row[size], index[size], dist[size] = r, j, d
                        size += 1
    return size


@njit(nogil=True, cache=True, error_model="numpy")
def group_edges(row, index, dist, starts, columns, distances):
    """Bring the edges of each row together, nearest first, ties by index."""
    at = starts[:-1].copy()
    for e in range(row.shape[0]):
        place = at[row[e]]
        columns[place], distances[place] = index[e], dist[e]
        at[row[e]] += 1
    sort_rows(starts[:-1], starts[1:], columns, distances)


@njit(nogil=True, cache=True, error_model="numpy")
def sort_rows(starts, ends, columns, distances):
    """Sort each row by (distance, index)."""
    longest = np.max(ends - starts)
    space = np.empty(longest), np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for r in range(ends.shape[0]):
        part = slice(starts[r], ends[r])
        sort_edges(distances[part], columns[part], space)


@njit(forceinline=True, **INNER)
def sort_edges(dist, index, space):
    """Sort by (distance, index): into as many equal steps as there are edges, then within each.

    Four times as fast as NumPy's sort of 2,000 edges. Where many fall into one step, a heap keeps
    the time within that of any sort.
    """
    n = dist.shape[0]
    low, high = (np.min(dist), np.max(dist)) if n > SHORT else (0.0, 0.0)
    factor = (n - 1) / (high - low) if high > low else 0.0
    if n <= SHORT or not factor < np.inf:
        _sort_few(dist, index)
        return
    held_dist, held_index, ends = space
    ends[: n + 1] = 0
    for e in range(n):
        held_dist[e], held_index[e] = dist[e], index[e]
        ends[np.int64((dist[e] - low) * factor) + 1] += 1
    for step in range(n):
        ends[step + 1] += ends[step]
    for e in range(n):
        mine = np.int64((held_dist[e] - low) * factor)
        dist[ends[mine]], index[ends[mine]] = held_dist[e], held_index[e]
        ends[mine] += 1
    for step in range(n):  # each step now ends where the next began
        part = slice(ends[step - 1] if step else 0, ends[step])
        _sort_few(dist[part], index[part])


@njit(forceinline=True, **INNER)
def _sort_few(dist, index):
    """Sort by (distance, index): by insertion, or where there are more by a heap."""
    n = dist.shape[0]
    if n > SHORT:
        for at in range(n // 2 - 1, -1, -1):
            _sift_down(dist, index, at, n, dist[at], index[at])
        sort_heap(dist, index)
        return
    for e in range(1, n):
        d, i = dist[e], index[e]
        at = e
        while at > 0 and _later(dist[at - 1], index[at - 1], d, i):
            dist[at], index[at] = dist[at - 1], index[at - 1]
            at -= 1
        dist[at], index[at] = d, i


# By leaves.


@njit(forceinline=True, **INNER)
def _add(total, gap, power):
    """Return a sum with one more coordinate: that of squares, of sizes, or the largest size."""
    if power == 2.0:
        return total + gap * gap
    return total + gap if power == 1.0 else max(total, gap)


@njit(forceinline=True, **INNER)
def _between_boxes(low, high, others_low, others_high, power):
    """Return the sum over the gaps between two boxes."""
    total = 0.0
    for c in range(low.shape[0]):
        gap = max(0.0, others_low[c] - high[c], low[c] - others_high[c])
        total = _add(total, gap, power)
    return total


@njit(forceinline=True, **INNER)
def _between_points(query, columns, first, last, power, limit, sums):
    """Write the sums of a query with the points of a leaf; return whether one is within limit."""
    size = last - first
    sums[:size] = 0.0
    for begin in range(0, query.shape[0], CHUNK):
        for c in range(begin, min(begin + CHUNK, query.shape[0])):
            x, column = query[c], columns[c, first:last]
            if power == 2.0:
                for p in range(size):
                    gap = x - column[p]
                    sums[p] += gap * gap
            elif power == 1.0:
                for p in range(size):
                    sums[p] += abs(x - column[p])
            else:
                for p in range(size):
                    sums[p] = max(sums[p], abs(x - column[p]))
        within = np.int32(0)
        for p in range(size):
            within |= np.int32(sums[p] <= limit)
        if within == 0:
            return False
    return True


@njit(forceinline=True, **INNER)
def _near_leaves(box, asked, leaves, power, limit, near, gaps):
    """List the leaves whose box may be within a limit of that of a leaf of queries."""
    count = 0
    for leaf in range(leaves[2].shape[0] - 1):
        gap = _between_boxes(asked[3][box], asked[4][box], leaves[3][leaf], leaves[4][leaf], power)
        if gap <= limit:
            near[count], gaps[count] = leaf, gap
            count += 1
    return count


@njit(forceinline=True, **INNER)
def _limit(radius, power):
    """Return a limit of sums that no distance within the radius exceeds, a hair above."""
    return radius * radius * (1 + 1e-15) if power == 2.0 else radius


@njit(nogil=True, cache=True, error_model="numpy")
def count(first_box, last_box, asked, leaves, ball, counts):
    """Count the points within the radius of the queries of some leaves."""
    radius, power, others = ball
    limit = _limit(radius, power)
    near = np.empty(leaves[2].shape[0], np.int64)
    gaps, sums = np.empty(near.shape[0]), np.empty(leaves[0].shape[1])
    for box in range(first_box, last_box):
        n_near = _near_leaves(box, asked, leaves, power, limit, near, gaps)
        for q in range(asked[2][box], asked[2][box + 1]):
            query, total = asked[0][:, q].copy(), 0
            for at in range(n_near):
                low, high = leaves[3][near[at]], leaves[4][near[at]]
                first, last = leaves[2][near[at]], leaves[2][near[at] + 1]
                if _between_boxes(query, query, low, high, power) > limit:
                    continue
                if _between_points(query, leaves[0], first, last, power, limit, sums):
                    for p in range(last - first):
                        d = np.sqrt(sums[p]) if power == 2.0 else sums[p]
                        total += d <= radius
            own = others and radius >= 0.0
            counts[asked[1][q]] = total - 1 if own else total


@njit(nogil=True, cache=True, error_model="numpy")
def write(first_box, last_box, asked, leaves, ball, starts, index, dist):
    """Write the points within the radius of the queries of some leaves, nearest first."""
    radius, power, others = ball
    limit = _limit(radius, power)
    near = np.empty(leaves[2].shape[0], np.int64)
    gaps, sums = np.empty(near.shape[0]), np.empty(leaves[0].shape[1])
    n = leaves[0].shape[1]
    space = np.empty(n), np.empty(n, np.int64), np.empty(n + 1, np.int64)
    for box in range(first_box, last_box):
        n_near = _near_leaves(box, asked, leaves, power, limit, near, gaps)
        for q in range(asked[2][box], asked[2][box + 1]):
            query, row = asked[0][:, q].copy(), asked[1][q]
            end, own = starts[row], row if others else -1
            for at in range(n_near):
                low, high = leaves[3][near[at]], leaves[4][near[at]]
                first, last = leaves[2][near[at]], leaves[2][near[at] + 1]
                if _between_boxes(query, query, low, high, power) > limit:
                    continue
                if _between_points(query, leaves[0], first, last, power, limit, sums):
                    for p in range(last - first):
                        d = np.sqrt(sums[p]) if power == 2.0 else sums[p]
                        if d <= radius and leaves[1][first + p] != own:
                            index[end], dist[end] = leaves[1][first + p], d
                            end += 1
            sort_edges(dist[starts[row] : end], index[starts[row] : end], space)


@njit(forceinline=True, **INNER)
def _above(distance, power):
    """Return a limit of sums that none exceeds whose distance, added up in any order, is less."""
    return distance * distance * SLACK if power == 2.0 else distance


@njit(nogil=True, cache=True, error_model="numpy")
def nearest(first_box, last_box, asked, among, index, dist):
    """Find the nearest points of the queries of some leaves, first in the leaves nearest by.

    Euclidean distances are those of ``squared_difference``, by which other searches decide.
    """
    leaves, points, power, reach = among
    near = np.empty(leaves[2].shape[0], np.int64)
    gaps, sums = np.empty(near.shape[0]), np.empty(leaves[0].shape[1])
    for box in range(first_box, last_box):
        widest = 0.0
        for q in range(asked[2][box], asked[2][box + 1]):
            widest = max(widest, _above(reach[asked[1][q]], power))
        n_near = _near_leaves(box, asked, leaves, power, widest, near, gaps)
        order = np.argsort(gaps[:n_near])
        for q in range(asked[2][box], asked[2][box + 1]):
            query, row = asked[0][:, q].copy(), asked[1][q]
            best, who, limit = dist[row], index[row], np.inf
            best[:], who[:] = np.inf, np.iinfo(np.int64).max
            for at in order:
                if gaps[at] > limit:
                    break
                low, high = leaves[3][near[at]], leaves[4][near[at]]
                first, last = leaves[2][near[at]], leaves[2][near[at] + 1]
                if _between_boxes(query, query, low, high, power) > limit:
                    continue
                if not _between_points(query, leaves[0], first, last, power, limit, sums):
                    continue
                for p in range(last - first):
                    if sums[p] > limit:
                        continue
                    d, name = sums[p], leaves[1][first + p]
                    if power == 2.0:
                        d = np.sqrt(squared_difference(query, points[first + p], np.inf))
                    if _later(best[0], who[0], d, name):
                        _sift_down(best, who, 0, best.shape[0], d, name)
                        limit = _above(best[0], power)
            sort_heap(best, who)
