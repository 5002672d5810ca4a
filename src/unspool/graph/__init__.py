"""Points -> NeighborGraph: search, pieces and shortest paths."""

from .distances import check_metric, cross, squared
from .geodesics import Precision, ShortestPaths, geodesic, prepare
from .landmarks import given, maxmin, uniform
from .neighbors import DEFAULT_NEIGHBORS, nearest, neighbors_of_all, neighbors_of_new
from .pieces import Pieces, bridged, pieces
from .searchers import Search, Searcher, searcher
from .symmetric import symmetric

__all__ = [
    "DEFAULT_NEIGHBORS",
    "Pieces",
    "Precision",
    "Search",
    "Searcher",
    "ShortestPaths",
    "bridged",
    "check_metric",
    "cross",
    "geodesic",
    "given",
    "maxmin",
    "nearest",
    "neighbors_of_all",
    "neighbors_of_new",
    "pieces",
    "prepare",
    "searcher",
    "squared",
    "symmetric",
    "uniform",
]
