"""State -> step -> convergence: the one loop, and L-BFGS."""

from .lbfgs import Descent, Function, begin, descend
from .loop import Outcome, iterate, relative_change_below

__all__ = [
    "Descent",
    "Function",
    "Outcome",
    "begin",
    "descend",
    "iterate",
    "relative_change_below",
]
