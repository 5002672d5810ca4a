"""Points -> kernel matrix: functions, bandwidth, Nystroem, explicit feature maps."""

from ..centering import Centering, Uncentered, double_centered
from .feature_maps import (
    Equation,
    monomial_exponents,
    monomials,
    n_monomials,
    readable_equation,
    veronese,
    veronese_exponents,
    veronese_gradients,
)
from .functions import (
    ALIASES,
    KERNELS,
    OF_DIFFERENCES,
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
from .single import SingleGaussian, SingleRows, SymmetricTable

__all__ = [
    "ALIASES",
    "DRAWN_FROM",
    "DRAWN_PER_LANDMARK",
    "KERNELS",
    "OF_DIFFERENCES",
    "RADIAL",
    "Centering",
    "Equation",
    "Kernel",
    "SingleGaussian",
    "SingleRows",
    "SymmetricTable",
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
    "veronese_gradients",
]
