"""The graph as it is, searched from each source."""

from .engine import Searched, near_each_other, searched

__all__ = ["Searched", "near_each_other", "searched"]
