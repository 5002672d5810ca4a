"""The polygon that stands for a curve: its arc length, and the projection of points onto it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..values import Array

EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class Projection:
    """Where points fall on a curve: ``places`` (arc length), ``feet``, ``squares`` of the way.

    ``places`` is the projection index of S4 16.5: of several nearest feet (an ambiguity point) the
    one with the largest arc length.
    """

    places: Array
    feet: Array
    squares: Array


@dataclass(frozen=True, slots=True)
class Polygon:
    """A polygon by its corners, in order; ``marks`` is the arc length at every corner.

    A closed polygon ends in the corner where it began, and places on it count modulo its length.
    """

    vertices: Array
    marks: Array
    closed: bool

    @property
    def length(self) -> float:
        """Arc length from the first to the last corner (S4 16.4)."""
        return float(self.marks[-1])

    def at(self, places: Array) -> Array:
        """Return the points at these arc lengths; beyond an open end, the end."""
        if self.closed:
            places = np.mod(places, self.length)
        corner = np.searchsorted(self.marks, places, side="right") - 1
        corner = np.clip(corner, 0, len(self.marks) - 2)
        share = (places - self.marks[corner]) / (self.marks[corner + 1] - self.marks[corner])
        share = np.clip(share, 0.0, 1.0)[:, None]
        return np.asarray((1 - share) * self.vertices[corner] + share * self.vertices[corner + 1])

    def project(self, points: Array) -> Projection:
        """Return where each point falls; every row by itself, so batches do not matter."""
        from .curve_kernels import project_on_path

        block = int(np.ceil(np.sqrt(len(self.vertices) - 1)))
        centres, radii = _balls(self.vertices, block)
        slack = (4 * EPS * float(np.abs(self.vertices).max())) ** 2
        places, feet, squares = project_on_path(
            np.ascontiguousarray(points), self.vertices, self.marks, centres, radii, block, slack
        )
        if self.closed:
            places = np.where(places >= self.length, 0.0, places)  # the end is the beginning
        return Projection(places, feet, squares)

    def reaching(self, points: Array) -> Polygon:
        """Return the polygon with its ends drawn out straight to cover the points beyond them.

        Otherwise all points past an end would crowd on it, and the curve would shrink with every
        smoothing. A closed polygon has no ends.
        """
        if self.closed:
            return self
        places = self.project(points).places
        vertices = np.array(self.vertices)
        for end, inner in ((0, 1), (-1, -2)):
            outward = self.vertices[end] - self.vertices[inner]
            outward = outward / np.linalg.norm(outward)
            beyond = points[places == self.marks[end]] - self.vertices[end]
            overhang = float((beyond @ outward).max(initial=0.0))
            vertices[end] = self.vertices[end] + overhang * outward
        return polygon(vertices)


def polygon(vertices: Array, closed: bool = False) -> Polygon:
    """Return the polygon through these corners; corners that repeat the one before are dropped."""
    path = np.asarray(vertices, dtype=np.float64)
    rounding = (
        16 * EPS * float(np.abs(path).max())
    )  # a shorter step is noise, and so is its direction
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
    marks = np.concatenate([[0.0], np.cumsum(steps)])
    return Polygon(np.ascontiguousarray(path), marks, closed)


def spaced(marks: Array, gap: float) -> Array:
    """Return the indices of sorted marks that are ``gap`` apart, the first and the last among them.

    Two corners that almost coincide give a direction, and a second difference, of mere rounding.
    """
    kept = [0]
    for i in range(1, len(marks) - 1):
        if marks[i] - marks[kept[-1]] >= gap and marks[-1] - marks[i] >= gap:
            kept.append(i)
    return np.array([*kept, len(marks) - 1] if len(marks) > 1 else kept)


def _balls(path: Array, block: int) -> tuple[Array, Array]:
    """Return centre and radius of a ball around each block of consecutive segments."""
    firsts = range(0, len(path) - 1, block)
    blocks = [path[first : first + block + 1] for first in firsts]
    centres = np.array([(corners.min(axis=0) + corners.max(axis=0)) / 2 for corners in blocks])
    radii = [
        np.linalg.norm(corners - centre, axis=1).max()
        for corners, centre in zip(blocks, centres, strict=True)
    ]
    return centres, np.array(radii)
