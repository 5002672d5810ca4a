"""Rows: what a new point looks like to the old ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import Array, NeighborGraph


def walk_rows(towards: NeighborGraph, weights: Array) -> Any:
    """Return the probabilities of a random walk's step from each new point to the old ones."""
    totals = np.bincount(towards.rows, weights=weights, minlength=towards.n_points)
    totals[totals == 0.0] = 1.0
    return towards.with_weights(weights / totals[towards.rows])


def geodesic_rows(
    towards: NeighborGraph, lengths_from: Callable[[Array], Array], n_old: int
) -> Array:
    """Return the shortest paths from new points to the old ones, through the neighbours they see.

    ``lengths_from(points)`` gives the rows of path lengths from old points to ``n_old`` others.
    """
    seen, place = np.unique(towards.neighbors, return_inverse=True)
    known = lengths_from(seen)
    lengths = np.full((towards.n_points, n_old), np.inf)
    for rank in range(int(towards.counts.max(initial=0))):
        has = np.flatnonzero(towards.counts > rank)
        slots = towards.starts[has] + rank
        through = towards.distances[slots][:, None] + known[place[slots]]
        lengths[has] = np.minimum(lengths[has], through)
    return lengths
