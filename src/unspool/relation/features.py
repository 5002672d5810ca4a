"""PCA of explicit features: their mean, their scales, and the axes they are projected on.

Features of single variables are natural cubic splines: the function of a variable that is 1 at one
of its knots and 0 at the others. A combination of them is known by its values at the knots, and
goes on in straight lines beyond them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ..kernel import n_monomials
from ..runtime import claim, warn
from ..values import Array

LARGEST = 1e70  # of a feature: fourth powers of larger ones, as in norms of products, overflow


@dataclass(frozen=True, slots=True)
class FeatureProjection:
    """Features centred by ``mean``, divided by ``scales``, projected on ``axes`` (one per row)."""

    mean: Array
    scales: Array
    axes: Array

    def standardize(self, features: Array) -> Array:
        """Return the features centred and scaled."""
        return np.asarray((features - self.mean) / self.scales)

    def project(self, features: Array) -> Array:
        """Return the coordinates of points with these features."""
        if features.shape[1] != len(self.mean):
            raise ValueError(
                f"the feature map gave {len(self.mean)} features when it was fitted and gives "
                f"{features.shape[1]} now; its width must not depend on the points"
            )
        return np.asarray(self.standardize(features) @ self.axes.T)


def check_features(features: object, n_points: int) -> Array:
    """Return features as float64, one row per point; ValueError where they are none."""
    table = np.asarray(features, dtype=np.float64)
    if table.ndim != 2 or len(table) != n_points or not table.shape[1]:
        raise ValueError(
            f"feature_map must return one row of features per point; for {n_points} points "
            f"it returned an array of shape {table.shape}"
        )
    largest = float(max(table.max(initial=0.0), -table.min(initial=0.0)))
    if np.isnan(largest):
        row = int(np.isnan(table).any(axis=1).argmax())
        raise ValueError(f"the features of row {row} are not all numbers; is the map defined?")
    if largest > LARGEST:
        raise ValueError(
            f"features reach {largest:.1e}, and powers of that overflow; scale the "
            "data down, or use a lower degree"
        )
    return table


def deviations(centered: Array, mean: Array, ddof: int) -> Array:
    """Return the standard deviation of every feature; 1 for those that are constant.

    A constant is told by its rounding: the mean of n equal numbers misses them by a few units in
    the last place, and dividing by that would turn rounding into variance.
    """
    spread = np.sqrt(np.square(centered).sum(axis=0) / (len(centered) - ddof))
    is_constant = spread <= 8 * np.finfo(float).eps * np.abs(mean)
    return np.where(is_constant, 1.0, spread)


def count_monomials(n: int, n_features: int, degree: int) -> int:
    """Return the number of monomials; refuse what does not fit, warn of what shows nothing."""
    columns = n_monomials(n_features, degree)
    claim(
        8 * columns * (4 * n + 4 * columns),
        f"the extension of {n_features} variables to degree {degree} has {columns} columns and",
        "lower the degree, or reduce the variables with PCA first",
    )
    if n <= columns:
        warn(
            f"{n} points are too few for {columns} monomials: at least {columns - n + 1} "
            f"eigenvalues are zero whatever the data; use more than {columns} points, or a lower "
            "degree"
        )
    return columns


@dataclass(frozen=True, slots=True)
class SplineBasis:
    """The natural cubic splines of one variable: one for each knot, 1 there and 0 at the others."""

    knots: Array

    @classmethod
    def of(cls, values: Array, n_knots: int) -> SplineBasis:
        """Return knots at quantiles of a variable; where it has few values, at each of them."""
        distinct = np.unique(values)
        if len(distinct) <= n_knots:
            return cls(distinct)
        return cls(np.unique(np.quantile(values, np.linspace(0.0, 1.0, n_knots))))

    def values(self, x: Array) -> Array:
        """Return all functions at some values of the variable, one per column."""
        if len(self.knots) == 1:  # a variable that does not vary
            return np.ones((len(x), 1))
        inside = np.clip(x, self.knots[0], self.knots[-1])
        beyond = ((x - inside) / self._length)[:, None]
        return np.asarray(self._spline(self._unit(inside)) + beyond * self._slopes(inside))

    def slopes(self, x: Array) -> Array:
        """Return the derivatives of all functions, one per column."""
        if len(self.knots) == 1:
            return np.zeros((len(x), 1))
        inside = np.clip(x, self.knots[0], self.knots[-1])
        return np.asarray(self._slopes(inside) / self._length)

    def bends(self, unit: float) -> Array:
        """Return a factor R of roughness, the variable measured in units.

        R'R are the integrals of products of second derivatives. Those are straight between knots:
        one that is a and b at the ends of an interval h has the integral of its square h times
        ((a + b) / 2)^2 + (b - a)^2 / 12.
        """
        if len(self.knots) == 1:
            return np.zeros((1, 1))
        second = self._spline(self._unit(self.knots), 2)
        roots = np.sqrt(np.diff(self._unit(self.knots)))[:, None]
        halves = (second[1:] + second[:-1]) / 2.0, (second[1:] - second[:-1]) / np.sqrt(12.0)
        return np.asarray(
            np.vstack([roots * half for half in halves]) * (unit / self._length) ** 1.5
        )

    @property
    def _length(self) -> float:
        return float(self.knots[-1] - self.knots[0])

    @property
    def _spline(self) -> CubicSpline:
        return CubicSpline(self._unit(self.knots), np.eye(len(self.knots)), bc_type="natural")

    def _unit(self, x: Array) -> Array:
        """Return values of the variable as places between the first knot, 0, and the last, 1."""
        return np.asarray((x - self.knots[0]) / self._length)

    def _slopes(self, inside: Array) -> Array:
        return np.asarray(self._spline(self._unit(inside), 1))


def spline_features(X: Array, bases: list[SplineBasis]) -> Array:
    """Return the splines of all variables side by side."""
    return np.hstack([basis.values(X[:, j]) for j, basis in enumerate(bases)])
