"""Curves and curvature (S4 16.3.1): velocity, speed, acceleration, arc length, curvature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array
from .polygon import spaced

STEPS = 100  # the finest detail of a curve, as a share of its length
GAUSS = np.polynomial.legendre.leggauss(5)


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
        cls, vertices: Array, marks: Array, *, closed: bool = False, detail: float = 0.0
    ) -> Curve:
        """Return the curve through the corners of a polygon, with arc length as its parameter.

        Corners closer than ``detail`` (and 1/100) of the length are left out: second differences
        over shorter steps would show rounding and the seams of a smoother.
        """
        kept = spaced(marks, max(detail, 1 / STEPS) * float(marks[-1]))
        return cls.through(marks[kept], vertices[kept], closed=closed)

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
        """Return the lengths of the tangent vectors (S4 16.3)."""
        return np.asarray(np.linalg.norm(self.velocity(parameters), axis=1))

    def curvature(self, parameters: Array) -> Array:
        """Return the curvature: the length of f'' where the speed is 1."""
        return np.asarray(np.linalg.norm(self._bend(parameters), axis=1))

    def centre_of_curvature(self, parameters: Array) -> Array:
        """Return the centres of the best touching circles; infinite where the curve is straight."""
        bend = self._bend(parameters)
        square = np.square(bend).sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(square > 0, self.at(parameters) + bend / square, np.inf)

    def length(self, start: float | None = None, stop: float | None = None) -> float:
        """Return the arc length between two parameters: the integral of the speed (S4 16.4)."""
        start = self.start if start is None else start
        stop = self.stop if stop is None else stop
        inner = self.spline.x[(self.spline.x > start) & (self.spline.x < stop)]
        return float(self._lengths(np.concatenate([[start], inner, [stop]])).sum())

    def by_arc_length(self) -> Curve:
        """Return the same curve travelled at unit speed from 0 to its length."""
        parameters = np.linspace(self.start, self.stop, max(len(self.spline.x), 4 * STEPS) + 1)
        marks = np.concatenate([[0.0], np.cumsum(self._lengths(parameters))])
        points = self.at(parameters)
        if self.closed:
            points[-1] = points[0]
        return Curve.through(marks, points, closed=self.closed)

    def is_unit_speed(self, tolerance: float = 1e-3) -> bool:
        """Say whether the speed is 1 everywhere, to ``tolerance``."""
        return bool(np.abs(self.speed(self._everywhere()) - 1.0).max() <= tolerance)

    def is_regular(self, tolerance: float = 1e-9) -> bool:
        """Say whether the curve never stands still, compared to where it is fastest."""
        speed = self.speed(self._everywhere())
        return bool(speed.min() > tolerance * speed.max())

    def _everywhere(self) -> Array:
        return np.linspace(self.start, self.stop, 4 * STEPS + 1)

    def _derivative(self, parameters: Array, order: int) -> Array:
        parameters = np.asarray(parameters, dtype=np.float64)
        if self.closed:
            parameters = self.start + np.mod(parameters - self.start, self.stop - self.start)
        return np.asarray(self.spline(parameters, order))

    def _bend(self, parameters: Array) -> Array:
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
