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
from ..scale.sources import is_lazy
from ..values import Array, Metric
from .distance_rows import (
    check_neighbors,
    check_same_points,
    checked,
    checked_table,
    measured,
    points_of,
    rows_of_both,
)
from .ranks import add_tallies, rank_blocks, ranks_beyond
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
    data = measured(data, chosen)
    tallies = np.empty((4, len(chosen.points)))
    counts, squares = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for part, before, after in rank_blocks(data, places, chosen):
        add_tallies(before, after, k, _area_weights(n), (tallies[:, part], counts, squares))
    worst = _worst(n, k)
    return Neighborhoods(
        trustworthiness=mean_score("trustworthiness", 1.0 - tallies[0] / worst, chosen),
        continuity=mean_score("continuity", 1.0 - tallies[1] / worst, chosen),
        kept=mean_score("neighbours kept", tallies[2] / k, chosen),
        curve=_curve(counts[1 : n - 1], squares[1 : n - 1], chosen),
        area=mean_score("area under R_NX", tallies[3] - _area_of_chance(n), chosen),
    )


def trustworthiness(
    X: Any,
    Y: Any,
    n_neighbors: int = 10,
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Score:
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
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points that are scored against all; None is all up to 5,000 points.
    seed : int, default=0
        Seed of the sample.

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
    if _is_countable(X, metric):
        points, places = checked(X, "X"), checked(Y, "Y")
        score = _counted("trustworthiness", points, places, n_neighbors, (sample, seed))
        if score is not None:
            return score
    return neighborhoods(X, Y, n_neighbors, metric=metric, sample=sample, seed=seed).trustworthiness


def continuity(
    X: Any,
    Y: Any,
    n_neighbors: int = 10,
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Score:
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
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points that are scored against all; None is all up to 5,000 points.
    seed : int, default=0
        Seed of the sample.

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
    if _is_countable(X, metric):
        points, places = checked(X, "X"), checked(Y, "Y")
        score = _counted("continuity", places, points, n_neighbors, (sample, seed))
        if score is not None:
            return score
    return neighborhoods(X, Y, n_neighbors, metric=metric, sample=sample, seed=seed).continuity


def r_nx(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Curve:
    """Return the curve R_NX(K), K = 1 .. n - 2.

    R_NX(K) says how much better than chance the map keeps K nearest neighbours (Lee et al. 2015).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points that are scored against all; None is all up to 5,000 points.
    seed : int, default=0
        Seed of the sample.

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
    return neighborhoods(X, Y, 1, metric=metric, sample=sample, seed=seed).curve


def r_nx_area(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Score:
    """Return the area under R_NX over log K: 1 for a perfect map, 0 for a random one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points that are scored against all; None is all up to 5,000 points.
    seed : int, default=0
        Seed of the sample.

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
    return neighborhoods(X, Y, 1, metric=metric, sample=sample, seed=seed).area


def _is_countable(X: Any, metric: Metric) -> bool:
    """Tell whether ranks of neighbours alone can be counted, and are worth what it loads."""
    if is_lazy(X) or metric not in ("euclidean", "l2"):
        return False
    return bool(np.shape(X)[0] >= COUNTED)


def _counted(
    name: str, far: Array, near: Array, n_neighbors: int, drawn: tuple[int | None, int]
) -> Score | None:
    """Return how far the nearest by ``near`` are so by ``far``, by counting; None where it cannot.

    Only ranks of neighbours are needed, and not all pairs are sorted. The two sides exchanged,
    trustworthiness is continuity.
    """
    check_same_points(len(far), len(near), 3)
    k, n = check_neighbors(n_neighbors, len(far)), len(far)
    chosen = choose(n, *drawn)
    beyond = ranks_beyond(far, near, k, chosen)
    return None if beyond is None else mean_score(name, 1.0 - beyond / _worst(n, k), chosen)


def _worst(n: int, k: int) -> float:
    """Return the worst case: the k nearest are the k farthest, or all who are no neighbours."""
    worst = k * (2 * n - 3 * k - 1) / 2 if 2 * k < n else (n - k) * (n - k - 1) / 2
    return max(worst, 1.0)


def _above_chance(n: int) -> tuple[Array, Array]:
    """Return a and b of R_NX(K) = a c - b, K = 1 .. n - 2, with c of the K nearest kept.

    R_NX(K) = ((n - 1) c / K - K) / (n - 1 - K) (Lee et al. 2015).
    """
    size = np.arange(1, n - 1)
    return (n - 1) / (size * (n - 1.0 - size)), size / (n - 1.0 - size)


def _log_weights(n: int) -> Array:
    """Return the weights of K = 1 .. n - 2, which sum to one: those of an integral over log K."""
    inverse = 1.0 / np.arange(1, n - 1)
    return np.asarray(inverse / inverse.sum())


def _area_weights(n: int) -> Array:
    """Return what a point kept among K nearest, K = 0 .. n - 1, adds to the area under R_NX."""
    return np.concatenate([[0.0], _log_weights(n) * _above_chance(n)[0], [0.0]])


def _area_of_chance(n: int) -> float:
    return float(_log_weights(n) @ _above_chance(n)[1])


def _curve(counts: Array, squares: Array, chosen: Chosen) -> Curve:
    """Return R_NX with its standard errors from the sums of c and c^2 over the chosen points."""
    count = len(chosen.points)
    slope, chance = _above_chance(chosen.n_points)
    mean = counts / count
    variance = slope**2 * np.maximum(squares / count - mean**2, 0.0)
    return Curve(
        name="R_NX",
        at=np.arange(1, len(counts) + 1),
        values=slope * mean - chance,
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
        data = points_of(X, "X")
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
