"""In which order to eliminate the vertices of a sparse symmetric pattern, and what that costs."""

from .order import PLANNED, SYMMETRIC, Elimination, plan_elimination

__all__ = ["PLANNED", "SYMMETRIC", "Elimination", "plan_elimination"]
