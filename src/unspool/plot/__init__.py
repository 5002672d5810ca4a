"""Figures that need no screen: ``plot.embedding(model, color).savefig("map.png")``."""

from .curves import elbow, estimates, scree, shepard
from .maps import comparison, embedding, neighbor_graph, scatter_matrix
from .overlays import ellipses, spread_out, thumbnails, trust, without_overlap
from .style import CATEGORIES, FAINT, figure

__all__ = [
    "CATEGORIES",
    "FAINT",
    "comparison",
    "elbow",
    "ellipses",
    "embedding",
    "estimates",
    "figure",
    "neighbor_graph",
    "scatter_matrix",
    "scree",
    "shepard",
    "spread_out",
    "thumbnails",
    "trust",
    "without_overlap",
]
