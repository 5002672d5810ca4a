"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .canonical import canonical
from .single import double_product
from .solve import solve
from .tables import additive_constant, all_values, labels_of_null_space, negative_mass

__all__ = [
    "additive_constant",
    "all_values",
    "canonical",
    "double_product",
    "labels_of_null_space",
    "negative_mass",
    "solve",
]
