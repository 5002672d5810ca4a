"""Which points stand for all: landmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array


def choose_maxmin(
    distances_from: Callable[[int], Array],
    n_points: int,
    count: int,
    *,
    at_least: int = 1,
    seed: int = 0,
) -> Array:
    """Return ``count`` landmarks, each the point farthest from all chosen before (de Silva 2004).

    ``distances_from(i)`` gives the distances of all points to point i. The first is drawn at
    random. When all that are left coincide with landmarks the choice ends early, but not before
    there are ``at_least`` landmarks.
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
    """Return ``count`` different points drawn at random."""
    return np.random.default_rng(seed).permutation(n_points)[:count]


def check_landmarks(landmarks: Any, n_points: int) -> Array:
    """Return landmarks that the user named by index, checked."""
    chosen = np.asarray(landmarks)
    if chosen.ndim != 1 or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError(f"landmarks must be a list of indices; got {landmarks!r}")
    if len(np.unique(chosen)) != len(chosen):
        raise ValueError("landmarks names a point twice")
    if len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= n_points:
        raise ValueError(f"landmarks must be between 0 and {n_points - 1}")
    return chosen
