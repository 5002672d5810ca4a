"""Polynomial principal component analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import problem
from ..kernel import monomial_exponents, monomials
from ..runtime import stage
from ..spectrum import solve
from ..values import Array
from .equation import Equation, readable_equation
from .feature_family import FeatureMethod, deviations, monomials_that_fit
from .parameters import learned, method, parameter


@method
class PolynomialPCA(FeatureMethod):
    """Polynomial PCA: the curved surface that data lie on, as an equation (S4 16.2).

    The variables are extended by all their products up to ``degree``, and PCA is done on the
    extension (Gnanadesikan and Wilk 1969). What counts are the *smallest* eigenvalues: one of zero
    is a polynomial that vanishes on all points, and ``equation()`` writes it out. The map itself is
    the scores, largest variance first, all of them unless ``n_components`` says otherwise.

    Attributes: ``eigenvalues_`` (all, largest first, divided by n - ddof), ``components_`` (all,
    one a row), ``exponents_`` (of the extension, one row a column), ``mean_``.

    >>> import numpy as np
    >>> from unspool import PolynomialPCA
    >>> x = np.linspace(-1.5, 0.5, 201)
    >>> curve = np.column_stack([x, 4 * x**2 + 4 * x + 2])
    >>> print(PolynomialPCA().fit(curve).equation())
    4*x1 + 4*x1**2 - x2 + 2 = 0
    """

    n_components: Any = parameter(  # Any: the base declares int, and None is allowed here
        None, positional=True, kind=int, at_least=1, optional=True, help="scores kept; None is all"
    )
    degree: int = parameter(2, kind=int, at_least=1, help="highest degree of a monomial")
    standardize: bool = parameter(
        False, kind=bool, help="scale every monomial to unit variance (correlation matrix)"
    )
    ddof: int = parameter(
        0, kind=int, at_least=0, at_most=1, help="variances divide by n - ddof (0 as in S4)"
    )

    exponents_: Array = learned()

    def _learn(self, points: Array) -> None:
        n, width = points.shape
        columns = monomials_that_fit(n, width, self.degree)
        if self.n_components is not None and self.n_components > columns:
            raise ValueError(
                f"n_components={self.n_components} is more than the {columns} monomials there are; "
                "use at most that many, or None for all"
            )
        self.exponents_ = monomial_exponents(width, self.degree)
        with stage("features") as running:
            centred = self._centred(points)
            if self.standardize:
                self._scales = deviations(centred, self.mean_, self.ddof)
                centred = centred / self._scales
            running.note(columns=columns, holds=centred.nbytes)
        # the small end is the one that must be right, and where null vectors must be complete
        eigenproblem = replace(problem.covariance(centred), end="smallest")
        spectrum = solve(eigenproblem, columns, seed=self.random_state)
        values = spectrum.values[::-1]
        self.components_ = spectrum.vectors.T[::-1].copy()
        self.eigenvalues_ = values / (n - self.ddof)
        self.explained_variance_ratio_ = values / (values.sum() or 1.0)
        self._axes = self.components_[: self.n_components]
        self.embedding_ = np.asarray(centred @ self._axes.T)

    def equation(self, component: int = -1) -> Equation:
        """Return the equation of a component, by default the one of smallest variance.

        It says that the component's score is zero, constant included; scaled and rounded so that
        it reads well and holds on the data as the component does.
        """
        check_is_fitted(self)
        if not -len(self.components_) <= component < len(self.components_):
            raise ValueError(f"there is no component {component} among {len(self.components_)}")
        n = len(self.embedding_)
        roots = np.sqrt(self.eigenvalues_ * ((n - self.ddof) / n))
        return readable_equation(
            self.components_[component] / self._scales,
            mean=self.mean_,
            spread=roots[:, None] * self.components_ * self._scales,
            exponents=self.exponents_,
            names=getattr(self, "feature_names_in_", None),
        )

    def _features(self, points: Array) -> Array:
        return monomials(points, self.degree)

    def _unmap(self, places: Array) -> Array:
        """Return the variables among the monomials, if all scores are there; else interpolate."""
        if len(self._axes) < len(self.components_):
            return super()._unmap(places)
        width = self.n_features_in_
        linear = places @ self._axes[:, :width] * self._scales[:width]
        return np.asarray(self.mean_[:width] + linear)
