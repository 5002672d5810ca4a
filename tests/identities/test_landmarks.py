"""Landmark MDS and landmark Isomap against what they approximate, and the book's numbers."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import unspool
from unspool import datasets, distances, graph, quality


@pytest.mark.parametrize("n_dimensions", [1, 2, 3, 4])
@pytest.mark.parametrize("choice", ["maxmin", "random"])
def test_landmark_mds_is_exact_on_euclidean_data(n_dimensions, choice):
    points = np.random.default_rng(0).normal(size=(150, n_dimensions))
    model = unspool.LandmarkMDS(n_dimensions, n_landmarks=12, landmarks=choice).fit(points)
    assert np.abs(pdist(model.embedding_) - pdist(points)).max() < 1e-8
    fresh = np.random.default_rng(1).normal(size=(20, n_dimensions))
    both = np.vstack([model.embedding_, model.transform(fresh)])
    assert np.abs(pdist(both) - pdist(np.vstack([points, fresh]))).max() < 1e-8


def test_all_points_as_landmarks_is_classical_mds():
    points = np.random.default_rng(2).normal(size=(80, 6))
    few = unspool.LandmarkMDS(3, landmarks=np.arange(80)).fit(points)
    all_of_them = unspool.ClassicalMDS(3).fit(points)
    np.testing.assert_allclose(few.eigenvalues_, all_of_them.eigenvalues_, rtol=1e-10)
    np.testing.assert_allclose(few.embedding_, all_of_them.embedding_, atol=1e-9)


def test_all_points_as_landmarks_is_isomap():
    points = datasets.swiss_roll(200).points
    few = unspool.LandmarkIsomap(2, n_neighbors=8, landmarks=np.arange(200)).fit(points)
    all_of_them = unspool.Isomap(2, n_neighbors=8).fit(points)
    np.testing.assert_allclose(few.embedding_, all_of_them.embedding_, atol=1e-7)


def test_precomputed_distances_give_the_same_map():
    points = datasets.s_curve(120).points
    table = squareform(pdist(points))
    for cls, options in ((unspool.LandmarkMDS, {}), (unspool.LandmarkIsomap, {"n_neighbors": 7})):
        from_points = cls(2, n_landmarks=20, **options).fit(points)
        from_table = cls(2, n_landmarks=20, metric="precomputed", **options).fit(table)
        np.testing.assert_allclose(from_table.embedding_, from_points.embedding_, atol=1e-8)


def test_maxmin_takes_the_farthest_point_each_time():
    points = np.random.default_rng(3).uniform(size=(60, 2))
    table = squareform(pdist(points))
    chosen = graph.choose_maxmin(lambda i: table[i], 60, 10, seed=4)
    for count in range(1, 10):
        gaps = table[:, chosen[:count]].min(axis=1)
        assert gaps[chosen[count]] == gaps.max()


def test_maxmin_never_takes_a_duplicate():
    points = np.repeat(np.arange(5.0), 10)[:, None]
    model = unspool.LandmarkMDS(1, n_landmarks=20).fit(points)
    assert len(model.landmarks_) == 5
    assert np.abs(pdist(model.embedding_) - pdist(points)).max() < 1e-8


# The Isomap site's roll, 7 neighbours, the first 50 points as landmarks (Izenman Figs 16.10-16.11).
BOOK = [
    (1_000, [0.1195, 0.0038], [24.7, 13.5]),
    pytest.param(20_000, [0.1140, 0.0011], [11.7, 5.8], marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("n", "residuals", "reach"), BOOK)
def test_book_roll(n, residuals, reach):
    points = real_roll()[:n]
    options = {"n_neighbors": 7, "landmarks": np.arange(50)}
    by_svd = unspool.LandmarkIsomap(2, scaling="svd", **options).fit(points)
    faithful = unspool.LandmarkIsomap(2, **options).fit(points)
    for model in (by_svd, faithful):
        found = quality.residual_variance(model.geodesics_.T, model.embedding_, model.landmarks_)
        np.testing.assert_allclose(found, residuals, atol=1e-3)
    np.testing.assert_allclose(np.abs(by_svd.embedding_).max(axis=0), reach, atol=0.06)
    spread = np.sqrt(by_svd.embedding_.var(axis=0).sum() / faithful.embedding_.var(axis=0).sum())
    assert spread == pytest.approx((50 / n) ** 0.25, rel=0.05)


def test_faithful_scaling_keeps_the_geodesic_distances():
    points = real_roll()[:1_000]
    model = unspool.LandmarkIsomap(2, n_neighbors=7, landmarks=np.arange(50)).fit(points)
    on_map = distances.pairwise_distances(model.embedding_[:50], model.embedding_)
    ratio = (on_map * model.geodesics_).sum() / np.square(model.geodesics_).sum()
    assert ratio == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(
    "landmarks", [[0, 0, 1], [0, 500], [], ["a"], "nearest", [[0, 1]]], ids=repr
)
def test_wrong_landmarks_are_refused(landmarks):
    points = datasets.s_curve(100).points
    for cls in (unspool.LandmarkMDS, unspool.LandmarkIsomap):
        with pytest.raises(ValueError, match="landmarks"):
            cls(2, landmarks=landmarks).fit(points)


def real_roll():
    try:
        return datasets.real("swiss_roll_isomap")["x"]
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


def test_svd_scaling_is_that_of_the_singular_values():
    """Coordinates are U sqrt(S) of the centred squared distances (n x m), as in IsomapII."""
    points = np.random.default_rng(6).normal(size=(90, 5))
    model = unspool.LandmarkMDS(2, n_landmarks=15, scaling="svd").fit(points)
    squares = -0.5 * distances.pairwise_squared_distances(points, points[model.landmarks_])
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(model.eigenvalues_, singular[:2], rtol=1e-10)
    expected = left[:, :2] * np.sqrt(singular[:2])
    signs = np.sign((expected * model.embedding_).sum(axis=0))
    np.testing.assert_allclose(model.embedding_, expected * signs, atol=1e-9)
    kept = unspool.LandmarkMDS(2, n_landmarks=15).fit(points)
    assert np.abs(kept.eigenvalues_ - singular[:2]).max() > 0.1 * singular[0]


@pytest.mark.parametrize("name", ["LandmarkMDS", "LandmarkIsomap"])
def test_landmarks_are_chosen_as_was_said(name):
    points = datasets.swiss_roll(200, seed=3).points
    method = getattr(unspool, name)
    for rule in ("maxmin", "random"):
        for count in (12, 40):
            model = method(2, n_landmarks=count, landmarks=rule).fit(points)
            assert len(np.unique(model.landmarks_)) == count
    nearest = {}
    for rule in ("maxmin", "random"):
        chosen = method(2, n_landmarks=40, landmarks=rule).fit(points).landmarks_
        nearest[rule] = pdist(points[chosen]).min()
    assert nearest["maxmin"] > 1.5 * nearest["random"]  # chosen far apart, or not
    draws = [method(2, landmarks="random", random_state=s).fit(points).landmarks_ for s in (0, 1)]
    assert set(draws[0]) != set(draws[1])
    named = [50, 3, 117, 80, 199, 20]
    np.testing.assert_array_equal(method(2, landmarks=named).fit(points).landmarks_, named)
