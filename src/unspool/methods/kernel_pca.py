"""Kernel principal component analysis."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from .. import extension
from ..relation import GivenTable, NystroemMap, choose_landmarks, fit_nystroem
from ..runtime import claim
from ..values import Array
from .gram_family import SimilarityMethod
from .kernel_parameters import KernelChoice
from .parameters import learned, method, parameter


@method
class KernelPCA(KernelChoice, SimilarityMethod):
    """Kernel PCA: PCA in the feature space of a kernel (S0 4.1.3; S1; S3 15.2; S4 16.5).

    With ``kernel="linear"`` it is PCA. The Gaussian's width is given by exactly one of ``gamma``,
    ``sigma`` (exp(-d^2 / 2 sigma^2)) and ``t`` (exp(-d^2 / t)); by default sigma is the median
    distance between the points. With ``landmarks`` the n x n table is never formed: all points are
    seen through the landmarks' columns (Nystroem, S3 Ex. 15.4).

    Attributes: ``eigenvalues_`` of the (centred) kernel table, ``covariance_eigenvalues_`` (the
    same over n), ``gamma_``, ``landmarks_`` (points), if any.

    >>> from unspool import KernelPCA, datasets
    >>> clusters = datasets.three_clusters().points
    >>> KernelPCA(3, kernel="gaussian", sigma=0.3).fit(clusters).embedding_.shape
    (90, 3)
    """

    center: bool = parameter(True, kind=bool, help="centre in feature space (S0 4.18)")
    landmarks: Any = parameter(
        None, optional=True, help="None for all pairs, or a number of landmarks, or their indices"
    )
    landmark_choice: str = parameter(
        "cholesky",
        choices=("cholesky", "uniform", "kmeans"),
        help="how a number of landmarks is chosen (randomly pivoted Cholesky by default)",
    )

    _INSTEAD = "use landmarks=1000 to see all points through 1,000 of them"

    _nystroem: NystroemMap | None = learned()

    def _table(self) -> Literal["kernel"] | None:
        return "kernel" if self.kernel == "precomputed" else None

    @property
    def covariance_eigenvalues_(self) -> Array:
        """Eigenvalues of the covariance in feature space: those of the table over n (S4 16.29)."""
        return np.asarray(self.eigenvalues_ / len(self.embedding_))

    @property
    def landmarks_(self) -> Array | None:
        """The landmarks, as points (row numbers for a precomputed table)."""
        return None if self._nystroem is None else self._nystroem.landmarks

    def _learn(self, points: Array) -> None:
        self._choose_kernel(points, centred=self.center)
        self._nystroem = None
        if self.landmarks is None:
            super()._learn(points)
            return
        n = len(points)
        count = int(self.landmarks) if np.ndim(self.landmarks) == 0 else len(self.landmarks)
        claim(3 * n * count * 8, f"{n} x {count} similarities", "use fewer landmarks")
        kernel: Any = self._kernel if self._points is not None else GivenTable(points)
        rows = points if self._points is not None else np.arange(n)[:, None]
        chosen = choose_landmarks(
            kernel, rows, self.landmarks, self.landmark_choice, self.random_state
        )
        fitted = fit_nystroem(kernel, rows, chosen, self.n_components, center=self.center)
        self._nystroem, self.embedding_ = fitted
        self.eigenvalues_ = self._nystroem.values

    def _is_centred(self) -> bool:
        return self.center

    def _similarity(self, points: Array) -> Array:
        return points if self._points is None else self._kernel(points, self._points)

    def _map(self, points: Array) -> Array:
        if self._nystroem is None:
            return super()._map(points)
        landmarks = self._nystroem.landmarks
        seen = points[:, landmarks[:, 0]] if self._points is None else None
        return self._nystroem.place(self._kernel(points, landmarks) if seen is None else seen)

    def _unmap(self, places: Array) -> Array:
        """Return pre-images: exact for the linear kernel, fixed points for the Gaussian."""
        assert self._points is not None
        shares, known = self._combination(places)
        if self.kernel == "linear":
            origin = 0.0 if self._kernel.origin is None else self._kernel.origin
            return np.asarray(origin + shares @ (known - origin))
        start = super()._unmap(places)
        if self.kernel != "gaussian":
            return start
        return extension.gaussian_preimage(shares, self._kernel, known, start)

    def _combination(self, places: Array) -> tuple[Array, Array]:
        """Return the places as combinations (m, n) of the features of known points (n, D)."""
        assert self._points is not None
        if self._nystroem is not None:
            return self._nystroem.shares(places), self._nystroem.landmarks
        used = self.eigenvalues_ > 0
        shares = (places[:, used] / self.eigenvalues_[used]) @ self._coordinates[:, used].T
        if self.center:
            shares += 1.0 / shares.shape[1] - shares.mean(axis=1, keepdims=True)
        return np.asarray(shares), self._points
