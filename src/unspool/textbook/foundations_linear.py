"""Mohri et al. 2012, sections 15.1 and 15.4: PCA and double centring, random projections.

With Exercises 15.1, 15.2 and 15.6: the shoe sizes, largest variance, nearest images.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, kernel, quality
from ..methods import (
    PCA,
    ClassicalMDS,
    Isomap,
    RandomProjection,
    distortions,
    johnson_lindenstrauss_dimension,
    projection_success_probability,
    projection_tail_probability,
)
from .checks import Outcome, follows, gap, measured, mostly, outcome, printed, rising, worst_fit
from .pages import canvas, in_space, lines, scatter
from .runner import Table, item, shifted


def _cloud(seed: int = 0) -> Any:
    """Return 120 points of five variables with unequal variances, as rows."""
    random = np.random.default_rng(shifted(seed))
    return random.normal(size=(120, 5)) @ random.normal(size=(5, 5)) + 3.0


@item("S3.fig-15.1", "The Swiss roll and its unfolding", "Figure 15.1")
def fig_15_1() -> Outcome:
    """Three-dimensional data on a two-dimensional manifold, unfolded in two dimensions: 5 draws."""
    samples = [datasets.swiss_roll(1000, seed=shifted(seed)) for seed in range(5)]
    unfolded, flat = (
        [worst_fit(method.fit_transform(s.points), s.coordinates) for s in samples]
        for method in (Isomap(2, n_neighbors=8), PCA(2))
    )
    return outcome(
        mostly("worst R^2 of the flat coordinates", "unfolded", unfolded, at_least=0.85, share=0.8),
        mostly("worst R^2, PCA", "not by a linear map", flat, at_most=0.6),
        draw=lambda: in_space({"rolled up": samples[0].points}, [samples[0].color], elevation=65.0),
    )


def _shoes() -> Any:
    """Return shoe sizes of 200 people in two units that measure the same length, rounded."""
    length = np.random.default_rng(shifted(15)).normal(26.0, 1.8, size=200)
    european = np.round(2 * 1.5 * length) / 2
    american = np.round(2 * (length / 2.54 * 3 - 24)) / 2
    return np.column_stack([european, american])


@item("S3.fig-15.2", "Shoe sizes in two units", "Figure 15.2")
def fig_15_2() -> Outcome:
    """Two features that capture the same length: one component holds nearly all variance, and
    the projected points are the best one-dimensional representation."""
    shoes = _shoes()
    model = PCA(1).fit(shoes)
    line = model.inverse_transform(model.embedding_)
    lost = np.square(shoes - line).sum()
    others = [_lost(shoes, angle) for angle in np.linspace(0, np.pi, 181)]
    return outcome(
        measured(
            "share of the first component",
            "captures the most variance",
            float(model.explained_variance_ratio_[0]),
            at_least=0.98,
        ),
        measured(
            "squared error over the least of 181 directions",
            "largest principal component",
            lost / min(others),
            at_most=1.0,
        ),
        draw=lambda: _two_panels(shoes, line),
    )


def _lost(points: Any, angle: float) -> float:
    direction = np.array([np.cos(angle), np.sin(angle)])
    centred = points - points.mean(axis=0)
    return float(np.square(centred - np.outer(centred @ direction, direction)).sum())


def _two_panels(points: Any, line: Any) -> Any:
    figure, panels = canvas(1, 2)
    scatter(panels[0], points, "C0", "sizes in two units")
    scatter(panels[1], line, "crimson", "on the principal component")
    return figure


@item("S3.theorem-15.1", "The best projection is on the top singular vectors", "Theorem 15.1")
def theorem_15_1() -> Outcome:
    """|P X - X|^2 is m times the sum of the discarded eigenvalues, and no other projection of the
    same rank does better; minimal error and maximal variance are one problem (15.2)."""
    points = _cloud()
    centred = points - points.mean(axis=0)
    model, full = PCA(2).fit(points), PCA(5).fit(points)
    axes = model.components_
    error = np.square(centred - centred @ axes.T @ axes).sum()
    random = np.random.default_rng(shifted(1))
    frames = [np.linalg.qr(random.normal(size=(5, 2)))[0] for _ in range(500)]
    rivals = [np.square(centred - centred @ q @ q.T).sum() for q in frames]
    kept = [np.square(centred @ q).sum() for q in frames]
    total = np.square(centred).sum()
    return outcome(
        measured(
            "error over m times the discarded values, less one",
            "0",
            abs(error / (120 * full.eigenvalues_[2:].sum()) - 1),
            at_most=1e-12,
        ),
        measured(
            "error over the least of 500 random projections",
            "argmin",
            error / min(rivals),
            at_most=1.0,
        ),
        measured(
            "error + kept variance over total, largest gap",
            "(15.2)",
            float(np.abs((np.array(rivals) + kept) / total - 1).max()),
            at_most=1e-12,
        ),
        measured(
            "U' X against the coordinates",
            "Y = U_k' X",
            float(np.abs(centred @ axes.T - model.embedding_).max()),
            at_most=1e-12,
        ),
    )


@item("S3.exercise-15.1", "PCA and maximal variance", "Exercise 15.1")
def exercise_15_1() -> Outcome:
    """(a) the variance along u is u'Cu; (b) the first component maximises it."""
    points = _cloud(2)
    covariance = np.cov(points.T, ddof=0)
    directions = np.random.default_rng(shifted(3)).normal(size=(1000, 5))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    along = (points @ directions.T).var(axis=0)
    forms = np.einsum("ij,jk,ik->i", directions, covariance, directions)
    model = PCA(1).fit(points)
    return outcome(
        measured(
            "variance less u'Cu, largest over 1,000 directions",
            "0",
            float(np.abs(along - forms).max()),
            at_most=1e-11,
        ),
        measured(
            "largest variance of 1,000 directions over the first value",
            "maximal",
            float(along.max() / model.eigenvalues_[0]),
            at_most=1.0,
        ),
        measured(
            "variance along the first component over its value, less one",
            "0",
            abs(float(model.embedding_.var() / model.eigenvalues_[0]) - 1),
            at_most=1e-12,
        ),
    )


@item("S3.exercise-15.2", "Double centring", "Exercise 15.2 a-d")
def exercise_15_2() -> Outcome:
    """(a) with a minus sign, (b) and (c) as printed, and (d) with squared distances: the text's
    forms of (a) and (d) do not hold."""
    points = _cloud(4)
    m = len(points)
    gram = kernel.Kernel("linear")(points, points)
    lengths = distances.pairwise_distances(points, points)
    squares = lengths**2
    own = np.diag(gram)
    sums = own[:, None] + own
    star = kernel.Kernel("linear")(*(points - points.mean(axis=0),) * 2)
    ones = np.ones((m, m))
    four = gram - gram @ ones / m - ones @ gram / m + ones @ gram @ ones / m**2
    means = squares.mean(axis=1)
    entries = -0.5 * (squares - means[:, None] - means + squares.mean())
    scaled = ClassicalMDS(2, metric="precomputed").fit(lengths)
    return outcome(
        measured(
            "(a) with minus D^2, gap",
            "K_ij = (K_ii + K_jj - D^2) / 2: 0",
            gap(0.5 * (sums - squares), gram),
            at_most=1e-12,
        ),
        measured(
            "(a) with plus D^2, gap",
            "K_ij = (K_ii + K_jj + D^2) / 2",
            gap(0.5 * (sums + squares), gram),
            at_least=0.1,
            erratum="S3-plus-sign",
            claimed=0.0,
        ),
        measured("(b) four terms, gap", "0", gap(four, star), at_most=1e-12),
        measured(
            "(b) kernel.double_centered of K, gap",
            "0",
            gap(kernel.double_centered(gram), star),
            at_most=1e-12,
        ),
        measured("(c) as printed, gap", "0", gap(entries, star), at_most=1e-12),
        measured(
            "(d) the kernel of classical scaling, from distances alone, gap",
            "-H D^2 H / 2: 0",
            gap(scaled.kernel_(), star),
            at_most=1e-12,
        ),
        measured(
            "(d) kernel.double_centered of -D / 2, gap",
            "K* = -H D H / 2",
            gap(kernel.double_centered(-0.5 * lengths), star),
            at_least=0.1,
            erratum="S3-unsquared",
            claimed=0.0,
        ),
    )


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
    random = np.random.default_rng(shifted(153))
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
    points = np.random.default_rng(shifted(154)).normal(size=(60, 3000))
    eps = 0.4
    k = johnson_lindenstrauss_dimension(60, eps, "mohri")
    maps = (
        RandomProjection(k, random_state=shifted(seed)).fit_transform(points) for seed in range(20)
    )
    kept = [distortions(points, places).eps <= eps for places in maps]
    drawn = RandomProjection(k, eps=eps, guarantee=True, random_state=shifted(0)).fit(points)
    worst = distortions(points, drawn.embedding_).eps
    promised = projection_success_probability(60, eps)
    return outcome(
        follows(
            "k for m = 10,000 and eps = 0.1",
            "18,421",
            johnson_lindenstrauss_dimension(10_000, 0.1, "mohri"),
        ),
        follows(
            "k by Dasgupta and Gupta, rounded up",
            "7,895",
            johnson_lindenstrauss_dimension(10_000, 0.1),
        ),
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
            k: RandomProjection(k, random_state=shifted(0)).fit_transform(images) for k in SIZES
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
