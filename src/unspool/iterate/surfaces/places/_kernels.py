"""Compiled loops over the places of a surface: a few hundred of them, each against all."""

from __future__ import annotations

import numpy as np
from numba import njit

SUMS = {"reassoc", "contract", "nsz"}  # sums may be vectorised


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def spread_out(places, count):
    """Return up to ``count`` distinct places of these (d, n), each far from all those before.

    The first is the place nearest to the centre; the search ends when only duplicates are left.
    """
    d, n = places.shape
    nearest, squares = np.full(n, np.inf), np.empty(n)
    chosen = np.empty(count, dtype=np.int64)
    reach, newest = 0.0, 0
    for c in range(-1, count):  # first, all are measured from the centre
        for i in range(n):
            squares[i] = 0.0
        for a in range(d):
            x = places[a]
            here = x[newest]
            if c < 0:
                here = 0.0
                for i in range(n):
                    here += x[i] / n
            for i in range(n):
                squares[i] += (x[i] - here) * (x[i] - here)
        if c < 0:
            for i in range(n):
                newest = i if squares[i] < squares[newest] else newest
                reach = squares[i] if squares[i] > reach else reach
            continue
        chosen[c], farthest = newest, 0.0
        for i in range(n):
            nearest[i] = squares[i] if squares[i] < nearest[i] else nearest[i]
            farthest = nearest[i] if nearest[i] > farthest else farthest
        if farthest <= 1e-12 * reach:
            return chosen[: c + 1]
        newest = 0
        while nearest[newest] < farthest:
            newest += 1
    return chosen


@njit(cache=True, error_model="numpy")
def nearest_places(places, nearest):
    """Fill the nearest other places of each, nearest first; of equals the first."""
    n, count = nearest.shape
    gaps = np.empty(count)
    for i in range(n):
        for k in range(count):
            gaps[k] = np.inf
        for j in range(n):
            square = 0.0
            for a in range(places.shape[1]):
                square += (places[i, a] - places[j, a]) ** 2
            if j == i or square >= gaps[count - 1]:
                continue
            k = count - 1
            while k > 0 and gaps[k - 1] > square:
                gaps[k], nearest[i, k] = gaps[k - 1], nearest[i, k - 1]
                k -= 1
            gaps[k], nearest[i, k] = square, j


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def settle_lengths(places, first, second, lengths, weights, inverse, inertia, rounds):
    """Move ``places`` (n, d) by rounds of majorised stress over edges that want these lengths.

    ``inverse`` is that of the edges' Laplacian plus the inertia; it is used in every round.
    """
    n, d = places.shape
    pulled = np.empty((d, n))
    for _ in range(rounds):
        for a in range(d):
            for i in range(n):
                pulled[a, i] = inertia * places[i, a]
        for e in range(len(first)):
            i, j, square = first[e], second[e], 0.0
            for a in range(d):
                square += (places[i, a] - places[j, a]) ** 2
            pull = weights[e] * lengths[e] / np.sqrt(square) if square > 0.0 else 0.0
            for a in range(d):
                step = pull * (places[i, a] - places[j, a])
                pulled[a, i] += step
                pulled[a, j] -= step
        for i in range(n):
            for a in range(d):
                places[i, a] = 0.0
                for j in range(n):
                    places[i, a] += inverse[i, j] * pulled[a, j]
