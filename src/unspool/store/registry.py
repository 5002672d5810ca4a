"""All that a model file may hold: the methods of the catalogue, and the values they keep.

A file names classes by these words and no others, so that reading one can make nothing but them.
The words are part of the format: a class may move or be renamed, its word may not.

A checksum tells accidents, not forgeries: anyone can write a file whose seal is whole. Compiled
loops trust the arrays they are given, so each class declares what its fields must be
(``declared_values.py``, ``declared_iterative.py``, ``declared_methods.py``, ``declared_steps.py``).
What was read is checked against that before anything computes with it.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..catalog import METHODS
from .rules import Rule, Sizes, agree

_VALUES = {
    "approximate search": "distances.approximate:ApproximateSearch",
    "brute-force search": "distances.blocks:BlockSearch",
    "centering": "centering:Centering",
    "chart": "relation.chart:Chart",
    "copies": "graph.connectivity:Copies",
    "curve": "principal.geometry:Polygon",
    "curve state": "principal.curve:CurveState",
    "curve projection": "principal.geometry:Projection",
    "data normalization": "principal.curve:Normalization",
    "dijkstra": "paths.dijkstra:DijkstraSolver",
    "distances to a manifold": "principal.curve:Distances",
    "eigenproblem": "values:EigenProblem",
    "elimination": "paths.elimination:EliminationSolver",
    "filled pattern": "elimination_order:FilledPattern",
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
    "gaussian charts": "relation.gaussian_charts:GaussianCharts",
    "gram map": "relation.gram:GramMap",
    "isolated": "relation.chart:Isolated",
    "kernel": "kernel.functions:Kernel",
    "landmark geodesics": "relation.landmarks:LandmarkGeodesics",
    "laplacian": "relation.heat:LaplacianRelation",
    "layout": "relation.chart:Layout",
    "mixture": "relation.independent:Mixture",
    "local distances": "problem.neighborhoods:LocalDistances",
    "local paths": "problem.neighborhoods:LocalPaths",
    "local points": "problem.neighborhoods:LocalPoints",
    "local relation": "relation.local:LocalRelation",
    "metric disparities": "stress.raw_stress:MetricDisparities",
    "metric search": "distances.blocks:MetricSearch",
    "sparse search": "distances.sparse:SparseSearch",
    "network": "autoencoder.network:Network",
    "network scaling": "autoencoder.network:NetworkScaling",
    "network topology": "autoencoder.network:Topology",
    "nystroem map": "relation.landmarks:NystroemMap",
    "space disparities": "stress.output_space:SpaceDisparities",
    "ordinal disparities": "stress.ordinal:OrdinalDisparities",
    "pairs": "stress.raw_stress:Pairs",
    "report": "values:Report",
    "shortest paths": "paths:ShortestPaths",
    "stage": "values:Stage",
    "uncentered": "centering:Uncentered",
    "surface": "principal.spline_surface:SplineSurface",
}
STEPS = {  # of a pipeline, before its method
    "table preparation": "unspool.io.pipeline:TablePreparation",
    "standard scaler": "sklearn.preprocessing:StandardScaler",
    "range scaler": "sklearn.preprocessing:MinMaxScaler",
    "largest value scaler": "sklearn.preprocessing:MaxAbsScaler",
    "robust scaler": "sklearn.preprocessing:RobustScaler",
    "row normalizer": "sklearn.preprocessing:Normalizer",
    "function": "sklearn.preprocessing:FunctionTransformer",
    "imputer": "sklearn.impute:SimpleImputer",
    "variance threshold": "sklearn.feature_selection:VarianceThreshold",
    "scikit-learn pca": "sklearn.decomposition:PCA",
    "truncated svd": "sklearn.decomposition:TruncatedSVD",
}
PIPELINES = {
    "pipeline": "sklearn.pipeline:Pipeline",
    "table model": "unspool.io.pipeline:TableModel",
}
SAMPLED = {"by sample": "unspool.scale.sample:BySample"}
PLACES = {
    **{word: f"unspool.{place}" for word, place in _VALUES.items()},
    **STEPS,
    **PIPELINES,
    **SAMPLED,
    "recipe": "unspool.io.preparation:Recipe",
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


@dataclass(frozen=True)
class Declaration:
    """The rule of every field of a class; ``also`` names a field that does not fit the others.

    Fields that are ``optional`` may be missing. ``parameters`` are those of a method that have no
    kind of their own; a method that was not fitted has nothing else.
    """

    fields: Mapping[str, Rule] = field(default_factory=dict)
    also: Callable[[Any, Sizes], str | None] | None = None
    optional: frozenset[str] = frozenset()
    parameters: Mapping[str, Rule] = field(default_factory=dict)


class Part:
    """A value of one of some classes, whose sizes have these names outside: ``Part("x", n="m")``.

    One of its sizes may have several names outside, which then are the same.
    """

    sizeless = True

    def __init__(self, *words: str, **sizes: str | tuple[str, ...]) -> None:
        self.words, self.sizes = words, sizes

    def fits(self, value: Any, sizes: Sizes) -> bool:
        """Tell whether its class is right, and whether it is sound and as large as it must be."""
        if word_of(type(value)) not in self.words:
            return False
        inner = check(value)
        return all(
            agree(sizes, name, inner[size])
            for size, names in self.sizes.items()
            if size in inner
            for name in ((names,) if isinstance(names, str) else names)
        )

    def holds(self, value: Any, sizes: Sizes) -> bool:
        """Say yes: its own values were looked at with its class."""
        return True


@cache
def declarations() -> dict[str, Declaration]:
    """Return the declarations of all classes, by their words."""
    from .declared_iterative import ITERATIVE, ITERATIVE_METHODS
    from .declared_methods import METHODS
    from .declared_steps import DECLARED
    from .declared_values import VALUES

    return {**VALUES, **ITERATIVE, **METHODS, **ITERATIVE_METHODS, **DECLARED}


class Work:
    """How many bytes were looked at while one file is checked, and which arrays need no more.

    A page may refer to one array many times: what does not depend on the place is looked at once,
    and the rest only as often as any model would need.
    """

    def __init__(self, room: float) -> None:
        self.room, self._seen = room, set[tuple[int, int]]()

    def is_new(self, value: Any, rule: Rule) -> bool:
        """Tell whether a value has yet to be looked at by a rule."""
        key = id(value), id(rule)
        known = rule.sizeless and key in self._seen
        self._seen.add(key)
        return not known

    def charge(self, value: Any) -> None:
        """Count the bytes of a value; ValueError for more than any model needs."""
        self.room -= bytes_of(value)
        if self.room < 0:
            raise ValueError("its arrays are used more often than those of any model")


def bytes_of(value: Any) -> int:
    """Return the bytes of an array, a sparse matrix, or several of them."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if sp.issparse(value):
        return int(value.data.nbytes + value.indices.nbytes + value.indptr.nbytes)
    return sum(map(bytes_of, value)) if isinstance(value, tuple | list) else 0


_WORK: ContextVar[Work] = ContextVar("work")


def check_everything(value: Any, room: float = math.inf) -> None:
    """Check every value of our classes in what was read; ValueError for the first that is wrong.

    ``room`` is how many bytes may be looked at.
    """
    before = _WORK.set(Work(room))
    try:
        _check_within(value)
    finally:
        _WORK.reset(before)


def _check_within(value: Any) -> None:
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for part in value:
            _check_within(part)
    elif word_of(type(value)) is not None:
        check(value)


def check(value: Any) -> Sizes:
    """Return the sizes of a value of our classes; ValueError if it is not as declared."""
    word = word_of(type(value)) or ""
    declared = declarations()[word]
    held, rules = _fields(value), dict(declared.fields)
    is_method = hasattr(value, "get_params")
    is_fitted = not is_method or _check_parameters(value, held)
    rules = {**(rules if is_fitted else {}), **declared.parameters}
    unknown = set(held) - set(rules)
    if unknown:
        raise wrong(min(unknown), word)
    sizes: Sizes = {}
    work = _WORK.get(None) or Work(math.inf)
    present = {name: rule for name, rule in rules.items() if name in held}
    if not set(rules) - declared.optional <= set(present):
        raise wrong(min(set(rules) - declared.optional - set(present)), word)
    for name, rule in present.items():
        if not rule.fits(held[name], sizes):
            raise wrong(name, word)
    for name, rule in present.items():
        is_new = work.is_new(held[name], rule)
        if is_new or declared.also is not None:
            work.charge(held[name])
        if is_new and not rule.holds(held[name], sizes):
            raise wrong(name, word)
    culprit = declared.also(value, sizes) if is_fitted and declared.also is not None else None
    if culprit is not None:
        raise wrong(culprit, word)
    return sizes


def is_made_by_constructor(cls: Any) -> bool:
    """Whether ``cls`` is a frozen value: all it holds follows from what its constructor takes."""
    return dataclasses.is_dataclass(cls) and bool(vars(cls)["__dataclass_params__"].frozen)


def _fields(value: Any) -> dict[str, Any]:
    """Return what a value holds, by name."""
    if is_made_by_constructor(type(value)):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.init}
    return dict(vars(value))


def _check_parameters(model: Any, held: dict[str, Any]) -> bool:
    """Check a method's parameters as its constructor's are, and tell whether it was fitted.

    What passes is taken out of ``held``, but for those that may be several things.
    """
    from ..methods.parameters import check_parameters, parameters_of

    if not dataclasses.is_dataclass(type(model)):  # a step: its parameters are declared beside it
        return any(name.endswith("_") for name in held)
    check_parameters(model)
    parameters = parameters_of(type(model))
    for name, (_, rule) in parameters.items():
        if rule.kind is not None or rule.choices is not None:
            held.pop(name, None)
    return any(name.endswith("_") for name in held)


def wrong(name: str, word: str) -> ValueError:
    """Return the error for a field that is not as declared."""
    return ValueError(f"the {name} of its {word} do not fit the rest")
