"""Places on a surface, in its parameters: well-spread ones, their neighbours, and moving them."""

from .lengths import with_lengths
from .spread import nearest, spread_order, well_spread

__all__ = ["nearest", "spread_order", "well_spread", "with_lengths"]
