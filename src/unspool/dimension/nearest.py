"""Dimension from distances to nearest neighbours.

In d dimensions the number of points within r grows like r^d, so log distances to successive
neighbours grow in steps of 1/d: with T_j the distance to the j-th neighbour, the numbers
j log(T_{j+1} / T_j) are independent and exponential with mean 1/d, as long as the density is even
around a point. Levina & Bickel (2004) average them over neighbours, and, as MacKay & Ghahramani
(2005) showed to be right, over points before the inverse is taken. Facco et al. (2017) look at the
first two neighbours only, the finest scale there is; Denti et al. (2022) read the same off
neighbours k and 2k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array, Metric
from .distinct_points import DistinctPoints, find_distinct_points
from .estimate import OVERLAP, Estimate, Reading, choose_scale, doubling_scales

CENSORED = 0.1  # share of the largest ratios that only count as "at least": near-copies make them
NONSENSE = 1e3  # dimensions beyond come from equal distances, not from data
POOLED = 20  # neighbours whose ratios are averaged for the estimate at one point


def levina_bickel(
    X: Any,
    n_neighbors: int | None = None,
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Return the maximum likelihood dimension from distances to neighbours.

    Noise and regular spacing disturb the nearest neighbours most; by default the estimate uses
    neighbours k/2 to k, at the k = 10, 20, 40, ... that the data call for.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    n_neighbors : int or None, default=None
        Use neighbours 1 to this one, as the paper does (Levina and Bickel 2004).
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
    >>> round(dimension.levina_bickel(datasets.swiss_roll(1000).points).value)
    2
    """
    data = find_distinct_points(X, metric, sample, seed)
    if n_neighbors is None:
        return levina_bickel_of(data)
    _check_count(n_neighbors, 3, data.n_points - 1)
    distances = data.neighbors_of(data.chosen, n_neighbors)[1]
    value, error = _likelihood(distances, 1, n_neighbors)
    _check_sense(value, "Levina-Bickel")
    return Estimate(
        method="levina-bickel",
        value=value,
        standard_error=error,
        read_at=f"neighbours 1 to {n_neighbors}",
        exact=data.complete,
        curve=np.array([value]),
        scales=np.array([n_neighbors]),
        per_point=_at_each_point(distances, 1, n_neighbors),
        sample=data.sample,
    )


def levina_bickel_of(data: DistinctPoints) -> Estimate:
    """Return the same for points whose neighbours may have been searched already."""
    distances = data.distances
    scales = doubling_scales(10, distances.shape[1])
    reading = choose_scale(lambda k: _likelihood(distances, k // 2, k), scales, data.ceiling)
    _check_sense(reading.value, "Levina-Bickel")
    last = scales[reading.index]
    wide = min(2 * last, distances.shape[1])
    return _estimate(
        "levina-bickel",
        reading,
        scales,
        f"neighbours {last // 2} to {last}",
        data,
        _at_each_point(distances, last // 2, wide),
    )


def two_nearest(
    X: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Estimate:
    """Return the dimension from the two nearest neighbours, or from neighbours k and 2k.

    The ratio of the two distances has the distribution function 1 - ratio^-d whatever the density
    (Facco et al. 2017). k = 1, 2, 4, ... as far as the data call for it: with noise, or evenly
    spaced points, the first two neighbours tell about those.

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
    >>> round(dimension.two_nearest(datasets.swiss_roll(1000).points).value)
    2
    """
    return two_nearest_of(find_distinct_points(X, metric, sample, seed))


def two_nearest_of(data: DistinctPoints) -> Estimate:
    """Return the same for points whose neighbours may have been searched already."""
    neighbors, distances = data.near
    scales = doubling_scales(1, distances.shape[1] // 2)
    reading = choose_scale(lambda k: _ratio(distances, k), scales, data.ceiling, near_copies=True)
    _check_sense(reading.value, "two-nearest-neighbour")
    k = scales[reading.index]
    per_point = np.zeros(0)
    if data.complete:
        logs = np.log(distances[:, 2 * k - 1] / distances[:, k - 1])
        around = np.column_stack([logs, logs[neighbors[:, :POOLED]]]).mean(axis=1)
        per_point = _growth(k) / np.maximum(around, _growth(k) / NONSENSE)
    where = "the two nearest" if k == 1 else f"neighbours {k} and {2 * k}"
    return _estimate("two-nearest", reading, scales, where, data, per_point)


def _estimate(
    method: str,
    reading: Reading,
    scales: list[int],
    read_at: str,
    data: DistinctPoints,
    per_point: Array,
) -> Estimate:
    return Estimate(
        method=method,
        value=reading.value,
        standard_error=reading.error,
        read_at=read_at,
        exact=data.complete,
        curve=reading.values,
        scales=np.array(scales[: len(reading.values)]),
        per_point=per_point,
        sample=data.sample if len(per_point) else np.zeros(0, dtype=np.intp),
    )


def _steps(distances: Array, first: int, last: int) -> Array:
    """Return j log(T_{j+1} / T_j) for j = first .. last - 1 of each point."""
    logs = np.log(distances[:, first - 1 : last])
    return np.asarray(np.arange(first, last) * np.diff(logs, axis=1))


def _likelihood(distances: Array, first: int, last: int) -> tuple[float, float]:
    """Return Levina and Bickel's estimate from neighbours first .. last, and its error."""
    inverse = _steps(distances, first, last).mean(axis=1)
    mean = max(float(inverse.mean()), 1e-6)
    error = OVERLAP * inverse.std() / mean**2 / np.sqrt(len(inverse))
    return 1.0 / mean, float(error)


def _at_each_point(distances: Array, first: int, last: int) -> Array:
    """Return the unbiased estimate at each point, (m - 1) / sum of its m steps."""
    steps = _steps(distances, first, last)
    count = steps.shape[1]
    return np.asarray((count - 1) / np.maximum(steps.sum(axis=1), count / NONSENSE))


def _ratio(distances: Array, k: int) -> tuple[float, float]:
    """Return the dimension from the ratios of distances to neighbours 2k and k, and its error.

    For k = 1 the logarithm is exponential and the largest tenth is censored, the maximum
    likelihood answer to near-copies; for others its mean is digamma(2k) - digamma(k) over d.
    """
    logs = np.log(distances[:, 2 * k - 1] / distances[:, k - 1])
    if k == 1:
        logs = np.sort(logs)
        kept = max(2, int(np.ceil((1.0 - CENSORED) * len(logs))))
        total = logs[:kept].sum() + (len(logs) - kept) * logs[kept - 1]
        value = (kept - 1) / max(float(total), 1e-6)
        return value, OVERLAP * value / np.sqrt(kept)
    mean = max(float(logs.mean()), 1e-6)
    value = _growth(k) / mean
    error = OVERLAP * value / mean * logs.std() / np.sqrt(len(logs))
    return value, float(error)


def _growth(k: int) -> float:
    """Return the mean of d log(T_2k / T_k): 1/k + ... + 1/(2k - 1)."""
    return float((1.0 / np.arange(k, 2 * k)).sum())


def _check_count(count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        raise ValueError(f"n_neighbors must be between {least} and {most} here; got {count}")


def _check_sense(value: float, method: str) -> None:
    if value > NONSENSE:
        raise ValueError(
            f"the {method} estimate needs neighbours at different distances, and here they are "
            "equally far at every scale (points on a grid?); use method='local-pca'"
        )
