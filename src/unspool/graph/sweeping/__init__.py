"""The graph eliminated once, then one sweep for each chunk of sources."""

from .engine import Eliminated, eliminated

__all__ = ["Eliminated", "eliminated"]
