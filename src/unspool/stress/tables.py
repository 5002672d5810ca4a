"""What comes in: tables of dissimilarities with gaps, and the weights of the pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ..values import Array
from .raw_stress import Pairs

FLOOR = 1e-8  # of the largest dissimilarity: powers of what is smaller are taken of this
LARGEST_WEIGHT = 1e70  # sums of squares of anything larger overflow
TILE = 64  # rows and columns compared with their mirror image, near enough to stay in cache
ROWS = 256  # of a table looked at together, so that no second table is made only to look


def checked_dissimilarities(X: Any, estimator: Any, reset: bool) -> Any:
    """Return a table of dissimilarities, dense with NaN for unknown pairs, or sparse.

    A sparse table lists the known pairs, in one direction or both; zeros that it stores are
    dissimilarities of zero. When fitting, tables are square and symmetric with a zero diagonal.
    """
    table = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse=["csr", "csc", "coo"],
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        ensure_min_samples=2 if reset else 1,
    )
    table = _known_entries(table) if sp.issparse(table) else np.asarray(table, np.float64)
    if reset and table.shape[0] != table.shape[1]:
        raise ValueError(f"a table of dissimilarities must be square; got shape {table.shape}")
    _check_values(table)
    if reset:
        table = _with_zero_diagonal(table)
        table = _both_directions(table) if sp.issparse(table) else symmetric_table(table)
    return table


def dense_with_gaps(table: Any) -> Array:
    """Return a sparse table as a dense one, NaN where nothing is stored."""
    entries = sp.coo_array(table)
    dense = np.full(table.shape, np.nan)
    dense[entries.row, entries.col] = entries.data
    return dense


def _known_entries(table: Any) -> sp.csr_array:
    entries = sp.csr_array(table, dtype=np.float64)
    entries.sum_duplicates()
    rows = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr))
    known = ~np.isnan(entries.data)
    return sp.csr_array(
        (entries.data[known], (rows[known], entries.indices[known])), shape=entries.shape
    )


def _check_values(table: Any) -> None:
    for _, block in _blocks(np.atleast_2d(table.data) if sp.issparse(table) else table):
        if np.isinf(block).any():
            raise ValueError(_where_infinite(table))
        negative = block < 0.0
        if negative.any():
            raise ValueError(
                "Negative values in data: dissimilarities must not be negative; the smallest is "
                f"{block[negative].min():.6g}; write NaN for pairs that are not known"
            )


def _where_infinite(table: Any) -> str:
    dense = dense_with_gaps(table) if sp.issparse(table) else table
    wrong = np.argwhere(np.isinf(dense))
    row, column = wrong[0]
    return (
        f"X contains infinity (inf) in row {row}, column {column} ({len(wrong)} such "
        "entries in all); write NaN for pairs that are not known"
    )


def _with_zero_diagonal(table: Any) -> Any:
    diagonal = table.diagonal()
    worst = int(np.nan_to_num(diagonal).argmax())
    if diagonal[worst] > 1e-8 * np.nanmax(table.data if sp.issparse(table) else table[worst]):
        raise ValueError(
            "the dissimilarity of a point to itself must be 0, but entry "
            f"({worst}, {worst}) is {diagonal[worst]:.6g}; did you pass similarities?"
        )
    if not sp.issparse(table) and not (diagonal == 0.0).all():
        table = np.array(table)
        np.fill_diagonal(table, 0.0)
    return table


def _both_directions(table: sp.csr_array) -> sp.csr_array:
    """Return the table with every pair stored from both sides; the sides may not differ."""
    n = table.shape[0]
    rows = np.repeat(np.arange(n), np.diff(table.indptr)).astype(np.int64)
    columns, values = table.indices.astype(np.int64), table.data
    off = rows != columns
    rows, columns, values = rows[off], columns[off], values[off]
    pair = np.minimum(rows, columns) * n + np.maximum(rows, columns)
    pairs, number = np.unique(pair, return_inverse=True)
    smallest, largest = np.full(len(pairs), np.inf), np.zeros(len(pairs))
    np.minimum.at(smallest, number, values)
    np.maximum.at(largest, number, values)
    if (largest - smallest > 1e-8 * largest.max(initial=0.0)).any():
        worst = int((largest - smallest).argmax())
        i, j = divmod(int(pairs[worst]), n)
        _refuse_sides(i, j, smallest[worst], largest[worst])
    first, second, middle = pairs // n, pairs % n, 0.5 * (smallest + largest)
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    return sp.csr_array((np.concatenate([middle, middle]), ends), shape=table.shape)


def symmetric_table(table: Array, what: str = "dissimilarities") -> Array:
    """Return a table that is symmetric to the last digit; refuse one that is not to rounding.

    What is known one way only is known.
    """
    if _mirrored(table):
        return table
    scale = max((float(np.nanmax(block, initial=0.0)) for _, block in _blocks(table)), default=0.0)
    for rows, block in _blocks(table):
        across = table[:, rows].T
        gap = np.nan_to_num(np.abs(block - across))
        if gap.max() > 1e-8 * scale:
            i, j = (int(index) for index in np.unravel_index(int(gap.argmax()), gap.shape))
            _refuse_sides(i + rows.start, j, block[i, j], across[i, j], what)
    known = np.where(np.isnan(table), table.T, table)
    return np.asarray(0.5 * (known + known.T))


def _mirrored(table: Array) -> bool:
    """Tell whether a table is symmetric to the last bit, NaN for NaN, too; tile by tile."""
    bits = table.view(f"i{table.itemsize}")
    starts = range(0, len(table), TILE)
    return all(
        np.array_equal(bits[i : i + TILE, j : j + TILE], bits[j : j + TILE, i : i + TILE].T)
        for i in starts
        for j in range(i, len(table), TILE)
    )


def _refuse_sides(i: int, j: int, one: float, other: float, what: str = "dissimilarities") -> None:
    raise ValueError(
        f"{what} must be symmetric, but entry ({i}, {j}) is {one:.6g} and ({j}, {i}) is "
        f"{other:.6g}; pass their mean if that is what you mean"
    )


def _blocks(table: Array) -> Iterator[tuple[slice, Array]]:
    for first in range(0, len(table), ROWS):
        rows = slice(first, min(first + ROWS, len(table)))
        yield rows, table[rows]


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
        weights, unit = _powers(table, self.power)
        return table, weights, unit * length**self.power

    def weigh_pairs(self, pairs: Pairs, length: float) -> tuple[Pairs, Array, float]:
        """Return the pairs with the powers of their dissimilarities."""
        weights, unit = _powers(pairs.dissimilarities, self.power)
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


def _powers(values: Array, power: float) -> tuple[Array, float]:
    """Return (value / largest)^power, and largest^power."""
    largest = float(np.nanmax(values, initial=0.0)) or 1.0
    smallest = float(np.min(values, where=values > 0.0, initial=largest))
    floor = max(FLOOR, smallest / largest)
    with np.errstate(over="ignore", under="ignore"):
        unit = float(np.float64(largest) ** power)
    if not 0.0 < unit < np.inf:
        raise ValueError(f"{largest:.1e} to the power {power:g} is no weight; rescale the data")
    powers = np.array(values)
    for first in range(0, len(powers), ROWS):
        rows = slice(first, first + ROWS)
        powers[rows] = _power(np.maximum(powers[rows] / largest, floor), power)
    return powers, unit


def _power(values: Array, power: float) -> Array:
    """Return values^power; squares and their inverses without a logarithm, six times as fast."""
    if abs(power) != 2.0:
        return np.asarray(values**power)
    squares = np.square(values)
    return squares if power > 0.0 else np.reciprocal(squares, out=squares)


def checked_weights(weights: Any, n_points: int) -> Any:
    """Return a table of weights (dense or sparse) as float64: square, symmetric, not negative."""
    if not hasattr(weights, "__len__") and not sp.issparse(weights):
        raise ValueError(f"weights must be None, a power, or a table; got {weights!r}")
    table = check_array(weights, accept_sparse=["csr"], dtype=np.float64, input_name="weights")
    if table.shape != (n_points, n_points):
        raise ValueError(f"weights must have shape {(n_points, n_points)}; got {table.shape}")
    values = table.data if sp.issparse(table) else table
    if values.size and values.min() < 0.0:
        raise ValueError(f"weights must not be negative; the smallest is {values.min():.6g}")
    if values.size and not 0.0 < values.max() <= LARGEST_WEIGHT:
        raise ValueError(f"the largest weight is {values.max():.6g}; weights need a scale near 1")
    if sp.issparse(table):
        return _both_directions(sp.csr_array(table))
    return symmetric_table(table, "weights")
