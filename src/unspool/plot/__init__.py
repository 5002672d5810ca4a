"""Figures that need no screen: ``plot.embedding(model, color).savefig("map.png")``.

- maps: ``embedding``, ``neighbor_graph``, ``comparison``, ``scatter_matrix``
- curves: ``scree``, ``elbow``, ``shepard``, ``estimates``
- over a map: ``ellipses`` (distortion), ``trust``, ``thumbnails`` (images)

Each returns a matplotlib figure. Those of a single panel take ``axes=`` to draw on instead, and
``title=``.
"""

from .curves import elbow, estimates, scree, shepard
from .maps import comparison, embedding, neighbor_graph, scatter_matrix
from .overlays import ellipses, thumbnails, trust

__all__ = [
    "comparison",
    "elbow",
    "ellipses",
    "embedding",
    "estimates",
    "neighbor_graph",
    "scatter_matrix",
    "scree",
    "shepard",
    "thumbnails",
    "trust",
]
