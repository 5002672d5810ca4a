"""Points -> neighbours: metrics, exact search by trees or products, approximate search."""

from .approximate import RECALL, ApproximateSearch, Codes, Effort
from .metrics import check_metric, cross, squared
from .neighbors import DEFAULT_NEIGHBORS, nearest, neighbors_of_all, neighbors_of_new
from .search import (
    BlockSearch,
    GivenDistances,
    MetricSearch,
    Search,
    Searcher,
    TreeSearch,
    searcher,
)

__all__ = [
    "DEFAULT_NEIGHBORS",
    "RECALL",
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
