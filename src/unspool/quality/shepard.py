"""The Shepard diagram: distances on the map against distances in the data, pair by pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array, Metric
from .score import Score, choose
from .tables import check_same_points, checked, checked_table, side

DRAWN = 500  # points whose pairs are shown by default: 124,750 dots
GROUPS = 20  # left out in turn for the standard error


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Shepard(Score):
    """Pairs of points with their distance in the data and on the map.

    The value is the rank correlation of the two (Spearman), 1 for a map that keeps the order of
    all distances; of each point it is the same over its own pairs.
    """

    first: Array
    second: Array
    given: Array
    mapped: Array

    def monotone(self) -> Array:
        """Return for each pair the best increasing function of the given distance (isotonic)."""
        from sklearn.isotonic import IsotonicRegression

        return np.asarray(IsotonicRegression().fit_transform(self.given, self.mapped))


def shepard(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Shepard:
    """Return the data of a Shepard diagram: all pairs among ``sample`` points (default 500)."""
    data = checked_table(X, "X") if metric == "precomputed" else checked(X, "X")
    places = checked(Y, "Y")
    check_same_points(len(data), len(places), 3)
    chosen = choose(len(data), min(DRAWN, len(data)) if sample is None else sample, seed)
    points = chosen.points
    table = data[np.ix_(points, points)] if metric == "precomputed" else data[points]
    everyone = np.arange(len(points))
    given = side(table, metric).distances(everyone)
    mapped = side(places[points]).distances(everyone)
    i, j = np.triu_indices(len(points), 1)
    value = _rank_correlation(given[i, j], mapped[i, j])
    return Shepard(
        name="Shepard correlation",
        value=value,
        per_point=_by_row(given, mapped),
        sample=points,
        n_points=len(data),
        exact=chosen.exact,
        standard_error=0.0 if chosen.exact else _error(given, mapped) * chosen.correction,
        first=points[i],
        second=points[j],
        given=given[i, j],
        mapped=mapped[i, j],
    )


def _by_row(given: Array, mapped: Array) -> Array:
    others = ~np.eye(len(given), dtype=bool)
    shape = len(given), len(given) - 1
    return _rank_correlations(given[others].reshape(shape), mapped[others].reshape(shape))


def _rank_correlation(given: Array, mapped: Array) -> float:
    return float(_rank_correlations(given[None], mapped[None])[0])


def _rank_correlations(given: Array, mapped: Array) -> Array:
    """Return Spearman's correlation of each row; 0 where a side does not vary."""
    from scipy.stats import rankdata

    u, v = (rankdata(side, axis=1) - (given.shape[1] + 1) / 2 for side in (given, mapped))
    common, uu, vv = (np.einsum("ij,ij->i", a, b) for a, b in ((u, v), (u, u), (v, v)))
    spread = np.sqrt(uu * vv)
    return np.asarray(np.divide(common, spread, out=np.zeros_like(common), where=spread > 0))


def _error(given: Array, mapped: Array) -> float:
    """Return the standard error from leaving out one group of points after the other."""
    group = np.arange(len(given)) % GROUPS
    values = []
    for left_out in range(GROUPS):
        kept = np.flatnonzero(group != left_out)
        i, j = np.triu_indices(len(kept), 1)
        pairs = kept[i], kept[j]
        values.append(_rank_correlation(given[pairs], mapped[pairs]))
    return float(np.sqrt((GROUPS - 1) * np.var(values)))
