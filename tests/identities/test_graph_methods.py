"""Diffusion maps, commute times, the discrete Laplace operator and spectral clustering."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import unspool
from unspool import datasets, distances, graph, problem, spectrum

POINTS = datasets.s_curve(150, seed=1).points


def walk_of(model, alpha, loops):
    """The dense walk that a diffusion map stands for, from its definition."""
    edges = graph.symmetrize(distances.neighbor_graph(POINTS, 9))
    kernel = edges.with_weights(np.exp(-model.gamma_ * edges.distances**2)).toarray()
    kernel += loops * np.eye(len(kernel))
    density = kernel.sum(axis=1)
    kernel /= np.outer(density, density) ** alpha
    degree = kernel.sum(axis=1)
    return kernel / degree[:, None], degree / degree.sum()


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("loops", [True, False])
@pytest.mark.parametrize("steps", [1, 4])
def test_diffusion_distances(alpha, loops, steps):
    """With all coordinates, distances on the map are those between the walks' distributions."""
    n = len(POINTS)
    options = {"alpha": alpha, "steps": steps, "loops": loops, "bandwidth": "global"}
    model = unspool.DiffusionMaps(n - 1, n_neighbors=9, **options).fit(POINTS)
    walk, stationary = walk_of(model, alpha, loops)
    after = np.linalg.matrix_power(walk, steps)
    i, j = np.triu_indices(n, 1)
    expected = np.sqrt((np.square(after[i] - after[j]) / stationary).sum(axis=1))
    found = np.linalg.norm(model.embedding_[i] - model.embedding_[j], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)


def test_diffusion_is_the_laplacian_from_the_other_end():
    plain = unspool.LaplacianEigenmaps(3, n_neighbors=9, bandwidth="global").fit(POINTS)
    options = {"alpha": 0, "loops": False, "steps": 0, "bandwidth": "global"}
    walk = unspool.DiffusionMaps(3, n_neighbors=9, **options).fit(POINTS)
    np.testing.assert_allclose(walk.eigenvalues_, 1 - plain.eigenvalues_, atol=1e-10)
    ratio = walk.embedding_ / plain.embedding_
    np.testing.assert_allclose(ratio, ratio[0, 0], rtol=1e-6)


def test_commute_times_are_expected_steps():
    """Hitting times solve (I - P) h = 1 off the target; there and back is the commute time."""
    weights = sp.random_array(
        (12, 12), density=0.5, random_state=3, data_sampler=np.random.default_rng(3).random
    ).toarray()
    weights = weights + weights.T
    np.fill_diagonal(weights, 0.0)
    walk = weights / weights.sum(axis=1, keepdims=True)
    hitting = np.zeros((12, 12))
    for target in range(12):
        others = np.delete(np.arange(12), target)
        system = np.eye(11) - walk[np.ix_(others, others)]
        hitting[others, target] = np.linalg.solve(system, np.ones(11))
    np.testing.assert_allclose(
        unspool.commute_time_distances(weights), hitting + hitting.T, rtol=1e-9
    )


def test_commute_times_of_a_path_are_twice_its_edges_times_the_distance():
    n = 9
    path = np.eye(n, k=1) + np.eye(n, k=-1)
    i, j = np.indices((n, n))
    expected = 2 * (n - 1) * np.abs(i - j)
    np.testing.assert_allclose(unspool.commute_time_distances(path), expected, atol=1e-9)


def test_commute_times_need_a_connected_symmetric_graph():
    two = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    with pytest.raises(ValueError, match="not connected"):
        unspool.commute_time_distances(two)
    with pytest.raises(ValueError, match="symmetric"):
        unspool.commute_time_distances(np.triu(np.ones((4, 4))))


@pytest.mark.parametrize("frequency", [1, 2, 3])
def test_laplace_operator_on_the_circle(frequency):
    """On an even circle of length 1, -L cos(2 pi k s) tends to (2 pi k)^2 cos(2 pi k s).

    The operator measures straight chords, so the bend of the circle adds the same to every
    function; it shows on the constant, which is why the algorithm puts D in its place.
    """
    n, t = 4000, 1e-4
    s = np.arange(n) / n
    circle = np.column_stack([np.cos(2 * np.pi * s), np.sin(2 * np.pi * s)]) / (2 * np.pi)
    neighbors = distances.neighbor_graph(circle, radius=8 * np.sqrt(t))
    operator = problem.laplace_operator(neighbors, t, 1)
    wave = np.cos(2 * np.pi * frequency * s)
    of_constant = -(operator @ np.ones(n)).mean()
    found = -(operator @ wave) @ wave / (wave @ wave) - of_constant
    # the finite t costs a share of t (2 pi k)^2 / 2, at most 0.018 here
    assert found == pytest.approx((2 * np.pi * frequency) ** 2, rel=0.02)


@pytest.mark.parametrize("laplacian", ["random-walk", "symmetric", "unnormalized"])
@pytest.mark.parametrize("row_normalize", [True, False])
def test_clusters_are_found(laplacian, row_normalize):
    sample = datasets.three_clusters(90, seed=2)
    model = unspool.SpectralClustering(
        n_clusters=3, laplacian=laplacian, row_normalize=row_normalize
    ).fit(sample.points)
    assert adjusted_rand_score(sample.color, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(sample.points), model.labels_)
    fresh = datasets.three_clusters(90, seed=3)
    assert adjusted_rand_score(fresh.color, model.predict(fresh.points)) > 0.9


def test_a_mixture_knows_wide_clusters():
    """Clusters of unlike density: each Gaussian has a width of its own, and k-means has none."""
    random = np.random.default_rng(5)
    parts = zip([[0, 0], [3, 0], [1, 4]], (60, 30, 20), (0.3, 1.0, 2.0), strict=True)
    points = np.vstack([c + w * random.standard_normal((n, 2)) for c, n, w in parts])
    options = {"n_clusters": 2, "n_neighbors": 12, "weights": "binary"}
    mixture = unspool.SpectralClustering(assign="mixture", **options).fit(points)
    rows, variances = mixture.embedding_, mixture.cluster_variances_
    gaps = np.square(rows[:, None] - mixture.cluster_centers_).sum(axis=2)
    heights = mixture.cluster_shares_ / variances ** (rows.shape[1] / 2)
    likely = np.argmax(heights * np.exp(-gaps / (2 * variances)), axis=1)
    np.testing.assert_array_equal(mixture.labels_, likely)
    np.testing.assert_array_equal(mixture.predict(points), mixture.labels_)
    assert variances.max() > 2 * variances.min()
    assert (np.argmin(gaps, axis=1) != mixture.labels_).any()  # a mixture is more than its centers
    assert (unspool.SpectralClustering(**options).fit(points).cluster_variances_ == 1.0).all()


def test_a_mixture_of_separate_components_is_exact():
    round_cloud = np.random.default_rng(1).normal(size=(40, 2))
    points = np.vstack([round_cloud + np.array([30.0 * i, 0.0]) for i in range(3)])
    model = unspool.SpectralClustering(n_clusters=3, n_neighbors=6, assign="mixture").fit(points)
    assert len({tuple(np.unique(part)) for part in model.labels_.reshape(3, 40)}) == 3


def test_eigengap_finds_the_number_of_clusters():
    centres = np.array([[0, 0], [8, 0], [0, 8], [8, 8], [4, 16]])
    random = np.random.default_rng(4)
    points = np.vstack([centre + random.normal(size=(40, 2)) for centre in centres])
    model = unspool.SpectralClustering(n_clusters="eigengap", n_neighbors=15).fit(points)
    assert model.n_clusters_ == 5


def test_cut_values_are_those_of_the_definition():
    sample = datasets.three_clusters(60, seed=5)
    model = unspool.SpectralClustering(n_clusters=3, n_neighbors=45).fit(sample.points)
    weights = model.charts_[0].relation.weights.toarray()
    cut = ncut = 0.0
    for cluster in range(3):
        inside = model.labels_ == cluster
        leaving = weights[np.ix_(inside, ~inside)].sum()
        cut, ncut = cut + leaving / 2, ncut + leaving / weights[inside].sum()
    assert cut > 1e-3
    assert model.cut_ == pytest.approx(cut, rel=1e-12)
    assert model.normalized_cut_ == pytest.approx(ncut, rel=1e-12)


def test_two_clusters_nearly_reach_the_best_normalised_cut():
    """The second value bounds the normalised cut below (Vidal, Ma, Sastry 2016, section 4.3)."""
    random = np.random.default_rng(6)
    points = np.vstack([random.normal(size=(40, 2)), random.normal(loc=[5, 0], size=(40, 2))])
    model = unspool.SpectralClustering(n_clusters=2, n_neighbors=10).fit(points)
    values = unspool.LaplacianEigenmaps(1, n_neighbors=10).fit(points).eigenvalues_
    assert values[0] <= model.normalized_cut_ <= 3 * values[0]


def test_pieces_come_out_of_the_null_space():
    """As many zeros as components, told by their vectors (Vidal et al. 2016, Prop. 4.11-4.12)."""
    random = np.random.default_rng(7)
    labels = random.integers(0, 4, size=120)
    points = random.normal(size=(120, 2)) * 0.3 + 20 * np.column_stack([labels % 2, labels // 2])
    edges = graph.symmetrize(distances.neighbor_graph(points, 5))
    found = graph.find_components(edges)
    laplacian = problem.laplacian(edges.with_weights(np.ones(edges.n_edges)), "unnormalized")
    values, vectors = np.linalg.eigh(laplacian.matrix.toarray())
    null = vectors[:, np.abs(values) < 1e-10]
    assert null.shape[1] == found.count
    mixed = null @ np.random.default_rng(8).normal(size=(found.count, found.count))
    assert adjusted_rand_score(spectrum.components_of_null_space(mixed), found.labels) == 1.0


def test_disconnected_clusters_are_separated_exactly():
    random = np.random.default_rng(9)
    points = np.vstack([random.normal(size=(30, 2)) + 100 * k for k in range(3)])
    model = unspool.SpectralClustering(n_clusters=3, n_neighbors=6).fit(points)
    assert adjusted_rand_score(np.repeat(np.arange(3), 30), model.labels_) == 1.0
    assert model.cut_ == 0.0
    np.testing.assert_allclose(model.eigenvalues_, 0.0, atol=1e-12)


@pytest.mark.parametrize("wrong", [0, -1, "all", 2.5, True, 1000])
def test_wrong_numbers_of_clusters_are_refused(wrong):
    with pytest.raises(ValueError, match="n_clusters"):
        unspool.SpectralClustering(n_clusters=wrong).fit(POINTS)


@pytest.mark.parametrize("dense", [True, False])
def test_weights_may_be_given(dense):
    edges = graph.symmetrize(distances.neighbor_graph(POINTS, 9))
    plain = unspool.LaplacianEigenmaps(2, n_neighbors=9, bandwidth="global").fit(POINTS)
    weights = edges.with_weights(np.exp(-plain.gamma_ * edges.distances**2))
    weights = weights.toarray() if dense else weights
    given = unspool.LaplacianEigenmaps(2, metric="precomputed", weights="given").fit(weights)
    np.testing.assert_allclose(given.embedding_, plain.embedding_, atol=1e-9)
    np.testing.assert_allclose(given.transform(weights), given.embedding_, atol=1e-8)


def test_squared_radius_is_the_square_of_s2():
    radius = 1.4
    plain = unspool.LaplacianEigenmaps(2, radius=radius).fit(POINTS)
    squared = unspool.LaplacianEigenmaps(2, radius=radius**2, squared_radius=True).fit(POINTS)
    np.testing.assert_allclose(squared.embedding_, plain.embedding_, atol=1e-9)


def test_additive_constant_makes_distances_euclidean():
    """Cailliez: with the constant no eigenvalue is negative, and with a little less one is."""
    random = np.random.default_rng(10)
    table = random.uniform(1, 2, size=(25, 25))
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0.0)
    plain = unspool.ClassicalMDS(3, metric="precomputed").fit(table)
    assert plain.negative_mass() > 0.01
    model = unspool.ClassicalMDS(3, metric="precomputed", additive_constant=True).fit(table)
    assert model.negative_mass() < 1e-10
    less = table + 0.98 * model.additive_constant_ * (1 - np.eye(25))
    assert unspool.ClassicalMDS(3, metric="precomputed").fit(less).negative_mass() > 1e-5
    np.testing.assert_allclose(model.transform(table), model.embedding_, atol=1e-9)


def test_negative_mass_of_isomap_on_the_isomap_roll():
    try:
        points = datasets.real("swiss_roll_isomap")["x"][:1000]
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    model = unspool.Isomap(2, n_neighbors=7).fit(points)
    values = spectrum.all_eigenvalues(model.kernel_())
    assert values[-1] == pytest.approx(-17127, rel=1e-3)
    assert values[0] == pytest.approx(9.1e5, rel=0.01)
    assert model.negative_mass() == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())


def test_euclidean_distances_have_no_negative_mass():
    assert unspool.ClassicalMDS(2).fit(POINTS).negative_mass() < 1e-12


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_weights_of_points_to_themselves_count_for_their_degree(kind):
    """D = diag(W 1), loops included (Vidal, Ma, Sastry 2016, Algorithm 4.5): computed by hand."""
    weights = np.ones((4, 4))
    weights[0, 3] = weights[3, 0] = 0.1
    degree = weights.sum(axis=1)
    walk = np.sort(np.linalg.eigvals(np.eye(4) - weights / degree[:, None]).real)
    model = unspool.LaplacianEigenmaps(1, metric="precomputed", weights="given").fit(kind(weights))
    assert model.eigenvalues_[0] == pytest.approx(walk[1], rel=1e-12)
    assert model.eigenvalues_[0] == pytest.approx(0.7097, abs=5e-5)


def test_isolated_vertices_are_components():
    """As many zero values as components, single vertices among them (prop. 4.11)."""
    weights = np.zeros((6, 6))
    weights[0, 1] = weights[1, 0] = weights[2, 3] = weights[3, 2] = 1.0
    options = {"metric": "precomputed", "weights": "given"}
    model = unspool.SpectralClustering(n_clusters=4, **options).fit(weights)
    np.testing.assert_allclose(model.eigenvalues_, 0.0, atol=1e-12)
    assert adjusted_rand_score([0, 0, 1, 1, 2, 3], model.labels_) == 1.0


def test_distances_of_no_points_are_told():
    random = np.random.default_rng(10)
    table = random.uniform(1, 2, size=(25, 25))
    table = (table + table.T) / 2
    np.fill_diagonal(table, 0.0)
    model = unspool.ClassicalMDS(12, metric="precomputed").fit(table)
    assert any("are negative" in sentence for sentence in model.report_.advice)
    flat = unspool.ClassicalMDS(3).fit(POINTS)
    assert not any("are negative" in sentence for sentence in flat.report_.advice)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_query_points_of_diffusion_maps_obey_the_walk(alpha):
    """psi(x) = sum of p(x, j) psi_j / value, with the density of the fitted points divided out."""
    model = unspool.DiffusionMaps(3, n_neighbors=9, alpha=alpha, gamma=2.0).fit(POINTS)
    edges = graph.symmetrize(distances.neighbor_graph(POINTS, 9))
    kernel = edges.with_weights(np.exp(-2.0 * edges.distances**2)).toarray() + np.eye(150)
    density = kernel.sum(axis=1) ** -alpha
    query = POINTS[:20] + 0.05
    gaps = np.linalg.norm(query[:, None] - POINTS[None], axis=2)
    for row, place in zip(gaps, model.transform(query), strict=True):
        near = np.argsort(row, kind="stable")[:9]
        weights = np.exp(-2.0 * row[near] ** 2) * density[near]
        expected = weights @ model.embedding_[near] / weights.sum() / model.eigenvalues_
        np.testing.assert_allclose(place, expected, rtol=1e-8, atol=1e-10)
