"""Methods on blocks of rows against the same methods in memory."""

import numpy as np
import pytest

import unspool
from unspool import (
    PCA,
    FeatureMapPCA,
    KernelPCA,
    LandmarkMDS,
    PolynomialPCA,
    RandomProjection,
    scale,
)
from unspool.scale.reduction import Moments

RNG = np.random.default_rng(1)
TABLE = RNG.normal(size=(1_200, 6)) @ RNG.normal(size=(6, 6)) + 3.0


def doubled(points):
    return np.hstack([points, points**2])


METHODS = {
    "PCA": PCA(3),
    "whitened PCA": PCA(2, whiten=True, ddof=1),
    "random projection": RandomProjection(3),
    "sparse projection": RandomProjection(3, kind="sparse", density=0.5),
    "feature-map PCA": FeatureMapPCA(3),
    "own features": FeatureMapPCA(3, feature_map=doubled),
    "polynomial PCA": PolynomialPCA(4),
    "standardized": PolynomialPCA(standardize=True),
    "landmark MDS": LandmarkMDS(2),
    "landmark MDS, svd": LandmarkMDS(2, scaling="svd"),
    "Nystroem": KernelPCA(3, n_landmarks=60),
    "Nystroem, uncentred": KernelPCA(3, n_landmarks=60, center=False, landmarks="uniform"),
    "all pairs": KernelPCA(2),
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_as_in_memory(method, save):
    expected = type(method)(**method.get_params()).fit(TABLE)
    with scale.settings(chunk_rows=370):
        found = type(method)(**method.get_params()).fit(save(TABLE))
    size = np.abs(expected.embedding_).max()
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8 * size)
    queries = TABLE[:50] + 0.01
    np.testing.assert_allclose(
        found.transform(queries), expected.transform(queries), atol=1e-8 * size
    )
    if hasattr(expected, "eigenvalues_"):
        np.testing.assert_allclose(found.eigenvalues_, expected.eigenvalues_, rtol=1e-8, atol=1e-9)
    back = found.inverse_transform(expected.embedding_[:20])
    np.testing.assert_allclose(back, expected.inverse_transform(expected.embedding_[:20]), 1e-5)


@pytest.mark.parametrize("chunk_rows", [1, 97, 5_000])
def test_moments_do_not_depend_on_blocks_or_offset(chunk_rows, save):
    shifted = TABLE[:300] + 1e7
    with scale.settings(chunk_rows=chunk_rows):
        found = PCA(6).fit(save(shifted))
    centered = shifted - shifted.mean(axis=0)
    values = np.linalg.svd(centered, compute_uv=False) ** 2 / len(shifted)
    np.testing.assert_allclose(found.eigenvalues_, values, rtol=1e-7)


def test_merging_is_associative():
    parts = [Moments.of(part) for part in np.array_split(TABLE, 3)]
    one = parts[0].merged(parts[1]).merged(parts[2])
    other = parts[0].merged(parts[1].merged(parts[2]))
    np.testing.assert_allclose(one.factor.T @ one.factor, other.factor.T @ other.factor, rtol=1e-10)
    centered = TABLE - TABLE.mean(axis=0)
    np.testing.assert_allclose(one.factor.T @ one.factor, centered.T @ centered, rtol=1e-10)
    np.testing.assert_allclose(one.mean, TABLE.mean(axis=0), rtol=1e-12)


def test_batches_of_any_size_make_the_same_axes():
    whole, model = PCA(3).fit(TABLE), PCA(3)
    for rows in np.split(TABLE, [3, 4, 400, 1_000]):
        model.partial_fit(rows)
    np.testing.assert_allclose(model.eigenvalues_, whole.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(model.transform(TABLE), whole.embedding_, atol=1e-9)
    np.testing.assert_allclose(
        model.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-10
    )
    np.testing.assert_allclose(model.embedding_, whole.embedding_[1_000:], atol=1e-9)
    again = model.fit(TABLE[:50])
    assert not hasattr(again, "_scatter")  # fit begins anew
    np.testing.assert_allclose(again.mean_, TABLE[:50].mean(axis=0))


def test_batches_go_on_from_a_saved_model(tmp_path):
    model = PCA(2).partial_fit(TABLE[:500])
    unspool.save(model, tmp_path / "half.unspool")
    unspool.load(tmp_path / "half.unspool").partial_fit(TABLE[500:])
    model = unspool.load(tmp_path / "half.unspool").partial_fit(TABLE[500:])
    np.testing.assert_allclose(model.eigenvalues_, PCA(2).fit(TABLE).eigenvalues_, rtol=1e-10)


def test_too_small_a_first_batch_is_told():
    with pytest.raises(ValueError, match="n_components=3 is more than these 2 points"):
        PCA(3).partial_fit(TABLE[:2])


def test_single_precision_stays(save):
    single = TABLE.astype(np.float32)
    model = PCA(2).fit(save(single))
    assert model.embedding_.dtype == np.float32
    lazy = model.transform(save(single))
    assert lazy.dtype == np.float32
    np.testing.assert_allclose(lazy.compute(), model.transform(single), rtol=1e-6, atol=1e-6)


def test_what_has_no_way_by_blocks_is_refused_in_words(save, monkeypatch):
    monkeypatch.setattr("unspool.scale.sources.available_bytes", lambda: 1_000)
    with pytest.raises(MemoryError, match=r"scale\.by_sample\(TSNE"):
        unspool.TSNE().fit(save(TABLE))


def test_a_precomputed_table_must_be_in_memory(save):
    with pytest.raises(ValueError, match="must be in memory"):
        unspool.Isomap(metric="precomputed").fit(save(np.zeros((5, 5))))
