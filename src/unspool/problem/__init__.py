"""Relation -> EigenProblem: gram, Laplacian and alignment."""

from .alignment import reconstruction
from .gram import covariance, gram
from .laplacian import laplacian

__all__ = ["covariance", "gram", "laplacian", "reconstruction"]
