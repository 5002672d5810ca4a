"""NeighborGraph -> NeighborGraph: symmetrize, connected components, bridges, landmarks."""

from .components import Components, bridge_components, find_components
from .landmarks import check_landmarks, choose_maxmin, choose_uniform
from .symmetrize import symmetrize

__all__ = [
    "Components",
    "bridge_components",
    "check_landmarks",
    "choose_maxmin",
    "choose_uniform",
    "find_components",
    "symmetrize",
]
