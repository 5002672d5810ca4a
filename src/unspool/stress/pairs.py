"""Stress over a list of pairs: for tables that are mostly unknown, and for orders of pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..runtime import NUMBA_LOCK
from ..values import Array
from .isotonic import taken

PAIRS_A_POINT = 8  # below, clearing another slope (n x d) costs a thread more than its pairs
MAX_CHUNKS = 16


@dataclass(frozen=True, slots=True)
class Fit:
    """How a configuration fits: half of the stress of each point's pairs, and sum w d^2."""

    of_points: Array
    size: float


@dataclass(frozen=True, slots=True)
class Pairs:
    """Known pairs, each once: points ``first[p]`` and ``second[p]``, so dissimilar, so weighty.

    ``weights`` is empty where all weigh the same. Points are numbered by uint32: an index that
    cannot be negative is looked up a third faster.
    """

    first: Array
    second: Array
    dissimilarities: Array
    weights: Array
    n_points: int

    @classmethod
    def of_table(cls, table: Array, weights: Array) -> Pairs:
        """Return the known pairs of a symmetric table, row by row; ``weights`` may be empty."""
        known = ~np.isnan(table)
        known &= np.arange(len(table))[:, None] < np.arange(len(table))
        first, second = (ends.astype(np.uint32) for ends in np.nonzero(known))
        chosen = weights[known] if weights.size else np.empty(0, table.dtype)
        return cls(first, second, table[known], chosen, len(table))

    def take(self, order: Array) -> Pairs:
        """Return the pairs in another order."""
        weights = taken(self.weights, order) if len(self.weights) else self.weights
        ends = taken(self.first, order), taken(self.second, order)
        return Pairs(*ends, taken(self.dissimilarities, order), weights, self.n_points)

    def distances(self, places: Array) -> Array:
        """Return the distances of the pairs on a map."""
        from .stress_kernels import pair_distances

        answer = np.empty(len(self.first), self.dissimilarities.dtype)
        with NUMBA_LOCK:
            pair_distances(self.first, self.second, self._columns(places), answer)
        return answer

    def slope(self, places: Array, distances: Array, wanted: Array, shrink: float = 0.0) -> Array:
        """Return the gradient of sum w ((1 - shrink) d^2 - 2 d wanted); d are the distances."""
        from .stress_kernels import pair_slope

        # a number that the machine has no say in, so that every machine adds in the same order
        chunks = min(MAX_CHUNKS, max(1, len(self.first) // (PAIRS_A_POINT * self.n_points)))
        slopes = np.empty((chunks, *places.shape[::-1]))
        ends, columns = (self.first, self.second), self._columns(places)
        with NUMBA_LOCK:
            pair_slope(*ends, distances, wanted, self.weights, columns, shrink, slopes)
        return np.asarray(2.0 * slopes.sum(axis=0).T)

    def misfit(self, distances: Array, wanted: Array) -> tuple[float, float]:
        """Return sum w d^2 and sum w (d - wanted)^2."""
        from .stress_kernels import misfit

        sums = np.empty((MAX_CHUNKS, 2))
        with NUMBA_LOCK:
            misfit(distances, wanted, self.weights, sums)
        size, miss = sums.sum(axis=0)  # not in the kernel, where threads would share it out
        return float(size), float(miss)

    def summed(self, a: Array, b: Array) -> float:
        """Return sum w a b."""
        if len(self.weights):
            a = a * self.weights
        if a.dtype == np.float64:
            return float(np.einsum("i,i->", a, b))
        return float((a * b).sum(dtype=np.float64))

    def of_points(self, shares: Array) -> Array:
        """Return for each point the sum of w times the shares of its pairs."""
        values = shares * self.weights if len(self.weights) else shares
        firsts = np.bincount(self.first, values, self.n_points)
        return np.asarray(firsts + np.bincount(self.second, values, self.n_points))

    def fit(self, distances: Array, wanted: Array) -> Fit:
        """Return how well distances fit what was wanted, point by point."""
        costs = np.square(distances - wanted, dtype=np.float64)
        return Fit(0.5 * self.of_points(costs), self.summed(distances, distances))

    def stiffness(self) -> Array:
        """Return the weights of each point's pairs, summed, times n / (n - 1)."""
        return self.of_points(np.ones(len(self.first))) * (self.n_points / (self.n_points - 1))

    def table(self, values: Array) -> Array:
        """Return the symmetric table that holds one value a pair; NaN elsewhere, 0 on top."""
        answer = np.full((self.n_points, self.n_points), np.nan)
        answer[self.first, self.second] = answer[self.second, self.first] = values
        np.fill_diagonal(answer, 0.0)
        return answer

    def _columns(self, places: Array) -> Array:
        return np.ascontiguousarray(places.T, dtype=self.dissimilarities.dtype)


@dataclass(frozen=True, slots=True)
class PairStress:
    """The stress of known pairs (an ``Objective``)."""

    pairs: Pairs
    total: float
    stiffness: Array

    @classmethod
    def of(cls, pairs: Pairs) -> PairStress:
        """Return the stress of these pairs."""
        total = pairs.summed(pairs.dissimilarities, pairs.dissimilarities)
        return cls(pairs, total, pairs.stiffness())

    def slope(self, places: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        distances, wanted = self.pairs.distances(places), self.pairs.dissimilarities
        return self.pairs.misfit(distances, wanted)[1], self.pairs.slope(places, distances, wanted)

    def scaled(self, places: Array) -> Array:
        """Return the configuration at the scale that fits best: sum w d delta / sum w d^2."""
        distances = self.pairs.distances(places)
        size = self.pairs.summed(distances, distances)
        fit = self.pairs.summed(distances, self.pairs.dissimilarities)
        return places * (fit / size if size > 0.0 else 1.0)

    def fit(self, places: Array) -> Fit:
        """Return how well a configuration fits, point by point."""
        distances = self.pairs.distances(places)
        return self.pairs.fit(distances, self.pairs.dissimilarities)
