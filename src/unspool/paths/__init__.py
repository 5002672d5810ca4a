"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm."""

from .dijkstra import MOST_BUCKETS, DijkstraSolver, lengths_between
from .elimination import EliminationSolver, shortest_arcs
from .geodesics import (
    Algorithm,
    PathSolver,
    Precision,
    ShortestPaths,
    geodesic_distances,
    prepare_paths,
)

__all__ = [
    "MOST_BUCKETS",
    "Algorithm",
    "DijkstraSolver",
    "EliminationSolver",
    "PathSolver",
    "Precision",
    "ShortestPaths",
    "geodesic_distances",
    "lengths_between",
    "prepare_paths",
    "shortest_arcs",
]
