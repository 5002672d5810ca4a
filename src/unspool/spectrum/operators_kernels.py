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
def add_row(matrix, i, inner, sums):
    """Add row i of a sparse matrix times eight columns to ``sums``, four entries at a time.

    The eight are written out, read before any is stored: so they become one instruction.
    """
    starts, columns, entries = matrix
    slot, last = starts[i], starts[i + 1]
    while slot + 4 <= last:
        e, f, g, h = entries[slot], entries[slot + 1], entries[slot + 2], entries[slot + 3]
        y, z = inner[np.uint64(columns[slot])], inner[np.uint64(columns[slot + 1])]
        u, v = inner[np.uint64(columns[slot + 2])], inner[np.uint64(columns[slot + 3])]
        t0 = sums[0] + e * y[0] + f * z[0] + g * u[0] + h * v[0]
        t1 = sums[1] + e * y[1] + f * z[1] + g * u[1] + h * v[1]
        t2 = sums[2] + e * y[2] + f * z[2] + g * u[2] + h * v[2]
        t3 = sums[3] + e * y[3] + f * z[3] + g * u[3] + h * v[3]
        t4 = sums[4] + e * y[4] + f * z[4] + g * u[4] + h * v[4]
        t5 = sums[5] + e * y[5] + f * z[5] + g * u[5] + h * v[5]
        t6 = sums[6] + e * y[6] + f * z[6] + g * u[6] + h * v[6]
        t7 = sums[7] + e * y[7] + f * z[7] + g * u[7] + h * v[7]
        sums[0], sums[1], sums[2], sums[3] = t0, t1, t2, t3
        sums[4], sums[5], sums[6], sums[7] = t4, t5, t6, t7
        slot += 4
    while slot < last:
        e, y = entries[slot], inner[np.uint64(columns[slot])]
        t0 = sums[0] + e * y[0]
        t1 = sums[1] + e * y[1]
        t2 = sums[2] + e * y[2]
        t3 = sums[3] + e * y[3]
        t4 = sums[4] + e * y[4]
        t5 = sums[5] + e * y[5]
        t6 = sums[6] + e * y[6]
        t7 = sums[7] + e * y[7]
        sums[0], sums[1], sums[2], sums[3] = t0, t1, t2, t3
        sums[4], sums[5], sums[6], sums[7] = t4, t5, t6, t7
        slot += 1


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, forceinline=True)
def combine_rows(matrix, inner, factors, block, pushes, residuals, out):
    """Write a A y + b x + c z + p r by rows, A sparse: y = ``inner``, x = ``block``, z = ``out``.

    All have eight columns, with one push p for each.
    """
    a, b, c = factors
    sums = np.empty(LANES, matrix[2].dtype)
    for i in range(len(matrix[0]) - 1):
        sums[:] = 0.0
        add_row(matrix, i, inner, sums)
        x, r, z = block[i], residuals[i], out[i]
        t0 = a * sums[0] + b * x[0] + c * z[0] + pushes[0] * r[0]
        t1 = a * sums[1] + b * x[1] + c * z[1] + pushes[1] * r[1]
        t2 = a * sums[2] + b * x[2] + c * z[2] + pushes[2] * r[2]
        t3 = a * sums[3] + b * x[3] + c * z[3] + pushes[3] * r[3]
        t4 = a * sums[4] + b * x[4] + c * z[4] + pushes[4] * r[4]
        t5 = a * sums[5] + b * x[5] + c * z[5] + pushes[5] * r[5]
        t6 = a * sums[6] + b * x[6] + c * z[6] + pushes[6] * r[6]
        t7 = a * sums[7] + b * x[7] + c * z[7] + pushes[7] * r[7]
        z[0], z[1], z[2], z[3] = t0, t1, t2, t3
        z[4], z[5], z[6], z[7] = t4, t5, t6, t7


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, lanes=True)
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
    none = np.zeros(LANES)
    for step in range(1, degree + 1):
        if step == 1:
            a, b, c = scale / half, -center * scale / half, 0.0
        else:
            following = 1.0 / (2.0 / start - scale)
            a = 2.0 * following / half
            b, c = -center * a, -scale * following
            scale = following
        given, result = (now, before) if step % 2 == 0 else (before, now)
        if is_product:
            combine_rows(matrix, given, (1.0, 0.0, 0.0), given, none, given, inner)
            combine_rows(turned, inner, (a, b, c), given, none, given, result)
        else:
            combine_rows(matrix, given, (a, b, c), given, none, given, result)


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, lanes=True)
def filter_residuals(matrix, span, degree, values, residuals, before, now):
    """Make p(A) v - p(value) v of the residuals (A - value) v of eight Ritz vectors v.

    With p_(k+1) = a (x - center) p_k + c p_(k-1), the difference d_k obeys the same recursion with
    a p_k(value) times the residual added at each step. It is as small as the residual, so that
    single precision gives it six digits, however exact v is. All arrays are in single precision
    but ``values``; ``before`` and ``now`` begin with zeros and change places, as in
    ``filter_columns``: after an even ``degree`` the result is in ``before``.
    """
    low, high = span
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    start = -half / center
    scale = start
    last, here, pushes = np.zeros(LANES), np.ones(LANES), np.empty(LANES, np.float32)
    for step in range(1, degree + 1):
        if step == 1:
            a, c = scale / half, 0.0
        else:
            following = 1.0 / (2.0 / start - scale)
            a, c = 2.0 * following / half, -scale * following
            scale = following
        for k in range(LANES):
            pushes[k] = a * here[k]
            last[k], here[k] = here[k], a * (values[k] - center) * here[k] + c * last[k]
        factors = np.float32(a), np.float32(-center * a), np.float32(c)
        given, result = (now, before) if step % 2 == 0 else (before, now)
        combine_rows(matrix, given, factors, given, pushes, residuals, result)


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, lanes=True)
def solve_by_columns(triangle, pivots, backward, block):
    """Solve T x = block in place, for eight columns, taking out each unknown as it is found.

    ``triangle`` are the columns of -T, with zeros for the ``pivots`` on its diagonal; that of an
    upper triangle is solved ``backward``.
    """
    starts, rows, entries = triangle
    n = len(pivots)
    for step in range(n):
        j = n - 1 - step if backward else step
        x = block[j]
        pivot = pivots[j]
        a, b, c, d = x[0] / pivot, x[1] / pivot, x[2] / pivot, x[3] / pivot
        f, g, h, i = x[4] / pivot, x[5] / pivot, x[6] / pivot, x[7] / pivot
        x[0], x[1], x[2], x[3] = a, b, c, d
        x[4], x[5], x[6], x[7] = f, g, h, i
        for slot in range(starts[j], starts[j + 1]):
            e, z = entries[slot], block[np.uint64(rows[slot])]
            t0 = z[0] + e * a
            t1 = z[1] + e * b
            t2 = z[2] + e * c
            t3 = z[3] + e * d
            t4 = z[4] + e * f
            t5 = z[5] + e * g
            t6 = z[6] + e * h
            t7 = z[7] + e * i
            z[0], z[1], z[2], z[3] = t0, t1, t2, t3
            z[4], z[5], z[6], z[7] = t4, t5, t6, t7


@njit(cache=True, error_model="numpy", nogil=True, fastmath=REORDERED, lanes=True)
def solve_by_rows(triangle, pivots, backward, block):
    """Solve T' x = block in place, for eight columns; ``triangle`` are the columns of -T.

    They are the rows of T', an unknown each: that of a lower T is solved ``backward``.
    """
    sums = np.empty(LANES)
    n = len(pivots)
    for step in range(n):
        j = n - 1 - step if backward else step
        x = block[j]
        for k in range(LANES):
            sums[k] = x[k]
        add_row(triangle, j, block, sums)
        for k in range(LANES):
            x[k] = sums[k] / pivots[j]
