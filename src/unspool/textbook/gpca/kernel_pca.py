"""S0 Algorithm 4.1 and Exercises 4.5-4.6: kernel PCA as a function, and new points."""

from __future__ import annotations

from typing import Any

import numpy as np

from unspool import LLE, PCA, KernelPCA, datasets, kernel, quality

from ..comparing import off_by_signs
from ..drawing import canvas
from ..outcome import Outcome, equal, measured, outcome
from ..registry import item


@item("S0.exercise-4.5", "New points without starting again", "Exercise 4.5")
def exercise_4_5() -> Outcome:
    """y = U'(x - mu), y = w' kappa_x, y = sum of weights times y_i. They equal a new fit with
    N + 1 points where the new point changes nothing: at the mean of the data for PCA; for a copy
    of a known point they place it there; for LLE inside a flat patch the weights rebuild it."""
    sample = datasets.s_curve(300, seed=45)
    points, new = sample.points, sample.points.mean(axis=0, keepdims=True)
    linear = PCA(2).fit(points)
    again = PCA(2).fit(np.vstack([points, new]))
    gauss = KernelPCA(2, sigma=1.0).fit(points)
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(9.0)), axis=-1).reshape(-1, 2)
    flat = LLE(2, n_neighbors=8, regularization=1e-9).fit(grid)
    inside = np.array([[5.5, 4.5]])
    affine = np.column_stack([grid, np.ones(len(grid))])
    fitted = np.linalg.lstsq(affine, flat.embedding_, rcond=None)[0]
    expected = np.append(inside, [[1.0]], axis=1) @ fitted
    shifted = PCA(2).fit(np.vstack([points, points[:1] + np.array([5.0, 0.0, 0.0])]))
    return outcome(
        measured(
            "PCA, new point at the mean: old points move by",
            "equal to refitting",
            off_by_signs(again.embedding_[:-1], linear.embedding_),
            at_most=1e-12,
        ),
        measured(
            "PCA, new point far away: old points move by",
            "not equal in general",
            off_by_signs(shifted.embedding_[:-1], linear.embedding_),
            at_least=1e-3,
        ),
        measured(
            "kernel PCA, copies of known points",
            "their coordinates",
            off_by_signs(gauss.transform(points[:20].copy()), gauss.embedding_[:20]),
            at_most=1e-10,
        ),
        measured(
            "LLE on a flat grid, new point between four others",
            "the affine place",
            float(np.abs(flat.transform(inside) - expected).max()),
            at_most=1e-3,
        ),
    )


def poly_kernel(x1: Any, x2: Any, n: int) -> Any:
    """Return k(x1, x2) = (x1'x2)^n for columns of points, as the exercise defines it."""
    return (x1.T @ x2) ** n


def gauss_kernel(x1: Any, x2: Any, sigma: float) -> Any:
    """Return k(x1, x2) = exp(-|x1 - x2|^2 / sigma^2) for columns of points."""
    squares = np.square(x1[:, :, None] - x2[:, None, :]).sum(axis=0)
    return np.exp(-squares / sigma**2)


def kpca(x: Any, d: int, function: Any, params: float) -> Any:
    """Return the d x N kernel principal components of the columns of x (D x N)."""
    table = function(x, x, params)
    return KernelPCA(d, kernel="precomputed").fit_transform(table).T


@item("S0.exercise-4.6", "kpca(x, d, kernel, params) and the three clusters", "Exercise 4.6")
def exercise_4_6() -> Outcome:
    """The function of the exercise on kpca_toy: three clusters, exp(-d^2 / 0.1), eight components.
    The first two tell the clusters apart, the later ones split them."""
    sample = datasets.three_clusters(90, seed=46)
    y = kpca(sample.points.T, 8, gauss_kernel, np.sqrt(0.1))
    model = KernelPCA(8, t=0.1).fit(sample.points)
    clusters = sample.color
    within = [np.mean([row[clusters == c].var() for c in range(3)]) / row.var() for row in y]
    cubic = kpca(sample.points.T, 2, poly_kernel, 3)
    explicit = KernelPCA(2, kernel="homogeneous", degree=3).fit_transform(sample.points)
    return outcome(
        equal("size of the result", "d x N", y.shape, (8, 90)),
        measured(
            "kpca with gauss_kernel against KernelPCA(t=0.1)",
            "the same",
            off_by_signs(y.T, model.embedding_),
            at_most=1e-9,
        ),
        measured(
            "kpca with poly_kernel against the homogeneous kernel",
            "the same",
            off_by_signs(cubic.T, explicit),
            at_most=1e-9,
        ),
        measured(
            "variance within clusters over all, components 1 and 2",
            "they separate the clusters",
            float(max(within[:2])),
            at_most=0.1,
        ),
        measured(
            "the same, components 3 to 8, least",
            "they split the clusters",
            float(min(within[2:])),
            at_least=0.5,
        ),
        draw=lambda: _contours(model, sample.points),
    )


def _contours(model: Any, points: Any) -> Any:
    figure, panels = canvas(2, 4, size=2.2)
    side = np.linspace(-1, 1, 15)
    grid = np.stack(np.meshgrid(side, side), axis=-1)
    values = model.transform(grid.reshape(-1, 2)).reshape(15, 15, 8)
    for k, axes in enumerate(panels):
        axes.contourf(side, side, values[:, :, k], levels=10, cmap="RdBu")
        axes.scatter(*points.T, s=2, color="k")
        axes.set_title(f"component {k + 1}", fontsize=8)
        axes.set(xticks=[], yticks=[])
    return figure


@item("S0.algorithm-4.1", "Nonlinear kernel PCA, centred and not", "Algorithm 4.1, (4.18)-(4.22)")
def algorithm_4_1() -> Outcome:
    """Coordinates Lambda^(1/2) V' and w' kappa_x agree. Zero-mean points have features with a mean
    of their own: leaving out the centring changes the map."""
    random = np.random.default_rng(40)
    points = random.normal(size=(60, 3))
    points -= points.mean(axis=0)
    centred = KernelPCA(2, kernel="homogeneous", degree=2).fit(points)
    plain = KernelPCA(2, kernel="homogeneous", degree=2, center=False).fit(points)
    new = random.normal(size=(5, 3))
    features, others = (kernel.veronese(x, 2, scaled=True) for x in (points, new))
    rows = (others - features.mean(axis=0)) @ (features - features.mean(axis=0)).T
    placed = rows @ (centred.embedding_ / centred.eigenvalues_)
    uncentred = plain.transform(new)
    by_hand = others @ features.T @ (plain.embedding_ / plain.eigenvalues_)
    return outcome(
        measured(
            "w' kappa_x against transform",
            "(4.21)",
            off_by_signs(placed, centred.transform(new)),
            at_most=1e-10,
        ),
        measured(
            "uncentred, by hand against transform",
            "(4.29)",
            off_by_signs(by_hand, uncentred),
            at_most=1e-10,
        ),
        measured(
            "left over between the centred and the plain map",
            "zero-mean data and k(0, 0) = 0 suffice",
            quality.disparity(plain.embedding_, centred.embedding_),
            at_least=0.1,
            erratum="S0-algorithm-4.1",
            claimed=0.0,
        ),
    )
