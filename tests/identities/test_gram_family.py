"""PCA, classical scaling and kernel PCA are one method: the same gram matrix, three ways in."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tests.compare import relative, up_to_motion, up_to_signs
from unspool import datasets, quality
from unspool.kernel import double_centered
from unspool.methods import PCA, ClassicalMDS, Isomap, KernelPCA
from unspool.problem import gram
from unspool.spectrum import solve

RANDOM = np.random.default_rng(0)
SHAPES = {"tall": (60, 5), "wide": (30, 80), "beyond the dense solver": (900, 6)}


def cloud(shape, seed=0):
    """A cloud whose axes have clearly different lengths, away from the origin."""
    n, width = shape
    scales = np.linspace(3.0, 1.0, width)
    return np.random.default_rng(seed).standard_normal((n, width)) * scales + 7.0


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_pca_is_classical_mds_is_linear_kernel_pca(shape, d):
    X = cloud(shape)
    pca = PCA(d).fit(X).embedding_
    scaling = ClassicalMDS(d).fit(X).embedding_
    kernel = KernelPCA(d, kernel="linear").fit(X).embedding_
    assert up_to_motion(scaling, pca) < 1e-10
    assert up_to_motion(kernel, pca) < 1e-10
    # not only some rotation: axis by axis, since the values differ
    assert up_to_signs(scaling, pca) < 1e-10
    assert up_to_signs(kernel, pca) < 1e-10


def test_the_eigenvalues_are_the_same_up_to_the_divisor():
    X = cloud((60, 5))
    variances = PCA(4).fit(X).eigenvalues_
    np.testing.assert_allclose(ClassicalMDS(4).fit(X).eigenvalues_ / 60, variances, rtol=1e-10)
    np.testing.assert_allclose(
        KernelPCA(4, kernel="linear").fit(X).eigenvalues_ / 60, variances, rtol=1e-10
    )
    np.testing.assert_allclose(PCA(4, ddof=1).fit(X).eigenvalues_ * 59 / 60, variances, rtol=1e-12)


def test_pca_minimises_what_it_says():
    X = cloud((60, 5))
    pca = PCA(2).fit(X)
    every = np.linalg.eigvalsh(np.cov(X.T, ddof=0))[::-1]
    np.testing.assert_allclose(pca.eigenvalues_, every[:2], rtol=1e-12)
    np.testing.assert_allclose(pca.explained_variance_ratio_, every[:2] / every.sum(), rtol=1e-12)
    lost = np.square(X - pca.inverse_transform(pca.embedding_)).sum()
    np.testing.assert_allclose(lost, 60 * every[2:].sum(), rtol=1e-10)
    np.testing.assert_allclose(pca.embedding_.var(axis=0), every[:2], rtol=1e-12)


def test_whitened_coordinates_have_unit_variance():
    pca = PCA(3, whiten=True, ddof=1).fit(cloud((60, 5)))
    np.testing.assert_allclose(np.cov(pca.embedding_.T), np.eye(3), atol=1e-12)


# out of sample, formulas of the lecture slides


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_new_point_is_placed_from_its_distances_alone(d):
    """z = (Z+)' 1/2 (d_mu - d_x), which is A'(x - mu) for Euclidean distances."""
    X, new = cloud((60, 5)), cloud((20, 5), seed=5)
    squares, d_x = cdist(X, X, "sqeuclidean"), cdist(X, new, "sqeuclidean")
    scaling = ClassicalMDS(d, metric="precomputed").fit(np.sqrt(squares))
    Z = scaling.embedding_
    d_mu = squares.mean(axis=1, keepdims=True)
    formula = (np.linalg.pinv(Z) @ (0.5 * (d_mu - d_x))).T
    ours = scaling.transform(np.sqrt(d_x.T))
    assert relative(ours, formula) < 1e-10
    assert up_to_signs(ours, PCA(d).fit(X).transform(new)) < 1e-10


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("kernel", ["linear", "gaussian", "polynomial"])
def test_the_short_form_of_kernel_pca(kernel, d):
    """f(x) = (Z+)'(k(x) - K 1/n): the rest of the centring falls away because Z+ 1 = 0."""
    X, new = cloud((60, 5)) / 5, cloud((20, 5), seed=5) / 5
    model = KernelPCA(d, kernel=kernel, center=True).fit(X)
    table, rows = _table(kernel, model, X, X), _table(kernel, model, X, new)
    formula = (np.linalg.pinv(model.embedding_) @ (rows - table.mean(axis=1, keepdims=True))).T
    assert relative(model.transform(new), formula) < 1e-10
    if kernel == "linear":
        assert up_to_signs(model.transform(new), PCA(d).fit(X).transform(new)) < 1e-10


def _table(kernel, model, A, B):
    if kernel == "gaussian":
        return np.exp(-model.gamma_ * cdist(A, B, "sqeuclidean"))
    return A @ B.T if kernel == "linear" else (A @ B.T + 1.0) ** 3


def test_uncentred_kernel_pca_decomposes_the_table_itself():
    X = cloud((40, 3)) / 5
    model = KernelPCA(3, kernel="linear", center=False).fit(X)
    values = np.linalg.svd(X, compute_uv=False) ** 2
    np.testing.assert_allclose(model.eigenvalues_, values[:3], rtol=1e-11)
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, X @ X.T, atol=1e-10)


# double centring (Mohri et al. exercise 15.2, Izenman exercises 16.6 to 16.8)


def test_double_centring_entry_by_entry():
    table = RANDOM.standard_normal((9, 9))
    table = table + table.T
    H = np.eye(9) - np.full((9, 9), 1 / 9)
    means = table.mean(axis=0)
    by_means = table - means[:, None] - means[None, :] + table.mean()
    np.testing.assert_allclose(double_centered(table), H @ table @ H, atol=1e-14)
    np.testing.assert_allclose(double_centered(table), by_means, atol=1e-14)
    np.testing.assert_allclose(double_centered(table) @ np.ones(9), 0.0, atol=1e-14)


def test_double_centred_squared_distances_are_centred_inner_products():
    X = cloud((25, 4))
    squares, products = cdist(X, X, "sqeuclidean"), X @ X.T
    diagonal = np.diag(products)
    # (a) of the exercise with its sign put right: K_ij = 1/2 (K_ii + K_jj - D_ij^2)
    np.testing.assert_allclose(products, 0.5 * (diagonal[:, None] + diagonal - squares), atol=1e-11)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(double_centered(-0.5 * squares), centred @ centred.T, atol=1e-11)
    np.testing.assert_allclose(double_centered(products), centred @ centred.T, atol=1e-11)


def test_a_gram_problem_centres_without_a_centred_copy():
    table = np.abs(RANDOM.standard_normal((30, 30)))
    table = table @ table.T + 5.0
    found = solve(gram(table), 6)
    np.testing.assert_allclose(
        found.values, np.linalg.eigvalsh(double_centered(table))[::-1][:6], rtol=1e-10
    )
    np.testing.assert_allclose(found.vectors.sum(axis=0), 0.0, atol=1e-12)


def test_dissimilarities_need_not_be_euclidean():
    """Izenman 2013, Exercise 16.7 calls -1/2 H D^2 H non-negative definite; a tripod's is not."""
    tripod = np.array([[0, 2, 2, 1], [2, 0, 2, 1], [2, 2, 0, 1], [1, 1, 1, 0]], dtype=float)
    assert np.linalg.eigvalsh(double_centered(-0.5 * tripod**2))[0] < -0.1
    with pytest.warns(UserWarning, match="only 2 of 3 coordinates"):
        model = ClassicalMDS(3, metric="precomputed").fit(tripod)
    assert model.eigenvalues_[2] == 0.0
    assert not model.embedding_[:, 2].any()


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_maps_of_the_gram_family_have_mean_zero(d):
    X = cloud((80, 6))
    for model in (PCA(d), ClassicalMDS(d), KernelPCA(d), Isomap(d, n_neighbors=10)):
        Y = model.fit(X).embedding_
        np.testing.assert_allclose(Y.mean(axis=0), 0.0, atol=1e-12 * np.abs(Y).max())


# Isomap


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_isomap_with_all_neighbours_is_classical_mds(d):
    X = cloud((80, 6))
    isomap, scaling = Isomap(d, n_neighbors=79).fit(X), ClassicalMDS(d).fit(X)
    assert relative(isomap.embedding_, scaling.embedding_) < 1e-10
    np.testing.assert_allclose(isomap.eigenvalues_, scaling.eigenvalues_, rtol=1e-10)


def test_isomap_of_a_chain_is_its_arc_length():
    """Two neighbours each along a curve: geodesics are sums of steps, and the map is that line."""
    angles = np.linspace(0.0, 4.0, 60) ** 1.1
    X = np.column_stack([np.cos(angles), np.sin(angles), 0.2 * angles])
    steps = np.linalg.norm(np.diff(X, axis=0), axis=1)
    arc = np.concatenate([[0.0], np.cumsum(steps)])
    index = np.arange(60)
    chain = np.where(np.abs(index[:, None] - index) == 1, cdist(X, X), 0.0)
    model = Isomap(1, metric="precomputed").fit(sp.csr_array(chain))
    np.testing.assert_allclose(model.geodesics_, np.abs(arc[:, None] - arc), atol=1e-12)
    assert up_to_signs(model.embedding_, (arc - arc.mean())[:, None]) < 1e-10


def test_residual_variance_of_the_isomap_sites_swiss_roll():
    """First 1,000 points, 7 neighbours, of the original file (Izenman 2013, Figure 16.8)."""
    try:
        X = datasets.real("swiss_roll_isomap")["x"][:1000]
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    model = Isomap(10, n_neighbors=7).fit(X)
    left = quality.residual_variance(model.geodesics_, model.embedding_)
    np.testing.assert_allclose(left[:2], [0.1285, 0.0027], atol=5e-4)
    np.testing.assert_allclose(left[2:5], [0.00231, 0.00258, 0.00257], atol=5e-5)
    spans = np.ptp(model.embedding_[:, :2], axis=0)
    np.testing.assert_allclose(spans, [53.9 + 51.3, 29.6 + 26.3], atol=0.2)


def test_pca_of_a_tall_table_far_from_the_origin_makes_no_copy_of_it():
    """An offset of 1e8 costs no digits, and the table is centred a block at a time."""
    import tracemalloc

    random = np.random.default_rng(5)
    near = np.round(random.standard_normal((40_000, 60)) * np.linspace(9, 1, 60), 3) * 1024
    here, there = PCA(5).fit(near), PCA(5)
    far = near + 1e8
    tracemalloc.start()
    there.fit(far)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert here.report_.stage("spectrum").facts["solver"] == "gram matrix of the factor"
    np.testing.assert_allclose(there.eigenvalues_, here.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(there.embedding_, here.embedding_, atol=1e-6 * 9 * 1024)
    np.testing.assert_allclose(
        there.explained_variance_ratio_, here.explained_variance_ratio_, rtol=1e-9
    )
    assert peak < 1.7 * far.nbytes  # the checked copy that every estimator keeps, and blocks


@pytest.mark.parametrize("center", [True, False])
def test_uncentred_maps_place_known_points_where_they_are(center):
    points = np.random.default_rng(9).normal(size=(60, 3)) + 2.0
    model = KernelPCA(3, sigma=2.0, center=center).fit(points)
    np.testing.assert_allclose(model.transform(points), model.embedding_, atol=1e-9)
    table = np.exp(-cdist(points, points, "sqeuclidean") / 8.0)
    centred = table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean()
    values = np.linalg.eigvalsh(centred if center else table)[::-1][:3]
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-10)


@pytest.mark.parametrize("options", [{}, {"n_landmarks": 30}])
def test_scalings_of_kernel_pca(options):
    points = datasets.three_clusters(60).points
    plain = KernelPCA(3, sigma=0.5, **options).fit(points)
    unit = KernelPCA(3, sigma=0.5, scaling="variance", **options).fit(points)
    kernlab = KernelPCA(3, sigma=0.5, scaling="kernlab", **options).fit(points)
    np.testing.assert_allclose(kernlab.embedding_, np.sqrt(60) * plain.embedding_)
    queries = points[:5] + 0.01
    np.testing.assert_allclose(kernlab.transform(queries), np.sqrt(60) * plain.transform(queries))
    roots = np.sqrt(plain.eigenvalues_ / 60)
    np.testing.assert_allclose(unit.embedding_ * roots, plain.embedding_)
    np.testing.assert_allclose(unit.transform(queries) * roots, plain.transform(queries))
    if not options:  # all pairs: the vectors are orthonormal
        np.testing.assert_allclose(unit.embedding_.var(axis=0), 1.0)
    for model in (unit, kernlab):
        np.testing.assert_allclose(
            model.inverse_transform(model.embedding_[:6]),
            plain.inverse_transform(plain.embedding_[:6]),
            atol=1e-6,
        )


def test_kernlab_divides_eigenvectors_of_the_kernel_over_n():
    """Its scores are K v / sqrt(value of K / n), with v of length 1 (kernlab's kpca)."""
    points = datasets.three_clusters(45).points
    model = KernelPCA(2, sigma=0.5, scaling="kernlab").fit(points)
    centered = model.kernel_()
    values, vectors = np.linalg.eigh(centered / 45)
    scores = centered @ vectors[:, ::-1][:, :2] / np.sqrt(values[::-1][:2])
    np.testing.assert_allclose(np.abs(model.embedding_), np.abs(scores), atol=1e-10)
