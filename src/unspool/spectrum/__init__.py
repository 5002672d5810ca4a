"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .operators import double_product
from .solve import DECOMPOSED, solve
from .whole import additive_constant, all_values, labels_of_null_space, negative_mass

__all__ = [
    "DECOMPOSED",
    "additive_constant",
    "all_values",
    "double_product",
    "labels_of_null_space",
    "negative_mass",
    "solve",
]
