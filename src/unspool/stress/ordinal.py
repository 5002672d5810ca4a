"""Non-metric scaling: only the order of the dissimilarities counts (Kruskal 1964).

The disparities are the monotone sequence nearest to the distances on the map. The order of the
pairs never changes, so it is sorted out once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..values import Array
from .isotonic import monotone, order_within, sorted_order
from .pairs import Fit, Pairs

Ties = Literal["primary", "secondary"]


@dataclass(frozen=True, slots=True)
class OrdinalStress:
    """Stress against the best monotone disparities, at the size of the data (an ``Objective``).

    total * sum w (d - disparity)^2 / sum w d^2: Kruskal's stress-1, squared, times a constant. Its
    gradient is that of stress with the disparities held fixed, because they are optimal.

    Of equal dissimilarities, the ``primary`` treatment lets the disparities follow the distances;
    the ``secondary`` makes them equal.
    """

    pairs: Pairs  # in increasing order of dissimilarity
    groups: Array  # where each run of equal dissimilarities starts, and the end
    ties: Ties
    total: float
    stiffness: Array

    @classmethod
    def of(cls, pairs: Pairs, ties: Ties) -> OrdinalStress:
        """Return the stress of the order of these pairs."""
        pairs = pairs.take(sorted_order(pairs.dissimilarities))
        values = pairs.dissimilarities
        changes = np.flatnonzero(values[1:] > values[:-1]) + 1
        groups = np.concatenate([[0], changes, [len(values)]])
        return cls(pairs, groups, ties, pairs.summed(values, values), pairs.stiffness())

    def slope(self, places: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        distances = self.pairs.distances(places)
        disparities = self.disparities(distances)
        size, miss = self.pairs.misfit(distances, disparities)
        if size == 0.0:
            return self.total, np.zeros(places.shape)
        share = miss / size
        gradient = self.pairs.slope(places, distances, disparities, share)
        return self.total * share, gradient * (self.total / size)

    def disparities(self, distances: Array) -> Array:
        """Return the monotone sequence nearest to the distances of the pairs."""
        weights = self.pairs.weights if len(self.pairs.weights) else None
        if len(self.groups) == len(distances) + 1:
            return monotone(distances, weights)
        return self._secondary(distances) if self.ties == "secondary" else self._primary(distances)

    def scaled(self, places: Array) -> Array:
        """Return the configuration as large as the data: sum w d^2 = sum w delta^2."""
        distances = self.pairs.distances(places)
        size = self.pairs.summed(distances, distances)
        return places * (np.sqrt(self.total / size) if size > 0.0 else 1.0)

    def fit(self, places: Array) -> Fit:
        """Return how well a configuration, as large as the data, fits its disparities."""
        distances = self.pairs.distances(self.scaled(places))
        return self.pairs.fit(distances, self.disparities(distances))

    def _primary(self, distances: Array) -> Array:
        order = order_within(self.groups, distances)
        weights = self.pairs.weights[order] if len(self.pairs.weights) else None
        fitted = np.empty_like(distances)
        fitted[order] = monotone(distances[order], weights)
        return fitted

    def _secondary(self, distances: Array) -> Array:
        sizes = np.diff(self.groups)
        masses = self._group_sums(self.pairs.weights) if len(self.pairs.weights) else sizes
        weighted = distances * self.pairs.weights if len(self.pairs.weights) else distances
        means = self._group_sums(weighted) / masses
        return np.repeat(monotone(means, masses.astype(means.dtype)), sizes).astype(distances.dtype)

    def _group_sums(self, values: Array) -> Array:
        return np.add.reduceat(values, self.groups[:-1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class MonotoneCurve:
    """Disparity as a function of dissimilarity: linear between knots, in proportion beyond."""

    dissimilarities: Array
    disparities: Array

    @classmethod
    def of(cls, dissimilarities: Array, disparities: Array) -> MonotoneCurve:
        """Return the curve through increasing dissimilarities; of ties it takes the mean."""
        starts = np.flatnonzero(np.diff(dissimilarities, prepend=-1.0))
        knots = dissimilarities[starts]
        heights = np.add.reduceat(disparities, starts) / np.diff([*starts, len(disparities)])
        level = np.diff(heights) == 0.0
        inner = np.concatenate([[False], level[1:] & level[:-1], [False]])[: len(knots)]
        zero = [0.0] if knots[0] > 0.0 else []
        return cls(np.concatenate([zero, knots[~inner]]), np.concatenate([zero, heights[~inner]]))

    def __call__(self, values: Array) -> Array:
        """Return the disparities of these dissimilarities; NaN stays NaN."""
        last, top = self.dissimilarities[-1], self.disparities[-1]
        inside = np.interp(values, self.dissimilarities, self.disparities)
        beyond = values > last
        return np.where(beyond, top * (values / last if last > 0.0 else 1.0), inside)
