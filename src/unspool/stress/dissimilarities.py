"""A guess at the pairs that are not known, good enough to start from.

What a map by stress should keep: dissimilarities with gaps, and what each of them weighs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances
from ..edges import graph_from_edges
from ..graph import find_components
from ..runtime import NUMBA_LOCK, claim, stage
from ..values import Array, Metric, NeighborGraph
from .pairs import Pairs
from .tables import ROWS, checked_weights, power_of, symmetric_table


def fill_gaps(rows: Array, to_relays: Array, from_relays: Array) -> Array:
    """Return ``rows`` of distances with NaN replaced by the shortest way over one relay.

    ``to_relays`` (rows, m) are the distances from the rows' points to m relays, ``from_relays``
    (m, n) those from the relays to all points. By the triangle inequality no way is shorter than
    the distance itself, and with some dozen relays one of them lies almost between any two points.
    Infinite where no relay knows both ends.
    """
    from .stress_kernels import detours

    filled = np.empty(rows.shape)
    with NUMBA_LOCK:
        detours(rows, np.ascontiguousarray(to_relays), from_relays, filled)
    return filled


DENSE = 1 / 3  # of all pairs known: above, a table with gaps is faster than a list of pairs
FLOOR = (
    1e-8  # of the largest dissimilarity: what is nearer weighs no more, where weights are powers
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Dissimilarities as a table (NaN where unknown) or, where few are known, as pairs.

    In units of ``unit``; ``weights`` (a table, or empty) in units of ``heft``.
    """

    table: Array
    weights: Array
    sparse: Pairs | None = None
    complete: bool = True
    unit: float = 1.0
    heft: float = 1.0

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.table) if self.sparse is None else self.sparse.n_points

    @property
    def dtype(self) -> Any:
        """Precision of the dissimilarities."""
        return self.table.dtype

    def pairs(self) -> Pairs:
        """Return the known pairs, each once."""
        return Pairs.of_table(self.table, self.weights) if self.sparse is None else self.sparse

    def graph(self) -> NeighborGraph:
        """Return the graph that joins what is known of each other."""
        pairs, n = self.pairs(), self.n_points
        ends = np.concatenate([pairs.first, pairs.second])
        others = np.concatenate([pairs.second, pairs.first])
        lengths = np.tile(pairs.dissimilarities.astype(np.float64), 2)
        return graph_from_edges(ends, others, lengths, shape=(n, n), search="known pairs")


def wanted_from(given: Any, metric: Metric, weights: Any, dtype: Any) -> Wanted:
    """Return what to keep of points, or of a table (``metric="precomputed"``) already checked."""
    n, power = given.shape[0], power_of(weights)
    table_of_weights = None if weights is None or power is not None else checked_weights(weights, n)
    if sp.issparse(given) and given.nnz < DENSE * n * n:
        return _of_pairs(_listed(given, table_of_weights), power, dtype)
    tables = 1 + (weights is not None) + (dtype == np.float32 and metric == "precomputed")
    claim(
        tables * n * n * np.dtype(dtype).itemsize,
        f"the {n} x {n} dissimilarities of MDS",
        "pass a sparse table of some known pairs, or map a sample and transform the rest",
    )
    with stage("dissimilarities") as running:
        table, unit = _table_of(given, metric, dtype)
        wanted = _weighed(table, unit, table_of_weights, power)
        running.note(holds=table.nbytes + wanted.weights.nbytes)
    return _checked_gaps(wanted)


def _table_of(given: Any, metric: Metric, dtype: Any) -> tuple[Array, float]:
    """Return the dissimilarities in single or double precision, and their unit.

    In single precision the unit is about the largest of them, so that no power overflows.
    """
    if metric == "precomputed":
        table = _dense(given) if sp.issparse(given) else given
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


def _weighed(table: Array, unit: float, weights: Any, power: float | None) -> Wanted:
    """Return the table with its weights; what weighs nothing becomes unknown."""
    none = np.empty((0, 0), table.dtype)
    if power is not None and power != 0.0:
        powers, heft = _powers(table, power)
        return Wanted(table, powers, unit=unit, heft=heft * unit**power)
    if weights is None:
        return Wanted(table, none, unit=unit)
    shares = weights.toarray() if sp.issparse(weights) else np.array(weights)
    np.fill_diagonal(shares, 0.0)
    heft = float(shares.max())
    shares /= heft or 1.0
    np.fill_diagonal(shares, 1.0)  # of a point to itself: no pair, and not silent
    silent = shares == 0.0
    if silent.any():
        table = np.where(silent, table.dtype.type(np.nan), table)
    if all(((rows == 1.0) | (rows == 0.0)).all() for rows in shares):  # a mask: nothing is weighed
        return Wanted(table, none, unit=unit, heft=heft)
    return Wanted(table, shares.astype(table.dtype, copy=False), unit=unit, heft=heft)


def _powers(values: Array, power: float) -> tuple[Array, float]:
    """Return (value / largest)^power, and largest^power."""
    largest = float(np.nanmax(values, initial=0.0)) or 1.0
    smallest = float(np.min(values, where=values > 0.0, initial=largest))
    floor = max(FLOOR, smallest / largest)
    with np.errstate(over="ignore", under="ignore"):
        heft = float(np.float64(largest) ** power)
    if not 0.0 < heft < np.inf:
        raise ValueError(f"{largest:.1e} to the power {power:g} is no weight; rescale the data")
    powers = np.array(values)
    for first in range(0, len(powers), ROWS):
        rows = slice(first, first + ROWS)
        powers[rows] = _power(np.maximum(powers[rows] / largest, floor), power)
    return powers, heft


def _power(values: Array, power: float) -> Array:
    """Return values^power; squares and their inverses without a logarithm, six times as fast."""
    if abs(power) != 2.0:
        return np.asarray(values**power)
    squares = np.square(values)
    return squares if power > 0.0 else np.reciprocal(squares, out=squares)


def _dense(given: Any) -> Array:
    """Return a sparse table as a dense one, NaN where nothing is stored."""
    entries = sp.coo_array(given)
    table = np.full(given.shape, np.nan)
    table[entries.row, entries.col] = entries.data
    np.fill_diagonal(table, 0.0)
    return table


def _listed(given: Any, weights: Any) -> Pairs:
    """Return the pairs of a sparse table, without those that weigh nothing."""
    entries = sp.coo_array(given)
    once = entries.row < entries.col
    first, second, values = entries.row[once], entries.col[once], entries.data[once]
    heavy = np.empty(0)
    if weights is not None:
        heavy = np.asarray(weights[first, second]).ravel()
        kept = heavy > 0.0
        first, second, values, heavy = first[kept], second[kept], values[kept], heavy[kept]
    ends = first.astype(np.uint32), second.astype(np.uint32)
    return Pairs(*ends, values, heavy, given.shape[0])


def _of_pairs(pairs: Pairs, power: float | None, dtype: Any) -> Wanted:
    values, weights, unit, heft = pairs.dissimilarities, pairs.weights, 1.0, 1.0
    if dtype == np.float32:
        unit = float(values.max(initial=0.0)) or 1.0
        values = values / unit
    if power is not None and power != 0.0:
        weights, heft = _powers(values, power)
        heft *= unit**power
    elif len(weights):
        heft = float(weights.max())
        weights = weights / heft
    chosen = replace(
        pairs, dissimilarities=values.astype(dtype), weights=weights.astype(dtype, copy=False)
    )
    none = np.empty((0, 0), dtype)
    return _checked_gaps(Wanted(none, none, chosen, complete=False, unit=unit, heft=heft))


def _checked_gaps(wanted: Wanted) -> Wanted:
    """Note whether pairs are missing; refuse what is known in pieces, turn little into a list."""
    n = wanted.n_points
    if wanted.sparse is None:
        if not any(np.isnan(row.sum()) for row in wanted.table):
            return wanted
        counts = np.array([n - np.count_nonzero(np.isnan(row)) for row in wanted.table])
        if counts.sum() < DENSE * n * n:
            none = np.empty((0, 0), wanted.table.dtype)
            wanted = replace(wanted, table=none, weights=none, sparse=wanted.pairs())
        elif counts.min() > n // 2 + 1:  # any two points know a third
            return replace(wanted, complete=False)
    found = find_components(wanted.graph())
    if found.count > 1:
        sizes = ", ".join(str(size) for size in found.sizes[:5])
        raise ValueError(
            f"the known pairs join the points into {found.count} pieces (sizes {sizes}"
            f"{', ...' if found.count > 5 else ''}) and nothing tells how the pieces lie to each "
            "other; add pairs between them, or map one piece at a time"
        )
    return replace(wanted, complete=False)
