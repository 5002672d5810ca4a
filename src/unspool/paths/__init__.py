"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm."""

from .dijkstra import MOST_BUCKETS, lengths_between
from .geodesics import (
    Algorithm,
    PathSolver,
    Precision,
    ShortestPaths,
    geodesic_distances,
    prepare_paths,
    shortest_path,
)

__all__ = [
    "MOST_BUCKETS",
    "Algorithm",
    "PathSolver",
    "Precision",
    "ShortestPaths",
    "geodesic_distances",
    "lengths_between",
    "prepare_paths",
    "shortest_path",
]
