"""How the items compare maps: with other maps, with a truth, and with labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import distances, quality


def off_by_signs(found: Any, expected: Any) -> float:
    """Return the largest difference of two maps, once every axis is turned to where it fits."""
    signs = np.sign((found * expected).sum(axis=0))
    return float(np.abs(found * signs - expected).max() / np.abs(expected).max())


def gap(found: Any, expected: Any) -> float:
    """Return the largest difference of two tables, as a share of the largest expected entry."""
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def absolute_gap(found: Any, expected: Any) -> float:
    """Return the largest difference of two tables."""
    return float(np.abs(np.asarray(found) - expected).max())


def unit(columns: Any) -> Any:
    """Return the columns, each scaled to length one."""
    return columns / np.linalg.norm(columns, axis=0)


def worst_fit(places: Any, truth: Any) -> float:
    """Return R^2 of the true coordinate that an affine function of the map explains least."""
    return float(quality.explained_by(places, truth).min())


def share_of_own(places: Any, labels: Any, label: Any = None, count: int = 5) -> float:
    """Return how many of the nearest on a map have a point's own label, for one label or all."""
    near = distances.neighbor_graph(places, count)
    same = labels[near.rows] == labels[near.neighbors]
    return float(np.mean(same if label is None else same[labels[near.rows] == label]))
