# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops that place query points by their own stress against a fixed map."""

from __future__ import annotations

import numpy as np

from ..runtime.compiling import njit

# As in ``stress_kernels``: what is called from another kernel is inlined.
SUMS = {"reassoc", "contract", "nsz"}
ROUGH, CLOSE = 1e-3, 1e-6  # shares of stress: to compare positions, and to leave single precision


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True)
def _stress_in_plane(position, row, weights, columns, least, gradient, curvature):
    """Do what ``_stress_at`` does in two dimensions, in one loop that writes nothing."""
    zero, one = row.dtype.type(0.0), row.dtype.type(1.0)
    here, there, x, y = position[0], position[1], columns[0], columns[1]
    loss = total = slope_x = slope_y = bend_xx = bend_xy = bend_yy = zero
    for j in range(len(row)):
        step_x, step_y, weight = here - x[j], there - y[j], weights[j]
        square = step_x * step_x + step_y * step_y
        distance, apart = np.sqrt(square), square > zero
        inverse = (one if apart else zero) / (distance if apart else one)
        miss = distance - row[j]
        loss += weight * miss * miss
        force = weight * miss * inverse
        across = force if force > least else least
        across = across if apart else zero
        total += across
        along = (weight - across) * inverse * inverse
        slope_x += force * step_x
        slope_y += force * step_y
        bend_xx += along * step_x * step_x
        bend_xy += along * step_x * step_y
        bend_yy += along * step_y * step_y
    gradient[0], gradient[1] = slope_x, slope_y
    curvature[0, 0], curvature[1, 0], curvature[1, 1] = bend_xx + total, bend_xy, bend_yy + total
    return loss


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True)
def _stress_at(position, row, weights, columns, least, space, gradient, curvature):
    """Return the stress of one point, and fill half its gradient and half its Hessian.

    That is the sum of w u u' + w (1 - delta / d) (I - u u'). Where w (1 - delta / d) is below
    ``least``, that is taken in its place: with 0 the sum is positive, with -inf it is the Hessian.
    ``columns`` (d, n) are the coordinates of the configuration, ``space`` (2, n) is room. All in
    the precision of the row, its constants too: else none of it would be single.
    """
    if len(position) == 2:
        return _stress_in_plane(position, row, weights, columns, least, gradient, curvature)
    pull, along = space[0], space[1]  # unpacked, their layout would be unknown
    zero, one = row.dtype.type(0.0), row.dtype.type(1.0)
    loss, total = zero, zero
    pull[:] = zero
    for k in range(len(position)):
        here, x = position[k], columns[k]
        for j in range(len(row)):
            pull[j] += (here - x[j]) * (here - x[j])
    for j in range(len(row)):
        square = pull[j]
        distance = np.sqrt(square)
        apart = square > zero
        inverse = (one if apart else zero) / (distance if apart else one)
        miss = distance - row[j]
        loss += weights[j] * miss * miss
        force = weights[j] * miss * inverse
        across = force if force > least else least
        across = across if apart else zero
        total += across
        pull[j] = force
        along[j] = (weights[j] - across) * inverse * inverse
    for k in range(len(position)):
        here, x, slope = position[k], columns[k], zero
        for j in range(len(row)):
            slope += pull[j] * (here - x[j])
        gradient[k] = slope
        for m in range(k + 1):
            there, y, bend = position[m], columns[m], zero
            for j in range(len(row)):
                bend += along[j] * (here - x[j]) * (there - y[j])
            curvature[k, m] = bend
        curvature[k, k] += total
    return loss


@njit(cache=True, error_model="numpy", nogil=True)
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


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _descend_row(position, row, weights, columns, space, tolerance):
    """Move ``position`` by Newton's steps, halved until they lead down; return its stress.

    Until a step lowers stress by this share at most.
    """
    width, zero = len(position), row.dtype.type(0.0)
    gradient, step, trial = (
        np.empty_like(position),
        np.zeros_like(position),
        np.empty_like(position),
    )
    curvature = np.empty((width, width), row.dtype)
    loss, lower, share = np.inf, np.inf, row.dtype.type(1.0)
    for _ in range(200):
        for k in range(width):  # the first trial is the position itself
            trial[k] = position[k] - share * step[k]
        lower = _stress_at(trial, row, weights, columns, zero, space, gradient, curvature)
        if lower < loss:
            converged = loss - lower <= tolerance * lower
            loss, share = lower, row.dtype.type(1.0)
            _solve_small(curvature, gradient)
            for k in range(width):
                position[k], step[k] = trial[k], gradient[k]
        else:
            share *= row.dtype.type(0.5)
            converged = share < np.sqrt(tolerance)  # shorter ones change nothing that counts
        if converged:
            break
    return loss


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True)
def _refine_row(position, row, weights, columns, space):
    """Move ``position`` by Newton's steps while they halve its gradient, unless they lead up.

    Tell whether they took it to the minimum: its gradient fell to a millionth.

    Where stress no longer changes a digit, the position still does, by the root of that: two maps
    that differ by 1e-15 would place a point 1e-8 apart.
    """
    width = len(position)
    gradient, trial, before = np.empty(width), position.copy(), position.copy()
    curvature, least, steepest = np.empty((width, width)), np.inf, np.inf
    first, last = np.inf, np.inf
    for _ in range(60):
        loss = _stress_at(trial, row, weights, columns, -np.inf, space, gradient, curvature)
        size = 0.0
        for k in range(width):
            size += gradient[k] ** 2
        if not size < 0.25 * least:
            break
        if first == np.inf:
            first, steepest = loss, size
        last, least = loss, size
        _solve_small(curvature, gradient)
        for k in range(width):
            position[k] = trial[k]
            trial[k] -= gradient[k]
    if last > first * (1.0 + 1e-12):
        position[:] = before
        return False
    return least <= 1e-12 * steepest


@njit(cache=True, error_model="numpy", nogil=True)
def place_rows(rows, weights, columns, single, unit, initial, answer):
    """Fill the position of least stress of each row, tried from each of its ``initial`` (m, s, d).

    A later position must do better by a tenth: its first digits tell, and are found from the same
    in single precision (``single``), with lengths in another unit. From the best one Newton's steps
    lead on; where they do not, the others, to the last digit.
    """
    rows32, weights32, columns32 = single
    width, n = columns.shape
    space, space32 = np.empty((2, n)), np.empty((2, n), np.float32)
    position, closest = np.empty(width, np.float32), np.empty(width, np.float32)
    for r in range(len(rows)):
        best = np.inf
        answer[r] = initial[r, 0]  # where single precision holds no such lengths
        for start in initial[r]:
            for k in range(width):
                position[k] = start[k] / unit
            loss = _descend_row(position, rows32[r], weights32[r], columns32, space32, ROUGH)
            if loss < 0.9 * best:
                best = loss
                closest[:] = position
        if best < np.inf:
            _descend_row(closest, rows32[r], weights32[r], columns32, space32, CLOSE)
            for k in range(width):
                answer[r, k] = closest[k] * unit
        if not _refine_row(answer[r], rows[r], weights[r], columns, space):
            _descend_row(answer[r], rows[r], weights[r], columns, space, 1e-15)
            _refine_row(answer[r], rows[r], weights[r], columns, space)


@njit(cache=True, error_model="numpy", nogil=True)
def find_least(rows, found):
    """Fill the columns of the least entries of each row, in order; of equal ones the first.

    NaN goes last. NumPy's partition takes ten times as long for so few.
    """
    count = found.shape[1]
    for r in range(len(rows)):
        row, best = rows[r], found[r]
        best[:] = -1
        for j in range(len(row)):
            value, last = row[j], best[count - 1]
            if last >= 0 and not value < row[last]:
                continue
            if value != value:
                continue
            at = count - 1
            while at > 0 and (best[at - 1] < 0 or value < row[best[at - 1]]):
                best[at] = best[at - 1]
                at -= 1
            best[at] = j
        unknown = 0
        for slot in range(count):
            if best[slot] < 0:
                while row[unknown] == row[unknown]:
                    unknown += 1
                best[slot] = unknown
                unknown += 1
