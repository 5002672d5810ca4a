"""All that a model file may hold: the methods of the catalogue, and the values they keep.

A file names classes by these words and no others, so that reading one can make nothing but them.
The words are part of the format: a class may move or be renamed, its word may not.
What a value of each must be is declared beside them (``declared_values.py``,
``declared_methods.py``), and checked when a file is read: compiled loops trust what they are given.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import Any

from ..catalog import METHODS

_VALUES = {
    "approximate search": "distances.approximate:ApproximateSearch",
    "brute-force search": "distances.blocks:BlockSearch",
    "centering": "centering:Centering",
    "chart": "relation.chart:Chart",
    "curve": "principal.geometry:Polygon",
    "curve state": "principal.curve:CurveState",
    "curve projection": "principal.geometry:Projection",
    "data normalization": "principal.fitting:Normalization",
    "dijkstra": "paths.dijkstra:DijkstraSolver",
    "distances to a manifold": "principal.fitting:Distances",
    "eigenproblem": "values:EigenProblem",
    "elimination": "paths.elimination:EliminationSolver",
    "filled pattern": "ordering.symbolic:FilledPattern",
    "geodesic operator": "relation.gram:GeodesicOperator",
    "geodesic table": "relation.gram:GeodesicTable",
    "diffusion": "relation.heat:DiffusionRelation",
    "adaptive gaussian weights": "relation.heat:AdaptiveGaussianWeights",
    "given weights": "relation.heat:GivenWeights",
    "heat weights": "relation.heat:HeatWeights",
    "plain weights": "relation.heat:PlainWeights",
    "self-tuning weights": "relation.heat:SelfTuningWeights",
    "feature projection": "relation.features:FeatureProjection",
    "given distances": "distances.blocks:GivenDistances",
    "kd-tree search": "distances.search:TreeSearch",
    "gram map": "relation.gram:GramMap",
    "isolated": "relation.chart:Isolated",
    "kernel": "kernel.functions:Kernel",
    "landmark geodesics": "relation.landmarks:LandmarkGeodesics",
    "laplacian": "relation.heat:LaplacianRelation",
    "layout": "relation.chart:Layout",
    "local distances": "problem.neighborhoods:LocalDistances",
    "local points": "problem.neighborhoods:LocalPoints",
    "local relation": "relation.local:LocalRelation",
    "metric disparities": "stress.raw_stress:MetricDisparities",
    "metric search": "distances.blocks:MetricSearch",
    "network": "autoencoder.network:Network",
    "network scaling": "autoencoder.scaling:NetworkScaling",
    "network topology": "autoencoder.network:Topology",
    "nystroem map": "relation.nystroem:NystroemMap",
    "ordinal disparities": "stress.ordinal:OrdinalDisparities",
    "pairs": "stress.raw_stress:Pairs",
    "report": "values:Report",
    "shortest paths": "paths.geodesics:ShortestPaths",
    "stage": "values:Stage",
    "uncentered": "centering:Uncentered",
    "surface": "principal.spline_surface:SplineSurface",
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
