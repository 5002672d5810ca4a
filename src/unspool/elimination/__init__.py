"""In which order to eliminate the vertices of a sparse symmetric pattern, and what that leaves."""

from .filled import FilledPattern, filled_pattern, shortest_arcs
from .order import PLANNED, SYMMETRIC, Elimination, plan_elimination

__all__ = [
    "PLANNED",
    "SYMMETRIC",
    "Elimination",
    "FilledPattern",
    "filled_pattern",
    "plan_elimination",
    "shortest_arcs",
]
