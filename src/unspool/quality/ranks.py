"""Which neighbourhoods a map keeps, by the ranks of neighbours in the data and on the map.

All rank scores are counts over the co-ranking matrix: how many pairs are the k-th neighbour in the
data and the l-th on the map (Lee & Verleysen 2009). Equal distances are ranked by index.

Trustworthiness falls when strangers are mapped near a point, continuity when neighbours are torn
away (Venna & Kaski 2001), each weighed by how far they had to come or went. R_NX(K) is the share
of K neighbours kept, 0 for a random map and 1 for a perfect one; the area under it over log K sums
up all sizes of neighbourhoods, small ones counting most (Lee et al. 2013). All of them come out of
one pass over the ranks; ``neighbors_kept`` alone searches neighbours instead, which many points can
afford.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..distances import TREE_DIMENSIONS, build_index, check_metric
from ..runtime import claim, limit_blas_threads, reuse, run_strips, stage
from ..scale.sources import is_lazy
from ..values import Array, Metric, NeighborGraph
from .distance_rows import (
    DistanceRows,
    check_neighbors,
    check_same_points,
    checked,
    checked_table,
    kept_distances,
    measured,
    points_of,
    rows_of_both,
)
from .score import STRIP, Chosen, Curve, Score, choose, mean_score, work_on_strips

UNIT = 2.0**-24  # rounding of single precision
TINY = 2.0**-100  # what underflow may take from sums of numbers of at most 1
COUNTED = 1_000  # points from which on counting is worth loading what is compiled
# prices of a pair in a neighbour search, in units of a pair of distances that are ranked
SEARCHED = {"tree": 5e-4, "product": 0.02}


@dataclass(frozen=True, slots=True, eq=False)
class CoRanking:
    """``counts[k - 1, l - 1]``: pairs that are k-th neighbours in the data, l-th on the map.

    A perfect map has n on the diagonal; below it stand the intrusions (near on the map, far in the
    data), above it the extrusions. Each scored point adds one count to every row and column.
    """

    counts: Array
    sample: Array
    n_points: int

    @property
    def exact(self) -> bool:
        """Whether every point was counted."""
        return len(self.sample) == self.n_points

    @property
    def q_nx(self) -> Array:
        """Mean share of the K nearest neighbours that are kept, for K = 1 .. n - 1."""
        return np.asarray(self._kept / np.arange(1, self.n_points))

    @property
    def r_nx(self) -> Array:
        """The same, rescaled so that a random map has 0: for K = 1 .. n - 2."""
        slope, chance = _above_chance(self.n_points)
        return np.asarray(slope * self._kept[:-1] - chance)

    @property
    def _kept(self) -> Array:
        """Mean number of the K nearest neighbours that are kept, for K = 1 .. n - 1."""
        return np.diag(self.counts.cumsum(axis=0).cumsum(axis=1)) / len(self.sample)


def co_ranking(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> CoRanking:
    """Return the co-ranking matrix of a map.

    Entry (k, l) counts the pairs whose second point is the k-th neighbour of the first in the data
    and the l-th on the map (Lee and Verleysen 2009).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    CoRanking
        The matrix, and the scores that are read off it.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(100)
    >>> quality.co_ranking(roll.points, roll.coordinates).counts.shape
    (99, 99)
    """
    data, places = rows_of_both(X, Y, metric)
    n = data.n_points
    claim(
        4 * (n - 1) ** 2,
        f"the co-ranking matrix of {n} points",
        "use quality.neighborhoods, which sums it up without storing it",
    )
    chosen = choose(n, sample, seed)
    counts = np.zeros((n - 1) ** 2, dtype=np.int32)
    for part, before, after in rank_blocks(data, places, chosen):
        others = np.arange(n) != chosen.points[part][:, None]
        cells = (before[others].astype(np.int64) - 1) * (n - 1) + after[others] - 1
        np.add.at(counts, cells, 1)
    return CoRanking(counts.reshape(n - 1, n - 1), chosen.points, n)


def rank_blocks(
    data: DistanceRows, places: DistanceRows, chosen: Chosen
) -> Iterator[tuple[slice, Array, Array]]:
    """Yield (slice of the chosen points, their ranks of all points in the data, and on the map)."""
    kept = _kept_ranks(data, chosen)
    with stage("ranks", total=len(chosen.points)) as running:
        for part in chosen.blocks(data.n_points):
            rows = chosen.points[part]
            before = _ranks_of(data, rows) if kept is None else kept[part]
            yield part, before, _ranks_of(places, rows)
            running.advance(len(rows))


def _kept_ranks(data: DistanceRows, chosen: Chosen) -> Array | None:
    """Return the ranks in the data, where several maps share them."""
    table = kept_distances(data, chosen)
    if table is None:
        return None
    rank = partial(ranks, table.__getitem__, chosen.points, data.n_points)
    return reuse("ranks", (table, chosen.points), None, rank)


def _ranks_of(table: DistanceRows, rows: Array) -> Array:
    return ranks(lambda strip: table.distances(rows[strip]), rows, table.n_points)


def ranks(distances: Callable[[slice], Array], rows: Array, width: int) -> Array:
    """Return the ranks of all points in rows whose distances are made strip by strip.

    A point itself, the one that its row is of, has rank 0.
    """
    from .ranks_kernels import rank_rows

    answer = np.empty((len(rows), width), dtype=np.int32)

    def work(strip: slice) -> None:
        rank_rows(distances(strip), rows[strip], answer[strip])

    with limit_blas_threads():
        run_strips(work, len(rows), STRIP)
    return answer


def add_tallies(
    before: Array, after: Array, k: int, weights: Array, sums: tuple[Array, Array, Array]
) -> None:
    """Add what ranks in the data and on the map tell (``tally_ranks``), a strip by each thread.

    ``sums`` are the tallies of each row, and the sums over the rows of c and c^2: whole numbers,
    which are the same in whatever order they are added.
    """
    from .ranks_kernels import tally_ranks

    tallies, counts, squares = sums
    lock = Lock()

    def work(strip: slice) -> None:
        own_counts, own_squares = np.zeros_like(counts), np.zeros_like(squares)
        rows = before[strip], after[strip]
        tally_ranks(*rows, k, weights, tallies[:, strip], own_counts, own_squares)
        with lock:
            np.add(counts, own_counts, out=counts)
            np.add(squares, own_squares, out=squares)

    run_strips(work, len(before), STRIP)


def ranks_beyond(points: Array, places: Array, k: int, chosen: Chosen) -> Array | None:
    """Return the sum of rank - k over the k nearest on the map that rank beyond k in the data.

    None where equal distances on the map leave open who the k nearest are.
    """
    from .ranks_kernels import count_beyond

    near = _nearest(places, k, chosen.points)
    sketch = None if near is None else _Sketch.of(points)
    if near is None or sketch is None:
        return None
    answer = np.empty(len(chosen.points))

    def count(part: slice) -> None:
        rows = chosen.points[part]
        products = sketch.table[rows] @ sketch.table.T
        bounds = sketch.lengths, sketch.scale**2, sketch.share, sketch.slack
        count_beyond(products, rows, near[part], points, bounds, answer[part])

    work_on_strips("intruders", chosen, count)
    return answer


@dataclass(frozen=True, slots=True)
class _Sketch:
    """Points in single precision, centred and scaled into the unit ball, and their squared lengths.

    ``scale`` is a power of two: what is equal stays so. Columns in which the points do not differ
    are left out. Twice the inner product of rows of squared lengths a and b errs by at most
    share (a + b) + slack: d products are off by (d + 2) u |x|'|y| in any order (Higham 2002,
    section 3.1), |x|'|y| is at most (a + b) / 2, and 16 u more cover the lengths, the limits and
    the sums of them; ``slack`` is what centring leaves.
    """

    table: Array
    lengths: Array
    scale: float
    share: float
    slack: float

    @classmethod
    def of(cls, points: Array) -> _Sketch | None:
        """Return the sketch of points; None if all coincide."""
        mean, norms = points.mean(axis=0), np.empty(len(points))
        varying = np.flatnonzero(points.min(axis=0) < points.max(axis=0))
        table = np.empty((len(points), len(varying)), dtype=np.float32)

        def measure(rows: slice) -> None:
            centred = points[rows][:, varying] - mean[varying]
            norms[rows] = np.einsum("ij,ij->i", centred, centred)

        def fill(rows: slice) -> None:
            table[rows] = (points[rows][:, varying] - mean[varying]) * scale

        run_strips(measure, len(points), STRIP)
        farthest = float(norms.max())
        if not farthest > 0.0:
            return None
        scale = float(2.0 ** -np.ceil(0.5 * np.log2(farthest)))
        run_strips(fill, len(points), STRIP)
        share = UNIT * (1.01 * (points.shape[1] + 4) + 16.0)
        slack = 2.0**-48 * scale * max(-float(points.min()), float(points.max())) + TINY
        return cls(table, np.asarray(norms * scale**2, dtype=np.float32), scale, share, slack)


def _nearest(places: Array, k: int, rows: Array) -> Array | None:
    """Return the k nearest others on the map; None if a tie leaves them open."""
    if k + 2 > len(places):
        return None
    found = build_index(places, "euclidean").nearest(places[rows], k + 2)
    edges = _edges_to_others(found, rows, k + 1).reshape(-1, k + 1)
    lengths = found.distances[edges]
    return None if (lengths[:, k] == lengths[:, k - 1]).any() else found.neighbors[edges[:, :k]]


def _edges_to_others(found: NeighborGraph, rows: Array, count: int) -> Array:
    """Return the first ``count`` edges of each point that do not lead to itself, row after row."""
    others = np.flatnonzero(found.neighbors != rows[found.rows])
    have = np.bincount(found.rows[others], minlength=len(rows))
    rank = np.arange(len(others)) - np.repeat(np.cumsum(have) - have, have)
    return np.asarray(others[rank < count])


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
    return _one_sided("trustworthiness", X, Y, n_neighbors, metric, (sample, seed))


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
    return _one_sided("continuity", X, Y, n_neighbors, metric, (sample, seed))


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


def _one_sided(
    name: Literal["trustworthiness", "continuity"],
    X: Any,
    Y: Any,
    n_neighbors: int,
    metric: Metric,
    drawn: tuple[int | None, int],
) -> Score:
    """Return the trustworthiness, or the same with the sides exchanged; counted, if possible."""
    if metric in ("euclidean", "l2") and not is_lazy(X) and np.shape(X)[0] >= COUNTED:
        sides = checked(X, "X"), checked(Y, "Y")
        far, near = sides if name == "trustworthiness" else sides[::-1]
        score = _counted(name, far, near, n_neighbors, drawn)
        if score is not None:
            return score
    found = neighborhoods(X, Y, n_neighbors, metric=metric, sample=drawn[0], seed=drawn[1])
    return found.trustworthiness if name == "trustworthiness" else found.continuity


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
        data = X.tocsr() if sp.issparse(X) else checked_table(X, "X")
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
    edges = _edges_to_others(found, rows, count)
    have = np.bincount(found.rows[edges], minlength=len(rows))
    if have.min() < count:
        raise ValueError(
            f"point {rows[have.argmin()]} has {have.min()} stored distances, and {count} "
            "neighbours were asked for; store more, or pass dense distances"
        )
    return np.asarray(found.rows[edges].astype(np.int64) * n + found.neighbors[edges])
