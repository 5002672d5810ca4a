"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .bordered import NotSolved
from .iterative import (
    solve_by_factor_inverse,
    solve_by_filter,
    solve_by_products,
    solve_by_shift_invert,
)
from .krylov import leading_pairs
from .operators import EigenPairs, Task, double_product, to_standard_form
from .solve import (
    DECOMPOSED,
    canonical_vectors,
    decompose,
    decompose_factor,
    degenerate_groups,
    signs,
    solve,
)
from .whole_spectrum import (
    additive_constant,
    all_eigenvalues,
    components_of_null_space,
    negative_mass,
)

__all__ = [
    "DECOMPOSED",
    "EigenPairs",
    "NotSolved",
    "Task",
    "additive_constant",
    "all_eigenvalues",
    "canonical_vectors",
    "components_of_null_space",
    "decompose",
    "decompose_factor",
    "degenerate_groups",
    "double_product",
    "leading_pairs",
    "negative_mass",
    "signs",
    "solve",
    "solve_by_factor_inverse",
    "solve_by_filter",
    "solve_by_products",
    "solve_by_shift_invert",
    "to_standard_form",
]
