"""All that a model file may hold: the methods of the catalogue, and the values they keep.

A file names classes by these words and no others, so that reading one can make nothing but them.
The words are part of the format: a class may move or be renamed, its word may not.

Compiled loops trust the indices of some of these values, and do not look; so they are checked when
a file is read.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name
from typing import Any

import numpy as np

from ..catalog import METHODS
from ..values import Array

_VALUES = {
    "approximate search": "distances.approximate:ApproximateSearch",
    "brute-force search": "distances.indexes:BlockSearch",
    "centering": "kernel.centering:Centering",
    "chart": "relation.chart:Chart",
    "curve": "principal.geometry:Polygon",
    "curve state": "principal.curve:CurveState",
    "curve projection": "principal.geometry:Projection",
    "data normalization": "principal.fitting:Normalization",
    "dijkstra": "paths.dijkstra:DijkstraSolver",
    "distances to a manifold": "principal.fitting:Distances",
    "eigenproblem": "values:EigenProblem",
    "elimination": "paths.elimination:EliminationSolver",
    "filled pattern": "paths.elimination:FilledPattern",
    "geodesic operator": "relation.gram:GeodesicOperator",
    "geodesic table": "relation.gram:GeodesicTable",
    "diffusion": "relation.heat:DiffusionRelation",
    "adaptive gaussian weights": "relation.heat:AdaptiveGaussianWeights",
    "given weights": "relation.heat:GivenWeights",
    "heat weights": "relation.heat:HeatWeights",
    "plain weights": "relation.heat:PlainWeights",
    "self-tuning weights": "relation.heat:SelfTuningWeights",
    "feature projection": "relation.features:FeatureProjection",
    "given distances": "distances.indexes:GivenDistances",
    "kd-tree search": "distances.indexes:TreeSearch",
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
    "metric search": "distances.indexes:MetricSearch",
    "network": "autoencoder.network:Network",
    "network scaling": "autoencoder.scaling:NetworkScaling",
    "network topology": "autoencoder.network:Topology",
    "nystroem map": "relation.nystroem:NystroemMap",
    "ordinal disparities": "stress.ordinal:OrdinalDisparities",
    "pairs": "stress.raw_stress:Pairs",
    "report": "values:Report",
    "shortest paths": "paths.geodesics:ShortestPaths",
    "stage": "values:Stage",
    "uncentered": "kernel.centering:Uncentered",
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


def check_indices(made: Any) -> None:
    """Raise ValueError if an index of a value that was read leads out of its arrays."""
    check = _CHECKS.get(word_of(type(made)) or "")
    if check is not None:
        check(made)


def _check_pairs(pairs: Any) -> None:
    count = len(pairs.dissimilarities)
    _check(len(pairs.weights) in (0, count), "pairs", "weights")
    for name in ("first", "second"):
        _check_members(getattr(pairs, name), pairs.n_points, "pairs", name)
        _check(len(getattr(pairs, name)) == count, "pairs", name)


def _check_pattern(pattern: Any) -> None:
    """A supernode's vertices meet the next one and the same others: each one fewer."""
    what, starts, heads = "filled pattern", pattern.starts, pattern.heads
    _check_starts(starts, len(pattern.later), what, "starts")
    n = len(starts) - 1
    _check_members(pattern.later, n, what, "later")
    counts = np.diff(starts)
    _check(bool(np.all(pattern.later > np.repeat(np.arange(n), counts))), what, "later")
    _check_starts(heads, n, what, "heads")
    _check(bool(np.all(heads[1:] > heads[:-1])), what, "heads")
    inner = np.setdiff1d(np.arange(1, n), heads)
    _check(bool(np.all(counts[inner - 1] == counts[inner] + 1)), what, "heads")


def _check_elimination(solver: Any) -> None:
    what, pattern = "elimination", solver.pattern
    _check(word_of(type(pattern)) == "filled pattern", what, "pattern")
    _check_permutation(solver.position, len(pattern.starts) - 1, what)
    _check_lengths(solver.weights, len(pattern.later), what, "weights")


def _check_search(solver: Any) -> None:
    """Buckets are counted by the longest edge over their width, which a ring must hold."""
    from ..paths import MOST_BUCKETS

    what = "dijkstra"
    _check_starts(solver.starts, len(solver.neighbors), what, "starts")
    n = len(solver.starts) - 1
    _check_members(solver.neighbors, n, what, "neighbors")
    _check_permutation(solver.position, n, what)
    _check_lengths(solver.distances, len(solver.neighbors), what, "distances")
    longest, width = float(solver.distances.max(initial=0.0)), float(solver.width)
    _check(0.0 < width < np.inf and longest <= (MOST_BUCKETS + 1) * width, what, "width")


_CHECKS = {
    "dijkstra": _check_search,
    "elimination": _check_elimination,
    "filled pattern": _check_pattern,
    "pairs": _check_pairs,
}


def _check(sound: bool, what: str, name: str) -> None:
    if not sound:
        raise ValueError(f"the {name} of its {what} do not fit the rest")


def _check_starts(starts: Array, end: int, what: str, name: str) -> None:
    """Rows start at 0, follow each other and end at ``end``."""
    _check(_is_list(starts, "i") and len(starts) > 0, what, name)
    _check(bool(starts[0] == 0 and starts[-1] == end), what, name)
    _check(bool(np.all(starts[1:] >= starts[:-1])), what, name)  # a difference could overflow


def _check_members(members: Array, n: int, what: str, name: str) -> None:
    _check(_is_list(members, "iu"), what, name)
    _check(bool(np.all((members >= 0) & (members < n))), what, name)


def _check_permutation(position: Array, n: int, what: str) -> None:
    _check(_is_list(position, "i"), what, "position")
    _check(np.array_equal(np.sort(position), np.arange(n)), what, "position")


def _check_lengths(lengths: Array, count: int, what: str, name: str) -> None:
    _check(_is_list(lengths, "f") and len(lengths) == count, what, name)
    _check(bool(np.all(lengths >= 0.0)), what, name)


def _is_list(array: Any, kinds: str) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in kinds
