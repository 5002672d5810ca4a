"""Principal component analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .. import problem
from ..relation import operator_by_factor
from ..runtime import limit_blas_threads, recording, run_strips, warn
from ..scale.placing import place_rows
from ..scale.reduction import Moments, find_moments
from ..scale.sources import Source
from ..spectrum import double_product, solve
from ..values import Array, EigenProblem
from .door import check_kernel
from .estimator import SpectralEstimator, draw_seed
from .parameters import check_parameters, learned, method, parameter

EQUAL = 4 * float(np.finfo(np.float64).eps)  # of the mean: its rounding is no variance
BLOCK = 1 << 18  # entries of a centred block


@method
class PCA(SpectralEstimator):
    """Principal component analysis: the flat map that loses the least.

    Points are projected on the ``n_components`` directions of largest variance, which are the axes
    of the subspace with the smallest reconstruction error (Mohri et al. 2012, section 15.1). Data
    are centred before anything is squared, so an offset costs no digits. Of data that come batch by
    batch (``partial_fit``), or that are larger than memory, the axes are exact too.

    Examples
    --------
    >>> from unspool import PCA, datasets
    >>> PCA(2).fit(datasets.swiss_roll(500).points).embedding_.shape
    (500, 2)
    """

    n_components: int | float | Literal["auto"] = parameter(  # type: ignore[assignment]  # wider
        default=2,
        kw_only=False,
        kind=float,
        above=0,
        words=("auto",),
        help="number of coordinates of the map, or, below 1, the share of the variance that they "
        "keep together: 0.9; 'auto' is the dimension that the data have, by local estimates",
    )
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

    _scatter: Array = learned()  # R with R'R the centred scatter of all batches so far
    _n_seen: int = learned()  # rows of these batches

    _SPARSE_POINTS = True
    _SPARSE_BLOCKS = True
    _KEEPS_INPUT = False  # the mean, the axes and the scores are all that a map is made of

    def _keeps_single(self, n_columns: int) -> bool:
        return True

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add the rows of ``X`` to those of earlier calls, and learn the map of all of them.

        The axes are those of all rows together, whatever the batches. ``embedding_`` holds the
        coordinates of this batch; those of earlier ones are had by ``transform``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows; the first batch must have as many rows as there are coordinates.
        y : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        Self
            The fitted method.
        """
        check_parameters(self)
        with self._all_or_nothing(), recording() as record:
            first = not hasattr(self, "_scatter")
            checked = self._check_input(X, reset=first)
            self._seed = draw_seed(self.random_state)
            if first:
                self._n_wanted = self._count_coordinates(checked)
            found = Moments.of(checked)
            if not first:
                found = Moments(self._n_seen, self.mean_, self._scatter).merged(found)
            self._learn(found)
            self._scatter, self._n_seen = found.factor, found.count
            self.embedding_ = self._transform(checked).astype(self._dtype)
            self.report_ = record.report()
        return self

    def _count_coordinates(self, X: Any) -> int:
        """Return how many coordinates are asked for: 0 where a share of the variance is."""
        wanted = self.n_components
        if isinstance(wanted, str) or float(wanted).is_integer():
            return super()._count_coordinates(X)
        if wanted > 1:
            raise ValueError(
                f"PCA: n_components must be a whole number, or a share below 1; got {wanted!r}"
            )
        return 0

    def _all_axes_or(self, most: int) -> int:
        """Return how many axes are solved for: all of them, where a share is asked for."""
        whole = isinstance(self.n_components, str) or self.n_components >= 1
        return self._n_wanted if whole else most

    def _fit_source(self, source: Source) -> None:
        """Find the axes by the moments of blocks, and place the rows in a second pass."""
        self._learn(find_moments(source))
        width = source.shape[1]
        self.embedding_ = place_rows(
            source, self._transform, self._n_wanted, 8.0 * 3 * width, self._dtype
        )

    def _learn(self, found: Moments) -> None:
        """Learn the axes of rows that are known by their moments."""
        self.__dict__.pop("_scatter", None)
        n, width = found.count, len(found.mean)
        self._n_wanted = self._all_axes_or(min(n, width))
        _check_axes(self._n_wanted, n, width, min(n, width))
        self.mean_ = found.mean
        covariance = problem.covariance(_tall(found.factor), n - self.ddof)
        self._learn_axes(covariance, float(np.vdot(found.factor, found.factor)) / (n - self.ddof))

    def _fit(self, X: Any) -> None:
        n, width = X.shape
        self._n_wanted = self._all_axes_or(min(n, width))
        _check_axes(self._n_wanted, n, width, min(n, width))
        sums, squares = _sums(X)
        self.mean_ = sums / n
        first = X[[0]].toarray()[0] if sp.issparse(X) else np.array(X[0], dtype=np.float64)
        if self._are_equal(X, first):  # a mean would be off by rounding
            self.mean_ = first
        self.__dict__.pop("_scatter", None)  # of batches that came before
        covariance = problem.covariance(X, n - self.ddof, mean=self.mean_)
        self._learn_axes(covariance, self._sum_of_squares(X, squares) / (n - self.ddof))
        self.embedding_ = self._transform(X)

    def _learn_axes(self, covariance: EigenProblem, total: float) -> None:
        """Learn the axes of a covariance, and what share of the ``total`` variance they have."""
        spectrum = solve(covariance, self._n_wanted, seed=self._seed)
        shares = spectrum.values / (total if total > 0 else 1.0)
        if not isinstance(self.n_components, str) and self.n_components < 1:
            enough = np.flatnonzero(np.cumsum(shares) >= self.n_components - 1e-12)
            self._n_wanted = int(enough[0]) + 1 if len(enough) else len(shares)
        kept = slice(0, self._n_wanted)
        self.components_ = spectrum.vectors.T[kept]
        self.eigenvalues_ = spectrum.values[kept]
        if spectrum.values[0] <= max(spectrum.rounding, (EQUAL * np.abs(self.mean_).max()) ** 2):
            warn(
                f"only 0 of {self._n_wanted} coordinates are nonzero: all points are equal "
                "up to rounding"
            )
        self.explained_variance_ratio_ = shares[kept]

    @property
    def explained_variance_(self) -> Array:
        """Variance along each axis: ``eigenvalues_``, as scikit-learn calls it."""
        return self.eigenvalues_

    @property
    def n_components_(self) -> int:
        """Number of coordinates: where a share of the variance was asked for, what that takes."""
        return len(self.components_)

    @property
    def singular_values_(self) -> Array:
        """Those of the centred points, as scikit-learn gives them."""
        count = self._n_seen if hasattr(self, "_scatter") else len(self.embedding_)
        return np.asarray(np.sqrt(np.maximum(self.eigenvalues_, 0.0) * (count - self.ddof)))

    def _are_equal(self, X: Any, first: Array) -> bool:
        """Tell whether all points are the first one."""
        if sp.issparse(X):
            last = X[[-1]].toarray()[0]
            return np.array_equal(first, last) and (X - sp.vstack([X[[0]]] * X.shape[0])).nnz == 0
        return np.array_equal(first, X[-1]) and bool((first == X).all())

    def _transform(self, X: Any) -> Array:
        axes = self.components_.T / self._scales()
        share = float(self.explained_variance_ratio_.sum())
        spread = float(self.eigenvalues_.sum()) / share if share > 0.0 else 0.0
        if sp.issparse(X):
            return np.asarray(X @ axes - self.mean_ @ axes)
        if X.dtype == np.float64 and self.mean_ @ self.mean_ <= spread:  # near: no digits lost
            places = double_product(X, axes)
            places -= self.mean_ @ axes
            return np.asarray(places)
        return np.concatenate([block @ axes for block in self._centred(X)])

    def _sum_of_squares(self, X: Any, squares: float) -> float:
        """Return the sum of squares of the centred points, from that of the given ones."""
        if sp.issparse(X):  # what is not listed differs from the mean by the mean
            listed = self.mean_[X.indices]
            more = np.square(X.data - listed) - np.square(listed)
            return float(more.sum() + X.shape[0] * (self.mean_ @ self.mean_))
        offset = len(X) * float(self.mean_ @ self.mean_)
        rest = squares - offset
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
        scores = self._scores()
        with np.errstate(over="ignore", invalid="ignore"):
            return check_kernel(np.asarray(scores @ scores.T))

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_factor(self._scores())

    def _scores(self) -> Array:
        """Return the coordinates at the scale of the data, whitened or not."""
        return np.asarray(self.embedding_.astype(np.float64) * self._scales())


def _tall(factor: Array) -> Array:
    """Return a factor with at least as many rows as columns; those added are zero."""
    missing = factor.shape[1] - factor.shape[0]
    return factor if missing <= 0 else np.pad(factor, ((0, missing), (0, 0)))


def _sums(X: Any) -> tuple[Array, float]:
    """Return the sums of the columns, and that of all squares: each number is read once."""
    if sp.issparse(X):
        return np.asarray(np.ones(X.shape[0]) @ X), float(X.data @ X.data)
    step = max(1, BLOCK // max(1, X.shape[1]))
    count = -(-len(X) // step)
    sums, squares = np.empty((count, X.shape[1])), np.empty(count)

    def work(rows: slice) -> None:
        part, place = np.asarray(X[rows], dtype=np.float64), rows.start // step
        sums[place], squares[place] = np.ones(len(part)) @ part, np.vdot(part, part)

    with limit_blas_threads():
        run_strips(work, len(X), step)
    return np.asarray(sums.sum(axis=0)), float(squares.sum())


def _check_axes(n_components: int, n_points: int, n_features: int, most: int) -> None:
    """Raise ValueError if more axes are asked for than points in so many features have."""
    if n_components > most:
        raise ValueError(
            f"n_components={n_components} is more than these {n_points} points with {n_features} "
            f"features have; use at most {most}"
        )
