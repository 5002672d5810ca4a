# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the search by leaves, without the interpreter's lock.

Distances to all points of a leaf are summed together, coordinate by coordinate: each point's sum is
in the order of the coordinates, as that of a box, and the loop over the points is vectorised.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .exact_kernels import INNER, _later, _sift_down, sort_edges, sort_heap

CHUNK = 64  # coordinates between two looks at whether all sums have passed their limit


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


@njit(nogil=True, cache=True, error_model="numpy")
def nearest(first_box, last_box, asked, leaves, power, index, dist):
    """Find the nearest points of the queries of some leaves, first in the leaves nearest by."""
    near = np.empty(leaves[2].shape[0], np.int64)
    gaps, sums = np.empty(near.shape[0]), np.empty(leaves[0].shape[1])
    for box in range(first_box, last_box):
        n_near = _near_leaves(box, asked, leaves, power, np.inf, near, gaps)
        order = np.argsort(gaps[:n_near])
        for q in range(asked[2][box], asked[2][box + 1]):
            query, row = asked[0][:, q].copy(), asked[1][q]
            best, who = dist[row], index[row]
            best[:], who[:] = np.inf, np.iinfo(np.int64).max
            for at in order:
                if gaps[at] > best[0]:
                    break
                low, high = leaves[3][near[at]], leaves[4][near[at]]
                first, last = leaves[2][near[at]], leaves[2][near[at] + 1]
                if _between_boxes(query, query, low, high, power) > best[0]:
                    continue
                if _between_points(query, leaves[0], first, last, power, best[0], sums):
                    for p in range(last - first):
                        if _later(best[0], who[0], sums[p], leaves[1][first + p]):
                            name = leaves[1][first + p]
                            _sift_down(best, who, 0, best.shape[0], sums[p], name)
            sort_heap(best, who)
            if power == 2.0:
                for r in range(best.shape[0]):
                    best[r] = np.sqrt(best[r])
