"""Izenman 2013, Exercises 16.9 and 16.10 and Figure 16.6: six methods on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import datasets, distances, graph, quality
from ..methods import LLE, PCA, HessianLLE, Isomap, KernelPCA, LaplacianEigenmaps
from .checks import Outcome, equal, measured, mostly, outcome, share_of_own, worst_fit
from .pages import panels
from .runner import Table, item, shifted


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
    """A closed spring of eight coils. Isomap, LLE and Laplacian eigenmaps follow the curve and open
    it to a ring; linear and kernel PCA see the coils from above, where the radius swings; Hessian
    eigenmaps want an open region of as many dimensions as coordinates, and fold the curve."""
    sample = datasets.helix(600)
    maps = compare(six(6), sample.points)
    rings = {name: _roundness(places) for name, places in maps.items()}
    swings = {name: _coils(maps[name]) for name in ("PCA", "kernel PCA")}
    return outcome(
        [
            measured(
                f"{name}: nearest on the map is next on the curve",
                "follows it",
                _order_kept(maps[name]),
                at_least=0.95,
            )
            for name in ("Isomap", "LLE", "Laplacian eigenmaps")
        ],
        [
            measured(
                f"{name}: spread of the radius over its mean", "a ring", rings[name], at_most=0.05
            )
            for name in ("Isomap", "LLE", "Laplacian eigenmaps")
        ],
        [
            measured(
                f"{name}: spread of the radius over its mean",
                "coils seen from above",
                rings[name],
                at_least=0.15,
            )
            for name in swings
        ],
        equal("times that the radius swings", "eight, both", swings, dict.fromkeys(swings, 8.0)),
        measured(
            "Hessian eigenmaps: trustworthiness",
            "no open region of the plane",
            quality.trustworthiness(sample.points, maps["Hessian eigenmaps"]).value,
            at_most=0.9,
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


BY_METHOD = {
    "PCA": 12.0,
    "kernel PCA": 12.0,
    "Isomap": 14.5,
    "LLE": 16.0,
    "Laplacian eigenmaps": 15.5,
    "Hessian eigenmaps": 14.5,
}
FOLLOWS = {
    "PCA": False,
    "kernel PCA": False,
    "Isomap": True,
    "LLE": False,
    "Laplacian eigenmaps": True,
    "Hessian eigenmaps": True,
}


@item(
    "S4.exercise-16.10",
    "Six methods on COIL-20",
    "Exercise 16.10",
    needs=["coil20_32x32"],
    slow=True,
)
def exercise_16_10(coil: Table) -> Outcome:
    """Twenty objects turned through 72 views: each object is a closed curve in pixel space, and
    the graph is disconnected, and the local methods map its components one by one."""
    points, labels = coil["x"].astype(float), coil["y"]
    maps = compare(six(6), points)
    found = graph.find_components(graph.symmetrize(distances.neighbor_graph(points, 6)))
    alone = compare(six(4), points[labels == 1])
    same = {name: share_of_own(places, labels) for name, places in maps.items()}
    chance = 71 / 1439
    return outcome(
        measured("components of the neighbour graph", "several", len(found.sizes), at_least=3),
        measured(
            "same object among five neighbours in pixel space",
            "objects are curves apart",
            share_of_own(points, labels),
            at_least=0.95,
        ),
        [
            measured(
                f"{name}: same object among five neighbours on the map, over chance",
                "objects lie together",
                same[name] / chance,
                at_least=bound,
            )
            for name, bound in BY_METHOD.items()
        ],
        measured(
            "the same, the worst of the nonlinear methods less PCA",
            "nonlinear manifold learning",
            min(same[name] for name in same if "PCA" not in name) - same["PCA"],
            at_least=0.05,
        ),
        measured(
            "the same, LLE less Isomap, which joins the components",
            "a map of each component keeps objects apart",
            same["LLE"] - same["Isomap"],
            at_least=0.05,
        ),
        [
            measured(
                f"one object alone, {name}: nearest on the map is next in angle",
                "a closed curve is followed" if follows else "a closed curve crosses itself",
                _order_kept(alone[name]),
                at_least=0.9 if follows else None,
                at_most=None if follows else 0.85,
            )
            for name, follows in FOLLOWS.items()
        ],
        draw=lambda: panels(maps, labels),
    )


@item("S4.unrolling", "Linear and nonlinear methods on the S-curve", "section 16.6, Figure 16.6")
def unrolling() -> Outcome:
    """The algorithms of 16.6 have outperformed linear techniques when M is highly nonlinear: ten
    S-curves, six methods. Isomap and Hessian eigenmaps recover the flat coordinates, LLE and
    Laplacian eigenmaps the neighbourhoods; a wide Gaussian kernel does what PCA does."""
    samples = [datasets.s_curve(500, seed=shifted(seed)) for seed in range(10)]
    maps = [compare(six(10), sample.points) for sample in samples]
    fits, trust = (
        {
            name: [score(sample, found[name]) for sample, found in zip(samples, maps, strict=True)]
            for name in maps[0]
        }
        for score in (_fit, _trust)
    )
    return outcome(
        [
            mostly(
                f"worst R^2, {name}",
                "outperforms linear techniques",
                fits[name],
                at_least=0.98,
                share=0.8,
            )
            for name in ("Isomap", "Hessian eigenmaps")
        ],
        [
            mostly(f"worst R^2, {name}", "linear techniques", fits[name], at_most=0.93)
            for name in ("PCA", "kernel PCA")
        ],
        [
            mostly(
                f"trustworthiness, {name} less PCA",
                "retains the neighbourhood structure",
                np.subtract(trust[name], trust["PCA"]).tolist(),
                at_least=0.02,
                share=share,
            )
            for name, share in (("LLE", 0.8), ("Laplacian eigenmaps", 0.6))
        ],
        draw=lambda: panels(maps[0], samples[0].color),
    )


def _fit(sample: Any, places: Any) -> float:
    return worst_fit(places, sample.coordinates)


def _trust(sample: Any, places: Any) -> float:
    return quality.trustworthiness(sample.points, places).value
