"""What a map by stress should keep: dissimilarities with gaps, and what each of them weighs.

A table with NaN for the pairs that are not known or, where few are known, a list of pairs. Both
state their stress, and estimate what they do not know well enough to begin a descent with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from .. import distances, graph, paths
from ..edges import graph_from_edges
from ..runtime import NUMBA_LOCK, claim, stage
from ..values import Array, Metric, NeighborGraph
from .ordinal import OrdinalStress, Ties
from .raw_stress import Pairs, PairStress, Stress, TableStress
from .tables import ROWS, Weighting, dense_with_gaps, symmetric_table, weighting_of

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
        rows = self.table if len(chosen) == self.n_points else self.table[chosen]
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


def graph_of_pairs(pairs: Pairs) -> NeighborGraph:
    """Return the graph that joins the points whose dissimilarity is known."""
    ends = np.concatenate([pairs.first, pairs.second])
    others = np.concatenate([pairs.second, pairs.first])
    lengths = np.tile(pairs.dissimilarities.astype(np.float64), 2)
    shape = (pairs.n_points, pairs.n_points)
    return graph_from_edges(ends, others, lengths, shape=shape, search="known pairs")


def fill_gaps(rows: Array, to_relays: Array, from_relays: Array) -> Array:
    """Return ``rows`` of distances with NaN replaced by the shortest path over one relay.

    ``to_relays`` (rows, m) are the distances from the rows' points to m relays, ``from_relays``
    (m, n) those from the relays to all points. By the triangle inequality no path is shorter than
    the distance itself, and with some dozen relays one of them lies almost between any two points.
    Infinite where no relay knows both ends.
    """
    from .stress_kernels import detours

    filled = np.empty(rows.shape)
    with NUMBA_LOCK:
        detours(rows, np.ascontiguousarray(to_relays), from_relays, filled)
    return filled


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
    exact = isinstance(metric, str) and metric in ("euclidean", "l2")
    return table if exact else symmetric_table(table), unit


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
    return DissimilarityPairs(_connected(listed), Scale(length, unit))


def _look_for_gaps(known: DissimilarityTable) -> Dissimilarities:
    """Note whether pairs are missing; turn a table of little into a list."""
    n = known.n_points
    if not any(np.isnan(row.sum()) for row in known.table):
        return known
    counts = np.array([n - np.count_nonzero(np.isnan(row)) for row in known.table])
    if counts.sum() < DENSE * n * n:
        return DissimilarityPairs(_connected(known.pairs()), known.scale)
    if counts.min() <= n // 2 + 1:  # else any two points know a third
        _connected(known.pairs())
    return replace(known, complete=False)


def _connected(pairs: Pairs) -> Pairs:
    """Return the pairs; refuse those that leave the points in several connected components."""
    found = graph.find_components(graph_of_pairs(pairs))
    if found.count > 1:
        sizes = ", ".join(str(size) for size in found.sizes[:5])
        raise ValueError(
            f"the known pairs leave the points in {found.count} connected components (sizes {sizes}"
            f"{', ...' if found.count > 5 else ''}) and nothing tells how the components lie to "
            "each other; add pairs between them, or map one component at a time"
        )
    return pairs
