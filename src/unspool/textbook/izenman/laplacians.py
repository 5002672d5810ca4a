"""S4 16.6.4-16.6.5: neighbours, the graph Laplacian and what it approximates."""

from __future__ import annotations

import numpy as np

from unspool import LaplacianEigenmaps, datasets, graph, problem, quality, spectrum

from ..outcome import Outcome, equal, measured, outcome
from ..registry import item


@item("S4.neighbour-rules", "Who is a neighbour: K or a radius, either or both", "16.6.4-16.6.5")
def neighbour_rules() -> Outcome:
    """Lists are not symmetric; joining by "either" or by "both" and by radius or its square give
    different graphs. A disconnected graph is treated piece by piece."""
    points = datasets.twin_peaks(400, seed=2, height=2.0).points
    listed = graph.nearest(points, 5)
    either, both = (graph.symmetric(listed, rule) for rule in ("union", "mutual"))
    plain, squared = (
        graph.nearest(points, radius=0.25, squared_radius=is_squared)
        for is_squared in (False, True)
    )
    halves = np.vstack([points[:200], points[200:] + 100.0])
    apart = LaplacianEigenmaps(2, n_neighbors=8, sigma=0.3).fit(halves)
    alone = LaplacianEigenmaps(2, n_neighbors=8, sigma=0.3).fit(halves[:200])
    return outcome(
        measured(
            "edges joined by either over edges joined by both",
            "x_j in N_i if and only if x_i in N_j",
            either.n_edges / both.n_edges,
            at_least=1.2,
            erratum="S4-neighbour-rules",
            claimed=1.0,
        ),
        measured(
            "edges with |x - y|^2 < 0.25 over edges with |x - y| <= 0.25",
            "the same eps",
            squared.n_edges / plain.n_edges,
            at_least=2.0,
            erratum="S4-squared-radius",
            claimed=1.0,
        ),
        equal(
            "pieces",
            "two far halves",
            len(graph.pieces(graph.symmetric(graph.nearest(halves, 8))).sizes),
            2,
        ),
        measured(
            "map of one half against the same half alone",
            "applied separately to each connected subgraph",
            float(np.abs(np.abs(apart.embedding_[:200]) - np.abs(alone.embedding_)).max()),
            at_most=1e-8,
        ),
    )


@item("S4.laplacian", "Laplacian eigenmaps: the graph Laplacian", "(16.46)-(16.49)")
def laplacian() -> Outcome:
    """y'Ly is half the weighted sum of squared differences; D^(-1/2) W D^(-1/2) has largest
    eigenvalue one, and its vectors are those of L v = value D v, read from the other end."""
    points = datasets.s_curve(150, seed=3).points
    joined = graph.symmetric(graph.nearest(points, 7))
    weights = joined.with_weights(np.exp(-(joined.distances**2) / (2 * 0.5**2))).toarray()
    degree = weights.sum(axis=1)
    y = np.random.default_rng(0).normal(size=150)
    pairs = 0.5 * (weights * np.square(y[:, None] - y)).sum()
    scaled = weights / np.sqrt(np.outer(degree, degree))
    values = spectrum.all_values(scaled)
    walk = LaplacianEigenmaps(2, n_neighbors=7, sigma=0.5).fit(points)
    plain = LaplacianEigenmaps(2, n_neighbors=7, sigma=0.5, laplacian="unnormalized").fit(points)
    return outcome(
        measured(
            "y'Ly over half the double sum, less one",
            "0",
            abs(y @ (degree * y - weights @ y) / pairs - 1),
            at_most=1e-12,
        ),
        measured(
            "largest eigenvalue of D^(-1/2) W D^(-1/2) less one",
            "0",
            abs(float(values[0]) - 1),
            at_most=1e-12,
        ),
        measured(
            "its smallest eigenvalue",
            "the smallest eigenvalue is zero",
            float(values[-1]),
            at_most=-0.1,
            erratum="S4-smallest-is-largest",
            claimed=0.0,
        ),
        measured(
            "1 - next values against those of L v = value D v",
            "equivalently, the eigenvalues of D^(-1/2) W D^(-1/2)",
            float(np.abs(1 - values[1:3] - walk.eigenvalues_).max()),
            at_most=1e-10,
        ),
        measured(
            "Y D Y' less identity",
            "I (16.48)",
            float(
                np.abs((walk.embedding_ * degree[:, None]).T @ walk.embedding_ - np.eye(2)).max()
            ),
            at_most=1e-9,
        ),
        measured(
            "left over between the maps of L and of (L, D)",
            "both are called Laplacian eigenmaps",
            quality.disparity(plain.embedding_, walk.embedding_),
            at_least=1e-4,
            erratum="S4-unnormalised",
            claimed=0.0,
        ),
    )


@item("S4.laplace-beltrami", "The graph Laplacian approximates Laplace-Beltrami", "16.6.5")
def laplace_beltrami() -> Outcome:
    """On a circle of circumference one, f = cos(2 pi s) is an eigenfunction with value (2 pi)^2.

    What the operator does to constants is taken off, as D - W does.
    """
    n, t = 1000, 5e-4
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) / (2 * np.pi)
    operator = problem.laplace_operator(graph.nearest(circle, radius=8 * np.sqrt(t)), t, 1)
    f = np.cos(angle)
    applied = operator @ f - f * (operator @ np.ones(n))
    return outcome(
        measured(
            "f' L f over (2 pi)^2 f' f, less one",
            "an approximation to the continuous operator",
            abs(-(f @ applied) / (f @ f) / (2 * np.pi) ** 2 - 1),
            at_most=0.03,
        ),
        measured(
            "L f across f, over L f",
            "f is an eigenfunction",
            float(np.linalg.norm(applied - f * (f @ applied) / (f @ f)) / np.linalg.norm(applied)),
            at_most=1e-9,
        ),
    )
