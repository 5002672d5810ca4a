"""scikit-learn's implementations as an oracle, on data where both must agree."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition
import sklearn.manifold
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise

from tests.cases import DIMENSIONS, bent, roll
from tests.compare import up_to_signs
from tests.identities.test_graph_laplacian import heat_weights
from unspool.methods import LLE, PCA, Isomap, KernelPCA, LaplacianEigenmaps

X = bent(250)
NEW = bent(40, seed=9)


@pytest.mark.parametrize("whiten", [False, True])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_pca(d, whiten):
    ours = PCA(d, whiten=whiten, ddof=1).fit(X)
    theirs = sklearn.decomposition.PCA(d, whiten=whiten, svd_solver="full").fit(X)
    assert up_to_signs(ours.embedding_, theirs.transform(X)) < 1e-10
    assert up_to_signs(ours.transform(NEW), theirs.transform(NEW)) < 1e-10
    np.testing.assert_allclose(ours.eigenvalues_, theirs.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-10
    )


KERNELS = {
    "gaussian": ({"gamma": 0.01}, lambda A, B: pairwise.rbf_kernel(A, B, 0.01)),
    "laplacian": ({"gamma": 0.02}, lambda A, B: pairwise.laplacian_kernel(A, B, 0.02)),
    "polynomial": (
        {"gamma": 0.01, "degree": 2, "coef0": 2.0},
        lambda A, B: pairwise.polynomial_kernel(A, B, 2, 0.01, 2.0),
    ),
    "homogeneous": ({"degree": 2}, lambda A, B: pairwise.polynomial_kernel(A, B, 2, 1.0, 0.0)),
    "sigmoid": (
        {"gamma": 1e-4, "coef0": 0.5},
        lambda A, B: pairwise.sigmoid_kernel(A, B, 1e-4, 0.5),
    ),
    "linear": ({}, pairwise.linear_kernel),
}


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_pca(kernel, d):
    options, table = KERNELS[kernel]
    ours = KernelPCA(d, kernel=kernel, **options).fit(X)
    theirs = sklearn.decomposition.KernelPCA(d, kernel="precomputed", eigen_solver="dense")
    theirs.fit(table(X, X))
    assert up_to_signs(ours.embedding_, theirs.transform(table(X, X))) < 1e-8
    assert up_to_signs(ours.transform(NEW), theirs.transform(table(NEW, X))) < 1e-8
    np.testing.assert_allclose(ours.eigenvalues_, theirs.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", [250, 700])
def test_isomap(n, d):
    points = bent(n)
    ours = Isomap(d, n_neighbors=8).fit(points)
    theirs = sklearn.manifold.Isomap(n_neighbors=8, n_components=d, eigen_solver="dense")
    theirs.fit(points)
    np.testing.assert_allclose(ours.geodesics_, theirs.dist_matrix_, rtol=1e-10)
    assert up_to_signs(ours.embedding_, theirs.embedding_) < 1e-8
    assert up_to_signs(ours.transform(NEW), theirs.transform(NEW)) < 1e-8


@pytest.mark.parametrize("d", DIMENSIONS)
def test_lle(d):
    ours = LLE(d, n_neighbors=9).fit(X)
    theirs = sklearn.manifold.LocallyLinearEmbedding(
        n_neighbors=9, n_components=d, reg=1e-3, eigen_solver="dense"
    ).fit(X)
    # scikit-learn squares I - W, which leaves it about 8 digits less than the gap of the values
    assert up_to_signs(ours.embedding_ / np.sqrt(250), theirs.embedding_) < 1e-5
    assert up_to_signs(ours.transform(NEW) / np.sqrt(250), theirs.transform(NEW)) < 1e-5


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("n", [250, 700])
def test_laplacian_eigenmaps(n, d):
    points = roll(n).points
    ours = LaplacianEigenmaps(d, n_neighbors=8, sigma=2.0).fit(points)
    theirs = sklearn.manifold.SpectralEmbedding(
        d, affinity="precomputed", eigen_solver="arpack", eigen_tol=1e-14, random_state=0
    ).fit(heat_weights(points, 8, 1 / 8))
    # theirs is D^-1/2 u with a sign rule of its own, which is the same scale as Y'DY = I
    assert up_to_signs(ours.embedding_, theirs.embedding_) < 1e-6


def test_precomputed_distances_in_isomap():
    distances = cdist(X, X)
    ours = Isomap(2, n_neighbors=8, metric="precomputed").fit(distances)
    theirs = sklearn.manifold.Isomap(n_neighbors=8, metric="precomputed", eigen_solver="dense")
    assert up_to_signs(ours.embedding_, theirs.fit_transform(distances)) < 1e-8
    rows = cdist(NEW, X)
    assert up_to_signs(ours.transform(rows), theirs.transform(rows)) < 1e-8


def test_a_graph_of_scikit_learn_is_understood():
    """kneighbors_graph gives a sparse directed graph without its diagonal."""
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, 8, mode="distance")
    ours = Isomap(2, metric="precomputed").fit(sp.csr_array(graph))
    assert up_to_signs(ours.embedding_, Isomap(2, n_neighbors=8).fit(X).embedding_) < 1e-9
