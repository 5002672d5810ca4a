# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled products of a symmetric table's tiles with few vectors, summed in double precision.

Each entry above the diagonal is read once for its two places: a product takes half of the memory
traffic of one with the whole table. Other threads may run (``nogil``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted
REORDERED = {"reassoc", "contract", "nsz"}  # sums may be taken in several lanes
FAST: Any = {"cache": True, "error_model": "numpy", "nogil": True, "fastmath": REORDERED, **VIEWS}


@njit(**FAST)
def add_both_products(strip, right, direct, across):
    """Add a strip of tiles times vectors to ``direct``, and the turned tiles' to ``across``.

    The first tile is on the diagonal and has no other place. Vectors and products lie in panels:
    (number of the panel, vector, column). Own vectors are in the first panels of ``right``. Rows
    come in fours, which share each number that is read.
    """
    width = right.shape[2]
    n_panels = strip.shape[2] // width
    for number in range(strip.shape[0]):
        tile = strip[number]
        for panel in range(n_panels):
            x, y = right[number * n_panels + panel], across[number * n_panels + panel]
            columns = slice(panel * width, (panel + 1) * width)
            for i in range(0, tile.shape[0], 4):
                a, b = tile[i, columns], tile[i + 1, columns]
                c, d = tile[i + 2, columns], tile[i + 3, columns]
                at, own = i % width, i // width
                if number == 0:
                    _add_rows(a, b, c, d, x, direct[own], at)
                else:
                    _add_both(a, b, c, d, x, y, right[own], direct[own], at)


@njit(forceinline=True, **FAST)
def _add_rows(a, b, c, d, x, out, at):
    for k in range(x.shape[0]):
        known = x[k]
        sum_a = sum_b = sum_c = sum_d = 0.0
        for j in range(len(known)):
            sum_a += np.float64(a[j]) * known[j]
            sum_b += np.float64(b[j]) * known[j]
            sum_c += np.float64(c[j]) * known[j]
            sum_d += np.float64(d[j]) * known[j]
        out[k, at] += sum_a
        out[k, at + 1] += sum_b
        out[k, at + 2] += sum_c
        out[k, at + 3] += sum_d


@njit(forceinline=True, **FAST)
def _add_both(a, b, c, d, x, y, own, out, at):
    for k in range(x.shape[0]):
        known, turned = x[k], y[k]
        own_a, own_b, own_c, own_d = own[k, at], own[k, at + 1], own[k, at + 2], own[k, at + 3]
        sum_a = sum_b = sum_c = sum_d = 0.0
        for j in range(len(known)):
            one, two, three, four = (
                np.float64(a[j]),
                np.float64(b[j]),
                np.float64(c[j]),
                np.float64(d[j]),
            )
            sum_a += one * known[j]
            sum_b += two * known[j]
            sum_c += three * known[j]
            sum_d += four * known[j]
            turned[j] += one * own_a + two * own_b + three * own_c + four * own_d
        out[k, at] += sum_a
        out[k, at + 1] += sum_b
        out[k, at + 2] += sum_c
        out[k, at + 3] += sum_d
