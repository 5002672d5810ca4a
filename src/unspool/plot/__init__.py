"""Figures."""

from .maps import maps

__all__ = ["maps"]
