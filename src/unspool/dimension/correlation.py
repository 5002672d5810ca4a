"""Correlation dimension: how fast the number of pairs within r grows with r.

Grassberger & Procaccia (1983): C(r), the share of pairs closer than r, grows like r^d. The slope
is read over octaves of r, from the radius within which a point has one other on average up to
where C reaches a quarter, at the scale that ``choose_scale`` finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array, Metric
from .distinct_points import DistinctPoints, find_distinct_points
from .estimate import OVERLAP, Estimate, choose_scale

PAIRS = 10_000_000  # distances looked at, in a space of few columns
CHUNK_BYTES = 32 * 2**20
LOCAL = 8  # neighbours within the radius at which a single point has an estimate, at least


def correlation_dimension(
    X: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Estimate:
    """Return the growth of log C(r) over log r at the scale that the data call for.

    C(r) is the share of pairs that are closer than r (Grassberger and Procaccia 1983).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import datasets, dimension
    >>> round(dimension.correlation_dimension(datasets.circle(500).points).value)
    1
    """
    return correlation_of(find_distinct_points(X, metric, sample, seed))


def correlation_of(data: DistinctPoints) -> Estimate:
    """Return the same for points whose neighbours may have been searched already."""
    points = _counted_points(data)
    radii = _radii(data)
    counts = _counts(data, points, radii)
    # half-octave steps, slopes over whole octaves
    usable = [i for i in range(len(radii) - 2) if counts[:, i + 2].mean() <= data.n_points / 4]
    usable = usable or [0]
    reading = choose_scale(lambda i: _slope(counts[:, i], counts[:, i + 2]), usable, data.ceiling)
    if reading.value <= 0.0:
        raise ValueError("no pair is closer than others at any scale, so there is no slope to read")
    best = usable[reading.index]
    return Estimate(
        method="correlation",
        value=reading.value,
        standard_error=reading.error,
        read_at=f"radius {data.unit * radii[best]:.3g} to {data.unit * radii[best + 2]:.3g}",
        exact=len(points) == data.n_points,
        curve=reading.values,
        scales=data.unit * radii[usable][: len(reading.values)],
        per_point=_local_slopes(counts, best),
        sample=data.original[points],
    )


def _counted_points(data: DistinctPoints) -> Array:
    """Return the points whose distances to all others are counted."""
    price = max(1.0, data.n_columns / 100)
    affordable = max(200, int(PAIRS / (price * data.n_points)))
    if affordable >= len(data.chosen):
        return data.chosen
    chosen = np.random.default_rng(data.seed).choice(data.chosen, affordable, replace=False)
    return np.sort(chosen)


def _radii(data: DistinctPoints) -> Array:
    """Return radii in half octaves, from one neighbour on average to the farthest pair."""
    distances = data.distances
    first = np.partition(distances, len(distances) - 1, axis=None)[len(distances) - 1]
    farthest = 2 * float(data.between(data.chosen[:1]).max())  # by the triangle inequality
    steps = max(4, int(np.ceil(2 * np.log2(farthest / first))) + 1)
    return np.asarray(first * 2.0 ** (np.arange(steps) / 2))


def _counts(data: DistinctPoints, points: Array, radii: Array) -> Array:
    """Return how many others each point has within each radius."""
    counts = np.empty((len(points), len(radii)))
    step = max(1, CHUNK_BYTES // (8 * data.n_points))
    with stage("pairs", total=len(points)) as running:
        for first in range(0, len(points), step):
            part = slice(first, first + step)
            table = data.between(points[part])
            for place, radius in enumerate(radii):
                counts[part, place] = (table <= radius).sum(axis=1) - 1  # all but itself
            running.advance(len(table))
    return counts


def _slope(near: Array, far: Array) -> tuple[float, float]:
    """Return the slope over an octave, and its error."""
    inner, outer = max(near.mean(), 1e-12), max(far.mean(), 1e-12)
    scatter = (far / outer - near / inner).std() / np.log(2.0)
    return float(np.log2(outer / inner)), float(OVERLAP * scatter / np.sqrt(len(near)))


def _local_slopes(counts: Array, best: int) -> Array:
    """Return the slope around each point, from the radius at which it has enough neighbours."""
    enough = (counts < LOCAL).sum(axis=1)
    inner = np.clip(enough, best, counts.shape[1] - 3)
    rows = np.arange(len(counts))
    near, far = counts[rows, inner], counts[rows, inner + 2]
    return np.asarray(np.log2(np.maximum(far, 1.0) / np.maximum(near, 1.0)))
