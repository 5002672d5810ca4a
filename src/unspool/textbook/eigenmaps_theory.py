"""Gulcu 2011, slides on Belkin and Niyogi 2001: Laplacian eigenmaps and their justification."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, graph, problem
from ..methods import LaplacianEigenmaps
from .checks import Outcome, gap, measured, outcome
from .runner import item, shifted


def _graph_of(points: Any, count: int = 8, t: float = 1.0) -> Any:
    joined = graph.symmetrize(distances.neighbor_graph(points, count))
    return joined.with_weights(np.exp(-(joined.distances**2) / t)).toarray()


@item("S2.algorithm", "Three steps: graph, weights, eigenmaps", "the algorithm, steps 1-3")
def algorithm() -> Outcome:
    """Either kind of neighbourhood, heat or simple-minded weights: L y = lambda D y, the trivial
    vector left out, each connected part on its own. A wide heat kernel is the simple-minded one."""
    points = datasets.s_curve(200, seed=shifted(21)).points
    nearest = LaplacianEigenmaps(2, n_neighbors=8, t=1.0).fit(points)
    weights = _graph_of(points)
    degree = weights.sum(axis=1)
    left = degree[:, None] * nearest.embedding_ - weights @ nearest.embedding_
    ball = LaplacianEigenmaps(2, radius=1.5, squared_radius=True, weights="binary").fit(points)
    wide = LaplacianEigenmaps(2, radius=1.5, squared_radius=True, t=1e9).fit(points)
    far = np.vstack([points, points + 50.0])
    apart = LaplacianEigenmaps(2, n_neighbors=8, t=1.0).fit(far)
    return outcome(
        measured(
            "L y less lambda D y",
            "0 (1)",
            float(np.abs(left - degree[:, None] * nearest.embedding_ * nearest.eigenvalues_).max()),
            at_most=1e-12,
        ),
        measured(
            "smallest value kept",
            "the trivial eigenvector is ignored",
            float(nearest.eigenvalues_.min()),
            at_least=1e-6,
        ),
        measured(
            "heat kernel with t = 10^9 against weights of one",
            "no parameter t in this case",
            float(np.abs(ball.embedding_ - wide.embedding_).max()),
            at_most=1e-6,
        ),
        measured(
            "one part of two against the part alone",
            "for each connected part of the graph",
            float(np.abs(np.abs(apart.embedding_[:200]) - np.abs(nearest.embedding_)).max()),
            at_most=1e-8,
        ),
    )


@item("S2.objective", "What the map minimises", "Justification, eqs. 2-5")
def objective() -> Outcome:
    """The double sum of squared differences is 2 y'Ly, for one coordinate and for several."""
    points = datasets.s_curve(150, seed=shifted(22)).points
    weights = _graph_of(points)
    operator = np.diag(weights.sum(axis=1)) - weights
    random = np.random.default_rng(shifted(0))
    y, many = random.normal(size=150), random.normal(size=(150, 3))
    single = (weights * np.square(y[:, None] - y)).sum()
    several = (weights * distances.pairwise_squared_distances(many, many)).sum()
    return outcome(
        measured(
            "double sum over 2 y'Ly, less one",
            "(2)",
            abs(single / (2 * y @ operator @ y) - 1),
            at_most=1e-12,
        ),
        measured(
            "double sum over tr(Y'LY), m = 3",
            "1",
            float(several / np.trace(many.T @ operator @ many)),
            at_least=2 - 1e-9,
            at_most=2 + 1e-9,
            erratum="S2-trace",
            claimed=1.0,
        ),
        measured(
            "least y'Ly of 100 random y",
            "positive semidefinite",
            float(min(v @ operator @ v for v in random.normal(size=(100, 150)))),
            at_least=0.0,
        ),
    )


@item("S2.theorem-1", "The minimiser is the smallest non-trivial eigenvector", "Theorems 1 and 2")
def theorem_1() -> Outcome:
    """Among vectors with y'D1 = 0 and y'Dy = 1 none costs less than lambda_1, which the map costs;
    with m coordinates the cost is the sum of the m smallest."""
    points = datasets.s_curve(150, seed=shifted(23)).points
    weights = _graph_of(points)
    degree = weights.sum(axis=1)
    operator = np.diag(degree) - weights
    model = LaplacianEigenmaps(3, n_neighbors=8, t=1.0).fit(points)
    y = model.embedding_
    rivals = np.random.default_rng(shifted(1)).normal(size=(150, 500))
    rivals -= degree @ rivals / degree.sum()
    rivals /= np.sqrt((degree[:, None] * rivals**2).sum(axis=0))
    costs = np.einsum("ij,ik,kj->j", rivals, operator, rivals)
    return outcome(
        measured(
            "cost of the first coordinate over its eigenvalue, less one",
            "lambda_min",
            abs(float(y[:, 0] @ operator @ y[:, 0]) / model.eigenvalues_[0] - 1),
            at_most=1e-9,
        ),
        measured(
            "the same over the least of 500 rivals",
            "the minimum (4)",
            float(model.eigenvalues_[0] / costs.min()),
            at_most=1.0,
        ),
        measured(
            "tr(Y'LY) over the sum of three values, less one",
            "Theorem 2",
            abs(float(np.trace(y.T @ operator @ y)) / model.eigenvalues_.sum() - 1),
            at_most=1e-9,
        ),
        measured(
            "Y'DY less I",
            "prevents a collapse (5)",
            float(np.abs((degree[:, None] * y).T @ y - np.eye(3)).max()),
            at_most=1e-10,
        ),
    )


def _circle(n: int) -> tuple[Any, Any]:
    """Return n points of a circle of circumference one, and their places along it."""
    s = np.arange(n) / n
    return np.column_stack([np.cos(2 * np.pi * s), np.sin(2 * np.pi * s)]) / (2 * np.pi), s


def _heat_step(points: Any, t: float) -> Any:
    """Return H_t = 1 + t L with the operator L of (10), and with the weight of a point itself,
    which the sum in (10) leaves out."""
    near = distances.neighbor_graph(points, radius=8 * np.sqrt(t))
    one, own = np.eye(len(points)), (4 * np.pi * t) ** -0.5 / len(points)
    return one + t * problem.laplace_operator(near, t, 1).toarray() + own * one


@item("S2.heat-kernel", "Heat flow, its kernel and the discrete Laplacian", "eqs. 8-10")
def heat_kernel() -> Outcome:
    """On a circle of length one, with the operator L of (10): H_t = 1 + t L solves the heat
    equation, tends to a delta, and two short steps are one long one; L f tends to -(2 pi)^2 f for
    f = cos(2 pi s). On a circle twice as long the weights of a point add up to one half, not one.
    """
    t = 4e-4
    points, s = _circle(1000)
    f = np.cos(2 * np.pi * s)
    heat, double = _heat_step(points, t), _heat_step(points, 2 * t)
    decay = (heat @ f) @ f / (f @ f)
    near = distances.neighbor_graph(points, radius=8 * np.sqrt(t))
    operator = problem.laplace_operator(near, t, 1)
    plain = operator @ f - f * (operator @ np.ones(1000))
    sharp = [float(np.abs(_heat_step(points, u) @ f - f).max()) for u in (4 * t, t)]
    return outcome(
        measured(
            "H_t f over exp(-(2 pi)^2 t) f, less one",
            "the solution of the heat equation",
            abs(decay / np.exp(-((2 * np.pi) ** 2) * t) - 1),
            at_most=5e-3,
        ),
        measured(
            "H_t H_t against H_2t, over the largest entry",
            "heat flows on",
            gap(heat @ heat, double),
            at_most=2e-2,
        ),
        measured(
            "H_t f less f, t = 4e-4 over t = 16e-4",
            "tends to f as t tends to 0",
            sharp[1] / sharp[0],
            at_most=0.3,
        ),
        measured(
            "L f over -(2 pi)^2 f, less one",
            "(10)",
            abs(float(plain @ f / (f @ f)) / -((2 * np.pi) ** 2) - 1),
            at_most=0.02,
        ),
        measured(
            "weights of a point, circle of length one",
            "1",
            float(heat.sum(axis=1).max()),
            at_least=0.99,
            at_most=1.01,
        ),
        measured(
            "weights of a point, circle of length two",
            "1",
            float(_heat_step(2 * points, t).sum(axis=1).max()),
            at_least=0.49,
            at_most=0.51,
            erratum="S2-volume",
            claimed=1.0,
        ),
    )


@item("S2.convergence", "Graph eigenvalues tend to those of the manifold", "eqs. 7 and 10")
def convergence() -> Outcome:
    """Circle: 1, 1, 4, 4 in units of the first; sphere: three times l(l + 1) = 2, then five 6s."""
    points, _ = _circle(400)
    ring = LaplacianEigenmaps(4, n_neighbors=6, weights="binary").fit(points)
    golden = np.pi * (1 + np.sqrt(5)) * np.arange(1500)
    height = 1 - (2 * np.arange(1500) + 1) / 1500
    ball = np.column_stack(
        [np.sqrt(1 - height**2) * np.cos(golden), np.sqrt(1 - height**2) * np.sin(golden), height]
    )
    sphere = LaplacianEigenmaps(8, radius=0.25, t=0.01).fit(ball)
    ratios = sphere.eigenvalues_ / sphere.eigenvalues_[:3].mean()
    return outcome(
        measured(
            "circle: values over 1, 1, 4, 4, worst",
            "j^2",
            float(np.abs(ring.eigenvalues_ / ring.eigenvalues_[0] / [1, 1, 4, 4] - 1).max()),
            at_most=0.01,
        ),
        measured(
            "sphere: first three values, spread",
            "2, three times",
            float(np.ptp(ratios[:3])),
            at_most=0.02,
        ),
        measured(
            "sphere: next five over the first three, worst from 3",
            "6 / 2",
            float(np.abs(ratios[3:8] - 3).max()),
            at_most=0.15,
        ),
    )
