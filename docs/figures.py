"""The pictures of docs/plots.md and docs/compare.md: one small figure for each kind of plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unspool
from unspool import datasets, distances, plot, quality

FIGURES: dict[str, Callable[[], Any]] = {}
PANEL = 3.4  # inches


def _figure(function: Callable[[], Any]) -> Callable[[], Any]:
    FIGURES["plot-" + function.__name__.replace("_", "-")] = function
    return function


def _row(count: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(PANEL * count, PANEL), layout="constrained")
    return figure, figure.subplots(1, count, squeeze=False)[0]


@_figure
def embedding() -> Any:
    roll = datasets.swiss_roll(1000)
    model = unspool.LTSA(2).fit(roll.points)
    part = np.where(roll.color < 8, "inner", np.where(roll.color < 12, "middle", "outer"))
    figure, (left, right) = _row(2)
    plot.embedding(model, roll.color, label="angle", axes=left, title="by a number")
    plot.embedding(model, part, label="turn", axes=right, title="by a word")
    return figure


@_figure
def neighbor_graph() -> Any:
    roll = datasets.swiss_roll(500)
    figure, panels = _row(2)
    for count, axes in zip((10, 20), panels, strict=True):
        model = unspool.Isomap(2, n_neighbors=count).fit(roll.points)
        neighbors = distances.neighbor_graph(roll.points, count)
        marked = quality.suspicious_edges(neighbors).edges
        title = f"Isomap, {count} neighbours: {len(marked)} doubtful edges"
        plot.neighbor_graph(model, neighbors, marked=marked, axes=axes, title=title)
    return figure


@_figure
def curves() -> Any:
    roll = datasets.swiss_roll(1000)
    model = unspool.Isomap(6, n_neighbors=10).fit(roll.points)
    curve = quality.residual_variance(model.geodesics_, model.embedding_)
    figure, (left, middle, right) = _row(3)
    plot.scree(model, kept=2, axes=left, title="scree")
    plot.elbow(curve, chosen=2, axes=middle, title="elbow")
    pairs = quality.shepard(model.geodesics_, model.embedding_[:, :2], metric="precomputed")
    plot.shepard(pairs, axes=right, title="Shepard, against geodesics")
    return figure


@_figure
def scatter_matrix() -> Any:
    sample = datasets.twin_peaks(500)
    model = unspool.DiffusionMaps(3).fit(sample.points)
    return plot.scatter_matrix(model, sample.color, label="height")


@_figure
def ellipses() -> Any:
    roll = datasets.swiss_roll(1000)
    figure, panels = _row(2)
    for model, axes in zip((unspool.Isomap(2), unspool.LTSA(2)), panels, strict=True):
        places = model.fit(roll.points).embedding_
        distortion = quality.local_distortion(roll.points, places)
        title = f"{type(model).__name__}: distortion {distortion.value:.2f}"
        plot.ellipses(places, distortion, roll.color, axes=axes, title=title)
    return figure


@_figure
def trust() -> Any:
    roll = datasets.swiss_roll(1000)
    figure, panels = _row(2)
    for model, axes in zip((unspool.PCA(2), unspool.LLE(2)), panels, strict=True):
        places = model.fit(roll.points).embedding_
        score = quality.trustworthiness(roll.points, places)
        title = f"{type(model).__name__}: {score.value:.3f}"
        plot.trust(places, score, axes=axes, title=title, limits=(0.8, 1.0))
    return figure


@_figure
def thumbnails() -> Any:
    sample = datasets.bars(400)
    side = round(np.sqrt(sample.points.shape[1]))
    model = unspool.Isomap(2, n_neighbors=12).fit(sample.points)
    return plot.thumbnails(model, sample.points, shape=(side, side), size=0.09)


@_figure
def comparison() -> Any:
    roll = datasets.swiss_roll(1000)
    found = unspool.compare(roll.points, truth=roll.coordinates, color=roll.color)
    return found.figure()


@_figure
def diagnosis() -> Any:
    roll = datasets.swiss_roll(500)
    model = unspool.Isomap(2, n_neighbors=20).fit(roll.points)
    return unspool.diagnose(model, roll.points).figure()


INK, LINE = "#22303c", "#8a99a6"
ASKED = {"boxstyle": "round,pad=0.5", "lw": 1.2, "fc": "#e8f1f7", "ec": "#1b6b93"}
FOUND = {"boxstyle": "round,pad=0.5", "lw": 1.2, "fc": "#fdf1e7", "ec": "#c2571a"}
QUESTIONS: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    ("What is given?", (("distances or ranks of pairs", "MDS, classical MDS"),)),
    (
        "What shall the map keep?",
        (
            ("groups, who is near whom", "Laplacian eigenmaps,\ndiffusion maps"),
            ("each point's neighbours", "t-SNE"),
        ),
    ),
    ("Is the sheet whole?", (("holes, ragged border", "Hessian LLE, LTSA"),)),
    ("One thread or a sheet?", (("a thread", "principal curve"),)),
    ("How many points?", (("more than 20,000", "landmark Isomap"), ("fewer", "Isomap"))),
)


def which_method() -> Any:
    """Draw the questions from top to bottom, and the methods that their answers lead to."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.6, 6.8))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 10), ylim=(-10.2, 0.8))
    axes.axis("off")
    y = 0.0
    for question, answers in QUESTIONS:
        axes.text(2.3, y, question, ha="center", va="center", fontsize=12, color=INK, bbox=ASKED)
        for at, (answer, method) in enumerate(answers):
            _answer(axes, y, at, answer, method)
        below = y - len(answers) - 0.9
        if question != QUESTIONS[-1][0]:
            _arrow(axes, (2.3, y - 0.45), (2.3, below + 0.45))
            axes.text(2.15, (y + below) / 2, "else", ha="right", fontsize=9.5, style="italic")
        y = below
    return figure


def _answer(axes: Any, y: float, at: int, answer: str, method: str) -> None:
    level = y - at
    if at:  # a second answer leaves the question below the first
        axes.plot([3.4, 3.4], [y - 0.42, level], color=LINE, lw=1.0)
    _arrow(axes, (3.4 if at else 4.0, level), (6.9, level))
    axes.text(5.4, level + 0.1, answer, ha="center", va="bottom", fontsize=9.5, color=INK)
    axes.text(7.1, level, method, va="center", fontsize=11, color=INK, bbox=FOUND)


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    style = {"arrowstyle": "-|>", "color": LINE, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", end, start, arrowprops=style)


FIGURES["which-method"] = which_method
