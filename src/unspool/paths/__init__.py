"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm."""

from .dijkstra import MOST_BUCKETS, Searched, near_each_other, searched
from .elimination import Eliminated, FilledPattern, eliminated, filled_pattern, shortest_arcs
from .geodesics import Precision, ShortestPaths, geodesic, prepare

__all__ = [
    "MOST_BUCKETS",
    "Eliminated",
    "FilledPattern",
    "Precision",
    "Searched",
    "ShortestPaths",
    "eliminated",
    "filled_pattern",
    "geodesic",
    "near_each_other",
    "prepare",
    "searched",
    "shortest_arcs",
]
