"""state -> step -> settled: the loop, and the steps of the methods that iterate."""

from .loop import Outcome, iterate, relative_change_below

__all__ = ["Outcome", "iterate", "relative_change_below"]
