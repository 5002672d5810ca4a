"""Dimension as points see it around them: distances to neighbours, pairs within r, local PCA.

In d dimensions the number of points within r grows like r^d, so log distances to successive
neighbours grow in steps of 1/d: with T_j the distance to the j-th neighbour, the numbers
j log(T_{j+1} / T_j) are independent and exponential with mean 1/d, as long as the density is even
around a point. Levina & Bickel (2004) average them over neighbours, and, as MacKay & Ghahramani
(2005) showed to be right, over points before the inverse is taken. Facco et al. (2017) look at the
first two neighbours only, the finest scale there is; Denti et al. (2022) read the same off
neighbours k and 2k.

Correlation dimension, Grassberger & Procaccia (1983): C(r), the share of pairs closer than r, grows
like r^d. The slope is read over octaves of r, from the radius within which a point has one other on
average up to where C reaches a quarter, at the scale that ``choose_scale`` finds.

Local PCA, Fukunaga & Olsen (1971): as many directions as have at least a tenth of the variance of
the first. A neighbourhood must have a few points per direction to show them all, and be small
enough to be flat, so its size is found in two steps: at least 3 neighbours for every direction
counted, and from there as ``choose_scale`` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array, Metric
from .estimate import (
    OVERLAP,
    DistinctPoints,
    Estimate,
    Reading,
    choose_scale,
    doubling_scales,
    find_distinct_points,
)

CENSORED = 0.1  # share of the largest ratios that only count as "at least": near-copies make them
NONSENSE = 1e3  # dimensions beyond come from equal distances, not from data
POOLED = 20  # neighbours whose ratios are averaged for the estimate at one point
PAIRS = 10_000_000  # distances looked at, in a space of few columns
CHUNK_BYTES = 32 * 2**20
LOCAL = 8  # neighbours within the radius at which a single point has an estimate, at least
SHARE = 0.1  # of the variance of the first direction
NEIGHBORHOODS = 500  # neighbourhoods decomposed
POINTS_PER_DIRECTION = 3


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
    sample = data.sample if len(per_point) else np.zeros(0, dtype=np.intp)
    return reading.estimate(
        method, read_at, scales, per_point=per_point, sample=sample, exact=data.complete
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
    return reading.estimate(
        "correlation",
        f"radius {data.unit * radii[best]:.3g} to {data.unit * radii[best + 2]:.3g}",
        data.unit * radii[usable],
        per_point=_local_slopes(counts, best),
        sample=data.original[points],
        exact=len(points) == data.n_points,
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
    return reading.estimate(
        "local-pca",
        f"{count} neighbours",
        scales,
        per_point=found[count],
        sample=data.sample[rows],
        exact=len(rows) == data.n_points,
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
