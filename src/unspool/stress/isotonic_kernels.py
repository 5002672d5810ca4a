# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of sorting and of the monotone fit.

Pooling is cut into chunks whose number does not depend on the machine, so that the same values give
the same fit on any number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

SUMS = {"reassoc", "contract", "nsz"}  # sums may be vectorised
GROUP = 32  # neighbouring values that are first taken together
FEW = 16  # ties that are sorted by insertion


@njit(cache=True, error_model="numpy")
def merged(values, split, order, answer):
    """Fill the order of all values from that of values[:split] and that of the rest."""
    left, right = order[:split], order[split:]
    a, b = 0, 0
    for p in range(len(order)):
        ahead = b == len(right) or (a < len(left) and values[left[a]] <= values[right[b]])
        answer[p] = left[a] if ahead else right[b]
        a, b = a + ahead, b + (not ahead)


@njit(cache=True, error_model="numpy")
def _push(sums, masses, starts, top, floor, total, mass, start):
    """Put a block on the stack, merged with those before while their means do not increase."""
    while top >= floor and sums[top] * mass >= total * masses[top]:
        total, mass, start = total + sums[top], mass + masses[top], starts[top]
        top -= 1
    top += 1
    sums[top], masses[top], starts[top] = total, mass, start
    return top


@njit(cache=True, error_model="numpy", fastmath=SUMS)
def _sum_and_mass(values, weights, begin, end):
    total, mass = 0.0, float(end - begin)
    if len(weights) > 0:
        mass = 0.0
        for p in range(begin, end):
            total, mass = total + weights[p] * values[p], mass + weights[p]
    else:
        for p in range(begin, end):
            total += values[p]
    return total, mass


@njit(cache=True, error_model="numpy")
def _pool(values, weights, begin, end, sums, masses, starts):
    """Pool adjacent violators of values[begin:end] into blocks stored from ``begin`` on.

    The fit is the slope of the lowest convex curve under the running sums of the values. First the
    curve under every 32nd of them, in vectors; of the others only those below it can be corners,
    which are few, so that the branches of pooling, hard to foretell, are few as well.
    """
    weighted, size = len(weights) > 0, (end - begin + GROUP - 1) // GROUP
    rough_sums, rough_masses = np.empty(size), np.empty(size)
    rough_starts, rough_top = np.empty(size + 1, np.int64), -1
    for first in range(begin, end, GROUP):
        total, mass = _sum_and_mass(values, weights, first, min(first + GROUP, end))
        rough_top = _push(rough_sums, rough_masses, rough_starts, rough_top, 0, total, mass, first)
    rough_starts[rough_top + 1] = end
    top = begin - 1
    for block in range(rough_top + 1):
        mean, last = rough_sums[block] / rough_masses[block], rough_starts[block + 1] - 1
        height, corner, mass, start = 0.0, 0.0, 0.0, rough_starts[block]
        for p in range(start, last + 1):
            weight = weights[p] if weighted else 1.0
            height += weight * (values[p] - mean)  # of the running sum above the rough curve
            mass += weight
            if p == last or (height < 0.0 and values[p] < values[p + 1]):
                total = height - corner + mass * mean
                top = _push(sums, masses, starts, top, begin, total, mass, start)
                corner, mass, start = height, 0.0, p + 1
    return top + 1 - begin


@njit(cache=True, error_model="numpy", parallel=True)
def pool_adjacent(values, weights, fitted):
    """Fill the non-decreasing sequence nearest to ``values`` in weighted least squares.

    Chunks are pooled on their own and their blocks then pooled again, in order: the nearest
    monotone sequence is unique, so the way there does not matter (Best and Chakravarti 1990).
    """
    n, chunks = len(values), 16
    sums, masses = np.empty(n), np.empty(n)
    starts, counts = np.empty(n + 1, np.int64), np.empty(chunks, np.int64)
    for c in prange(chunks):
        begin, end = n * c // chunks, n * (c + 1) // chunks
        counts[c] = _pool(values, weights, begin, end, sums, masses, starts)
    top = -1
    for c in range(chunks):
        begin = n * c // chunks
        for b in range(begin, begin + counts[c]):
            top = _push(sums, masses, starts, top, 0, sums[b], masses[b], starts[b])
    blocks = top + 1
    starts[blocks] = n
    for c in prange(chunks):
        for b in range(blocks * c // chunks, blocks * (c + 1) // chunks):
            mean = sums[b] / masses[b]
            for p in range(starts[b], starts[b + 1]):
                fitted[p] = mean


@njit(cache=True, error_model="numpy", parallel=True)
def order_within(groups, distances, order):
    """Fill the order that sorts the distances inside each group groups[g]:groups[g + 1]."""
    for g in prange(len(groups) - 1):
        begin, end = groups[g], groups[g + 1]
        if end - begin > FEW:
            order[begin:end] = begin + np.argsort(distances[begin:end])
        else:
            for p in range(begin, end):
                place = p
                while place > begin and distances[order[place - 1]] > distances[p]:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = p
