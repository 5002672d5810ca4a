# mypy: allow-untyped-defs, allow-untyped-decorators, allow-untyped-calls
"""S4 16.5: kernel PCA, the food data of Figure 16.5, and Exercises 16.2 to 16.5."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import datasets, kernel, quality
from ...methods import PCA, ClassicalMDS, KernelPCA
from ..comparing import gap, share_of_own
from ..data import Table
from ..drawing import canvas, scatter
from ..outcome import Outcome, equal, measured, outcome, printed, rising
from ..registry import item


@item("S4.feature-space", "PCA in feature space from inner products alone", "(16.23)-(16.32)")
def feature_space() -> Outcome:
    """With a kernel whose features can be written down, both ways give the same scores.

    (16.30) makes alpha as long as 1 / sqrt(value of K). Then K alpha are the scores already, and
    the factor in front of (16.31) would divide them once more.
    """
    points = np.random.default_rng(3).normal(size=(60, 2))
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


@item("S4.centering", "Centring in feature space without features", "(16.33)-(16.34)")
def centering() -> Outcome:
    """H K H, written out in four terms, is what the means of rows and columns give."""
    points = np.random.default_rng(4).normal(size=(50, 3))
    table = kernel.Kernel("gaussian", gamma=0.3)(points, points)
    means = np.full((50, 50), 1 / 50)
    four_terms = table - table @ means - means @ table + means @ table @ means
    centred = np.eye(50) - means
    return outcome(
        measured(
            "four terms against H K H",
            "equal",
            _gap(four_terms, centred @ table @ centred),
            at_most=1e-13,
        ),
        measured(
            "four terms against the means",
            "equal",
            _gap(four_terms, kernel.double_centered(table)),
            at_most=1e-13,
        ),
    )


def _gap(one: Any, other: Any) -> float:
    return float(np.abs(np.asarray(one) - other).max())


@item("S4.kernel-pca-is-mds", "Kernel PCA with an isotropic kernel is metric MDS", "16.5.4")
def kernel_pca_is_mds() -> Outcome:
    """Distances sqrt(2 (1 - K)) in feature space, scaled classically, give the kernel scores."""
    points = datasets.s_curve(200, seed=1).points
    model = KernelPCA(3, sigma=1.0).fit(points)
    table = kernel.Kernel("gaussian", gamma=model.gamma_)(points, points)
    lengths = np.sqrt(np.maximum(2 * (1 - table), 0.0))
    scaled = ClassicalMDS(3, metric="precomputed").fit(lengths)
    minus_one = kernel.double_centered(table - 1.0)
    return outcome(
        measured(
            "H A H against H K H",
            "equal, because H J = 0",
            _gap(minus_one, kernel.double_centered(table)),
            at_most=1e-13,
        ),
        measured(
            "left over after a rotation",
            "an equivalent configuration of points",
            quality.disparity(scaled.embedding_, model.embedding_),
            at_most=1e-12,
        ),
        measured(
            "eigenvalues, largest difference",
            "the same",
            _gap(scaled.eigenvalues_, model.eigenvalues_),
            at_most=1e-8,
        ),
    )


@item("S4.exercise-16.2", "Which kernels obey K(x,y)^2 <= K(x,x) K(y,y)?", "Exercise 16.2")
def exercise_16_2() -> Outcome:
    """Inner products do; the tanh kernel and the thin-plate spline are none, and do not."""
    points = np.random.default_rng(5).normal(size=(80, 3))
    tables = {
        name: kernel.Kernel(name, gamma=0.5, degree=3, coef0=1.0)(points, points)
        for name in ("linear", "polynomial", "homogeneous", "gaussian", "laplacian", "sigmoid")
    }
    tables["homogeneous"] = kernel.Kernel("homogeneous", degree=2)(points, points)
    tables["sigmoid"] = kernel.Kernel("sigmoid", gamma=0.5, coef0=-1.0)(points, points)
    squares = np.square(points[:, None] - points).sum(axis=2)
    tables["thin-plate spline"] = squares * np.log(np.sqrt(np.where(squares > 0, squares, 1.0)))
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
        maps[f"sigma = {sigma:g}"] = KernelPCA(2, sigma=sigma, landmarks=600).fit(points).embedding_
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
    cloud = datasets.correlated_normal(500, seed=7).points
    given = np.array(datasets.EXERCISE_CORRELATION)
    correlation = np.asarray(np.corrcoef(cloud.T))
    linear = PCA(2).fit(cloud).embedding_
    gammas = (1e-4, 0.05, 0.5)
    maps = {g: KernelPCA(2, gamma=g).fit(cloud) for g in gammas}
    left = [quality.disparity(maps[g].embedding_, linear) for g in gammas]
    weak = np.eye(4) + 0.3 * (given - np.eye(4))
    share = [
        PCA(1)
        .fit(datasets.correlated_normal(500, correlation=r, seed=7).points)
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
