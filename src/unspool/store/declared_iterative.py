"""What the values that iterative methods keep must be: curves, surfaces, disparities, networks.

Sizes are named as in ``declared_values.py``; k pairs or knots, v vertices of a curve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .declared_values import CENTER, POSITIVE, SINGLE_TOO, lengths
from .registry import Declaration, Part
from .rules import LONGEST, Either, Indices, Items, Number, Reals, Sizes, Truth, Whole, Word

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
