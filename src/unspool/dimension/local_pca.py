"""Dimension by principal components of neighbourhoods.

Fukunaga & Olsen (1971): as many directions as have at least a tenth of the variance of the first.
A neighbourhood must have a few points per direction to show them all, and be small enough to be
flat, so its size is found in two steps: at least 3 neighbours for every direction counted, and
from there as ``choose_scale`` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array
from .distinct_points import DistinctPoints, find_distinct_points
from .estimate import Estimate, choose_scale, doubling_scales

SHARE = 0.1  # of the variance of the first direction
NEIGHBORHOODS = 500  # neighbourhoods decomposed
POINTS_PER_DIRECTION = 3
CHUNK_BYTES = 32 * 2**20


def local_pca(X: Any, *, sample: int | None = None, seed: int = 0) -> Estimate:
    """Return the mean number of directions in which neighbourhoods extend (of 500 points).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
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
    >>> round(dimension.local_pca(datasets.swiss_roll(1000).points).value)
    2
    """
    return local_pca_of(find_distinct_points(X, "euclidean", sample, seed))


def local_pca_of(data: DistinctPoints) -> Estimate:
    """Return the same for points whose neighbours may have been searched already."""
    if data.metric != "euclidean":
        raise ValueError("local PCA needs points and Euclidean distances")
    rows = np.arange(len(data.chosen))
    if len(rows) > NEIGHBORHOODS:
        rows = np.sort(np.random.default_rng(data.seed).choice(rows, NEIGHBORHOODS, replace=False))
    scales = doubling_scales(10, data.distances.shape[1])
    found: dict[int, Array] = {}

    def read(count: int) -> tuple[float, float]:
        if count not in found:
            found[count] = _directions(data, rows, count)
        independent = max(1.0, min(len(rows), data.n_points / count))
        return float(found[count].mean()), float(found[count].std() / np.sqrt(independent))

    first = 0
    while first + 1 < len(scales) and POINTS_PER_DIRECTION * read(scales[first])[0] > scales[first]:
        first += 1
    scales = scales[first:]
    reading = choose_scale(read, scales, data.ceiling)
    count = scales[reading.index]
    return Estimate(
        method="local-pca",
        value=reading.value,
        standard_error=reading.error,
        read_at=f"{count} neighbours",
        exact=len(rows) == data.n_points,
        curve=reading.values,
        scales=np.array(scales[: len(reading.values)]),
        per_point=found[count],
        sample=data.sample[rows],
    )


def _directions(data: DistinctPoints, rows: Array, count: int) -> Array:
    """Return the number of directions of each neighbourhood of ``count`` points and its centre."""
    members = np.column_stack([data.chosen[rows], data.near[0][rows, :count]])
    answer = np.empty(len(rows))
    step = max(1, CHUNK_BYTES // (8 * members.shape[1] * data.given.shape[1]))
    with stage("local PCA", total=len(rows)) as running:
        for first in range(0, len(rows), step):
            points = data.given[members[first : first + step]]
            centred = points - points.mean(axis=1, keepdims=True)
            turned = centred.transpose(0, 2, 1)
            tall = centred.shape[1] > centred.shape[2]
            variances = np.linalg.eigvalsh(turned @ centred if tall else centred @ turned)
            answer[first : first + step] = (variances > SHARE * variances[:, -1:]).sum(axis=1)
            running.advance(len(points))
    return answer
