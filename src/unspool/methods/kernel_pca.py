"""Kernel principal component analysis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .. import extension, graph
from ..kernel import Kernel, SingleRows, SymmetricTable, double_centered
from ..relation import (
    GivenKernel,
    GramMap,
    NystroemMap,
    begin_nystroem,
    center_landmarks,
    draw_landmarks,
    finish_nystroem,
    fit_gram,
    fit_nystroem,
    operator_by_rows,
    regress_points,
)
from ..runtime import check_cancelled, claim, stage
from ..scale.files import at_random
from ..scale.placing import place_rows
from ..scale.reduction import find_moments
from ..scale.sources import Source
from ..spectrum import products_pay
from ..values import Array
from .door import KERNEL_MATRIX
from .estimator import Estimator
from .parameters import KernelChoice, check_n_components, learned, method, parameter

RULES = ("cholesky", "uniform", "kmeans")
SOLVED = ("linear", "gaussian", "laplacian", "polynomial", "homogeneous")  # for a pre-image


@method
class KernelPCA(KernelChoice, Estimator):
    """Kernel PCA: PCA in the feature space of a kernel (Schölkopf, Smola, Müller 1998).

    With ``kernel="linear"`` it is PCA. The Gaussian's width is given by exactly one of ``gamma``,
    ``sigma`` (exp(-d^2 / 2 sigma^2)) and ``t`` (exp(-d^2 / t)); by default sigma is the median
    distance between the points. With landmarks the n x n kernel matrix is never formed: all points
    are seen through the landmarks' columns (Nystroem; Mohri et al. 2012, exercise 15.4).
    ``eigenvalues_`` are those of the (centred) kernel matrix. From 4,000 points on, the Gaussian's
    similarities are in single precision, unless it is so narrow that those lose more digits.

    Examples
    --------
    >>> from unspool import KernelPCA, datasets
    >>> clusters = datasets.three_clusters().points
    >>> KernelPCA(3, kernel="gaussian", sigma=0.3).fit(clusters).embedding_.shape
    (90, 3)
    """

    center: bool = parameter(default=True, kind=bool, help="centre in feature space")
    n_landmarks: int | None = parameter(
        default=None,
        kind=int,
        at_least=1,
        optional=True,
        help="number of landmarks that all points are seen through; None for all pairs",
    )
    landmarks: Literal["cholesky", "uniform", "kmeans"] | Sequence[int] | Array = parameter(
        default="cholesky",
        help="'cholesky' (randomly pivoted), 'uniform', 'kmeans', or the indices of the landmarks "
        "(then n_landmarks is moot)",
    )

    scaling: Literal["distance", "variance", "kernlab"] = parameter(
        default="distance",
        choices=("distance", "variance", "kernlab"),
        help="coordinates are sqrt(value) v, which keep distances in feature space; of unit "
        "variance, sqrt(n) v; or sqrt(n value) v, as kernlab of R has them",
    )

    eigenvalues_: Array = learned(
        help="eigenvalues of the (centered) kernel matrix, one per coordinate"
    )
    landmarks_: Array = learned(
        help="indices of the landmarks among the fitted points; empty without landmarks, and for "
        "'kmeans', whose landmarks are no data points"
    )
    _map: GramMap | NystroemMap = learned()
    _seen: Array = learned()  # what similarities are taken to: all points, or the landmarks

    _TABLES = KERNEL_MATRIX
    _SPARSE_POINTS = True

    @property
    def covariance_eigenvalues_(self) -> Array:
        """Eigenvalues of the covariance in feature space: those of the kernel matrix over n."""
        return np.asarray(self.eigenvalues_ / len(self.embedding_))

    @property
    def landmark_points_(self) -> Array:
        """Landmarks as points, one per row; of a kernel matrix, their row numbers."""
        return self._X[:0] if self._has_all_pairs() else self._seen

    def _fit(self, X: Array) -> None:
        self._check_layout(X)
        self._choose_kernel(X, centered=self.center)
        if self._has_all_pairs():
            self._check_rule()
            self._fit_all_pairs(X)
        else:
            self._fit_through_landmarks(X)
        if self.scaling != "distance":
            self.embedding_ = self.embedding_ * self._factors(len(self.embedding_))

    def _factors(self, n_points: int) -> Array:
        """Return what coordinates sqrt(value) v are multiplied by."""
        roots = np.sqrt(np.maximum(self.eigenvalues_, 0.0))
        if self.scaling == "variance":
            return np.asarray(np.sqrt(n_points) / np.where(roots > 0.0, roots, 1.0))
        return np.full(len(roots), np.sqrt(n_points) if self.scaling == "kernlab" else 1.0)

    def _has_all_pairs(self) -> bool:
        return self.n_landmarks is None and isinstance(self.landmarks, str)

    def _check_layout(self, X: Any) -> None:
        """Refuse sparse points where something else than their products or distances is needed."""
        if sp.issparse(X) and (callable(self.kernel) or self.kernel == "laplacian"):
            raise ValueError(
                f"kernel={self.kernel!r} needs dense points; pass X.toarray(), if that fits into "
                "memory, or use kernel='gaussian', 'linear' or 'polynomial'"
            )
        if sp.issparse(X) and not self._has_all_pairs():
            raise ValueError(
                "landmarks are chosen among dense points; pass X.toarray(), or leave n_landmarks "
                "and landmarks out"
            )

    def _check_rule(self) -> None:
        if self.landmarks not in RULES:
            raise ValueError(
                f"landmarks must be indices or one of {', '.join(RULES)}; got {self.landmarks!r}"
            )

    def _fit_all_pairs(self, X: Array) -> None:
        n = X.shape[0]
        check_n_components(self._n_wanted, n - 1 if self.center else n, n)
        self._seen = np.arange(n)[:, None] if self._input_kind() == "kernel" else X
        pays = products_pay(n, self._n_wanted)
        single = self._kernel.in_single_precision(X) if pays else None
        claim(
            (24 if single is None else 3) * n * n,
            f"the {n} x {n} similarities of KernelPCA",
            "use n_landmarks=1000 to see all points through 1,000 of them",
        )
        with stage("similarity") as running:
            similarities = self._similarities(X) if single is None else SymmetricTable.of(single)
            running.note(holds=similarities.nbytes)
        fitted = fit_gram(similarities, self._n_wanted, centered=self.center, seed=self._seed)
        self._map, self.landmarks_ = fitted, np.empty(0, dtype=np.intp)
        self.eigenvalues_, self.embedding_ = fitted.eigenvalues, fitted.anchors

    def _fit_through_landmarks(self, X: Array) -> None:
        n, is_table = len(X), self._input_kind() == "kernel"
        kernel = GivenKernel(X) if is_table else self._kernel
        rows = np.arange(n)[:, None] if is_table else X
        self._seen = self._choose_landmarks(kernel, rows)
        fitted, self.embedding_ = fit_nystroem(
            kernel,
            rows,
            self._seen,
            self._n_wanted,
            centered=self.center,
            seed=self._seed,
        )
        self._map, self.eigenvalues_ = fitted, fitted.eigenvalues

    def _fit_source(self, source: Source) -> None:
        """Find the axes by the moments of the rows' features through the landmarks."""
        if self._has_all_pairs():
            super()._fit_source(source)
            return
        if isinstance(self.landmarks, str) and self.landmarks == "kmeans":
            raise ValueError("k-means holds all rows in memory; use landmarks='cholesky'")
        self._X = at_random(source)
        self._choose_kernel(self._X, centered=self.center)
        self._seen = self._choose_landmarks(self._kernel, self._X)
        begun = begin_nystroem(self._kernel, self._seen, self._seed)
        self._map, rank = begun, begun.inverse_root.shape[1]
        found = find_moments(self._X, self._projected, rank)
        mean, factor = found.mean, found.factor
        if not self.center:
            mean, factor = np.zeros(rank), np.vstack([factor, np.sqrt(found.count) * mean])
        count = self._n_wanted
        self._map = finish_nystroem(begun, mean, factor, count, self._seed)
        self.eigenvalues_ = self._map.eigenvalues
        held = 8.0 * 4 * (source.shape[1] + rank)
        placed = place_rows(self._X, self._projected, count, held, self._dtype)
        self.embedding_ = placed * self._factors(len(placed))

    def _choose_landmarks(self, kernel: GivenKernel | Kernel, rows: Array) -> Array:
        """Return the landmarks as rows, and remember their indices."""
        rule, seed = self.landmarks, self._seed
        n = len(rows)
        count = len(rule) if self.n_landmarks is None else min(self.n_landmarks, n)
        if not isinstance(rows, Source):
            claim(3 * n * count * 8, f"{n} x {count} similarities", "use fewer landmarks")
        if not isinstance(rule, str):
            self.landmarks_ = graph.check_landmarks(rule, n)
            return np.asarray(rows[self.landmarks_])
        self._check_rule()
        if rule != "kmeans":
            self.landmarks_ = draw_landmarks(kernel, rows, count, rule, seed)
            return np.asarray(rows[self.landmarks_])
        if self._input_kind() == "kernel":
            raise ValueError("k-means needs points; use landmarks='cholesky' or 'uniform'")
        self.landmarks_ = np.empty(0, dtype=np.intp)
        return center_landmarks(rows, count, seed)

    def _similarities(self, X: Array) -> Array:
        """Return the similarities of points (rows) to those that are seen (columns)."""
        if self._input_kind() == "points":
            return self._kernel(X, self._seen)
        return X if self._has_all_pairs() else X[:, self._seen[:, 0]]

    def _transform(self, X: Array) -> Array:
        return self._projected(X) * self._factors(len(self.embedding_))

    def _projected(self, X: Array) -> Array:
        """Return the coordinates sqrt(value) v of query points."""
        if self._kernel.name != "gaussian" or sp.issparse(X) or not isinstance(self._map, GramMap):
            return self._map.place(self._similarities(X))
        single = self._kernel.in_single_precision(self._seen)
        if single is not None:
            return self._map.place_strips(lambda rows: SingleRows(single, X[rows]), len(X))
        similarities_of = self._kernel.rows_to(self._seen)
        return self._map.place_strips(lambda rows: similarities_of(X[rows]), len(X))

    def kernel_(self) -> Array:
        """Return the (centred) kernel matrix of all pairs.

        Returns
        -------
        ndarray of shape (n, n)
            The matrix that is decomposed, or that landmarks stand for.
        """
        similarities = self._rows(slice(None))
        return double_centered(similarities) if self.center else similarities

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_rows(self._X.shape[0], self._rows, centered=self.center)

    def _rows(self, rows: slice) -> Array:
        """Return some rows of the kernel matrix of all pairs, as it is without centring."""
        is_table = self._input_kind() == "kernel"
        return self._X[rows] if is_table else self._kernel(self._X[rows], self._X)

    def _inverse_transform(self, places: Array) -> Array:
        """Return pre-images: points whose features are nearest to those that places stand for.

        Exact for the linear kernel; fixed points for the Gaussian and for polynomials, medians for
        the Laplacian kernel. Others, which may be indefinite, have a regression only.
        """
        self._dense_points()
        scaled = places / self._factors(len(self.embedding_))
        points = self._first_preimages(places, scaled)
        if self._kernel.name not in SOLVED:
            return points
        for first in range(0, len(places), extension.PREIMAGES):
            check_cancelled()  # and no table of all places and all points
            rows = slice(first, first + extension.PREIMAGES)
            points[rows] = self._nearest_preimages(self._map.combine(scaled[rows]), points[rows])
        return points

    def _first_preimages(self, places: Array, scaled: Array) -> Array:
        """Return points to begin with: an average of neighbours on the map, or a regression."""
        name = self._kernel.name
        if name == "linear":
            return np.zeros((len(places), self._seen.shape[1]))
        if name == "gaussian":
            return np.array(super()._inverse_transform(places), dtype=np.float64)
        mapped = self.embedding_.astype(np.float64) / self._factors(len(self.embedding_))
        return np.array(regress_points(scaled, mapped, self._X, self._seed), dtype=np.float64)

    def _nearest_preimages(self, coefficients: Array, start: Array) -> Array:
        """Return the points whose features are nearest to combinations of the fitted ones."""
        kernel, known = self._kernel, self._seen
        if kernel.name == "linear":
            origin = 0.0 if kernel.origin is None else kernel.origin
            return np.asarray(origin + coefficients @ (known - origin))
        if kernel.name == "gaussian":
            return extension.gaussian_preimage(coefficients, kernel, known, start)
        is_laplacian = kernel.name == "laplacian"
        step = (
            extension.median_step(kernel, known)
            if is_laplacian
            else extension.product_step(kernel.slope, known)
        )
        return extension.nearest_preimage(coefficients, kernel, known, start, step)
