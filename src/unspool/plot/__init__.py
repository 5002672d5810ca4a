"""Figures that need no screen: ``plot.embedding(model, color).savefig("map.png")``."""

from .curves import elbow, estimates, scree, shepard
from .maps import comparison, embedding, neighbor_graph, scatter_matrix
from .overlays import ellipses, thumbnails, trust
from .style import darken, figure

__all__ = [
    "comparison",
    "darken",
    "elbow",
    "ellipses",
    "embedding",
    "estimates",
    "figure",
    "neighbor_graph",
    "scatter_matrix",
    "scree",
    "shepard",
    "thumbnails",
    "trust",
]
