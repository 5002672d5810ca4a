"""Izenman 2013, section 16.5: kernel PCA, the foods of Figure 16.5, Exercises 16.2 to 16.5."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, kernel, quality
from ..methods import PCA, Isomap, KernelPCA, sweep_widths
from .checks import (
    Outcome,
    absolute_gap,
    equal,
    gap,
    measured,
    outcome,
    printed,
    rising,
    share_of_own,
)
from .pages import canvas, groups, scatter
from .runner import Table, item, shifted


@item("S4.feature-space", "PCA in feature space from inner products alone", "eqs. 16.23-16.32")
def feature_space() -> Outcome:
    """With a kernel whose features can be written down, both ways give the same scores.

    (16.30) makes alpha as long as 1 / sqrt(value of K). Then K alpha are the scores already, and
    the factor in front of (16.31) would divide them once more.
    """
    points = np.random.default_rng(shifted(3)).normal(size=(60, 2))
    features = kernel.veronese(points, 2, scaled=True)
    explicit = PCA(3).fit(features)
    model = KernelPCA(3, kernel="homogeneous", degree=2).fit(points)
    table = kernel.double_centered((points @ points.T) ** 2)
    alpha = model.embedding_ / model.eigenvalues_
    scores = table @ alpha
    signs = np.sign((scores * explicit.embedding_).sum(axis=0))
    return outcome(
        measured(
            "values of K over n against values of C",
            "lambda~ = n lambda (16.29)",
            float(np.abs(model.eigenvalues_ / 60 - explicit.eigenvalues_).max()),
            at_most=1e-10,
        ),
        measured(
            "alpha' K alpha",
            "1 (16.30)",
            float(np.abs((alpha * (table @ alpha)).sum(axis=0) - 1).max()),
            at_most=1e-9,
        ),
        measured(
            "scores without the second factor, against the features",
            "(16.31) without lambda^(-1/2) in front",
            float(np.abs(signs * scores - explicit.embedding_).max()),
            at_most=1e-8,
        ),
        measured(
            "with the factor, off by",
            "lambda^(-1/2) in front (16.32)",
            gap(signs * scores / np.sqrt(model.eigenvalues_ / 60), explicit.embedding_),
            at_least=0.1,
            erratum="S4-twice-normalised",
            claimed=0.0,
        ),
    )


@item("S4.centering", "Centring in feature space without features", "eqs. 16.33-16.34")
def centering() -> Outcome:
    """H K H, written out in four terms, is what the means of rows and columns give."""
    points = np.random.default_rng(shifted(4)).normal(size=(50, 3))
    table = kernel.Kernel("gaussian", gamma=0.3)(points, points)
    means = np.full((50, 50), 1 / 50)
    four_terms = table - table @ means - means @ table + means @ table @ means
    centred = np.eye(50) - means
    return outcome(
        measured(
            "four terms against H K H",
            "equal",
            absolute_gap(four_terms, centred @ table @ centred),
            at_most=1e-13,
        ),
        measured(
            "four terms against the means",
            "equal",
            absolute_gap(four_terms, kernel.double_centered(table)),
            at_most=1e-13,
        ),
    )


@item("S4.exercise-16.2", "Which kernels obey K(x,y)^2 <= K(x,x) K(y,y)?", "Exercise 16.2")
def exercise_16_2() -> Outcome:
    """Inner products do; the tanh kernel and the thin-plate spline are none, and do not."""
    points = np.random.default_rng(shifted(5)).normal(size=(80, 3))
    tables = {
        name: kernel.Kernel(name, gamma=0.5, degree=3, coef0=1.0)(points, points)
        for name in ("linear", "polynomial", "homogeneous", "gaussian", "laplacian", "sigmoid")
    }
    tables["homogeneous"] = kernel.Kernel("homogeneous", degree=2)(points, points)
    tables["sigmoid"] = kernel.Kernel("sigmoid", gamma=0.5, coef0=-1.0)(points, points)
    tables["thin-plate spline"] = kernel.Kernel("thin-plate", gamma=0.5)(points, points)
    excess = {name: _excess(table) for name, table in tables.items()}
    kernels = ("linear", "polynomial", "homogeneous", "gaussian", "laplacian")
    return outcome(
        [
            measured(
                f"{name}: largest K(x,y)^2 - K(x,x) K(y,y)", "<= 0", excess[name], at_most=1e-10
            )
            for name in kernels
        ],
        [
            measured(
                f"{name}: largest excess",
                "not a kernel, so it may be > 0",
                excess[name],
                at_least=0.01,
            )
            for name in ("sigmoid", "thin-plate spline")
        ],
        equal(
            "positive semi-definite tables",
            "exactly those",
            [name for name, table in tables.items() if kernel.is_positive_semidefinite(table)],
            list(kernels),
        ),
    )


def _excess(table: Any) -> float:
    own = np.diag(table)
    return float((table**2 - np.outer(own, own)).max())


@item(
    "S4.exercise-16.4",
    "Pen digits for several widths",
    "Exercise 16.4",
    needs=["pendigits"],
    slow=True,
)
def exercise_16_4(pendigits: Table) -> Outcome:
    """10,992 digits seen through 600 landmarks, for three widths, against linear PCA."""
    points = np.vstack([pendigits["x_train"], pendigits["x_test"]]).astype(float)
    labels = np.concatenate([pendigits["y_train"], pendigits["y_test"]])
    maps = {"PCA": PCA(2).fit(points).embedding_}
    for sigma in (20.0, 50.0, 400.0):
        maps[f"sigma = {sigma:g}"] = (
            KernelPCA(2, sigma=sigma, n_landmarks=600, random_state=shifted(0))
            .fit(points)
            .embedding_
        )
    shares = {name: share_of_own(places, labels, count=10) for name, places in maps.items()}
    return outcome(
        printed("digits", "10,992", len(points)),
        measured(
            "same digit among ten neighbours, PCA", "chance is 0.1", shares["PCA"], at_least=0.3
        ),
        measured(
            "same, sigma = 50",
            "nonlinear scores separate at least as well",
            shares["sigma = 50"] / shares["PCA"],
            at_least=1.0,
        ),
        measured(
            "left over between sigma = 400 and PCA",
            "wide kernels are nearly linear",
            quality.disparity(maps["sigma = 400"], maps["PCA"]),
            at_most=0.01,
        ),
        draw=lambda: _digits(maps, labels),
    )


def _digits(maps: dict[str, Any], labels: Any) -> Any:
    figure, panels = canvas(2, 2, size=3.6)
    for axes, (title, places) in zip(panels, maps.items(), strict=True):
        axes.scatter(places[:, 0], places[:, 1], c=labels, s=1, cmap="tab10", linewidths=0)
        axes.set_title(title, fontsize=9)
    return figure


@item("S4.exercise-16.5", "Kernel PCA of a normal cloud", "Exercise 16.5")
def exercise_16_5() -> Outcome:
    """N4(0, R), 500 points: nothing nonlinear is there. A wide kernel finds PCA, a narrow one
    bends it; weaker correlations leave less to the first component."""
    cloud = datasets.correlated_normal(500, seed=shifted(7)).points
    given = np.array(datasets.EXERCISE_CORRELATION)
    correlation = np.asarray(np.corrcoef(cloud.T))
    linear = PCA(2).fit(cloud).embedding_
    gammas = (1e-4, 0.05, 0.5)
    maps = dict(zip(gammas, sweep_widths(cloud, list(map(_width, gammas))).models, strict=True))
    left = [quality.disparity(maps[g].embedding_, linear) for g in gammas]
    weak = np.eye(4) + 0.3 * (given - np.eye(4))
    share = [
        PCA(1)
        .fit(datasets.correlated_normal(500, correlation=r, seed=shifted(7)).points)
        .explained_variance_ratio_[0]
        for r in (weak, given)
    ]
    return outcome(
        measured(
            "largest error of a sample correlation",
            "the matrix R",
            float(np.abs(correlation - given).max()),
            at_most=0.12,
        ),
        measured("left over against PCA, widest kernel", "linear", left[0], at_most=1e-4),
        rising("left over as the kernel narrows", "bends more and more", left),
        rising(
            "share of the first component, weak and given R", "grows", [float(s) for s in share]
        ),
        draw=lambda: _sweep(maps, cloud[:, 0]),
    )


def _sweep(maps: dict[float, Any], color: Any) -> Any:
    figure, panels = canvas(1, len(maps))
    for axes, (gamma, model) in zip(panels, maps.items(), strict=True):
        scatter(axes, model.embedding_, color, f"sigma = {gamma:g}")
    return figure


def _width(gamma: float) -> float:
    """Return the sigma of exp(-gamma d^2), which kernlab calls sigma itself."""
    return float(1.0 / np.sqrt(2.0 * gamma))


SIGMAS = (0.005, 0.01, 0.1, 0.5)
CHOLESTEROL = "Cholesterol2.mg"
ALONG = (
    CHOLESTEROL,
    "Saturated.fat2.grams",
    "Fat2.grams",
    "Carbohydrates2.grams",
    "Protein2.grams",
)


def _per_gram(food: Table) -> tuple[Any, list[str]]:
    """Return the six variables that the book uses, all per gram, and their names."""
    names = [name for name in food if "2." in name]
    return np.column_stack([food[name] for name in names]), names


@item(
    "S4.fig-16.5",
    "Kernel PCA of foods",
    "Figure 16.5 and its eigenvalues",
    needs=["food_nutrition"],
)
def fig_16_5(food: Table) -> Outcome:
    """Eigenvalues for four widths, and the order of the foods along the curve for the last.

    The printed eigenvalues are those of H K H / n for exp(-sigma d^2), kernlab's convention.
    """
    points, names = _per_gram(food)
    rows = ("0.0336 0.0033", "0.0602 0.0066", "0.2200 0.0820", "0.2738 0.1139")
    models = sweep_widths(points, [_width(sigma) for sigma in SIGMAS]).models
    values = np.array([model.covariance_eigenvalues_ for model in models])
    checks = [
        printed(f"sigma {sigma}, value {place + 1}", row.split()[place], float(found[place]))
        for sigma, row, found in zip(SIGMAS, rows, values, strict=True)
        for place in range(2)
    ]
    wide = KernelPCA(1, sigma=0.5).fit(points).covariance_eigenvalues_[0]
    reach = [_reach(model) for model in models]
    return outcome(
        checks,
        rising("first eigenvalue", "increases with sigma", [float(v) for v in values[:, 0]]),
        rising("second eigenvalue", "increases with sigma", [float(v) for v in values[:, 1]]),
        measured(
            "first value for exp(-d^2 / 2 sigma^2) at sigma = 0.5, off by",
            "a Gaussian with scale parameter sigma",
            abs(wide - 0.2738),
            at_least=1e-3,
            erratum="S4-kernel-width",
            claimed=0.0,
        ),
        [
            measured(f"reach of the scores, sigma {sigma}", f"axes to {axis}", r, at_most=axis)
            for sigma, r, axis in zip(SIGMAS[:3], reach[:3], (26.0, 26.0, 30.0), strict=True)
        ],
        measured(
            "reach of the scores, sigma 0.5, over the reach of its axes (0.2)",
            "scores like those of the other panels",
            reach[-1] / 0.2,
            at_least=50.0,
            erratum="S4-panel-scales",
            claimed=1.0,
        ),
        draw=lambda: _four(models, points, names),
    )


@item(
    "S4.food-ordering",
    "The order of the foods along the curve",
    "section 16.5.3, Figure 16.5",
    needs=["food_nutrition"],
)
def food_ordering(food: Table) -> Outcome:
    """With sigma = 0.5 the foods lie on a curve: its head holds those rich in one variable, in the
    order that the text tells, its tail those with little of anything."""
    points, names = _per_gram(food)
    places = KernelPCA(2, gamma=0.5).fit_transform(points)
    along = _along(places, head=int(points[:, names.index(CHOLESTEROL)].argmax()))
    tops = {
        name: float(along[np.argsort(column)[-3:]].mean())
        for name, column in zip(names, points.T, strict=True)
    }
    negligible = (points / points.max(axis=0)).max(axis=1) < 0.05
    return outcome(
        rising(
            "length along the curve from its head to the three foods richest in each",
            "starting at cholesterol, and continuing with saturated fat, fat",
            [tops[name] for name in ALONG[:3]],
        ),
        rising(
            "angle turned from the head, median of the ten richest in each",
            "fat, carbohydrates, and protein, in that order",
            [_turned(places, points[:, names.index(name)]) for name in ALONG[2:]],
        ),
        measured(
            "the same of energy less that of fat",
            "very little difference between high in fat and high in calories",
            abs(tops["Food.energy2.calories"] - tops["Fat2.grams"]),
            at_most=0.05,
        ),
        measured(
            "length to the foods with negligible values, over the longest",
            "the tail contains only data with negligible values for all variables",
            float(along[negligible].min() / along.max()),
            at_least=0.7,
        ),
    )


def _reach(model: Any) -> float:
    """Return how far the scores go in kernlab's scale, K v / sqrt(value / n)."""
    return float(np.abs(model.embedding_ * np.sqrt(len(model.embedding_))).max())


def _along(places: Any, head: int) -> Any:
    """Return how far the points are from the head of the curve, by steps between neighbours."""
    return Isomap(1, n_neighbors=10).fit(places).geodesics_[head]


def _turned(places: Any, amounts: Any) -> float:
    """Return how far around the centre, clockwise from the top, the richest foods lie."""
    richest = places[np.argsort(amounts)[-10:]]
    return float(np.median(np.pi / 2 - np.arctan2(richest[:, 1], richest[:, 0])))


def _four(models: Any, points: Any, names: list[str]) -> Any:
    figure, panels = canvas(2, 2, size=3.6)
    top = np.argmax(points / points.max(axis=0), axis=1)
    for axes, model, sigma in zip(panels, models, SIGMAS, strict=True):
        groups(
            axes, model.embedding_, np.array(names)[top], f"sigma = {sigma}", numbers=sigma > 0.4
        )
    return figure


@item(
    "S4.exercise-16.3",
    "Foods by their dominating variable",
    "Exercise 16.3",
    needs=["food_nutrition"],
)
def exercise_16_3(food: Table) -> Outcome:
    """Seven classes: the variable that dominates, or low in all. The map keeps them apart."""
    points, names = _per_gram(food)
    shares = points / points.max(axis=0)
    low = shares.max(axis=1) < 0.1
    classes = np.where(low, "low", np.array(names)[shares.argmax(axis=1)])
    model = KernelPCA(2, gamma=0.5).fit(points)
    chance = float(np.square(np.unique(classes, return_counts=True)[1] / len(classes)).sum())
    return outcome(
        equal("classes", "seven: six variables and low values", len(np.unique(classes)), 7),
        measured(
            "neighbours of the same class, over chance",
            "points of a class lie together",
            share_of_own(model.embedding_, classes, count=10) / chance,
            at_least=2.0,
        ),
        draw=lambda: _one(model.embedding_, classes, "seven classes, sigma = 0.5"),
    )


def _one(places: Any, labels: Any, title: str) -> Any:
    figure, (axes,) = canvas(size=4.6)
    groups(axes, places, labels, title)
    return figure
