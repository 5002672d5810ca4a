"""Which neighbourhoods a map keeps: trustworthiness, continuity, and the curve R_NX over all sizes.

Trustworthiness falls when strangers are mapped near a point, continuity when neighbours are torn
away (Venna & Kaski 2001), each weighed by how far they had to come or went. R_NX(K) is the share
of K neighbours kept, 0 for a random map and 1 for a perfect one (Lee & Verleysen 2009); the area
under it over log K sums up all sizes of neighbourhoods, small ones counting most (Lee et al. 2013).
All of them come out of one pass over the ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array, Metric
from .ranks import above_chance, rank_blocks
from .score import Chosen, Curve, Score, choose, mean_score
from .tables import check_neighbors, two_sides


@dataclass(frozen=True, slots=True, eq=False)
class Neighborhoods:
    """All that the ranks of neighbours tell about a map."""

    trustworthiness: Score
    continuity: Score
    kept: Score
    curve: Curve
    area: Score

    def __str__(self) -> str:
        """Return one line a score."""
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
    data, places = two_sides(X, Y, metric)
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
