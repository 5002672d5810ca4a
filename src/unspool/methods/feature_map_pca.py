"""Nonlinear PCA with an explicit feature map, and what all methods with explicit features share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from math import comb

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import problem
from ..kernel import veronese
from ..relation import FeatureProjection, check_features, operator_by_factor, scale_by_roots
from ..runtime import claim, stage
from ..scale.placing import place_rows
from ..scale.reduction import find_moments
from ..scale.sources import Source
from ..spectrum import solve
from ..values import Array
from .estimator import SpectralEstimator
from .parameters import learned, method, parameter


@method
class FeatureMethod(SpectralEstimator):
    """Computes features outright, and projects them on axes."""

    _projection: FeatureProjection = learned()

    @abstractmethod
    def _features(self, X: Array) -> Array:
        """Return the features of points, one row per point."""

    def _transform(self, X: Array) -> Array:
        return self._projection.project(self._features(X))

    def _factor(self) -> Array:
        """Return the features whose inner products are the kernel."""
        return self._projection.standardize(self._features(self._X[:]))

    def kernel_(self) -> Array:
        """Return the inner products of the centred features: kernel PCA of them is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The gram matrix.
        """
        factor = self._factor()
        return np.asarray(factor @ factor.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_factor(self._factor())


@method
class FeatureMapPCA(FeatureMethod):
    """Nonlinear PCA: PCA of features that are computed outright.

    ``feature_map`` takes points (n, D) to features (n, M) in which the data are nearly flat; the
    default is the Veronese map of ``degree``, scaled so that the map equals kernel PCA with the
    homogeneous kernel (x'y)^degree. With at most as many features as points the axes come from the
    M x M covariance, else from the n x n Gram matrix (Vidal, Ma, Sastry 2016, eq. 4.10-4.12);
    ``report_`` says which.

    Examples
    --------
    >>> from unspool import FeatureMapPCA, datasets
    >>> circle = datasets.circle(100).points
    >>> bool(FeatureMapPCA(3, degree=2).fit(circle).eigenvalues_[-1] < 1e-30)  # it lies on a plane
    True
    """

    feature_map: Callable[[Array], Array] | None = parameter(
        default=None,
        optional=True,
        help="points (n, D) -> features (n, M); None is the Veronese map",
    )
    degree: int = parameter(default=2, kind=int, at_least=1, help="degree of the Veronese map")

    eigenvalues_: Array = learned(help="eigenvalues of the centered inner products of the features")
    components_: Array = learned(help="axes in feature space, one per row")
    mean_: Array = learned(help="mean of the features")
    explained_variance_ratio_: Array = learned(help="share of the variance on each axis")

    def _features(self, X: Array) -> Array:
        with np.errstate(all="ignore"):  # told by the check, with what to do
            return check_features(self._map_features(X), len(X))

    def _map_features(self, X: Array) -> Array:
        if self.feature_map is not None:
            return self.feature_map(X)
        n, width = X.shape
        columns = comb(self.degree + width - 1, self.degree)
        claim(
            4 * n * columns * 8,
            f"the Veronese map of degree {self.degree} with {columns} columns for {n} points",
            f"KernelPCA(kernel='homogeneous', degree={self.degree}) never forms them",
        )
        return veronese(X, self.degree, scaled=True)

    def _fit_source(self, source: Source) -> None:
        """Find the axes by the moments of the features, which are made of a block at a time."""
        self._check_map()
        columns = self._features(source[:2]).shape[1]
        n, held = len(source), 8.0 * 6 * columns
        self._check_axes(n, columns, min(n - 1, columns))
        found = find_moments(source, self._features, columns)
        self.mean_ = found.mean
        covariance = problem.covariance(found.factor, n)
        spectrum = solve(covariance, self._n_wanted, seed=self._seed)
        self._learn(spectrum.values, spectrum.vectors.T, float(np.square(found.factor).sum()) / n)
        self._X = source
        self.embedding_ = place_rows(source, self._transform, self._n_wanted, held, self._dtype)

    def _check_map(self) -> None:
        if self.feature_map is not None and not callable(self.feature_map):
            raise ValueError(
                f"feature_map must be callable, points -> features; got {self.feature_map!r}"
            )

    def _check_axes(self, n: int, columns: int, most: int) -> None:
        if self._n_wanted > most:
            raise ValueError(
                f"n_components={self._n_wanted} is more than {n} points with {columns} features "
                f"have; use at most {most}"
            )

    def _fit(self, X: Array) -> None:
        self._check_map()
        with stage("features") as running:
            features = self._features(X)
            self.mean_ = features.mean(axis=0)
            centered = features - self.mean_
            n, columns = centered.shape
            form = "gram" if columns > n else "covariance"
            running.note(form=form, columns=columns, holds=centered.nbytes)
        self._check_axes(n, columns, min(n - 1, columns) if form == "gram" else columns)
        values, axes = (self._by_gram if form == "gram" else self._by_covariance)(centered)
        self._learn(values, axes, float(np.square(centered).sum()) / n)
        self.embedding_ = np.asarray(centered @ axes.T)

    def _learn(self, values: Array, axes: Array, total: float) -> None:
        """Keep the axes, and what share of the ``total`` variance they have."""
        self.eigenvalues_, self.components_ = values, axes
        self.explained_variance_ratio_ = values / (total if total > 0 else 1.0)
        self._projection = FeatureProjection(self.mean_, np.ones(axes.shape[1]), axes)

    def _by_covariance(self, centered: Array) -> tuple[Array, Array]:
        covariance = problem.covariance(centered, len(centered))
        spectrum = solve(covariance, self._n_wanted, seed=self._seed)
        return spectrum.values, spectrum.vectors.T

    def _by_gram(self, centered: Array) -> tuple[Array, Array]:
        """Return u = Phi w with |w|^2 = 1 / (n value); an empty value has no axis."""
        n = len(centered)
        gram = replace(problem.gram(centered @ centered.T), divisor=n)
        spectrum = solve(gram, self._n_wanted, seed=self._seed)
        values, coordinates = scale_by_roots(spectrum)
        divisors = np.sqrt(n) * np.where(values > 0.0, values, 1.0)
        return values, np.asarray(coordinates.T @ centered) / divisors[:, None]
