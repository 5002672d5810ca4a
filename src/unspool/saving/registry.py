"""All that a model file may hold: the methods of the catalogue, and the values they keep.

A file names classes by these words and no others, so that reading one can make nothing but them.
The words are part of the format: a class may move or be renamed, its word may not.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import Any

from ..catalog import METHODS

_VALUES = {
    "approximate search": "graph.approximate:ApproximateSearch",
    "brute-force search": "graph.searchers:BlockSearch",
    "centering": "kernel.centering:Centering",
    "chart": "extension.placing:Chart",
    "curve": "iterate.curves.polygon:Polygon",
    "curve draft": "iterate.curves.fit:Draft",
    "curve projection": "iterate.curves.polygon:Projection",
    "data frame": "iterate.frame:Frame",
    "dijkstra": "graph.searching:Searched",
    "distances to a manifold": "iterate.frame:Distances",
    "eigenproblem": "values:EigenProblem",
    "elimination": "graph.sweeping:Eliminated",
    "filled pattern": "elimination.filled:FilledPattern",
    "geodesic blocks": "methods._geodesic_gram:GeodesicBlocks",
    "geodesic table": "methods._geodesic_gram:GeodesicTable",
    "given distances": "graph.searchers:GivenDistances",
    "kd-tree search": "graph.searchers:TreeSearch",
    "kernel": "kernel.functions:Kernel",
    "landmark map": "methods._landmark_choice:LandmarkMap",
    "metric search": "graph.searchers:MetricSearch",
    "network": "iterate.network.layers:Network",
    "network frame": "iterate.network.frame:Frame",
    "network topology": "iterate.network.layers:Topology",
    "nystroem map": "methods._nystroem:NystroemMap",
    "pairs": "iterate.pairs:Pairs",
    "report": "values:Report",
    "shortest paths": "graph.geodesics:ShortestPaths",
    "stage": "values:Stage",
    "surface": "iterate.surfaces.sheet:Sheet",
}
PLACES = {
    **{word: f"unspool.{place}" for word, place in _VALUES.items()},
    **{name: ":".join(entry.cls.rsplit(".", 1)) for name, entry in METHODS.items()},
}


def class_of(word: str) -> Any:
    """Return the class that a file calls ``word``; KeyError if there is none."""
    return resolve_name(PLACES[word])


def word_of(cls: type) -> str | None:
    """Return what a file calls this very class, or None if no file may hold it."""
    return _words().get(cls)


@cache
def _words() -> dict[type, str]:
    return {class_of(word): word for word in PLACES}
