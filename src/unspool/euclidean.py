"""Tiles of squared Euclidean distances by matrix products, as exact as by differences.

a.a + b.b - 2 a.b loses digits where the distance is small beside the norms. About the mean of the
points, with D columns and v = 2^-53, products and norms err by at most 2 (D + 4) v (|a|^2 + |b|^2)
(Higham 2002, section 3.1). A pair is kept only where its value is above that bound divided by
``TOLERANCE``; the others are computed by differences. So every distance has at most about that
relative error (mostly 1e-14), and equal points have distance zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .values import Array

TOLERANCE = 1e-11
FEW_COLUMNS = 8  # up to which differences cost no more than products and their repair
MOST_REPAIRED = 0.02  # of a tile's pairs; beyond, all of them by differences are faster


@dataclass(frozen=True, slots=True)
class CenteredPoints:
    """Points as given, about a center, and their squared norms there."""

    points: Array
    centered: Array
    squares: Array

    @classmethod
    def of(cls, points: Any, center: Array) -> CenteredPoints:
        """Return points about a center."""
        points = np.asarray(points, dtype=np.float64)
        with np.errstate(over="ignore"):
            centered = points - center
            return cls(points, centered, np.einsum("ij,ij->i", centered, centered))


def squared_distances(
    first: CenteredPoints, second: CenteredPoints, rows: slice, columns: slice
) -> Array:
    """Return a tile of the squared distances between points about the same center.

    Parameters
    ----------
    first, second : CenteredPoints
        The points of the rows and of the columns.
    rows, columns : slice
        Which of them.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The squared distances.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.euclidean import CenteredPoints, squared_distances
    >>> points = CenteredPoints.of(np.eye(9), np.zeros(9))
    >>> squared_distances(points, points, slice(0, 1), slice(0, 3))
    array([[0., 2., 2.]])
    """
    from scipy.spatial.distance import cdist

    a, b = first.points[rows], second.points[columns]
    n_columns = a.shape[1]
    if n_columns <= FEW_COLUMNS:
        return np.asarray(cdist(a, b, "sqeuclidean"))
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is repaired
        both = first.squares[rows, None] + second.squares[columns]
        tile = first.centered[rows] @ second.centered[columns].T
        tile *= -2.0
        tile += both
        both *= 2 * (n_columns + 4) * 2.0**-53 / TOLERANCE
        i, j = np.nonzero(~(tile > both))
        if len(i) > MOST_REPAIRED * tile.size + 1024:
            return np.asarray(cdist(a, b, "sqeuclidean"))
        difference = a[i] - b[j]
        tile[i, j] = np.einsum("ij,ij->i", difference, difference)
    return np.asarray(tile)
