# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops: a smooth sheet, its tangents, and the projection onto it by Newton steps.

Every point takes its own number of steps from its own start; in NumPy all would wait for the
slowest, and an n x knots table of distances would be built for each step. Knots and loads come
with one row a coordinate, (d, knots) and (D, knots): the loops over the knots are then vectorised.

Compiled loops over the places of a surface: a few hundred of them, each against all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

SUMS = {"reassoc", "contract", "nsz"}  # sums may be vectorised
# No array is created here, so none has to be counted: that halves the time to compile. What the
# loops need to work in comes from the caller.
VIEWS: Any = {"_nrt": False}


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def _dot(one, other):
    total = 0.0
    for w in range(len(one)):
        total += one[w] * other[w]
    return total


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def _look(place, knots, reach, squares):
    """Write the distance of a place to every knot, and its square."""
    for a in range(len(place)):
        for k in range(len(squares)):
            step = place[a] - knots[a, k]
            squares[k] = step * step + (squares[k] if a > 0 else 0.0)
    for k in range(len(squares)):
        reach[k] = np.sqrt(squares[k])


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def _value(place, flat, loads, reach, squares, value):
    """Write the value of the sheet at a place that has looked around."""
    for w in range(len(value)):
        load, total = loads[w], 0.0
        for k in range(len(reach)):
            total += load[k] * (reach[k] * squares[k])
        value[w] = flat[0, w] + total
        for a in range(len(place)):
            value[w] += place[a] * flat[1 + a, w]


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def _tangents(place, knots, flat, loads, reach, slopes):
    """Write the derivatives of the sheet at a place that has looked around."""
    for a in range(len(place)):
        here, knot = place[a], knots[a]
        for w in range(slopes.shape[1]):
            load, total = loads[w], 0.0
            for k in range(len(reach)):
                total += load[k] * (reach[k] * (here - knot[k]))
            slopes[a, w] = flat[1 + a, w] + 3.0 * total


@njit(cache=True, error_model="numpy", **VIEWS)
def values_at(places, sheet, seen, values):
    """Fill the values (n, D) of a sheet; ``seen`` is room for what a place sees of the knots."""
    (knots, flat, loads), (reach, squares) = sheet, seen
    for i in range(len(places)):
        _look(places[i], knots, reach, squares)
        _value(places[i], flat, loads, reach, squares, values[i])


@njit(cache=True, error_model="numpy", **VIEWS)
def slopes_at(places, sheet, seen, slopes):
    """Fill the derivatives (n, d, D) of a sheet, one tangent vector for every parameter."""
    (knots, flat, loads), (reach, squares) = sheet, seen
    for i in range(len(places)):
        _look(places[i], knots, reach, squares)
        _tangents(places[i], knots, flat, loads, reach, slopes[i])


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def _newton_system(place, sheet, misfit, slopes, seen, gradient, hessian):
    """Write gradient and second derivatives of half the squared distance; return their trace.

    ``seen`` is what it saw around: the distances to the knots, and room for the pull of each.
    """
    d, size, (knots, _, loads), (reach, pulls) = len(place), 0.0, sheet, seen
    for k in range(len(reach)):
        pulls[k] = 0.0
    for w in range(len(misfit)):
        load, miss = loads[w], misfit[w]
        for k in range(len(reach)):
            pulls[k] += load[k] * miss
    bend = 3.0 * _dot(pulls, reach)
    for k in range(len(reach)):
        pulls[k] = pulls[k] / reach[k] if reach[k] > 0.0 else 0.0
    for a in range(d):
        gradient[a] = _dot(slopes[a], misfit)
        for b in range(a + 1):
            total = 0.0
            for k in range(len(reach)):
                total += pulls[k] * ((place[a] - knots[a, k]) * (place[b] - knots[b, k]))
            hessian[a, b] = _dot(slopes[a], slopes[b]) + 3.0 * total
            hessian[b, a] = hessian[a, b]
        hessian[a, a] += bend
        size += hessian[a, a]
    return abs(size)


@njit(cache=True, error_model="numpy", **VIEWS)
def _solved(hessian, damping, gradient, root, step):
    """Solve (hessian + damping) step = -gradient by Cholesky; False if that is not positive."""
    d = len(gradient)
    for a in range(d):
        for b in range(a + 1):
            total = hessian[a, b] + (damping if a == b else 0.0)
            for c in range(b):
                total -= root[a, c] * root[b, c]
            if a == b:
                if total <= 1e-14 * abs(hessian[a, a]) or not np.isfinite(total):
                    return False
                root[a, a] = np.sqrt(total)
            else:
                root[a, b] = total / root[b, b]
    for a in range(d):
        total = -gradient[a]
        for c in range(a):
            total -= root[a, c] * step[c]
        step[a] = total / root[a, a]
    for a in range(d - 1, -1, -1):
        total = step[a]
        for c in range(a + 1, d):
            total -= root[c, a] * step[c]
        step[a] = total / root[a, a]
    return True


@njit(cache=True, error_model="numpy", **VIEWS)
def _copy(values, target):
    """Copy a short row: assigned as slices, rows take seconds to compile."""
    for w in range(len(values)):
        target[w] = values[w]


@njit(cache=True, error_model="numpy", **VIEWS)
def _reach_for(point, sheet, place, room):
    """Evaluate the sheet at a place; return the squared distance of its value to the point."""
    knots, flat, loads = sheet
    foot, misfit, slopes, reach, squares = room
    _look(place, knots, reach, squares)
    _value(place, flat, loads, reach, squares, foot)
    _tangents(place, knots, flat, loads, reach, slopes)
    for w in range(len(point)):
        misfit[w] = foot[w] - point[w]
    return _dot(misfit, misfit)


@njit(cache=True, error_model="numpy", **VIEWS)
def _shorter(newton, damping, size):
    """Write the next step to try, damped until it exists; return the damping, inf if none does."""
    _, gradient, hessian, root, step = newton
    for _ in range(25):
        if _solved(hessian, damping, gradient, root, step):
            return damping
        damping = max(8.0 * damping, 1e-3 * size + 1e-12)
    return np.inf


@njit(cache=True, error_model="numpy", **VIEWS)
def descend_on_sheet(points, sheet, max_steps, space, places, feet, squares):
    """Move the place of every point to the nearest foot; fill the feet and squared distances.

    Newton's method, damped where it would not come nearer. The first trial is the place itself.
    One function: another around it would be compiled with all of this once more.
    """
    room, newton = space
    (foot, misfit, slopes, reach, around), (trial, gradient, hessian, _, step) = room, newton
    for i in range(len(points)):
        place, square, damping, size, steps, trials = places[i], np.inf, 0.0, 0.0, 0, 0
        _copy(place, trial)
        while True:
            reached = _reach_for(points[i], sheet, trial, room)
            # near the foot a step changes the distance by less than the sheet is rounded
            if reached <= square + 2e-13 * np.sqrt(square) + 1e-26:
                _copy(trial, place)
                square = reached
                # an undamped step of 1e-8 leaves an error of its square; a damped one may not
                near = (1e-16 if damping == 0.0 else 1e-28) * (1.0 + _dot(trial, trial))
                if steps == max_steps or (steps > 0 and _dot(step, step) <= near):
                    break
                damping = 0.0 if damping <= 1e-2 * size else damping / 32.0
                seen = (reach, around)  # the squares have served
                size = _newton_system(place, sheet, misfit, slopes, seen, gradient, hessian)
                steps, trials = steps + 1, 0
            else:
                damping, trials = max(8.0 * damping, 1e-3 * size + 1e-12), trials + 1
            damping = _shorter(newton, damping, size)
            if trials == 25 or damping == np.inf:  # nowhere is nearer: look at the place once more
                steps, square = max_steps, np.inf
            for a in range(len(place)):
                trial[a] = place[a] + (step[a] if square < np.inf else 0.0)
        squares[i] = square
        _copy(foot, feet[i])


@njit(cache=True, error_model="numpy", fastmath=SUMS, **VIEWS)
def spread_out(places, nearest, squares, chosen):
    """Fill ``chosen`` with distinct places of these (d, n), each far from all those before.

    The first is the place nearest to the centre; the search ends when only duplicates are left.
    Returns how many there are. ``nearest`` comes filled with infinity, ``squares`` is room.
    """
    d, n = places.shape
    reach, newest = 0.0, 0
    for c in range(-1, len(chosen)):  # first, all are measured from the centre
        for i in range(n):
            squares[i] = 0.0
        for a in range(d):
            x = places[a]
            here = x[newest]
            if c < 0:
                here = 0.0
                for i in range(n):
                    here += x[i] / n
            for i in range(n):
                squares[i] += (x[i] - here) * (x[i] - here)
        if c < 0:
            for i in range(n):
                newest = i if squares[i] < squares[newest] else newest
                reach = squares[i] if squares[i] > reach else reach
            continue
        chosen[c], farthest = newest, 0.0
        for i in range(n):
            nearest[i] = squares[i] if squares[i] < nearest[i] else nearest[i]
            farthest = nearest[i] if nearest[i] > farthest else farthest
        if farthest <= 1e-12 * reach:
            return c + 1
        newest = 0
        while nearest[newest] < farthest:
            newest += 1
    return len(chosen)
