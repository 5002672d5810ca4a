"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm."""

from .dijkstra import MOST_BUCKETS, Searched, near_each_other, searched
from .elimination import Eliminated, FilledPattern, eliminated, filled_pattern, shortest_arcs
from .geodesics import Precision, ShortestPaths, geodesic_distances, prepare_paths

__all__ = [
    "MOST_BUCKETS",
    "Eliminated",
    "FilledPattern",
    "Precision",
    "Searched",
    "ShortestPaths",
    "eliminated",
    "filled_pattern",
    "geodesic_distances",
    "near_each_other",
    "prepare_paths",
    "searched",
    "shortest_arcs",
]
