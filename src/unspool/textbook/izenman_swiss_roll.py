"""Izenman 2013, sections 16.6.1-16.6.3: manifolds, Isomap and landmark Isomap on the Swiss roll."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np

from .. import datasets, dimension, distances, graph, paths, plot, quality
from ..methods import LLE, LTSA, HessianLLE, Isomap, LandmarkIsomap, LaplacianEigenmaps
from .checks import Outcome, equal, gap, measured, outcome, printed
from .pages import canvas, in_space, lines
from .runner import Table, item, shifted

ROLL = "swiss_roll_isomap"
FIRST = 50  # the landmarks of the book: the first points of the file


@item("S4.fig-16.6", "The S-curve, 2,000 points", "Figure 16.6")
def fig_16_6() -> Outcome:
    """Two three-quarter circles, 5 wide: inside the axes of the figure, and two-dimensional."""
    sample = datasets.s_curve(2000, seed=shifted(0))
    low, high = sample.points.min(axis=0), sample.points.max(axis=0)
    return outcome(
        printed("points", "2,000", len(sample.points)),
        measured("extent of the first axis", "-1 to 1", float(high[0] - low[0]), at_most=2.0),
        measured("extent of the second axis", "0 to 5", float(high[1] - low[1]), at_most=5.0),
        measured(
            "intrinsic dimension",
            "a two-dimensional S-shaped manifold",
            dimension.levina_bickel(sample.points).value,
            at_least=1.8,
            at_most=2.2,
        ),
        draw=lambda: in_space({"S-curve": sample.points}, [sample.color]),
    )


def _off_the_spiral(points: Any) -> float:
    """Return how much radius and angle differ, at most: on the roll they are equal."""
    radius = np.hypot(points[:, 0], points[:, 1])
    angle = np.arctan2(points[:, 1], points[:, 0])
    return float(np.abs((radius - angle + np.pi) % (2 * np.pi) - np.pi).max())


@item(
    "S4.fig-16.7", "The Swiss roll, 20,000 points", "Figure 16.7, footnotes 3 and 4", needs=[ROLL]
)
def fig_16_7(roll: Table) -> Outcome:
    """The file of the Isomap site: radius equals angle, so it is a roll and no S; 50 high."""
    points = roll["x"]
    reach = np.hypot(points[:, 0], points[:, 1])
    footnote = datasets.swiss_roll(2000, ranges="izenman", seed=shifted(0)).points
    return outcome(
        printed("points", "20,000", len(points)),
        measured(
            "radius less angle, largest",
            "20,000 points on a two-dimensional S-shaped curve",
            _off_the_spiral(points),
            at_most=1e-6,
            erratum="S4-s-shaped",
            claimed=_off_the_spiral(datasets.s_curve(2000, seed=shifted(0)).points[:, [0, 2, 1]]),
        ),
        measured(
            "height of the file over that of the footnote's roll",
            "the roll of footnote 3",
            float(np.ptp(points[:, 2]) / np.ptp(footnote[:, 2])),
            at_least=3.0,
            erratum="S4-two-rolls",
            claimed=1.0,
        ),
        measured("reach across", "axes from -15 to 20", float(reach.max()), at_most=15.0),
        draw=lambda: in_space({"Swiss roll": points[::10]}, [roll["t"][::10, 0]], elevation=65.0),
    )


@item("S4.fig-16.8", "Isomap's dimensionality plot", "Figure 16.8", needs=[ROLL])
def fig_16_8(roll: Table) -> Outcome:
    """1 - R_t^2 for t = 1..10 on the first 1,000 points with K = 7: an elbow at two."""
    points = roll["x"][:1000]
    model = Isomap(10, n_neighbors=7).fit(points)
    left = quality.residual_variance(model.geodesics_, model.embedding_)
    return outcome(
        equal("elbow", "correctly shows t = 2", int(dimension.elbow(left).value), 2),
        measured(
            "1 - R^2 at t = 1", "0.12 to 0.13", float(left.values[0]), at_least=0.12, at_most=0.13
        ),
        measured("1 - R^2 at t = 2", "near zero", float(left.values[1]), at_most=0.005),
        measured(
            "spread of 1 - R^2 from t = 2 to 10",
            "the plot stays level",
            float(np.ptp(left.values[1:])),
            at_most=0.001,
        ),
        draw=lambda: _plot(left.at, {"Isomap": left.values}),
    )


def _plot(at: Any, curves: dict[str, Any]) -> Any:
    figure, (axes,) = canvas(size=4.0)
    lines(axes, at, curves, "dimensionality plot", "dimension", "lack of fit")
    return figure


def _reach(places: Any) -> Any:
    return np.abs(places).max(axis=0)


@item("S4.fig-16.9", "Isomap with its neighbour graph", "Figure 16.9", needs=[ROLL])
def fig_16_9(roll: Table) -> Outcome:
    """The two-dimensional map fills the axes of the figure and is the flat sheet of the file."""
    points = roll["x"][:1000]
    model = Isomap(2, n_neighbors=7).fit(points)
    reach = _reach(model.embedding_)
    joined = graph.symmetrize(distances.neighbor_graph(points, 7))
    return outcome(
        measured("reach of the first axis", "60", float(reach[0]), at_least=40.0, at_most=60.0),
        measured("reach of the second axis", "30", float(reach[1]), at_least=20.0, at_most=30.0),
        equal(
            "connected components of the graph", "one", len(graph.find_components(joined).sizes), 1
        ),
        measured(
            "R^2 of the flat coordinates, smaller",
            "the roll is unrolled",
            float(quality.explained_by(model.embedding_, roll["t"][:1000]).min()),
            at_least=0.99,
        ),
        draw=lambda: _net(
            model.embedding_, joined, roll["t"][:1000, 0], "Isomap, n = 1,000, K = 7"
        ),
    )


def _net(places: Any, joined: Any, color: Any, title: str) -> Any:
    return plot.neighbor_graph(places, joined, color, title=title)


def _by_landmarks(points: Any, count: int, scaling: Literal["distance", "svd"]) -> Any:
    return LandmarkIsomap(count, n_neighbors=7, landmarks=np.arange(FIRST), scaling=scaling).fit(
        points
    )


@item("S4.fig-16.10", "Landmark Isomap, 1,000 points", "Figure 16.10", needs=[ROLL])
def fig_16_10(roll: Table) -> Outcome:
    """50 landmarks: the same sheet, smaller by (m/n)^(1/4), because IsomapII scales it so."""
    points = roll["x"][:1000]
    as_printed, faithful = (_by_landmarks(points, 2, how) for how in ("svd", "distance"))
    full = Isomap(2, n_neighbors=7).fit(points)
    shrunk = np.sqrt(as_printed.embedding_.var() / faithful.embedding_.var())
    reach = _reach(as_printed.embedding_)
    left = _lack_of_fit(points)
    return outcome(
        measured("reach of the first axis", "25", float(reach[0]), at_least=20.0, at_most=25.0),
        measured("reach of the second axis", "15", float(reach[1]), at_least=10.0, at_most=15.0),
        measured(
            "shrinking over (m/n)^(1/4)",
            "the main differences are roundoff and a rotation",
            float(shrunk / (FIRST / 1000) ** 0.25),
            at_least=0.95,
            at_most=1.05,
            erratum="S4-landmark-scale",
            claimed=(FIRST / 1000) ** -0.25,
        ),
        measured(
            "left over between both maps after motion and scale",
            "the same map up to that",
            quality.disparity(as_printed.embedding_, full.embedding_),
            at_most=0.01,
        ),
        equal("elbow", "at t = 2", int(dimension.elbow(left).value), 2),
        draw=lambda: _net(
            as_printed.embedding_,
            graph.symmetrize(distances.neighbor_graph(points, 7)),
            roll["t"][:1000, 0],
            "Landmark Isomap, n = 1,000",
        ),
    )


def _lack_of_fit(points: Any) -> Any:
    model = _by_landmarks(points, 10, "svd")
    return quality.residual_variance(model.geodesics_.T, model.embedding_, model.landmarks_)


@item("S4.fig-16.11", "Landmark Isomap, all 20,000 points", "Figure 16.11", needs=[ROLL])
def fig_16_11(roll: Table) -> Outcome:
    """All points of the file in seconds; the text calls full Isomap of them too big."""
    points, flat = roll["x"], roll["t"]
    began = time.perf_counter()
    model = _by_landmarks(points, 2, "svd")
    seconds = time.perf_counter() - began
    reach = _reach(model.embedding_)
    left = _lack_of_fit(points)
    return outcome(
        measured("reach of the first axis", "15", float(reach[0]), at_least=10.0, at_most=15.0),
        measured("reach of the second axis", "6", float(reach[1]), at_least=5.0, at_most=6.0),
        equal("elbow", "again correctly at t = 2", int(dimension.elbow(left).value), 2),
        measured("1 - R^2 at t = 2", "near zero", float(left.values[1]), at_most=0.002),
        measured(
            "R^2 of the flat coordinates, smaller",
            "the roll is unrolled",
            float(quality.explained_by(model.embedding_, flat).min()),
            at_least=0.999,
        ),
        measured("seconds", "a significant increase in speed", seconds, at_most=60.0),
        draw=lambda: _net(
            model.embedding_,
            graph.symmetrize(distances.neighbor_graph(points, 7)),
            flat[:, 0],
            "Landmark Isomap, n = 20,000",
        ),
    )


@item("S4.all-points", "Isomap of all 20,000 points", "section 16.6.3", needs=[ROLL], slow=True)
def all_points(roll: Table) -> Outcome:
    """What "proves to be computationally too big" in the text: every geodesic, exactly."""
    model = Isomap(2, n_neighbors=7).fit(roll["x"])
    return outcome(
        measured(
            "R^2 of the flat coordinates, smaller",
            "computationally too big",
            float(quality.explained_by(model.embedding_, roll["t"]).min()),
            at_least=0.9995,
        ),
        measured(
            "reach of the first axis",
            "50: half the sheet of 100",
            _reach(model.embedding_)[0],
            at_least=49,
            at_most=56,
        ),
    )


@item("S4.isometry", "Geodesics are straight in flat coordinates, not in space", "eqs. 16.35-16.36")
def isometry() -> Outcome:
    """On the roll the way along the sheet is the distance of the flat coordinates; straight
    through space it is much shorter for most pairs."""
    sample = datasets.swiss_roll(1500, seed=shifted(2))
    along = paths.geodesic_distances(graph.symmetrize(distances.neighbor_graph(sample.points, 8)))
    flat = distances.pairwise_distances(sample.coordinates, sample.coordinates)
    straight = distances.pairwise_distances(sample.points, sample.points)
    pairs = flat > 30  # a turn of the roll or more
    return outcome(
        measured(
            "graph length over flat distance, median",
            "1 (16.50)",
            float(np.median(along[pairs] / flat[pairs])),
            at_least=0.99,
            at_most=1.08,
        ),
        measured(
            "straight distance over geodesic distance, median",
            "1: d_M(y, y') = |x - x'| in input space",
            float(np.median(straight[pairs] / flat[pairs])),
            at_most=0.7,
            erratum="S4-isometry",
            claimed=1.0,
        ),
    )


@item(
    "S4.convergence",
    "Graph distances converge to geodesic ones",
    "section 16.6.3, Bernstein et al.",
)
def convergence() -> Outcome:
    """On a flat manifold the error of d_G falls as n grows, with K growing slowly."""
    errors = []
    for n, count in ((250, 6), (1000, 8), (4000, 12)):
        sample = datasets.swiss_roll(n, seed=shifted(3), ranges="isomap")
        joined = graph.symmetrize(distances.neighbor_graph(sample.points, count))
        found = paths.geodesic_distances(joined, np.arange(100))
        true = distances.pairwise_distances(sample.coordinates[:100], sample.coordinates)
        far = true > 10
        errors.append(float(np.mean(np.abs(found[far] / true[far] - 1))))
    return outcome(
        measured(
            "mean error, n = 4,000 over n = 250",
            "d_G converges",
            errors[2] / errors[0],
            at_most=0.5,
        ),
        measured(
            "mean error, n = 4,000 over n = 1,000",
            "d_G converges",
            errors[2] / errors[1],
            at_most=0.9,
        ),
        measured("mean error at n = 4,000", "tends to zero", errors[2], at_most=0.035),
        draw=lambda: _errors(errors),
    )


def _errors(errors: list[float]) -> Any:
    figure, (axes,) = canvas(size=3.6)
    lines(axes, [250, 1000, 4000], {"error": errors}, "d_G against d_M", "n", "mean relative error")
    axes.set_xscale("log")
    return figure


@item("S4.shortest-paths", "Floyd's algorithm and Dijkstra's", "section 16.6.3, step 2")
def shortest_paths() -> Outcome:
    """All pairs by Floyd's three loops, by elimination, which is Floyd's algorithm in an order that
    keeps a sparse graph sparse, and by Dijkstra's; landmarks need the rows of Dijkstra's only.
    Which of the two is faster is chosen by the graph, and told."""
    points = datasets.swiss_roll(200, seed=shifted(5)).points
    joined = graph.symmetrize(distances.neighbor_graph(points, 8))
    expected = _floyd(joined.with_weights(joined.distances).toarray())
    by_name = {
        name: paths.prepare_paths(joined, algorithm=name) for name in ("elimination", "dijkstra")
    }
    landmarks = np.arange(0, 200, 20)
    few = paths.prepare_paths(joined, algorithm="dijkstra").rows(landmarks)
    return outcome(
        [
            measured(
                f"{name} against three loops, over the longest",
                "the shortest path between every pair of vertices",
                gap(found.rows(), expected),
                at_most=1e-12,
            )
            for name, found in by_name.items()
        ],
        measured(
            "rows of ten landmarks against those of all, over the longest",
            "distances between each of the n points and the landmarks",
            gap(few, expected[landmarks]),
            at_most=1e-12,
        ),
        equal(
            "algorithms that were asked for and that ran",
            "named",
            {name: found.solver.name for name, found in by_name.items()},
            {name: name for name in by_name},
        ),
        equal(
            "algorithm of choice is one of the two",
            "chosen",
            paths.prepare_paths(joined).solver.name in by_name,
            True,
        ),
    )


def _floyd(weights: Any) -> Any:
    """Return all shortest paths of a dense table, in which 0 off the diagonal is no edge."""
    lengths = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(lengths, 0.0)
    for through in range(len(lengths)):
        lengths = np.minimum(lengths, lengths[:, through, None] + lengths[through])
    return lengths


@item("S4.copies", "Points that occur twice", "section 16.6.3, step 1")
def copies() -> Outcome:
    """The nearest of a copied point is its copy, at distance zero, and never itself; the geodesics
    are those without copies, and each copy lies where the other does."""
    points = datasets.swiss_roll(300, seed=shifted(7)).points
    twice = np.repeat(points, 2, axis=0)
    near = distances.neighbor_graph(twice, 13)
    once, both = Isomap(2, n_neighbors=6).fit(points), Isomap(2, n_neighbors=6).fit(twice)
    methods = (LLE, LTSA, HessianLLE, LaplacianEigenmaps)
    maps = [method(2, n_neighbors=8).fit_transform(twice) for method in methods]
    return outcome(
        equal(
            "points among their own neighbours", "none", int((near.neighbors == near.rows).sum()), 0
        ),
        equal("edges of length zero", "one a point", int((near.distances == 0).sum()), 600),
        measured(
            "geodesics with copies against those without",
            "the same",
            gap(both.geodesics_[::2, ::2], once.geodesics_),
            at_most=1e-12,
        ),
        [
            measured(
                f"{method.__name__}: copies apart, over the extent of the map",
                "in one place",
                float(np.abs(places[::2] - places[1::2]).max() / np.ptp(places)),
                at_most=0.0,
            )
            for method, places in zip(methods, maps, strict=True)
        ],
    )
