"""The monotone sequence nearest to given values: pool adjacent violators (Kruskal 1964)."""

from __future__ import annotations

import numpy as np

from ...threads import ONE_AT_A_TIME
from ...values import Array


def monotone(values: Array, weights: Array | None = None) -> Array:
    """Return the non-decreasing sequence nearest to ``values`` in (weighted) least squares."""
    from ._kernels import pool_adjacent

    fitted = np.empty_like(values)
    with ONE_AT_A_TIME:
        pool_adjacent(values, np.empty(0) if weights is None else weights, fitted)
    return fitted
