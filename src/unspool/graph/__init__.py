"""NeighborGraph -> NeighborGraph: symmetrize, connected components, bridges; and landmarks."""

from ..values import Components
from .connectivity import (
    Links,
    bridge_components,
    find_components,
    join_components,
    symmetrize,
)
from .landmarks import check_landmarks, choose_maxmin, choose_uniform

__all__ = [
    "Components",
    "Links",
    "bridge_components",
    "check_landmarks",
    "choose_maxmin",
    "choose_uniform",
    "find_components",
    "join_components",
    "symmetrize",
]
