"""S4 Exercises 16.9 and 16.10: six methods on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import datasets, distances, graph, quality
from ...methods import LLE, PCA, HessianLLE, Isomap, KernelPCA, LaplacianEigenmaps
from ..comparing import share_of_own
from ..data import Table
from ..drawing import panels
from ..outcome import Outcome, measured, outcome
from ..registry import item


def six(n_neighbors: int, *, n_components: int = 2) -> dict[str, Any]:
    """Return the six methods that both exercises ask for, with one size of neighbourhood."""
    return {
        "PCA": PCA(n_components),
        "kernel PCA": KernelPCA(n_components),
        "Isomap": Isomap(n_components, n_neighbors=n_neighbors),
        "LLE": LLE(n_components, n_neighbors=n_neighbors),
        "Laplacian eigenmaps": LaplacianEigenmaps(n_components, n_neighbors=n_neighbors),
        "Hessian eigenmaps": HessianLLE(
            n_components, n_neighbors=max(n_neighbors, 8), symmetrize="union"
        ),
    }


def compare(methods: Mapping[str, Any], points: Any) -> dict[str, Any]:
    """Return the map of each method, by name."""
    return {name: method.fit_transform(points) for name, method in methods.items()}


def _order_kept(places: Any) -> float:
    """Return the share of points whose nearest neighbour on the map is one of the two next to it
    along a closed curve."""
    n = len(places)
    found = distances.neighbor_graph(places, 1)
    steps = np.abs(found.neighbors - found.rows)
    return float(np.mean(np.minimum(steps, n - steps) <= 1))


@item("S4.exercise-16.9", "Six methods on the helix", "Exercise 16.9")
def exercise_16_9() -> Outcome:
    """A closed spring of eight coils: methods that follow the curve open it to a ring, linear and
    kernel PCA see the coils from above, where they cross."""
    sample = datasets.helix(600)
    maps = compare(six(6), sample.points)
    kept = {name: _order_kept(places) for name, places in maps.items()}
    rings = {name: _roundness(places) for name, places in maps.items()}
    return outcome(
        [
            measured(
                f"{name}: nearest on the map is next on the curve",
                "follows it",
                kept[name],
                at_least=0.95,
            )
            for name in ("Isomap", "LLE", "Laplacian eigenmaps")
        ],
        [
            measured(
                f"{name}: spread of the radius over its mean", "a ring", rings[name], at_most=0.35
            )
            for name in ("Isomap", "Laplacian eigenmaps")
        ],
        measured(
            "PCA: spread of the radius over its mean",
            "coils seen from above",
            rings["PCA"],
            at_least=0.25,
        ),
        measured(
            "PCA: the radius swings with every coil",
            "eight times",
            _coils(maps["PCA"]),
            at_least=8,
            at_most=8,
        ),
        draw=lambda: panels(maps, sample.color),
    )


def _roundness(places: Any) -> float:
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1)
    return float(radius.std() / radius.mean())


def _coils(places: Any) -> float:
    """Return how often the radius goes up and down along the curve: its strongest frequency."""
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1)
    return float(np.abs(np.fft.rfft(radius - radius.mean())).argmax())


@item(
    "S4.exercise-16.10",
    "Six methods on COIL-20",
    "Exercise 16.10",
    needs=["coil20_32x32"],
    slow=True,
)
def exercise_16_10(coil: Table) -> Outcome:
    """Twenty objects turned through 72 views: each object is a closed curve in pixel space, and
    the graph falls into pieces, which the local methods map one by one."""
    points, labels = coil["x"].astype(float), coil["y"]
    maps = compare(six(6), points)
    pieces = graph.find_components(graph.symmetrize(distances.neighbor_graph(points, 6)))
    one = points[labels == 1]
    alone = Isomap(2, n_neighbors=4).fit_transform(one)
    same = {name: share_of_own(places, labels) for name, places in maps.items()}
    return outcome(
        measured("pieces of the neighbour graph", "several", len(pieces.sizes), at_least=3),
        measured(
            "same object among five neighbours in pixel space",
            "objects are curves apart",
            share_of_own(points, labels),
            at_least=0.95,
        ),
        measured("same on Isomap's map", "global", same["Isomap"], at_least=0.4),
        measured(
            "same on PCA's map", "linear, in two dimensions", same["PCA"], at_most=same["Isomap"]
        ),
        measured(
            "one object alone: nearest on the map is next in angle",
            "a closed curve",
            _order_kept(alone),
            at_least=0.9,
        ),
        draw=lambda: panels(maps, labels),
    )


@item("S4.unrolling", "Linear and nonlinear methods on the S-curve", "16.6, Figure 16.6")
def unrolling() -> Outcome:
    """The algorithms of 16.6 have outperformed linear techniques when M is highly nonlinear."""
    sample = datasets.s_curve(1000, seed=0)
    maps = compare(six(10), sample.points)
    explained = {
        name: float(quality.explained_by(places, sample.coordinates).min())
        for name, places in maps.items()
    }
    return outcome(
        measured(
            "unexplained by PCA over unexplained by Isomap",
            "outperforms linear techniques",
            (1 - explained["PCA"]) / (1 - explained["Isomap"]),
            at_least=20.0,
        ),
        [
            measured(
                f"worst R^2, {name}",
                "outperforms linear techniques",
                explained[name],
                at_least=bound,
            )
            for name, bound in (("Isomap", 0.99), ("LLE", 0.9), ("Hessian eigenmaps", 0.999))
        ],
        measured(
            "neighbours kept, Laplacian eigenmaps less PCA",
            "retain the neighbourhood structure",
            quality.neighbors_kept(sample.points, maps["Laplacian eigenmaps"]).value
            - quality.neighbors_kept(sample.points, maps["PCA"]).value,
            at_least=0.1,
        ),
        draw=lambda: panels(maps, sample.color),
    )
