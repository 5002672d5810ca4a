"""Polynomial principal component analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import problem
from ..kernel import Equation, monomial_exponents, monomials, readable_equation
from ..relation import (
    FeatureProjection,
    check_features,
    count_monomials,
    deviations,
)
from ..runtime import stage
from ..scale.placing import place_rows
from ..scale.reduction import Moments, find_moments
from ..scale.sources import Source
from ..spectrum import solve
from ..values import Array
from .feature_map_pca import FeatureMethod
from .parameters import learned, method, parameter

AT_ONCE = 100_000  # points whose monomials are made at a time, where not all are in memory


@method
class PolynomialPCA(FeatureMethod):
    """Polynomial PCA: the curved surface that data lie on, as an equation.

    The variables are extended by all their products up to ``degree``, and PCA is done on the
    extension (Gnanadesikan and Wilk 1969; Izenman 2013, section 16.2). What counts are the
    *smallest* eigenvalues: one of zero is a polynomial that vanishes on all points, and
    ``equation()`` writes it out. The map itself is the scores, largest variance first, all of them
    unless ``n_components`` says otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import PolynomialPCA
    >>> x = np.linspace(-1.5, 0.5, 201)
    >>> curve = np.column_stack([x, 4 * x**2 + 4 * x + 2])
    >>> print(PolynomialPCA().fit(curve).equation())
    4*x1 + 4*x1**2 - x2 + 2 = 0
    """

    n_components: int | Literal["auto"] | None = parameter(  # type: ignore[assignment]  # wider
        default=None,
        kw_only=False,
        kind=int,
        at_least=1,
        words=("auto",),
        optional=True,
        help="scores kept; None is all, 'auto' as many as the data have dimensions, by local "
        "estimates, which are in the report",
    )
    degree: int = parameter(default=2, kind=int, at_least=1, help="highest degree of a monomial")
    standardize: bool = parameter(
        default=False, kind=bool, help="scale every monomial to unit variance (correlation matrix)"
    )
    ddof: int = parameter(
        default=0,
        kind=int,
        at_least=0,
        at_most=1,
        help="variances divide by n - ddof (0 as in Izenman 2013)",
    )

    eigenvalues_: Array = learned(help="variances along all axes, largest first")
    components_: Array = learned(help="axes in the space of monomials, all of them, one per row")
    mean_: Array = learned(help="mean of the monomials")
    explained_variance_ratio_: Array = learned(help="share of the variance on each axis")
    exponents_: Array = learned(help="exponents of the monomials, one row each")

    def _features(self, X: Array) -> Array:
        with np.errstate(all="ignore"):  # told by the check, with what to do
            return check_features(monomials(X, self.degree), len(X))

    def _fit(self, X: Array) -> None:
        n, width = X.shape
        columns = self._count_columns(n, width)
        self.exponents_ = monomial_exponents(width, self.degree)
        with stage("features") as running:
            features = self._features(X)
            self.mean_, scales = features.mean(axis=0), np.ones(columns)
            centered = np.subtract(features, self.mean_, out=features)
            if self.standardize:
                scales = deviations(centered, self.mean_, self.ddof)
                centered /= scales
            running.note(columns=columns, holds=centered.nbytes)
        self._learn(centered, n, scales)
        self.embedding_ = np.asarray(centered @ self._projection.axes.T)

    def _fit_source(self, source: Source) -> None:
        """Find the axes by the moments of the monomials, which are made of a block at a time."""
        n, width = source.shape
        columns = self._count_columns(min(n, AT_ONCE), width)
        if n <= columns:  # then it is no matter of size
            super()._fit_source(source)
            return
        self.exponents_ = monomial_exponents(width, self.degree)
        found = find_moments(source, self._features, columns)
        self.mean_, scales = found.mean, np.ones(columns)
        if self.standardize:
            scales = _spreads(found, self.ddof)
        self._learn(found.factor / scales, n, scales)
        self._X = source
        wanted, held = len(self._projection.axes), 8.0 * 6 * columns
        self.embedding_ = place_rows(source, self._transform, wanted, held, self._dtype)

    def _count_columns(self, n: int, width: int) -> int:
        columns = count_monomials(n, width, self.degree)
        if self._n_wanted > columns:
            raise ValueError(
                f"n_components={self._n_wanted} is more than the {columns} monomials there are; "
                "use at most that many, or None for all"
            )
        return columns

    def _learn(self, factor: Array, n: int, scales: Array) -> None:
        """Learn the axes of monomials of which a factor of the centred scatter is given."""
        # the small end is the one that must be right, and where null vectors must be complete
        eigenproblem = replace(problem.covariance(factor, n - self.ddof), end="smallest")
        spectrum = solve(eigenproblem, factor.shape[1], seed=self._seed)
        self.eigenvalues_ = spectrum.values[::-1].copy()
        self.components_ = spectrum.vectors.T[::-1].copy()
        self.explained_variance_ratio_ = self.eigenvalues_ / (self.eigenvalues_.sum() or 1.0)
        axes = self.components_[: self._n_wanted or None]  # 0 stands for all
        self._projection = FeatureProjection(self.mean_, scales, axes)

    def equation(self, component: int = -1) -> Equation:
        """Return the equation of a component, by default the one of smallest variance.

        It says that the component's score is zero, constant included; scaled and rounded so that
        it reads well and holds on the data as the component does.

        Parameters
        ----------
        component : int, default=-1
            Number of the component; the last has the smallest variance.

        Returns
        -------
        Equation
            The equation; it prints as Python writes it.
        """
        check_is_fitted(self)
        if not -len(self.components_) <= component < len(self.components_):
            raise ValueError(f"there is no component {component} among {len(self.components_)}")
        n, scales = len(self.embedding_), self._projection.scales
        roots = np.sqrt(self.eigenvalues_ * ((n - self.ddof) / n))
        return readable_equation(
            self.components_[component] / scales,
            mean=self.mean_,
            spread=roots[:, None] * self.components_ * scales,
            exponents=self.exponents_,
            names=getattr(self, "feature_names_in_", None),
        )

    def _inverse_transform(self, places: Array) -> Array:
        """Return the variables among the monomials, if all scores are there; else interpolate."""
        axes, scales = self._projection.axes, self._projection.scales
        if len(axes) < len(self.components_):
            return super()._inverse_transform(places)
        width = self.n_features_in_
        return np.asarray(self.mean_[:width] + places @ axes[:, :width] * scales[:width])


def _spreads(found: Moments, ddof: int) -> Array:
    """Return the standard deviations of monomials; 1 for those that are constant up to rounding."""
    spread = found.deviations(ddof)
    is_constant = spread <= 8 * np.finfo(float).eps * np.abs(found.mean)
    return np.where(is_constant, 1.0, spread)
