"""Non-metric scaling: only the order of the dissimilarities counts (Kruskal 1964).

The disparities are the monotone sequence nearest to the distances on the map, by pooling adjacent
violators. The order of the pairs never changes, so it is sorted out once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from ..optimize import Objective
from ..runtime import run_kernel, run_strips
from ..values import Array
from .raw_stress import CHUNKS, Fit, KnownPairs, Pairs, ShepardDiagram, chunks_per_call

Ties = Literal["primary", "secondary"]


@dataclass(frozen=True, slots=True)
class OrdinalStress:
    """Stress against the best monotone disparities, at the size of the data.

    total * sum w (d - disparity)^2 / sum w d^2: Kruskal's stress-1, squared, times a constant. Its
    gradient is that of stress with the disparities held fixed, because they are optimal.

    Of equal dissimilarities, the ``primary`` treatment lets the disparities follow the distances;
    the ``secondary`` makes them equal.
    """

    pairs: Pairs  # in increasing order of dissimilarity
    groups: Array  # where each run of equal dissimilarities starts, and the end
    runs: TiedRuns
    ties: Ties
    total: float
    curvature: Array
    space: PoolingSpace

    @classmethod
    def of(cls, pairs: Pairs, ties: Ties) -> OrdinalStress:
        """Return the stress of the order of these pairs."""
        pairs = pairs.take(parallel_argsort(pairs.dissimilarities))
        values = pairs.dissimilarities
        changes = np.flatnonzero(values[1:] > values[:-1]) + 1
        groups = np.concatenate([[0], changes, [len(values)]])
        total = pairs.weighted_sum(values, values)
        space = PoolingSpace.of(len(values), values.dtype)
        runs = TiedRuns.of(groups, values.dtype)
        return cls(pairs, groups, runs, ties, total, pairs.curvature(), space)

    def loss_and_gradient(self, configuration: Array) -> tuple[float, Array]:
        """Return the stress and its gradient."""
        distances = self.pairs.distances(configuration, self.space.distances)
        disparities = self.monotone_disparities(distances)
        size, miss = self.pairs.misfit(distances, disparities)
        if size == 0.0:
            return self.total, np.zeros(configuration.shape)
        share = miss / size
        gradient = self.pairs.gradient(configuration, distances, disparities, share)
        return self.total * share, gradient * (self.total / size)

    def rough(self, n_coordinates: int) -> Objective | None:
        """Return None: the order of the distances is that of all their digits."""
        return None

    def monotone_disparities(self, distances: Array) -> Array:
        """Return the monotone sequence nearest to the distances of the pairs.

        It stands in the workspace, and is gone with the next one.
        """
        weights = self.pairs.weights if len(self.pairs.weights) else None
        if len(self.groups) == len(distances) + 1:
            return monotone_regression(distances, weights, self.space)
        return self._secondary(distances) if self.ties == "secondary" else self._primary(distances)

    def rescale(self, configuration: Array) -> Array:
        """Return the configuration as large as the data: sum w d^2 = sum w delta^2."""
        distances = self.pairs.distances(configuration)
        squares = self.pairs.weighted_sum(distances, distances)
        return configuration * (np.sqrt(self.total / squares) if squares > 0.0 else 1.0)

    def normalize(self, configuration: Array) -> Array:
        """Return the configuration as large as the data: its stress does not depend on scale."""
        return self.rescale(configuration)

    def fit(self, configuration: Array) -> Fit:
        """Return how well a configuration, as large as the data, fits its disparities."""
        distances = self.pairs.distances(self.rescale(configuration))
        return self.pairs.fit(distances, self.monotone_disparities(distances))

    def disparities(self, configuration: Array, scale: float) -> OrdinalDisparities:
        """Return the pairs in their order with their disparities, multiplied by ``scale``."""
        values = self.monotone_disparities(self.pairs.distances(configuration))
        dissimilarities = self.pairs.dissimilarities * np.float64(scale)
        pairs = replace(self.pairs, dissimilarities=dissimilarities)
        return OrdinalDisparities(pairs, values * np.float64(scale))

    def _primary(self, distances: Array) -> Array:
        """Return the disparities where those of a run follow its distances.

        For the fit the distances of each run are put in order, and back afterwards.
        """
        self.runs.sort(distances)
        weights = self.runs.sorted(self.pairs.weights) if len(self.pairs.weights) else None
        fitted = monotone_regression(distances, weights, self.space)
        self.runs.restore(distances, fitted)
        return fitted

    def _secondary(self, distances: Array) -> Array:
        sizes = np.diff(self.groups)
        masses = self._group_sums(self.pairs.weights) if len(self.pairs.weights) else sizes
        weighted = distances * self.pairs.weights if len(self.pairs.weights) else distances
        means = self._group_sums(weighted) / masses
        fitted = monotone_regression(means, masses.astype(means.dtype))
        return np.repeat(fitted, sizes).astype(distances.dtype)

    def _group_sums(self, values: Array) -> Array:
        return np.add.reduceat(values, self.groups[:-1], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class OrdinalDisparities:
    """The pairs in increasing order of dissimilarity, and the disparity of each."""

    pairs: Pairs
    values: Array

    def table(self, known: Callable[[], KnownPairs]) -> Array:
        """Return the disparities as a table, NaN for pairs not known."""
        return self.pairs.table(self.values)

    def shepard(self, known: Callable[[], KnownPairs], configuration: Array) -> ShepardDiagram:
        """Return the known pairs with their distances and disparities."""
        distances = self.pairs.distances(configuration)
        return ShepardDiagram(self.pairs.dissimilarities, distances, self.values)

    def of_rows(self, rows: Array) -> Array:
        """Return the disparities of query points; NaN stays NaN."""
        return MonotoneCurve.of(self.pairs.dissimilarities, self.values)(rows)


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


@dataclass(frozen=True, slots=True)
class TiedRuns:
    """Runs of several equal dissimilarities, and room to put the distances of each in order.

    The pairs of run r are ``places[offsets[r]:offsets[r + 1]]``, which follow each other.
    """

    offsets: Array
    places: Array
    order: Array  # of places: which pair stands there while the distances are sorted
    distances: Array  # of the pairs of all runs, as they were
    spare: Array

    @classmethod
    def of(cls, groups: Array, dtype: Any) -> TiedRuns:
        """Return those of ``groups`` that have several members."""
        sizes = np.diff(groups)
        offsets = np.concatenate([[0], np.cumsum(sizes[sizes > 1])])
        places = np.flatnonzero(np.repeat(sizes > 1, sizes))
        values = np.empty(len(places), dtype), np.empty(len(places), dtype)
        return cls(offsets, places, np.empty_like(places), *values)

    def sort(self, distances: Array) -> None:
        """Put the distances of each run in increasing order, in place."""
        from .stress_kernels import sort_runs

        self._run(sort_runs, (self.order, self.distances, distances))

    def restore(self, distances: Array, fitted: Array) -> None:
        """Give back their order to the distances, and the same to what was fitted to them."""
        from .stress_kernels import restore_runs

        self._run(restore_runs, (self.order, self.distances, self.spare, distances, fitted))

    def sorted(self, weights: Array) -> Array:
        """Return the weights in the order of the distances."""
        answer = np.array(weights)
        answer[self.places] = weights[self.order]
        return answer

    def _run(self, kernel: Callable[..., None], arrays: tuple[Array, ...]) -> None:
        n_runs = len(self.offsets) - 1
        step = max(1, n_runs * chunks_per_call(len(self.places)) // CHUNKS)
        run_kernel(kernel, (self.offsets, self.places, *arrays), n_runs, step)


class PoolingSpace(NamedTuple):
    """What pooling works in, for all steps of a descent: new memory costs it a third of its time.

    ``sums``, ``masses`` and ``starts`` are those of blocks, ``fitted`` what they make of distances.
    """

    sums: Array
    masses: Array
    starts: Array
    fitted: Array
    distances: Array

    @classmethod
    def of(cls, n: int, dtype: Any) -> PoolingSpace:
        """Return room for ``n`` values."""
        values = np.empty(n, dtype), np.empty(n, dtype)
        return cls(np.empty(n), np.empty(n), np.empty(n + 1, np.int64), *values)


def monotone_regression(
    values: Array, weights: Array | None = None, space: PoolingSpace | None = None
) -> Array:
    """Return the non-decreasing sequence nearest to ``values`` in (weighted) least squares.

    Chunks are pooled on their own and their blocks then pooled again, in order: the nearest
    monotone sequence is unique, so the way there does not matter (Best and Chakravarti 1990).
    """
    from .stress_kernels import join_chunks, pool_chunks, spread_means

    space = space or PoolingSpace.of(len(values), values.dtype)
    weighting, blocks = np.empty(0) if weights is None else weights, space[:3]
    counts, step = np.empty(CHUNKS, np.int64), chunks_per_call(len(values))
    run_kernel(pool_chunks, (values, weighting, *blocks, counts), CHUNKS, step)
    n_blocks = join_chunks(*blocks, counts)
    step = max(1, n_blocks * step // CHUNKS)
    run_kernel(spread_means, (*blocks, space.fitted), n_blocks, step)
    return space.fitted


def parallel_argsort(values: Array) -> Array:
    """Return the order that sorts the values: two halves at a time, then merged."""
    from .stress_kernels import merge_sorted

    order, answer = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    split = max(1, (len(values) + 1) // 2)

    def sort_half(half: slice) -> None:
        order[half] = np.argsort(values[half]) + half.start

    run_strips(sort_half, len(values), split)
    merge_sorted(values, split, order, answer)
    return answer
