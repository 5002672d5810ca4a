"""Compiled loops: choosing well-spread points, and projecting onto a smooth sheet by Newton steps.

Every point takes its own number of steps from its own start; in NumPy all would wait for the
slowest, and an n x knots table of distances would be built for each step.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy")
def spread_out(places, count):  # type: ignore[no-untyped-def]
    """Return up to ``count`` indices of distinct places, each as far as can be from those before.

    The first is the place nearest to the centre; the search ends when only duplicates are left.
    """
    n, d = places.shape
    nearest = np.zeros(n)
    for j in range(d):
        nearest += (places[:, j] - places[:, j].mean()) ** 2
    chosen = np.empty(count, dtype=np.int64)
    newest = np.argmin(nearest)
    reach = nearest.max()
    nearest[:] = np.inf
    for c in range(count):
        chosen[c] = newest
        for i in range(n):
            square = 0.0
            for j in range(d):
                square += (places[i, j] - places[newest, j]) ** 2
            nearest[i] = min(nearest[i], square)
        newest = np.argmax(nearest)
        if nearest[newest] <= 1e-12 * reach:
            return chosen[: c + 1]
    return chosen


@njit(cache=True, error_model="numpy")
def _dot(one, other):  # type: ignore[no-untyped-def]
    total = 0.0
    for w in range(len(one)):
        total += one[w] * other[w]
    return total


@njit(cache=True, error_model="numpy")
def _evaluate(place, knots, flat, loads, value, slopes):  # type: ignore[no-untyped-def]
    """Write value and derivatives of the sheet at one place."""
    d, width = len(place), len(value)
    for w in range(width):
        value[w] = flat[0, w]
        for a in range(d):
            slopes[a, w] = flat[1 + a, w]
            value[w] += place[a] * flat[1 + a, w]
    for k in range(len(knots)):
        square = 0.0
        for a in range(d):
            square += (place[a] - knots[k, a]) ** 2
        r = np.sqrt(square)
        for w in range(width):
            value[w] += loads[k, w] * r * square
        for a in range(d):
            pull = 3.0 * r * (place[a] - knots[k, a])
            for w in range(width):
                slopes[a, w] += pull * loads[k, w]


@njit(cache=True, error_model="numpy")
def slopes_at(places, knots, flat, loads):  # type: ignore[no-untyped-def]
    """Return the derivatives of a sheet, one tangent vector for every parameter of every place."""
    n, d = places.shape
    value, slopes = np.empty(flat.shape[1]), np.empty((n, d, flat.shape[1]))
    for i in range(n):
        _evaluate(places[i], knots, flat, loads, value, slopes[i])
    return slopes


@njit(cache=True, error_model="numpy")
def _newton_system(place, knots, loads, misfit, slopes, gradient, hessian):  # type: ignore[no-untyped-def]
    """Write gradient and second derivatives of half the squared distance at one place."""
    d = len(place)
    for a in range(d):
        gradient[a] = _dot(slopes[a], misfit)
        for b in range(d):
            hessian[a, b] = _dot(slopes[a], slopes[b])
    for k in range(len(knots)):
        load = _dot(loads[k], misfit)
        square = 0.0
        for a in range(d):
            square += (place[a] - knots[k, a]) ** 2
        r = np.sqrt(square)
        if r > 0.0:
            for a in range(d):
                hessian[a, a] += 3.0 * load * r
                for b in range(d):
                    crossed = (place[a] - knots[k, a]) * (place[b] - knots[k, b])
                    hessian[a, b] += 3.0 * load * crossed / r


@njit(cache=True, error_model="numpy")
def _solved(hessian, damping, gradient, root, step):  # type: ignore[no-untyped-def]
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


@njit(cache=True, error_model="numpy")
def _descend(point, sheet, place, foot, room, max_steps):  # type: ignore[no-untyped-def]
    """Move a place (and its foot) to the nearest foot around it; return the squared distance.

    Newton's method, damped where it would not come nearer.
    """
    knots, flat, loads = sheet
    trial, misfit, slopes, gradient, hessian, root, step = room
    _evaluate(place, knots, flat, loads, foot, slopes)
    misfit[:] = foot - point
    square, damping = _dot(misfit, misfit), 0.0
    for _ in range(max_steps):
        _newton_system(place, knots, loads, misfit, slopes, gradient, hessian)
        size = abs(np.trace(hessian))
        moved = False
        for _ in range(25):
            if _solved(hessian, damping, gradient, root, step):
                trial[:] = place + step
                _evaluate(trial, knots, flat, loads, foot, slopes)
                misfit[:] = foot - point
                reached = _dot(misfit, misfit)
                # near the foot a step changes the distance by less than the sheet is rounded
                moved = reached <= square + 2e-13 * np.sqrt(square) + 1e-26
                if moved:
                    break
            damping = max(8.0 * damping, 1e-3 * size + 1e-12)
        if not moved:
            break
        place[:] = trial
        square = reached
        # an undamped step of 1e-10 leaves an error of its square; a damped one may be short of it
        if _dot(step, step) <= (1e-20 if damping == 0.0 else 1e-28) * (1.0 + _dot(trial, trial)):
            break
        damping = 0.0 if damping <= 1e-2 * size else damping / 32.0
    _evaluate(place, knots, flat, loads, foot, slopes)
    misfit[:] = foot - point
    return _dot(misfit, misfit)


@njit(cache=True, error_model="numpy")
def _nearest_seed(point, seeds, values, away_from, far):  # type: ignore[no-untyped-def]
    """Return the seed whose value is nearest (of equals the last), and how near, squared.

    Only seeds at a squared distance above ``far`` from a place count.
    """
    nearest, least = -1, np.inf
    for s in range(len(seeds)):
        total = 0.0
        for w in range(len(point)):
            total += (point[w] - values[s, w]) ** 2
        if total <= least:
            apart = 0.0
            for a in range(len(away_from)):
                apart += (seeds[s, a] - away_from[a]) ** 2
            if apart > far:
                nearest, least = s, total
    return nearest, least


@njit(cache=True, error_model="numpy")
def project_on_sheet(points, sheet, seeds, values, spacing, max_steps):  # type: ignore[no-untyped-def]
    """Return place, foot and squared distance of every point (S4 16.18).

    A point descends from the seed whose value is nearest; and from the nearest seed elsewhere,
    where the sheet comes as near again (a bend, another turn). The nearer foot wins.
    """
    n, width = points.shape
    d = seeds.shape[1]
    places, feet, squares = np.empty((n, d)), np.empty((n, width)), np.empty(n)
    other, other_foot = np.empty(d), np.empty(width)
    room = (
        np.empty(d),
        np.empty(width),
        np.empty((d, width)),
        np.empty(d),
        np.empty((d, d)),
        np.zeros((d, d)),
        np.empty(d),
    )
    for i in range(n):
        first, _ = _nearest_seed(points[i], seeds, values, seeds[0], -1.0)
        places[i] = seeds[first]
        squares[i] = _descend(points[i], sheet, places[i], feet[i], room, max_steps)
        second, least = _nearest_seed(points[i], seeds, values, places[i], 9.0 * spacing * spacing)
        if second >= 0 and np.sqrt(least) - 2.0 * spacing < np.sqrt(squares[i]):
            other[:] = seeds[second]
            square = _descend(points[i], sheet, other, other_foot, room, max_steps)
            if square < squares[i]:
                places[i], feet[i], squares[i] = other, other_foot, square
    return places, feet, squares
