"""S4 16.6.4-16.6.6: LLE, Laplacian and Hessian eigenmaps, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from unspool import LLE, HessianLLE, datasets, graph, quality, spectrum

from ..comparing import gap
from ..drawing import panels
from ..outcome import Outcome, equal, measured, outcome
from ..registry import item


def _weights_of(points: Any, neighbors: Any) -> Any:
    """Solve G w = 1 and normalise: the weights of one point from its neighbours (16.42)."""
    steps = neighbors - points
    solved = np.linalg.solve(steps @ steps.T, np.ones(len(neighbors)))
    return solved / solved.sum()


@item("S4.weights-of-lle", "Constrained least squares fits", "(16.40)-(16.42)")
def weights_of_lle() -> Outcome:
    """The weights rebuild each point best, add up to one, and know nothing of rotation, shift and
    scale. As columns (S0) they are the transpose of the rows (S3, S4); the map is the same."""
    random = np.random.default_rng(8)
    points = random.normal(size=(40, 5))
    near = graph.nearest(points, 4)
    members = near.neighbors.reshape(40, 4)
    rows = np.array([_weights_of(points[i], points[members[i]]) for i in range(40)])
    turn, _ = np.linalg.qr(random.normal(size=(5, 5)))
    moved = 3.0 * points @ turn + 7.0
    after = np.array([_weights_of(moved[i], moved[members[i]]) for i in range(40)])
    missed = points - np.einsum("ij,ijk->ik", rows, points[members])
    model = LLE(2, n_neighbors=4, regularization=0.0).fit(points)
    table = np.zeros((40, 40))
    np.put_along_axis(table, members, rows, axis=1)
    by_columns = (np.eye(40) - table.T) @ (np.eye(40) - table.T).T
    by_rows = (np.eye(40) - table).T @ (np.eye(40) - table)
    return outcome(
        measured(
            "sum of the weights less one",
            "0",
            float(np.abs(rows.sum(axis=1) - 1).max()),
            at_most=1e-12,
        ),
        measured(
            "change under rotation, shift, scaling",
            "invariant",
            float(np.abs(after - rows).max()),
            at_most=1e-10,
        ),
        measured(
            "reconstruction error against the method's",
            "the minimum of (16.41)",
            abs(np.square(missed).sum() / model.reconstruction_error_ - 1),
            at_most=1e-8,
        ),
        measured(
            "(I - C)(I - C)' for columns C = W' against (I - W)'(I - W) for rows",
            "the same map",
            float(np.abs(by_columns - by_rows).max()),
            at_most=1e-12,
        ),
        measured(
            "(I - W)(I - W)', with rows where S0 has columns, off by",
            "both are called W: no difference",
            gap((np.eye(40) - table) @ (np.eye(40) - table).T, by_rows),
            at_least=0.1,
            erratum="S4-rows-or-columns",
            claimed=0.0,
        ),
    )


@item("S4.lle", "LLE: the smallest eigenvectors of M", "(16.43)-(16.45)")
def lle() -> Outcome:
    """Mean zero, unit covariance, cost tr(Y M Y') equal to the sum of the eigenvalues; the sheet
    of an S-curve comes out flat."""
    sample = datasets.s_curve(800, seed=0)
    model = LLE(2, n_neighbors=12).fit(sample.points)
    places = model.embedding_
    top = spectrum.all_values(model.kernel_())
    cost = top[0] * np.trace(places.T @ places) - np.trace(places.T @ model.kernel_() @ places)
    return outcome(
        measured("mean", "Y 1 = 0", float(np.abs(places.mean(axis=0)).max()), at_most=1e-9),
        measured(
            "covariance less identity",
            "Y Y' / n = I",
            float(np.abs(places.T @ places / 800 - np.eye(2)).max()),
            at_most=1e-9,
        ),
        measured(
            "cost per point over the sum of the eigenvalues",
            "the minimum of (16.44)",
            abs(cost / 800 / model.eigenvalues_.sum() - 1),
            at_most=1e-3,
        ),
        measured(
            "R^2 of the flat coordinates, smaller",
            "the sheet is recovered",
            float(quality.explained_by(places, sample.coordinates).min()),
            at_least=0.9,
        ),
        draw=lambda: panels({"LLE of the S-curve": places}, sample.color),
    )


@item("S4.hessian", "Hessian eigenmaps: a null space of affine functions", "(16.51)-(16.53)")
def hessian() -> Outcome:
    """On an isometric patch constants and flat coordinates have no Hessian: t + 1 zero values.

    The neighbourhood's mean divides by K; dividing by n leaves the points where they are. The
    matrix has one row a point.
    """
    sample = datasets.swiss_roll(1000, seed=4)
    model = HessianLLE(2, n_neighbors=12).fit(sample.points)
    flat = np.random.default_rng(1).uniform(size=(300, 2))
    plane = HessianLLE(2, n_neighbors=12).fit(flat)
    members = graph.nearest(sample.points, 12).neighbors.reshape(1000, 12)
    patches = sample.points[members]
    wrong = np.linalg.norm(
        (patches - patches.sum(axis=1, keepdims=True) / 1000).mean(axis=1), axis=1
    )
    right = np.linalg.norm((patches - patches.mean(axis=1, keepdims=True)).mean(axis=1), axis=1)
    lengths = np.linalg.norm(patches.mean(axis=1), axis=1)
    return outcome(
        measured(
            "values 2 and 3 on a plane",
            "a (t + 1)-dimensional null space",
            float(plane.eigenvalues_.max()),
            at_most=1e-12,
        ),
        measured(
            "R^2 of the flat coordinates of the plane, smaller",
            "recovered from the null space",
            float(quality.explained_by(plane.embedding_, flat).min()),
            at_least=1 - 1e-9,
        ),
        measured(
            "R^2 of the flat coordinates of the roll, smaller",
            "recovered up to a rigid motion",
            float(quality.explained_by(model.embedding_, sample.coordinates).min()),
            at_least=0.998,
        ),
        measured(
            "centre left in a neighbourhood when dividing by K",
            "centred",
            float(right.max() / lengths.mean()),
            at_most=1e-12,
        ),
        measured(
            "centre left when dividing by n, over where it was",
            "centred",
            float(wrong.mean() / lengths.mean()),
            at_least=0.9,
            erratum="S4-hessian-mean",
            claimed=0.0,
        ),
        equal(
            "size of the matrix H",
            "(r x r), r = 3",
            model.matrix_.shape,
            (1000, 1000),
            erratum="S4-hessian-size",
            claimed=(3, 3),
        ),
        draw=lambda: panels({"Hessian eigenmaps of the roll": model.embedding_}, sample.color),
    )


@item("S4.tangent-frame", "Curviness does not depend on the tangent frame", "16.6.6, H' = U H U'")
def tangent_frame() -> Outcome:
    """The Frobenius norm of a Hessian is the same in all orthonormal coordinates, so the map does
    not change when space is rotated."""
    random = np.random.default_rng(9)
    hessians = random.normal(size=(20, 3, 3))
    hessians = hessians + hessians.transpose(0, 2, 1)
    frame, _ = np.linalg.qr(random.normal(size=(3, 3)))
    turned = frame @ hessians @ frame.T
    sample = datasets.s_curve(500, seed=5)
    before = HessianLLE(2, n_neighbors=10).fit(sample.points)
    after = HessianLLE(2, n_neighbors=10).fit(sample.points @ frame)
    return outcome(
        measured(
            "change of the Frobenius norm",
            "equal",
            float(
                np.abs(
                    np.linalg.norm(turned, axis=(1, 2)) - np.linalg.norm(hessians, axis=(1, 2))
                ).max()
            ),
            at_most=1e-12,
        ),
        measured(
            "change of the map when space is rotated",
            "H(f) is well defined",
            quality.disparity(after.embedding_, before.embedding_),
            at_most=1e-8,
        ),
    )
