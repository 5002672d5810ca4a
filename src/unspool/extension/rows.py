"""Rows: what a new point looks like to the old ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array, NeighborGraph


def walk_rows(towards: NeighborGraph, weights: Array) -> Any:
    """Return the probabilities of a random walk's step from each new point to the old ones."""
    totals = np.bincount(towards.rows, weights=weights, minlength=towards.n_points)
    totals[totals == 0.0] = 1.0
    return towards.with_weights(weights / totals[towards.rows])


def geodesic_rows(towards: NeighborGraph, geodesics: Array) -> Array:
    """Return the shortest paths from new points to all old ones, through the neighbours they see.

    ``geodesics[i, j]`` is the path length between old points.
    """
    lengths = np.full((towards.n_points, geodesics.shape[1]), np.inf)
    for rank in range(int(towards.counts.max(initial=0))):
        has = np.flatnonzero(towards.counts > rank)
        slots = towards.starts[has] + rank
        through = towards.distances[slots][:, None] + geodesics[towards.neighbors[slots]]
        lengths[has] = np.minimum(lengths[has], through)
    return lengths
