"""Kernel principal component analysis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from .. import extension, graph
from ..kernel import Kernel, double_centered
from ..relation import (
    GivenKernel,
    GramMap,
    NystroemMap,
    center_landmarks,
    draw_landmarks,
    fit_gram,
    fit_nystroem,
    regress_points,
)
from ..runtime import claim, stage
from ..values import Array
from .choices import KernelChoice
from .estimator import Estimator, InputKind, check_n_components
from .parameters import learned, method, parameter

RULES = ("cholesky", "uniform", "kmeans")


@method
class KernelPCA(KernelChoice, Estimator):
    """Kernel PCA: PCA in the feature space of a kernel (Schölkopf, Smola, Müller 1998).

    With ``kernel="linear"`` it is PCA. The Gaussian's width is given by exactly one of ``gamma``,
    ``sigma`` (exp(-d^2 / 2 sigma^2)) and ``t`` (exp(-d^2 / t)); by default sigma is the median
    distance between the points. With landmarks the n x n kernel matrix is never formed: all points
    are seen through the landmarks' columns (Nystroem; Mohri et al. 2012, exercise 15.4).
    ``eigenvalues_`` are those of the (centred) kernel matrix.

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

    eigenvalues_: Array = learned(
        help="eigenvalues of the (centered) kernel matrix, one per coordinate"
    )
    landmarks_: Array = learned(
        help="indices of the landmarks among the fitted points; empty without landmarks, and for "
        "'kmeans', whose landmarks are no data points"
    )
    _map: GramMap | NystroemMap = learned()
    _seen: Array = learned()  # what similarities are taken to: all points, or the landmarks

    def _input_kind(self) -> InputKind:
        return "kernel" if self.kernel == "precomputed" else "points"

    @property
    def covariance_eigenvalues_(self) -> Array:
        """Eigenvalues of the covariance in feature space: those of the kernel matrix over n."""
        return np.asarray(self.eigenvalues_ / len(self.embedding_))

    @property
    def landmark_points_(self) -> Array:
        """Landmarks as points, one per row; of a kernel matrix, their row numbers."""
        return self._X[:0] if self._has_all_pairs() else self._seen

    def _fit(self, X: Array) -> None:
        self._choose_kernel(X, centered=self.center)
        if self._has_all_pairs():
            self._check_rule()
            self._fit_all_pairs(X)
        else:
            self._fit_through_landmarks(X)

    def _has_all_pairs(self) -> bool:
        return self.n_landmarks is None and isinstance(self.landmarks, str)

    def _check_rule(self) -> None:
        if self.landmarks not in RULES:
            raise ValueError(
                f"landmarks must be indices or one of {', '.join(RULES)}; got {self.landmarks!r}"
            )

    def _fit_all_pairs(self, X: Array) -> None:
        n = len(X)
        claim(
            3 * n * n * 8,
            f"the {n} x {n} similarities of KernelPCA",
            "use n_landmarks=1000 to see all points through 1,000 of them",
        )
        check_n_components(self.n_components, n - 1 if self.center else n, n)
        self._seen = np.arange(n)[:, None] if self._input_kind() == "kernel" else X
        with stage("similarity") as running:
            similarities = self._similarities(X)
            running.note(holds=similarities.nbytes)
        fitted = fit_gram(
            similarities, self.n_components, centered=self.center, seed=self.random_state
        )
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
            self.n_components,
            centered=self.center,
            seed=self.random_state,
        )
        self._map, self.eigenvalues_ = fitted, fitted.eigenvalues

    def _choose_landmarks(self, kernel: GivenKernel | Kernel, rows: Array) -> Array:
        """Return the landmarks as rows, and remember their indices."""
        rule, seed = self.landmarks, self.random_state
        n = len(rows)
        count = len(rule) if self.n_landmarks is None else min(self.n_landmarks, n)
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
        return self._map.place(self._similarities(X))

    def kernel_(self) -> Array:
        """Return the (centred) kernel matrix of all pairs.

        Returns
        -------
        ndarray of shape (n, n)
            The matrix that is decomposed, or that landmarks stand for.
        """
        is_table = self._input_kind() == "kernel"
        similarities = self._X if is_table else self._kernel(self._X, self._X)
        return double_centered(similarities) if self.center else similarities

    def _inverse_transform(self, places: Array) -> Array:
        """Return pre-images: points whose features are nearest to those that places stand for.

        Exact for the linear kernel; fixed points for the Gaussian and for polynomials, medians for
        the Laplacian kernel. Others, which may be indefinite, have a regression only.
        """
        coefficients, known = self._map.combine(places), self._seen
        if self.kernel == "linear":
            origin = 0.0 if self._kernel.origin is None else self._kernel.origin
            return np.asarray(origin + coefficients @ (known - origin))
        if self.kernel == "gaussian":
            start = super()._inverse_transform(places)
            return extension.gaussian_preimage(coefficients, self._kernel, known, start)
        mapped = self.embedding_.astype(np.float64)
        start = regress_points(places, mapped, self._X, self.random_state)
        if self.kernel == "laplacian":
            step = extension.median_step(self._kernel, known)
        elif self.kernel in ("polynomial", "homogeneous"):
            step = extension.product_step(self._kernel.slope, known)
        else:
            return start
        return extension.nearest_preimage(coefficients, self._kernel, known, start, step)
