"""What iterative methods and their values must be: curves, surfaces, disparities, networks.

Sizes are named as in ``declared_values.py``; k pairs or knots, v vertices of a curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..stress import OUTPUT_METRICS
from .declared_methods import (
    BASE,
    METRIC_PARAMETER,
    SEARCHES,
    Fields,
    also_method,
    finite,
    method,
)
from .declared_values import ANY_REAL, CENTER, NOT_NEGATIVE, POSITIVE, SINGLE_TOO, lengths
from .registry import Declaration, Part, word_of
from .rules import (
    LONGEST,
    NUMBERS,
    Either,
    Indices,
    Items,
    Nothing,
    Number,
    Plain,
    Reals,
    Sizes,
    Sparse,
    Truth,
    Truths,
    Whole,
    Word,
    optional,
)

ACTIVATIONS = ("tanh", "logistic", "linear")
NORMALIZED = 1e12  # of what is computed on data of about unit size
PAIR_INDICES = ("uint32", "uint16", "int64", "int32")


def _also_curve(curve: Any, sizes: Sizes) -> str | None:
    """Arc lengths begin at 0 and are those of the corners."""
    steps = np.linalg.norm(np.diff(curve.vertices, axis=0), axis=1)
    if len(steps) == 0 or not np.all(steps > 0.0):
        return "vertices"
    told = np.diff(curve.arc_lengths)
    same = np.allclose(told, steps, rtol=1e-6, atol=1e-9 * float(steps.sum()))
    return None if same and curve.arc_lengths[0] == 0.0 else "arc_lengths"


def _also_ordinal(disparities: Any, sizes: Sizes) -> str | None:
    """Pairs are in increasing order of dissimilarity."""
    values = disparities.pairs.dissimilarities
    return None if np.all(values[1:] >= values[:-1]) else "pairs"


def _also_topology(topology: Any, sizes: Sizes) -> str | None:
    """Each layer but the input has an activation, and the bottleneck is one between the ends."""
    if len(topology.activations) != len(topology.widths) - 1:
        return "activations"
    return None if topology.bottleneck < len(topology.widths) - 1 else "bottleneck"


def _also_network(network: Any, sizes: Sizes) -> str | None:
    """Weights and biases have the shapes of the layers."""
    topology = network.topology
    if [weights.shape for weights in network.weights] != list(topology.shapes):
        return "weights"
    if [biases.shape for biases in network.biases] != [(after,) for _, after in topology.shapes]:
        return "biases"
    sizes.update(p=topology.widths[0], q=topology.widths[-1])
    sizes.update(d=topology.widths[topology.bottleneck])
    return None


ITERATIVE = {
    "curve": Declaration(
        {
            "vertices": Reals(("n", "p"), -NORMALIZED, NORMALIZED),
            "arc_lengths": lengths("n", increasing="strictly"),
            "closed": Truth(),
        },
        _also_curve,
    ),
    "curve projection": Declaration(
        {
            "arc_lengths": lengths("n"),
            "feet": Reals(("n", "p"), -NORMALIZED, NORMALIZED),
            "squared_distances": Reals(("n",), 0.0),
        }
    ),
    "curve state": Declaration(
        {
            "curve": Part("curve", n="v", p="p"),
            "projection": Part("curve projection", n="n", p="p"),
            "weights": Reals(("n",), 0.0, 1.0),
            "steps": Whole(),
        }
    ),
    "surface": Declaration(
        {
            "knots": Reals(("k", "q"), -NORMALIZED, NORMALIZED),
            "affine": Reals(("q+1", "p"), -LONGEST, LONGEST),
            "coefficients": Reals(("k", "p"), -LONGEST, LONGEST),
            "seeds": Reals(("s", "q"), -NORMALIZED, NORMALIZED),
        }
    ),
    "data normalization": Declaration({"center": CENTER, "scale": Number(1e-90, 1e90)}),
    "distances to a manifold": Declaration(
        {"sums": Reals(("*",), 0.0), "n_counted": Whole(1), "n_points": Whole(1)}
    ),
    "metric disparities": Declaration(),
    "space disparities": Declaration(
        {"metric": Word(OUTPUT_METRICS), "power": Number(1.0), "radius": POSITIVE}
    ),
    "ordinal disparities": Declaration(
        {"pairs": Part("pairs", n="n", k="k"), "values": Reals(("k",), 0.0, dtypes=SINGLE_TOO)},
        _also_ordinal,
    ),
    "pairs": Declaration(
        {
            "n_points": Whole(1, size="n"),
            "first": Indices(("k",), below="n", dtypes=PAIR_INDICES),
            "second": Indices(("k",), below="n", dtypes=PAIR_INDICES),
            "dissimilarities": Reals(("k",), 0.0, LONGEST, SINGLE_TOO),
            "weights": Either(
                Reals(("k",), 0.0, dtypes=SINGLE_TOO), Reals((0,), dtypes=SINGLE_TOO)
            ),
        }
    ),
    "network topology": Declaration(
        {
            "widths": Items(Whole(1), fewest=3),
            "activations": Items(Word(ACTIVATIONS)),
            "bottleneck": Whole(1),
        },
        _also_topology,
    ),
    "network": Declaration(
        {
            "topology": Part("network topology"),
            "weights": Items(Reals(("*", "*"))),
            "biases": Items(Reals(("*",))),
        },
        _also_network,
    ),
    "network scaling": Declaration(
        {
            "center": Reals(("p",), -LONGEST, LONGEST),
            "scale": POSITIVE,
            "offset": Reals(("p",), -LONGEST, LONGEST),
            "span": Reals(("p",), 0.0, LONGEST),
        }
    ),
}


PRINCIPAL: Fields = {
    **BASE,
    "distances_": Part("distances to a manifold"),
    "n_iter_": Whole(),
    "_normalization": Part("data normalization", p="p"),
}


def _also_tsne(model: Any, sizes: Sizes) -> str | None:
    """Neighbours are searched in what the method is given, and no point is counted twice."""
    is_table = model._input_kind() != "points"
    if (word_of(type(model._index)) == "given distances") != is_table:
        return "_index"
    if (np.diff(model._distinct) <= 0).any():
        return "_distinct"
    return also_method(model, sizes)


def _also_principal_curve(model: Any, sizes: Sizes) -> str | None:
    closed = model._state.curve.closed
    if sizes["d"] != 1 or bool(closed) != bool(model.closed):
        return "_state"
    return also_method(model, sizes)


def _also_surface(model: Any, sizes: Sizes) -> str | None:
    """A surface has at most as many parameters as the map has coordinates."""
    if not sizes["q"] <= int(model._n_wanted) == sizes["d"]:
        return "surface_"
    return also_method(model, sizes)


def _also_mds(model: Any, sizes: Sizes) -> str | None:
    """A table may have gaps; points have none."""
    is_points = model._input_kind() == "points"
    if is_points and isinstance(model._X, np.ndarray) and not np.isfinite(model._X).all():
        return "_X"
    return also_method(model, sizes)


ITERATIVE_METHODS = {
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
            "radius_": NOT_NEGATIVE,
            "stress_trace_": Reals(("*",), 0.0, ANY_REAL),
            "n_iter_": Whole(),
            "_disparities": Part(
                "metric disparities", "ordinal disparities", "space disparities", n="n"
            ),
            "_counted": Either(
                Nothing(), Truths(("n", "n")), Sparse(("n", "n"), 0.0, 1.0, kinds="b")
            ),
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
        _also_mds,
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
        {**METRIC_PARAMETER, "start": Plain()},
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
        {"start": Plain(), "smoother": Word(("spline", "lowess", "kernel", "polygonal"))},
        _also_principal_curve,
    ),
    "principal-surface": method(
        {
            **PRINCIPAL,
            "freedom_": NOT_NEGATIVE,
            "weights_": Reals(("n",), 0.0, 1.0),
            "surface_": Part("surface", p="p", q="q"),
        },
        {"start": Plain()},
        _also_surface,
    ),
}
