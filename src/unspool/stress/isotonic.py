"""The monotone sequence nearest to given values: pool adjacent violators (Kruskal 1964).

Orders of many values, by several threads.
"""

from __future__ import annotations

import numpy as np

from ..runtime import NUMBA_LOCK, run_strips
from ..values import Array


def monotone(values: Array, weights: Array | None = None) -> Array:
    """Return the non-decreasing sequence nearest to ``values`` in (weighted) least squares."""
    from .isotonic_kernels import pool_adjacent

    fitted = np.empty_like(values)
    with NUMBA_LOCK:
        pool_adjacent(values, np.empty(0) if weights is None else weights, fitted)
    return fitted


STRIP = 1 << 18  # values that a thread puts in order at a time


def sorted_order(values: Array) -> Array:
    """Return the order that sorts the values: two halves at a time, then merged."""
    from .isotonic_kernels import merged

    order, answer = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    split = max(1, (len(values) + 1) // 2)

    def sort_half(half: slice) -> None:
        order[half] = np.argsort(values[half]) + half.start

    run_strips(sort_half, len(values), split)
    merged(values, split, order, answer)
    return answer


def taken(values: Array, order: Array) -> Array:
    """Return values[order], by several threads."""
    answer = np.empty(len(order), values.dtype)

    def take(strip: slice) -> None:
        values.take(order[strip], out=answer[strip], mode="clip")  # other modes hold the lock

    run_strips(take, len(order), STRIP)
    return answer


def order_within(groups: Array, values: Array) -> Array:
    """Return the order that sorts the values inside each group groups[g]:groups[g + 1]."""
    from .isotonic_kernels import order_within

    order = np.empty(len(values), dtype=np.int64)
    with NUMBA_LOCK:
        order_within(groups, values, order)
    return order
