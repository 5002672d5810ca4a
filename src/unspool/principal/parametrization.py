"""Moving places until the edges between them have the lengths they should.

Parameters of a surface that come as close to lengths on it as they can, and never fold.

A curve has arc length. For a surface no such parameters need exist, so the text leaves them open
(S4 16.3.5). Here, after each projection, well-spread places are moved until the distances between
neighbouring ones agree with the lengths on the surface ("isometric"), or all of them are stretched
alike ("average"). A move that would turn any neighbourhood over is not made.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ..values import Array
from .sheet import Sheet, nearest, smooth_sheet, spread_order, well_spread

ROUNDS = 30


def with_lengths(places: Array, edges: Array, lengths: Array) -> Array:
    """Return the places moved so that edges get their lengths: majorised local stress.

    Errors count relative to the length; a little inertia keeps places that no edge ties down.
    """
    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * float(weights.mean())
    inverse = np.linalg.inv(_laplacian(weights, edges, len(places)) + inertia * np.eye(len(places)))
    moved, (first, second) = places, edges.T
    numbers = np.arange(len(edges))
    n, ends = len(places), (np.tile(numbers, 2), np.concatenate([first, second]))
    signs = np.repeat([1.0, -1.0], len(edges))
    gather = sp.csr_array((signs, ends), shape=(len(edges), n))  # edge = first end - second
    spread = sp.csr_array(gather.T)
    for _ in range(ROUNDS):
        ways = gather @ moved
        now = np.sqrt(np.square(ways).sum(axis=1))
        pulls = np.divide(weights * lengths, now, out=np.zeros_like(now), where=now > 0.0)
        moved = inverse @ (inertia * moved + spread @ (pulls[:, None] * ways))
    return np.asarray(moved)


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix


PARAMETRIZATIONS = ("isometric", "average")
PLACES = 200  # moved; the others follow
SMOOTH = 30.0  # degrees of freedom of a move: it irons the parameters, it does not fit them
PIECES = 6  # chords that stand for the path between two places
TORN, SAMPLE = 5.0, 1000
LEAST_AREA = 0.1  # of the median: a move that squeezes any place below this is not made


def reparametrized(sheet: Sheet, places: Array, kind: str) -> Array:
    """Return new parameters of the points at ``places`` on a sheet."""
    average = _on_average(sheet, places)
    if kind == "average" or len(places) <= SMOOTH:
        return average
    chosen = spread_order(places, PLACES)
    edges = _neighbours(places[chosen])
    lengths = _lengths(sheet, places[chosen], edges)
    moved = with_lengths(average[chosen], edges, lengths)
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
    """Return on how many paths between neighbouring places the sheet turns over."""
    spread = well_spread(places, PLACES)
    if len(spread) < 2:
        return 0
    return int(sheet.folded(_paths(spread, _neighbours(spread))).sum())


def count_tears(points: Array, places: Array) -> int:
    """Return how many points have a near neighbour with distant parameters.

    One of the three nearest is more than five times as far in the parameters as in space, and far
    compared to other neighbours: the sheet crosses itself, or cuts across from turn to turn. Of
    many points a sample is looked at.
    """
    sample = slice(None, None, -(-len(points) // SAMPLE))
    points, places = points[sample], places[sample]
    others = nearest(points, 3)
    near, far = (
        np.square(table[:, None] - table[others]).sum(axis=2) for table in (points, places)
    )
    torn = (far > TORN**2 * near) & (far > 9 * np.median(far[:, 0]))
    return int(torn.any(axis=1).sum())


def _on_average(sheet: Sheet, places: Array) -> Array:
    """Return linear images of the places: the mean squared speed is one in all directions."""
    slopes = sheet.slopes(places)
    metric = np.einsum("naw,nbw->ab", slopes, slopes) / len(places)
    ridge = 1e-12 * np.trace(metric) * np.eye(len(metric))
    return np.asarray((places - places.mean(axis=0)) @ np.linalg.cholesky(metric + ridge))


def _neighbours(places: Array) -> Array:
    """Return the pairs (i < j) of which one is among the nearest of the other."""
    others = nearest(places, 2 * places.shape[1] + 4)
    own = np.arange(len(places))[:, None]
    numbers = np.unique(np.minimum(others, own) * len(places) + np.maximum(others, own))
    return np.column_stack(np.divmod(numbers, len(places)))


def _paths(places: Array, edges: Array) -> Array:
    """Return points on the straight paths between neighbouring places: (edges, PIECES + 1, d)."""
    shares = np.linspace(0.0, 1.0, PIECES + 1)[:, None]
    starts, ends = places[edges[:, 0], None], places[edges[:, 1], None]
    return np.asarray((1 - shares) * starts + shares * ends)


def _lengths(sheet: Sheet, places: Array, edges: Array) -> Array:
    """Return the lengths on the sheet of the straight paths between neighbouring places."""
    path = _paths(places, edges)
    path = sheet.at(path.reshape(-1, path.shape[2])).reshape(*path.shape[:2], -1)
    return np.asarray(np.linalg.norm(np.diff(path, axis=1), axis=2).sum(axis=1))
