"""Points -> kernel matrix: functions, bandwidth, Nystroem, explicit feature maps."""

from ..centering import Centering, Uncentered, double_centered
from .equation import Equation, readable_equation
from .feature_maps import monomial_exponents, monomials, n_monomials, veronese, veronese_exponents
from .functions import (
    KERNELS,
    RADIAL,
    Kernel,
    check_symmetric,
    edge_gamma,
    gamma_from,
    is_positive_semidefinite,
    median_gamma,
)
from .nystroem import (
    DRAWN_FROM,
    DRAWN_PER_LANDMARK,
    check_definite,
    features,
    nystroem_error,
    pivoted_cholesky,
)

__all__ = [
    "DRAWN_FROM",
    "DRAWN_PER_LANDMARK",
    "KERNELS",
    "RADIAL",
    "Centering",
    "Equation",
    "Kernel",
    "Uncentered",
    "check_definite",
    "check_symmetric",
    "double_centered",
    "edge_gamma",
    "features",
    "gamma_from",
    "is_positive_semidefinite",
    "median_gamma",
    "monomial_exponents",
    "monomials",
    "n_monomials",
    "nystroem_error",
    "pivoted_cholesky",
    "readable_equation",
    "veronese",
    "veronese_exponents",
]
