"""Sorting by several threads, and the monotone sequence nearest to given values."""

from .fit import monotone
from .sort import order_within, sorted_order, taken

__all__ = ["monotone", "order_within", "sorted_order", "taken"]
