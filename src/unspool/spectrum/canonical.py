"""One rule for signs and for the axes of degenerate eigenspaces, so that a map is reproducible.

The rules look at entries that stand out by a margin far above rounding, so that neither the number
of threads nor the solver can flip them.
"""

from __future__ import annotations

import numpy as np

from ..values import Array

MARGIN = 1e-4  # entries this close to the largest count as equally large; the first one decides


def canonical(vectors: Array, groups: list[Array], count: int) -> Array:
    """Return the first ``count`` vectors, groups of equal values rotated, signs fixed, by one rule.

    ``groups`` are the positions of equal values (``degenerate_groups``).
    """
    fixed = np.array(vectors[:, :count])
    for group in groups:
        if len(group) > 1 and group[0] < count:
            kept = group[group < count]
            fixed[:, kept] = _echelon(vectors[:, group], len(kept))
    return fixed * signs(fixed)


def signs(vectors: Array) -> Array:
    """Return the signs that make the first of each vector's largest entries positive."""
    if vectors.shape[0] == 0:
        return np.ones(vectors.shape[1])
    sizes = np.abs(vectors)
    leading = np.argmax(sizes >= (1.0 - MARGIN) * sizes.max(axis=0), axis=0)
    chosen = np.sign(vectors[leading, np.arange(vectors.shape[1])])
    return np.where(chosen == 0.0, 1.0, chosen)


def degenerate_groups(values: Array, tolerance: float) -> list[Array]:
    """Return the positions of values that are equal up to ``tolerance``, group by group."""
    if len(values) == 0:
        return []
    breaks = np.flatnonzero(np.abs(np.diff(values)) > tolerance) + 1
    return np.split(np.arange(len(values)), breaks)


def _echelon(basis: Array, count: int) -> Array:
    """Return ``count`` axes of an orthonormal basis, each vanishing at the pivots of the earlier.

    The pivot of an axis is the first point whose row of what remains is among the longest; the axis
    points along that row, which makes it the most concentrated direction at that point.
    """
    rotated = np.empty((len(basis), count))
    rest = basis
    for axis in range(count):
        lengths = np.linalg.norm(rest, axis=1)
        pivot = int(np.argmax(lengths >= (1.0 - MARGIN) * lengths.max()))
        direction = rest[pivot] / lengths[pivot]
        rotated[:, axis] = rest @ direction
        rest = rest - np.outer(rotated[:, axis], direction)
    return rotated
