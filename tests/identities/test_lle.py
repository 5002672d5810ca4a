"""Locally linear embedding against its own definitions: weights, constraints, cost."""

from functools import cache

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group

from tests.cases import DIMENSIONS, roll
from tests.compare import angle_between, up_to_signs
from unspool import problem
from unspool.distances import neighbor_graph
from unspool.methods import LLE
from unspool.problem import reconstruction_weights


def neighbors_by_brute_force(X, count):
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1)[:, :count]


def weights_by_the_formula(X, neighbors, regularization):
    """G^-1 1 / (1' G^-1 1), one point after the other (Mohri et al. 2012, eq. 15.9)."""
    W = np.zeros((len(X), len(X)))
    for i, near in enumerate(neighbors):
        differences = X[near] - X[i]
        G = differences @ differences.T
        G += regularization * np.trace(G) * np.eye(len(near))
        inverse_times_one = np.linalg.inv(G) @ np.ones(len(near))
        W[i, near] = inverse_times_one / (np.ones(len(near)) @ inverse_times_one)
    return W


def our_weights(X, count, regularization=1e-3):
    def grams(points, neighbors, distances):
        return problem.grams_of_points(X[points], X[neighbors])

    found = neighbor_graph(X, count)
    return reconstruction_weights(found, grams, regularization, X.shape[1]).toarray()


@pytest.mark.parametrize(("count", "regularization"), [(2, 0.0), (3, 1e-3), (8, 1e-3), (12, 1e-2)])
def test_weights_equal_the_formula(count, regularization):
    X = roll(120).points
    expected = weights_by_the_formula(X, neighbors_by_brute_force(X, count), regularization)
    ours = our_weights(X, count, regularization)
    np.testing.assert_allclose(ours, expected, atol=1e-10 * np.abs(expected).max())
    np.testing.assert_allclose(ours.sum(axis=1), 1.0, atol=1e-12)


def test_unregularized_weights_miss_by_the_least():
    """Fewer neighbours than features: perturbed weights that still sum to one miss by more."""
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 6))
    W = our_weights(X, 4, regularization=0.0)
    missed = np.square(X - W @ X).sum(axis=1)
    for _ in range(20):
        step = np.where(W != 0, random.standard_normal(W.shape), 0.0)
        step -= np.where(W != 0, step.sum(axis=1, keepdims=True) / 4, 0.0)
        assert (np.square(X - (W + 1e-3 * step) @ X).sum(axis=1) > missed).all()


@given(st.integers(0, 10**6), st.floats(1e-3, 1e3), st.floats(-100, 100))
def test_weights_do_not_change_with_rotation_translation_and_scaling(seed, scale, shift):
    X = roll(60).points
    rotation = ortho_group.rvs(3, random_state=seed)
    moved = scale * X @ rotation + scale * shift
    np.testing.assert_allclose(our_weights(moved, 7), our_weights(X, 7), atol=1e-8)


@cache
def decomposed(n):
    """Return W of the roll of n points, and the singular values and vectors of I - W."""
    X = roll(n).points
    W = weights_by_the_formula(X, neighbors_by_brute_force(X, 9), 1e-3)
    _, singular, vectors = scipy.linalg.svd(np.eye(n) - W)
    return W, singular, vectors


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", [150, 700])
def test_the_map_solves_its_problem(n, d):
    model = LLE(d, n_neighbors=9).fit(roll(n).points)
    Y = model.embedding_
    np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(Y.T @ Y / n, np.eye(d), atol=1e-10)
    W, singular, vectors = decomposed(n)
    np.testing.assert_allclose(model.eigenvalues_, singular[::-1][1 : d + 1] ** 2, rtol=1e-5)
    np.testing.assert_allclose(np.square(Y - W @ Y).sum() / n, model.eigenvalues_.sum(), rtol=1e-6)
    # vectors of values 1e-10 apart: found to 1e-6 only because I - W is never squared
    assert up_to_signs(Y, vectors[::-1][1 : d + 1].T * np.sqrt(n)) < 1e-5


def test_the_reconstruction_error_is_that_of_the_weights():
    X = roll(150).points
    W = weights_by_the_formula(X, neighbors_by_brute_force(X, 9), 1e-3)
    model = LLE(2, n_neighbors=9).fit(X)
    np.testing.assert_allclose(
        model.reconstruction_error_, 0.5 * np.square(X - W @ X).sum(), rtol=1e-9
    )


def test_the_eigenvalues_of_hardly_regularized_weights_are_told_apart():
    """1e-16 to 1e-13 of the norm: only singular values of I - W itself have those digits."""
    X = roll(700).points
    model = LLE(3, n_neighbors=9, regularization=1e-7).fit(X)
    W = our_weights(X, 9, 1e-7)
    _, singular, vectors = scipy.linalg.svd(np.eye(700) - W)
    assert singular[::-1][3] ** 2 < 1e-12
    np.testing.assert_allclose(model.eigenvalues_, singular[::-1][1:4] ** 2, rtol=1e-4)
    for axis in range(3):
        one = model.embedding_[:, [axis]]
        assert angle_between(one, vectors[::-1][[axis + 1]].T) < 1e-4


def test_a_flat_sheet_comes_back_up_to_an_affine_map():
    """Weights without regularization rebuild a flat sheet exactly, so its coordinates cost 0."""
    sheet = np.random.default_rng(3).uniform(size=(200, 2))
    X = sheet @ np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]]) + 4.0
    Y = LLE(2, n_neighbors=10, regularization=1e-9).fit(X).embedding_
    design = np.column_stack([np.ones(200), Y])
    missed = sheet - design @ np.linalg.lstsq(design, sheet, rcond=None)[0]
    assert np.abs(missed).max() < 1e-6


def test_without_regularization_a_line_and_a_grid_are_rebuilt_exactly():
    """G is singular at every point: the pseudo-inverse would give nonsense, or zero over zero."""
    line = np.arange(20.0)[:, None]
    model = LLE(1, n_neighbors=2, regularization=0.0).fit(line)
    assert up_to_signs(model.embedding_, (line - 9.5) / np.sqrt(np.mean((line - 9.5) ** 2))) < 1e-9
    grid = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), -1).reshape(-1, 2)
    found = LLE(2, n_neighbors=8, regularization=0.0).fit(grid)
    assert np.abs(found.eigenvalues_).max() < 1e-20
    assert found.reconstruction_error_ < 1e-18
    design = np.column_stack([np.ones(64), grid])
    fitted = design @ np.linalg.lstsq(design, found.embedding_, rcond=None)[0]
    assert np.abs(fitted - found.embedding_).max() < 1e-6


@pytest.mark.parametrize("regularization", [1e-3, 0.5])
def test_query_points_are_rebuilt_by_weights_of_the_same_kind(regularization):
    X = roll(120).points
    model = LLE(2, n_neighbors=8, regularization=regularization).fit(X)
    queries = 0.5 * (X[:10] + X[10:20])
    near = np.argsort(cdist(queries, X), axis=1)[:, :8]
    for query, seen, place in zip(queries, near, model.transform(queries), strict=True):
        differences = X[seen] - query
        gram = differences @ differences.T
        gram += regularization * np.trace(gram) * np.eye(8)
        weights = np.linalg.solve(gram, np.ones(8))
        expected = weights @ model.embedding_[seen] / weights.sum()
        np.testing.assert_allclose(place, expected, rtol=1e-7, atol=1e-9)
