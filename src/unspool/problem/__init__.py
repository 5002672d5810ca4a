"""Relation -> EigenProblem: gram, Laplacian and alignment."""

from .alignment import alignment, reconstruction
from .cuts import cuts
from .gram import covariance, gram
from .laplacian import laplace_operator, laplacian

__all__ = [
    "alignment",
    "covariance",
    "cuts",
    "gram",
    "laplace_operator",
    "laplacian",
    "reconstruction",
]
