"""Kernel principal component analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from .. import extension
from ..kernel import KERNELS, Kernel, gamma_from, median_gamma
from ..values import Array
from ._parameters import learned, method, parameter
from ._similarity import SimilarityMethod


@method
class KernelPCA(SimilarityMethod):
    """Kernel PCA: PCA in the feature space of a kernel (S0 4.1.3; S1; S3 15.2; S4 16.5).

    With ``kernel="linear"`` it is PCA. The Gaussian's width is given by exactly one of ``gamma``,
    ``sigma`` (exp(-d^2 / 2 sigma^2)) and ``t`` (exp(-d^2 / t)); by default sigma is the median
    distance between the points.

    Attributes: ``eigenvalues_`` of the (centred) kernel table, ``gamma_``.

    >>> from unspool import KernelPCA, datasets
    >>> clusters = datasets.three_clusters().points
    >>> KernelPCA(3, kernel="gaussian", sigma=0.3).fit(clusters).embedding_.shape
    (90, 3)
    """

    kernel: str | Callable[[Array, Array], float] = parameter(
        "gaussian", help="name, callable k(x, y), or 'precomputed'"
    )
    gamma: float | None = parameter(
        None, kind=float, above=0, optional=True, help="exp(-gamma d^2); factor of x'y elsewhere"
    )
    sigma: float | None = parameter(
        None, kind=float, above=0, optional=True, help="Gaussian width: exp(-d^2 / (2 sigma^2))"
    )
    t: float | None = parameter(
        None, kind=float, above=0, optional=True, help="Gaussian width: exp(-d^2 / t)"
    )
    degree: int = parameter(3, kind=int, at_least=1, help="degree of a polynomial kernel")
    coef0: float = parameter(1.0, kind=float, help="constant of polynomial and sigmoid kernels")
    center: bool = parameter(True, kind=bool, help="centre in feature space (S0 4.18)")

    gamma_: float | None = learned()
    _kernel: Kernel = learned()

    def _table(self) -> Literal["kernel"] | None:
        return "kernel" if self.kernel == "precomputed" else None

    def _learn(self, points: Array) -> None:
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(f"unknown kernel {self.kernel!r}; use a callable or one of {KERNELS}")
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if self.kernel in ("gaussian", "laplacian") and gamma is None:
            gamma = median_gamma(points)
        self.gamma_ = gamma
        kernel = Kernel(self.kernel, gamma, self.degree, self.coef0)
        if self.kernel != "precomputed":
            kernel = kernel.about(points.mean(axis=0), centred=self.center)
        self._kernel = kernel
        super()._learn(points)

    def _is_centred(self) -> bool:
        return self.center

    def _similarity(self, points: Array) -> Array:
        if self.kernel == "precomputed":
            return points
        assert self._points is not None
        return self._kernel(points, self._points)

    def _unmap(self, places: Array) -> Array:
        """Return pre-images: exact for the linear kernel, fixed points for the Gaussian."""
        assert self._points is not None
        used = self.eigenvalues_ > 0
        shares = (places[:, used] / self.eigenvalues_[used]) @ self._coordinates[:, used].T
        if self.center:
            shares += 1.0 / shares.shape[1] - shares.mean(axis=1, keepdims=True)
        if self.kernel == "linear":
            return np.asarray(shares @ self._points)
        start = super()._unmap(places)
        if self.kernel != "gaussian":
            return start
        return extension.gaussian_preimage(shares, self._kernel, self._points, start)
