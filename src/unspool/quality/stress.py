"""How well the distances on a map are those in the data: stress, and the Shepard diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..progress import stage
from ..values import Array, Metric
from .score import Chosen, Score, choose, jackknife
from .tables import Side, check_finite, two_sides


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stress(Score):
    """Normalised stress; ``raw`` is the sum of squares over the pairs i < j behind it, and
    ``scale`` the factor on the map's distances.
    """

    raw: float
    scale: float


def stress(
    X: Any,
    Y: Any,
    *,
    metric: Metric = "euclidean",
    scaling: bool = True,
    sample: int | None = None,
    seed: int = 0,
) -> Stress:
    """Return the normalised stress sqrt(sum (delta - s d)^2 / sum delta^2) of a map.

    delta are the distances in the data (or given, with metric="precomputed") and d those on the
    map. s is the scale that fits best, because many methods fix their own; with ``scaling=False``
    it is 1 and ``raw`` the raw stress of S0 4.30, over each pair once. Of each point it is the
    same over the pairs that the point is part of.
    """
    data, places = two_sides(X, Y, metric, at_least=2)
    chosen = choose(data.n_points, sample, seed)
    pilot = _pilot_scale(data, places, chosen) if scaling else 1.0
    sums = _row_sums(data, places, chosen, pilot)
    total = sums.sum(axis=0)
    if total[0] == 0.0:
        raise ValueError("all distances in the data are 0: the points are one place")
    step = _step(total, scaling)
    given, near, cross, missed = sums.T
    per_point = np.maximum(missed - 2.0 * step * cross + step**2 * near, 0.0)
    per_point = np.divide(per_point, given, out=np.zeros_like(given), where=given > 0)
    value = float(_normalised(total[None], scaling)[0])
    return Stress(
        name="stress",
        value=value,
        per_point=np.sqrt(per_point),
        sample=chosen.points,
        n_points=data.n_points,
        exact=chosen.exact,
        standard_error=float(jackknife(sums, lambda s: _normalised(s, scaling), chosen)),
        raw=float(value**2 * total[0] / 2.0 * data.n_points / len(chosen.points)),
        scale=float(pilot + step),
    )


def _pilot_scale(data: Side, places: Side, chosen: Chosen) -> float:
    """Return the best scale for a few rows: with it the sums below hardly cancel."""
    rows = chosen.points[:16]
    given, found = data.distances(rows), places.distances(rows)
    check_finite(given, rows)
    spread = np.square(found).sum()
    return float((given * found).sum() / spread) if spread > 0 else 1.0


def _row_sums(data: Side, places: Side, chosen: Chosen, pilot: float) -> Array:
    """Return for each chosen point the sums of delta^2, d^2, e d and e^2, e = delta - pilot d."""
    sums = np.empty((len(chosen.points), 4))
    with stage("stress", total=len(chosen.points)) as running:
        for part in chosen.blocks(data.n_points):
            rows = chosen.points[part]
            given, found = data.distances(rows), places.distances(rows)
            check_finite(given, rows)
            missed = given - pilot * found
            pairs = ((given, given), (found, found), (missed, found), (missed, missed))
            sums[part] = np.column_stack([np.einsum("ij,ij->i", a, b) for a, b in pairs])
            running.advance(len(rows))
    return sums


def _step(total: Array, scaling: bool) -> float:
    """Return what the best scale has beyond the pilot."""
    return float(total[2] / total[1]) if scaling and total[1] > 0 else 0.0


def _normalised(sums: Array, scaling: bool) -> Array:
    given, near, cross, missed = sums.T
    if scaling:
        missed = missed - np.divide(cross**2, near, out=np.zeros_like(near), where=near > 0)
    return np.asarray(np.sqrt(np.maximum(missed, 0.0) / given))
