"""S3 15.4 and Exercise 15.6: random projections, Johnson-Lindenstrauss, nearest images."""

from __future__ import annotations

from typing import Any

import numpy as np

from unspool import (
    PCA,
    RandomProjection,
    distortions,
    johnson_lindenstrauss_dimension,
    projection_success_probability,
    projection_tail_probability,
    quality,
)

from ..data import Table
from ..drawing import canvas, lines
from ..outcome import Outcome, follows, measured, outcome, printed, rising
from ..registry import item

SIZES = (1, 10, 50, 100, 250, 500)


@item("S3.lemma-15.2", "A chi-squared variable is near its mean", "Lemma 15.2")
def lemma_15_2() -> Outcome:
    """The bound 2 exp(-(eps^2 - eps^3) k / 4) is above the exact tails for every k and eps."""
    from scipy.stats import chi2

    ratios = [
        (chi2.cdf((1 - eps) * k, k) + chi2.sf((1 + eps) * k, k))
        / projection_tail_probability(k, eps)
        for k in (5, 20, 100, 500)
        for eps in (0.05, 0.1, 0.25, 0.49)
    ]
    return outcome(
        measured("exact tails over the bound, largest", "(15.11)", float(max(ratios)), at_most=1.0)
    )


@item("S3.lemma-15.3", "A random projection keeps a length", "Lemma 15.3")
def lemma_15_3() -> Outcome:
    """A x / sqrt(k) over |x|: its mean is one, and it leaves 1 +- eps less often than the bound."""
    random = np.random.default_rng(153)
    x = random.normal(size=200)
    ratios = np.square(random.normal(size=(2000, 30, 200)) @ x).sum(axis=1) / 30 / (x @ x)
    outside = float(np.mean(np.abs(ratios - 1) > 0.4))
    return outcome(
        measured(
            "mean squared length less one, in standard errors",
            "E = |x|^2",
            abs(float(ratios.mean() - 1)) / (ratios.std() / np.sqrt(2000)),
            at_most=4.0,
        ),
        measured(
            "share outside 1 +- 0.4 over the bound",
            "(15.12)",
            outside / projection_tail_probability(30, 0.4),
            at_most=1.0,
        ),
    )


@item("S3.lemma-15.4", "Johnson-Lindenstrauss", "Lemma 15.4")
def lemma_15_4() -> Outcome:
    """k = 20 log m / eps^2 keeps all pairs; by chance it does so at least as often as promised."""
    points = np.random.default_rng(154).normal(size=(60, 3000))
    eps = 0.4
    k = johnson_lindenstrauss_dimension(60, eps, "mohri")
    maps = (RandomProjection(k, random_state=seed).fit_transform(points) for seed in range(20))
    kept = [distortions(points, places).eps <= eps for places in maps]
    drawn = RandomProjection(k, eps=eps, guarantee=True).fit(points)
    worst = distortions(points, drawn.embedding_).eps
    promised = projection_success_probability(60, eps)
    return outcome(
        follows(
            "k for m = 10,000 and eps = 0.1",
            "18,421",
            johnson_lindenstrauss_dimension(10_000, 0.1, "mohri"),
        ),
        follows("k by Dasgupta and Gupta", "7,894", johnson_lindenstrauss_dimension(10_000, 0.1)),
        measured(
            "promised probability", "> 1 - 2 / sqrt(m)", promised, at_least=1 - 2 / np.sqrt(60)
        ),
        measured(
            "share of 20 projections that keep all pairs, less promised",
            "at least",
            np.mean(kept) - promised,
            at_least=0.0,
        ),
        measured(
            "worst pair of a map drawn until it holds",
            "(15.13), randomized polynomial time",
            float(worst),
            at_most=eps,
        ),
    )


@item(
    "S3.exercise-15.6",
    "Random projection, PCA and nearest images",
    "Exercise 15.6 a-f",
    needs=["mnist"],
    slow=True,
)
def exercise_15_6(mnist: Table) -> Outcome:
    """The first 2,000 test images: of ten nearest neighbours after reduction, how many are among
    the ten (score_10) or fifty (score_50) nearest before? PCA knows the data and is better, until
    so many coordinates are kept that both are good."""
    images = mnist["x_test"][:2000].reshape(2000, -1).astype(float)
    by_axes = PCA(max(SIZES)).fit_transform(images)  # its first k columns are those of PCA(k)
    reduced = {
        "random projection": {
            k: RandomProjection(k, random_state=0).fit_transform(images) for k in SIZES
        },
        "PCA": {k: by_axes[:, :k] for k in SIZES},
    }
    scores = {
        f"{name}, score_{among}": [
            10 * quality.neighbors_kept(images, maps[k], 10, among=among).value for k in SIZES
        ]
        for name, maps in reduced.items()
        for among in (10, 50)
    }
    by_chance, by_pca = scores["random projection, score_10"], scores["PCA, score_10"]
    return outcome(
        printed("images", "2,000", len(images)),
        printed("pixels", "784", images.shape[1]),
        [
            rising(name, "grows with k", values)
            for name, values in scores.items()
            if "random" in name
        ],
        [
            rising(f"{name}, k up to 100", "grows with k", values[:4])
            for name, values in scores.items()
            if "PCA" in name
        ],
        measured(
            "score_10 of PCA over random projection at k = 50",
            "better",
            by_pca[2] / by_chance[2],
            at_least=1.3,
        ),
        measured("score_10 of PCA at k = 100", "of ten", by_pca[3], at_least=9.0),
        measured(
            "score_10 of random projection at k = 100",
            "(d)",
            by_chance[3],
            at_least=4.0,
            at_most=7.0,
        ),
        measured(
            "score_50 less score_10, least",
            "fifty are more than ten",
            _least_gap(scores),
            at_least=0.0,
        ),
        draw=lambda: _curves(scores),
    )


def _least_gap(scores: dict[str, list[float]]) -> float:
    pairs = ((f"{name}, score_50", f"{name}, score_10") for name in ("random projection", "PCA"))
    return float(min(np.min(np.subtract(scores[more], scores[less])) for more, less in pairs))


def _curves(scores: dict[str, list[float]]) -> Any:
    figure, panels = canvas(1, 2, size=3.8)
    for axes, among in zip(panels, (10, 50), strict=True):
        chosen = {
            name.partition(",")[0]: v for name, v in scores.items() if name.endswith(f"_{among}")
        }
        lines(axes, SIZES, chosen, f"score_{among}", "k", "neighbours kept of 10")
    return figure
