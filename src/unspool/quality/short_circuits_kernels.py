# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of the scores."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def bounded_path(starts, neighbors, lengths, first, second, limits):
    """Return the shortest path between each pair of ends, infinite if longer than its limit.

    Dijkstra's search from one end, given up at the limit: a pair costs the points within its
    limit, not the graph. The heap keeps outdated entries and skips them when they come up.
    """
    answer = np.full(len(first), np.inf)
    distance = np.full(len(starts) - 1, np.inf)
    touched = np.empty(len(starts) - 1, np.int64)
    keys, items = np.empty(len(neighbors) + 1), np.empty(len(neighbors) + 1, np.int64)
    for pair in range(len(first)):
        goal, limit = second[pair], limits[pair]
        distance[first[pair]] = 0.0
        touched[0], n_touched = first[pair], 1
        keys[0], items[0], size = 0.0, first[pair], 1
        while size > 0:
            length, point = keys[0], items[0]
            size = _sift_down(keys, items, size)
            if point == goal:
                answer[pair] = length
                break
            if length > distance[point]:
                continue
            for slot in range(starts[point], starts[point + 1]):
                other, through = neighbors[slot], length + lengths[slot]
                if through <= limit and through < distance[other]:
                    if distance[other] == np.inf:
                        touched[n_touched] = other
                        n_touched += 1
                    distance[other] = through
                    size = _push(keys, items, size, through, other)
        for slot in range(n_touched):
            distance[touched[slot]] = np.inf
    return answer


@njit(cache=True, error_model="numpy")
def _push(keys, items, size, key, item):
    child = size
    while child > 0 and keys[(child - 1) // 2] > key:
        parent = (child - 1) // 2
        keys[child], items[child] = keys[parent], items[parent]
        child = parent
    keys[child], items[child] = key, item
    return size + 1


@njit(cache=True, error_model="numpy")
def _sift_down(keys, items, size):
    """Remove the smallest entry and return the new size."""
    size -= 1
    key, item = keys[size], items[size]
    parent = 0
    while 2 * parent + 1 < size:
        child = 2 * parent + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[parent], items[parent] = keys[child], items[child]
        parent = child
    keys[parent], items[parent] = key, item
    return size
