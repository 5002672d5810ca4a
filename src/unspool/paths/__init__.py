"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm."""

from .dijkstra import MOST_BUCKETS
from .geodesics import Precision, ShortestPaths, geodesic_distances, prepare_paths

__all__ = [
    "MOST_BUCKETS",
    "Precision",
    "ShortestPaths",
    "geodesic_distances",
    "prepare_paths",
]
