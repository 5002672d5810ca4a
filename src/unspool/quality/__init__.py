"""How far a map can be trusted."""

from .neighbors import neighbors_kept
from .procrustes import Alignment, align, disparity, explained_by
from .variance import residual_variance

__all__ = [
    "Alignment",
    "align",
    "disparity",
    "explained_by",
    "neighbors_kept",
    "residual_variance",
]
