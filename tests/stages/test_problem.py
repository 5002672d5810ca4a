"""Relations -> eigenproblems: matrices, mass, what is trivial, which end."""

import numpy as np
import pytest
import scipy.sparse as sp

from tests.cases import roll
from unspool import distances, problem
from unspool.edges import graph_from_edges
from unspool.problem import reconstruction_weights

RANDOM = np.random.default_rng(0)


def symmetric_weights(n=20):
    table = np.triu(RANDOM.random((n, n)) * (RANDOM.random((n, n)) < 0.5), 1)
    return sp.csr_array(table + table.T)


def test_gram_states_its_end_and_its_centring():
    table = RANDOM.random((5, 5))
    centred, plain = problem.gram(table), problem.gram(table, centered=False)
    assert centred.matrix is table  # not copied
    assert (centred.end, centred.n_trivial) == ("largest", 1)
    np.testing.assert_array_equal(centred.trivial, np.ones((5, 1)))
    assert plain.trivial is None


def test_covariance_is_given_by_its_factor():
    X = RANDOM.random((7, 3))
    stated = problem.covariance(X)
    assert stated.matrix is X
    assert stated.is_factor
    assert (stated.size, stated.end) == (3, "largest")


@pytest.mark.parametrize("given", [True, False])
def test_covariance_of_sparse_points_is_about_the_mean_given_or_about_zero(given):
    X = sp.random_array((9, 4), density=0.5, rng=np.random.default_rng(1), format="csr")
    mean = X.toarray().mean(axis=0) if given else None
    centered = X.toarray() - (0.0 if mean is None else mean)
    stated = problem.covariance(X, 8.0, mean=mean)
    assert (stated.size, stated.end, stated.divisor) == (4, "largest", 8.0)
    np.testing.assert_allclose(stated.matrix @ np.eye(4), centered.T @ centered, atol=1e-14)


def test_neighborhoods_of_a_graph_have_its_edges_and_paths_for_pairs_without_one():
    """A chain 0 - 1 - 2 - 3 - 4, one way: pairs of the last point come after all edges."""
    lengths = np.array([1.0, 2.0, 4.0, 8.0])
    chain = sp.csr_array((lengths, (np.arange(4), np.arange(1, 5))), shape=(5, 5))
    nothing = np.empty(0, dtype=np.int64)
    bare = graph_from_edges(nothing, nothing, np.empty(0), shape=(5, 5), search="")
    geometry = problem.LocalPaths.of(chain, np.arange(5), bare)
    places = np.concatenate([[0.0], np.cumsum(lengths)])
    for members in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 3]):
        away = np.abs(np.subtract.outer(places[members], places[members]))
        found = geometry.own_grams()(nothing[None], np.array([members[1:]]), away[:1, 1:])
        steps = places[members] - places[members[0]]
        np.testing.assert_allclose(found[0], np.outer(steps[1:], steps[1:]), atol=1e-12)


@pytest.mark.parametrize("kind", ["random-walk", "symmetric", "unnormalized"])
def test_laplacians_know_their_trivial_solution(kind):
    W = symmetric_weights()
    D = W.toarray().sum(axis=1)
    stated = problem.laplacian(W, kind)
    assert stated.end == "smallest"
    matrix = stated.matrix.toarray()
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-15)
    np.testing.assert_allclose(matrix @ stated.trivial, 0.0, atol=1e-12)
    L = np.diag(D) - W.toarray()
    if kind == "symmetric":
        np.testing.assert_allclose(matrix, L / np.sqrt(np.outer(D, D)), atol=1e-14)
        assert stated.mass is None
    else:
        np.testing.assert_allclose(matrix, L, atol=1e-14)
    if kind == "random-walk":
        np.testing.assert_allclose(stated.mass, D)


@pytest.mark.parametrize("kind", ["random-walk", "symmetric", "unnormalized"])
@pytest.mark.parametrize("seed", range(5))
def test_the_ceiling_is_above_all_values(kind, seed):
    random = np.random.default_rng(seed)
    table = np.triu(random.random((15, 15)), 1)
    stated = problem.laplacian(sp.csr_array(table + table.T), kind)
    mass = np.ones(15) if stated.mass is None else stated.mass
    values = np.linalg.eigvalsh(stated.matrix.toarray() / np.sqrt(np.outer(mass, mass)))
    assert values[-1] <= stated.ceiling + 1e-12
    # and it is reached where a graph is bipartite
    two = problem.laplacian(sp.csr_array(np.array([[0.0, 3.0], [3.0, 0.0]])), kind)
    mass = np.ones(2) if two.mass is None else two.mass
    top = np.linalg.eigvalsh(two.matrix.toarray() / np.sqrt(np.outer(mass, mass)))[-1]
    np.testing.assert_allclose(top, two.ceiling)


def test_reconstruction_is_given_by_its_factor():
    X = roll(50).points
    found = distances.neighbor_graph(X, 6)
    W = reconstruction_weights(
        found, lambda p, near, _: problem.grams_of_points(X[p], X[near]), 1e-3, 3
    )
    stated = problem.reconstruction(W)
    assert stated.is_factor
    assert stated.end == "smallest"
    np.testing.assert_allclose(stated.matrix.toarray(), np.eye(50) - W.toarray(), atol=1e-15)
    np.testing.assert_allclose(stated.matrix @ stated.trivial, 0.0, atol=1e-12)


def test_weights_come_out_alike_in_batches_of_any_size(monkeypatch):
    import sys

    reconstruction = sys.modules[reconstruction_weights.__module__]

    X = roll(80).points
    counts = np.arange(80) % 4 + 4
    found = distances.neighbor_graph(X, counts)

    def grams(points, near, _):
        return problem.grams_of_points(X[points], X[near])

    whole = reconstruction_weights(found, grams, 1e-3, 3).toarray()
    monkeypatch.setattr(reconstruction, "CHUNK_BYTES", 1)
    single = reconstruction_weights(found, grams, 1e-3, 3).toarray()
    np.testing.assert_allclose(single, whole, rtol=1e-12)
    np.testing.assert_array_equal((whole != 0).sum(axis=1), counts)
    monkeypatch.undo()
    monkeypatch.setattr(reconstruction, "IN_CACHE", 1)  # each point by whichever thread is free
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    shared = reconstruction_weights(found, grams, 1e-3, 3).toarray()
    np.testing.assert_allclose(shared, whole, rtol=1e-12)


@pytest.mark.parametrize("features", [3, 30], ids=["by covariance", "by gram matrix"])
@pytest.mark.parametrize("rank", [0, 1])
def test_tangents_of_clouds_of_lower_rank_are_orthogonal_to_the_constant(features, rank):
    random = np.random.default_rng(2)
    clouds = random.standard_normal((20, 9, rank)) @ random.standard_normal((20, rank, features))
    tangents = problem.tangent_coordinates(clouds + 5.0, 2)
    np.testing.assert_allclose(tangents.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(
        tangents.transpose(0, 2, 1) @ tangents, np.broadcast_to(np.eye(2), (20, 2, 2)), atol=1e-12
    )


def test_patches_come_out_alike_in_batches_of_any_size(monkeypatch):
    import sys

    module = sys.modules[problem.alignment.__module__]
    X = roll(60).points
    found = distances.neighbor_graph(X, 7)

    def patches():
        for members in problem.batch_neighborhoods(found, 3):
            for row in members:  # one by one, so that there are many batches
                tangents = problem.tangent_coordinates(X[row][None], 2)
                yield row[None], problem.tangent_patches(tangents)

    whole = problem.alignment(patches(), 60).matrix.toarray()
    by_hand = np.zeros((60, 60))
    for members, blocks in patches():
        by_hand[np.ix_(members[0], members[0])] += blocks[0]
    np.testing.assert_allclose(whole, by_hand, atol=1e-12)
    monkeypatch.setattr(module, "ENTRIES", 200)
    np.testing.assert_allclose(problem.alignment(patches(), 60).matrix.toarray(), whole, atol=1e-12)
