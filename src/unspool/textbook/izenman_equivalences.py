"""Izenman 2013, section 16.6.8 and Exercises 16.6-16.8: manifold methods as kernel PCA."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, graph, kernel, problem, quality, spectrum
from ..methods import (
    LLE,
    PCA,
    ClassicalMDS,
    FeatureMapPCA,
    Isomap,
    KernelLLE,
    KernelPCA,
    LaplacianEigenmaps,
    PolynomialPCA,
    commute_time_distances,
)
from .checks import Outcome, absolute_gap, follows, gap, measured, off_by_signs, outcome, unit
from .runner import Table, item, shifted


def _sheet(n: int = 200) -> Any:
    return datasets.swiss_roll(n, seed=shifted(6)).points


def _kernel_pca(table: Any, count: int = 2, *, center: bool = True) -> Any:
    return KernelPCA(count, kernel="precomputed", center=center).fit(table).embedding_


@item("S4.kernel-pca-is-mds", "Kernel PCA with an isotropic kernel is metric MDS", "section 16.5.4")
def kernel_pca_is_mds() -> Outcome:
    """Distances sqrt(2 (1 - K)) in feature space, scaled classically, give the kernel scores."""
    points = datasets.s_curve(200, seed=shifted(1)).points
    model = KernelPCA(3, sigma=1.0).fit(points)
    table = kernel.Kernel("gaussian", gamma=model.gamma_)(points, points)
    lengths = np.sqrt(np.maximum(2 * (1 - table), 0.0))
    scaled = ClassicalMDS(3, metric="precomputed").fit(lengths)
    minus_one = kernel.double_centered(table - 1.0)
    return outcome(
        measured(
            "H A H against H K H",
            "equal, because H J = 0",
            absolute_gap(minus_one, kernel.double_centered(table)),
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
            absolute_gap(scaled.eigenvalues_, model.eigenvalues_),
            at_most=1e-8,
        ),
    )


@item("S4.kernel-of-isomap", "Isomap is kernel PCA with K = A^G", "eq. 16.54")
def kernel_of_isomap() -> Outcome:
    """The doubly centred squared geodesics, given to kernel PCA, return the map and its scale.
    They are definite in the limit only: the negative share falls as points are added."""
    model = Isomap(2, n_neighbors=8).fit(_sheet())
    shares = [Isomap(2, n_neighbors=8).fit(_sheet(n)).negative_mass() for n in (200, 1600)]
    return outcome(
        measured(
            "difference of the maps",
            "equivalent to kernel PCA",
            off_by_signs(_kernel_pca(model.kernel_()), model.embedding_),
            at_most=1e-9,
        ),
        measured(
            "negative share of the spectrum, n = 200",
            "not guaranteed to be zero",
            shares[0],
            at_least=0.01,
        ),
        measured(
            "the same at n = 1,600 over n = 200",
            "only in an asymptotic sense",
            shares[1] / shares[0],
            at_most=0.9,
        ),
    )


@item("S4.kernel-of-lle", "LLE is kernel PCA with K = lambda_1 I - M", "eq. 16.55")
def kernel_of_lle() -> Outcome:
    """K is non-negative definite; eigenvectors 2 to t + 1 are the map, up to sqrt(lambda_k), and so
    are those of M-, the other kernel of LLE. The constant vector has the largest eigenvalue, not
    zero."""
    model = LLE(2, n_neighbors=8).fit(_sheet())
    table = model.kernel_()
    values = spectrum.all_eigenvalues(table)
    inverse = np.linalg.pinv((model.matrix_.T @ model.matrix_).toarray(), 1e-12, hermitian=True)
    constant = np.full(200, 200**-0.5)
    return outcome(
        measured(
            "smallest eigenvalue of K", "non-negative definite", float(values[-1]), at_least=-1e-10
        ),
        measured(
            "eigenvalue of the constant vector, less the largest",
            "the constant vector corresponds to the zero eigenvalue",
            abs(float(constant @ table @ constant) - float(values[0])),
            at_most=1e-10,
            erratum="S4-kernel-of-lle",
            claimed=float(values[0]),
        ),
        measured(
            "eigenvectors 2 and 3 against the map",
            "give the LLE embedding",
            off_by_signs(unit(_kernel_pca(table)) * np.sqrt(200), model.embedding_),
            at_most=1e-6,
        ),
        measured(
            "scores over the map, column by column, against sqrt(lambda_k / n)",
            "equal up to sqrt(lambda_k)",
            gap(np.linalg.norm(_kernel_pca(table), axis=0) ** 2, values[0] - model.eigenvalues_),
            at_most=1e-6,
        ),
        measured(
            "kernel PCA of the generalised inverse of M against the map",
            "another kernel with the same eigenvectors",
            off_by_signs(unit(_kernel_pca(inverse)) * np.sqrt(200), model.embedding_),
            at_most=1e-6,
        ),
    )


@item("S4.kernel-lle", "LLE in feature space", "eqs. 16.56-16.57")
def kernel_lle() -> Outcome:
    """Distances and local Gram matrices from a kernel: with inner products it is LLE itself, with
    a Gaussian the neighbours are the same, since its distance grows with the plain one."""
    points = _sheet()
    plain = LLE(2, n_neighbors=8).fit(points)
    linear = KernelLLE(2, n_neighbors=8, kernel="linear").fit(points)
    table = kernel.Kernel("gaussian", gamma=0.01)(points, points)
    own = np.diag(table)
    lengths = np.sqrt(np.maximum(own[:, None] - 2 * table + own, 0.0))
    by_kernel = distances.neighbor_graph(lengths, 8, metric="precomputed").neighbors
    steps = (
        table[0, 0]
        - table[0, by_kernel[:8]][:, None]
        - table[0, by_kernel[:8]]
        + table[np.ix_(by_kernel[:8], by_kernel[:8])]
    )
    return outcome(
        measured(
            "linear kernel against LLE",
            "the same",
            off_by_signs(linear.embedding_, plain.embedding_),
            at_most=1e-6,
        ),
        measured(
            "neighbours in feature space that are neighbours in space",
            "nearest neighbours by (16.56)",
            float(np.mean(by_kernel == distances.neighbor_graph(points, 8).neighbors)),
            at_least=1.0,
        ),
        measured(
            "smallest eigenvalue of a local Gram matrix",
            "G~ of (16.57)",
            float(spectrum.all_eigenvalues(steps)[-1]),
            at_least=-1e-12,
        ),
    )


@item("S4.kernel-of-eigenmaps", "Laplacian eigenmaps are kernel PCA with K = L-", "eq. 16.58")
def kernel_of_eigenmaps() -> Outcome:
    """The generalised inverse of L turns the smallest values into the largest; it is the kernel of
    commute times, as a random walk confirms."""
    points = _sheet()
    model = LaplacianEigenmaps(2, n_neighbors=8, sigma=2.0, laplacian="unnormalized").fit(points)
    table = model.kernel_()
    joined = graph.symmetrize(distances.neighbor_graph(points, 8))
    weights = joined.with_weights(np.exp(-(joined.distances**2) / 8))
    times = commute_time_distances(weights)
    own = np.diag(table)
    predicted = weights.sum() * (own[:, None] + own - 2 * table)
    ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    return outcome(
        measured(
            "kernel PCA of L- against the map",
            "equivalent",
            off_by_signs(unit(_kernel_pca(table, center=False)), unit(model.embedding_)),
            at_most=1e-6,
        ),
        measured(
            "vol (L-_ii + L-_jj - 2 L-_ij) over commute times, less one",
            "0",
            float(np.abs(predicted / np.where(times > 0, times, 1) - 1)[times > 0].max()),
            at_most=1e-6,
        ),
        measured(
            "simulated commute time on a ring of six over the formula, less one",
            "commute times of diffusion on a graph",
            abs(_walked(ring, 0, 3) / commute_time_distances(ring)[0, 3] - 1),
            at_most=0.1,
        ),
    )


@item("S4.kernels-of-methods", "Every kernel, given to kernel PCA, is its map", "section 16.6.8")
def kernels_of_methods() -> Outcome:
    """``kernel_()`` of the methods that are kernel PCA, given to kernel PCA as a table: its
    eigenvectors are the columns of the map. The kernel of Laplacian eigenmaps is not centred."""
    points = _sheet()
    methods: dict[str, Any] = {
        "PCA": PCA(2),
        "classical MDS": ClassicalMDS(2),
        "kernel PCA": KernelPCA(2, sigma=5.0),
        "PCA of quadratic features": FeatureMapPCA(2),
        "polynomial PCA": PolynomialPCA(2),
        "Isomap": Isomap(2, n_neighbors=8),
        "LLE": LLE(2, n_neighbors=8),
        "kernel LLE": KernelLLE(2, n_neighbors=8, sigma=5.0),
        "Laplacian eigenmaps": LaplacianEigenmaps(2, n_neighbors=8, laplacian="symmetric"),
    }
    return outcome(
        [
            measured(
                f"{name}: kernel PCA of kernel_() against the map",
                "equivalent to kernel PCA",
                _from_kernel(model.fit(points), center=name != "Laplacian eigenmaps"),
                at_most=1e-6,
            )
            for name, model in methods.items()
        ]
    )


def _from_kernel(model: Any, *, center: bool) -> float:
    table = model.kernel_() @ np.eye(model.embedding_.shape[0])  # a table or an operator
    return off_by_signs(unit(_kernel_pca(table, center=center)), unit(model.embedding_))


def _walked(weights: Any, start: int, goal: int, walks: int = 2000) -> float:
    """Return the mean number of steps of random walks from ``start`` to ``goal`` and back."""
    random = np.random.default_rng(shifted(0))
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    steps = 0
    for target, place in ((goal, start), (start, goal)):
        walkers = np.full(walks, place)
        while len(walkers):
            draws = random.random(len(walkers))[:, None]
            walkers = (draws > chances[walkers]).sum(axis=1)
            steps += len(walkers)
            walkers = walkers[walkers != target]
    return steps / walks


@item("S4.exercise-16.6", "Double centring, entry by entry", "Exercise 16.6")
def exercise_16_6() -> Outcome:
    """b_ij = a_ij - a_i. - a_.j + a_.. for every symmetric matrix, with and without the table."""
    random = np.random.default_rng(shifted(10))
    a = random.normal(size=(30, 30))
    a = a + a.T
    b = kernel.double_centered(a)
    h = np.eye(30) - 1 / 30
    entries = [
        a[i, j] - a[i].mean() - a[:, j].mean() + a.mean() for i in range(30) for j in range(30)
    ]
    solved = spectrum.solve(problem.gram(a), 3).values
    return outcome(
        measured(
            "kernel.double_centered against a_ij - a_i. - a_.j + a_.., entry by entry",
            "equal",
            absolute_gap(b.ravel(), np.array(entries)),
            at_most=1e-13,
        ),
        measured("the same against H A H", "equal", absolute_gap(b, h @ a @ h), at_most=1e-13),
        measured(
            "three largest values of the problem that centres A without a table, against B's",
            "equal",
            absolute_gap(solved, spectrum.all_eigenvalues(b)[:3]),
            at_most=1e-10,
        ),
    )


@item(
    "S4.exercise-16.7",
    "Is B non-negative definite?",
    "Exercise 16.7, section 16.6.3",
    needs=["swiss_roll_isomap"],
)
def exercise_16_7(roll: Table) -> Outcome:
    """For Euclidean distances it is. For dissimilarities in general it is not: the geodesics of
    the book's own example have a negative eigenvalue, two percent of the largest."""
    random = np.random.default_rng(shifted(11))
    euclidean = ClassicalMDS(2).fit(random.normal(size=(60, 5)))
    geodesic = Isomap(2, n_neighbors=7).fit(roll["x"][:1000])
    values = spectrum.all_eigenvalues(geodesic.kernel_())
    return outcome(
        measured(
            "smallest eigenvalue over largest, Euclidean",
            "non-negative definite",
            float(spectrum.all_eigenvalues(euclidean.kernel_())[-1] / euclidean.eigenvalues_[0]),
            at_least=-1e-12,
        ),
        follows("smallest eigenvalue of A^G on the Swiss roll", "-17127", float(values[-1])),
        measured(
            "its size against the largest",
            "A^G is non-negative definite of rank t < n",
            float(-values[-1] / values[0]),
            at_least=0.01,
            erratum="S4-definite",
            claimed=0.0,
        ),
    )


@item("S4.exercise-16.8", "Isomap's coordinates have mean zero", "Exercise 16.8")
def exercise_16_8() -> Outcome:
    """H 1 = 0, so B 1 = 0, so eigenvectors with other values are orthogonal to 1."""
    model = Isomap(3, n_neighbors=8).fit(_sheet())
    h = np.eye(200) - 1 / 200
    return outcome(
        measured("H 1", "0", float(np.abs(h.sum(axis=1)).max()), at_most=1e-13),
        measured(
            "B 1 over the largest entry of B",
            "0",
            float(np.abs(model.kernel_().sum(axis=1)).max() / np.abs(model.kernel_()).max()),
            at_most=1e-11,
        ),
        measured(
            "mean of the coordinates",
            "0",
            float(np.abs(model.embedding_.mean(axis=0)).max()),
            at_most=1e-9,
        ),
    )
