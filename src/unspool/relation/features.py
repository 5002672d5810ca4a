"""PCA of explicit features: their mean, their scales, and the axes they are projected on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    largest = float(np.abs(table).max(initial=0.0))
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
