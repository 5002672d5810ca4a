"""Points -> similarity: kernel functions, their width, centring and definiteness."""

from .bandwidth import edge_gamma, median_gamma
from .centering import Centering, double_centered
from .definite import check_symmetric, is_positive_semidefinite
from .functions import KERNELS, RADIAL, Kernel, gamma_from
from .nystroem import features, nystroem_error, pivoted_cholesky
from .veronese import (
    monomial_exponents,
    monomials,
    n_monomials,
    veronese,
    veronese_exponents,
)

__all__ = [
    "KERNELS",
    "RADIAL",
    "Centering",
    "Kernel",
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
    "veronese",
    "veronese_exponents",
]
