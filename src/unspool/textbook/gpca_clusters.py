"""Vidal, Ma, Sastry 2016, section 4.3: graph Laplacians, their null space, spectral clustering."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import datasets, distances, problem, spectrum
from ..methods import SpectralClustering
from .checks import Outcome, equal, measured, mostly, outcome
from .pages import canvas, groups
from .runner import item, shifted


def _random_graph(seed: int = 0, n: int = 40) -> Any:
    """Return a symmetric table of non-negative weights with very different degrees."""
    random = np.random.default_rng(shifted(seed))
    weights = random.random((n, n)) * (random.random((n, n)) < 0.2) * np.linspace(0.1, 3.0, n)
    weights = np.triu(weights, 1)
    return weights + weights.T


@item("S0.proposition-4.10", "Basic properties of the Laplacian", "Proposition 4.10")
def proposition_4_10() -> Outcome:
    """u'Lu is half the double sum; L is semi-definite and L 1 = 0."""
    weights = _random_graph()
    operator = np.diag(weights.sum(axis=1)) - weights
    u = np.random.default_rng(shifted(1)).normal(size=40)
    double_sum = (weights * np.square(u[:, None] - u)).sum()
    return outcome(
        measured(
            "u'Lu over the double sum",
            "u'Lu = sum over i, j: 1",
            float(u @ operator @ u / double_sum),
            at_least=0.5 - 1e-12,
            at_most=0.5 + 1e-12,
            erratum="S0-half",
            claimed=1.0,
        ),
        measured(
            "smallest eigenvalue",
            "positive semi-definite",
            float(spectrum.all_eigenvalues(operator)[-1]),
            at_least=-1e-12,
        ),
        measured("L 1", "0", float(np.abs(operator.sum(axis=1)).max()), at_most=1e-12),
    )


def _three_components() -> tuple[Any, Any]:
    """Return the weights of a graph with three connected components, and the one of each vertex."""
    weights = np.zeros((60, 60))
    for own in range(3):
        block = slice(20 * own, 20 * own + 20)
        weights[block, block] = _random_graph(own + 3, 20) + 0.05 * (1 - np.eye(20))
    return weights, np.repeat(np.arange(3), 20)


@item("S0.proposition-4.11", "Connected components are zero eigenvalues", "Propositions 4.11-4.12")
def proposition_4_11() -> Outcome:
    """As many zeros as connected components; the null space is spanned by indicators, so equal rows
    mean the same component. The null space of L D^-1 is that of L on the left only."""
    weights, truth = _three_components()
    degree = weights.sum(axis=1)
    operator = np.diag(degree) - weights
    values = spectrum.all_eigenvalues(operator)
    options: Any = {"metric": "precomputed", "weights": "given", "laplacian": "unnormalized"}
    basis = (
        SpectralClustering(n_clusters=3, **options, random_state=shifted(0)).fit(weights).embedding_
    )
    labels = spectrum.components_of_null_space(basis)
    heads = np.array([basis[truth == own].mean(axis=0) for own in range(3)])
    scaled = operator / degree
    return outcome(
        equal(
            "eigenvalues that are zero",
            "three connected components",
            int((values < 1e-10).sum()),
            3,
        ),
        measured(
            "rows of the null space, gap within a component",
            "A times the indicators: equal rows (4.52)",
            float(np.abs(basis - heads[truth]).max()),
            at_most=1e-10,
        ),
        equal(
            "components read off the null space",
            "the three components",
            _same_partition(labels, truth),
            True,
        ),
        measured(
            "u' L D^-1 for u in the null space of L",
            "0",
            float(np.abs(basis.T @ scaled).max()),
            at_most=1e-12,
        ),
        measured(
            "L D^-1 u for u in the null space of L",
            "hence also in the null space of L D^-1",
            float(np.abs(scaled @ basis).max()),
            at_least=0.01,
            erratum="S0-null-space",
            claimed=0.0,
        ),
        measured(
            "L D^-1 (D u)",
            "0",
            float(np.abs(scaled @ (degree[:, None] * basis)).max()),
            at_most=1e-12,
        ),
    )


def _same_partition(labels: Any, truth: Any) -> bool:
    pairs = set(zip(labels.tolist(), truth.tolist(), strict=True))
    return len(pairs) == len(set(labels.tolist())) == len(set(truth.tolist()))


def k_means(points: Any, centres: Any) -> tuple[Any, Any, int]:
    """Return clusters, centres and the number of rounds of Algorithm 4.4."""
    for rounds in range(1, 101):
        labels = distances.pairwise_squared_distances(points, centres).argmin(axis=1)
        moved = np.array([points[labels == c].mean(axis=0) for c in range(len(centres))])
        if np.array_equal(moved, centres):
            return labels, centres, rounds
        centres = moved
    return labels, centres, rounds


@item("S0.algorithm-4.4", "K-means", "Algorithm 4.4")
def algorithm_4_4() -> Outcome:
    """Assign, update, until nothing moves: each round lowers the sum of squares."""
    sample = datasets.three_clusters(300, spread=0.12, seed=shifted(44))
    start = sample.points[[0, 150, 299]]
    labels, centres, rounds = k_means(sample.points, start)
    before = distances.pairwise_squared_distances(sample.points, start).min(axis=1).sum()
    after = distances.pairwise_squared_distances(sample.points, centres).min(axis=1).sum()
    true = np.unique(sample.coordinates, axis=0)
    gap = distances.pairwise_distances(centres, true).min(axis=1).max()
    return outcome(
        measured("rounds until converged", "clusters and centres converge", rounds, at_most=50),
        measured("sum of squares, after over before", "falls", float(after / before), at_most=1.0),
        measured(
            "centres against the true ones, largest distance",
            "isotropic Gaussians",
            float(gap),
            at_most=0.05,
        ),
        measured(
            "points in their own cluster",
            "grouped",
            _agreement(labels, sample.color),
            at_least=0.97,
        ),
    )


def _agreement(labels: Any, truth: Any) -> float:
    """Return the share of points whose cluster is mostly of their own true group."""
    return float(
        np.mean(
            [np.mean(truth[labels == c] == _mode(truth[labels == c])) for c in np.unique(labels)]
        )
    )


def _mode(values: Any) -> Any:
    found, counts = np.unique(values, return_counts=True)
    return found[counts.argmax()]


def _rings(seed: int = 45) -> tuple[Any, Any]:
    """Return points on two concentric rings, the outer one three times as many."""
    random = np.random.default_rng(shifted(seed))
    angle = random.uniform(0, 2 * np.pi, 400)
    radius = np.repeat([1.0, 3.0], [100, 300]) + 0.05 * random.normal(size=400)
    points = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points, np.repeat([0, 1], [100, 300])


@item("S0.algorithm-4.5", "Spectral clustering", "Algorithm 4.5")
def algorithm_4_5() -> Outcome:
    """Two rings, which k-means cannot part, are two points in the null space of the Laplacian."""
    points, truth = _rings()
    model = SpectralClustering(n_clusters=2, n_neighbors=8, random_state=shifted(0)).fit(points)
    plain, _, _ = k_means(points, points[[0, 399]])
    return outcome(
        measured(
            "points in their own ring, spectral",
            "identifies the components",
            _agreement(model.labels_, truth),
            at_least=1.0,
        ),
        measured(
            "the same, k-means alone",
            "complex structures deny a simple clustering",
            _agreement(plain, truth),
            at_most=0.9,
        ),
        measured(
            "first two eigenvalues",
            "null space",
            float(np.abs(model.eigenvalues_).max()),
            at_most=1e-8,
        ),
        draw=lambda: _panel(points, model.labels_),
    )


def _panel(points: Any, labels: Any) -> Any:
    figure, (axes,) = canvas(size=3.8)
    groups(axes, points, labels, "spectral clustering")
    return figure


@item("S0.normalized-cut", "Normalised cuts, balanced or not", "section 4.3")
def normalized_cut() -> Outcome:
    """For two clusters L D^-1 gives the normalised cut. With one loose end attached to a dense
    graph, L cuts the loose end off and L D^-1 cuts in the middle: ten draws."""
    plain, balanced, normalised, cut = np.transpose([_cut(seed) for seed in range(10)])
    return outcome(
        mostly("smaller cluster with L", "degrees are not so balanced", plain, at_most=5),
        mostly("smaller cluster with L D^-1", "more stable", balanced, at_least=50, share=0.9),
        mostly(
            "normalised cut found over that of the two blobs",
            "the normalised cut",
            normalised,
            at_most=1.05,
            share=0.9,
        ),
        mostly(
            "cut found over that of the two blobs",
            "approximately minimises",
            cut,
            at_most=1.1,
            share=0.9,
        ),
    )


def _cut(seed: int) -> tuple[int, int, float, float]:
    """Cut two blobs with a loose end: the smaller cluster with L and with L D^-1, and how large
    its normalised and its plain cut are beside those of the blobs."""
    random = np.random.default_rng(shifted(seed))
    blobs = random.normal(size=(120, 2)) + np.repeat([[0.0, 0.0], [5.0, 0.0]], 60, axis=0)
    weights = np.zeros((121, 121))
    weights[:120, :120] = np.exp(-distances.pairwise_squared_distances(blobs, blobs) / 2.0)
    np.fill_diagonal(weights, 0.0)
    weights[0, 120] = weights[120, 0] = 1e-3
    options: Any = {"metric": "precomputed", "weights": "given", "random_state": shifted(0)}
    plain, walk = (
        SpectralClustering(n_clusters=2, laplacian=kind, **options).fit(weights)
        for kind in ("unnormalized", "random-walk")
    )
    cut, normalised = problem.cuts(_sparse(weights), np.append(np.repeat([0, 1], 60), 0))
    smaller = [int(np.bincount(model.labels_).min()) for model in (plain, walk)]
    return smaller[0], smaller[1], walk.normalized_cut_ / normalised, walk.cut_ / cut


def _sparse(table: Any) -> Any:
    import scipy.sparse as sp

    return sp.csr_array(table)
