"""Izenman 2013, sections 16.6.4-16.6.6: LLE, Laplacian and Hessian eigenmaps, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, graph, problem, quality, spectrum
from ..methods import LLE, HessianLLE, LaplacianEigenmaps
from .checks import Check, Outcome, equal, gap, measured, mostly, outcome, worst_fit
from .pages import panels
from .runner import item, shifted


def _weights_of(points: Any, neighbors: Any) -> Any:
    """Solve G w = 1 and normalise: the weights of one point from its neighbours (16.42)."""
    steps = neighbors - points
    solved = np.linalg.solve(steps @ steps.T, np.ones(len(neighbors)))
    return solved / solved.sum()


@item("S4.weights-of-lle", "Constrained least squares fits", "eqs. 16.40-16.42")
def weights_of_lle() -> Outcome:
    """The weights rebuild each point best, add up to one, and know nothing of rotation, reflection,
    shift and scale in any number of coordinates. They come from a K x K matrix; with a row for
    every point it has no inverse. As columns (Vidal et al.) they are the transpose of the rows
    (Mohri et al., Izenman); the map is the same."""
    random = np.random.default_rng(shifted(8))
    points = random.normal(size=(40, 5))
    near = distances.neighbor_graph(points, 4)
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
        _sizes_of_weights(points, members[0]),
        measured(
            "reconstruction error against the method's",
            "the minimum of (16.41)",
            abs(0.5 * np.square(missed).sum() / model.reconstruction_error_ - 1),
            at_most=1e-8,
        ),
        measured(
            "(I - C)(I - C)' for columns C = W' against (I - W)'(I - W) for rows",
            "the same map",
            float(np.abs(by_columns - by_rows).max()),
            at_most=1e-12,
        ),
        measured(
            "(I - W)(I - W)', with rows where Vidal et al. have columns, off by",
            "both are called W: no difference",
            gap((np.eye(40) - table) @ (np.eye(40) - table).T, by_rows),
            at_least=0.1,
            erratum="S4-rows-or-columns",
            claimed=0.0,
        ),
    )


def _sizes_of_weights(points: Any, members: Any) -> list[Check]:
    """Check which matrices may turn the points, and which matrix gives the weights."""
    return [
        equal(
            "(D, det R) of the orthogonal R that change no weight by 1e-9",
            "R in SO(3)",
            [(width, sign) for width in (3, 5) for sign in (-1, 1) if _unchanged(width, sign)],
            [(3, -1), (3, 1), (5, -1), (5, 1)],
            erratum="S0-rotations",
            claimed=[(3, 1)],
        ),
        equal(
            "rank of G with a row for every point, n = 40, K = 4",
            "an (n x n)-matrix that has an inverse",
            _rank_of_full_gram(points, members),
            4,
            erratum="S4-inverse-of-G",
            claimed=40,
        ),
    ]


def _unchanged(width: int, sign: int) -> bool:
    """Tell whether weights survive a random orthogonal matrix of that size and determinant."""
    random = np.random.default_rng(shifted(width))
    points, near = random.normal(size=width), random.normal(size=(width, width))
    turn, _ = np.linalg.qr(random.normal(size=(width, width)))
    turn[:, 0] *= sign * np.sign(np.linalg.det(turn))
    before, after = _weights_of(points, near), _weights_of(points @ turn, near @ turn)
    return bool(np.abs(after - before).max() < 1e-9 * np.abs(before).max())


def _rank_of_full_gram(points: Any, members: Any) -> int:
    """Return the rank of G of the first point, zero outside its neighbours, with n rows."""
    steps = np.zeros_like(points)
    steps[members] = points[0] - points[members]
    return int(np.linalg.matrix_rank(steps @ steps.T))


@item("S4.lle", "LLE: the smallest eigenvectors of M", "eqs. 16.43-16.45")
def lle() -> Outcome:
    """Mean zero, unit covariance, cost tr(Y M Y') equal to the sum of the eigenvalues; the sheet
    of most S-curves comes out flat."""
    sample = datasets.s_curve(800, seed=shifted(0))
    model = LLE(2, n_neighbors=12).fit(sample.points)
    places = model.embedding_
    top = spectrum.all_eigenvalues(model.kernel_())
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
        mostly(
            "R^2 of the flat coordinates, smaller",
            "the sheet is recovered",
            [_recovered(seed) for seed in range(10)],
            at_least=0.65,
            share=0.8,
        ),
        draw=lambda: panels({"LLE of the S-curve": places}, sample.color),
    )


def _recovered(seed: int) -> float:
    sample = datasets.s_curve(800, seed=shifted(seed))
    return worst_fit(LLE(2, n_neighbors=12).fit_transform(sample.points), sample.coordinates)


@item("S4.hessian", "Hessian eigenmaps: a null space of affine functions", "eqs. 16.51-16.53")
def hessian() -> Outcome:
    """On an isometric patch constants and flat coordinates have no Hessian: t + 1 zero values.

    The neighbourhood's mean divides by K; dividing by n leaves the points where they are. The
    matrix has one row a point. The rolls are drawn five times.
    """
    rolls = [datasets.swiss_roll(1000, seed=shifted(seed)) for seed in range(5, 10)]
    unrolled = [HessianLLE(2, n_neighbors=12).fit_transform(roll.points) for roll in rolls]
    fits = [worst_fit(y, roll.coordinates) for y, roll in zip(unrolled, rolls, strict=True)]
    sample = datasets.swiss_roll(1000, seed=shifted(4))
    model = HessianLLE(2, n_neighbors=12).fit(sample.points)
    flat = np.random.default_rng(shifted(1)).uniform(size=(300, 2))
    plane = HessianLLE(2, n_neighbors=12).fit(flat)
    members = distances.neighbor_graph(sample.points, 12).neighbors.reshape(1000, 12)
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
        mostly(
            "R^2 of the flat coordinates of the roll, smaller",
            "recovered up to a rigid motion",
            fits,
            at_least=0.99,
            share=0.8,
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


@item(
    "S4.tangent-frame",
    "Curviness does not depend on the tangent frame",
    "section 16.6.6, H' = U H U'",
)
def tangent_frame() -> Outcome:
    """The Frobenius norm of a Hessian is the same in all orthonormal coordinates, so the map does
    not change when space is rotated."""
    random = np.random.default_rng(shifted(9))
    hessians = random.normal(size=(20, 3, 3))
    hessians = hessians + hessians.transpose(0, 2, 1)
    frame, _ = np.linalg.qr(random.normal(size=(3, 3)))
    turned = frame @ hessians @ frame.T
    sample = datasets.s_curve(500, seed=shifted(5))
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


@item(
    "S4.neighbour-rules",
    "Who is a neighbour: K or a radius, either or both",
    "sections 16.6.4-16.6.5",
)
def neighbour_rules() -> Outcome:
    """Lists are not symmetric; joining by "either" or by "both" and by radius or its square give
    different graphs. A disconnected graph is treated component by component."""
    points = datasets.twin_peaks(400, seed=shifted(2), height=2.0).points
    listed = distances.neighbor_graph(points, 5)
    either, both = (graph.symmetrize(listed, rule) for rule in ("union", "mutual"))
    plain, squared = (
        distances.neighbor_graph(points, radius=0.25, squared_radius=is_squared)
        for is_squared in (False, True)
    )
    halves = np.vstack([points[:200], points[200:] + 100.0])
    apart = LaplacianEigenmaps(2, n_neighbors=8, sigma=0.3).fit(halves)
    alone = LaplacianEigenmaps(2, n_neighbors=8, sigma=0.3).fit(halves[:200])
    return outcome(
        measured(
            "edges joined by either over edges joined by both",
            "x_j in N_i if and only if x_i in N_j",
            either.n_edges / both.n_edges,
            at_least=1.2,
            erratum="S4-neighbour-rules",
            claimed=1.0,
        ),
        measured(
            "edges with |x - y|^2 < 0.25 over edges with |x - y| <= 0.25",
            "the same eps (16.6.5: |x - y| < eps)",
            squared.n_edges / plain.n_edges,
            at_least=2.0,
            erratum="S4-squared-radius",
            claimed=1.0,
        ),
        equal(
            "connected components",
            "two far halves",
            len(graph.find_components(graph.symmetrize(distances.neighbor_graph(halves, 8))).sizes),
            2,
        ),
        measured(
            "map of one half against the same half alone",
            "applied separately to each connected subgraph",
            float(np.abs(np.abs(apart.embedding_[:200]) - np.abs(alone.embedding_)).max()),
            at_most=1e-8,
        ),
    )


@item("S4.laplacian", "Laplacian eigenmaps: the graph Laplacian", "eqs. 16.46-16.49")
def laplacian() -> Outcome:
    """y'Ly is half the weighted sum of squared differences; D^(-1/2) W D^(-1/2) has largest
    eigenvalue one, and its vectors are those of L v = value D v, read from the other end."""
    points = datasets.s_curve(150, seed=shifted(3)).points
    joined = graph.symmetrize(distances.neighbor_graph(points, 7))
    weights = joined.with_weights(np.exp(-(joined.distances**2) / (2 * 0.5**2))).toarray()
    degree = weights.sum(axis=1)
    y = np.random.default_rng(shifted(0)).normal(size=150)
    pairs = 0.5 * (weights * np.square(y[:, None] - y)).sum()
    scaled = weights / np.sqrt(np.outer(degree, degree))
    values = spectrum.all_eigenvalues(scaled)
    walk = LaplacianEigenmaps(2, n_neighbors=7, sigma=0.5).fit(points)
    plain = LaplacianEigenmaps(2, n_neighbors=7, sigma=0.5, laplacian="unnormalized").fit(points)
    return outcome(
        measured(
            "y'Ly over half the double sum, less one",
            "0",
            abs(y @ (degree * y - weights @ y) / pairs - 1),
            at_most=1e-12,
        ),
        measured(
            "largest eigenvalue of D^(-1/2) W D^(-1/2) less one",
            "0",
            abs(float(values[0]) - 1),
            at_most=1e-12,
        ),
        measured(
            "its smallest eigenvalue",
            "the smallest eigenvalue is zero",
            float(values[-1]),
            at_most=-0.1,
            erratum="S4-smallest-is-largest",
            claimed=0.0,
        ),
        measured(
            "1 - next values against those of L v = value D v",
            "equivalently, the eigenvalues of D^(-1/2) W D^(-1/2)",
            float(np.abs(1 - values[1:3] - walk.eigenvalues_).max()),
            at_most=1e-10,
        ),
        measured(
            "Y D Y' less identity",
            "I (16.48)",
            float(
                np.abs((walk.embedding_ * degree[:, None]).T @ walk.embedding_ - np.eye(2)).max()
            ),
            at_most=1e-9,
        ),
        measured(
            "left over between the maps of L and of (L, D)",
            "both are called Laplacian eigenmaps",
            quality.disparity(plain.embedding_, walk.embedding_),
            at_least=1e-4,
            erratum="S4-unnormalised",
            claimed=0.0,
        ),
    )


@item("S4.laplace-beltrami", "The graph Laplacian approximates Laplace-Beltrami", "section 16.6.5")
def laplace_beltrami() -> Outcome:
    """On a circle of circumference one, f = cos(2 pi s) is an eigenfunction with value (2 pi)^2.

    What the operator does to constants is taken off, as D - W does.
    """
    n, t = 1000, 5e-4
    angle = 2 * np.pi * np.arange(n) / n
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) / (2 * np.pi)
    operator = problem.laplace_operator(
        distances.neighbor_graph(circle, radius=8 * np.sqrt(t)), t, 1
    )
    f = np.cos(angle)
    applied = operator @ f - f * (operator @ np.ones(n))
    return outcome(
        measured(
            "f' L f over (2 pi)^2 f' f, less one",
            "an approximation to the continuous operator",
            abs(-(f @ applied) / (f @ f) / (2 * np.pi) ** 2 - 1),
            at_most=0.03,
        ),
        measured(
            "L f across f, over L f",
            "f is an eigenfunction",
            float(np.linalg.norm(applied - f * (f @ applied) / (f @ f)) / np.linalg.norm(applied)),
            at_most=1e-9,
        ),
    )
