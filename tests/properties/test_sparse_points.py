"""Sparse points give the maps of the same points made dense, and are never made dense."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import unspool

RANDOM = np.random.default_rng(0)
POINTS = sp.csr_array(sp.random_array((240, 40), density=0.2, rng=RANDOM, format="csr"))
POINTS = sp.csr_array(sp.vstack([POINTS, POINTS[[3, 3, 7]]]))  # copies
QUERIES = sp.csr_array(sp.random_array((300, 40), density=0.2, rng=RANDOM, format="csr"))
METHODS = {
    "pca": unspool.PCA(2),
    "whitened pca": unspool.PCA(3, whiten=True, ddof=1),
    "random projection": unspool.RandomProjection(5),
    "sparse random projection": unspool.RandomProjection(5, kind="sparse"),
    "gaussian kernel pca": unspool.KernelPCA(2),
    "polynomial kernel pca": unspool.KernelPCA(2, kernel="polynomial"),
    "linear kernel pca": unspool.KernelPCA(2, kernel="linear"),
    "isomap": unspool.Isomap(2),
    "isomap by angles": unspool.Isomap(2, metric="cosine"),
    "landmark isomap": unspool.LandmarkIsomap(2),
    "laplacian eigenmaps": unspool.LaplacianEigenmaps(2),
    "diffusion maps": unspool.DiffusionMaps(2),
    "spectral clustering": unspool.SpectralClustering(n_components=3),
    "lle": unspool.LLE(2),
    "lle within a radius": unspool.LLE(2, radius=2.5),
    "modified lle": unspool.ModifiedLLE(2),
    "ltsa": unspool.LTSA(2),
    "hessian lle": unspool.HessianLLE(2),
}
every_method = pytest.mark.parametrize("name", METHODS)
WAYS_BACK = ("pca", "whitened pca", "random projection")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fitted(name, points):
    return clone(METHODS[name]).fit(points)


@every_method
def test_the_map_is_that_of_dense_points(name, monkeypatch):
    dense = fitted(name, POINTS.toarray())
    placed = dense.transform(QUERIES.toarray())
    with monkeypatch.context() as patch:  # a few neighbours at a time may be dense, all points not
        whole = POINTS.shape[0]
        make_dense = sp.csr_array.toarray

        def refuse(self, *args, **options):
            assert self.shape != (whole, 40), "all points were made dense"
            return make_dense(self, *args, **options)

        patch.setattr(sp.csr_array, "toarray", refuse)
        sparse = fitted(name, POINTS)
        found = sparse.transform(QUERIES)
    size = np.abs(dense.embedding_).max()
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, rtol=0, atol=1e-8 * size)
    np.testing.assert_allclose(found, placed, rtol=0, atol=1e-7 * size)
    np.testing.assert_allclose(
        sparse.transform(POINTS), sparse.embedding_, rtol=0, atol=1e-8 * size
    )


@every_method
def test_the_layout_of_query_points_does_not_matter(name):
    sparse, dense = fitted(name, POINTS), fitted(name, POINTS.toarray())
    few = QUERIES[:20]
    np.testing.assert_allclose(sparse.transform(few.toarray()), sparse.transform(few), atol=1e-12)
    np.testing.assert_allclose(dense.transform(few), dense.transform(few.toarray()), atol=1e-12)


@every_method
def test_models_of_sparse_points_can_be_kept(name, tmp_path):
    model = fitted(name, POINTS)
    unspool.save(model, tmp_path / "model.unspool")
    again = unspool.load(tmp_path / "model.unspool")
    np.testing.assert_array_equal(again.transform(QUERIES), model.transform(QUERIES))


@every_method
def test_the_way_back_is_refused_where_it_leads_between_points(name):
    model = fitted(name, POINTS)
    if name in (*WAYS_BACK, "sparse random projection"):
        expected = fitted(name, POINTS.toarray()).inverse_transform(model.embedding_[:4])
        found = model.inverse_transform(model.embedding_[:4])
        np.testing.assert_allclose(found, expected, atol=1e-9)
        return
    with pytest.raises(ValueError, match=r"fitted on sparse points.*inverse_transform"):
        model.inverse_transform(model.embedding_[:4])


def test_entries_may_be_listed_in_any_way():
    """Twice, out of order, or zero; the caller's matrix stays as it is."""
    twice = sp.coo_array(
        (
            np.concatenate([POINTS.data, POINTS.data, [0.0]]) / 2.0,
            (
                np.concatenate([POINTS.tocoo().row] * 2 + [[5]]),
                np.concatenate([POINTS.tocoo().col] * 2 + [[6]]),
            ),
        ),
        shape=POINTS.shape,
    )
    before = twice.copy()
    found = unspool.Isomap(2).fit(twice)
    np.testing.assert_array_equal(found.embedding_, unspool.Isomap(2).fit(POINTS).embedding_)
    np.testing.assert_array_equal(twice.data, before.data)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (unspool.Isomap(metric="cityblock"), "sparse points are compared by"),
        (unspool.KernelPCA(kernel="laplacian"), "needs dense points"),
        (unspool.KernelPCA(kernel=lambda x, y: float(x @ y)), "needs dense points"),
        (unspool.KernelPCA(n_landmarks=10), "landmarks are chosen among dense points"),
        (unspool.MDS(), "toarray"),
        (unspool.KernelLLE(sigma=1.0), "toarray"),
    ],
)
def test_what_needs_dense_points_says_so(model, words):
    with pytest.raises((ValueError, TypeError), match=words):
        model.fit(POINTS)


def test_sparse_points_far_from_the_origin_keep_the_variance():
    shifted = POINTS.copy()
    shifted.data += 100.0
    dense, sparse = unspool.PCA(3).fit(shifted.toarray()), unspool.PCA(3).fit(shifted)
    np.testing.assert_allclose(sparse.eigenvalues_, dense.eigenvalues_, rtol=1e-10)
    ratio = "explained_variance_ratio_"
    np.testing.assert_allclose(getattr(sparse, ratio), getattr(dense, ratio), rtol=1e-10)


def test_not_a_number_is_told_with_its_place():
    wrong = POINTS.copy()
    wrong.data[11] = np.nan
    row = int(np.searchsorted(wrong.indptr, 11, side="right")) - 1
    with pytest.raises(ValueError, match=f"NaN in row {row}, column {wrong.indices[11]}"):
        unspool.Isomap().fit(wrong)
