"""What a map by stress should keep: dissimilarities with gaps, and what each of them weighs.

A table with NaN for the pairs that are not known or, where few are known, a list of pairs. Both
state their stress, and estimate what they do not know well enough to begin a descent with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .. import distances, graph, paths
from ..runtime import claim, stage
from ..values import Array, Metric
from .ordinal import OrdinalStress, Ties
from .raw_stress import Pairs, PairStress, Stress, TableStress
from .tables import (
    FLOOR,
    ROWS,
    check_connected,
    checked_weights,
    dense_with_gaps,
    fill_gaps,
    graph_of_pairs,
    relative_powers,
    symmetric_table,
)

DENSE = 1 / 3  # of all pairs known: above, a table with gaps is faster than a list of pairs
RELAYS = 32  # points over which the length of an unknown pair is estimated
ALL_PATHS = 1000  # points for which all shortest paths through a list of pairs are cheap


@dataclass(frozen=True, slots=True)
class Scale:
    """What dissimilarities and weights were divided by, so that no power of them overflows."""

    length: float = 1.0
    weight: float = 1.0

    @property
    def stress(self) -> float:
        """What a stress is multiplied by to be in the units of the data."""
        return self.weight * self.length**2


class Dissimilarities(Protocol):
    """Dissimilarities of points, as a table or as a list of pairs."""

    @property
    def n_points(self) -> int:
        """Number of points."""

    @property
    def scale(self) -> Scale:
        """The units of the dissimilarities and weights."""

    @property
    def complete(self) -> bool:
        """Whether all pairs are known."""

    @property
    def all_rows_are_cheap(self) -> bool:
        """Whether estimating all unknown pairs costs less than the descent."""

    def pairs(self) -> Pairs:
        """Return the known pairs, each once."""

    def as_table(self) -> Array:
        """Return the dissimilarities as a table, NaN for pairs not known."""

    def rows(self, chosen: Array, seed: int) -> Array:
        """Return the dissimilarities of chosen points to all, unknown ones estimated."""

    def stress(self) -> Stress:
        """Return the stress against the dissimilarities."""

    def ordinal_stress(self, ties: Ties) -> OrdinalStress:
        """Return the stress against their order."""


@dataclass(frozen=True, slots=True)
class DissimilarityTable:
    """A symmetric table, NaN where unknown; ``weights`` is a table too, or empty if all equal."""

    table: Array
    weights: Array
    scale: Scale
    complete: bool = True
    all_rows_are_cheap = True

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.table)

    def pairs(self) -> Pairs:
        """Return the known pairs, each once."""
        return Pairs.of_table(self.table, self.weights)

    def as_table(self) -> Array:
        """Return a copy of the table."""
        return np.array(self.table)

    def rows(self, chosen: Array, seed: int) -> Array:
        """Return the rows of chosen points, gaps filled by the shortest path over a relay."""
        in_order = np.array_equal(chosen, np.arange(self.n_points))
        rows = self.table if in_order else self.table[chosen]
        if self.complete:
            return rows
        relays = graph.choose_uniform(self.n_points, min(RELAYS, self.n_points), seed)
        filled = fill_gaps(rows, rows[:, relays], self.table[relays])
        if np.isinf(filled).any():
            lengths = paths.geodesic_distances(graph_of_pairs(self.pairs()), relays)
            filled = fill_gaps(rows, lengths[:, chosen].T, lengths)
        return filled

    def stress(self) -> TableStress:
        """Return the stress against the dissimilarities."""
        return TableStress.of(self.table, self.weights)

    def ordinal_stress(self, ties: Ties) -> OrdinalStress:
        """Return the stress against their order."""
        _claim_order(self.n_points * (self.n_points - 1) // 2, self.table.itemsize)
        return OrdinalStress.of(self.pairs(), ties)


@dataclass(frozen=True, slots=True)
class DissimilarityPairs:
    """A list of the few pairs that are known."""

    listed: Pairs
    scale: Scale
    complete = False

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self.listed.n_points

    @property
    def all_rows_are_cheap(self) -> bool:
        """Whether estimating all unknown pairs costs less than the descent."""
        return self.n_points <= ALL_PATHS

    def pairs(self) -> Pairs:
        """Return the known pairs, each once."""
        return self.listed

    def as_table(self) -> Array:
        """Return the dissimilarities as a table, NaN for pairs not known."""
        return self.listed.table(self.listed.dissimilarities)

    def rows(self, chosen: Array, seed: int) -> Array:
        """Return the shortest paths from chosen points to all."""
        return paths.geodesic_distances(graph_of_pairs(self.listed), chosen)

    def stress(self) -> PairStress:
        """Return the stress against the dissimilarities."""
        return PairStress.of(self.listed)

    def ordinal_stress(self, ties: Ties) -> OrdinalStress:
        """Return the stress against their order."""
        _claim_order(len(self.listed.first), self.listed.dissimilarities.itemsize)
        return OrdinalStress.of(self.listed, ties)


def _claim_order(n_pairs: int, itemsize: int) -> None:
    claim(
        n_pairs * (40 + 5 * itemsize), f"the order of {n_pairs} pairs", "map a sample of the points"
    )


class Weighting(Protocol):
    """How much the pairs weigh, in units of the largest weight; empty where all weigh the same."""

    def checked(self, n_points: int) -> Weighting:
        """Return the same, if it can weigh the pairs of so many points; else raise ValueError."""

    def weigh_table(self, table: Array, length: float) -> tuple[Array, Array, float]:
        """Return the table (entries in units of ``length``), its weights, and their unit."""

    def weigh_pairs(self, pairs: Pairs, length: float) -> tuple[Pairs, Array, float]:
        """Return the pairs that weigh anything, their weights, and the unit of these."""

    def weigh_rows(self, rows: Array) -> Array:
        """Return the weights of the dissimilarities of query points."""


@dataclass(frozen=True, slots=True)
class EqualWeights:
    """All pairs weigh the same."""

    def checked(self, n_points: int) -> Weighting:
        """Return the same: it weighs any pairs."""
        return self

    def weigh_table(self, table: Array, length: float) -> tuple[Array, Array, float]:
        """Return the table without weights."""
        return table, np.empty((0, 0), table.dtype), 1.0

    def weigh_pairs(self, pairs: Pairs, length: float) -> tuple[Pairs, Array, float]:
        """Return the pairs without weights."""
        return pairs, np.empty(0), 1.0

    def weigh_rows(self, rows: Array) -> Array:
        """Return ones."""
        return np.ones(rows.shape)


@dataclass(frozen=True, slots=True)
class PowerWeights:
    """A pair weighs a power of its dissimilarity."""

    power: float

    def checked(self, n_points: int) -> Weighting:
        """Return the same: it weighs any pairs."""
        return self

    def weigh_table(self, table: Array, length: float) -> tuple[Array, Array, float]:
        """Return the table with the powers of its entries."""
        weights, unit = relative_powers(table, self.power)
        return table, weights, unit * length**self.power

    def weigh_pairs(self, pairs: Pairs, length: float) -> tuple[Pairs, Array, float]:
        """Return the pairs with the powers of their dissimilarities."""
        weights, unit = relative_powers(pairs.dissimilarities, self.power)
        return pairs, weights, unit * length**self.power

    def weigh_rows(self, rows: Array) -> Array:
        """Return the powers of the dissimilarities, relative to the largest of each row."""
        if len(rows) == 0:
            return rows
        relative = rows / np.nanmax(rows, axis=1, keepdims=True)
        return np.asarray(np.maximum(relative, FLOOR) ** self.power)


@dataclass(frozen=True, slots=True)
class GivenWeights:
    """A symmetric table, dense or sparse, says what each pair weighs; those of query points equal.

    What weighs nothing becomes unknown.
    """

    table: Any

    def checked(self, n_points: int) -> Weighting:
        """Return the weights as float64; raise ValueError for a table that cannot be weights."""
        return GivenWeights(checked_weights(self.table, n_points))

    def weigh_table(self, table: Array, length: float) -> tuple[Array, Array, float]:
        """Return the table with its weights in units of the largest."""
        shares = self.table.toarray() if sp.issparse(self.table) else np.array(self.table)
        np.fill_diagonal(shares, 0.0)
        unit = float(shares.max())
        shares /= unit or 1.0
        np.fill_diagonal(shares, 1.0)  # of a point to itself: no pair, and not silent
        silent = shares == 0.0
        if silent.any():
            table = np.where(silent, table.dtype.type(np.nan), table)
        if all(((rows == 1.0) | (rows == 0.0)).all() for rows in shares):  # a mask, no weights
            shares = np.empty((0, 0))
        weights = shares.astype(table.dtype, copy=False)
        return table, weights, unit

    def weigh_pairs(self, pairs: Pairs, length: float) -> tuple[Pairs, Array, float]:
        """Return the pairs that weigh anything, in units of the largest."""
        weights = np.asarray(
            self.table[pairs.first.astype(np.int64), pairs.second.astype(np.int64)]
        ).ravel()
        kept = np.flatnonzero(weights > 0.0)
        pairs, weights = pairs.take(kept), weights[kept]
        unit = float(weights.max()) if len(weights) else 1.0
        return pairs, weights / unit, unit

    def weigh_rows(self, rows: Array) -> Array:
        """Return ones: the table knows nothing of query points."""
        return np.ones(rows.shape)


def weighting_of(weights: Any) -> Weighting:
    """Return how pairs weigh: all the same (None), a power of the dissimilarity, or by a table."""
    if weights is None:
        return EqualWeights()
    if isinstance(weights, str):
        if weights != "inverse_square":
            raise ValueError(
                "weights must be None, 'inverse_square', a power of the dissimilarity, or a "
                f"table; got {weights!r}"
            )
        return PowerWeights(-2.0)
    if isinstance(weights, Real) and not isinstance(weights, bool):
        if not abs(float(weights)) <= 16.0:
            raise ValueError(f"weights={weights!r} is no sensible power; use -16 to 16")
        return PowerWeights(float(weights)) if weights else EqualWeights()
    return GivenWeights(weights)


def counted_pairs(weights: Any, n_points: int) -> Array | sp.csr_array | None:
    """Return which pairs a table of weights counts; None where none is given, and all count."""
    weighting = weighting_of(weights).checked(n_points)
    return weighting.table > 0.0 if isinstance(weighting, GivenWeights) else None


def dissimilarities_of(given: Any, metric: Metric, weights: Any, dtype: Any) -> Dissimilarities:
    """Return those of points, or of a table (``metric="precomputed"``) already checked."""
    n, weighting = given.shape[0], weighting_of(weights).checked(given.shape[0])
    if sp.issparse(given) and given.nnz < DENSE * n * n:
        return _of_list(given, weighting, dtype)
    tables = 1 + (weights is not None) + (dtype == np.float32 and metric == "precomputed")
    claim(
        tables * n * n * np.dtype(dtype).itemsize,
        f"the {n} x {n} dissimilarities of MDS",
        "pass a sparse table of some known pairs, or map a sample and transform the rest",
    )
    with stage("dissimilarities") as running:
        table, length = _table_of(given, metric, dtype)
        table, table_of_weights, unit = weighting.weigh_table(table, length)
        known = DissimilarityTable(table, table_of_weights, Scale(length, unit))
        running.note(holds=known.table.nbytes + known.weights.nbytes)
    return _look_for_gaps(known)


def _table_of(given: Any, metric: Metric, dtype: Any) -> tuple[Array, float]:
    """Return the dissimilarities in single or double precision, and their unit.

    In single precision the unit is about the largest of them, so that no power overflows.
    """
    if metric == "precomputed":
        table = given
        if sp.issparse(given):
            table = dense_with_gaps(given)
            np.fill_diagonal(table, 0.0)
        if dtype == np.float64:
            return table, 1.0
        unit = float(np.nanmax(table, initial=0.0)) or 1.0
        return np.asarray(np.divide(table, unit, dtype=dtype, casting="same_kind")), unit
    is_euclidean = isinstance(metric, str) and metric in ("euclidean", "l2")
    if is_euclidean and dtype == np.float64:  # each pair once
        table = distances.pairwise_distances(given, given, metric)
        np.fill_diagonal(table, 0.0)
        return table, 1.0
    unit = 1.0
    if dtype == np.float32:
        unit = float(distances.pairwise_distances(given[:1], given, metric).max()) or 1.0
    table = np.empty((len(given), len(given)), dtype)
    for first in range(0, len(given), ROWS):
        rows = slice(first, first + ROWS)
        np.divide(
            distances.pairwise_distances(given[rows], given, metric),
            unit,
            out=table[rows],
            casting="same_kind",
        )
    np.fill_diagonal(table, 0.0)
    return table if is_euclidean else symmetric_table(table), unit


def _of_list(given: Any, weighting: Weighting, dtype: Any) -> DissimilarityPairs:
    """Return the pairs of a sparse table."""
    entries = sp.coo_array(given)
    once = entries.row < entries.col
    ends = entries.row[once].astype(np.uint32), entries.col[once].astype(np.uint32)
    values, length = entries.data[once], 1.0
    if dtype == np.float32:
        length = float(values.max(initial=0.0)) or 1.0
        values = values / length
    pairs = Pairs(*ends, values, np.empty(0), given.shape[0])
    kept, weights, unit = weighting.weigh_pairs(pairs, length)
    kept = replace(kept, dissimilarities=kept.dissimilarities.astype(dtype))
    listed = replace(kept, weights=weights.astype(dtype, copy=False))
    return DissimilarityPairs(check_connected(listed), Scale(length, unit))


def _look_for_gaps(known: DissimilarityTable) -> Dissimilarities:
    """Note whether pairs are missing; turn a table of little into a list."""
    n = known.n_points
    if not any(np.isnan(row.sum()) for row in known.table):
        return known
    counts = np.array([n - np.count_nonzero(np.isnan(row)) for row in known.table])
    if counts.sum() < DENSE * n * n:
        return DissimilarityPairs(check_connected(known.pairs()), known.scale)
    if counts.min() <= n // 2 + 1:  # else any two points know a third
        check_connected(known.pairs())
    return replace(known, complete=False)
