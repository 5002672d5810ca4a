"""One rule for signs and for the axes of degenerate eigenspaces, so that a map is reproducible.

The rules look at entries that stand out by a margin far above rounding, so that neither the number
of threads nor the solver can flip them.
"""

from __future__ import annotations

import numpy as np

from ..values import Array

MARGIN = 1e-4  # entries this close to the largest count as equally large; the first one decides


def canonical(values: Array, vectors: Array, tolerance: float) -> Array:
    """Return the vectors with degenerate groups rotated, and all signs fixed, by one rule."""
    fixed = np.array(vectors)
    for group in degenerate_groups(values, tolerance):
        if len(group) > 1:
            fixed[:, group] = _echelon(fixed[:, group])
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


def _echelon(basis: Array) -> Array:
    """Rotate an orthonormal basis so that each axis vanishes at the pivots of the later ones.

    The pivot of an axis is the first point whose row of what remains is among the longest; the axis
    points along that row, which makes it the most concentrated direction at that point.
    """
    rotated = np.empty_like(basis)
    rest = basis
    for axis in range(basis.shape[1]):
        lengths = np.linalg.norm(rest, axis=1)
        pivot = int(np.argmax(lengths >= (1.0 - MARGIN) * lengths.max()))
        direction = rest[pivot] / lengths[pivot]
        rotated[:, axis] = rest @ direction
        complement = np.linalg.qr(np.column_stack([direction, np.eye(len(direction))]))[0][:, 1:]
        rest = rest @ complement
    return rotated
