"""Places that lie far from each other, and the nearest ones of each."""

from __future__ import annotations

import numpy as np

from ....values import Array


def spread_order(places: Array, count: int) -> Array:
    """Return the numbers of up to ``count`` distinct places, each far from those before it."""
    from ._kernels import spread_out

    return np.asarray(spread_out(np.ascontiguousarray(places.T), min(count, len(places))))


def well_spread(places: Array, count: int) -> Array:
    """Return up to ``count`` distinct places, each far from those before it."""
    return np.ascontiguousarray(places[spread_order(places, count)])


def nearest(places: Array, count: int) -> Array:
    """Return the ``count`` nearest others of each of a few hundred places."""
    from ._kernels import nearest_places

    others = np.empty((len(places), min(count, len(places) - 1)), dtype=np.int64)
    nearest_places(np.ascontiguousarray(places), others)
    return others
