"""Izenman 2013, section 16.6: where methods fail and where not; six methods on the same data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ... import datasets, distances, graph, paths, quality
from ...methods import LLE, PCA, HessianLLE, Isomap, KernelPCA, LaplacianEigenmaps
from ..checks import Outcome, measured, outcome
from ..comparing import share_of_own, worst_fit
from ..drawing import panels
from ..registry import item
from ..runner import Table


@item("S4.isomap-and-holes", "Isomap has difficulty with holes", "sections 16.6.3 and 16.6.6")
def isomap_and_holes() -> Outcome:
    """Around a hole geodesics are longer than straight lines in the sheet: Isomap widens the hole,
    Hessian eigenmaps, which need local isometry only, do not."""
    whole = datasets.swiss_roll(1500, seed=1)
    torn = datasets.swiss_roll(1500, seed=1, hole=True)
    error = {
        name: quality.disparity(Isomap(2, n_neighbors=10).fit_transform(s.points), s.coordinates)
        for name, s in (("whole", whole), ("torn", torn))
    }
    hessian = HessianLLE(2, n_neighbors=12).fit(torn.points).embedding_
    isomap = Isomap(2, n_neighbors=10).fit(torn.points).embedding_
    return outcome(
        measured(
            "Procrustes error with the hole over without",
            "difficulty with manifolds that contain holes, or are not convex",
            error["torn"] / error["whole"],
            at_least=3.0,
        ),
        measured(
            "worst R^2, Hessian eigenmaps",
            "connected, not convex, is enough",
            worst_fit(hessian, torn.coordinates),
            at_least=0.999,
        ),
        measured(
            "unexplained by Isomap over unexplained by Hessian eigenmaps",
            "the convexity assumption may be too restrictive",
            (1 - worst_fit(isomap, torn.coordinates)) / (1 - worst_fit(hessian, torn.coordinates)),
            at_least=3.0,
        ),
        draw=lambda: panels(
            {"flat": torn.coordinates, "Isomap": isomap, "Hessian": hessian}, torn.color
        ),
    )


@item("S4.isomap-and-short-circuits", "K too large: false connections", "section 16.6.3")
def isomap_and_short_circuits() -> Outcome:
    """One edge between two windings is enough: the sheet folds, and the edge is found by how far
    around its ends are without it."""
    sample = datasets.swiss_roll(1000, seed=4)
    good, bad = (Isomap(2, n_neighbors=k).fit(sample.points) for k in (8, 30))
    found = quality.short_circuits(sample.points, 30)
    windings = np.abs(
        sample.coordinates[found.edges[:, 0], 0] - sample.coordinates[found.edges[:, 1], 0]
    )
    return outcome(
        measured(
            "worst R^2 with 8 neighbours",
            "neither too large",
            worst_fit(good.embedding_, sample.coordinates),
            at_least=0.95,
        ),
        measured(
            "worst R^2 with 30 neighbours",
            "false connections in G",
            worst_fit(bad.embedding_, sample.coordinates),
            at_most=0.8,
        ),
        measured(
            "length along the sheet of the edges that are reported, shortest",
            "false connections",
            float(windings.min()),
            at_least=10.0,
        ),
        draw=lambda: panels({"K = 8": good.embedding_, "K = 30": bad.embedding_}, sample.color),
    )


@item("S4.isomap-and-sparse-graphs", "K too small: paths that wander", "section 16.6.3")
def isomap_and_sparse_graphs() -> Outcome:
    """With too few neighbours the graph falls apart or its paths are far too long."""
    sample = datasets.swiss_roll(1000, seed=4)
    excess = []
    for count in (4, 10):
        joined = graph.symmetrize(distances.neighbor_graph(sample.points, count))
        lengths = paths.geodesic_distances(joined, np.arange(50))
        true = distances.pairwise_distances(sample.coordinates[:50], sample.coordinates)
        far = (true > 10) & np.isfinite(lengths)
        excess.append(float(np.mean(lengths[far] / true[far]) - 1))
    n_components = len(
        graph.find_components(graph.symmetrize(distances.neighbor_graph(sample.points, 2))).sizes
    )
    return outcome(
        measured(
            "excess length with 4 neighbours over that with 10",
            "too sparse to approximate geodesics",
            excess[0] / excess[1],
            at_least=2.0,
        ),
        measured(
            "connected components with 2 neighbours",
            "G becomes too sparse",
            n_components,
            at_least=2,
        ),
    )


@item("S4.isomap-and-noise", "Isomap tolerates moderate noise", "section 16.6.3")
def isomap_and_noise() -> Outcome:
    """Some noise is borne with a good K; noise as large as the gap between windings is not."""
    scores = {}
    for noise in (0.0, 0.3, 3.0):
        sample = datasets.swiss_roll(1500, seed=4, noise=noise)
        scores[noise] = worst_fit(
            Isomap(2, n_neighbors=8).fit_transform(sample.points), sample.coordinates
        )
    return outcome(
        measured("worst R^2 without noise", "unrolled", scores[0.0], at_least=0.97),
        measured(
            "worst R^2 with deviation 0.3", "tolerates moderate amounts", scores[0.3], at_least=0.9
        ),
        measured("worst R^2 with deviation 3", "windings touch", scores[3.0], at_most=0.8),
    )


@item("S4.isomap-and-curvature", "Too much curvature for Isomap", "section 16.6.3")
def isomap_and_curvature() -> Outcome:
    """No flat map of a sphere is isometric: the more of the sphere, the worse the fit."""
    left = []
    for opening in (np.pi / 8, np.pi / 2, np.pi):
        sample = datasets.sphere_patch(800, opening=opening, seed=3)
        model = Isomap(2, n_neighbors=10).fit(sample.points)
        left.append(float(quality.residual_variance(model.geodesics_, model.embedding_).values[1]))
    return outcome(
        measured("1 - R^2 of a small cap", "nearly flat", left[0], at_most=0.01),
        measured("1 - R^2 of the whole sphere", "too much curvature", left[2], at_least=0.1),
        measured(
            "hemisphere over small cap", "grows with curvature", left[1] / left[0], at_least=1.5
        ),
    )


@item("S4.lle-and-shapes", "LLE: non-convex sheets, and holes", "section 16.6.4")
def lle_and_shapes() -> Outcome:
    """A horseshoe-shaped sheet keeps its neighbourhoods. The roll with a hole is not recovered,
    though a hole alone is not what does it: on an S-curve LLE bears one as well as none."""
    bent = datasets.s_curve(1500, seed=1)
    arc, height = (bent.coordinates - [1.5 * np.pi, 2.5]).T
    horseshoe = ~((np.abs(arc) < 2.5) & (height > -1.0))
    pierced = np.hypot(arc, height) > 1.6
    kept = _lle(bent, horseshoe)
    torn = datasets.swiss_roll(1500, seed=1, hole=True)
    lost = LLE(2, n_neighbors=10).fit_transform(torn.points)
    hessian = HessianLLE(2, n_neighbors=10).fit_transform(torn.points)
    return outcome(
        measured(
            "continuity on the non-convex sheet",
            "can successfully embed nonconvex manifolds",
            quality.continuity(bent.coordinates[horseshoe], kept, 10).value,
            at_least=0.97,
        ),
        measured(
            "worst R^2 on the roll with a hole, LLE less Hessian eigenmaps",
            "difficulty with manifolds that contain holes",
            worst_fit(lost, torn.coordinates) - worst_fit(hessian, torn.coordinates),
            at_most=-0.05,
        ),
        measured(
            "worst R^2 on the S-curve with a hole, less without",
            "difficulty, but not with every hole",
            worst_fit(_lle(bent, pierced), bent.coordinates[pierced])
            - worst_fit(_lle(bent, pierced | True), bent.coordinates),
            at_least=-0.05,
        ),
        draw=lambda: panels({"LLE, non-convex": kept, "roll with a hole": lost[: len(kept)]}, None),
    )


def _lle(sample: Any, chosen: Any) -> Any:
    return LLE(2, n_neighbors=12).fit_transform(sample.points[chosen])


@item(
    "S4.lle-and-false-connections", "LLE is less susceptible to false connections", "section 16.6.4"
)
def lle_and_false_connections() -> Outcome:
    """Twelve points moved between two windings are false neighbours of both: they fold Isomap's
    sheet and leave more of LLE's neighbourhoods standing."""
    sample = datasets.swiss_roll(800, seed=5)
    points = sample.points.copy()
    random = np.random.default_rng(3)
    movers = random.choice(800, 12, replace=False)
    points[movers] *= 0.8  # between two windings
    isomap = Isomap(2, n_neighbors=10).fit_transform(points)
    lle = LLE(2, n_neighbors=10).fit_transform(points)
    rest = np.setdiff1d(np.arange(800), movers)
    return outcome(
        measured(
            "neighbours kept by LLE over those kept by Isomap",
            "less susceptible to introducing false connections",
            quality.neighbors_kept(sample.coordinates[rest], lle[rest]).value
            / quality.neighbors_kept(sample.coordinates[rest], isomap[rest]).value,
            at_least=1.0,
        )
    )


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
    the graph is disconnected, and the local methods map its components one by one."""
    points, labels = coil["x"].astype(float), coil["y"]
    maps = compare(six(6), points)
    found = graph.find_components(graph.symmetrize(distances.neighbor_graph(points, 6)))
    one = points[labels == 1]
    alone = Isomap(2, n_neighbors=4).fit_transform(one)
    same = {name: share_of_own(places, labels) for name, places in maps.items()}
    return outcome(
        measured("components of the neighbour graph", "several", len(found.sizes), at_least=3),
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


@item("S4.unrolling", "Linear and nonlinear methods on the S-curve", "section 16.6, Figure 16.6")
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
