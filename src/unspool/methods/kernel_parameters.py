"""Which kernel: the parameters shared by all methods that take one."""

from __future__ import annotations

from collections.abc import Callable

from ..kernel import KERNELS, RADIAL, Kernel, gamma_from, median_gamma
from ..values import Array
from .parameters import learned, method, parameter


@method
class KernelChoice:
    """A kernel by name, callable or table, and its parameters.

    The width of the Gaussian is given by exactly one of ``gamma``, ``sigma`` and ``t``; by default
    sigma is the median distance between the points.
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

    gamma_: float | None = learned()
    _kernel: Kernel = learned()

    def _choose_kernel(self, points: Array, *, centred: bool) -> None:
        """Set the kernel for these points; ``centred`` says that feature means will be removed."""
        if not callable(self.kernel) and self.kernel not in KERNELS:
            raise ValueError(f"unknown kernel {self.kernel!r}; use a callable or one of {KERNELS}")
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if self.kernel in RADIAL and gamma is None:
            gamma = median_gamma(points)
        self.gamma_ = gamma
        kernel = Kernel(self.kernel, gamma, self.degree, self.coef0)
        if self.kernel != "precomputed":
            kernel = kernel.about(points.mean(axis=0), centred=centred)
        self._kernel = kernel
