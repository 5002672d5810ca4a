"""Points -> neighbours: metrics, exact search by trees or products, approximate search."""

from .approximate import RECALL, ApproximateSearch, Codes, Effort
from .metrics import check_metric, pairwise_distances, pairwise_squared_distances
from .neighbors import DEFAULT_NEIGHBORS, find_neighbors, find_query_neighbors, neighbor_graph
from .search import (
    CHUNK_BYTES,
    TREE_DIMENSIONS,
    BlockSearch,
    GivenDistances,
    MetricSearch,
    NeighborIndex,
    Search,
    TreeSearch,
    build_index,
)

__all__ = [
    "CHUNK_BYTES",
    "DEFAULT_NEIGHBORS",
    "RECALL",
    "TREE_DIMENSIONS",
    "ApproximateSearch",
    "BlockSearch",
    "Codes",
    "Effort",
    "GivenDistances",
    "MetricSearch",
    "NeighborIndex",
    "Search",
    "TreeSearch",
    "build_index",
    "check_metric",
    "find_neighbors",
    "find_query_neighbors",
    "neighbor_graph",
    "pairwise_distances",
    "pairwise_squared_distances",
]
