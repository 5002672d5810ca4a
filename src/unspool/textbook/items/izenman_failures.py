"""S4 16.6: where the text says that a method fails, or does not, measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, distances, graph, paths, quality
from ...methods import LLE, HessianLLE, Isomap
from ..comparing import worst_fit
from ..drawing import panels
from ..outcome import Outcome, measured, outcome
from ..registry import item


@item("S4.isomap-and-holes", "Isomap has difficulty with holes", "16.6.3, 16.6.6")
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


@item("S4.isomap-and-short-circuits", "K too large: false connections", "16.6.3")
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


@item("S4.isomap-and-sparse-graphs", "K too small: paths that wander", "16.6.3")
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
    pieces = len(
        graph.find_components(graph.symmetrize(distances.neighbor_graph(sample.points, 2))).sizes
    )
    return outcome(
        measured(
            "excess length with 4 neighbours over that with 10",
            "too sparse to approximate geodesics",
            excess[0] / excess[1],
            at_least=2.0,
        ),
        measured("pieces with 2 neighbours", "G becomes too sparse", pieces, at_least=2),
    )


@item("S4.isomap-and-noise", "Isomap tolerates moderate noise", "16.6.3")
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


@item("S4.isomap-and-curvature", "Too much curvature for Isomap", "16.6.3")
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


@item("S4.lle-and-shapes", "LLE: non-convex sheets, and holes", "16.6.4")
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


@item("S4.lle-and-false-connections", "LLE is less susceptible to false connections", "16.6.4")
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
