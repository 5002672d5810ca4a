"""One rule for signs and for the axes of degenerate eigenspaces, so that a map is reproducible.

The rules look at entries that stand out by a margin far above rounding, so that neither the number
of threads nor the solver can flip them.
"""

from __future__ import annotations

import numpy as np

from ..values import Array

MARGIN = 1e-4  # entries this close to the largest count as equally large; the first one decides


def canonical(vectors: Array, groups: list[Array], count: int) -> Array:
    """Return the first vectors, groups of equal values rotated, signs fixed, by one rule.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_vectors)
        Eigenvectors.
    groups : list of ndarray
        Positions of equal values, as ``degenerate_groups`` gives them.
    count : int
        Number of vectors to return.

    Returns
    -------
    ndarray of shape (n_samples, count)
        The vectors.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.canonical(-np.eye(2), [np.array([0]), np.array([1])], 2)
    array([[1., 0.],
           [0., 1.]])
    """
    fixed = np.array(vectors[:, :count])
    for group in groups:
        if len(group) > 1 and group[0] < count:
            kept = group[group < count]
            fixed[:, kept] = _echelon(vectors[:, group], len(kept))
    return fixed * signs(fixed)


def signs(vectors: Array) -> Array:
    """Return the signs that make the first of each vector's largest entries positive.

    Parameters
    ----------
    vectors : ndarray of shape (n_samples, n_vectors)
        The vectors.

    Returns
    -------
    ndarray of shape (n_vectors,)
        A sign for each vector.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> spectrum.signs(np.array([[1.0, -3.0], [0.5, 2.0]]))
    array([ 1., -1.])
    """
    if vectors.shape[0] == 0:
        return np.ones(vectors.shape[1])
    sizes = np.abs(vectors)
    leading = np.argmax(sizes >= (1.0 - MARGIN) * sizes.max(axis=0), axis=0)
    chosen = np.sign(vectors[leading, np.arange(vectors.shape[1])])
    return np.where(chosen == 0.0, 1.0, chosen)


def degenerate_groups(values: Array, tolerance: float) -> list[Array]:
    """Return the positions of values that are equal up to ``tolerance``, group by group.

    Parameters
    ----------
    values : ndarray of shape (n_values,)
        Sorted eigenvalues.
    tolerance : float
        Difference up to which neighbours count as equal.

    Returns
    -------
    list of ndarray
        The positions of each group.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import spectrum
    >>> [group.tolist() for group in spectrum.degenerate_groups(np.array([2.0, 1.0, 1.0]), 1e-9)]
    [[0], [1, 2]]
    """
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
