"""Laplacians of graphs whose spectrum is known in closed form, and what their maps satisfy."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import unspool
from tests.cases import DIMENSIONS, roll
from tests.compare import angle_between
from unspool import problem
from unspool.methods import LaplacianEigenmaps
from unspool.spectrum import solve

SIZES = (5, 40, 901)  # by hand, dense, sparse
KINDS = ("unnormalized", "random-walk", "symmetric")


def joined(n, pairs):
    rows, columns = np.array(pairs).T
    weights = sp.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    return sp.csr_array(weights + weights.T)


def ring(n):
    return joined(n, [(i, (i + 1) % n) for i in range(n)])


def path(n):
    return joined(n, [(i, i + 1) for i in range(n - 1)])


def complete(n):
    return sp.csr_array(np.ones((n, n)) - np.eye(n))


def star(n):
    return joined(n, [(0, i) for i in range(1, n)])


def ring_values(n, kind):
    waves = 1 - np.cos(2 * np.pi * np.arange(n) / n)
    return np.sort(2 * waves if kind == "unnormalized" else waves)


def path_values(n, kind):
    if kind == "unnormalized":
        return 2 - 2 * np.cos(np.pi * np.arange(n) / n)
    return 1 - np.cos(np.pi * np.arange(n) / (n - 1))  # a walk that turns back at the ends


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("graph", "values"), [(ring, ring_values), (path, path_values)])
def test_rings_and_paths_have_their_closed_form_values(graph, values, kind, n):
    count = min(6, n - 1)
    found = solve(problem.laplacian(graph(n), kind), count)
    np.testing.assert_allclose(found.values, values(n, kind)[1 : count + 1], atol=1e-10, rtol=1e-9)


@pytest.mark.parametrize("n", [5, 40])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("graph", "values"), [(ring, ring_values), (path, path_values)])
def test_the_whole_spectrum_of_rings_and_paths(graph, values, kind, n):
    found = solve(problem.laplacian(graph(n), kind), n - 1)
    np.testing.assert_allclose(found.values, values(n, kind)[1:], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_complete_graphs_and_stars(kind):
    n = 12
    every = solve(problem.laplacian(complete(n), kind), n - 1).values
    np.testing.assert_allclose(every, n if kind == "unnormalized" else n / (n - 1), rtol=1e-12)
    of_star = solve(problem.laplacian(star(n), kind), n - 1).values
    top = n if kind == "unnormalized" else 2.0
    np.testing.assert_allclose(of_star, [1.0] * (n - 2) + [top], rtol=1e-12)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", [40, 901])
def test_the_eigenmap_of_a_ring_is_its_waves(n, d):
    """Pairs of sine and cosine, each pair with one value; odd d takes one of a pair."""
    model = LaplacianEigenmaps(d, weights="binary", metric="precomputed").fit(ring(n))
    np.testing.assert_allclose(model.eigenvalues_, ring_values(n, "rw")[1 : d + 1], atol=1e-10)
    turns = 2 * np.pi * np.arange(n)[:, None] / n * np.arange(1, 3)
    waves = np.hstack([np.cos(turns), np.sin(turns)])
    missed = model.embedding_ - waves @ np.linalg.lstsq(waves, model.embedding_, rcond=None)[0]
    assert np.abs(missed).max() < 1e-9
    if d >= 2:  # the first pair alone
        assert angle_between(model.embedding_[:, :2], waves[:, [0, 2]]) < 1e-8


def test_the_eigenmap_of_a_path_is_cosines():
    n = 30
    model = LaplacianEigenmaps(
        4, laplacian="unnormalized", weights="binary", metric="precomputed"
    ).fit(path(n))
    cosines = np.cos(np.pi * (np.arange(n)[:, None] + 0.5) / n * np.arange(1, 5))
    expected = cosines / np.linalg.norm(cosines, axis=0)
    assert np.abs(np.abs(model.embedding_) - np.abs(expected)).max() < 1e-10


# pieces


@pytest.mark.parametrize("sizes", [(7,), (7, 5), (6, 5, 4), (400, 350), (300, 250, 200)])
@pytest.mark.parametrize("kind", KINDS)
def test_as_many_zero_eigenvalues_as_pieces(sizes, kind):
    weights = sp.csr_array(sp.block_diag([ring(n) for n in sizes]))
    whole = replace(problem.laplacian(weights, kind), trivial=None)
    values = solve(whole, len(sizes) + 2).values
    assert (np.abs(values) < 1e-11).sum() == len(sizes)
    smallest = min(ring_values(n, kind)[1] for n in sizes)
    np.testing.assert_allclose(values[len(sizes)], smallest, rtol=1e-6)


# what the Laplacian measures


@pytest.mark.parametrize("seed", range(3))
def test_the_quadratic_form_is_half_the_weighted_squares(seed):
    """y'Ly = 1/2 sum_ij w_ij (y_i - y_j)^2: Vidal, Ma, Sastry 2016, eq. 4.51 lacks the half."""
    random = np.random.default_rng(seed)
    weights = np.triu(random.random((20, 20)) * (random.random((20, 20)) < 0.4), 1)
    weights = weights + weights.T
    L = problem.laplacian(sp.csr_array(weights), "unnormalized").matrix.toarray()
    y = random.standard_normal(20)
    squares = (y[:, None] - y[None, :]) ** 2
    np.testing.assert_allclose(y @ L @ y, 0.5 * (weights * squares).sum(), rtol=1e-12)
    np.testing.assert_allclose(L @ np.ones(20), 0.0, atol=1e-13)


def near_by_brute_force(X, n_neighbors):
    """Who is joined to whom, if either lists the other."""
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    near = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(near, np.argsort(distances, axis=1)[:, :n_neighbors], True, axis=1)
    return near | near.T


def heat_weights(X, n_neighbors, gamma):
    near = near_by_brute_force(X, n_neighbors)
    return np.where(near, np.exp(-gamma * cdist(X, X, "sqeuclidean")), 0.0)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", [200, 800])
def test_laplacian_eigenmaps_solve_their_problem(n, d):
    X = roll(n).points
    model = LaplacianEigenmaps(d, n_neighbors=8, sigma=2.0).fit(X)
    W = heat_weights(X, 8, 1 / (2 * 2.0**2))
    D, Y = W.sum(axis=1), model.embedding_
    L = np.diag(D) - W
    np.testing.assert_allclose(Y.T @ (D[:, None] * Y), np.eye(d), atol=1e-9)
    np.testing.assert_allclose(Y.T @ D, 0.0, atol=1e-9)
    np.testing.assert_allclose(L @ Y, D[:, None] * Y * model.eigenvalues_, atol=1e-9)
    np.testing.assert_allclose(np.trace(Y.T @ L @ Y), model.eigenvalues_.sum(), rtol=1e-8)
    # and nothing smaller was passed over
    scaled = L / np.sqrt(D[:, None] * D)
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(scaled)[1 : d + 1], atol=1e-9)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_three_laplacians_are_related(d):
    X = roll(200).points
    walk, symmetric, plain = (
        LaplacianEigenmaps(d, n_neighbors=8, sigma=2.0, laplacian=kind).fit(X)
        for kind in ("random-walk", "symmetric", "unnormalized")
    )
    W = heat_weights(X, 8, 1 / (2 * 2.0**2))
    D = W.sum(axis=1)
    np.testing.assert_allclose(walk.eigenvalues_, symmetric.eigenvalues_, atol=1e-12)
    np.testing.assert_allclose(
        np.abs(symmetric.embedding_), np.abs(np.sqrt(D)[:, None] * walk.embedding_), atol=1e-9
    )
    Y = plain.embedding_
    np.testing.assert_allclose((np.diag(D) - W) @ Y, Y * plain.eigenvalues_, atol=1e-10)
    np.testing.assert_allclose(Y.T @ Y, np.eye(d), atol=1e-10)
    np.testing.assert_allclose(Y.sum(axis=0), 0.0, atol=1e-10)


def test_the_global_width_is_the_mean_squared_edge():
    X = roll(200).points
    model = LaplacianEigenmaps(2, n_neighbors=8, bandwidth="global").fit(X)
    distances = cdist(X, X)[near_by_brute_force(X, 8)]
    np.testing.assert_allclose(model.gamma_, 1 / np.mean(distances**2), rtol=1e-12)


def test_the_local_width_is_the_distance_to_the_seventh_neighbour():
    """w_ij = exp(-d^2 / (s_i s_j)) on the joined neighbours (Zelnik-Manor and Perona 2004)."""
    X = roll(200).points
    model = LaplacianEigenmaps(2, n_neighbors=9).fit(X)
    distances = cdist(X, X)
    near = near_by_brute_force(X, 9)
    edges = distances * near
    scales = np.array([np.sort(row[row > 0])[6] for row in edges])
    expected = np.where(near, np.exp(-(distances**2) / np.outer(scales, scales)), 0.0)
    found = model.charts_[0].relation.weights.toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    assert model.gamma_ is None


@pytest.mark.parametrize(
    ("cls", "distance"),
    [*((LaplacianEigenmaps, d) for d in (50.0, 1e4, 1e8)), (unspool.DiffusionMaps, 50.0)],
)
def test_one_far_point_owns_no_coordinate(cls, distance):
    cloud = np.random.default_rng(0).normal(size=(500, 3))
    X = np.vstack([cloud, [[distance, 0.0, 0.0]]])
    sizes = np.abs(cls(2).fit(X).embedding_)
    assert (sizes.max(axis=0) < 50 * np.median(sizes, axis=0)).all()


def test_weakly_tied_points_obey_the_eigenproblem_like_all_others():
    """Their degree is far below the rounding of the solver: (1 - value) y = P y must hold there."""
    cloud = np.random.default_rng(0).normal(size=(300, 2))
    X = np.vstack([cloud, [[9.0, 0.0], [0.0, 11.0]]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LaplacianEigenmaps(2, sigma=0.5).fit(X)
    weights = model.charts_[0].relation.weights
    degree = np.asarray(weights.sum(axis=1)).ravel()
    assert degree[-2:].max() < 1e-10 * np.median(degree)
    step = (weights @ model.embedding_) / degree[:, None]
    np.testing.assert_allclose(
        step[-2:], (1 - model.eigenvalues_) * model.embedding_[-2:], rtol=1e-6
    )


def test_a_heat_kernel_too_narrow_for_the_edges_is_told():
    with pytest.warns(UserWarning, match="so narrow that half of the edges"):
        LaplacianEigenmaps(2, sigma=0.05).fit(roll(200).points)


@pytest.mark.parametrize("kind", KINDS)
def test_query_points_obey_the_eigenproblem(kind):
    """A query point stands where a vertex with its edges would satisfy L y = value D y."""
    X = roll(150).points
    model = LaplacianEigenmaps(2, n_neighbors=8, gamma=0.1, laplacian=kind).fit(X)
    gaps = cdist(X, X)
    np.fill_diagonal(gaps, np.inf)
    near = np.argsort(gaps, axis=1)[:, :8]
    listed = np.zeros(gaps.shape, dtype=bool)
    np.put_along_axis(listed, near, True, axis=1)
    degree = np.where(listed | listed.T, np.exp(-0.1 * gaps**2), 0.0).sum(axis=1)
    queries = 0.5 * (X[:12] + X[near[:12, 0]])
    for query, place in zip(queries, model.transform(queries), strict=True):
        away = np.linalg.norm(X - query, axis=1)
        seen = np.argsort(away)[:8]
        weights = np.exp(-0.1 * away[seen] ** 2)
        own, values = weights.sum(), model.eigenvalues_
        if kind == "unnormalized":  # own y - sum = value y
            expected = weights @ model.embedding_[seen] / (own - values)
        elif kind == "random-walk":  # own y - sum = value own y
            expected = weights @ model.embedding_[seen] / (own * (1.0 - values))
        else:  # the same for u = sqrt(degree) y
            y = model.embedding_[seen] / np.sqrt(degree[seen])[:, None]
            expected = np.sqrt(own) * (weights @ y) / (own * (1.0 - values))
        np.testing.assert_allclose(place, expected, rtol=1e-8)


def test_adaptive_gaussians_are_those_of_the_paper():
    """sqrt(2 s_i s_j / (s_i^2 + s_j^2)) exp(-d^2 / (s_i^2 + s_j^2)) (Haghverdi et al. 2016)."""
    from unspool import graph
    from unspool.distances import neighbor_graph
    from unspool.relation import AdaptiveGaussianWeights

    X = roll(60).points
    edges = graph.symmetrize(neighbor_graph(X, 9))
    weights = edges.with_weights(AdaptiveGaussianWeights.of(edges).weigh(edges)).toarray()
    gaps = cdist(X, X)
    seventh = [np.sort(gaps[i, edges.neighbors[edges.rows == i]])[6] for i in range(60)]
    squares = np.add.outer(np.square(seventh), np.square(seventh))
    expected = np.sqrt(2 * np.outer(seventh, seventh) / squares) * np.exp(-(gaps**2) / squares)
    np.testing.assert_allclose(weights[weights > 0], expected[weights > 0], rtol=1e-10)


def test_entries_of_hardly_tied_points_follow_from_their_neighbours():
    """Where the degree is next to nothing, y = sum of w y / (D (1 - value)) still holds.

    A path of thirty points, the last of which has a neighbour of its own by a weight of 1e-14.
    """
    from unspool.relation import settle_faint_points

    table = np.diag(np.ones(29), 1) + np.diag(np.ones(29), -1)
    exact = solve(problem.laplacian(sp.csr_array(table)), 2)
    wider = np.zeros((31, 31))
    wider[:30, :30] = table
    wider[29, 30] = wider[30, 29] = 1e-14
    rounded = replace(exact, vectors=np.vstack([exact.vectors, [1e-9, -1e-9]]))
    found = settle_faint_points(sp.csr_array(wider), rounded)
    np.testing.assert_allclose(found[:30], exact.vectors, atol=1e-12)
    np.testing.assert_allclose(found[30], exact.vectors[29] / (1.0 - exact.values), rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_normalised_cut_has_no_unit(scale):
    """Two rings with an edge between them: 1 / (2 n + 1) on either side, in any unit of weights."""
    n = 6
    pairs = [(i + k, (i + 1) % n + k) for k in (0, n) for i in range(n)]
    weights = scale * joined(2 * n, [*pairs, (0, n)])
    cut, normalised = problem.cuts(weights, np.repeat([0, 1], n))
    assert cut == pytest.approx(scale)
    assert normalised == pytest.approx(2 / (2 * n + 1))
