"""Compiled: how many points are nearer than a given one, by bounds in single precision."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def squared_distance(points, i, j):  # type: ignore[no-untyped-def]
    """Return the squared distance of two rows, by differences."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0  # four sums: one alone waits for each addition
    whole = points.shape[1] - points.shape[1] % 4
    for at in range(0, whole, 4):
        a += (points[i, at] - points[j, at]) ** 2
        b += (points[i, at + 1] - points[j, at + 1]) ** 2
        c += (points[i, at + 2] - points[j, at + 2]) ** 2
        d += (points[i, at + 3] - points[j, at + 3]) ** 2
    for at in range(whole, points.shape[1]):
        a += (points[i, at] - points[j, at]) ** 2
    return (a + b) + (c + d)


@njit(cache=True, nogil=True)
def count_beyond(products, rows, near, points, norms, slack, beyond):  # type: ignore[no-untyped-def]
    """Add up by how much the ranks of ``near`` points exceed their number, row by row.

    ``products`` are inner products of centred points in single precision; what lies within
    ``slack`` of a limit is decided by differences in double precision, and ties by index.
    """
    n, k = products.shape[1], near.shape[1]
    for i in range(len(rows)):
        row = rows[i]
        seen = products[i]
        for other in range(n):
            seen[other] = norms[other] - np.float32(2.0) * seen[other]
        total = 0
        for m in range(k):
            j = near[i, m]
            limit = squared_distance(points, row, j)
            middle = limit - np.float64(norms[row])
            low, high = np.float32(middle - slack), np.float32(middle + slack)
            nearer = 0
            doubtful = 0
            for other in range(n):
                nearer += seen[other] < low
                doubtful += seen[other] <= high
            nearer -= seen[row] < low
            if doubtful > nearer:
                for other in range(n):
                    if low <= seen[other] <= high and other != row:
                        length = squared_distance(points, row, other)
                        nearer += length < limit or (length == limit and other < j)
            total += max(nearer + 1 - k, 0)
        beyond[i] = total
