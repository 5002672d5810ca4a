"""Which neighbours a map keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import check_metric, searcher
from ..values import Array, Metric
from .score import Score, choose, mean_score
from .tables import check_neighbors, check_same_points, checked, checked_table

# prices of a pair in a neighbour search, in units of a pair of distances that are ranked
SEARCHED = {"tree": 5e-4, "product": 0.02}


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
    the data (by default the same number). Times ``n_neighbors`` it is the score of S3 Exercise
    15.6: score_10 is ``10 * neighbors_kept(X, Y, 10).value`` and score_50, which compares 10
    neighbours on the map with 50 in the data, ``10 * neighbors_kept(X, Y, 10, among=50).value``.

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
    in_tree = metric != "precomputed" and data.shape[1] <= 10
    chosen = choose(n, sample, seed, SEARCHED["tree" if in_tree else "product"])
    before = _neighbors(data, metric, chosen.points, wanted)
    after = _neighbors(places, "euclidean", chosen.points, k)
    kept = np.isin(after, before).reshape(-1, k).mean(axis=1)
    return mean_score("neighbours kept", kept, chosen)


def _neighbors(points: Any, metric: Metric, rows: Array, count: int) -> Array:
    """Return the ``count`` neighbours of each row as one number a pair, row after row."""
    n = points.shape[0]
    found = searcher(points, metric).nearest(points[rows], min(count + 1, n))
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
