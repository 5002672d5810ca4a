"""Places that lie far from each other, and the nearest ones of each."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from ....values import Array


def spread_order(places: Array, count: int) -> Array:
    """Return the numbers of up to ``count`` distinct places, each far from those before it."""
    from ._kernels import spread_out

    n = len(places)
    chosen = np.empty(min(count, n), dtype=np.int64)
    found = spread_out(np.ascontiguousarray(places.T), np.full(n, np.inf), np.empty(n), chosen)
    return np.asarray(chosen[:found])


def well_spread(places: Array, count: int) -> Array:
    """Return up to ``count`` distinct places, each far from those before it."""
    return np.ascontiguousarray(places[spread_order(places, count)])


def nearest(places: Array, count: int) -> Array:
    """Return the ``count`` nearest others of each of a few hundred places, nearest first."""
    gaps = cdist(places, places, "sqeuclidean")
    np.fill_diagonal(gaps, np.inf)
    count = min(count, len(places) - 1)
    others = np.argpartition(gaps, count - 1, axis=1)[:, :count] if count else gaps[:, :0]
    others = np.sort(others.astype(np.int64), axis=1)  # of equals the first comes first
    order = np.argsort(np.take_along_axis(gaps, others, axis=1), axis=1, kind="stable")
    return np.asarray(np.take_along_axis(others, order, axis=1))
