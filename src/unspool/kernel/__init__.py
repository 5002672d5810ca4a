"""Points -> similarity: kernel functions, their width, centring and definiteness."""

from .bandwidth import edge_gamma, median_gamma
from .centering import Centering, double_centered
from .definite import check_symmetric, is_positive_semidefinite
from .functions import KERNELS, Kernel, gamma_from

__all__ = [
    "KERNELS",
    "Centering",
    "Kernel",
    "check_symmetric",
    "double_centered",
    "edge_gamma",
    "gamma_from",
    "is_positive_semidefinite",
    "median_gamma",
]
