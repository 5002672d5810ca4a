"""What fitted methods must hold: one declaration per method, made of what their families share.

Parameters that a method declares with a kind or choices are checked as in its constructor; those
that may be several things (neighbours of each point, a table of weights) are declared here.
"""

from __future__ import annotations

from math import comb
from typing import Any

import scipy.sparse as sp

from ..kernel import ALIASES, KERNELS
from .declared_values import ANY_REAL, METRIC, NOT_NEGATIVE, SINGLE_TOO, WEIGHTINGS
from .registry import Declaration, Part, word_of
from .rules import (
    LONGEST,
    Either,
    Facts,
    FloatType,
    Indices,
    Items,
    Names,
    Nothing,
    Number,
    Reals,
    Rule,
    Sizes,
    Sparse,
    Truths,
    Whole,
    Word,
    optional,
)

SEARCHES = (
    "approximate search",
    "brute-force search",
    "kd-tree search",
    "metric search",
    "sparse search",
)
INDEX_LIST = Either(Indices(("*",)), Items(Whole(), kinds=(list, tuple)))
PER_POINT = Either(Indices(("n",)), Items(Whole(1), "n", kinds=(list, tuple)))
COUNT = Whole(1, 2**31)
HELD_TABLE = Either(
    Reals(("n", "p"), -LONGEST, LONGEST, SINGLE_TOO), Sparse(("n", "p"), -LONGEST, LONGEST)
)


def finite(*shape: str) -> Reals:
    """Return the rule of numbers that are only finite."""
    return Reals(shape, -ANY_REAL, ANY_REAL)


Fields = dict[str, Rule]
BASE: Fields = {
    "_X": HELD_TABLE,
    "n_features_in_": Whole(1, size="p"),
    "embedding_": Reals(("n", "d"), -ANY_REAL, ANY_REAL, SINGLE_TOO),
    "_n_wanted": Whole(0),
    "_seed": Whole(0),
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
    "_space": Either(
        Reals(("u", "*"), -LONGEST, LONGEST, SINGLE_TOO), Sparse(("u", "*"), -LONGEST, LONGEST)
    ),
    "_home": Indices(("u",), below="c"),
    "_mapped": Truths(("u",)),
    "_layout": Part("layout", c="c", d="d"),
    "_n_seen": optional(COUNT),
    "outliers_": Indices(("*",), below="n"),
    "component_labels_": Indices(("n",), below="n"),
    "eigenvalues_": Reals(("d",)),
}
WEIGHTED: Fields = {
    **GRAPH,
    "gamma_": optional(NOT_NEGATIVE),
    "_weighting": Part(*WEIGHTINGS, n="u"),
}
NEIGHBORS: Fields = {"n_neighbors": optional(Either(COUNT, PER_POINT))}
METRIC_PARAMETER: Fields = {"metric": METRIC}
LANDMARKS: Fields = {"landmarks": Either(Word(), INDEX_LIST)}
KERNEL_PARAMETER: Fields = {"kernel": Word((*KERNELS, *ALIASES))}


def also_method(model: Any, sizes: Sizes) -> str | None:
    """A table is square, and points are sparse only where the method takes such."""
    is_table = model._input_kind() != "points"
    held = getattr(model, "_X", None)
    may_be_sparse = model._SPARSE_POINTS or not sp.issparse(held)
    columns = len(model.landmarks_) if not model._is_square(held) else sizes["n"]
    sound = sizes["p"] == columns if is_table and held is not None else may_be_sparse
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


def _also_splines(model: Any, sizes: Sizes) -> str | None:
    knots = model.knots_
    if len(knots) != sizes["p"] or sum(map(len, knots)) != sizes["f"] or not all(map(len, knots)):
        return "knots_"
    return also_method(model, sizes)


def _also_subspaces(model: Any, sizes: Sizes) -> str | None:
    """Each subspace has as many axes as dimensions."""
    if [len(axes) for axes in model.bases_] != model.dimensions_.tolist():
        return "bases_"
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
            "_scatter": Reals(("*", "p"), -ANY_REAL, ANY_REAL),
            "_n_seen": Whole(1),
        },
        # points in files of earlier versions, a scatter where rows came in batches
        may_lack=OPTIONAL | {"_X", "_scatter", "_n_seen"},
    ),
    "kernel-pca": method(
        {
            **BASE,
            **KERNEL,
            **FITTED_LANDMARKS,
            "eigenvalues_": Reals(("d",)),
            "_seen": Either(
                Reals(("m", "p"), -LONGEST, LONGEST, SINGLE_TOO),
                Sparse(("m", "p"), -LONGEST, LONGEST),
                Indices(("m", 1), below="n"),
            ),
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
    "charting": method(
        {**GRAPH, "n_charts_": Whole(1), "overlap_": Number(1.0)}, NEIGHBORS, _also_graph
    ),
    "conformal-eigenmaps": _graph(
        {"spectrum_": Reals(("*",), 0.0), "misfit_": NOT_NEGATIVE, "n_iter_": Whole()}
    ),
    "maximum-variance-unfolding": _graph(
        {
            "gap_": optional(NOT_NEGATIVE),
            "broken_": NOT_NEGATIVE,
            "n_pairs_": Whole(),
            "n_iter_": Whole(),
        }
    ),
    "laplacian-eigenmaps": _weighted(),
    "diffusion-maps": _weighted(),
    "spectral-clustering": _weighted(
        {
            "n_clusters_": Whole(1, size="k"),
            "labels_": Indices(("n",), below="k"),
            "cluster_centers_": Reals(("k", "d")),
            "cluster_variances_": Reals(("k",), 1.0 / LONGEST),
            "cluster_shares_": Reals(("k",), 0.0, 1.0),
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
    "additive-pca": method(
        {
            **BASE,
            "eigenvalues_": finite("d"),
            "components_": Reals(("d", "f")),
            "knots_": Items(Reals(("*",), increasing="strictly")),
            "mean_": Reals(("f",)),
            "_projection": Part("feature projection", d="d", f="f"),
        },
        {},
        _also_splines,
    ),
    "gpca": method(
        {
            **BASE,
            "labels_": Indices(("n",), below="c"),
            "n_subspaces_": Whole(1, size="c"),
            "dimensions_": Indices(("c",)),
            "centers_": Reals(("c", "p")),
            "bases_": Items(Reals(("*", "p")), "c"),
            "distances_": Reals(("n",), 0.0),
            "n_iter_": Whole(),
            "_layout": Part("layout", c="c", d="d"),
        },
        {
            "dimensions": Either(
                Word(("auto",)),
                Whole(0),
                Indices(("*",)),
                Items(Whole(0), kinds=(list, tuple)),
            )
        },
        _also_subspaces,
    ),
    "random-projection": method(
        {
            **BASE,
            "components_": Either(Reals(("d", "p")), Sparse(("d", "p"))),
            "n_draws_": Whole(1),
            "_mean": Reals(("p",), -LONGEST, LONGEST),
        },
        may_lack=OPTIONAL | {"_X"},  # in files of earlier versions
    ),
}
