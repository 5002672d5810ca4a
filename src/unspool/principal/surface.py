"""Principal surfaces: alternate projection and smoothing (Izenman 2013, eqs. 16.18-16.20).

A curve has arc length. For a surface no such parameters need exist, so the text leaves them open
(section 16.3.5). Here, after each projection, some parameters that lie far from each other are
moved until the distances between neighboring ones agree with the lengths on the surface
("isometric"), or all of them are stretched alike ("average"); or each parameter is made uniform
over the data ("uniform"), so that it tells shares of the points and not lengths. A move that would
turn any neighborhood over is not made, and a surface that would fold is smoothed more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy.sparse as sp

from ..optimize import Outcome, iterate
from ..runtime import claim, limit_blas_threads
from ..values import Array
from .curve import KEPT, convergence_rule, robust_weights, sum_of_smallest
from .spline_surface import (
    KNOTS,
    MOST_KNOTS,
    SEEDS,
    SplineSurface,
    SurfaceProjection,
    farthest_point_order,
    farthest_points,
    nearest_neighbors,
    smooth_adaptively,
    smooth_surface,
)

Parametrization = Literal["isometric", "average", "uniform"]
SurfaceSmoother = Literal["spline", "adaptive"]

COPIES = 13  # of points, seeds and knots in data space that are held at once, about
LEAST_MEMBERS = 5  # of a region whose mean is looked at
LESS = 0.75  # of the freedom, where more would fold the surface
ROUNDS = 30  # of majorization, when parameters are moved
PARAMETRIZATIONS: tuple[Parametrization, ...] = ("isometric", "average", "uniform")
SMOOTHERS = {"spline": smooth_surface, "adaptive": smooth_adaptively}
STEPS = 24  # of the distribution of a parameter that is made uniform: more would follow noise
MOVED = 200  # parameters moved; the others follow
SMOOTH = 30.0  # degrees of freedom of a move: it irons the parameters, it does not fit them
SEGMENTS = 6  # chords that stand for the path between two parameters
TORN, SAMPLE = 5.0, 1000
LEAST_AREA = 0.1  # of the median: a move that squeezes any point below this is not made


@dataclass(frozen=True, slots=True)
class SurfaceState:
    """A surface with the data projected onto it."""

    surface: SplineSurface
    projection: SurfaceProjection
    freedom: float  # degrees of freedom it was smoothed with
    eased: bool  # smoothed more than asked for, because it would have folded
    steps: int


@dataclass(frozen=True, slots=True)
class SurfaceSettings:
    """How a surface is fitted.

    The initial surface is smoothed with the first of ``freedoms`` (degrees of freedom; d + 1 makes
    it flat), the first steps with the following ones, all later steps with the last.
    """

    freedoms: tuple[float, ...]
    parametrization: Parametrization = "isometric"
    tolerance: float = 1e-3
    max_steps: int = 50
    robust: bool = False
    smoother: SurfaceSmoother = "spline"

    def n_counted(self, n_points: int) -> int:
        """Return how many points, the nearest ones, the distance counts."""
        return int(np.ceil(KEPT * n_points)) if self.robust else n_points


def fit_surface(points: Array, initial: Array, settings: SurfaceSettings) -> Outcome[SurfaceState]:
    """Return the principal surface reached from ``initial`` parameters of the points.

    The loss is the sum of squared distances (Izenman 2013, eq. 16.20); of a robust fit, that of the
    nearest three quarters. There, a point is drawn towards its foot by its robust weight before
    everything is smoothed again (pseudo-observations, Huber 1979): an outlier then is where the
    surface has it, and pulls no more.
    """
    freedoms = settings.freedoms
    knots = min(KNOTS * freedoms[-1], MOST_KNOTS, len(points))
    n, width = points.shape
    claim(
        8 * (4 * n * (knots + SEEDS) + COPIES * (n + knots + SEEDS) * width),
        f"smoothing {n} points of {width} features over {knots:.0f} knots",
        "fit a sample and transform the rest, or raise span",
    )

    def fitted(parameters: Array, targets: Array, number: int) -> tuple[SurfaceState, float]:
        wanted = freedoms[min(number, len(freedoms) - 1)]
        smooth = SMOOTHERS[settings.smoother]
        found = _smooth_unfolded(smooth, parameters, targets, wanted, number, points)
        squares = found.projection.squared_distances
        return found, sum_of_smallest(squares, settings.n_counted(len(points)))

    def step(now: SurfaceState) -> tuple[SurfaceState, float]:
        at, kind = now.projection.parameters, settings.parametrization
        shaped = now.steps >= len(freedoms) - 1  # before, what a stiff surface misses is its shape
        targets = _drawn_in(points, now) if settings.robust and shaped else points
        return fitted(reparametrize(now.surface, at, kind), targets, now.steps + 1)

    total = float(np.square(points).sum())
    converged = convergence_rule(settings.tolerance, total, len(freedoms) - 1)
    with limit_blas_threads():  # matrices of a few hundred rows: shared out they take twice as long
        first, loss = fitted(initial, points, 0)
        return iterate(first, loss, step, converged, name="surface", max_steps=settings.max_steps)


def surface_weights(state: SurfaceState) -> Array:
    """Return the robust weights of the points that a surface was fitted to."""
    return robust_weights(np.sqrt(state.projection.squared_distances))


def _drawn_in(points: Array, now: SurfaceState) -> Array:
    """Return points drawn towards their feet, those with little weight nearly all the way."""
    feet = now.surface.at(now.projection.parameters)
    return np.asarray(feet + surface_weights(now)[:, None] * (points - feet))


def surface_self_consistency(
    points: Array, surface: SplineSurface, projection: SurfaceProjection, n_bins: int
) -> Array:
    """Return how far a surface is from the mean of the points that project there.

    (Izenman 2013, eq. 16.19.) One distance for each of about ``n_bins`` regions of the parameters
    with equally many points: they are halved along their widest side, again and again.
    """
    deviations = points - surface.at(projection.parameters)
    regions = [np.arange(len(points))]
    while len(regions) < n_bins and len(regions[0]) >= 2 * LEAST_MEMBERS:
        regions.sort(key=len)
        members = regions.pop()
        inside = projection.parameters[members]
        order = np.argsort(inside[:, int(np.ptp(inside, axis=0).argmax())], kind="stable")
        regions += [members[part] for part in np.array_split(order, 2)]
    return np.array([np.linalg.norm(deviations[members].mean(axis=0)) for members in regions])


def _smooth_unfolded(
    smooth: Callable[[Array, Array, float], SplineSurface],
    parameters: Array,
    targets: Array,
    wanted: float,
    steps: int,
    points: Array,
) -> SurfaceState:
    """Return the surface of at most this freedom that does not fold.

    Neither where it was smoothed nor where the data fall on it. A flat surface cannot, so the
    search ends.
    """
    freedom, plane = wanted, parameters.shape[1] + 1.0
    while True:
        surface = smooth(parameters, targets, freedom)
        if freedom <= plane or count_folds(surface, parameters) == 0:
            projection = surface.project(points)
            if freedom <= plane or count_folds(surface, projection.parameters) == 0:
                return SurfaceState(surface, projection, freedom, freedom < wanted, steps)
        freedom = max(plane, LESS * freedom)


def reparametrize(surface: SplineSurface, parameters: Array, kind: Parametrization) -> Array:
    """Return new parameters of the points that have these on a surface."""
    average = _on_average(surface, parameters)
    if kind == "uniform":
        return _uniform(average)
    if kind == "average" or len(parameters) <= SMOOTH:
        return average
    chosen = farthest_point_order(parameters, MOVED)
    edges = _neighboring(parameters[chosen])
    lengths = _lengths(surface, parameters[chosen], edges)
    moved = fit_edge_lengths(average[chosen], edges, lengths)
    move = smooth_surface(average[chosen], moved, min(SMOOTH, len(chosen) / 2))
    return _move_without_folds(average, move)


def _uniform(parameters: Array) -> Array:
    """Return increasing functions of each parameter that are uniform, with the same variance."""
    from scipy.interpolate import PchipInterpolator

    shares, found = np.linspace(0.0, 1.0, STEPS + 1), np.array(parameters)
    for column in found.T:
        spread, (ends, first) = (
            column.std(),
            np.unique(np.quantile(column, shares), return_index=True),
        )
        if len(ends) > 1:
            column[:] = PchipInterpolator(ends, shares[first])(column)
            column -= column.mean()
            column *= spread / max(float(column.std()), 1e-300)
    return found


def _move_without_folds(parameters: Array, move: SplineSurface) -> Array:
    """Return the parameters moved; only half, a quarter, ... of the way where they would fold."""
    tangents, goal = move.tangents(parameters), move.at(parameters)
    here = np.eye(parameters.shape[1])
    for share in (1.0, 0.5, 0.25, 0.125):
        areas = np.linalg.det((1 - share) * here + share * tangents)
        if areas.min() > LEAST_AREA * np.median(areas):
            return np.asarray((1 - share) * parameters + share * goal)
    return parameters


def count_folds(surface: SplineSurface, parameters: Array) -> int:
    """Return on how many paths between neighboring parameters the surface turns over."""
    spread = farthest_points(parameters, MOVED)
    if len(spread) < 2:
        return 0
    return int(surface.folds(_paths(spread, _neighboring(spread))).sum())


def count_tears(points: Array, parameters: Array) -> int:
    """Return how many points have a near neighbor with distant parameters.

    One of the three nearest is more than five times as far in the parameters as in space, and far
    compared to other neighbors: the surface crosses itself, or cuts across from turn to turn. Of
    many points a sample is looked at.
    """
    sample = slice(None, None, -(-len(points) // SAMPLE))
    points, parameters = points[sample], parameters[sample]
    others = nearest_neighbors(points, 3)
    near, far = (
        np.square(table[:, None] - table[others]).sum(axis=2) for table in (points, parameters)
    )
    torn = (far > TORN**2 * near) & (far > 9 * np.median(far[:, 0]))
    return int(torn.any(axis=1).sum())


def _on_average(surface: SplineSurface, parameters: Array) -> Array:
    """Return linear images of parameters: the mean squared speed is one in all directions."""
    tangents = surface.tangents(parameters)
    metric = np.einsum("naw,nbw->ab", tangents, tangents) / len(parameters)
    ridge = 1e-12 * np.trace(metric) * np.eye(len(metric))
    centered = parameters - parameters.mean(axis=0)
    return np.asarray(centered @ np.linalg.cholesky(metric + ridge))


def _neighboring(parameters: Array) -> Array:
    """Return the pairs (i < j) of which one is among the nearest of the other."""
    others = nearest_neighbors(parameters, 2 * parameters.shape[1] + 4)
    n, own = len(parameters), np.arange(len(parameters))[:, None]
    numbers = np.unique(np.minimum(others, own) * n + np.maximum(others, own))
    return np.column_stack(np.divmod(numbers, n))


def _paths(parameters: Array, edges: Array) -> Array:
    """Return straight paths between neighboring parameters: (edges, SEGMENTS + 1, d)."""
    shares = np.linspace(0.0, 1.0, SEGMENTS + 1)[:, None]
    starts, ends = parameters[edges[:, 0], None], parameters[edges[:, 1], None]
    return np.asarray((1 - shares) * starts + shares * ends)


def _lengths(surface: SplineSurface, parameters: Array, edges: Array) -> Array:
    """Return the lengths on the surface of straight paths between neighboring parameters."""
    path = _paths(parameters, edges)
    path = surface.at(path.reshape(-1, path.shape[2])).reshape(*path.shape[:2], -1)
    return np.asarray(np.linalg.norm(np.diff(path, axis=1), axis=2).sum(axis=1))


def fit_edge_lengths(parameters: Array, edges: Array, lengths: Array) -> Array:
    """Return the parameters moved so that edges get their lengths: majorized local stress.

    Errors count relative to the length; a little inertia keeps those that no edge ties down.
    """
    weights = 1.0 / np.square(np.maximum(lengths, 1e-6 * lengths.max()))
    inertia = 1e-3 * float(weights.mean())
    n, moved, (first, second) = len(parameters), parameters, edges.T
    inverse = np.linalg.inv(_laplacian(weights, edges, n) + inertia * np.eye(n))
    numbers = np.arange(len(edges))
    ends = (np.tile(numbers, 2), np.concatenate([first, second]))
    signs = np.repeat([1.0, -1.0], len(edges))
    gather = sp.csr_array((signs, ends), shape=(len(edges), n))  # edge = first end - second
    spread = sp.csr_array(gather.T)
    for _ in range(ROUNDS):
        steps = gather @ moved
        now = np.sqrt(np.square(steps).sum(axis=1))
        pulls = np.divide(weights * lengths, now, out=np.zeros_like(now), where=now > 0.0)
        moved = inverse @ (inertia * moved + spread @ (pulls[:, None] * steps))
    return np.asarray(moved)


def _laplacian(weights: Array, edges: Array, n: int) -> Array:
    matrix = np.zeros((n, n))
    matrix[edges[:, 0], edges[:, 1]] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = -matrix.sum(axis=1)
    return matrix
