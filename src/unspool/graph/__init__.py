"""NeighborGraph -> NeighborGraph: symmetrize, connected components, bridges, landmarks."""

from .components import Pieces, bridged, pieces
from .landmarks import given, maxmin, uniform
from .symmetrize import symmetric

__all__ = [
    "Pieces",
    "bridged",
    "given",
    "maxmin",
    "pieces",
    "symmetric",
    "uniform",
]
