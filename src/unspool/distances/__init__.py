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
    pair_distances,
)
from .inner_products import LargestProducts, largest_inner_products
from .metrics import (
    bipartite_table,
    check_metric,
    expand_squares,
    pairwise_distances,
    pairwise_squared_distances,
    squared_distances_to,
    squared_norms,
)
from .search import (
    DEFAULT_NEIGHBORS,
    FEW_POINTS,
    PATIENCE,
    TREE_DIMENSIONS,
    TREE_MOST,
    TreeSearch,
    build_index,
    choose_search,
    find_neighbors,
    find_query_neighbors,
    neighbor_graph,
)
from .sparse import SparseSearch

__all__ = [
    "CHUNK_BYTES",
    "DEFAULT_NEIGHBORS",
    "FEW_POINTS",
    "PATIENCE",
    "RECALL",
    "TREE_DIMENSIONS",
    "TREE_MOST",
    "ApproximateSearch",
    "BlockSearch",
    "GivenDistances",
    "LargestProducts",
    "MetricSearch",
    "NeighborIndex",
    "Search",
    "SparseSearch",
    "TreeSearch",
    "approximate_seconds",
    "bipartite_table",
    "build_index",
    "check_metric",
    "choose_search",
    "exact_bytes",
    "exact_seconds",
    "expand_squares",
    "find_neighbors",
    "find_query_neighbors",
    "largest_inner_products",
    "neighbor_graph",
    "pair_distances",
    "pairwise_distances",
    "pairwise_squared_distances",
    "squared_distances_to",
    "squared_norms",
    "workspace_bytes",
]
