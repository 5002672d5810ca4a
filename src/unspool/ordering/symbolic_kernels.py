# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops over elimination trees.

All let other threads run (``nogil``). Vertices are numbered by their position in the order of
elimination, except where the matrix or graph itself is read. Arrays come from the caller, so that
loops need no reference counts (``VIEWS``), which take half of the time to compile.
"""

from __future__ import annotations

from typing import Any

from numba import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def elimination_tree(starts, columns, position, vertex_at, ancestor, parent):
    """Fill, by position, the first later vertex that each one meets, -1 for the last of all.

    Path compression as in Liu (1990): almost one step per entry of the matrix. Both come as -1.
    """
    for k in range(len(vertex_at)):
        v = vertex_at[k]
        for slot in range(starts[v], starts[v + 1]):
            i = position[columns[slot]]
            while i != -1 and i < k:
                following = ancestor[i]
                ancestor[i] = k
                if following == -1:
                    parent[i] = k
                i = following


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def postorder(parent, first_child, sibling, path, order):
    """Fill the vertices of a forest so that each subtree is contiguous and ends in its root.

    First children and siblings come as -1; they and ``path`` hold one more, the root of all.
    """
    n = len(parent)
    for k in range(n - 1, -1, -1):
        above = parent[k] if parent[k] != -1 else n
        sibling[k] = first_child[above]
        first_child[above] = k
    path[0] = n
    depth, done = 1, 0
    while depth > 0:
        k = path[depth - 1]
        child = first_child[k]
        if child != -1:
            first_child[k] = sibling[child]
            path[depth] = child
            depth += 1
        else:
            depth -= 1
            if k < n:
                order[done] = k
                done += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def column_counts(starts, columns, position, vertex_at, parent, seen, row, counts):
    """Count the later vertices that each vertex meets when it is eliminated (by position)."""
    for k in range(len(vertex_at)):
        size = _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k)
        for t in range(size):
            counts[row[t]] += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def later_vertices(starts, columns, position, vertex_at, parent, seen, row, end, later):
    """List the later vertices that each vertex meets, ascending.

    Row k of the factor is written to the lists of all that meet k, and k ascends. ``end`` comes as
    where each list starts.
    """
    for k in range(len(vertex_at)):
        size = _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k)
        for t in range(size):
            later[end[row[t]]] = k
            end[row[t]] += 1


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _row_of_factor(starts, columns, position, vertex_at, parent, seen, row, k):
    """Fill ``row`` with the earlier vertices that meet vertex k, and return how many these are.

    They are a subtree of the elimination tree, walked up from each entry of row k of the matrix:
    one step per entry of the factor (Liu 1990). ``seen`` comes as -1.
    """
    size = 0
    seen[k] = k
    v = vertex_at[k]
    for slot in range(starts[v], starts[v + 1]):
        i = position[columns[slot]]
        if i > k:
            continue
        while seen[i] != k:
            row[size] = i
            size += 1
            seen[i] = k
            i = parent[i]
    return size
