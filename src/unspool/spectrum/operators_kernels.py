# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled products of tables in single or double precision with few vectors, summed in double.

Memory traffic is all that such a product costs, so that each entry is read once, as it is: a copy
in double precision would cost three times as much. Other threads may run (``nogil``). A row's sums
do not depend on the rows beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

VIEWS: Any = {"_nrt": False}  # no array is created here, so none has to be counted

PANEL = 256  # columns whose entries stay at hand for all vectors
REORDERED = {"reassoc", "contract", "nsz"}  # sums may be taken in several lanes


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, **VIEWS)
def add_up_products(table, turned_block, first, last, out):
    """Write rows first .. last of table @ block; the block is given with a row for each column."""
    n = table.shape[1]
    out[first:last] = 0.0
    i = first
    while i + 4 <= last:  # four rows share each number of the block that is read
        for left in range(0, n, PANEL):
            columns = slice(left, min(left + PANEL, n))
            a, b, c, d = (
                table[i, columns],
                table[i + 1, columns],
                table[i + 2, columns],
                table[i + 3, columns],
            )
            for k in range(len(turned_block)):
                column = turned_block[k, columns]
                sum_a = sum_b = sum_c = sum_d = 0.0
                for j in range(len(column)):
                    x = column[j]
                    sum_a += np.float64(a[j]) * x
                    sum_b += np.float64(b[j]) * x
                    sum_c += np.float64(c[j]) * x
                    sum_d += np.float64(d[j]) * x
                out[i, k] += sum_a
                out[i + 1, k] += sum_b
                out[i + 2, k] += sum_c
                out[i + 3, k] += sum_d
        i += 4
    while i < last:
        row = table[i]
        for k in range(len(turned_block)):
            column = turned_block[k]
            total = 0.0
            for j in range(len(column)):
                total += np.float64(row[j]) * column[j]
            out[i, k] = total
        i += 1


LANES = 8  # columns of a block that a filter works on together


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, forceinline=True)
def combine_rows(matrix, inner, factors, block, out):
    """Write a A y + b x + c z, A sparse, by rows: y = ``inner``, x = ``block``, z what ``out`` is.

    All have eight columns.
    """
    (starts, columns, entries), (a, b, c) = matrix, factors
    sums = np.empty(LANES)
    for i in range(len(starts) - 1):
        sums[:] = 0.0
        for slot in range(starts[i], starts[i + 1]):
            entry, j = entries[slot], np.uint64(columns[slot])
            for k in range(LANES):
                sums[k] += entry * inner[j, k]
        for k in range(LANES):
            out[i, k] = a * sums[k] + b * block[i, k] + c * out[i, k]


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED)
def filter_columns(matrix, turned, span, degree, before, now, inner):
    """Make p(A) of eight columns ``before``: the Chebyshev polynomial of the span, 1 at zero.

    A is the sparse ``matrix``, or ``turned`` times it where that has entries. The recursion is
    T_k = 2 t T_(k-1) - T_(k-2), each term over its value at zero; ``before`` and ``now`` change
    places at each step (after an even ``degree`` the result is in ``before``), and ``inner`` is
    room for the inner one of two products; the last two begin with zeros.
    """
    low, high = span
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    start = -half / center
    scale = start
    is_product = len(turned[2]) > 0
    for step in range(1, degree + 1):
        if step == 1:
            a, b, c = scale / half, -center * scale / half, 0.0
            given, result = before, now
        else:
            following = 1.0 / (2.0 / start - scale)
            a = 2.0 * following / half
            b, c = -center * a, -scale * following
            scale = following
            given, result = (now, before) if step % 2 == 0 else (before, now)
        if is_product:
            combine_rows(matrix, given, (1.0, 0.0, 0.0), given, inner)
            combine_rows(turned, inner, (a, b, c), given, result)
        else:
            combine_rows(matrix, given, (a, b, c), given, result)
