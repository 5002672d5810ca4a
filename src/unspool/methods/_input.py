"""The door: what comes in is checked once, before any work, and answered like a colleague would."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ..kernel import check_symmetric
from ..values import Array

LARGEST = 1e150  # squares of anything larger overflow
SMALLEST = 1e-150  # squares of differences smaller than this vanish


def checked_points(
    X: Any, estimator: Any = None, *, reset: bool = True, min_samples: int = 2
) -> Array:
    """Return the rows of ``X`` as finite float64 points whose squares are finite too."""
    options = {"dtype": [np.float64, np.float32], "ensure_min_samples": min_samples}
    if estimator is None:
        checked = check_array(X, **options)
    else:
        checked = validate_data(estimator, X, reset=reset, **options)
    points = np.asarray(checked, dtype=np.float64)
    _check_magnitude(points)
    return points


def checked_table(X: Any, estimator: Any, reset: bool, distances: bool, sparse: bool) -> Any:
    """Return a precomputed table (distances or similarities) checked for what it must be.

    When fitting it is square and symmetric; later its columns are the points of the fit. Distances
    are not negative and zero on the diagonal.
    """
    options = {"dtype": [np.float64, np.float32], "ensure_min_samples": 2 if reset else 1}
    accept = ["csr", "coo", "csc"] if sparse else False
    table = validate_data(estimator, X, reset=reset, accept_sparse=accept, **options)
    is_sparse = bool(sp.issparse(table))
    table = sp.csr_array(table, dtype=np.float64) if is_sparse else np.asarray(table, np.float64)
    values = np.asarray(table.data if is_sparse else table)
    if distances and values.size and values.min() < 0:
        raise ValueError(f"distances must not be negative; the smallest is {values.min():.6g}")
    if reset:
        _check_square(table, distances, is_sparse)
    _check_magnitude(values)
    return table


def _check_square(table: Any, distances: bool, is_sparse: bool) -> None:
    what = "a table of distances" if distances else "a kernel table"
    if table.shape[0] != table.shape[1]:
        raise ValueError(f"{what} must be square; got shape {table.shape}")
    if is_sparse:
        return  # a sparse graph may be directed: symmetrize decides
    check_symmetric(table, what)
    if distances and np.abs(np.diag(table)).max() > 1e-8 * max(1e-300, float(table.max())):
        worst = int(np.abs(np.diag(table)).argmax())
        raise ValueError(
            f"the distance of a point to itself must be 0, but entry ({worst}, {worst}) is "
            f"{table[worst, worst]:.6g}; did you pass similarities?"
        )


def _check_magnitude(values: Array) -> None:
    largest = float(np.abs(values).max(initial=0.0))
    if largest > LARGEST:
        raise ValueError(
            f"values reach {largest:.1e}, and their squares overflow; divide the data by "
            f"{largest:.0e}"
        )
    if 0.0 < largest < SMALLEST:
        raise ValueError(
            f"no value exceeds {largest:.1e}, and squares of that vanish; divide the data by "
            f"{largest:.0e}"
        )
