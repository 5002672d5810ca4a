"""Figures that need no screen: ``plot.embedding(model, color).savefig("map.png")``."""

from .curves import elbow, estimates, scree, shepard
from .maps import comparison, ellipses, embedding, neighbor_graph, scatter_matrix, thumbnails, trust
from .paint import Key, key
from .style import TRUST, darken, figure

__all__ = [
    "TRUST",
    "Key",
    "comparison",
    "darken",
    "elbow",
    "ellipses",
    "embedding",
    "estimates",
    "figure",
    "key",
    "neighbor_graph",
    "scatter_matrix",
    "scree",
    "shepard",
    "thumbnails",
    "trust",
]
