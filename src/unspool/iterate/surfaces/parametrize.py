"""Parameters of a surface that come as close to lengths on it as they can, and never fold.

A curve has arc length. For a surface no such parameters need exist, so the text leaves them open
(S4 16.3.5). Here, after each projection, well-spread places are moved until the distances between
neighbouring ones agree with the lengths on the surface ("isometric"), or all of them are stretched
alike ("average"). A move that would turn any neighbourhood over is not made.
"""

from __future__ import annotations

import numpy as np

from ...values import Array
from .sheet import Sheet, smooth_sheet, well_spread

PARAMETRIZATIONS = ("isometric", "average")
PLACES = 200  # moved; the others follow
SMOOTH = 30.0  # degrees of freedom of a move: it irons the parameters, it does not fit them
PIECES = 6  # chords that stand for the path between two places
ROUNDS = 30
TORN, SAMPLE = 5.0, 1000
LEAST_AREA = 0.1  # of the median: a move that squeezes any place below this is not made


def reparametrized(sheet: Sheet, places: Array, kind: str) -> Array:
    """Return new parameters of the points at ``places`` on a sheet."""
    average = _on_average(sheet, places)
    if kind == "average" or len(places) <= SMOOTH:
        return average
    chosen = _chosen(places)
    edges = _neighbours(places[chosen])
    lengths = _lengths(sheet, places[chosen], edges)
    moved = _with_lengths(average[chosen], edges, lengths)
    move = smooth_sheet(average[chosen], moved, min(SMOOTH, len(chosen) / 2))
    return _as_far_as_flat(average, move)


def _as_far_as_flat(places: Array, move: Sheet) -> Array:
    """Return the places moved; only half, a quarter, ... of the way where they would fold."""
    slopes, goal = move.slopes(places), move.at(places)
    here = np.eye(places.shape[1])
    for share in (1.0, 0.5, 0.25, 0.125):
        areas = np.linalg.det((1 - share) * here + share * slopes)
        if areas.min() > LEAST_AREA * np.median(areas):
            return np.asarray((1 - share) * places + share * goal)
    return places


def count_folds(sheet: Sheet, places: Array) -> int:
    """Return on how many paths between neighbouring places the sheet turns over.

    There the tangents, carried along the path in small steps, change their orientation from one
    step to the next: det(J J_next') <= 0. A sheet that bends, but does not crease, has none.
    """
    spread = well_spread(places, PLACES)
    if len(spread) < 2:
        return 0
    path = _paths(spread, _neighbours(spread))
    slopes = np.array([sheet.slopes(at) for at in path])
    turned = np.linalg.det(slopes[:-1] @ slopes[1:].transpose(0, 1, 3, 2))
    return int((turned <= 0.0).any(axis=0).sum())


def count_tears(points: Array, places: Array) -> int:
    """Return how many points have a near neighbour with distant parameters.

    One of the three nearest is more than five times as far in the parameters as in space, and far
    compared to other neighbours: the sheet crosses itself, or cuts across from turn to turn. Of
    many points a sample is looked at.
    """
    sample = slice(None, None, -(-len(points) // SAMPLE))
    squares, apart = _squares(points[sample]), _squares(places[sample])
    np.fill_diagonal(squares, np.inf)
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :3]
    near, far = (np.take_along_axis(table, nearest, axis=1) for table in (squares, apart))
    torn = (far > TORN**2 * near) & (far > 9 * np.median(far[:, 0]))
    return int(torn.any(axis=1).sum())


def _on_average(sheet: Sheet, places: Array) -> Array:
    """Return linear images of the places: the mean squared speed is one in all directions."""
    slopes = sheet.slopes(places)
    metric = np.einsum("naw,nbw->ab", slopes, slopes) / len(places)
    ridge = 1e-12 * np.trace(metric) * np.eye(len(metric))
    return np.asarray((places - places.mean(axis=0)) @ np.linalg.cholesky(metric + ridge))


def _chosen(places: Array) -> Array:
    from ._kernels import spread_out

    return np.asarray(spread_out(np.ascontiguousarray(places), min(PLACES, len(places))))


def _neighbours(places: Array) -> Array:
    """Return the pairs (i < j) of which one is among the nearest of the other."""
    count = min(2 * places.shape[1] + 4, len(places) - 1)
    nearest = np.argsort(_squares(places), axis=1, kind="stable")[:, 1 : count + 1]
    pairs = np.column_stack([np.repeat(np.arange(len(places)), count), nearest.ravel()])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _squares(points: Array) -> Array:
    from scipy.spatial.distance import cdist  # n x n, where a broadcast would hold n x n x D

    return np.asarray(cdist(points, points, "sqeuclidean"))


def _paths(places: Array, edges: Array) -> Array:
    """Return points on the straight paths between neighbouring places: (PIECES + 1, edges, d)."""
    shares = np.linspace(0.0, 1.0, PIECES + 1)[:, None, None]
    return np.asarray((1 - shares) * places[edges[:, 0]] + shares * places[edges[:, 1]])


def _lengths(sheet: Sheet, places: Array, edges: Array) -> Array:
    """Return the lengths on the sheet of the straight paths between neighbouring places."""
    path = np.array([sheet.at(at) for at in _paths(places, edges)])
    return np.asarray(np.linalg.norm(np.diff(path, axis=0), axis=2).sum(axis=0))


def _with_lengths(places: Array, edges: Array, lengths: Array) -> Array:
    """Return the places moved so that edges get their lengths: majorised local stress.

    Errors count relative to the length; a little inertia keeps places that no edge ties down.
    """
    from scipy.linalg import cho_factor, cho_solve

    first, second = edges.T
    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * weights.mean()
    factor = cho_factor(_laplacian(weights, edges, len(places)) + inertia * np.eye(len(places)))
    for _ in range(ROUNDS):
        apart = np.linalg.norm(places[first] - places[second], axis=1)
        pull = weights * lengths / np.maximum(apart, 1e-12 * lengths.max())
        places = cho_solve(factor, _laplacian(pull, edges, len(places)) @ places + inertia * places)
    return np.asarray(places)


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    np.add.at(matrix, (edges[:, 0], edges[:, 1]), -weights)
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix
