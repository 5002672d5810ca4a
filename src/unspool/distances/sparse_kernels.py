# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops over the entries of sparse points, without the interpreter's lock."""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit
from .exact_kernels import INNER, _later, _sift_down, sort_heap

UNIT = 2.0**-53


@njit(forceinline=True, **INNER)
def _difference(one, i, other, j):
    """Return |x - y|^2 of two rows, by the differences of their entries."""
    a, a_end, b, b_end = one[0][i], one[0][i + 1], other[0][j], other[0][j + 1]
    total = 0.0
    while a < a_end and b < b_end:
        if one[1][a] == other[1][b]:
            gap = one[2][a] - other[2][b]
            a += 1
            b += 1
        elif one[1][a] < other[1][b]:
            gap = one[2][a]
            a += 1
        else:
            gap = other[2][b]
            b += 1
        total += gap * gap
    while a < a_end:
        total += one[2][a] * one[2][a]
        a += 1
    while b < b_end:
        total += other[2][b] * other[2][b]
        b += 1
    return total


@njit(forceinline=True, **INNER)
def _products(first, last, queries, factors, table):
    """Write the inner products of some queries with all points."""
    block, place, starts, points, values = factors
    if block.shape[1]:
        left = np.zeros((last - first, block.shape[1]))
        for q in range(first, last):
            for e in range(queries[0][q], queries[0][q + 1]):
                if place[queries[1][e]] >= 0:
                    left[q - first, place[queries[1][e]]] = queries[2][e]
        np.dot(left, block.T, table)
    else:
        table[:] = 0.0
    for q in range(first, last):
        row = table[q - first]
        for e in range(queries[0][q], queries[0][q + 1]):
            column, x = queries[1][e], queries[2][e]
            if place[column] < 0:
                for at in range(starts[column], starts[column + 1]):
                    row[points[at]] += x * values[at]


@njit(forceinline=True, **INNER)
def _lower_bounds(q, queries, rows, slack, row):
    """Turn the products of a query into bounds of its squared distances, from below."""
    mine, entries = queries[3][q], queries[0][q + 1] - queries[0][q]
    share = 1.0 - slack * (entries + 8) * UNIT
    for j in range(row.shape[0]):
        row[j] = (mine + rows[3][j]) * share - 2.0 * row[j]


@njit(nogil=True, cache=True, error_model="numpy")
def squares(first, last, queries, rows, factors, table, slack, limit):
    """Write squared distances; infinity where they are surely above the limit."""
    _products(first, last, queries, factors, table)
    for q in range(first, last):
        row = table[q - first]
        share = slack * (queries[0][q + 1] - queries[0][q] + 8) * UNIT
        _lower_bounds(q, queries, rows, slack, row)
        for j in range(row.shape[0]):
            both = queries[3][q] + rows[3][j]
            if row[j] > limit:
                row[j] = np.inf
            elif row[j] > 1e5 * share * both:  # ten digits are left: no need of differences
                row[j] += share * both
            else:
                row[j] = _difference(queries, q, rows, j)


@njit(nogil=True, cache=True, error_model="numpy")
def nearest(first, last, queries, rows, factors, space, slack, index, dist):
    """Find the nearest points of some queries: first by bounds, then by what these let pass."""
    tall, k = space.shape[0], dist.shape[1]
    bound, who = np.empty(k), np.empty(k, np.int64)
    for begin in range(first, last, tall):
        end = min(begin + tall, last)
        _products(begin, end, queries, factors, space[: end - begin])
        for q in range(begin, end):
            row = space[q - begin]
            _lower_bounds(q, queries, rows, slack, row)
            bound[:], who[:] = np.inf, np.iinfo(np.int64).max
            for j in range(row.shape[0]):
                if row[j] < bound[0]:
                    _sift_down(bound, who, 0, k, row[j], j)
            best, names = dist[q], index[q]
            best[:], names[:] = np.inf, np.iinfo(np.int64).max
            for at in range(k):
                _sift_down(best, names, 0, k, _difference(queries, q, rows, who[at]), who[at])
                row[who[at]] = np.inf
            for j in range(row.shape[0]):
                if row[j] <= best[0] * (1 + 1e-12):
                    d = _difference(queries, q, rows, j)
                    if _later(best[0], names[0], d, j):
                        _sift_down(best, names, 0, k, d, j)
            sort_heap(best, names)
