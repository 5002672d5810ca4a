"""Compiled loops over elimination trees."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def column_counts(starts, columns, position, vertex_at):  # type: ignore[no-untyped-def]
    """Count the later vertices that each vertex meets when it is eliminated (by position).

    Walks each row's subtree of the elimination tree, which costs one step an entry of the factor
    (Liu 1990); the tree is found on the way, with path compression.
    """
    n = len(vertex_at)
    parent = np.full(n, -1)
    ancestor = np.full(n, -1)
    for k in range(n):
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            while i != -1 and i < k:
                following = ancestor[i]
                ancestor[i] = k
                if following == -1:
                    parent[i] = k
                i = following
    counts = np.zeros(n, dtype=np.int64)
    seen = np.full(n, -1)
    for k in range(n):
        seen[k] = k
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            if i > k:
                continue
            while seen[i] != k:
                counts[i] += 1
                seen[i] = k
                i = parent[i]
    return counts
