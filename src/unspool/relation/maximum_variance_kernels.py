# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops over pairs of pairs of points: all run without the interpreter's lock."""

from __future__ import annotations

from ..runtime.compiling import njit


@njit(nogil=True, cache=True)
def multiply_pairs(table, others, first, second, product, begin, end):
    """Fill rows of the lower triangle of (B'KB) * (B'LB), where the columns of B are e_i - e_j.

    Two rows of each table are read for a row of the product; written with NumPy all of them are
    gathered into tables of as many columns as there are pairs, which takes longer than the
    factorisation that follows.
    """
    for a in range(begin, end):
        near, far = table[first[a]], table[second[a]]
        close, off = others[first[a]], others[second[a]]
        row = product[a]
        for b in range(a + 1):
            i, j = first[b], second[b]
            row[b] = ((near[i] - near[j]) - (far[i] - far[j])) * (
                (close[i] - close[j]) - (off[i] - off[j])
            )
