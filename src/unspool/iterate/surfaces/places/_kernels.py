"""Compiled loops over the places of a surface: a few hundred of them, each against all."""

from __future__ import annotations

from typing import Any

from numba import njit

SUMS = {"reassoc", "contract", "nsz"}  # sums may be vectorised
VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def spread_out(places, nearest, squares, chosen):
    """Fill ``chosen`` with distinct places of these (d, n), each far from all those before.

    The first is the place nearest to the centre; the search ends when only duplicates are left.
    Returns how many there are. ``nearest`` comes filled with infinity, ``squares`` is room.
    """
    d, n = places.shape
    reach, newest = 0.0, 0
    for c in range(-1, len(chosen)):  # first, all are measured from the centre
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
            return c + 1
        newest = 0
        while nearest[newest] < farthest:
            newest += 1
    return len(chosen)
