"""Curves: the polygon that a fit works with, and the smooth curve through its corners.

A polygon has an arc length, and points are projected onto it. Ambiguity points are those that it is
about as near to in two places apart (Izenman 2013, section 16.3.1): their projection index jumps
where they move a little. A smooth curve has velocity, speed,
acceleration and curvature (Izenman 2013, section 16.3.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..runtime import run_kernel
from ..values import Array

EPS = float(np.finfo(np.float64).eps)
STEPS = 100  # the finest detail of a smooth curve, as a share of its length
ROWS = 512  # points projected between two looks at who wants to interrupt
BLOCK = 2**22  # distances of points to segments that are looked at together
GAUSS = np.polynomial.legendre.leggauss(5)


@dataclass(frozen=True, slots=True)
class Projection:
    """Where points fall on a curve: at which arc length, the foot, and how far away.

    ``arc_lengths`` is the projection index (Izenman 2013, eq. 16.5): of several nearest feet (an
    ambiguity point) the one with the largest arc length.
    """

    arc_lengths: Array
    feet: Array
    squared_distances: Array


@dataclass(frozen=True, slots=True)
class Polygon:
    """A polygon by its corners, in order, and the arc length at every corner.

    A closed polygon ends in the corner where it began, and arc lengths count modulo its length.
    """

    vertices: Array
    arc_lengths: Array
    closed: bool

    @property
    def length(self) -> float:
        """Arc length from the first to the last corner (Izenman 2013, eq. 16.4)."""
        return float(self.arc_lengths[-1])

    def at(self, arc_lengths: Array) -> Array:
        """Return the points at these arc lengths; beyond an open end, the end."""
        if self.closed:
            arc_lengths = np.mod(arc_lengths, self.length)
        corner = np.searchsorted(self.arc_lengths, arc_lengths, side="right") - 1
        corner = np.clip(corner, 0, len(self.arc_lengths) - 2)
        begin, end = self.arc_lengths[corner], self.arc_lengths[corner + 1]
        share = (arc_lengths - begin) / (end - begin)
        share = np.clip(share, 0.0, 1.0)[:, None]
        return np.asarray((1 - share) * self.vertices[corner] + share * self.vertices[corner + 1])

    def project(self, points: Array) -> Projection:
        """Return where each point falls; every row by itself, so batches do not matter."""
        from .principal_kernels import project_on_path

        block = int(np.ceil(np.sqrt(len(self.vertices) - 1)))
        centers, radii = _balls(self.vertices, block)
        slack = (4 * EPS * float(np.abs(self.vertices).max())) ** 2
        index, feet, squares = np.empty(len(points)), np.empty(points.shape), np.empty(len(points))
        path, found = (self.vertices, self.arc_lengths), (index, feet, squares)
        points = np.ascontiguousarray(points)
        arguments = points, path, (centers, radii), block, slack, found
        run_kernel(project_on_path, arguments, len(points), ROWS)
        if self.closed:
            index = np.where(index >= self.length, 0.0, index)  # the end is the beginning
        return Projection(index, feet, squares)

    def extended_to(self, points: Array) -> Polygon:
        """Return the polygon with its ends drawn out straight to cover the points beyond them.

        Otherwise all points past an end would crowd on it, and the curve would shrink with every
        smoothing. A closed polygon has no ends.
        """
        if self.closed:
            return self
        arc_lengths = self.project(points).arc_lengths
        vertices = np.array(self.vertices)
        for end, inner in ((0, 1), (-1, -2)):
            outward = self.vertices[end] - self.vertices[inner]
            outward = outward / np.linalg.norm(outward)
            beyond = points[arc_lengths == self.arc_lengths[end]] - self.vertices[end]
            overhang = float((beyond @ outward).max(initial=0.0))
            vertices[end] = self.vertices[end] + overhang * outward
        return polygon(vertices)


def polygon(vertices: Array, closed: bool = False) -> Polygon:
    """Return the polygon through these corners; corners that repeat the one before are dropped."""
    path = np.asarray(vertices, dtype=np.float64)
    # a shorter step is noise, and so is its direction
    rounding = 16 * EPS * float(np.abs(path).max())
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    path = path[np.concatenate([[True], steps > rounding])]
    if closed:
        joined = np.linalg.norm(path[-1] - path[0]) <= rounding
        path = np.vstack([path[:-1] if joined else path, path[:1]])
    if len(path) < 2 or not np.isfinite(path).all():
        raise ValueError(
            "the curve has shrunk to a point or left all bounds; use a smaller span, or a smoother "
            "that follows the data"
        )
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    arc_lengths = np.concatenate([[0.0], np.cumsum(steps)])
    return Polygon(np.ascontiguousarray(path), arc_lengths, closed)


def space_out(arc_lengths: Array, gap: float) -> Array:
    """Return the indices of sorted arc lengths that are ``gap`` apart, first and last among them.

    Two corners that almost coincide give a direction, and a second difference, of mere rounding.
    """
    kept = [0]
    for i in range(1, len(arc_lengths) - 1):
        before, after = arc_lengths[i] - arc_lengths[kept[-1]], arc_lengths[-1] - arc_lengths[i]
        if before >= gap and after >= gap:
            kept.append(i)
    return np.array([*kept, len(arc_lengths) - 1] if len(arc_lengths) > 1 else kept)


def _balls(path: Array, block: int) -> tuple[Array, Array]:
    """Return center and radius of a ball around each block of consecutive segments."""
    firsts = range(0, len(path) - 1, block)
    blocks = [path[first : first + block + 1] for first in firsts]
    centers = np.array([(corners.min(axis=0) + corners.max(axis=0)) / 2 for corners in blocks])
    radii = [
        np.linalg.norm(corners - center, axis=1).max()
        for corners, center in zip(blocks, centers, strict=True)
    ]
    return centers, np.array(radii)


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


@dataclass(frozen=True, slots=True)
class Curve:
    """A smooth curve f: the cubic spline through given points at given parameters.

    ``closed`` means f(parameter + period) = f(parameter); the period is the range of parameters.
    """

    spline: Any
    start: float
    stop: float
    closed: bool

    @classmethod
    def through(cls, parameters: Array, points: Array, *, closed: bool = False) -> Curve:
        """Return the curve with f(parameters[i]) = points[i]; closed ones repeat the first last."""
        from scipy.interpolate import CubicSpline

        ends = "periodic" if closed else "natural" if len(parameters) < 4 else "not-a-knot"
        spline = CubicSpline(parameters, points, bc_type=ends)
        return cls(spline, float(parameters[0]), float(parameters[-1]), closed)

    @classmethod
    def smooth(
        cls, vertices: Array, arc_lengths: Array, *, closed: bool = False, detail: float = 0.0
    ) -> Curve:
        """Return the curve through the corners of a polygon, with arc length as its parameter.

        Corners closer than ``detail`` (and 1/100) of the length are left out: second differences
        over shorter steps would show rounding and the seams of a smoother.
        """
        kept = space_out(arc_lengths, max(detail, 1 / STEPS) * float(arc_lengths[-1]))
        return cls.through(arc_lengths[kept], vertices[kept], closed=closed)

    def at(self, parameters: Array) -> Array:
        """Return f at the parameters."""
        return self._derivative(parameters, 0)

    def velocity(self, parameters: Array) -> Array:
        """Return the tangent vectors f'."""
        return self._derivative(parameters, 1)

    def acceleration(self, parameters: Array) -> Array:
        """Return f''."""
        return self._derivative(parameters, 2)

    def speed(self, parameters: Array) -> Array:
        """Return the lengths of the tangent vectors (Izenman 2013, eq. 16.3)."""
        return np.asarray(np.linalg.norm(self.velocity(parameters), axis=1))

    def curvature(self, parameters: Array) -> Array:
        """Return the curvature: the length of f'' where the speed is 1."""
        return np.asarray(np.linalg.norm(self._curvature_vector(parameters), axis=1))

    def center_of_curvature(self, parameters: Array) -> Array:
        """Return the centers of the best touching circles; infinite where the curve is straight."""
        vector = self._curvature_vector(parameters)
        square = np.square(vector).sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(square > 0, self.at(parameters) + vector / square, np.inf)

    def length(self, start: float | None = None, stop: float | None = None) -> float:
        """Return the arc length between two parameters (Izenman 2013, eq. 16.4)."""
        start = self.start if start is None else start
        stop = self.stop if stop is None else stop
        inner = self.spline.x[(self.spline.x > start) & (self.spline.x < stop)]
        return float(self._lengths(np.concatenate([[start], inner, [stop]])).sum())

    def by_arc_length(self) -> Curve:
        """Return the same curve travelled at unit speed from 0 to its length."""
        parameters = np.linspace(self.start, self.stop, max(len(self.spline.x), 4 * STEPS) + 1)
        arc_lengths = np.concatenate([[0.0], np.cumsum(self._lengths(parameters))])
        points = self.at(parameters)
        if self.closed:
            points[-1] = points[0]
        return Curve.through(arc_lengths, points, closed=self.closed)

    def is_unit_speed(self, tolerance: float = 1e-3) -> bool:
        """Tell whether the speed is 1 everywhere, to ``tolerance``."""
        return bool(np.abs(self.speed(self._everywhere()) - 1.0).max() <= tolerance)

    def is_regular(self, tolerance: float = 1e-9) -> bool:
        """Tell whether the curve never stands still, compared to where it is fastest."""
        speed = self.speed(self._everywhere())
        return bool(speed.min() > tolerance * speed.max())

    def _everywhere(self) -> Array:
        return np.linspace(self.start, self.stop, 4 * STEPS + 1)

    def _derivative(self, parameters: Array, order: int) -> Array:
        parameters = np.asarray(parameters, dtype=np.float64)
        if self.closed:
            parameters = self.start + np.mod(parameters - self.start, self.stop - self.start)
        return np.asarray(self.spline(parameters, order))

    def _curvature_vector(self, parameters: Array) -> Array:
        """Return the part of f'' across the curve, per squared speed: the curvature vector."""
        velocity, acceleration = self.velocity(parameters), self.acceleration(parameters)
        square = np.square(velocity).sum(axis=1, keepdims=True)
        square = np.where(square > 0, square, 1.0)
        along = (velocity * acceleration).sum(axis=1, keepdims=True) / square
        return np.asarray((acceleration - along * velocity) / square)

    def _lengths(self, parameters: Array) -> Array:
        """Return the arc length of each interval between consecutive parameters."""
        half = np.diff(parameters) / 2
        at = (parameters[:-1] + half)[:, None] + half[:, None] * GAUSS[0]
        speed = self.speed(at.ravel()).reshape(at.shape)
        return np.asarray(half * (speed @ GAUSS[1]))
