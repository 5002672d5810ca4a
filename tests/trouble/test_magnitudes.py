"""Far from zero, huge, tiny, single precision: digits are lost only where the data have none."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.cases import CLOSED_FORM, bent
from tests.compare import relative, up_to_signs
from unspool.distances import neighbor_graph
from unspool.methods import PCA, ClassicalMDS, Isomap, KernelPCA

X = bent(200)
every_closed_form = pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)


@pytest.mark.parametrize("n", [200, 900])
@pytest.mark.parametrize("method", [PCA, ClassicalMDS, lambda d: KernelPCA(d, kernel="linear")])
def test_an_offset_of_1e8_keeps_the_eigenvalues(method, n):
    """1e8 leaves 8 digits of each coordinate; X'X - n mean mean' would leave none."""
    points = np.round(bent(n) * 2**10) / 2**10  # so that adding the offset is exact
    here, there = method(4).fit(points), method(4).fit(points + 1e8)
    np.testing.assert_array_equal((points + 1e8) - 1e8, points)
    np.testing.assert_allclose(there.eigenvalues_, here.eigenvalues_, rtol=1e-6)
    assert up_to_signs(there.embedding_, here.embedding_) < 1e-6
    assert relative(there.transform(points + 1e8), there.embedding_) < 1e-8


def test_an_offset_of_1e8_in_one_feature_only():
    points = np.round(X * 2**10) / 2**10
    shift = np.array([0.0, 1e8, 0.0, 0.0, -1e8])
    np.testing.assert_allclose(
        PCA(5).fit(points + shift).eigenvalues_, PCA(5).fit(points).eigenvalues_, rtol=1e-6
    )


@every_closed_form
@pytest.mark.parametrize("exponent", [-60, -30, -12, -6, 6, 12, 30, 60])
def test_every_scale_that_is_taken_is_mapped_right(case, exponent):
    scale = 10.0**exponent
    here, there = case.make().fit(X), case.make().fit(scale * X)
    assert up_to_signs(there.embedding_ / scale**case.power, here.embedding_) < 1e-8
    assert relative(there.transform(scale * X), there.embedding_) < 1e-8
    signs = np.sign(np.einsum("ij,ij->j", there.embedding_, here.embedding_))
    new = bent(20, seed=6)
    placed = there.transform(scale * new) * signs / scale**case.power
    assert relative(placed, here.transform(new)) < 1e-7
    back = there.inverse_transform(there.embedding_)
    assert np.isfinite(back).all()
    assert relative(back / scale, here.inverse_transform(here.embedding_)) < 1e-6


@every_closed_form
def test_columns_of_very_different_size(case):
    wide = X * np.array([1e4, 1e2, 1.0, 1e-4, 1e-8])
    options = {"n_neighbors": 30} if case.has_graph else {}
    model = case.make(**options).fit(wide)
    assert np.isfinite(model.embedding_).all()
    assert relative(model.transform(wide), model.embedding_) < 1e-8


def test_negligible_entries_do_no_harm():
    wide = np.column_stack([X, 1e-300 * X])
    for method in (PCA, ClassicalMDS, KernelPCA):
        assert relative(method(2).fit(wide).embedding_, method(2).fit(X).embedding_) < 1e-12


# neighbours


def true_neighbors(points, rows, count):
    distances = cdist(points[rows], points)
    distances[np.arange(len(rows)), rows] = np.inf
    return np.sort(np.argpartition(distances, count, axis=1)[:, :count], axis=1), distances


@pytest.mark.parametrize("features", [3, 20])
def test_neighbours_of_single_precision_data_far_from_zero(features):
    """10,000 points at an offset of 1e4: squaring before centring would leave noise."""
    random = np.random.default_rng(0)
    points = (random.standard_normal((10_000, features)) + 1e4).astype(np.float32)
    found = neighbor_graph(points, 10)
    rows = random.permutation(10_000)[:300]
    expected, distances = true_neighbors(points.astype(np.float64), rows, 10)
    ours = found.neighbors.reshape(-1, 10)[rows]
    # ties at single precision may be broken either way, so distances are compared, then sets
    np.testing.assert_allclose(
        np.take_along_axis(distances, ours, axis=1).max(axis=1),
        np.take_along_axis(distances, expected, axis=1).max(axis=1),
        rtol=1e-12,
    )
    assert (np.sort(ours, axis=1) == expected).mean() > 0.99
    np.testing.assert_allclose(
        found.distances.reshape(-1, 10)[rows],
        np.sort(np.take_along_axis(distances, ours, axis=1), axis=1),
        rtol=1e-12,
    )


@pytest.mark.parametrize("gap", [1e4, 1e8, 1e12])
@pytest.mark.parametrize("features", [3, 20])
def test_neighbours_within_distant_clusters(features, gap):
    """Around the common centre squares of 1e16 round to whole numbers: differences decide."""
    random = np.random.default_rng(1)
    points = random.standard_normal((400, features))
    points[200:, 0] += gap
    expected, _ = true_neighbors(points, np.arange(400), 6)
    found = neighbor_graph(points, 6)
    np.testing.assert_array_equal(np.sort(found.neighbors.reshape(-1, 6), axis=1), expected)


@pytest.mark.parametrize("features", [3, 20])
def test_one_outlier_does_not_blind_the_search(features):
    random = np.random.default_rng(2)
    points = random.standard_normal((300, features))
    points[17] = 1e13
    rows = np.delete(np.arange(300), 17)
    expected, _ = true_neighbors(points, rows, 6)
    found = neighbor_graph(points, 6).neighbors.reshape(-1, 6)[rows]
    np.testing.assert_array_equal(np.sort(found, axis=1), expected)


def test_isomap_of_single_precision_data_far_from_zero():
    points = np.round(X * 2**6) / 2**6  # exact in single precision at this offset
    near = Isomap(2, n_neighbors=8).fit(points)
    far = Isomap(2, n_neighbors=8).fit((points + 1e4).astype(np.float32))
    assert far.embedding_.dtype == np.float32
    assert up_to_signs(far.embedding_.astype(float), near.embedding_) < 1e-4
