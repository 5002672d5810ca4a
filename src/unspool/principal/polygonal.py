"""Principal curves with few corners: the polygonal line algorithm (Kegl et al. 2000).

Begin with a segment along the first principal component. Move the corners until the mean squared
distance of the points, and a price of sharp corners, are least; then put a new corner into the
middle of the segment that most points fall on, as long as there are fewer corners than the number
of points and the noise warrant. Nothing is smoothed: a polygon of k corners cannot follow the noise
of many more points, and exists for any distribution with second moments.

Ambiguity points are those that a curve is about as near to in two places apart (Izenman 2013,
section 16.3.1): their projection index jumps where they move a little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..optimize import Outcome, iterate, minimize
from ..values import Array
from .curve import PATIENCE, CurveState
from .geometry import Polygon, polygon

PENALTY = 0.13  # of sharp corners, and
GROWTH = 0.3  # of the number of corners: Kegl et al. 2000, found by trial on many curves
ROUND = 200  # steps of descent between two corners, at most
MOST = 200  # corners
BLOCK = 2**22  # distances of points to segments that are looked at together


@dataclass(frozen=True, slots=True)
class Segments:
    """Where points fall on a path of corners: on which segment, how far along it, the foot."""

    numbers: Array
    shares: Array
    feet: Array
    squares: Array

    @classmethod
    def nearest(cls, points: Array, corners: Array) -> Segments:
        """Project points on the nearest segment."""
        squares, shares = _to_all_segments(points, corners)
        number = squares.argmin(axis=1)
        rows = np.arange(len(points))
        share = shares[rows, number]
        feet = corners[number] + share[:, None] * (corners[number + 1] - corners[number])
        return cls(number, share, feet, squares[rows, number])


def _to_all_segments(points: Array, corners: Array) -> tuple[Array, Array]:
    """Return squared distances to all segments, and how far along each the foot is."""
    begin, step = corners[:-1], np.diff(corners, axis=0)
    lengths = np.maximum(np.square(step).sum(axis=1), 1e-300)
    along = (points @ step.T - np.einsum("sk,sk->s", begin, step)) / lengths
    shares = np.clip(along, 0.0, 1.0)
    squares = np.empty(shares.shape)
    size = max(1, BLOCK // max(1, shares.shape[1] * points.shape[1]))
    for first in range(0, len(points), size):
        rows = slice(first, first + size)
        feet = begin + shares[rows, :, None] * step
        squares[rows] = np.square(points[rows, None] - feet).sum(axis=2)
    return squares, shares


def corner_price(corners: Array, radius: float) -> tuple[float, Array]:
    """Return the price of a path's corners, and its gradient.

    An inner corner costs radius^2 (1 + cos of its angle): nothing where it is straight. The ends
    cost the squared length of their segments, which keeps them from running away.
    """
    gradient = np.zeros_like(corners)
    ends = (corners[1] - corners[0], corners[-1] - corners[-2])
    price = float(sum(np.square(end).sum() for end in ends))
    gradient[0] -= 2.0 * ends[0]
    gradient[1] += 2.0 * ends[0]
    gradient[-1] += 2.0 * ends[1]
    gradient[-2] -= 2.0 * ends[1]
    back, ahead = corners[:-2] - corners[1:-1], corners[2:] - corners[1:-1]
    one = np.maximum(np.linalg.norm(back, axis=1), 1e-12)[:, None]
    other = np.maximum(np.linalg.norm(ahead, axis=1), 1e-12)[:, None]
    cosine = np.einsum("ik,ik->i", back / one, ahead / other)[:, None]
    price += float(radius**2 * (1.0 + cosine).sum())
    by_back = radius**2 * (ahead / other - cosine * back / one) / one
    by_ahead = radius**2 * (back / one - cosine * ahead / other) / other
    gradient[:-2] += by_back
    gradient[2:] += by_ahead
    gradient[1:-1] -= by_back + by_ahead
    return price, gradient


@dataclass(frozen=True, slots=True)
class PolygonalFit:
    """How sharp corners are priced, and when there are enough of them.

    ``stiffness`` multiplies the price of Kegl et al.
    """

    points: Array
    stiffness: float
    tolerance: float

    @property
    def radius(self) -> float:
        """Distance of the farthest point from the center of all."""
        return float(np.sqrt(np.square(self.points).sum(axis=1).max()))

    def price(self, corners: Array) -> float:
        """Return what sharp corners cost, by the number of corners, of points and their noise."""
        noise = np.sqrt(float(Segments.nearest(self.points, corners).squares.mean()))
        share = len(corners) * len(self.points) ** (-1.0 / 3.0) * noise / self.radius
        return float(PENALTY * self.stiffness * share)

    def is_enough(self, corners: Array) -> bool:
        """Say whether a path has as many corners as the points and their noise warrant."""
        noise = np.sqrt(float(Segments.nearest(self.points, corners).squares.mean()))
        most = GROWTH * len(self.points) ** (1.0 / 3.0) * self.radius / max(noise, 1e-300)
        return bool(len(corners) - 1 > min(most, MOST, len(self.points) / 2))

    def moved(self, corners: Array) -> Array:
        """Return the corners where distances and their price are least."""
        price = self.price(corners) / len(corners)

        def objective(path: Array) -> tuple[float, Array]:
            falls = Segments.nearest(self.points, path)
            pulls = 2.0 * (falls.feet - self.points) / len(self.points)
            cost, gradient = corner_price(path, self.radius)
            gradient = price * gradient
            np.add.at(gradient, falls.numbers, (1.0 - falls.shares)[:, None] * pulls)
            np.add.at(gradient, falls.numbers + 1, falls.shares[:, None] * pulls)
            return float(falls.squares.mean()) + price * cost, gradient

        scale = np.full((len(corners), 1), np.sqrt(2.0 / len(corners)))
        found = minimize(
            objective,
            corners,
            scale,
            tolerance=self.tolerance * 1e-2,
            negligible=0.0,
            name="corners",
            max_steps=ROUND,
        )
        return found.state

    def refined(self, corners: Array) -> Array:
        """Return the path with a corner in the middle of the segment that most points fall on."""
        falls = Segments.nearest(self.points, corners)
        counts = np.bincount(falls.numbers, minlength=len(corners) - 1)
        lengths = np.linalg.norm(np.diff(corners, axis=0), axis=1)
        most = np.flatnonzero(counts == counts.max())
        number = int(most[lengths[most].argmax()])  # of several, the longest
        middle = 0.5 * (corners[number] + corners[number + 1])
        return np.insert(corners, number + 1, middle, axis=0)


def fit_polygonal(
    points: Array, initial: Polygon, *, stiffness: float, tolerance: float, max_steps: int
) -> Outcome[CurveState]:
    """Return the polygon of few corners through normalized points, from an initial one."""
    fit = PolygonalFit(points, stiffness, tolerance)
    ones = np.ones(len(points))

    def state_of(corners: Array, steps: int) -> tuple[CurveState, float]:
        curve = polygon(corners)
        projection = curve.project(points)
        return CurveState(curve, projection, ones, steps), float(projection.squared_distances.sum())

    def step(now: CurveState) -> tuple[CurveState, float]:
        return state_of(fit.moved(fit.refined(now.curve.vertices)), now.steps + 1)

    enough = False

    def grow(now: CurveState) -> tuple[CurveState, float]:
        nonlocal enough
        found, loss = step(now)
        enough = fit.is_enough(found.curve.vertices)
        return found, loss

    def converged(losses: Sequence[float]) -> bool:
        before = min(losses[:-PATIENCE], default=np.inf)
        return enough or min(losses[-PATIENCE:]) > (1.0 - tolerance) * before

    first, loss = state_of(fit.moved(initial.vertices), 0)
    return iterate(first, loss, grow, converged, name="polygon", max_steps=max_steps)


def ambiguity_points(points: Array, curve: Polygon, tolerance: float) -> Array:
    """Return the points that two places of a curve, apart, are about equally near to.

    Two feet count as apart where the way along the curve between them is more than twice as long
    as the straight way from foot to point to foot. The second may be farther by ``tolerance``.
    """
    squares, shares = _to_all_segments(points, curve.vertices)
    ends = curve.arc_lengths[:-1] + shares * np.diff(curve.arc_lengths)
    nearest = squares.argmin(axis=1)[:, None]
    least = np.take_along_axis(squares, nearest, axis=1)
    along = np.abs(ends - np.take_along_axis(ends, nearest, axis=1))
    if curve.closed:
        along = np.minimum(along, curve.length - along)
    straight = np.sqrt(squares) + np.sqrt(least)
    rivals = (along > 2.0 * straight) | ((along > 1e-9) & _is_valley(squares) & (along > straight))
    near = squares <= (1.0 + tolerance) ** 2 * least
    return np.flatnonzero((rivals & near).any(axis=1))


def _is_valley(squares: Array) -> Array:
    """Tell which segments are nearer than both beside them."""
    wide = np.pad(squares, ((0, 0), (1, 1)), constant_values=np.inf)
    return (squares <= wide[:, :-2]) & (squares <= wide[:, 2:])
