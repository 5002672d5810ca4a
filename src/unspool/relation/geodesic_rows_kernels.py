# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of query points' rows: all run without the interpreter's lock."""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit

# Sums may be reordered, as vector units do, but alike for every row: rows do not know of batches.
SUMS = {"reassoc", "contract"}


@njit(nogil=True, cache=True)
def take_roots(similarities, points, first, lengths):
    """Fill ``lengths`` with sqrt(-2 s) of some points' similarities to columns from ``first`` on.

    In the precision of the table.
    """
    factor = similarities.dtype.type(-2.0)
    for i in range(lengths.shape[0]):
        row, out = similarities[points[i], first : first + lengths.shape[1]], lengths[i]
        for j in range(out.shape[0]):
            out[j] = np.sqrt(factor * row[j])


@njit(nogil=True, cache=True, fastmath=SUMS)
def add_image(starts, through, gaps, lengths, means, anchors, row, image, sums):
    """Add what some columns contribute to the query points' rows times anchors.

    A query's path to column j is the shortest of gap + length through its neighbours; s is -1/2 of
    its square, ``sums`` collects s - mean_j, and ``image`` (s - mean_j) anchor_j. ``row`` is a
    workspace of as many entries as there are columns. All but the two sums is in the precision of
    the lengths: single has an error of 1e-7 in each path, as the lengths have.
    """
    half, infinite = lengths.dtype.type(-0.5), lengths.dtype.type(np.inf)
    zero = lengths.dtype.type(0.0)
    for q in range(image.shape[0]):
        row[:] = infinite
        slot, last = starts[q], starts[q + 1]
        while slot + 4 <= last:  # four neighbours at a time: the row is read and written less often
            one, two, three, four = gaps[slot], gaps[slot + 1], gaps[slot + 2], gaps[slot + 3]
            a, b = lengths[through[slot]], lengths[through[slot + 1]]
            c, d = lengths[through[slot + 2]], lengths[through[slot + 3]]
            for j in range(row.shape[0]):
                row[j] = min(
                    row[j], min(min(one + a[j], two + b[j]), min(three + c[j], four + d[j]))
                )
            slot += 4
        for rest in range(slot, last):
            gap, known = gaps[rest], lengths[through[rest]]
            for j in range(row.shape[0]):
                row[j] = min(row[j], gap + known[j])
        total = zero
        for j in range(row.shape[0]):
            row[j] = half * row[j] * row[j] - means[j]
            total += row[j]
        sums[q] += total
        for c in range(image.shape[1]):
            product = zero
            for j in range(row.shape[0]):
                product += row[j] * anchors[c, j]
            image[q, c] += product
