"""Which neighbourhoods a map keeps: trustworthiness, continuity, and the curve R_NX over all sizes.

All of them count ranks: the how-manieth neighbour each point is to another, in the data and on the
map. Their joint counts are the co-ranking matrix: how many pairs are the k-th neighbour in the data
and the l-th on the map (Lee & Verleysen 2009). Equal distances are ranked by index, so that the
answer does not depend on how they were sorted.

Trustworthiness falls when strangers are mapped near a point, continuity when neighbours are torn
away (Venna & Kaski 2001), each weighed by how far they had to come or went. R_NX(K) is the share
of K neighbours kept, 0 for a random map and 1 for a perfect one (Lee & Verleysen 2009); the area
under it over log K sums up all sizes of neighbourhoods, small ones counting most (Lee et al. 2013).
All of them come out of one pass over the ranks; ``neighbors_kept`` alone searches neighbours
instead, which many points can afford.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..distances import TREE_DIMENSIONS, build_index, check_metric
from ..runtime import claim, reuse, stage
from ..values import Array, Metric
from .distance_rows import (
    DistanceRows,
    check_neighbors,
    check_same_points,
    checked,
    checked_table,
    rows_of_both,
)
from .score import Chosen, Curve, Score, choose, mean_score

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
        kept = np.diag(self.counts.cumsum(axis=0).cumsum(axis=1))
        return np.asarray(kept / (len(self.sample) * np.arange(1, self.n_points)))

    @property
    def r_nx(self) -> Array:
        """The same, rescaled so that a random map has 0: for K = 1 .. n - 2."""
        return above_chance(self.q_nx, self.n_points)


def co_ranking(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> CoRanking:
    """Return the co-ranking matrix of a map ``Y`` of ``X`` (points, or precomputed distances)."""
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
    with stage("ranks", total=len(chosen.points)) as running:
        for part in chosen.blocks(data.n_points):
            rows = chosen.points[part]
            # of the data they are the same for every map, and where maps are compared kept
            before = reuse("ranks", (*data.arrays, rows), data.setting, partial(_ranks, data, rows))
            yield part, before, _ranks(places, rows)
            running.advance(len(rows))


def _ranks(table: DistanceRows, rows: Array) -> Array:
    return ranks(table.distances(rows), rows)


def ranks(distances: Array, own: Array) -> Array:
    """Return the rank of every column in each row of distances; a point itself has rank 0.

    ``own`` is the column of each row's own point. The distances are overwritten.
    """
    distances[np.arange(len(own)), own] = -1.0  # before its duplicates
    order = np.argsort(distances, axis=1)
    ordered = np.take_along_axis(distances, order, axis=1)
    # numpy's vectorised sort is three times as fast as its stable one, and ties are rare
    tied = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    order[tied] = np.argsort(distances[tied], axis=1, kind="stable")
    answer = np.empty(distances.shape, dtype=np.int32)
    np.put_along_axis(answer, order, np.arange(distances.shape[1], dtype=np.int32)[None], axis=1)
    return answer


def above_chance(q_nx: Array, n_points: int) -> Array:
    """Return R_NX(K) = ((n - 1) Q_NX(K) - K) / (n - 1 - K) for K = 1 .. n - 2."""
    counted = np.arange(1, n_points - 1)
    kept = np.asarray(q_nx)[..., :-1]
    return np.asarray(((n_points - 1) * kept - counted) / (n_points - 1 - counted))


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

    ``X`` are points, or distances (for example geodesic ones) with metric="precomputed". Exact up
    to 5,000 points; beyond, ``sample`` points are scored against all.
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

    1 if all ``n_neighbors`` of each point are; the options are those of ``neighborhoods``.
    """
    return neighborhoods(X, Y, n_neighbors, **options).trustworthiness


def continuity(X: Any, Y: Any, n_neighbors: int = 10, **options: Any) -> Score:
    """Return how far neighbours in the data stay neighbours on the map: 1 if none is torn away.

    It is the trustworthiness with the two sides exchanged; options as for ``neighborhoods``.
    """
    return neighborhoods(X, Y, n_neighbors, **options).continuity


def r_nx(X: Any, Y: Any, **options: Any) -> Curve:
    """Return the curve R_NX(K), K = 1 .. n - 2; options as for ``neighborhoods``."""
    return neighborhoods(X, Y, 1, **options).curve


def r_nx_area(X: Any, Y: Any, **options: Any) -> Score:
    """Return the area under R_NX over log K: 1 for a perfect map, 0 for a random one."""
    return neighborhoods(X, Y, 1, **options).area


def _intrusion(far: Array, near: Array, k: int) -> Array:
    """Return how far the k nearest by ``near`` lie beyond rank k by ``far``; 1 is the worst."""
    n = far.shape[1]
    # the worst case: the k nearest are the k farthest, or all who are not neighbours if fewer
    worst = k * (2 * n - 3 * k - 1) / 2 if 2 * k < n else (n - k) * (n - k - 1) / 2
    beyond = np.where(near <= k, np.maximum(far - k, 0), 0).sum(axis=1)
    return np.asarray(beyond / max(worst, 1.0))


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

    The ``n_neighbors`` nearest on the map count as kept if they are among the ``among`` nearest in
    the data (by default the same number). Times ``n_neighbors`` it is the score of Mohri et al.
    2012, exercise 15.6: score_10 is ``10 * neighbors_kept(X, Y, 10).value`` and score_50, which
    compares 10 neighbours on the map with 50 in the data, ``10 * neighbors_kept(X, Y, 10,
    among=50).value``.

    It searches neighbours instead of ranking all pairs, so it stays exact up to 35,000 points,
    200,000 in a space of few columns. ``metric="precomputed"`` takes distances, dense or a sparse
    graph that holds enough of them.
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
