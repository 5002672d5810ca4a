"""Izenman 2013, sections 16.3-16.4: curvature, principal curves and surfaces, networks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import datasets
from ..methods import PCA, AutoassociativeNetwork, PrincipalCurve, PrincipalSurface
from .checks import Outcome, equal, measured, mostly, outcome
from .pages import canvas, scatter
from .runner import item, shifted


def _bend(n: int, noise: float, seed: int) -> Any:
    """Return points with X2 a quadratic function of X1, plus normal noise."""
    random = np.random.default_rng(shifted(seed))
    x = random.uniform(-1, 1, n)
    return np.column_stack([x, x**2 + noise * random.normal(size=n)])


@item("S4.curvature", "Speed and curvature of the unit circle and of a parabola", "section 16.3.1")
def curvature() -> Outcome:
    """The unit circle has speed 1 and curvature 1; a straight line has none; radii need not be
    concave functions of arc length, as the parabola shows."""
    angles = np.linspace(0, 2 * np.pi, 401)
    ring = np.column_stack([np.cos(angles[:-1]), np.sin(angles[:-1])])
    circle = PrincipalCurve(closed=True, bias_correction=True).fit(ring)
    along = np.linspace(-1, 1, 50)
    line = PrincipalCurve().fit(np.column_stack([along, 2 * along]))
    x = np.linspace(-1, 1, 401)
    arc = (2 * x * np.sqrt(1 + 4 * x**2) + np.arcsinh(2 * x)) / 4
    radius = (1 + 4 * x**2) ** 1.5 / 2
    bends = np.gradient(np.gradient(radius, arc), arc)[2:-2]
    return outcome(
        measured("speed of the circle", "1", _off(circle.speed(), 1.0), at_most=0.01),
        measured("curvature of the circle", "1", _off(circle.curvature(), 1.0), at_most=0.03),
        measured("length over 2 pi", "1", _off(circle.length_ / (2 * np.pi), 1.0), at_most=0.01),
        measured("curvature of a line", "everywhere zero", _off(line.curvature(), 0), at_most=1e-6),
        measured(
            "second derivative of the parabola's radius of curvature",
            "r(lambda) is concave, d2r <= 0",
            float(bends.min()),
            at_least=1.0,
            erratum="S4-concave-radius",
            claimed=0.0,
        ),
    )


def _off(values: Any, expected: float) -> float:
    return float(np.abs(np.asarray(values) - expected).max())


@item("S4.fig-16.3", "A principal curve through a noisy parabola", "Figure 16.3")
def fig_16_3() -> Outcome:
    """100 points, deviation 0.1: D^2 falls from the first component's to that of the noise.

    The data are random, so twenty draws give the range in which the printed numbers must lie.
    """
    fits = [PrincipalCurve().fit(_bend(100, 0.1, seed)) for seed in range(20)]
    starts = np.array([fit.distances_.sums[0] for fit in fits])
    ends = np.array([fit.distances_.sums.min() for fit in fits])
    points = _bend(100, 0.1, 0)
    return outcome(
        measured(
            "D^2 of the first component (mean of 20 draws)",
            "1023.3",
            float(starts.mean()),
            at_least=8.0,
            at_most=12.0,
            erratum="S4-start-times-n",
            claimed=1023.3,
        ),
        measured(
            "the same, multiplied by n",
            "1023.3 is within three deviations",
            abs(1023.3 - 100 * starts.mean()) / (100 * starts.std(ddof=1)),
            at_most=3.0,
        ),
        measured(
            "D^2 of the principal curve",
            "0.54 is within three deviations",
            abs(0.54 - ends.mean()) / ends.std(ddof=1),
            at_most=3.0,
        ),
        measured(
            "iterations (median)",
            "fifth and final",
            float(np.median([fit.n_iter_ for fit in fits])),
            at_least=3,
            at_most=7,
        ),
        draw=lambda: _first_and_last(points, fits[0]),
    )


def _first_and_last(points: Any, curve: Any) -> Any:
    figure, places = canvas(1, 2)
    line = PCA(1).fit(points)
    drawn = ((line.inverse_transform(line.embedding_), "first"), (curve.vertices_, "last"))
    for axes, (path, name) in zip(places, drawn, strict=True):
        scatter(axes, points, "0.5", f"{name} iteration")
        order = np.argsort(path[:, 0]) if name == "first" else slice(None)
        axes.plot(*path[order].T, color="crimson", lw=1)
    return figure


@item(
    "S4.self-consistency", "Every point of the curve is the mean of what projects there", "eq. 16.7"
)
def self_consistency() -> Outcome:
    """The property that defines a principal curve, and stationarity (16.8) with it, in five draws.
    The first principal component, from which the iteration starts, has neither."""
    draws = [_bend(2000, 0.05, seed) for seed in range(3, 8)]
    curves = [PrincipalCurve(bias_correction=True, span=0.3).fit(points) for points in draws]
    lines = [PCA(1).fit(points) for points in draws]
    error_of_a_mean = 0.05 / np.sqrt(2000 / 10)
    pairs = list(zip(draws, lines, strict=True))
    return outcome(
        mostly(
            "mean of ten stretches, in standard errors of a mean",
            "f(lambda) = E{X | lambda}",
            [float(curve.self_consistency(10).max() / error_of_a_mean) for curve in curves],
            at_most=3.0,
            share=0.8,
        ),
        mostly(
            "the same of the first principal component",
            "not self-consistent",
            [_off_the_means(points, line) / error_of_a_mean for points, line in pairs],
            at_least=50.0,
        ),
        mostly(
            "slope of D^2 under eight smooth changes, largest, as a cosine",
            "0 (16.8)",
            [_slope(points, curve) for points, curve in zip(draws, curves, strict=True)],
            at_most=0.05,
        ),
        mostly(
            "the same of the first principal component",
            "not stationary",
            [_slope(points, line) for points, line in pairs],
            at_least=0.5,
        ),
        mostly(
            "iterations until the relative change is below 0.001",
            "repeated until then, which has not been proved to happen",
            [curve.n_iter_ for curve in curves],
            at_most=curves[0].max_iter - 1,
            share=0.8,
        ),
    )


def _off_the_means(points: Any, model: Any) -> float:
    """Return how far the model is from the mean of ten runs of points along it, at most."""
    missed = points - model.inverse_transform(model.embedding_)
    runs = np.array_split(np.argsort(model.embedding_[:, 0]), 10)
    return float(max(np.linalg.norm(missed[run].mean(axis=0)) for run in runs))


def _slope(points: Any, model: Any) -> float:
    """Return the largest derivative of D^2 (16.8) along g = cos(k pi lambda) in one coordinate.

    It is divided by the lengths of the residuals and of g: the cosine of the angle between them.
    """
    missed = points - model.inverse_transform(model.embedding_)
    places = model.embedding_[:, 0] - model.embedding_.min()
    changes = np.cos(np.pi * np.outer(np.arange(1, 5), places / places.max()))
    slopes = changes @ missed / np.linalg.norm(changes, axis=1, keepdims=True)
    return float(np.abs(slopes).max() / np.linalg.norm(missed))


@item(
    "S4.bias-reduction", "Closed outlines: the ice floes of Banfield and Raftery", "section 16.3.4"
)
def bias_reduction() -> Outcome:
    """A noisy closed outline with outliers: smoothing cuts it short, the correction does not."""
    random = np.random.default_rng(shifted(5))
    angle = random.uniform(0, 2 * np.pi, 400)
    radius = 1 + 0.15 * np.cos(3 * angle)
    outline = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    points = outline + 0.04 * random.normal(size=outline.shape)
    wild = np.vstack([points, random.uniform(-2, 2, size=(20, 2))])
    fine = np.linspace(0, 2 * np.pi, 500)
    truth = (1 + 0.15 * np.cos(3 * fine))[:, None] * np.column_stack([np.cos(fine), np.sin(fine)])
    error = {}
    for name, corrected, robust in (
        ("plain", False, False),
        ("corrected", True, False),
        ("robust", True, True),
    ):
        curve = PrincipalCurve(closed=True, span=0.2, bias_correction=corrected, robust=robust)
        curve.fit(wild if robust else points)
        feet = curve.inverse_transform(curve.transform(truth))
        error[name] = float(np.sqrt(np.square(feet - truth).sum(axis=1).mean()))
    return outcome(
        measured(
            "error with correction over error without",
            "the modification reduces bias",
            error["corrected"] / error["plain"],
            at_most=0.8,
        ),
        measured(
            "error with outliers ignored, in units of the noise",
            "ignore the effect of outliers",
            error["robust"] / 0.04,
            at_most=1.0,
        ),
        draw=lambda: _outline(wild, truth),
    )


def _outline(points: Any, truth: Any) -> Any:
    figure, (axes,) = canvas(size=4.0)
    curve = PrincipalCurve(closed=True, span=0.2, bias_correction=True, robust=True).fit(points)
    scatter(axes, points, "0.6", "closed principal curve")
    axes.plot(*truth.T, color="0.3", lw=0.8, ls=":")
    axes.plot(*curve.vertices_.T, color="crimson", lw=1)
    return figure


@item("S4.principal-surface", "A principal surface of a noisy saddle", "section 16.3.5", slow=True)
def principal_surface() -> Outcome:
    """A smooth surface lowers the residual sum of squares (16.20) far below that of the plane. Its
    projection index (16.18) is the nearest point of the surface, and the points that project to
    one part of it have their mean there (16.19). In three dimensions it works as well."""
    saddle = datasets.saddle(200, noise=0.02, seed=shifted(1)).points
    surface, plane = PrincipalSurface(2).fit(saddle), PCA(2).fit(saddle)
    random = np.random.default_rng(shifted(2))
    near = surface.embedding_ + 0.05 * np.ptp(surface.embedding_) * random.normal(size=(50, 200, 2))
    rivals = [_missed(saddle, surface.inverse_transform(places)) for places in near]
    own = _missed(saddle, surface.inverse_transform(surface.embedding_))
    solid = random.uniform(-1, 1, size=(150, 3))
    bent = np.column_stack([solid, np.square(solid).sum(axis=1)])
    body, flat = PrincipalSurface(3).fit(bent), PCA(3).fit(bent)
    return outcome(
        measured(
            "RSS of the surface over that of the plane",
            "estimated by minimising the residual sum of squares (16.20)",
            _rss(saddle, surface) / _rss(saddle, plane),
            at_most=0.1,
        ),
        measured(
            "distance to the projection over that to 50 places near it on the surface, largest",
            "the nearest point of the surface (16.18)",
            float((own / np.min(rivals, axis=0)).max()),
            at_most=1.0 + 1e-6,
        ),
        measured(
            "mean residual of sixteen parts of the surface over that of the plane, largest of each",
            "f(lambda) = E{X | lambda} (16.19)",
            _off_the_parts(saddle, surface) / _off_the_parts(saddle, plane),
            at_most=0.2,
        ),
        measured(
            "RSS of a three-dimensional surface over that of the linear space",
            "higher dimensions",
            _rss(bent, body) / _rss(bent, flat),
            at_most=0.2,
        ),
    )


def _missed(points: Any, feet: Any) -> Any:
    return np.linalg.norm(points - feet, axis=1)


def _rss(points: Any, model: Any) -> float:
    return float(np.square(_missed(points, model.inverse_transform(model.embedding_))).sum())


def _off_the_parts(points: Any, model: Any) -> float:
    """Return how far the mean of the points of a part is from the model, at most of 4 x 4 parts."""
    left = points - model.inverse_transform(model.embedding_)
    rows = np.array_split(np.argsort(model.embedding_[:, 0]), 4)
    parts = [part for row in rows for part in np.array_split(row[_order(model, row)], 4)]
    return float(max(np.linalg.norm(left[part].mean(axis=0)) for part in parts))


def _order(model: Any, rows: Any) -> Any:
    return np.argsort(model.embedding_[rows, 1])


@item("S4.fig-16.4", "The network 3-4-2-4-3", "Figure 16.4")
def fig_16_4() -> Outcome:
    """Three inputs, four mapping nodes, two bottleneck nodes, four demapping nodes, three outputs:
    trained to return its inputs, it beats PCA on a curved sheet: five draws."""
    sheets = [datasets.s_curve(300, height=2.0, seed=shifted(seed)).points for seed in range(4, 9)]
    shape = AutoassociativeNetwork(2, mapping=(4,), demapping=(4,), random_state=shifted(0))
    networks = [clone(shape).fit(points) for points in sheets]
    planes = [PCA(2).fit(points) for points in sheets]
    sizes = [sheets[0].shape[1], *(len(bias) for bias in networks[0].biases_)]
    return outcome(
        equal("nodes by layer", "3, 4, 2, 4, 3", sizes, [3, 4, 2, 4, 3]),
        mostly(
            "error over that of PCA",
            "outputs are trained to approximate the inputs",
            [
                _left_by(network, points) / _left_by(plane, points)
                for network, plane, points in zip(networks, planes, sheets, strict=True)
            ],
            at_most=0.6,
            share=0.8,
        ),
        draw=lambda: _layers(sizes),
    )


def _left_by(model: Any, points: Any) -> float:
    """Return the sum of squares that a model does not give back."""
    return float(np.square(points - model.inverse_transform(model.embedding_)).sum())


def _layers(sizes: list[int]) -> Any:
    """Draw the network as the book does: a column of nodes for each layer."""
    figure, (axes,) = canvas(size=3.8)
    nodes = [[(x, y - (size - 1) / 2) for y in range(size)] for x, size in enumerate(sizes)]
    for left, right in pairwise(nodes):
        for start in left:
            for end in right:
                axes.plot(*zip(start, end, strict=True), color="0.8", lw=0.6, zorder=1)
    scatter(axes, [node for column in nodes for node in column], "C0", dot=120.0)
    axes.set_axis_off()
    return figure


@item("S4.network-is-pca", "Without mapping layers the network is linear PCA", "section 16.4.1")
def network_is_pca() -> Outcome:
    """With a linear bottleneck and nothing else, the network spans the principal subspace."""
    random = np.random.default_rng(shifted(2))
    points = random.normal(size=(200, 5)) * [3.0, 2.0, 1.0, 0.5, 0.2]
    network = AutoassociativeNetwork(2, mapping=(), demapping=(), random_state=shifted(0)).fit(
        points
    )
    plane = PCA(2).fit(points)
    gap = network.inverse_transform(network.embedding_) - plane.inverse_transform(plane.embedding_)
    return outcome(
        measured(
            "largest difference of the reconstructions",
            "the network corresponds to linear PCA",
            float(np.abs(gap).max()),
            at_most=1e-3,
        )
    )


@item(
    "S4.network-and-circle",
    "A continuous projection index cannot follow a circle",
    "section 16.4.2",
)
def network_and_circle() -> Outcome:
    """One bottleneck node must tear the circle; a closed principal curve follows it.

    A continuous code has the same value at two opposite points somewhere, and what it sends there
    is a radius or more away from one of them: no training helps. Three networks and curves.
    """
    samples = [datasets.circle(300, seed=shifted(seed)).points for seed in (6, 7, 8)]
    networks = [
        AutoassociativeNetwork(1, mapping=(8,), demapping=(8,), random_state=shifted(0)).fit(sample)
        for sample in samples
    ]
    curves = [PrincipalCurve(closed=True, bias_correction=True).fit(sample) for sample in samples]
    angle = 2 * np.pi * np.arange(20_000) / 20_000
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    by_network, by_curve = (
        [float(_missed(circle, m.inverse_transform(m.transform(circle))).max()) for m in models]
        for models in (networks, curves)
    )
    return outcome(
        mostly(
            "largest error of the network, in radii",
            "cannot model curves that intersect themselves, such as the circle",
            by_network,
            at_least=0.99,
        ),
        mostly(
            "largest error of the closed principal curve",
            "modifications now allow closed curves",
            by_curve,
            at_most=0.05,
        ),
        mostly(
            "difference of the codes of two opposite points, least over the range of the codes",
            "the projection index is continuous",
            [_least_gap_of_opposites(network.transform(circle)[:, 0]) for network in networks],
            at_most=0.01,
        ),
        draw=lambda: _torn(samples[0], networks[0]),
    )


def _least_gap_of_opposites(codes: Any) -> float:
    """Return the smallest step between opposite points, as a share of the range of the codes."""
    return float(np.abs(codes - np.roll(codes, len(codes) // 2)).min() / np.ptp(codes))


def _torn(circle: Any, network: Any) -> Any:
    figure, (axes,) = canvas(size=4.0)
    scatter(axes, circle, "0.7", "where the network sends the circle")
    order = np.argsort(network.embedding_[:, 0])
    axes.plot(*network.inverse_transform(network.embedding_)[order].T, color="crimson", lw=1)
    return figure
