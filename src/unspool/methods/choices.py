"""Parameters that several methods share: kernels, landmarks, which eigenvectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import scipy.sparse as sp

from .. import graph
from ..kernel import ALIASES, KERNELS, OF_DIFFERENCES, Kernel, gamma_from, median_gamma
from ..relation import Chart
from ..values import Array
from .parameters import learned, method, parameter


@method
class KernelChoice:
    """A kernel by name, callable or table, and its parameters.

    The width of the Gaussian is given by exactly one of ``gamma``, ``sigma`` and ``t``; by default
    sigma is the median distance between the points.
    """

    kernel: str | Callable[[Array, Array], float] = parameter(
        default="gaussian",
        help="name ('rbf' and 'poly' as in scikit-learn too), callable k(x, y), or 'precomputed'",
    )
    gamma: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="Gaussian width: exp(-gamma d^2); factor of x'y in other kernels",
    )
    sigma: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="Gaussian width: exp(-d^2 / (2 sigma^2))",
    )
    t: float | None = parameter(
        default=None, kind=float, above=0, optional=True, help="Gaussian width: exp(-d^2 / t)"
    )
    degree: int = parameter(default=3, kind=int, at_least=1, help="degree of a polynomial kernel")
    coef0: float = parameter(
        default=1.0, kind=float, help="constant of polynomial and sigmoid kernels"
    )

    gamma_: float | None = learned(help="gamma of the kernel, given or found, where it has one")
    _kernel: Kernel = learned()

    def _choose_kernel(self, points: Array, *, centered: bool) -> None:
        """Set the kernel for these points; ``centered`` says that feature means will be removed."""
        name = self.kernel if callable(self.kernel) else ALIASES.get(self.kernel, self.kernel)
        if not callable(name) and name not in KERNELS:
            raise ValueError(f"unknown kernel {self.kernel!r}; use a callable or one of {KERNELS}")
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if name in OF_DIFFERENCES and gamma is None:
            gamma = median_gamma(points)
        self.gamma_ = gamma
        kernel = Kernel(name, gamma, self.degree, self.coef0)
        if name != "precomputed" and not sp.issparse(points):  # these stay sparse as given
            kernel = kernel.about(points.mean(axis=0), centered=centered)
        self._kernel = kernel


@method
class LandmarkChoice:
    """How many landmarks, which, and how their map is scaled."""

    n_landmarks: int = parameter(
        default=50, kind=int, at_least=2, help="number of landmarks (Izenman 2013 suggests 50)"
    )
    landmarks: Literal["maxmin", "random"] | Sequence[int] | Array = parameter(
        default="maxmin",
        help="'maxmin', 'random', or the indices of the landmarks (then n_landmarks is moot)",
    )
    scaling: Literal["distance", "svd"] = parameter(
        default="distance",
        choices=("distance", "svd"),
        help="keep distances to landmarks, or scale by singular values as IsomapII and the book",
    )

    landmarks_: Array = learned(help="indices of the landmarks among the fitted points")

    def _choose_landmarks(
        self, n_points: int, distances_from: Callable[[int], Array], least: int, seed: int
    ) -> Array:
        """Return the landmarks among ``n_points``, ``least`` of them even if all coincide."""
        if not isinstance(self.landmarks, str):
            return graph.check_landmarks(self.landmarks, n_points)
        count = min(self.n_landmarks, n_points)
        if self.landmarks == "random":
            return graph.choose_uniform(n_points, count, seed)
        if self.landmarks == "maxmin":
            return graph.choose_maxmin(distances_from, n_points, count, at_least=least, seed=seed)
        raise ValueError(f"landmarks must be 'maxmin', 'random' or indices; got {self.landmarks!r}")


@method
class VectorChoice:
    """Whether the first eigenvectors are the coordinates, or those that are independent."""

    independent: bool = parameter(
        default=False,
        kind=bool,
        help="solve for ten times as many eigenvectors, and take those that are no function of "
        "those before (Chen and Meila 2019); the first ones repeat the length of a long sheet",
    )

    @property
    def selected_(self) -> Array:
        """Eigenvector that each coordinate is, or is mostly made of; 0 is the first."""
        charts: tuple[Chart, ...] = self.charts_  # type: ignore[attr-defined]  # beside it
        return charts[0].selected
