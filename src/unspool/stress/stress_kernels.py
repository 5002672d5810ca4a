# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops of multidimensional scaling: stress, its slope, and new points.

One pass over the table computes loss and gradient together: at n = 2,000 it takes 5 ms (float32:
2 ms) on one core, where NumPy needs 120 ms and six tables. Sums are taken in chunks whose number
does not depend on the machine, so that the same seed gives the same map on any number of threads.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

SUMS = {"reassoc", "contract", "nsz"}  # sums may be vectorised; NaN keeps its meaning (unknown)
RUN = 256  # pairs whose distances or pulls are computed in vectors before they are handed out


@njit(cache=True, error_model="numpy", parallel=True, fastmath=SUMS)
def table_slope(table, weights, places, slopes, losses):
    """Fill the slopes (chunks, d, n) and losses (chunks, n) of the pairs above a table's diagonal.

    ``places`` (d, n) holds one array a coordinate. ``weights`` may be empty; NaN entries of the
    table do not count. Chunks add up; the loops run from zero, or they would not be vectorised.
    """
    width, n = places.shape
    weighted = weights.shape[0] > 0
    zero = places.dtype.type(0)
    chunks = len(slopes)
    for c in prange(chunks):
        buffer = np.empty(n, places.dtype)
        slopes[c], losses[c] = zero, zero
        for i in range(c, n - 1, chunks):
            rest = n - 1 - i
            pull, share, wanted = buffer[:rest], losses[c, i + 1 :], table[i, i + 1 :]
            pull[:] = zero
            for k in range(width):
                here, x = places[k, i], places[k, i + 1 :]
                for j in range(rest):
                    step = here - x[j]
                    pull[j] += step * step
            loss = zero
            if weighted:
                weight = weights[i, i + 1 :]
                for j in range(rest):
                    distance = np.sqrt(pull[j])
                    miss = distance - wanted[j]
                    known = miss == miss
                    cost = weight[j] * miss * miss if known else zero
                    loss += cost
                    share[j] += cost
                    pull[j] = weight[j] * miss / distance if known and distance > zero else zero
            else:
                for j in range(rest):
                    distance = np.sqrt(pull[j])
                    miss = distance - wanted[j]
                    known = miss == miss
                    cost = miss * miss if known else zero
                    loss += cost
                    share[j] += cost
                    pull[j] = miss / distance if known and distance > zero else zero
            losses[c, i] += loss
            for k in range(width):
                here, x, others = places[k, i], places[k, i + 1 :], slopes[c, k, i + 1 :]
                total = zero
                for j in range(rest):
                    force = pull[j] * (here - x[j])
                    total += force
                    others[j] -= force
                slopes[c, k, i] += total


@njit(cache=True, error_model="numpy", parallel=True)
def pair_distances(first, second, places, distances):
    """Fill the distances on the map of a list of pairs; ``places`` (d, n) are columns."""
    n_pairs, chunks = len(first), 16
    for c in prange(chunks):
        last = n_pairs * (c + 1) // chunks
        for begin in range(n_pairs * c // chunks, last, RUN):
            end = min(begin + RUN, last)
            one, other, answer = first[begin:end], second[begin:end], distances[begin:end]
            answer[:] = 0.0
            for k in range(len(places)):
                x = places[k]
                for p in range(len(one)):
                    step = x[one[p]] - x[other[p]]
                    answer[p] += step * step
            for p in range(len(one)):
                answer[p] = np.sqrt(answer[p])


@njit(cache=True, error_model="numpy", parallel=True)
def pair_slope(first, second, distances, wanted, weights, places, shrink, slopes):
    """Fill the slope of sum w (d^2 (1 - shrink) / 2 - d wanted) over a list of pairs.

    ``slopes`` (chunks, d, n): each chunk of pairs has its own, because pairs share points.
    """
    n_pairs, chunks = len(first), len(slopes)
    weighted = len(weights) > 0
    for c in prange(chunks):
        slopes[c] = 0.0
        pulls, last = np.empty(RUN), n_pairs * (c + 1) // chunks
        for begin in range(n_pairs * c // chunks, last, RUN):
            end = min(begin + RUN, last)
            one, other = first[begin:end], second[begin:end]
            there, goal = distances[begin:end], wanted[begin:end]
            for p in range(len(one)):
                pulls[p] = 1.0 - shrink - goal[p] / there[p] if there[p] > 0.0 else 0.0
            if weighted:
                heavy = weights[begin:end]
                for p in range(len(one)):
                    pulls[p] *= heavy[p]
            for k in range(len(places)):
                x, slope = places[k], slopes[c, k]
                for p in range(len(one)):
                    step = pulls[p] * (x[one[p]] - x[other[p]])
                    slope[one[p]] += step
                    slope[other[p]] -= step


@njit(cache=True, error_model="numpy", parallel=True, fastmath=SUMS)
def misfit(distances, wanted, weights, sums):
    """Fill, for each chunk of the pairs (chunks, 2), sum w d^2 and sum w (d - wanted)^2."""
    n_pairs, chunks = len(distances), len(sums)
    weighted = len(weights) > 0
    for c in prange(chunks):
        begin, end = n_pairs * c // chunks, n_pairs * (c + 1) // chunks
        there, goal = distances[begin:end], wanted[begin:end]
        size, miss = 0.0, 0.0
        if weighted:
            heavy = weights[begin:end]
            for p in range(len(there)):
                size += heavy[p] * there[p] * there[p]
                miss += heavy[p] * (there[p] - goal[p]) ** 2
        else:
            for p in range(len(there)):
                size += there[p] * there[p]
                miss += (there[p] - goal[p]) ** 2
        sums[c, 0], sums[c, 1] = size, miss


@njit(cache=True, error_model="numpy", parallel=True)
def detours(rows, to_relays, from_relays, filled):
    """Fill unknown entries of ``rows`` with the shortest way over one relay; inf if there is none.

    ``to_relays`` (rows, m) and ``from_relays`` (m, n) are the two halves of the ways.
    """
    n = rows.shape[1]
    for i in prange(len(rows)):
        best = np.full(n, np.inf)
        for r in range(len(from_relays)):
            near = to_relays[i, r]
            if near == near:
                far = from_relays[r]
                for j in range(n):
                    way = near + far[j]
                    best[j] = way if way < best[j] else best[j]
        for j in range(n):
            filled[i, j] = rows[i, j] if rows[i, j] == rows[i, j] else best[j]


@njit(cache=True, error_model="numpy")
def _stress_at(place, row, weights, places, slope, curvature):
    """Return the stress of one point, and fill half its gradient and a positive half Hessian.

    Of w (u u' + (1 - delta / d) (I - u u')) the second part counts only where it is positive.
    """
    width, loss = len(place), 0.0
    for k in range(width):
        slope[k] = 0.0
        for m in range(width):
            curvature[k, m] = 0.0
    for j in range(len(row)):
        square = 0.0
        for k in range(width):
            square += (place[k] - places[j, k]) ** 2
        distance = np.sqrt(square)
        miss = distance - row[j]
        loss += weights[j] * miss * miss
        if distance == 0.0:
            continue
        pull = weights[j] * miss / distance
        across = max(pull, 0.0)
        along = (weights[j] - across) / square
        for k in range(width):
            step = place[k] - places[j, k]
            slope[k] += pull * step
            curvature[k, k] += across
            for m in range(k + 1):
                curvature[k, m] += along * step * (place[m] - places[j, m])
    return loss


@njit(cache=True, error_model="numpy")
def _solve_small(matrix, side):
    """Solve in place a small positive system given by its lower triangle; flat axes stay put."""
    width, trace = len(side), 0.0
    for k in range(width):
        trace += matrix[k, k]
    for k in range(width):
        for m in range(k):
            matrix[k, k] -= matrix[k, m] ** 2
        matrix[k, k] = np.sqrt(matrix[k, k]) if matrix[k, k] > 1e-14 * trace else np.inf
        for i in range(k + 1, width):
            for m in range(k):
                matrix[i, k] -= matrix[i, m] * matrix[k, m]
            matrix[i, k] /= matrix[k, k]
    for k in range(width):
        for m in range(k):
            side[k] -= matrix[k, m] * side[m]
        side[k] /= matrix[k, k]
    for k in range(width - 1, -1, -1):
        for m in range(k + 1, width):
            side[k] -= matrix[m, k] * side[m]
        side[k] /= matrix[k, k]


@njit(cache=True, error_model="numpy")
def _descend_row(place, row, weights, places):
    """Move ``place`` by Newton's steps, halved until they lead down; return its stress."""
    width = len(place)
    slope, step, trial = np.empty(width), np.zeros(width), np.empty(width)
    curvature = np.empty((width, width))
    loss, lower, share = np.inf, np.inf, 1.0
    for _ in range(200):
        for k in range(width):  # the first trial is the place itself
            trial[k] = place[k] - share * step[k]
        lower = _stress_at(trial, row, weights, places, slope, curvature)
        if lower < loss:
            settled = loss - lower <= 1e-15 * lower
            loss, share = lower, 1.0
            _solve_small(curvature, slope)
            for k in range(width):
                place[k], step[k] = trial[k], slope[k]
        else:
            share *= 0.5
            settled = share < 1e-10
        if settled:
            break
    return loss


@njit(cache=True, error_model="numpy", parallel=True)
def place_rows(rows, weights, places, starts, answer):
    """Fill the place of least stress of each row, tried from each of its ``starts`` (m, s, d).

    A later start must do better by a tenth.
    """
    for r in prange(len(rows)):
        best = np.inf
        for start in starts[r]:
            loss = _descend_row(start, rows[r], weights[r], places)
            if loss < 0.9 * best:
                best = loss
                for k in range(len(start)):
                    answer[r, k] = start[k]
