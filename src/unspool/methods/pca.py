"""Principal component analysis."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import problem
from ..runtime import warn
from ..spectrum import double_product, solve
from ..values import Array
from .estimator import Estimator, check_axes, check_kernel
from .parameters import learned, method, parameter

EQUAL = 4 * float(np.finfo(np.float64).eps)  # of the mean: its rounding is no variance
BLOCK = 1 << 18  # entries of a centred block


@method
class PCA(Estimator):
    """Principal component analysis: the flat map that loses the least.

    Points are projected on the ``n_components`` directions of largest variance, which are the axes
    of the subspace with the smallest reconstruction error (Mohri et al. 2012, section 15.1). Data
    are centred before anything is squared, so an offset costs no digits.

    Examples
    --------
    >>> from unspool import PCA, datasets
    >>> PCA(2).fit(datasets.swiss_roll(500).points).embedding_.shape
    (500, 2)
    """

    ddof: int = parameter(
        default=0,
        kind=int,
        at_least=0,
        at_most=1,
        help="variances divide by n - ddof (0 as in Vidal, Ma, Sastry 2016 and Mohri et al. 2012)",
    )
    whiten: bool = parameter(
        default=False, kind=bool, help="scale every coordinate to unit variance"
    )

    eigenvalues_: Array = learned(help="variance along each axis, divided by n - ddof")
    components_: Array = learned(help="principal axes, one per row")
    mean_: Array = learned(help="mean of the points")
    explained_variance_ratio_: Array = learned(help="share of the variance along each axis")

    _KEEPS_INPUT = False  # the mean, the axes and the scores are all that a map is made of

    def _fit(self, X: Array) -> None:
        n, width = X.shape
        check_axes(self.n_components, n, width, min(n, width))
        self.mean_ = np.full(n, 1.0 / n) @ X  # by BLAS: a pass at the speed of memory
        first = np.array(X[0])
        if np.array_equal(first, X[-1]) and (first == X).all():  # a mean would be off by rounding
            self.mean_ = first
        covariance = problem.covariance(X, n - self.ddof, mean=self.mean_)
        spectrum = solve(covariance, self.n_components, seed=self.random_state)
        self.components_ = spectrum.vectors.T
        self.eigenvalues_ = spectrum.values
        if spectrum.values[0] <= max(spectrum.rounding, (EQUAL * np.abs(self.mean_).max()) ** 2):
            warn(
                f"only 0 of {self.n_components} coordinates carry anything: all points are equal "
                "up to rounding"
            )
        total = self._sum_of_squares(X) / (n - self.ddof)
        self.explained_variance_ratio_ = spectrum.values / (total if total > 0 else 1.0)
        self.embedding_ = self._transform(X)

    def _transform(self, X: Array) -> Array:
        axes = self.components_.T / self._scales()
        share = float(self.explained_variance_ratio_.sum())
        spread = float(self.eigenvalues_.sum()) / share if share > 0.0 else 0.0
        if self.mean_ @ self.mean_ <= spread:  # near the origin: no digits lost
            places = double_product(X, axes)
            places -= self.mean_ @ axes
            return np.asarray(places)
        return np.concatenate([block @ axes for block in self._centred(X)])

    def _sum_of_squares(self, X: Array) -> float:
        """Return the sum of squares of the centred points."""
        offset = len(X) * float(self.mean_ @ self.mean_)
        rest = float(np.vdot(X, X)) - offset
        if rest >= offset:
            return rest
        return float(sum(np.vdot(block, block) for block in self._centred(X)))

    def _centred(self, X: Array) -> Iterator[Array]:
        """Yield the centred points, a block at a time: no copy of the whole table is needed."""
        step = max(1, BLOCK // max(1, X.shape[1]))
        for first in range(0, len(X), step):
            yield X[first : first + step] - self.mean_

    def _inverse_transform(self, places: Array) -> Array:
        return np.asarray(self.mean_ + (places * self._scales()) @ self.components_)

    def _scales(self) -> Array:
        if not self.whiten:
            return np.ones(len(self.eigenvalues_))
        flat = self.eigenvalues_ <= 1e-15 * self.eigenvalues_.max(initial=0.0)
        return np.where(flat, 1.0, np.sqrt(np.where(flat, 1.0, self.eigenvalues_)))

    def kernel_(self) -> Array:
        """Return the centred inner products, as far as the map keeps them: its kernel.

        With as many coordinates as the points span, these are the centred points' own.

        Returns
        -------
        ndarray of shape (n_samples, n_samples)
            The Gram matrix.
        """
        scores = self.embedding_.astype(np.float64) * self._scales()
        with np.errstate(over="ignore", invalid="ignore"):
            return check_kernel(np.asarray(scores @ scores.T))
