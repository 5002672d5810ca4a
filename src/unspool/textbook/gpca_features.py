"""Vidal, Ma, Sastry 2016, section 4.1: PCA of explicit features, from saddle to subspaces."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from .. import datasets, kernel, quality
from ..methods import PCA, FeatureMapPCA, Isomap, KernelPCA, LaplacianEigenmaps, PolynomialPCA
from .checks import Outcome, equal, follows, measured, mostly, off_by_signs, outcome, worst_fit
from .pages import in_space, panels
from .runner import item, shifted


@item("S0.fig-4.1", "The saddle x3 = x1^2 - x2^2", "Figure 4.1")
def fig_4_1() -> Outcome:
    """A two-dimensional surface in space: its equation is found, and a plane map keeps its
    neighbourhoods."""
    sample = datasets.saddle(800, seed=shifted(0))
    equation = PolynomialPCA().fit(sample.points).equation()
    places = Isomap(2, n_neighbors=10).fit_transform(sample.points)
    return outcome(
        equal("equation", "x3 = x1^2 - x2^2", str(equation), "x1**2 - x2**2 - x3 = 0"),
        measured(
            "trustworthiness of a plane map",
            "a two-dimensional embedding",
            quality.trustworthiness(sample.points, places).value,
            at_least=0.99,
        ),
        draw=lambda: in_space({"saddle": sample.points}, [sample.color]),
    )


@item("S0.fig-4.2", "A circle becomes a plane curve in feature space", "Figure 4.2, eqs. 4.1-4.3")
def fig_4_2() -> Outcome:
    """(x1^2, sqrt(2) x1 x2, x2^2) sends every conic into an affine plane of R^3, not of R^5."""
    circle = datasets.circle(200, seed=shifted(1)).points
    lifted = kernel.veronese(circle, 2, scaled=True)
    model = FeatureMapPCA(3).fit(circle)
    ellipse = circle * [2.0, 0.5]
    return outcome(
        equal(
            "coordinates of the map (4.2)",
            "R^5",
            lifted.shape[1],
            3,
            erratum="S0-affine-in-R5",
            claimed=5,
        ),
        measured(
            "c1 z1 + c3 z3 + c4 on the circle",
            "0 (4.3)",
            float(np.abs(lifted[:, 0] + lifted[:, 2] - 1).max()),
            at_most=1e-14,
        ),
        measured(
            "smallest eigenvalue in feature space",
            "a plane: 0",
            float(model.eigenvalues_[-1]),
            at_most=1e-30,
        ),
        measured(
            "smallest eigenvalue for an ellipse",
            "any conic",
            float(FeatureMapPCA(3).fit(ellipse).eigenvalues_[-1]),
            at_most=1e-28,
        ),
        draw=lambda: in_space({"circle in feature space": lifted}, [circle[:, 0]]),
    )


@item("S0.example-4.1", "Two lines are one plane in Veronese space", "Example 4.1")
def example_4_1() -> Outcome:
    """Points on a union of subspaces are mapped into one subspace; its normal is the product of
    the linear forms. The map has C(n + D - 1, n) coordinates."""
    along = np.linspace(-1, 1, 40)[:, None]
    lines = np.vstack([along * [1.0, 2.0], along * [3.0, -1.0]])
    lifted = kernel.veronese(lines, 2)
    normal = PolynomialPCA().fit(lines).equation()
    spread = PCA(3).fit(lifted)
    return outcome(
        equal(
            "product polynomial",
            "(2 x1 - x2)(x1 + 3 x2)",
            str(normal),
            "2*x1**2 + 5*x1*x2 - 3*x2**2 = 0",
        ),
        measured(
            "smallest eigenvalue over largest",
            "a single subspace",
            float(spread.eigenvalues_[-1] / spread.eigenvalues_[0]),
            at_most=1e-15,
        ),
        [
            follows(
                f"monomials of degree {n} in {d} variables",
                str(comb(n + d - 1, n)),
                kernel.veronese(np.ones((1, d)), n).shape[1],
            )
            for n, d in ((2, 2), (2, 5), (3, 4), (4, 3))
        ],
        equal(
            "order of the monomials",
            "x1^2, x1 x2, x2^2",
            kernel.veronese([[2.0, 3.0]], 2).tolist(),
            [[4.0, 6.0, 9.0]],
        ),
    )


@item(
    "S0.wide-features", "More features than points: the smaller matrix suffices", "eqs. 4.10-4.12"
)
def wide_features() -> Outcome:
    """Phi Phi' and Phi' Phi share their values; u = Phi w with |w|^2 = 1 / lambda."""
    points = np.random.default_rng(shifted(2)).normal(size=(30, 6))
    features = kernel.veronese(points, 4, scaled=True)
    centred = features - features.mean(axis=0)
    model = FeatureMapPCA(3, degree=4).fit(points)
    plain = PCA(3).fit(features)
    w = model.embedding_ / (30 * model.eigenvalues_)
    axes = centred.T @ w
    return outcome(
        equal("features and points", "M > N", (features.shape[1], len(points)), (126, 30)),
        measured(
            "values by the small matrix against the large one",
            "the same",
            float(np.abs(model.eigenvalues_ / plain.eigenvalues_ - 1).max()),
            at_most=1e-10,
        ),
        measured(
            "|w|^2 times lambda, less one",
            "|w|^2 = 1 / lambda",
            float(np.abs(np.square(w).sum(axis=0) * 30 * model.eigenvalues_ - 1).max()),
            at_most=1e-10,
        ),
        measured(
            "|Phi w| less one",
            "u = Phi w (4.11)",
            float(np.abs(np.linalg.norm(axes, axis=0) - 1).max()),
            at_most=1e-10,
        ),
    )


@item("S0.example-4.4", "PCA is kernel PCA with inner products", "Examples 4.4 and 4.5")
def example_4_4() -> Outcome:
    """The linear kernel gives PCA; (x'y)^2 gives PCA of the three quadratic features."""
    points = np.random.default_rng(shifted(3)).normal(size=(50, 2)) + 1.0
    linear = KernelPCA(2, kernel="linear").fit(points)
    square = KernelPCA(3, kernel="homogeneous", degree=2).fit(points)
    explicit = FeatureMapPCA(3).fit(points)
    table = kernel.veronese(points, 2, scaled=True)
    return outcome(
        measured(
            "linear kernel against PCA",
            "reduces to PCA",
            off_by_signs(linear.embedding_, PCA(2).fit(points).embedding_),
            at_most=1e-10,
        ),
        measured(
            "inner products of features less (x'y)^2",
            "(4.23)",
            float(np.abs(table @ table.T - (points @ points.T) ** 2).max()),
            at_most=1e-12,
        ),
        measured(
            "kernel against explicit features",
            "the same",
            off_by_signs(square.embedding_, explicit.embedding_),
            at_most=1e-9,
        ),
    )


@item(
    "S0.face-on-a-circle",
    "A turning face is a circle in pixel space",
    "chapter 4, introduction",
    needs=["coil20_32x32"],
)
def face_on_a_circle(coil: dict[str, Any]) -> Outcome:
    """72 views of one object turned about its axis: one degree of freedom, closed, which no line
    captures and two eigenmaps do."""
    views = coil["x"][coil["y"] == 1].astype(float)
    line = PCA(1).fit(views)
    ring = LaplacianEigenmaps(2, n_neighbors=3).fit_transform(views)
    turn = np.unwrap(np.arctan2(ring[:, 1], ring[:, 0]))
    angle = np.arange(72) * 5.0
    return outcome(
        measured(
            "variance on the best line",
            "not well captured by a line",
            float(line.explained_variance_ratio_[0]),
            at_most=0.6,
        ),
        measured(
            "correlation of the angle on the map with the true one",
            "the angle of rotation",
            abs(float(np.corrcoef(turn, angle)[0, 1])),
            at_least=0.99,
        ),
        draw=lambda: panels({"Laplacian eigenmaps": ring}, angle),
    )


@item("S0.fig-4.3", "Swiss roll and S-curve", "Figure 4.3")
def fig_4_3() -> Outcome:
    """The two manifolds that manifold learning is tried on, each isometric to a rectangle: Isomap
    finds the rectangle, in ten draws of each."""
    rolls = [datasets.swiss_roll(1000, seed=shifted(seed)) for seed in range(10)]
    curves = [datasets.s_curve(500, seed=shifted(seed)) for seed in range(10)]
    return outcome(
        [
            mostly(
                f"worst R^2 on the {samples[0].name}",
                "a two-dimensional representation",
                [
                    worst_fit(Isomap(2, n_neighbors=8).fit_transform(s.points), s.coordinates)
                    for s in samples
                ],
                at_least=bound,
                share=0.9,
            )
            for samples, bound in ((rolls, 0.85), (curves, 0.95))
        ],
        draw=lambda: in_space(
            {s.name: s.points for s in (rolls[0], curves[0])},
            [rolls[0].color, curves[0].color],
            elevation=55.0,
        ),
    )
