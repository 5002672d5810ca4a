"""Isomap, LLE and Laplacian eigenmaps are kernel PCA with their own kernels.

Mohri et al. 2012, section 15.3; Izenman 2013, section 16.6.9.

``kernel_()`` gives that kernel, and kernel PCA of it the map, up to the factor that is stated.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from tests.cases import CASES, DIMENSIONS, roll
from tests.compare import relative, up_to_signs
from tests.identities.test_graph_laplacian import heat_weights
from unspool.methods import (
    LLE,
    LTSA,
    PCA,
    ClassicalMDS,
    DiffusionMaps,
    HessianLLE,
    Isomap,
    KernelPCA,
    LandmarkIsomap,
    LandmarkMDS,
    LaplacianEigenmaps,
    ModifiedLLE,
)

X = roll(200).points


def kernel_pca_of(table, d, center=True):
    return KernelPCA(d, kernel="precomputed", center=center).fit(table).embedding_


def unit_columns(Y):
    return Y / np.linalg.norm(Y, axis=0)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("method", [PCA, ClassicalMDS, KernelPCA])
def test_of_the_gram_methods(method, d):
    model = method(d).fit(X)
    assert relative(kernel_pca_of(model.kernel_(), d), model.embedding_) < 1e-9 or (
        up_to_signs(kernel_pca_of(model.kernel_(), d), model.embedding_) < 1e-9
    )


@pytest.mark.parametrize("d", DIMENSIONS)
def test_of_isomap(d):
    """K = -1/2 H G^2 H (Izenman 2013, eq. 16.54): exactly the map, with its scale."""
    model = Isomap(d, n_neighbors=8).fit(X)
    table = model.kernel_()
    np.testing.assert_allclose(table.sum(axis=0), 0.0, atol=1e-7)
    assert up_to_signs(kernel_pca_of(table, d), model.embedding_) < 1e-9


@pytest.mark.parametrize("d", DIMENSIONS)
def test_of_lle(d):
    """K = lambda_max I - M (Izenman 2013, eq. 16.55): vectors are the coordinates over sqrt(n)."""
    model = LLE(d, n_neighbors=8).fit(X)
    table = model.kernel_()
    values = np.linalg.eigvalsh(table)
    assert values[0] > -1e-10  # lambda_max was really the largest: the kernel is semi-definite
    assert abs(values[0]) < 1e-8
    vectors = unit_columns(kernel_pca_of(table, d))
    assert up_to_signs(vectors * np.sqrt(len(X)), model.embedding_) < 1e-6


@pytest.mark.parametrize("method", [LTSA, HessianLLE, ModifiedLLE])
def test_of_patches(method):
    """K = lambda_max I - M with M the sum of the patches: vectors are the map over sqrt(n)."""
    model = method(2, n_neighbors=10).fit(X)
    values = np.linalg.eigvalsh(model.kernel_())
    assert abs(values[0]) < 1e-8 * values[-1]
    vectors = unit_columns(kernel_pca_of(model.kernel_(), 2))
    assert up_to_signs(vectors * np.sqrt(len(X)), model.embedding_) < 1e-6


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kind", ["random-walk", "symmetric", "unnormalized"])
def test_of_laplacian_eigenmaps(kind, d):
    """K = L+ (Izenman 2013, eq. 16.58): vectors are the map, times sqrt(D) for the random walk."""
    model = LaplacianEigenmaps(d, n_neighbors=8, sigma=2.0, laplacian=kind).fit(X)
    W = heat_weights(X, 8, 1 / 8)
    D = W.sum(axis=1)
    L = np.diag(D) - W
    if kind != "unnormalized":
        L = L / np.sqrt(D[:, None] * D)
    np.testing.assert_allclose(
        model.kernel_(), np.linalg.pinv(L, rcond=1e-10), rtol=1e-6, atol=1e-6
    )
    expected = model.embedding_
    if kind == "random-walk":
        expected = np.sqrt(D)[:, None] * expected
    vectors = unit_columns(kernel_pca_of(model.kernel_(), d, center=False))
    assert up_to_signs(vectors, unit_columns(expected)) < 1e-6


@pytest.mark.parametrize("steps", [0.5, 1.0, 3.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_of_diffusion_maps(alpha, steps):
    """K = |S|^2t: kernel PCA is the map times sqrt(pi), and its distances are those of futures."""
    model = DiffusionMaps(2, n_neighbors=8, alpha=alpha, steps=steps).fit(X)
    table = model.kernel_()
    walk = model.charts_[0].relation.kernel.toarray()
    share = walk.sum(axis=1) / walk.sum()
    mapped = kernel_pca_of(table, 2, center=False) / np.sqrt(share)[:, None]
    assert up_to_signs(mapped, model.embedding_) < 1e-6
    if steps != int(steps):
        return
    future = np.linalg.matrix_power(walk / walk.sum(axis=1, keepdims=True), int(steps))
    pairs = np.random.default_rng(0).integers(len(X), size=(2, 50))
    gaps = (np.square(future[pairs[0]] - future[pairs[1]]) / share).sum(axis=1)
    turned = table / np.sqrt(np.outer(share, share))
    own = np.diag(turned)
    found = own[pairs[0]] + own[pairs[1]] - 2 * turned[tuple(pairs)]
    np.testing.assert_allclose(found, gaps, atol=1e-8 * gaps.max())


@pytest.mark.parametrize("scaling", ["distance", "svd"])
@pytest.mark.parametrize("method", [LandmarkMDS, LandmarkIsomap])
def test_of_landmark_methods(method, scaling):
    """C A+ C': kernel PCA through the same landmarks; the root of C C': kernel PCA of it."""
    options = {"n_neighbors": 8} if method is LandmarkIsomap else {}
    model = method(2, n_landmarks=25, scaling=scaling, **options).fit(X)
    table, chosen = model.kernel_(), model.landmarks_
    assert np.linalg.matrix_rank(table) <= 24
    if scaling == "svd":
        assert up_to_signs(kernel_pca_of(table, 2), model.embedding_) < 1e-6
        return
    among = table[np.ix_(chosen, chosen)]
    np.testing.assert_allclose(among.sum(axis=0), 0.0, atol=1e-8 * np.abs(among).max())
    values, vectors = np.linalg.eigh(among)
    placed = table[:, chosen] @ vectors[:, ::-1][:, :2] / np.sqrt(values[::-1][:2])
    assert up_to_signs(placed, model.embedding_) < 1e-6


def test_commute_times_follow_from_the_laplacian_kernel():
    """c(i, j) = vol (L+_ii + L+_jj - 2 L+_ij): on a path, 2 |E| times the number of steps."""
    n = 12
    steps = np.arange(n - 1)
    chain = sp.csr_array((np.ones(n - 1), (steps, steps + 1)), shape=(n, n))
    chain = sp.csr_array(chain + chain.T)
    model = LaplacianEigenmaps(
        2, laplacian="unnormalized", weights="binary", metric="precomputed"
    ).fit(chain)
    K = model.kernel_()
    resistance = np.diag(K)[:, None] + np.diag(K) - 2 * K
    index = np.arange(n)
    np.testing.assert_allclose(
        2 * (n - 1) * resistance, 2 * (n - 1) * np.abs(index[:, None] - index), atol=1e-8
    )


def test_kernel_of_the_largest_piece():
    """With several pieces the kernel is that of the largest, as is eigenvalues_."""
    far = np.vstack([X, X[:60] + 1000.0])
    with pytest.warns(UserWarning, match="2 connected components"):
        model = Isomap(2, n_neighbors=8, components="separate").fit(far)
    assert model.kernel_().shape == (200, 200)
    assert up_to_signs(kernel_pca_of(model.kernel_(), 2), model.embedding_[:200]) < 1e-9


HAVING_ONE = sorted(name for name, case in CASES.items() if hasattr(case.cls, "kernel_"))


@pytest.mark.parametrize("name", HAVING_ONE)
def test_every_kernel_is_an_operator_too(name, monkeypatch):
    """Its products are those of the table, also where rows are made a few at a time."""
    monkeypatch.setattr("unspool.relation.gram.AT_ONCE", 7 * len(X))
    model = CASES[name].make().fit(X)
    table, operator = model.kernel_(), model.kernel_operator_()
    columns = np.random.default_rng(0).standard_normal((len(table), 3))
    expected, size = table @ columns, np.abs(table @ columns).max()
    np.testing.assert_allclose(operator @ columns, expected, atol=1e-8 * size)
    np.testing.assert_allclose(operator @ columns[:, 0], expected[:, 0], atol=1e-8 * size)
    np.testing.assert_allclose(operator.T @ columns, expected, atol=1e-8 * size)


@pytest.mark.parametrize(
    "model",
    [
        PCA(2, whiten=True),
        KernelPCA(2, center=False),
        KernelPCA(2, n_landmarks=20),
        ClassicalMDS(2, metric="cityblock", additive_constant=True),
    ],
    ids=str,
)
def test_operators_heed_the_options(model):
    columns = np.eye(len(X))[:, :5]
    model.fit(X)
    size = np.abs(model.kernel_()).max()
    np.testing.assert_allclose(
        model.kernel_operator_() @ columns, model.kernel_()[:, :5], atol=1e-9 * size
    )


def test_operators_of_given_tables():
    lengths = np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
    for model, table in (
        (ClassicalMDS(1, metric="precomputed"), lengths),
        (KernelPCA(2, kernel="precomputed"), X @ X.T),
    ):
        model.fit(table)
        size = np.abs(model.kernel_()).max()
        np.testing.assert_allclose(
            model.kernel_operator_() @ np.eye(len(X)), model.kernel_(), atol=1e-9 * size
        )
