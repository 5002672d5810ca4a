"""What the values that models keep must be: one declaration per class, field by field.

Named sizes: n points (u distinct ones), p features, d coordinates, m landmarks or anchors; N all
fitted points, where n are those of one component.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..distances import check_metric
from ..kernel import KERNELS, OF_DIFFERENCES
from ..paths import MOST_BUCKETS
from .registry import Declaration, Part
from .rules import (
    LARGEST,
    LONGEST,
    Approved,
    Either,
    Facts,
    Indices,
    Items,
    Nothing,
    Number,
    Reals,
    Sizes,
    Sparse,
    Starts,
    Truth,
    Whole,
    Word,
    optional,
)

SINGLE_TOO = ("float64", "float32")
POSITIVE = Number(0.0, LARGEST, strictly=True)
NOT_NEGATIVE = Number(0.0)
METRIC = Approved(check_metric, (str,))
ANY_POINTS = Reals(("n", "p"), -LONGEST, LONGEST, SINGLE_TOO)
CENTER = Reals(("p",), -LONGEST, LONGEST)
RELATIONS = (  # whose rows refer to all points of a component
    "diffusion",
    "geodesic operator",
    "geodesic table",
    "laplacian",
    "local relation",
)
WEIGHTINGS = (
    *("plain weights", "given weights", "heat weights"),
    *("self-tuning weights", "adaptive gaussian weights"),
)
MEMBERS = Indices(("n",), below="N", increasing="strictly")
MASSES = optional(Reals(("n",), 1.0))  # numbers of copies
SCALES = Reals(("n",), 1.0 / LARGEST, LONGEST)
ANY_REAL = float(np.finfo(np.float64).max)  # of powers of the data, which may exceed the bound
HIGHEST_DEGREE = 10**6


def lengths(*shape: str, increasing: str = "") -> Reals:
    """Return the rule of distances: finite and not negative."""
    return Reals(shape, 0.0, LONGEST, increasing=increasing)


def _also_kernel(kernel: Any, sizes: Sizes) -> str | None:
    """A kernel of distances has a width."""
    return "gamma" if kernel.name in OF_DIFFERENCES and kernel.gamma is None else None


def _also_laplacian(relation: Any, sizes: Sizes) -> str | None:
    """Each point has an edge that weighs something, by which it is divided."""
    return None if np.all(relation.weights.sum(axis=1) > 0.0) else "weights"


def _also_diffusion(relation: Any, sizes: Sizes) -> str | None:
    return None if np.all(relation.kernel.sum(axis=1) > 0.0) else "kernel"


def _also_copies(copies: Any, sizes: Sizes) -> str | None:
    """The first row that shows a point is one of those that show it, and masses count them."""
    told = np.ones(sizes["u"]) if copies.masses is None else copies.masses
    if not np.array_equal(np.bincount(copies.point_of), told):
        return "masses"
    return None if np.all(copies.point_of[copies.first] == np.arange(sizes["u"])) else "first"


def _also_chart(chart: Any, sizes: Sizes) -> str | None:
    """Anchors are coordinates, or the vectors that these are chosen from."""
    return None if chart.mixture is not None or sizes["v"] == sizes["d"] else "anchors"


def _also_charts(charts: Any, sizes: Sizes) -> str | None:
    """Each chart has a row for each of its axes, and one for its place."""
    return None if sizes["m"] == sizes["k"] * (sizes["l"] + 1) else "matrix"


def _also_layout(layout: Any, sizes: Sizes) -> str | None:
    """Boxes lie in the plane of the first two coordinates."""
    in_plane = sizes["w"] == min(2, sizes["d"])
    return None if in_plane and np.all(layout.low <= layout.high) else "low"


def _also_pattern(pattern: Any, sizes: Sizes) -> str | None:
    """A supernode's vertices meet the next one and the same others: each one fewer."""
    n, counts = sizes["n"], np.diff(pattern.starts)
    if not np.all(pattern.later > np.repeat(np.arange(n), counts)):
        return "later"
    inner = np.setdiff1d(np.arange(1, n), pattern.heads)
    return None if np.all(counts[inner - 1] == counts[inner] + 1) else "heads"


def _also_search(solver: Any, sizes: Sizes) -> str | None:
    """Buckets are counted by the longest edge over their width, which a ring must hold."""
    longest = float(solver.distances.max(initial=0.0))
    return None if longest <= (MOST_BUCKETS + 1) * float(solver.width) else "width"


VALUES = {
    "approximate search": Declaration({"points": ANY_POINTS, "center": CENTER, "seed": Whole()}),
    "brute-force search": Declaration({"points": ANY_POINTS, "center": CENTER}),
    "metric search": Declaration(
        {"points": ANY_POINTS, "metric": METRIC, "seed": optional(Whole())}
    ),
    "sparse search": Declaration(
        {
            "points": Sparse(("n", "p"), -LONGEST, LONGEST),
            "metric": Word(("euclidean", "l2", "cosine")),
        }
    ),
    "kd-tree search": Declaration(
        {"points": ANY_POINTS, "power": Number(1.0, float("inf"))},  # Chebyshev's is infinite
    ),
    "given distances": Declaration(
        {
            "given": Either(lengths("n", "n"), Sparse(("n", "n"), 0.0, LONGEST)),
            "columns": Nothing(),
        }
    ),
    "centering": Declaration({"column_means": Reals(("n",)), "grand_mean": Number()}),
    "uncentered": Declaration(),
    "gram map": Declaration(
        {
            "centering": Part("centering", "uncentered", n="m"),
            "anchors": Reals(("m", "d")),
            "eigenvalues": Reals(("d",), 0.0),
        }
    ),
    "nystroem map": Declaration(
        {
            "landmarks": Either(Reals(("m", "p")), Indices(("m", 1))),
            "inverse_root": Reals(("m", "r")),
            "mean": Reals(("r",)),
            "axes": Reals(("r", "d")),
            "eigenvalues": Reals(("d",)),
        }
    ),
    "kernel": Declaration(
        {
            "name": Word(KERNELS),
            "gamma": optional(POSITIVE),
            "degree": Whole(1, HIGHEST_DEGREE),
            "coef0": Number(),
            "origin": optional(Reals(("p",), -LONGEST, LONGEST)),
        },
        _also_kernel,
    ),
    "feature projection": Declaration(
        {
            "mean": Reals(("f",)),
            "scales": Reals(("f",), 1.0 / LARGEST),
            "axes": Reals(("d", "f")),
        }
    ),
    "geodesic table": Declaration(
        {
            "similarities": Reals(("n", "n"), most=0.0, dtypes=SINGLE_TOO),
            "centering": Part("centering", n="n"),
            "masses": MASSES,
        }
    ),
    "geodesic operator": Declaration(
        {
            "paths": Part("shortest paths", n="n"),
            "centering": Part("centering", n="n"),
            "norm_bound": NOT_NEGATIVE,
            "initial": Reals(("n", "*")),
            "masses": MASSES,
        }
    ),
    "landmark geodesics": Declaration(
        {
            "landmarks": Indices(("m",), below="n"),
            "geodesics": lengths("m", "n"),
            "triangulation": Part("gram map", m="m"),
        }
    ),
    "shortest paths": Declaration({"solver": Part("dijkstra", "elimination", n="n")}),
    "dijkstra": Declaration(
        {
            "position": Indices(("n",), below="n", permutation=True),
            "starts": Starts(("n+1",), end="e"),
            "neighbors": Indices(("e",), below="n"),
            "distances": lengths("e"),
            "width": POSITIVE,
            "together": Truth(),
        },
        _also_search,
    ),
    "elimination": Declaration(
        {
            "position": Indices(("n",), below="n", permutation=True),
            "pattern": Part("filled pattern", n="n", e="e"),
            "weights": Reals(("e",), 0.0, float("inf"), SINGLE_TOO),  # some arcs lead nowhere
        }
    ),
    "filled pattern": Declaration(
        {
            "starts": Starts(("n+1",), end="e"),
            "later": Indices(("e",), below="n"),
            "heads": Starts(("*",), end="n", increasing="strictly"),
        },
        _also_pattern,
    ),
    "plain weights": Declaration(),
    "given weights": Declaration(),
    "heat weights": Declaration({"gamma": NOT_NEGATIVE}),
    "self-tuning weights": Declaration({"scales": SCALES}),
    "adaptive gaussian weights": Declaration({"scales": SCALES}),
    "laplacian": Declaration(
        {
            "weighting": Part(*WEIGHTINGS, n="n"),
            "weights": Sparse(("n", "n"), 0.0),
            "normalization": Word(("random-walk", "symmetric", "unnormalized")),
            "masses": MASSES,
        },
        _also_laplacian,
    ),
    "diffusion": Declaration(
        {
            "weighting": Part(*WEIGHTINGS, n="n"),
            "density": Reals(("n",), 0.0, ANY_REAL),
            "kernel": Sparse(("n", "n"), 0.0, ANY_REAL),
            "masses": MASSES,
        },
        _also_diffusion,
    ),
    "local points": Declaration(
        {
            "points": Either(
                Reals(("N", "p"), -LONGEST, LONGEST, SINGLE_TOO),
                Sparse(("N", "p"), -LONGEST, LONGEST),
            ),
            "members": MEMBERS,
        }
    ),
    "local distances": Declaration({"table": lengths("N", "N"), "members": MEMBERS}),
    "local paths": Declaration(
        {
            "starts": Starts(("n+1",), end="e"),
            "ends": Indices(("e",), below="n"),
            "lengths": lengths("e"),
        }
    ),
    "local relation": Declaration(
        {
            "geometry": Part("local points", "local distances", "local paths", n="n", N="N", p="p"),
            "regularization": NOT_NEGATIVE,
            "eigenproblem": Part("eigenproblem", n="n"),
        }
    ),
    "eigenproblem": Declaration(
        {
            "matrix": Either(Sparse(("*", "n")), Reals(("*", "n"), dtypes=SINGLE_TOO)),
            "end": Word(("smallest", "largest")),
            "trivial": optional(Reals(("n", "*"))),
            "mass": optional(Reals(("n",), 0.0)),
            "ceiling": optional(Number()),
            "is_factor": Truth(),
            "initial": optional(Reals(("n", "*"))),
            "center": optional(Reals(("n",))),
            "unit": Word(("value", "root", "complement")),
            "divisor": POSITIVE,
        }
    ),
    "copies": Declaration(
        {
            "first": Indices(("u",), below="n", increasing="strictly"),
            "point_of": Indices(("n",), below="u"),
            "masses": optional(Reals(("u",), 1.0)),
        },
        _also_copies,
    ),
    "isolated": Declaration(),
    "gaussian charts": Declaration(
        {
            "mean": CENTER,
            "columns": Reals(("p", "w"), -1.0, 1.0),
            "centers": Reals(("k", "w"), -LONGEST, LONGEST),
            "axes": Reals(("k", "l", "w"), -1.0, 1.0),
            "spreads": Reals(("k", "l"), 0.0),
            "whiteners": Reals(("k", "w", "w")),
            "log_volumes": Reals(("k",)),
            "overlap": Number(1.0),
            "matrix": Reals(("m", "m")),
            "trivial": Reals(("m", 1)),
        },
        _also_charts,
    ),
    "chart": Declaration(
        {
            "members": Indices(("n",), increasing="strictly"),
            "coordinates": Reals(("n", "d")),
            "eigenvalues": Reals(("d",)),
            "relation": Either(
                Part("landmark geodesics", n="n", m="m"),
                Part("isolated"),
                Part("gaussian charts", m="m", d="d", p="p"),
                Part(*RELATIONS, n=("n", "m"), N="N", p="p"),
            ),
            "anchors": Reals(("m", "v")),
            "mixture": optional(Part("mixture", v="v", d="d")),
        },
        _also_chart,
    ),
    "mixture": Declaration({"eigenvalues": Reals(("v",)), "weights": Reals(("v", "d"), -1.0, 1.0)}),
    "layout": Declaration(
        {
            "offsets": Reals(("c", "d")),
            "low": Reals(("c", "w")),
            "high": Reals(("c", "w")),
            "margin": NOT_NEGATIVE,
        },
        _also_layout,
    ),
    "report": Declaration({"stages": Items(Part("stage")), "advice": Items(Word())}),
    "stage": Declaration(
        {"name": Word(), "seconds": NOT_NEGATIVE, "bytes": Whole(), "facts": Facts()}
    ),
}
