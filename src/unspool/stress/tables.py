"""The door of MDS: tables of dissimilarities with gaps, and weights."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ..methods.input import LARGEST, SMALLEST
from ..values import Array

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
    _check_values(table, fitting=reset)
    if reset:
        table = _with_zero_diagonal(table)
        table = _both_directions(table) if sp.issparse(table) else symmetric_table(table)
    return table


def _known_entries(table: Any) -> sp.csr_array:
    entries = sp.csr_array(table, dtype=np.float64)
    entries.sum_duplicates()
    rows = np.repeat(np.arange(entries.shape[0]), np.diff(entries.indptr))
    known = ~np.isnan(entries.data)
    return sp.csr_array(
        (entries.data[known], (rows[known], entries.indices[known])), shape=entries.shape
    )


def _check_values(table: Any, *, fitting: bool) -> None:
    largest = 0.0
    for _, block in _blocks(np.atleast_2d(table.data) if sp.issparse(table) else table):
        if np.isinf(block).any():
            raise ValueError(_where_infinite(table))
        negative = block < 0.0
        if negative.any():
            raise ValueError(
                "Negative values in data: dissimilarities must not be negative; the smallest is "
                f"{block[negative].min():.6g}; write NaN for pairs that are not known"
            )
        largest = max(largest, float(np.nanmax(block, initial=0.0)))
    if largest > LARGEST or (fitting and 0.0 < largest < SMALLEST):
        fate = "overflow" if largest > LARGEST else "vanish"
        raise ValueError(
            f"the largest dissimilarity is {largest:.1e}, and powers of that {fate}; divide the "
            f"data by {largest:.0e}"
        )


def _where_infinite(table: Any) -> str:
    cells = sp.coo_array(table) if sp.issparse(table) else None
    wrong = np.argwhere(np.isinf(table if cells is None else cells.data))
    place = wrong[0] if cells is None else (cells.row[wrong[0, 0]], cells.col[wrong[0, 0]])
    return (
        f"X contains infinity (inf) in row {place[0]}, column {place[1]} ({len(wrong)} such "
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


def rows_with_gaps(rows: Any) -> Array:
    """Return rows of dissimilarities as a dense table, NaN where nothing is known."""
    if sp.issparse(rows):
        entries = sp.coo_array(rows)
        dense = np.full(rows.shape, np.nan)
        dense[entries.row, entries.col] = entries.data
        rows = dense
    unseen = np.isnan(rows).all(axis=1)
    if unseen.any():
        raise ValueError(
            f"row {int(unseen.argmax())} has no known dissimilarity to any fitted point, so it has "
            "no place"
        )
    return np.asarray(rows)


def known_points(points: Array, fitted: Array, distances: Array) -> Array:
    """Return the fitted point that each point is, or else is at distance zero from, or -1.

    The point itself is looked for first: some metrics round its distance to above zero (cosine).
    """
    keys = {point.tobytes(): number for number, point in reversed(list(enumerate(fitted + 0.0)))}
    same = np.array([keys.get(point.tobytes(), -1) for point in points + 0.0])
    touching = distances == 0.0
    beside = np.where(touching.any(axis=1), touching.argmax(axis=1), -1)
    return np.where(same >= 0, same, beside)


def known_rows(rows: Any, table: Any) -> Array:
    """Return which row of the fitted table each row is, or a point that it coincides with, or -1.

    The row itself is looked for first: several points may be at dissimilarity zero and yet differ.
    """
    touching = rows_with_gaps(rows) == 0.0
    beside = np.where(touching.any(axis=1), touching.argmax(axis=1), -1)
    if sp.issparse(rows) and sp.issparse(table):  # a row does not list its own point
        keys = {key: point for point, key in reversed(list(enumerate(_keys(table))))}
        same = np.array([keys.get(key, -1) for key in _keys(rows)])
        return np.where(same >= 0, same, beside)
    if not sp.issparse(rows) and not sp.issparse(table):
        for row in np.flatnonzero(touching.sum(axis=1) > 1):
            for point in np.flatnonzero(touching[row]):
                if np.array_equal(rows[row], table[point], equal_nan=True):
                    beside[row] = point
                    break
    return beside


def _keys(table: Any) -> Iterator[tuple[bytes, bytes]]:
    table = sp.csr_array(table).sorted_indices()
    columns = table.indices.astype(np.int64)
    for begin, end in pairwise(table.indptr):
        yield columns[begin:end].tobytes(), table.data[begin:end].tobytes()


def power_of(weights: Any) -> float | None:
    """Return p of weights d^p, or None where the weights are no power of the dissimilarity."""
    if isinstance(weights, str):
        if weights != "inverse_square":
            raise ValueError(
                "weights must be None, 'inverse_square', a power of the dissimilarity, or a "
                f"table; got {weights!r}"
            )
        return -2.0
    if isinstance(weights, Real) and not isinstance(weights, bool):
        if not abs(float(weights)) <= 16.0:
            raise ValueError(f"weights={weights!r} is no sensible power; use -16 to 16")
        return float(weights)
    return None


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
    if values.size and not 0.0 < values.max() <= LARGEST:
        raise ValueError(f"the largest weight is {values.max():.6g}; weights need a scale near 1")
    if sp.issparse(table):
        return _both_directions(sp.csr_array(table))
    return symmetric_table(table, "weights")


def _blocks(table: Array) -> Iterator[tuple[slice, Array]]:
    for first in range(0, len(table), ROWS):
        rows = slice(first, min(first + ROWS, len(table)))
        yield rows, table[rows]
