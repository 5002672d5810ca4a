"""Ranks: the how-manieth neighbour each point is to another, in the data and on the map.

All rank scores are counts over the co-ranking matrix: how many pairs are the k-th neighbour in the
data and the l-th on the map (Lee & Verleysen 2009). Equal distances are ranked by index, so that
the answer does not depend on how they were sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any

import numpy as np

from ..distances import build_index
from ..runtime import claim, limit_blas_threads, reuse, run_strips, stage
from ..values import Array, Metric
from .distance_rows import DistanceRows, kept_distances, rows_of_both
from .score import STRIP, Chosen, choose, work_on_strips

UNIT = 2.0**-24  # rounding of single precision
TINY = 2.0**-100  # what underflow may take from sums of numbers of at most 1


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
    rank = partial(_ranked, table.__getitem__, chosen.points, data.n_points)
    return reuse("ranks", (table, chosen.points), None, rank)


def _ranks_of(table: DistanceRows, rows: Array) -> Array:
    return _ranked(lambda strip: table.distances(rows[strip]), rows, table.n_points)


def _ranked(distances: Callable[[slice], Array], rows: Array, width: int) -> Array:
    """Return the ranks of all points in rows whose distances are made strip by strip."""
    from .ranks_kernels import rank_rows

    answer = np.empty((len(rows), width), dtype=np.int32)

    def work(strip: slice) -> None:
        rank_rows(distances(strip), rows[strip], answer[strip])

    with limit_blas_threads():
        run_strips(work, len(rows), STRIP)
    return answer


def ranks(distances: Array, own: Array) -> Array:
    """Return the rank of every column in each row of distances; a point itself has rank 0.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n_columns)
        Distances.
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
    from .ranks_kernels import rank_rows

    answer = np.empty(distances.shape, dtype=np.int32)
    rank_rows(distances, own, answer)
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
        """Return the sketch of points; None if they are one place."""
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
    others = found.neighbors != rows[found.rows]
    row = found.rows[others]
    have = np.bincount(row, minlength=len(rows))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(have) - have, have)
    kept = rank <= k
    lengths = found.distances[others][kept].reshape(-1, k + 1)
    if (lengths[:, k] == lengths[:, k - 1]).any():
        return None
    return np.asarray(found.neighbors[others][kept].reshape(-1, k + 1)[:, :k])
