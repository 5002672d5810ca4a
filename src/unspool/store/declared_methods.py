"""What fitted methods must hold: one declaration per method, made of what their families share.

Parameters that a method declares with a kind or choices are checked as in its constructor; those
that may be several things (neighbours of each point, a table of weights) are declared here.
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernel import KERNELS
from .declared_values import ANY_REAL, METRIC, NOT_NEGATIVE, SINGLE_TOO, WEIGHTINGS
from .registry import Declaration, Part, word_of
from .rules import (
    LONGEST,
    NUMBERS,
    Either,
    Facts,
    FloatType,
    Indices,
    Items,
    Names,
    Nothing,
    Number,
    Plain,
    Reals,
    Rule,
    Sizes,
    Sparse,
    Truths,
    Whole,
    Word,
    optional,
)

SEARCHES = ("approximate search", "brute-force search", "kd-tree search", "metric search")
INDEX_LIST = Either(Indices(("*",)), Items(Whole(), kinds=(list, tuple)))
PER_POINT = Either(Indices(("n",)), Items(Whole(1), "n", kinds=(list, tuple)))
COUNT = Whole(1, 2**31)
HELD_TABLE = Either(Reals(("n", "p"), -LONGEST, LONGEST), Sparse(("n", "p"), -LONGEST, LONGEST))


def finite(*shape: str) -> Reals:
    """Return the rule of numbers that are only finite."""
    return Reals(shape, -ANY_REAL, ANY_REAL)


Fields = dict[str, Rule]
BASE: Fields = {
    "_X": HELD_TABLE,
    "n_features_in_": Whole(1, size="p"),
    "embedding_": Reals(("n", "d"), -ANY_REAL, ANY_REAL, SINGLE_TOO),
    "_dtype": FloatType(),
    "report_": Part("report"),
    "feature_names_in_": Names("p"),
    "_sklearn_output_config": Facts(),
}
OPTIONAL = frozenset({"feature_names_in_", "_sklearn_output_config"})
KERNEL: Fields = {"gamma_": optional(NOT_NEGATIVE), "_kernel": Part("kernel", p="p")}
GRAPH: Fields = {
    **BASE,
    "charts_": Items(Part("chart", d="d", N="u", p="p"), "c", fewest=1),
    "_copies": Part("copies", n="n", u="u"),
    "_index": Either(Part(*SEARCHES, n="u", p="p"), Part("given distances", n="u")),
    "_space": Either(Reals(("u", "*"), -LONGEST, LONGEST), Sparse(("u", "u"), -LONGEST, LONGEST)),
    "_home": Indices(("u",), below="c"),
    "_mapped": Truths(("u",)),
    "_layout": Part("layout", c="c", d="d"),
    "outliers_": Indices(("*",), below="n"),
    "component_labels_": Indices(("n",), below="n"),
    "eigenvalues_": Reals(("d",)),
}
WEIGHTED: Fields = {
    **GRAPH,
    "gamma_": optional(NOT_NEGATIVE),
    "_weighting": Part(*WEIGHTINGS, n="u"),
}
PRINCIPAL: Fields = {
    **BASE,
    "distances_": Part("distances to a manifold"),
    "n_iter_": Whole(),
    "_normalization": Part("data normalization", p="p"),
}
NEIGHBORS: Fields = {"n_neighbors": optional(Either(COUNT, PER_POINT))}
METRIC_PARAMETER: Fields = {"metric": METRIC}
LANDMARKS: Fields = {"landmarks": Either(Word(), INDEX_LIST)}
KERNEL_PARAMETER: Fields = {"kernel": Word(KERNELS)}


def also_method(model: Any, sizes: Sizes) -> str | None:
    """A table is square, and points are no sparse table."""
    is_table = model._input_kind() != "points"
    held = getattr(model, "_X", None)
    sound = sizes["p"] == sizes["n"] if is_table else not sp.issparse(held)
    return None if sound else "_X"


def _also_graph(model: Any, sizes: Sizes) -> str | None:
    """Charts are of fitted points, and neighbours are searched in what the method is given."""
    if any(int(chart.members[-1]) >= sizes["u"] for chart in model.charts_):
        return "charts_"
    is_table = model._search_metric() == "precomputed"
    if (word_of(type(model._index)) == "given distances") != is_table:
        return "_index"
    if model._space.shape[1] != sizes["u" if is_table else "p"]:
        return "_space"
    return also_method(model, sizes)


def _also_tsne(model: Any, sizes: Sizes) -> str | None:
    """Neighbours are searched in what the method is given, and no point is counted twice."""
    is_table = model._input_kind() != "points"
    if (word_of(type(model._index)) == "given distances") != is_table:
        return "_index"
    if (np.diff(model._distinct) <= 0).any():
        return "_distinct"
    return also_method(model, sizes)


def _also_kernel_pca(model: Any, sizes: Sizes) -> str | None:
    """Rows of a kernel table are seen by their numbers, points as points."""
    is_table = model._input_kind() == "kernel"
    if (model._seen.dtype.kind == "i") != is_table:
        return "_seen"
    return _also_kernel(model, sizes) or also_method(model, sizes)


def _also_kernel(model: Any, sizes: Sizes) -> str | None:
    return None if model._kernel.name == model.kernel else "_kernel"


def _also_kernel_lle(model: Any, sizes: Sizes) -> str | None:
    return _also_kernel(model, sizes) or _also_graph(model, sizes)


def _also_veronese(model: Any, sizes: Sizes) -> str | None:
    """There are as many features as the degree gives; counting them is bounded first."""
    p, f, degree = sizes["p"], sizes["f"], int(model.degree)
    small = p == 1 or degree <= f
    if not small or comb(degree + p - 1, min(degree, p - 1)) != f:
        return "mean_"
    return also_method(model, sizes)


def _also_monomials(model: Any, sizes: Sizes) -> str | None:
    p, f, degree = sizes["p"], sizes["f"], int(model.degree)
    if degree > f or comb(degree + p, p) - 1 != f:
        return "mean_"
    return also_method(model, sizes)


def _also_curve(model: Any, sizes: Sizes) -> str | None:
    closed = model._state.curve.closed
    if sizes["d"] != 1 or bool(closed) != bool(model.closed):
        return "_state"
    return also_method(model, sizes)


def _also_surface(model: Any, sizes: Sizes) -> str | None:
    """A surface has at most as many parameters as the map has coordinates."""
    if not sizes["q"] <= int(model.n_components) == sizes["d"]:
        return "surface_"
    return also_method(model, sizes)


def method(
    fields: Fields,
    parameters: Fields | None = None,
    also: Any = also_method,
    may_lack: frozenset[str] = OPTIONAL,
) -> Declaration:
    """Return the declaration of a method."""
    return Declaration(fields, also, may_lack, parameters or {})


def _graph(more: Fields | None = None, **parameters: Rule) -> Declaration:
    return method(
        {**GRAPH, **(more or {})}, {**NEIGHBORS, **METRIC_PARAMETER, **parameters}, _also_graph
    )


def _weighted(more: Fields | None = None, **parameters: Rule) -> Declaration:
    return _graph({**WEIGHTED, **(more or {})}, **parameters)


FITTED_LANDMARKS: Fields = {"landmarks_": Indices(("*",), below="n")}
METHODS = {
    "pca": method(
        {
            **BASE,
            "eigenvalues_": Reals(("d",)),
            "components_": Reals(("d", "p")),
            "mean_": Reals(("p",), -LONGEST, LONGEST),
            "explained_variance_ratio_": Reals(("d",)),
        },
        may_lack=OPTIONAL | {"_X"},  # in files of earlier versions
    ),
    "kernel-pca": method(
        {
            **BASE,
            **KERNEL,
            **FITTED_LANDMARKS,
            "eigenvalues_": Reals(("d",)),
            "_seen": Either(Reals(("m", "p"), -LONGEST, LONGEST), Indices(("m", 1), below="n")),
            "_map": Part("gram map", "nystroem map", m="m", d="d"),
        },
        {**KERNEL_PARAMETER, **LANDMARKS},
        _also_kernel_pca,
    ),
    "classical-mds": method(
        {
            **BASE,
            "eigenvalues_": Reals(("d",), 0.0),
            "additive_constant_": NOT_NEGATIVE,
            "_map": Part("gram map", m="n", d="d"),
        },
        METRIC_PARAMETER,
    ),
    "landmark-mds": method(
        {
            **BASE,
            "eigenvalues_": Reals(("d",), 0.0),
            "landmarks_": Indices(("m",), below="n"),
            "_triangulation": Part("gram map", m="m", d="d"),
        },
        {**METRIC_PARAMETER, **LANDMARKS},
    ),
    "mds": method(
        {
            **BASE,
            "_X": Either(
                Reals(("n", "p"), -LONGEST, LONGEST, gaps=True),
                Sparse(("n", "p"), -LONGEST, LONGEST),
            ),
            "embedding_": Reals(("n", "d"), dtypes=SINGLE_TOO),
            "stress_": Number(0.0, ANY_REAL),
            "normalized_stress_": NOT_NEGATIVE,
            "stress_per_point_": Reals(("n",), 0.0, ANY_REAL),
            "stress_trace_": Reals(("*",), 0.0, ANY_REAL),
            "n_iter_": Whole(),
            "_disparities": Part("metric disparities", "ordinal disparities", n="n"),
        },
        {
            **METRIC_PARAMETER,
            "weights": Either(
                Nothing(),
                Word(("inverse_square",)),
                Number(-16.0, 16.0),
                Reals(("n", "n"), 0.0, dtypes=NUMBERS),
                Sparse(("n", "n"), 0.0, kinds="biuf"),
                Items(Items(Number(0.0), "n", kinds=(list, tuple)), "n", kinds=(list, tuple)),
            ),
            "start": Plain(),
        },
    ),
    "isomap": _graph(),
    "landmark-isomap": _graph(FITTED_LANDMARKS, **LANDMARKS),
    "lle": _graph(),
    "kernel-lle": method(
        {**GRAPH, **KERNEL, "_diagonal": Reals(("n",))},
        {**NEIGHBORS, **KERNEL_PARAMETER},
        _also_kernel_lle,
    ),
    "modified-lle": _graph(),
    "hessian-lle": _graph(),
    "ltsa": _graph(),
    "laplacian-eigenmaps": _weighted(),
    "diffusion-maps": _weighted(),
    "spectral-clustering": _weighted(
        {
            "n_clusters_": Whole(1, size="k"),
            "labels_": Indices(("n",), below="k"),
            "cluster_centers_": Reals(("k", "d")),
            "cut_": NOT_NEGATIVE,
            "normalized_cut_": NOT_NEGATIVE,
        },
        n_clusters=Either(Word(("eigengap",)), Whole(1)),
    ),
    "feature-map-pca": method(
        {
            **BASE,
            "eigenvalues_": finite("d"),
            "components_": Reals(("d", "f")),
            "mean_": Reals(("f",)),
            "explained_variance_ratio_": Reals(("d",)),
            "_projection": Part("feature projection", d="d", f="f"),
        },
        {"feature_map": Nothing()},
        _also_veronese,
    ),
    "polynomial-pca": method(
        {
            **BASE,
            "eigenvalues_": finite("f"),
            "components_": Reals(("f", "f")),
            "mean_": Reals(("f",)),
            "explained_variance_ratio_": Reals(("f",)),
            "exponents_": Indices(("f", "p")),
            "_projection": Part("feature projection", d="d", f="f"),
        },
        {},
        _also_monomials,
    ),
    "autoassociative-network": method(
        {
            **BASE,
            "weights_": Items(Reals(("*", "*"))),
            "biases_": Items(Reals(("*",))),
            "n_iter_": Whole(),
            "reconstruction_error_": finite("*"),
            "validation_error_": optional(finite("*")),
            "_network": Part("network", p="p", q="p", d="d"),
            "_scaling": Part("network scaling", p="p"),
        },
        {
            "mapping": Items(Whole(1), kinds=(list, tuple)),
            "demapping": Items(Whole(1), kinds=(list, tuple)),
        },
    ),
    "tsne": method(
        {
            **BASE,
            "kl_divergence_": Number(-ANY_REAL, ANY_REAL),
            "kl_trace_": finite("*"),
            "n_iter_": Whole(),
            "perplexity_": Number(1.0),
            "_index": Either(Part(*SEARCHES, n="u", p="p"), Part("given distances", n="u")),
            "_distinct": Indices(("u",), below="n"),
            "_counts": Reals(("u",), 1.0),
        },
        {
            **METRIC_PARAMETER,
            "start": Plain(),
            "learning_rate": Either(Word(("auto",)), Number(0.0)),
        },
        _also_tsne,
    ),
    "principal-curve": method(
        {
            **PRINCIPAL,
            "vertices_": Reals(("v", "p")),
            "length_": NOT_NEGATIVE,
            "weights_": Reals(("n",), 0.0, 1.0),
            "_state": Part("curve state", n="n", p="p", v="v"),
        },
        {"start": Plain(), "smoother": Word(("spline", "lowess", "kernel"))},
        _also_curve,
    ),
    "principal-surface": method(
        {
            **PRINCIPAL,
            "freedom_": NOT_NEGATIVE,
            "surface_": Part("surface", p="p", q="q"),
        },
        {"start": Plain()},
        _also_surface,
    ),
    "random-projection": method(
        {
            **BASE,
            "components_": Either(Reals(("d", "p")), Sparse(("d", "p"))),
            "n_draws_": Whole(1),
            "_mean": Reals(("p",), -LONGEST, LONGEST),
        }
    ),
}
