"""Points -> neighbours: metrics, exact search by trees or products, approximate search."""

from .approximate import RECALL, ApproximateSearch, Codes, Effort
from .metrics import check_metric, cross, squared
from .neighbors import DEFAULT_NEIGHBORS, nearest, neighbors_of_all, neighbors_of_new
from .search import (
    CHUNK_BYTES,
    TREE_DIMENSIONS,
    BlockSearch,
    GivenDistances,
    MetricSearch,
    Search,
    Searcher,
    TreeSearch,
    searcher,
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
    "Search",
    "Searcher",
    "TreeSearch",
    "check_metric",
    "cross",
    "nearest",
    "neighbors_of_all",
    "neighbors_of_new",
    "searcher",
    "squared",
]
