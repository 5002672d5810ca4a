"""Which neighbourhoods a map keeps: trustworthiness, continuity, and the curve R_NX over all sizes.

Trustworthiness falls when strangers are mapped near a point, continuity when neighbours are torn
away (Venna & Kaski 2001), each weighed by how far they had to come or went. R_NX(K) is the share
of K neighbours kept, 0 for a random map and 1 for a perfect one (Lee & Verleysen 2009); the area
under it over log K sums up all sizes of neighbourhoods, small ones counting most (Lee et al. 2013).
All of them come out of one pass over the ranks; ``neighbors_kept`` alone searches neighbours
instead, which many points can afford.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import TREE_DIMENSIONS, build_index, check_metric
from ..values import Array, Metric
from .distance_rows import (
    check_neighbors,
    check_same_points,
    checked,
    checked_table,
    rows_of_both,
)
from .ranks import above_chance, rank_blocks, ranks_beyond
from .score import Chosen, Curve, Score, choose, mean_score

COUNTED = 1_000  # points from which on counting is worth loading what is compiled
# prices of a pair in a neighbour search, in units of a pair of distances that are ranked
SEARCHED = {"tree": 5e-4, "product": 0.02}


@dataclass(frozen=True, slots=True, eq=False)
class Neighborhoods:
    """All that the ranks of neighbours tell about a map."""

    trustworthiness: Score
    continuity: Score
    kept: Score
    curve: Curve
    area: Score

    def __str__(self) -> str:
        """Return one line per score."""
        scores = (self.trustworthiness, self.continuity, self.kept, self.area)
        return "\n".join(str(score) for score in scores)


def neighborhoods(
    X: Any,
    Y: Any,
    n_neighbors: int = 10,
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Neighborhoods:
    """Return every rank score of a map ``Y`` of ``X``, in one pass.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int, default=10
        Number of neighbours of each point.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points that are scored against all; None is all up to 5,000 points.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Neighborhoods
        Trustworthiness, continuity, and the curve R_NX with its area.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> found = quality.neighborhoods(roll.points, roll.coordinates)
    >>> round(found.trustworthiness.value, 1)
    1.0
    """
    data, places = rows_of_both(X, Y, metric)
    n = data.n_points
    k = check_neighbors(n_neighbors, n)
    chosen = choose(n, sample, seed)
    found = np.empty((4, len(chosen.points)))
    total, total_squares = np.zeros(n - 2), np.zeros(n - 2)
    for part, before, after in rank_blocks(data, places, chosen):
        gained = above_chance(_share_kept(before, after), n)
        total += gained.sum(axis=0)
        total_squares += np.square(gained).sum(axis=0)
        found[0, part] = 1.0 - _intrusion(before, after, k)
        found[1, part] = 1.0 - _intrusion(after, before, k)
        found[2, part] = (((before <= k) & (after <= k)).sum(axis=1) - 1) / k
        found[3, part] = gained @ _log_weights(n)
    names = ("trustworthiness", "continuity", "neighbours kept", "area under R_NX")
    trusted, continued, kept, area = (
        mean_score(name, row, chosen) for name, row in zip(names, found, strict=True)
    )
    return Neighborhoods(trusted, continued, kept, _curve(total, total_squares, chosen), area)


def trustworthiness(X: Any, Y: Any, n_neighbors: int = 10, **options: Any) -> Score:
    """Return how far the neighbours on the map can be trusted to be neighbours in the data.

    It is 1 if all ``n_neighbors`` of each point are (Venna and Kaski 2001).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int, default=10
        Number of neighbours of each point.
    **options
        Further options of ``neighborhoods``: ``metric``, ``sample`` and ``seed``.

    Returns
    -------
    Score
        The trustworthiness, of the map and of every point.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> round(quality.trustworthiness(roll.points, roll.coordinates).value, 1)
    1.0
    """
    score = _counted_trust(X, Y, n_neighbors, **options)
    return neighborhoods(X, Y, n_neighbors, **options).trustworthiness if score is None else score


def _counted_trust(
    X: Any,
    Y: Any,
    n_neighbors: int,
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Score | None:
    """Return the trustworthiness by counting, without ranking all pairs; None where it cannot."""
    if metric not in ("euclidean", "l2") or np.shape(X)[0] < COUNTED:
        return None
    points, places = checked(X, "X"), checked(Y, "Y")
    check_same_points(len(points), len(places), 3)
    k, n = check_neighbors(n_neighbors, len(points)), len(points)
    chosen = choose(n, sample, seed)
    beyond = ranks_beyond(points, places, k, chosen)
    if beyond is None:
        return None
    return mean_score("trustworthiness", 1.0 - beyond / _worst(n, k), chosen)


def continuity(X: Any, Y: Any, n_neighbors: int = 10, **options: Any) -> Score:
    """Return how far neighbours in the data stay neighbours on the map: 1 if none is torn away.

    It is the trustworthiness with the two sides exchanged.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int, default=10
        Number of neighbours of each point.
    **options
        Further options of ``neighborhoods``: ``metric``, ``sample`` and ``seed``.

    Returns
    -------
    Score
        The continuity, of the map and of every point.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> round(quality.continuity(roll.points, roll.coordinates).value, 1)
    1.0
    """
    return neighborhoods(X, Y, n_neighbors, **options).continuity


def r_nx(X: Any, Y: Any, **options: Any) -> Curve:
    """Return the curve R_NX(K), K = 1 .. n - 2.

    R_NX(K) says how much better than chance the map keeps K nearest neighbours (Lee et al. 2015).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    **options
        Further options of ``neighborhoods``: ``metric``, ``sample`` and ``seed``.

    Returns
    -------
    Curve
        The values by K.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(100)
    >>> len(quality.r_nx(roll.points, roll.coordinates).values)
    98
    """
    return neighborhoods(X, Y, 1, **options).curve


def r_nx_area(X: Any, Y: Any, **options: Any) -> Score:
    """Return the area under R_NX over log K: 1 for a perfect map, 0 for a random one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    **options
        Further options of ``neighborhoods``: ``metric``, ``sample`` and ``seed``.

    Returns
    -------
    Score
        The area.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(100)
    >>> round(quality.r_nx_area(roll.points, roll.points).value, 6)
    1.0
    """
    return neighborhoods(X, Y, 1, **options).area


def _intrusion(far: Array, near: Array, k: int) -> Array:
    """Return how far the k nearest by ``near`` lie beyond rank k by ``far``; 1 is the worst."""
    n = far.shape[1]
    beyond = np.where(near <= k, np.maximum(far - k, 0), 0).sum(axis=1)
    return np.asarray(beyond / _worst(n, k))


def _worst(n: int, k: int) -> float:
    """Return the worst case: the k nearest are the k farthest, or all who are no neighbours."""
    worst = k * (2 * n - 3 * k - 1) / 2 if 2 * k < n else (n - k) * (n - k - 1) / 2
    return max(worst, 1.0)


def _share_kept(before: Array, after: Array) -> Array:
    """Return for each row the share of the K nearest that are kept, K = 1 .. n - 1.

    A point is among both K nearest as soon as K reaches the larger of its two ranks.
    """
    n_rows, n = before.shape
    cells = np.maximum(before, after) + np.arange(n_rows)[:, None] * n
    reached = np.bincount(cells.ravel(), minlength=n_rows * n).reshape(n_rows, n)
    return np.asarray(reached[:, 1:].cumsum(axis=1) / np.arange(1, n))


def _log_weights(n: int) -> Array:
    inverse = 1.0 / np.arange(1, n - 1)
    return np.asarray(inverse / inverse.sum())


def _curve(total: Array, total_squares: Array, chosen: Chosen) -> Curve:
    count = len(chosen.points)
    mean = total / count
    variance = np.maximum(total_squares / count - mean**2, 0.0)
    return Curve(
        name="R_NX",
        at=np.arange(1, len(total) + 1),
        values=mean,
        standard_errors=np.sqrt(variance / max(count - 1, 1)) * chosen.correction,
        sample=chosen.points,
        n_points=chosen.n_points,
        exact=chosen.exact,
    )


def neighbors_kept(
    X: Any,
    Y: Any,
    n_neighbors: int = 10,
    *,
    among: int | None = None,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Score:
    """Return the mean share of neighbours on the map that are neighbours in the data too.

    Times ``n_neighbors`` it is the score of Mohri et al. 2012, exercise 15.6: score_10 is
    ``10 * neighbors_kept(X, Y, 10).value`` and score_50, which compares 10 neighbours on the map
    with 50 in the data, ``10 * neighbors_kept(X, Y, 10, among=50).value``.

    It searches neighbours instead of ranking all pairs, so it stays exact up to 35,000 points,
    200,000 in a space of few columns.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them, dense
        or a sparse graph that holds enough of them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int, default=10
        Number of neighbours of each point.
    among : int or None, default=None
        A neighbour counts as kept if it is among so many nearest in the data; None stands for
        ``n_neighbors``.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Score
        The share, of the map and of every point.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> quality.neighbors_kept(roll.points, roll.points).value
    1.0
    """
    check_metric(metric)
    if metric == "precomputed":
        data = X.tocsr() if hasattr(X, "tocsr") else checked_table(X, "X")
    else:
        data = checked(X, "X")
    places = checked(Y, "Y")
    n = data.shape[0]
    check_same_points(n, len(places), 2)
    k = check_neighbors(n_neighbors, n)
    wanted = k if among is None else check_neighbors(among, n, "among")
    in_tree = metric != "precomputed" and data.shape[1] <= TREE_DIMENSIONS
    chosen = choose(n, sample, seed, SEARCHED["tree" if in_tree else "product"])
    before = _neighbors(data, metric, chosen.points, wanted)
    after = _neighbors(places, "euclidean", chosen.points, k)
    kept = np.isin(after, before).reshape(-1, k).mean(axis=1)
    return mean_score("neighbours kept", kept, chosen)


def _neighbors(points: Any, metric: Metric, rows: Array, count: int) -> Array:
    """Return the ``count`` neighbours of each row as one number per pair, row after row."""
    n = points.shape[0]
    found = build_index(points, metric).nearest(points[rows], min(count + 1, n))
    others = found.neighbors != rows[found.rows]
    row, neighbor = found.rows[others], found.neighbors[others]
    have = np.bincount(row, minlength=len(rows))
    if have.min() < count:
        raise ValueError(
            f"point {rows[have.argmin()]} has {have.min()} stored distances, and {count} "
            "neighbours were asked for; store more, or pass dense distances"
        )
    rank = np.arange(len(row)) - np.repeat(np.cumsum(have) - have, have)
    return np.asarray((row.astype(np.int64) * n + neighbor)[rank < count])
