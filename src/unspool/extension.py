"""The one formula for new points, and the chart that it reads.

Rows: what a new point looks like to the old ones.

The way back: from a place on the map to a point in the data space.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .values import Array, NeighborGraph, Similarity


def place(rows: Any, coordinates: Array, multipliers: Array) -> Array:
    """Return ``rows @ coordinates / multipliers``: where new points go (Bengio et al. 2004).

    ``rows`` (dense or sparse) say what each new point looks like to the old ones. A coordinate
    whose multiplier is zero carries nothing and stays zero.
    """
    return divide(np.asarray(rows @ coordinates), multipliers)


def divide(image: Array, multipliers: Array) -> Array:
    """Return images of new points' rows over the multipliers; what is over zero is zero."""
    divisors = np.broadcast_to(multipliers, image.shape)
    placed = np.zeros_like(image)
    np.divide(image, divisors, out=placed, where=divisors != 0.0)
    return placed


def walk_rows(towards: NeighborGraph, weights: Array) -> Any:
    """Return the probabilities of a random walk's step from each new point to the old ones."""
    totals = np.bincount(towards.rows, weights=weights, minlength=towards.n_points)
    totals[totals == 0.0] = 1.0
    return towards.with_weights(weights / totals[towards.rows])


def nearness(towards: NeighborGraph) -> Array:
    """Return how far each new point counts as its nearest old one: 1 on it, 0 where it is not near.

    It falls from 1 as (1 - 10 r)^2 with r the distance over that to the second nearest, so that a
    place that is drawn to the old one by this share is continuous, on that point and where another
    one becomes the nearest.
    """
    second = np.minimum(towards.starts[:-1] + 1, towards.starts[1:] - 1)  # alone: its own second
    return nearness_of(towards.distances[towards.starts[:-1]], towards.distances[second])


def nearness_of(gap: Array, next_gap: Array) -> Array:
    """Return the same, given the distances to the nearest old point and to the second nearest."""
    ratio = gap / np.where(next_gap > 0.0, next_gap, 1.0)
    return np.asarray(np.maximum(1.0 - ratio / BESIDE, 0.0) ** 2)


BESIDE = 0.1  # of the distance to the second nearest: nearer to a known point is right beside it
PREIMAGES = 512  # pre-images sought together: their similarities to 10,000 points are 40 MB
HALVINGS = 4  # of a step that leads away from the features before it is given up
SHARPNESS = 1e-12  # of the squared reach: how close to a known place counts as being there


def neighbors_needed(n_coordinates: int) -> int:
    """Return how many places around a query determine a local affine map with some to spare."""
    return 3 * n_coordinates + 4


def interpolate(queries: Array, towards: NeighborGraph, places: Array, points: Array) -> Array:
    """Return the points that the queries stand for: local linear interpolation between known ones.

    Each query gets the affine map that fits its neighbours best, those nearest counting most
    (moving least squares). Known places give back exactly their points; affine maps are inverted
    exactly.
    """
    answer = np.empty((len(queries), points.shape[1]))
    for rows, neighbors, distances in towards.by_count(4096):
        shares = _affine_shares(queries[rows], places[neighbors], distances)
        answer[rows] = np.einsum("bk,bkd->bd", shares, points[neighbors])
        known = distances[:, 0] == 0.0
        answer[rows[known]] = points[neighbors[known, 0]]
    return answer


def _affine_shares(queries: Array, places: Array, distances: Array) -> Array:
    """Return the weights (b, k), summing to one, with which the neighbours' values are averaged."""
    reach = distances.max(axis=1, keepdims=True)
    reach[reach == 0.0] = 1.0
    relative = distances / reach
    trust = (1.0 - 0.999 * relative**2) / (relative**2 + SHARPNESS)
    offsets = (places - queries[:, None, :]) / reach[:, :, None]
    design = np.concatenate([np.ones((*relative.shape, 1)), offsets], axis=2)
    weighted = design * trust[:, :, None]
    normal = np.einsum("bki,bkj->bij", design, weighted)
    scale = np.trace(normal, axis1=1, axis2=2)[:, None, None]
    inverse = np.linalg.pinv(normal / scale, rcond=1e-13, hermitian=True)
    shares = np.einsum("bki,bi->bk", weighted / scale, inverse[:, :, 0])
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


Step = Callable[[Array, Array], Array]  # pre-images and their shares -> better ones, perhaps


def product_step(slope: Callable[[Array], Array], points: Array) -> Step:
    """Return the fixed-point step of a kernel f(x'y): where the gradient would vanish.

    ``slope`` is the derivative of f. With f' as it is at z, |phi(z) - sum c phi(x)|^2 has no
    gradient at z = sum c f'(z'x) x / f'(z'z) (Mika et al. 1999).
    """

    def step(z: Array, shares: Array) -> Array:
        own = slope(np.einsum("ij,ij->i", z, z))
        pulled = (shares * slope(z @ points.T)) @ points
        return np.asarray(pulled / np.where(own == 0.0, np.nan, own)[:, None])

    return step


def median_step(kernel: Similarity, points: Array) -> Step:
    """Return the step of a kernel exp(-gamma |x - y|_1): to the weighted median of each feature.

    The exponential lies above its tangent, so that sum c k(z, x) grows at least by what the sum of
    weighted distances, with weights c k, decreases; a median makes that sum the smallest.
    """
    order = np.argsort(points, axis=0)
    ordered = np.take_along_axis(points, order, axis=0)

    def step(z: Array, shares: Array) -> Array:
        moved = np.empty_like(z)
        for row, weights in enumerate(shares * kernel(z, points)):
            below = np.cumsum(weights[order], axis=0)
            moment = np.cumsum(weights[order] * ordered, axis=0)
            sums = ordered * (2.0 * below - below[-1]) - 2.0 * moment
            moved[row] = ordered[sums.argmin(axis=0), np.arange(points.shape[1])]
        return moved

    return step


def nearest_preimage(
    shares: Array, kernel: Similarity, points: Array, start: Array, step: Step, max_steps: int = 50
) -> Array:
    """Return points whose features are nearest to given combinations of known features.

    ``shares`` (m, n) are the coefficients of each combination. Each ``step`` is shortened until it
    leads nearer; a point from which it does not has arrived, so the answer is never worse than the
    start.
    """

    def descend(some: Array, begin: Array) -> Array:
        return _descend(some, kernel, points, begin, step, max_steps)

    return _by_blocks(descend, shares, start)


def _by_blocks(search: Callable[[Array, Array], Array], shares: Array, start: Array) -> Array:
    """Return the pre-images that ``search(shares, start)`` finds, some at a time."""
    best = np.array(start)
    for first in range(0, len(best), PREIMAGES):
        rows = slice(first, first + PREIMAGES)
        best[rows] = search(shares[rows], best[rows])
    return best


def _descend(
    shares: Array, kernel: Similarity, points: Array, start: Array, step: Step, max_steps: int
) -> Array:
    def distance(z: Array, rows: Array) -> Array:
        similar = np.einsum("ij,ij->i", shares[rows], kernel(z, points))
        return np.asarray(kernel.diagonal(z) - 2.0 * similar)

    best, moving = np.array(start), np.arange(len(start))
    nearest = distance(best, moving)
    reach = 10.0 * float(np.abs(points).max(initial=0.0))
    for _ in range(max_steps):
        target = step(best[moving], shares[moving])
        usable = (np.abs(target) <= reach).all(axis=1)  # not so for what is not a number
        moving, change = moving[usable], (target - best[moving])[usable]
        waiting, arrived = moving, []
        for _ in range(HALVINGS + 1):
            if len(waiting) == 0:
                break
            tried = best[waiting] + change
            found = distance(tried, waiting)
            nearer = found < nearest[waiting] - 1e-12 * np.abs(nearest[waiting])
            best[waiting[nearer]], nearest[waiting[nearer]] = tried[nearer], found[nearer]
            arrived.append(waiting[nearer])
            waiting, change = waiting[~nearer], 0.5 * change[~nearer]
        moving = np.sort(np.concatenate(arrived)) if arrived else moving[:0]
        if len(moving) == 0:
            break
    return best


def gaussian_preimage(
    shares: Array,
    kernel: Callable[[Array, Array], Array],
    points: Array,
    start: Array,
    max_steps: int = 100,
) -> Array:
    """Return points whose Gaussian features are nearest to given combinations of known features.

    ``shares`` (m, n) are the coefficients of each combination. Fixed-point steps of Mika et al.
    (1999) from ``start``; a step that does not come nearer ends that point's search, so the answer
    is never worse than the start.
    """

    def iterate(some: Array, begin: Array) -> Array:
        return _fixed_points(some, kernel, points, begin, max_steps)

    return _by_blocks(iterate, shares, start)


def _fixed_points(
    shares: Array,
    kernel: Callable[[Array, Array], Array],
    points: Array,
    start: Array,
    max_steps: int,
) -> Array:
    """Return where the steps from ``start`` lead; each table of similarities serves two of them.

    ``moving`` are the rows that still come nearer, and ``pull`` their weighted similarities.
    """
    best, moving = np.array(start), np.arange(len(start))
    pull = shares * kernel(best, points)
    closeness = pull.sum(axis=1)
    for _ in range(max_steps):
        total = pull.sum(axis=1)
        usable = np.abs(total) > 1e-12 * np.abs(pull).sum(axis=1)
        moving, pull, total = moving[usable], pull[usable], total[usable]
        if len(moving) == 0:
            break
        moved = (pull @ points) / total[:, None]
        pull = shares[moving] * kernel(moved, points)
        reached = pull.sum(axis=1)
        nearer = reached > closeness[moving] * (1 + 1e-12)
        moving, moved, pull = moving[nearer], moved[nearer], pull[nearer]
        best[moving], closeness[moving] = moved, reached[nearer]
    return best
