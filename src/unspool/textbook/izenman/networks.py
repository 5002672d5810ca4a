"""S4 16.4: autoassociative networks."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from unspool import PCA, AutoassociativeNetwork, PrincipalCurve, datasets

from ..drawing import canvas, scatter
from ..outcome import Outcome, equal, measured, outcome
from ..registry import item


@item("S4.fig-16.4", "The network 3-4-2-4-3", "Figure 16.4")
def fig_16_4() -> Outcome:
    """Three inputs, four mapping nodes, two bottleneck nodes, four demapping nodes, three outputs:
    trained to return its inputs, it beats PCA on a curved sheet."""
    points = datasets.s_curve(300, height=2.0, seed=4).points
    network = AutoassociativeNetwork(2, mapping=(4,), demapping=(4,)).fit(points)
    plane = PCA(2).fit(points)
    missed = np.square(points - plane.inverse_transform(plane.embedding_)).sum()
    left = np.square(points - network.inverse_transform(network.embedding_)).sum()
    sizes = [points.shape[1], *(len(bias) for bias in network.biases_)]
    return outcome(
        equal("nodes by layer", "3, 4, 2, 4, 3", sizes, [3, 4, 2, 4, 3]),
        measured(
            "error over that of PCA",
            "outputs are trained to approximate the inputs",
            float(left / missed),
            at_most=0.5,
        ),
        draw=lambda: _layers(sizes),
    )


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


@item("S4.network-is-pca", "Without mapping layers the network is linear PCA", "16.4.1")
def network_is_pca() -> Outcome:
    """With a linear bottleneck and nothing else, the network spans the principal subspace."""
    random = np.random.default_rng(2)
    points = random.normal(size=(200, 5)) * [3.0, 2.0, 1.0, 0.5, 0.2]
    network = AutoassociativeNetwork(2, mapping=(), demapping=()).fit(points)
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


@item("S4.network-and-circle", "A continuous projection index cannot follow a circle", "16.4.2")
def network_and_circle() -> Outcome:
    """One bottleneck node must tear the circle; a closed principal curve follows it.

    The best that a continuous code can do is to cut the circle and to squeeze all of it into the
    cut: between two of the fitted points there are points of the circle with an error of its size.
    """
    sample = datasets.circle(300, seed=6).points
    network = AutoassociativeNetwork(1, mapping=(8,), demapping=(8,)).fit(sample)
    curve = PrincipalCurve(closed=True, bias_correction=True).fit(sample)
    angle = np.linspace(0, 2 * np.pi, 20_001)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    by_network, by_curve = (
        np.linalg.norm(circle - model.inverse_transform(model.transform(circle)), axis=1)
        for model in (network, curve)
    )
    return outcome(
        measured(
            "largest error of the network, in radii",
            "cannot model curves that intersect themselves, such as the circle",
            float(by_network.max()),
            at_least=1.0,
        ),
        measured(
            "largest error of the closed principal curve",
            "modifications now allow closed curves",
            float(by_curve.max()),
            at_most=0.05,
        ),
        measured(
            "neighbours on the circle with the farthest codes, over the range of the codes",
            "one node: the code must jump somewhere",
            _widest_jump(sample, network.embedding_[:, 0]),
            at_least=0.5,
        ),
        draw=lambda: _torn(sample, network),
    )


def _widest_jump(circle: Any, codes: Any) -> float:
    """Return the largest step of the codes around the circle, as a share of their range."""
    around = codes[np.argsort(np.arctan2(circle[:, 1], circle[:, 0]))]
    steps = np.abs(np.diff(around, append=around[0]))
    return float(steps.max() / np.ptp(codes))


def _torn(circle: Any, network: Any) -> Any:
    figure, (axes,) = canvas(size=4.0)
    scatter(axes, circle, "0.7", "where the network sends the circle")
    order = np.argsort(network.embedding_[:, 0])
    axes.plot(*network.inverse_transform(network.embedding_)[order].T, color="crimson", lw=1)
    return figure
