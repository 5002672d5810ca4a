"""NeighborGraph -> NeighborGraph: symmetrize, connected components, bridges; copies, landmarks."""

from ..values import Components
from .connectivity import (
    Copies,
    Links,
    bridge_components,
    find_components,
    find_copies,
    join_components,
    recognize,
    row_keys,
    symmetrize,
)
from .landmarks import check_landmarks, choose_maxmin, choose_uniform

__all__ = [
    "Components",
    "Copies",
    "Links",
    "bridge_components",
    "check_landmarks",
    "choose_maxmin",
    "choose_uniform",
    "find_components",
    "find_copies",
    "join_components",
    "recognize",
    "row_keys",
    "symmetrize",
]
