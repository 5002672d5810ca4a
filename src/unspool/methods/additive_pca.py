"""Additive principal components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy.linalg import block_diag, qr, solve_triangular
from sklearn.utils.validation import check_is_fitted

from .. import problem
from ..relation import FeatureProjection, SplineBasis, check_features, spline_features
from ..runtime import claim, stage, warn
from ..spectrum import solve
from ..values import Array, End
from .feature_map_pca import FeatureMethod
from .parameters import check_n_components, learned, method, parameter

RANK = 1e-6  # of the largest size among the functions of a variable: smaller ones are none


@method
class AdditivePCA(FeatureMethod):
    """Additive principal components: PCA with a function of each variable in place of a multiple.

    A coordinate is a sum of functions, one of each variable, whose variances add up to 1 (Donnell,
    Buja, Stuetzle 1994; Izenman 2013, notes to chapter 16). The *largest* coordinates vary most:
    PCA of correlations, with curved scales. The *smallest* vary least: one of variance zero is a
    law, the sum of the functions is constant on all points. ``transformations`` gives them.

    They are natural cubic splines with a penalty on their roughness, which counts for the size of
    functions that are to vary most, and for the variance of those that are to vary least. Smoothing
    the sum of all functions over one variable gives the function of that variable, times the
    eigenvalue: what alternating smoothers converge to is found here as one eigenproblem. With
    ``constraint="slope"`` their mean squared slopes add up to 1 instead, as in the nonlinear
    principal components of Salinelli (1998): functions that are steep where points are few.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import AdditivePCA
    >>> x = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    >>> points = np.column_stack([x, x[:, 0] ** 2 + np.exp(x[:, 1])])
    >>> law = AdditivePCA(1, end="smallest").fit(points)
    >>> bool(law.eigenvalues_[0] < 1e-4)
    True
    """

    end: End = parameter(
        default="largest",
        choices=("largest", "smallest"),
        help="the coordinates that vary most, or those that vary least",
    )
    n_knots: int = parameter(
        default=10, kind=int, at_least=2, help="knots of the spline of a variable; 2 are a line"
    )
    smoothing: float = parameter(
        default=1e-5,
        kind=float,
        at_least=0.0,
        help="penalty on squared second derivatives, variables in standard units",
    )
    constraint: Literal["variance", "slope"] = parameter(
        default="variance",
        choices=("variance", "slope"),
        help="what sums to 1: the functions' variances, or their mean squared slopes",
    )

    eigenvalues_: Array = learned(
        help="variances of the coordinates, the wanted end first; smallest ones with roughness"
    )
    components_: Array = learned(
        help="values of the functions at all knots, one row per coordinate"
    )
    knots_: tuple[Array, ...] = learned(help="knots of each variable")
    mean_: Array = learned(help="mean of the splines")

    def _fit(self, X: Array) -> None:
        n, width = X.shape
        check_n_components(self._n_wanted, min(n - 1, width * (self.n_knots - 1)))
        claim(
            8 * n * width * self.n_knots * 4,
            f"splines with {self.n_knots} knots of {width} variables",
            "use fewer knots, or reduce the variables with PCA first",
        )
        bases = [SplineBasis.of(X[:, j], self.n_knots) for j in range(width)]
        with stage("features") as running:
            features = check_features(spline_features(X, bases), n)
            self.mean_ = features.mean(axis=0)
            whitening, bends = self._enough(*self._unit_functions(X, bases, features - self.mean_))
            functions = (features - self.mean_) @ whitening
            running.note(columns=functions.shape[1], holds=functions.nbytes)
        varied = functions if self.end == "largest" else np.vstack([functions, np.sqrt(n) * bends])
        eigenproblem = replace(problem.covariance(varied, n), end=self.end)
        spectrum = solve(eigenproblem, self._n_wanted, seed=self._seed)
        self.eigenvalues_ = spectrum.values
        self.components_ = np.ascontiguousarray((whitening @ spectrum.vectors).T)
        self.knots_ = tuple(basis.knots for basis in bases)
        self._projection = FeatureProjection(self.mean_, np.ones(len(self.mean_)), self.components_)
        self.embedding_ = self._projection.project(features)  # as query points are

    def _unit_functions(
        self, X: Array, bases: list[SplineBasis], centered: Array
    ) -> tuple[Array, Array]:
        """Return functions of each variable, of size 1 and orthogonal, and their priced bends.

        They stand in columns, by their values at the knots. The size is variance or mean squared
        slope; constants have none, and are left out. The sum of squares of the bends is the price.
        """
        found, prices = [], []
        for basis, columns, x in zip(bases, _columns(bases), X.T, strict=True):
            table = basis.slopes(x) if self.constraint == "slope" else centered[:, columns]
            price = np.sqrt(self.smoothing) * basis.bends(float(x.std()) or 1.0)
            size = table / np.sqrt(len(x))
            unit = _orthonormal(np.vstack([size, price]) if self.end == "largest" else size)
            block = np.zeros((centered.shape[1], unit.shape[1]))
            block[columns] = unit
            found.append(block)
            prices.append(price @ unit)
        return np.hstack(found), block_diag(*prices)

    def _enough(self, whitening: Array, bends: Array) -> tuple[Array, Array]:
        """Return as many functions as coordinates at least: those that lack are zero, and told."""
        n, columns = len(self._X), whitening.shape[1]
        lacking = self._n_wanted - columns
        if lacking > 0 and self.end == "smallest":
            raise ValueError(
                f"n_components={self._n_wanted} is more than the {columns} functions that vary; "
                "use at most that many, or more knots"
            )
        if lacking > 0:
            warn(
                f"only {columns} of {self._n_wanted} coordinates are nonzero: no more "
                "functions vary; use more knots, or fewer coordinates"
            )
            wider = ((0, 0), (0, lacking))
            return np.pad(whitening, wider), np.pad(bends, wider)
        if self.end == "smallest" and n <= columns:
            warn(
                f"{n} points are too few for {columns} functions: at least {columns - n + 1} "
                f"eigenvalues are zero whatever the data; use more than {columns} points, or fewer "
                "knots"
            )
        return whitening, bends

    def _bases(self) -> list[SplineBasis]:
        return [SplineBasis(knots) for knots in self.knots_]

    def _features(self, X: Array) -> Array:
        return spline_features(X, self._bases())

    def transformations(self, X: Array) -> Array:
        """Return the functions at points: what each variable adds to each coordinate.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_features, n_components)
            The functions, with mean 0 over the fitted points; their sum over the variables is
            ``transform(X)``.
        """
        check_is_fitted(self)
        points = self._check_input(X, reset=False)
        bases = self._bases()
        centered = spline_features(points, bases) - self.mean_
        parts = [centered[:, c] @ self.components_[:, c].T for c in _columns(bases)]
        return np.stack(parts, axis=1)

    def _factor(self) -> Array:
        """Return all functions at the fitted points, not only those that were kept."""
        check_is_fitted(self)
        bases = self._bases()
        centered = spline_features(self._X, bases) - self.mean_
        return np.asarray(centered @ self._unit_functions(self._X, bases, centered)[0])


def _orthonormal(factor: Array) -> Array:
    """Return columns t that the factor makes orthonormal, leaving out what has no size."""
    _, upper, order = qr(factor, mode="economic", pivoting=True)
    sizes = np.abs(np.diag(upper))
    rank = int(np.sum(sizes > RANK * max(sizes[0], np.finfo(float).tiny)))
    found = np.zeros((factor.shape[1], rank))
    found[order[:rank]] = solve_triangular(upper[:rank, :rank], np.eye(rank))
    return found


def _columns(bases: list[SplineBasis]) -> Iterator[slice]:
    """Yield the columns of each variable among all splines."""
    ends = np.cumsum([len(basis.knots) for basis in bases])
    for basis, end in zip(bases, ends, strict=True):
        yield slice(int(end) - len(basis.knots), int(end))
