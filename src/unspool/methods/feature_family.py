"""Methods that are PCA of explicit features: a feature map, a mean, axes to project on."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel import n_monomials
from ..runtime import claim, warn
from ..values import Array
from .estimator import Method
from .parameters import learned, method

LARGEST = 1e140  # of a feature: sums of squares of larger ones overflow


@method
class FeatureMethod(Method):
    """Points -> features -> centred and scaled -> coordinates on ``_axes`` (S0 4.9)."""

    mean_: Array = learned()
    components_: Array = learned()
    explained_variance_ratio_: Array = learned()
    _scales: Array = learned()
    _axes: Array = learned()  # those of the components that make the map

    def _features(self, points: Array) -> Any:
        """Return the features of these points, one row a point."""
        raise NotImplementedError

    def _centred(self, points: Array) -> Array:
        """Learn the features' mean and return them centred; what they may be is checked here."""
        features = self._checked_features(points)
        self.mean_ = features.mean(axis=0)
        self._scales = np.ones(features.shape[1])
        return features - self.mean_

    def _map(self, points: Array) -> Array:
        features = self._checked_features(points)
        if features.shape[1] != len(self.mean_):
            raise ValueError(
                f"the feature map gave {len(self.mean_)} features when it was fitted and gives "
                f"{features.shape[1]} now; its width must not depend on the points"
            )
        return np.asarray((features - self.mean_) / self._scales @ self._axes.T)

    def kernel_(self) -> Array:
        """Return the inner products of the centred features: kernel PCA of them is this map."""
        centred = (self._checked_features(self._given) - self.mean_) / self._scales
        return np.asarray(centred @ centred.T)

    def _checked_features(self, points: Array) -> Array:
        with np.errstate(all="ignore"):  # told below, with what to do
            features = np.asarray(self._features(points), dtype=np.float64)
        if features.ndim != 2 or len(features) != len(points) or not features.shape[1]:
            raise ValueError(
                f"feature_map must return one row of features a point; for {len(points)} points "
                f"it returned an array of shape {features.shape}"
            )
        largest = float(np.abs(features).max(initial=0.0))
        if np.isnan(largest):
            row = int(np.isnan(features).any(axis=1).argmax())
            raise ValueError(f"the features of row {row} are not all numbers; is the map defined?")
        if largest > LARGEST:
            raise ValueError(
                f"features reach {largest:.1e}, and sums of their squares overflow; scale the "
                "data down, or use a lower degree"
            )
        return features


def deviations(centred: Array, mean: Array, ddof: int) -> Array:
    """Return the standard deviation of every feature; 1 for those that are constant.

    A constant is told by its rounding: the mean of n equal numbers misses them by a few units in
    the last place, and dividing by that would turn rounding into variance.
    """
    spread = np.sqrt(np.square(centred).sum(axis=0) / (len(centred) - ddof))
    is_constant = spread <= 8 * np.finfo(float).eps * np.abs(mean)
    return np.where(is_constant, 1.0, spread)


def monomials_that_fit(n: int, n_features: int, degree: int) -> int:
    """Return the number of monomials; refuse what does not fit, warn of what shows nothing."""
    columns = n_monomials(n_features, degree)
    claim(
        8 * columns * (4 * n + 4 * columns),
        f"the extension of {n_features} variables to degree {degree} has {columns} columns and",
        "lower the degree, or reduce the variables with PCA first",
    )
    if n <= columns:
        sentence = (
            f"{n} points are too few for {columns} monomials: at least {columns - n + 1} "
            f"eigenvalues are zero whatever the data; use more than {columns} points, or a lower "
            "degree"
        )
        warn(sentence)
    return columns
