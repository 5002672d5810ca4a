"""Izenman 2013, section 16.2: polynomial PCA, its table, its two figures and Exercise 16.1."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import kernel, plot
from ..methods import PolynomialPCA
from .checks import Check, Outcome, equal, measured, outcome, printed, printed_row
from .pages import canvas, scatter
from .runner import item, shifted


def parabola() -> Any:
    """Return the 201 points of Table 16.1: X1 = -1.5(0.01)0.5 and X2 = 4 X1^2 + 4 X1 + 2."""
    x = -1.5 + 0.01 * np.arange(201)
    return np.column_stack([x, 4 * x**2 + 4 * x + 2])


def _loadings(found: Any) -> list[Check]:
    """Compare the eigenvectors with the table, digit by digit; where it errs, say how."""
    rows = (
        "0.003 -0.173 -0.046 -0.979 0.097",
        "-0.253 -0.013 0.243 -0.102 -0.929",
        "0.620 0.337 -0.578 -0.063 -0.333",
        "0.115 -0.909 -0.342 0.165 -0.129",
        "0.696 -0.174 0.696 0.000 0.000",
    )
    wrong = {
        (1, 0): ("S4-last-digit", "-0.252"),
        (1, 2): ("S4-loading-pc2", "0.249"),
        (2, 0): ("S4-loading-pc3", "0.662"),
        (2, 1): ("S4-last-digit", "0.336"),
        (3, 4): ("S4-last-digit", "-0.128"),
    }
    checks = []
    for i, row in enumerate(rows):
        numbers = row.split()
        sign = np.sign(np.dot(found[i], np.array(numbers, dtype=float)))
        for j, number in enumerate(numbers):
            erratum, right = wrong.get((i, j), ("", None))
            what = f"PC{i + 1}, loading {j + 1}"
            value = float(sign * found[i, j])
            checks.append(printed(what, number, value, erratum=erratum, right=right))
    return checks


@item("S4.table-16.1", "Quadratic PCA of a parabola, without and with noise", "Table 16.1")
def table_16_1() -> Outcome:
    """Eigenanalysis of (X1, X2, X1^2, X2^2, X1 X2), covariances divided by n.

    The noisy panel is one random draw, which nobody can draw again: what the book prints must lie
    among 500 draws of ours, and noise must raise every eigenvalue.
    """
    points = parabola()
    clean = PolynomialPCA().fit(points)
    random = np.random.default_rng(shifted(16))
    noisy = np.array(
        [
            PolynomialPCA().fit(points + random.normal(size=points.shape)).eigenvalues_
            for _ in range(500)
        ]
    )
    book = np.array([74.617, 10.229, 2.073, 0.336, 0.247])
    below = np.mean(noisy <= book, axis=0)
    return outcome(
        printed_row("eigenvalues", "46.722 4.912 0.052 0.050 0.000", clean.eigenvalues_),
        _loadings(clean.components_),
        measured(
            "scores of the last component",
            "constant with a value of zero",
            float(np.abs(clean.embedding_[:, -1]).max()),
            at_most=1e-12,
        ),
        [
            measured(
                f"noisy eigenvalue {number} among our draws",
                f"{value:.3f} is one draw: neither below nor above all of ours",
                float(share),
                at_least=1 / 500,
                at_most=499 / 500,
            )
            for number, (value, share) in enumerate(zip(book, below, strict=True), start=1)
        ],
        measured(
            "draws in which noise raises all eigenvalues",
            "each greater than in the noiseless case",
            float(np.mean((noisy > clean.eigenvalues_).all(axis=1))),
            at_least=1.0,
        ),
    )


@item("S4.extended-size", "Size of the quadratic extension", "section 16.2, r' = 2r + r(r - 1)/2")
def extended_size() -> Outcome:
    """Count the monomials: 5 of two variables, 65 of ten, 230 of twenty; cubes grow faster."""
    sizes = {2: "5", 3: "9", 10: "65", 20: "230"}
    return outcome(
        [
            printed(f"monomials of {r} variables", number, kernel.n_monomials(r, 2))
            for r, number in sizes.items()
        ],
        measured(
            "cubic over quadratic size at r = 20",
            "for higher degrees the size increases even faster",
            kernel.n_monomials(20, 3) / kernel.n_monomials(20, 2),
            at_least=2.0,
        ),
    )


@item("S4.fig-16.1", "Pretzels: the scores of quadratic PCA in pairs", "Figure 16.1")
def fig_16_1() -> Outcome:
    """Scatterplot matrix of the first four scores; the axes of the book hold all of them."""
    scores = PolynomialPCA().fit(parabola()).embedding_[:, :4]
    sizes = np.ptp(scores, axis=0)
    return outcome(
        [
            measured(f"extent of PC{k}", f"axis of about {axis}", float(size), at_most=axis)
            for k, size, axis in zip(range(1, 5), sizes, (25.5, 11.0, 1.25, 1.25), strict=True)
        ],
        measured(
            "largest correlation between two scores",
            "principal components are uncorrelated",
            float(np.abs(np.corrcoef(scores.T) - np.eye(4)).max()),
            at_most=1e-8,
        ),
        draw=lambda: plot.scatter_matrix(scores, names=["PC1", "PC2", "PC3", "PC4"]),
    )


@item("S4.fig-16.2", "The curve is read off the smallest component", "Figure 16.2")
def fig_16_2() -> Outcome:
    """PC5 / loading + X2 lies on X2 = 4 X1^2 + 4 X1 + a for a = 2 and for no other a."""
    points = parabola()
    model = PolynomialPCA().fit(points)
    loadings = model.components_[-1] * np.sign(model.components_[-1, 0])
    equation = model.equation()
    smallest = model.embedding_[:, -1] * np.sign(model.components_[-1, 0])
    plotted = smallest / loadings[1] + points[:, 1]  # what the figure shows against X1
    constants = plotted - 4 * points[:, 0] ** 2 - 4 * points[:, 0]
    return outcome(
        printed("loading of X2", "0.0174", -loadings[1], erratum="S4-plane", right="0.1741"),
        printed("loading of X1", "0.696", float(loadings[0])),
        printed("loading of X1^2", "0.696", float(loadings[2])),
        equal(
            "the equation", "X2 = 4 X1^2 + 4 X1 + 2", str(equation), "4*x1 + 4*x1**2 - x2 + 2 = 0"
        ),
        printed("the constant a", "2", float(equation.constant)),
        measured(
            "spread of a over the points",
            "one curve passes through each data point",
            float(np.ptp(constants)),
            at_most=1e-11,
        ),
        draw=lambda: _family(points),
    )


def _family(points: Any) -> Any:
    figure, (axes,) = canvas(size=4.2)
    for a in range(4):
        axes.plot(points[:, 0], 4 * points[:, 0] ** 2 + 4 * points[:, 0] + a, "0.6", lw=1)
        axes.annotate(f"a = {a}", (0.3, 4 * 0.09 + 1.2 + a), fontsize=7)
    scatter(axes, points[::6], "crimson", "smallest component")
    return figure


def _sphere(noise: float = 0.0) -> Any:
    """Return 150 points of the sphere of radius 6, with noise of variance ``noise`` on X2."""
    random = np.random.default_rng(shifted(161))
    directions = random.normal(size=(150, 3))
    points = 6 * directions / np.linalg.norm(directions, axis=1, keepdims=True)
    points[:, 1] += np.sqrt(noise) * random.normal(size=150)
    return points


@item("S4.exercise-16.1", "Quadratic PCA of a sphere, without and with noise", "Exercise 16.1")
def exercise_16_1() -> Outcome:
    """The equation of the sphere is the component with eigenvalue zero; noise hides its digits."""
    clean = PolynomialPCA().fit(_sphere())
    noisy = PolynomialPCA().fit(_sphere(noise=0.25))
    normal = np.abs(clean.components_[-1])
    expected = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0]) / np.sqrt(3)
    return outcome(
        equal("number of variables", "9", clean.components_.shape[1], 9),
        equal(
            "equation",
            "X1^2 + X2^2 + X3^2 = 36",
            str(clean.equation()),
            "x1**2 + x2**2 + x3**2 - 36 = 0",
        ),
        measured(
            "distance of the last vector from (0,0,0,1,1,1,0,0,0)/sqrt(3)",
            "the sphere is a plane in the squares",
            float(np.abs(normal - expected).max()),
            at_most=1e-10,
        ),
        measured(
            "smallest eigenvalue without noise",
            "zero",
            float(clean.eigenvalues_[-1]),
            at_most=1e-20,
        ),
        measured(
            "smallest eigenvalue with noise",
            "N(0, 0.25) on X2 lifts it",
            float(noisy.eigenvalues_[-1]),
            at_least=0.1,
        ),
        measured(
            "share of squares in the noisy last vector",
            "the sphere still shows",
            float(np.square(noisy.components_[-1, 3:6]).sum()),
            at_least=0.5,
        ),
    )
