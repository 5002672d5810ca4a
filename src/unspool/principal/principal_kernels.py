# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops: projection onto polygons and smooth surfaces, smoothing along a curve.

On a polygon a point looks only at the blocks of segments that can still be nearer than the best so
far: 20,000 points in 10 dimensions on 1,000 segments take 0.1 s, where NumPy would hold an n x m
table of distances and take 4 s. On a surface every point takes its own number of steps of Newton's
method from its own seed; in NumPy all would wait for the slowest, and an n x knots table would be
built for each step. Knots and coefficients come with one row per dimension, (d, knots) and
(D, knots): loops over knots are then vectorized.

The loops fill arrays that they are given. Other threads may run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.compiling import njit

# Sums may be vectorized. What is called from another kernel must be inlined then: the process that
# compiles runs its own copy of it, a later one that of the caller, and the two may add in another
# order.
SUMS = {"reassoc", "contract", "nsz"}
# No array is created here, so none has to be counted: that halves the time to compile. What the
# loops need to work in comes from the caller.
VIEWS: Any = {"_nrt": False}


@njit(cache=True, error_model="numpy", nogil=True)
def project_on_path(points, path, balls, block, slack, found, begin, end):
    """Fill projection index, foot and squared distance on a path of points ``begin`` to ``end``.

    ``path`` are corners and arc lengths, ``balls`` centers and radii of balls around blocks of
    ``block`` segments. Of equally near feet
    (to rounding: ``slack`` is the square of that), the one with the largest arc length wins
    (Izenman 2013, eq. 16.5).
    """
    (corners, arc_lengths), (centers, radii), (indices, feet, squares) = path, balls, found
    width, n_blocks, n_segments = points.shape[1], len(centers), len(corners) - 1
    bounds, foot = np.empty(n_blocks), np.empty(width)
    for i in range(begin, end):
        nearest = 0
        for b in range(n_blocks):
            total = 0.0
            for d in range(width):
                total += (points[i, d] - centers[b, d]) ** 2
            bounds[b] = max(0.0, np.sqrt(total) - radii[b])
            if bounds[b] < bounds[nearest]:
                nearest = b
        best, best_index = np.inf, -1.0
        for turn in range(n_blocks):
            # the nearest block goes first, so that most of the others need not be looked at
            b = nearest if turn == 0 else (turn - 1 if turn <= nearest else turn)
            if bounds[b] * bounds[b] > best * (1.0 + 1e-9) + slack:
                continue
            for s in range(b * block, min((b + 1) * block, n_segments)):
                along, length = 0.0, 0.0
                for d in range(width):
                    step = corners[s + 1, d] - corners[s, d]
                    along += (points[i, d] - corners[s, d]) * step
                    length += step * step
                share = min(max(along / length, 0.0), 1.0)
                square = 0.0
                for d in range(width):
                    foot[d] = corners[s, d] + share * (corners[s + 1, d] - corners[s, d])
                    square += (points[i, d] - foot[d]) ** 2
                start, stop = arc_lengths[s], arc_lengths[s + 1]
                index = stop if share == 1.0 else start + share * (stop - start)
                tie = best * 1e-14 + slack
                if square <= best + tie and (index > best_index or square < best - tie):
                    best, best_index = min(square, best), index
                    squares[i] = square
                    for d in range(width):
                        feet[i, d] = foot[d]
        indices[i] = best_index


@njit(cache=True, error_model="numpy", nogil=True)
def smooth_locally(positions, values, weights, nodes, count, degree, smooth, begin, end):
    """Fill the local fit at nodes ``begin`` to ``end``: a tricube-weighted mean (degree 0) or line.

    ``positions`` and ``nodes`` are sorted; a node sees the ``count`` nearest positions.
    """
    n, width = values.shape
    sums, moments = np.empty(width), np.empty(width)
    first = 0
    for k in range(begin, end):
        node = nodes[k]
        while first + count < n and positions[first + count] - node < node - positions[first]:
            first += 1
        last = first + count
        reach = max(node - positions[first], positions[last - 1] - node) * 1.001
        if reach <= 0.0:
            reach = 1.0  # all of them are at the node
        total, center = 0.0, 0.0
        for i in range(first, last):
            offset = abs(positions[i] - node) / reach
            weight = weights[i] * (1.0 - offset**3) ** 3
            total += weight
            center += weight * (positions[i] - node)
        center /= total
        spread = 0.0
        sums[:] = 0.0
        moments[:] = 0.0
        for i in range(first, last):
            offset = abs(positions[i] - node) / reach
            weight = weights[i] * (1.0 - offset**3) ** 3 / total
            lever = positions[i] - node - center
            spread += weight * lever * lever
            for d in range(width):
                sums[d] += weight * values[i, d]
                moments[d] += weight * lever * values[i, d]
        flat = degree == 0 or spread <= 1e-10 * reach * reach
        for d in range(width):
            gradient = 0.0 if flat else moments[d] / spread
            smooth[k, d] = sums[d] - gradient * center


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True, **VIEWS)
def _dot(one, other):
    total = 0.0
    for w in range(len(one)):
        total += one[w] * other[w]
    return total


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True, **VIEWS)
def _measure(parameter, knots, reach, squares):
    """Write the distance of a parameter to every knot, and its square."""
    for a in range(len(parameter)):
        for k in range(len(squares)):
            step = parameter[a] - knots[a, k]
            squares[k] = step * step + (squares[k] if a > 0 else 0.0)
    for k in range(len(squares)):
        reach[k] = np.sqrt(squares[k])


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True, **VIEWS)
def _value(parameter, affine, coefficients, reach, squares, value):
    """Write the value of the surface at a parameter whose distances are written."""
    for w in range(len(value)):
        weight, total = coefficients[w], 0.0
        for k in range(len(reach)):
            total += weight[k] * (reach[k] * squares[k])
        value[w] = affine[0, w] + total
        for a in range(len(parameter)):
            value[w] += parameter[a] * affine[1 + a, w]


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True, **VIEWS)
def _tangents(parameter, knots, affine, coefficients, reach, tangents):
    """Write the derivatives of the surface at a parameter whose distances are written."""
    for a in range(len(parameter)):
        here, knot = parameter[a], knots[a]
        for w in range(tangents.shape[1]):
            weight, total = coefficients[w], 0.0
            for k in range(len(reach)):
                total += weight[k] * (reach[k] * (here - knot[k]))
            tangents[a, w] = affine[1 + a, w] + 3.0 * total


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def values_at(parameters, surface, seen, values):
    """Fill the values (n, D) of a surface; ``seen`` is a workspace for distances to knots."""
    (knots, affine, coefficients), (reach, squares) = surface, seen
    for i in range(len(parameters)):
        _measure(parameters[i], knots, reach, squares)
        _value(parameters[i], affine, coefficients, reach, squares, values[i])


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def tangents_at(parameters, surface, seen, tangents):
    """Fill the derivatives (n, d, D) of a surface, one tangent vector for every parameter."""
    (knots, affine, coefficients), (reach, squares) = surface, seen
    for i in range(len(parameters)):
        _measure(parameters[i], knots, reach, squares)
        _tangents(parameters[i], knots, affine, coefficients, reach, tangents[i])


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, forceinline=True, **VIEWS)
def _newton_system(parameter, surface, misfit, tangents, seen, gradient, hessian):
    """Write gradient and second derivatives of half the squared distance; return their trace.

    ``seen`` are the distances to the knots, and a workspace for the pull of each.
    """
    d, size, (knots, _, coefficients), (reach, pulls) = len(parameter), 0.0, surface, seen
    for k in range(len(reach)):
        pulls[k] = 0.0
    for w in range(len(misfit)):
        weight, miss = coefficients[w], misfit[w]
        for k in range(len(reach)):
            pulls[k] += weight[k] * miss
    bend = 3.0 * _dot(pulls, reach)
    for k in range(len(reach)):
        pulls[k] = pulls[k] / reach[k] if reach[k] > 0.0 else 0.0
    for a in range(d):
        gradient[a] = _dot(tangents[a], misfit)
        for b in range(a + 1):
            total = 0.0
            for k in range(len(reach)):
                total += pulls[k] * ((parameter[a] - knots[a, k]) * (parameter[b] - knots[b, k]))
            hessian[a, b] = _dot(tangents[a], tangents[b]) + 3.0 * total
            hessian[b, a] = hessian[a, b]
        hessian[a, a] += bend
        size += hessian[a, a]
    return abs(size)


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
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


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _copy(values, target):
    """Copy a short row: assigned as slices, rows take seconds to compile."""
    for w in range(len(values)):
        target[w] = values[w]


@njit(cache=True, error_model="numpy", nogil=True, forceinline=True, **VIEWS)
def _reach_for(point, surface, parameter, evaluation):
    """Evaluate the surface at a parameter; return the squared distance of the foot to the point."""
    knots, affine, coefficients = surface
    foot, misfit, tangents, reach, squares = evaluation
    _measure(parameter, knots, reach, squares)
    _value(parameter, affine, coefficients, reach, squares, foot)
    _tangents(parameter, knots, affine, coefficients, reach, tangents)
    for w in range(len(point)):
        misfit[w] = foot[w] - point[w]
    return _dot(misfit, misfit)


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def _shorter(newton, damping, size):
    """Write the next step to try, damped until it exists; return the damping, inf if none does."""
    _, gradient, hessian, root, step = newton
    for _ in range(25):
        if _solved(hessian, damping, gradient, root, step):
            return damping
        damping = max(8.0 * damping, 1e-3 * size + 1e-12)
    return np.inf


@njit(cache=True, error_model="numpy", nogil=True, **VIEWS)
def descend_on_surface(points, surface, max_steps, workspace, parameters, feet, squares):
    """Move the parameter of every point to the nearest foot; fill feet and squared distances.

    Newton's method, damped where it would not come nearer. The first trial is no step.
    One function: another around it would be compiled with all of this once more.
    """
    evaluation, newton = workspace
    foot, misfit, tangents, reach, around = evaluation
    trial, gradient, hessian, _, step = newton
    for i in range(len(points)):
        parameter, square, damping, size, steps, trials = parameters[i], np.inf, 0.0, 0.0, 0, 0
        _copy(parameter, trial)
        while True:
            reached = _reach_for(points[i], surface, trial, evaluation)
            # near the foot a step changes the distance by less than the surface is rounded; NaN
            # counts as reached, so that what overflows ends after as many steps as all else
            if not reached > square + 2e-13 * np.sqrt(square) + 1e-26:
                _copy(trial, parameter)
                square = reached
                # an undamped step of 1e-8 leaves an error of its square; a damped one may not
                near = (1e-16 if damping == 0.0 else 1e-28) * (1.0 + _dot(trial, trial))
                if steps == max_steps or (steps > 0 and _dot(step, step) <= near):
                    break
                damping = 0.0 if damping <= 1e-2 * size else damping / 32.0
                seen = (reach, around)  # the squares have served
                size = _newton_system(parameter, surface, misfit, tangents, seen, gradient, hessian)
                steps, trials = steps + 1, 0
            else:
                damping, trials = max(8.0 * damping, 1e-3 * size + 1e-12), trials + 1
            damping = _shorter(newton, damping, size)
            if trials == 25 or damping == np.inf:  # nowhere is nearer: evaluate once more
                steps, square = max_steps, np.inf
            for a in range(len(parameter)):
                trial[a] = parameter[a] + (step[a] if square < np.inf else 0.0)
        squares[i] = square
        _copy(foot, feet[i])


@njit(cache=True, error_model="numpy", nogil=True, fastmath=SUMS, **VIEWS)
def sample_farthest(parameters, nearest, squares, chosen):
    """Fill ``chosen`` with distinct points of these (d, n), each far from all those before.

    The first is the one nearest to the center; the search ends when only duplicates are left.
    Returns how many there are. ``nearest`` comes filled with infinity, ``squares`` is a workspace.
    """
    d, n = parameters.shape
    reach, newest = 0.0, 0
    for c in range(-1, len(chosen)):  # first, all are measured from the center
        for i in range(n):
            squares[i] = 0.0
        for a in range(d):
            x = parameters[a]
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
