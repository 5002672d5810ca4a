# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled products of tables in single or double precision with few vectors, summed in double.

Memory traffic is all that such a product costs, so that each entry is read once, as it is: a copy
in double precision would cost three times as much. Other threads may run (``nogil``). A row's sums
do not depend on the rows beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

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
