"""Tables of dissimilarities with gaps: what they must be, and what the known pairs tell of gaps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from .. import graph
from ..edges import graph_from_edges
from ..runtime import run_kernel
from ..values import Array, NeighborGraph
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


def checked_weights(weights: Any, n_points: int) -> Any:
    """Return a table of weights (dense or sparse) as float64: square, symmetric, not negative."""
    if not sp.issparse(weights) and not (are_numbers(weights) and np.ndim(weights) == 2):
        raise ValueError(
            "weights must be None, 'inverse_square', a power of the dissimilarity, or a table of "
            f"numbers; got {weights!r:.60}"
        )
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


def are_numbers(value: Any) -> bool:
    """Tell whether a value can be read as an array of real numbers."""
    if np.iscomplexobj(value):
        return False
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return True


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
    arrays = rows, np.ascontiguousarray(to_relays), from_relays, filled
    run_kernel(detours, arrays, len(rows), TILE)
    return filled


def check_connected(pairs: Pairs) -> Pairs:
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


def relative_powers(values: Array, power: float) -> tuple[Array, float]:
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
