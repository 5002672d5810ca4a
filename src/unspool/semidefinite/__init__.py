"""Semidefinite programs: kernel matrices of largest variance, and combinations of known vectors."""

from .combination import ConformalMap, half_vectorize, keep_angles, solve_combination
from .reduced import combine_vectors, unfold_smoothly
from .unfolding import DistanceBounds, Unfolding, maximize_variance

__all__ = [
    "ConformalMap",
    "DistanceBounds",
    "Unfolding",
    "combine_vectors",
    "half_vectorize",
    "keep_angles",
    "maximize_variance",
    "solve_combination",
    "unfold_smoothly",
]
