"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .canonical import canonical
from .solve import solve
from .tables import additive_constant, all_values, labels_of_null_space, negative_mass

__all__ = [
    "additive_constant",
    "all_values",
    "canonical",
    "labels_of_null_space",
    "negative_mass",
    "solve",
]
