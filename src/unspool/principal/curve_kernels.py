# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""Compiled loops: projection onto a polygon, and smoothing by local averages and lines.

Projection in NumPy would hold an n x m table of distances; here a point looks only at the blocks of
segments that can still be nearer than the best so far: 20,000 points in 10 dimensions on 1,000
segments take 0.1 s instead of 4 s. They fill arrays that they are given: one that made arrays to
return would end in SystemError where Ctrl-C is pressed meanwhile. Other threads may run.
"""

from __future__ import annotations

import numpy as np
from numba import njit


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
