"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .dense import (
    additive_constant,
    all_eigenvalues,
    components_of_null_space,
    gram_bytes,
    negative_mass,
)
from .operators import double_product
from .solve import (
    DECOMPOSED,
    ENTRY_SECONDS,
    FACTOR_SPEED,
    FILTER_PRODUCTS,
    SQUARED_FROM,
    canonical_vectors,
    degenerate_groups,
    products_pay,
    signs,
    solve,
)

__all__ = [
    "DECOMPOSED",
    "ENTRY_SECONDS",
    "FACTOR_SPEED",
    "FILTER_PRODUCTS",
    "SQUARED_FROM",
    "additive_constant",
    "all_eigenvalues",
    "canonical_vectors",
    "components_of_null_space",
    "degenerate_groups",
    "double_product",
    "gram_bytes",
    "negative_mass",
    "products_pay",
    "signs",
    "solve",
]
