"""Nested dissection: an order of elimination by small separators."""

from .nested import nested_dissection

__all__ = ["nested_dissection"]
