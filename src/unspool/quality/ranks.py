"""Ranks: the how-manieth neighbour each point is to another, in the data and on the map.

All rank scores are counts over the co-ranking matrix: how many pairs are the k-th neighbour in the
data and the l-th on the map (Lee & Verleysen 2009). Equal distances are ranked by index, so that
the answer does not depend on how they were sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..distances import build_index
from ..runtime import claim, limit_blas_threads, reuse, run_strips, stage
from ..values import Array, Metric
from .distance_rows import DistanceRows, rows_of_both
from .score import Chosen, choose

STRIP = 256  # rows of products that a thread holds: 5 MB of 5,000 points
UNIT = 2.0**-24  # rounding of single precision


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

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n_columns)
        Distances; they are overwritten.
    own : ndarray of shape (n_rows,)
        The column of each row's own point.

    Returns
    -------
    ndarray of shape (n_rows, n_columns)
        The ranks.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.quality.ranks import ranks
    >>> ranks(np.array([[0.0, 3.0, 1.0]]), np.array([0])).tolist()
    [[0, 2, 1]]
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


def ranks_beyond(points: Array, places: Array, k: int, chosen: Chosen) -> Array | None:
    """Return the sum of rank - k over the k nearest on the map that rank beyond k in the data.

    None where equal distances on the map leave open who the k nearest are.
    """
    from .ranks_kernels import count_beyond

    near = _nearest(places, k, chosen.points)
    centred = points - points.mean(axis=0)
    norms = np.einsum("ij,ij->i", centred, centred)
    if near is None or not norms.max() > 0.0:
        return None
    scale = 2.0 ** -np.ceil(0.5 * np.log2(norms.max()))  # a power of two: ties stay ties
    exact, sketch = points * scale, np.asarray(centred * scale, dtype=np.float32)
    lengths = np.asarray(norms * scale**2, dtype=np.float32)
    # inner products of points within the unit ball, their norms, the limits; and the centring
    slack = UNIT * (2.0 * (points.shape[1] + 4) + 16.0) + 2.0**-48 * float(np.abs(exact).max())
    answer = np.empty(len(chosen.points))

    def count(part: slice) -> None:
        rows = chosen.points[part]
        products = sketch[rows] @ sketch.T
        count_beyond(products, rows, near[part], exact, lengths, slack, answer[part])

    with stage("intruders", total=len(chosen.points)), limit_blas_threads():
        run_strips(count, len(chosen.points), STRIP)
    return answer


def _nearest(places: Array, k: int, rows: Array) -> Array | None:
    """Return the k nearest others on the map; None if a tie leaves them open."""
    if k + 2 > len(places):
        return None
    found = build_index(places, "euclidean").nearest(places[rows], k + 2)
    others = found.neighbors != rows[found.rows]
    row = found.rows[others]
    have = np.bincount(row, minlength=len(rows))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(have) - have, have)
    kept = rank <= k
    lengths = found.distances[others][kept].reshape(-1, k + 1)
    if (lengths[:, k] == lengths[:, k - 1]).any():
        return None
    return np.asarray(found.neighbors[others][kept].reshape(-1, k + 1)[:, :k])
