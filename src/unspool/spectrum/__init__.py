"""EigenProblem -> Spectrum: one place picks the solver, checks it, and fixes signs and axes."""

from .canonical import canonical
from .solve import solve

__all__ = ["canonical", "solve"]
