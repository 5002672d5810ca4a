"""S4 16.5.3: kernel PCA of foods, Figure 16.5 and Exercise 16.3."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...methods import Isomap, KernelPCA
from ..comparing import share_of_own
from ..data import Table
from ..drawing import canvas, groups
from ..outcome import Outcome, equal, measured, outcome, printed, rising
from ..registry import item

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
    models = [KernelPCA(2, gamma=sigma).fit(points) for sigma in SIGMAS]
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
    "16.5.3, Figure 16.5",
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
