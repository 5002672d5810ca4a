"""Fill-reducing orders of sparse symmetric matrices, with their fill counted in advance."""

from .elimination_order import (
    PLANNED,
    SYMMETRIC,
    Elimination,
    FilledPattern,
    filled_pattern,
    indices_of,
    nested_dissection,
    plan_elimination,
)

__all__ = [
    "PLANNED",
    "SYMMETRIC",
    "Elimination",
    "FilledPattern",
    "filled_pattern",
    "indices_of",
    "nested_dissection",
    "plan_elimination",
]
