"""NeighborGraph -> NeighborGraph: symmetrize, connected components, bridges; copies, landmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array, Components
from .connectivity import (
    Copies,
    Links,
    bridge_components,
    find_components,
    find_copies,
    join_components,
    recognize,
    row_keys,
    symmetrize,
)

__all__ = [
    "Components",
    "Copies",
    "Links",
    "bridge_components",
    "check_landmarks",
    "choose_maxmin",
    "choose_uniform",
    "find_components",
    "find_copies",
    "join_components",
    "recognize",
    "row_keys",
    "symmetrize",
]


def choose_maxmin(
    distances_from: Callable[[int], Array],
    n_points: int,
    count: int,
    *,
    at_least: int = 1,
    seed: int = 0,
) -> Array:
    """Return landmarks, each the point farthest from all chosen before (de Silva, Tenenbaum 2004).

    The first is drawn at random. When all that are left coincide with landmarks the choice ends
    early, but not before there are ``at_least`` landmarks.

    Parameters
    ----------
    distances_from : callable
        ``distances_from(i)`` gives the distances of all points to point i.
    n_points : int
        Number of points.
    count : int
        Number of landmarks.
    at_least : int, default=1
        Number of landmarks to choose even if some coincide.
    seed : int, default=0
        Seed of the first landmark.

    Returns
    -------
    ndarray of int
        Indices of the landmarks, in the order of their choice.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import graph
    >>> line = np.arange(11.0)
    >>> chosen = graph.choose_maxmin(lambda i: abs(line - line[i]), 11, 3)
    >>> 0 in chosen or 10 in chosen
    True
    """
    chosen = [int(np.random.default_rng(seed).integers(n_points))]
    nearest = np.array(distances_from(chosen[0]), dtype=np.float64)
    with stage("landmarks", total=count) as running:
        for _ in range(1, count):
            farthest = int(np.argmax(nearest))
            if nearest[farthest] == 0.0:
                if len(chosen) >= at_least:
                    break
                farthest = next(point for point in range(n_points) if point not in chosen)
            chosen.append(farthest)
            np.minimum(nearest, distances_from(farthest), out=nearest)
            running.advance()
    return np.array(chosen)


def choose_uniform(n_points: int, count: int, seed: int = 0) -> Array:
    """Return ``count`` different points drawn at random.

    Parameters
    ----------
    n_points : int
        Number of points.
    count : int
        Number of landmarks.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Indices of the landmarks.

    Examples
    --------
    >>> from unspool import graph
    >>> len(set(graph.choose_uniform(100, 5).tolist()))
    5
    """
    return np.random.default_rng(seed).permutation(n_points)[:count]


def check_landmarks(landmarks: Any, n_points: int) -> Array:
    """Return landmarks that the user named by index, checked.

    Parameters
    ----------
    landmarks : array-like of int
        Indices of points.
    n_points : int
        Number of points that there are.

    Returns
    -------
    ndarray of int
        A copy of the indices.

    Examples
    --------
    >>> from unspool import graph
    >>> graph.check_landmarks([4, 0, 2], 5)
    array([4, 0, 2])
    """
    chosen = np.array(landmarks)  # a fitted model has its own
    if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError(
            f"landmarks must be a list of indices (n_landmarks says how many); got {landmarks!r}"
        )
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError("landmarks lists a point twice")
    if len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= n_points:
        raise ValueError(f"landmarks must be between 0 and {n_points - 1}")
    return chosen
