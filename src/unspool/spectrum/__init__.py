"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .bordered import NotSolved
from .canonical import canonical, degenerate_groups, signs
from .krylov import leading_pairs
from .operators import double_product, standard
from .solve import DECOMPOSED, solve
from .solvers import Pairs, Task, dense, factored, filtered, inverted, inverted_factor, products
from .whole import additive_constant, all_values, labels_of_null_space, negative_mass

__all__ = [
    "DECOMPOSED",
    "NotSolved",
    "Pairs",
    "Task",
    "additive_constant",
    "all_values",
    "canonical",
    "degenerate_groups",
    "dense",
    "double_product",
    "factored",
    "filtered",
    "inverted",
    "inverted_factor",
    "labels_of_null_space",
    "leading_pairs",
    "negative_mass",
    "products",
    "signs",
    "solve",
    "standard",
]
