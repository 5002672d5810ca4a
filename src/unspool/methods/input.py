"""The door: what comes in is checked once, before any work, and answered like a colleague would."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ..kernel import check_symmetric
from ..values import Array

LARGEST = 1e70  # fourth powers (norms of squared distances) of anything larger overflow
SMALLEST = 1e-70  # fourth powers of anything smaller vanish
# finiteness is checked here: scikit-learn's message does not say where
NUMBERS = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}


def check_points(
    X: Any, estimator: Any = None, *, reset: bool = True, min_samples: int = 2
) -> Array:
    """Return the rows of ``X`` as float64 points, none too large or all too small to be squared.

    Points that come after the fit (``min_samples`` of 1) may be as near to the origin as they like.
    """
    options = {**NUMBERS, "ensure_min_samples": min_samples}
    if estimator is None:
        checked = check_array(X, **options)
    else:
        checked = validate_data(estimator, X, reset=reset, **options)
    points = np.asarray(checked, dtype=np.float64)
    _check_finite(points)
    check_magnitude(points, fitting=min_samples > 1)
    return points


def check_table(X: Any, estimator: Any, reset: bool, distances: bool, sparse: bool) -> Any:
    """Return a precomputed table (distances or similarities) checked for what it must be.

    When fitting it is square and symmetric; later its columns are the points of the fit. Distances
    are not negative and zero on the diagonal.
    """
    options = {**NUMBERS, "ensure_min_samples": 2 if reset else 1}
    accept = ["csr", "coo", "csc"] if sparse else False
    table = validate_data(estimator, X, reset=reset, accept_sparse=accept, **options)
    is_sparse = bool(sp.issparse(table))
    tolerance = 1e-5 if table.dtype == np.float32 else 1e-8
    table = sp.csr_array(table, dtype=np.float64) if is_sparse else np.asarray(table, np.float64)
    values = np.asarray(table.data if is_sparse else table)
    _check_finite(table)
    if distances and values.size and values.min() < 0:
        raise ValueError(f"distances must not be negative; the smallest is {values.min():.6g}")
    if reset:
        _check_square(table, distances, is_sparse, tolerance)
    check_magnitude(values, fitting=reset)
    rounded = reset and not is_sparse and not np.array_equal(table, table.T)
    return 0.5 * (table + table.T) if rounded else table


def _check_square(table: Any, distances: bool, is_sparse: bool, tolerance: float) -> None:
    what = "a table of distances" if distances else "a kernel table"
    if table.shape[0] != table.shape[1]:
        raise ValueError(f"{what} must be square; got shape {table.shape}")
    if is_sparse:
        return  # a sparse graph may be directed: symmetrize decides
    check_symmetric(table, what, tolerance)
    if distances and np.abs(np.diag(table)).max() > tolerance * max(1e-300, float(table.max())):
        worst = int(np.abs(np.diag(table)).argmax())
        raise ValueError(
            f"the distance of a point to itself must be 0, but entry ({worst}, {worst}) is "
            f"{table[worst, worst]:.6g}; did you pass similarities?"
        )


def _check_finite(table: Any) -> None:
    values = table.data if sp.issparse(table) else table
    if np.isfinite(values).all():
        return
    cells = sp.coo_array(table) if sp.issparse(table) else None
    wrong = np.argwhere(~np.isfinite(values))
    first = wrong[0] if cells is None else (cells.row[wrong[0, 0]], cells.col[wrong[0, 0]])
    row, column = int(first[0]), int(first[1])
    kind = "NaN" if np.isnan(table[row, column]) else "infinity (inf)"
    raise ValueError(
        f"X contains {kind} in row {row}, column {column} ({len(wrong)} such entries in all); drop "
        "those rows or fill them in first"
    )


def check_magnitude(values: Array, *, fitting: bool) -> None:
    """Raise ValueError if powers of the values would overflow or, when fitting, vanish; NaN may."""
    highest, lowest = np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)
    largest = float(max(highest, -lowest)) if values.size else 0.0
    if largest > LARGEST:
        raise ValueError(
            f"values reach {largest:.1e}, and powers of that overflow; divide the data by "
            f"{largest:.0e}"
        )
    if fitting and 0.0 < largest < SMALLEST:
        raise ValueError(
            f"no value exceeds {largest:.1e}, and powers of that vanish; divide the data by "
            f"{largest:.0e}"
        )


def check_n_components(n_components: int, most: int) -> None:
    """Raise ValueError if more coordinates are asked for than there can be."""
    if n_components > most:
        raise ValueError(
            f"n_components={n_components} is more than {most + 1} points have; use at most {most}"
        )


def check_axes(n_components: int, n_points: int, n_features: int, most: int) -> None:
    """Raise ValueError if more axes are asked for than points in so many features have."""
    if n_components > most:
        raise ValueError(
            f"n_components={n_components} is more than these {n_points} points with {n_features} "
            f"features have; use at most {most}"
        )
