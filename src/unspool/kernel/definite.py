"""Is a table a kernel? Symmetric and positive semi-definite."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array


def check_symmetric(table: Array, what: str, tolerance: float = 1e-8) -> None:
    """Raise ValueError, naming the worst entry, unless ``table`` is square and symmetric.

    ``tolerance`` is a share of the largest entry.
    """
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"{what} must be square; got shape {table.shape}")
    scale = float(np.abs(table).max(initial=0.0))
    gap = np.abs(table - table.T)
    if gap.size and gap.max() > tolerance * scale:
        i, j = (int(index) for index in np.unravel_index(int(gap.argmax()), gap.shape))
        raise ValueError(
            f"{what} must be symmetric, but entry ({i}, {j}) is {table[i, j]:.6g} and ({j}, {i}) "
            f"is {table[j, i]:.6g}; pass (K + K.T) / 2 if that is what you mean"
        )


def is_positive_semidefinite(table: Any, tolerance: float = 1e-10) -> bool:
    """Tell whether a symmetric table is positive semi-definite up to rounding.

    Tried by a Cholesky factorisation of the table with ``tolerance`` times its trace (per point)
    added to the diagonal: it exists exactly if no eigenvalue is below minus that amount.
    """
    table = np.asarray(table, dtype=np.float64)
    check_symmetric(table, "the similarity table")
    lift = tolerance * max(float(np.abs(table).max(initial=0.0)), np.finfo(float).tiny) * len(table)
    try:
        np.linalg.cholesky(table + lift * np.eye(len(table)))
    except np.linalg.LinAlgError:
        return False
    return True
