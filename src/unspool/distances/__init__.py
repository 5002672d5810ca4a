"""Points -> neighbours: metrics, exact search by trees or products, approximate search."""

from ..values import NeighborIndex, Search
from .approximate import RECALL, ApproximateSearch, approximate_seconds, workspace_bytes
from .blocks import (
    CHUNK_BYTES,
    BlockSearch,
    GivenDistances,
    MetricSearch,
    exact_bytes,
    exact_seconds,
)
from .metrics import (
    expand_squares,
    pairwise_distances,
    pairwise_squared_distances,
    squared_norms,
)
from .search import (
    DEFAULT_NEIGHBORS,
    PATIENCE,
    TREE_DIMENSIONS,
    TreeSearch,
    build_index,
    check_metric,
    find_neighbors,
    find_query_neighbors,
    neighbor_graph,
)
from .sparse import SparseSearch

__all__ = [
    "CHUNK_BYTES",
    "DEFAULT_NEIGHBORS",
    "PATIENCE",
    "RECALL",
    "TREE_DIMENSIONS",
    "ApproximateSearch",
    "BlockSearch",
    "GivenDistances",
    "MetricSearch",
    "NeighborIndex",
    "Search",
    "SparseSearch",
    "TreeSearch",
    "approximate_seconds",
    "build_index",
    "check_metric",
    "exact_bytes",
    "exact_seconds",
    "expand_squares",
    "find_neighbors",
    "find_query_neighbors",
    "neighbor_graph",
    "pairwise_distances",
    "pairwise_squared_distances",
    "squared_norms",
    "workspace_bytes",
]
