"""The Nystroem method (Mohri et al. 2012, Exercise 15.4) and kernel PCA through it."""

import numpy as np
import pytest

import unspool
from unspool import LaplacianEigenmaps, datasets, kernel, quality

RANDOM = np.random.default_rng(5)
POINTS = RANDOM.normal(size=(120, 4))
LANDMARKS = np.arange(0, 120, 6)
GAUSSIAN = kernel.Kernel("gaussian", gamma=0.3)


def nystroem_table(function, points, landmarks):
    columns = function(points, points[landmarks])
    return columns @ np.linalg.pinv(columns[landmarks], rcond=1e-13, hermitian=True) @ columns.T


def test_error_without_forming_the_table():
    table = GAUSSIAN(POINTS, POINTS)
    gap = np.linalg.norm(table - nystroem_table(GAUSSIAN, POINTS, LANDMARKS))
    assert kernel.nystroem_error(GAUSSIAN, POINTS, LANDMARKS) == pytest.approx(gap, rel=1e-9)


def test_error_does_not_depend_on_the_blocks(monkeypatch):
    whole = kernel.nystroem_error(GAUSSIAN, POINTS, LANDMARKS)
    monkeypatch.setattr("unspool.kernel.feature_maps.BLOCK_BYTES", 8 * 100 * 7)
    assert kernel.nystroem_error(GAUSSIAN, POINTS, LANDMARKS) == pytest.approx(whole, rel=1e-12)


def test_linear_kernel_projects_on_the_landmarks_span():
    landmarks = np.arange(3)  # (b): K~ = X' P X, with P the projection on the span of three points
    basis = np.linalg.qr(POINTS[landmarks].T)[0]
    expected = POINTS @ basis @ basis.T @ POINTS.T
    found = nystroem_table(kernel.Kernel("linear"), POINTS, landmarks)
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("choice", ["cholesky", "uniform", "kmeans"])
def test_through_landmarks_never_beyond_the_table(choice):
    """(c) K~ is positive semi-definite and below K, so no eigenvalue exceeds the exact one."""
    exact = unspool.KernelPCA(5, gamma=0.3, center=False).fit(POINTS)
    model = unspool.KernelPCA(5, gamma=0.3, center=False, n_landmarks=25, landmarks=choice).fit(
        POINTS
    )
    assert (model.eigenvalues_ <= exact.eigenvalues_ * (1 + 1e-10)).all()
    assert (model.eigenvalues_ > 0).all()


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("choice", ["cholesky", "uniform"])
def test_exact_when_the_landmarks_have_full_rank(center, choice):
    options = {"kernel": "homogeneous", "degree": 2, "center": center}  # rank 10 in 4 dimensions
    exact = unspool.KernelPCA(3, **options).fit(POINTS)
    model = unspool.KernelPCA(3, n_landmarks=30, landmarks=choice, **options).fit(POINTS)
    np.testing.assert_allclose(model.eigenvalues_, exact.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(
        np.abs(model.embedding_), np.abs(exact.embedding_), atol=1e-8 * exact.embedding_.max()
    )
    fresh = RANDOM.normal(size=(15, 4))
    signs = np.sign((model.embedding_ * exact.embedding_).sum(axis=0))
    np.testing.assert_allclose(
        model.transform(fresh) * signs, exact.transform(fresh), atol=1e-7 * exact.embedding_.max()
    )


def test_a_precomputed_table_gives_the_same_map():
    table = GAUSSIAN(POINTS, POINTS)
    for chosen in ({"n_landmarks": 20}, {"landmarks": LANDMARKS}):
        from_points = unspool.KernelPCA(3, gamma=0.3, **chosen).fit(POINTS)
        from_table = unspool.KernelPCA(3, kernel="precomputed", **chosen).fit(table)
        np.testing.assert_allclose(from_table.embedding_, from_points.embedding_, atol=1e-9)
        np.testing.assert_allclose(from_table.transform(table), from_points.embedding_, atol=1e-9)


def test_pivots_beat_uniform_landmarks_on_uneven_data():
    crowd = RANDOM.normal(size=(950, 3)) * 0.05
    scattered = RANDOM.normal(size=(50, 3)) * 4
    points = np.vstack([crowd, scattered])
    wide = kernel.Kernel("gaussian", gamma=0.5)
    pivots = kernel.pivoted_cholesky(wide, points, 40, seed=0)
    uniform = np.random.default_rng(0).permutation(1000)[:40]
    assert len(np.unique(pivots)) == 40
    assert kernel.nystroem_error(wide, points, pivots) < 0.6 * kernel.nystroem_error(
        wide, points, uniform
    )


def test_pivoting_stops_at_the_rank():
    assert len(kernel.pivoted_cholesky(kernel.Kernel("linear"), POINTS, 50)) <= 8


def test_linear_landmarks_invert_like_pca():
    model = unspool.KernelPCA(3, kernel="linear", n_landmarks=15).fit(POINTS + 7.0)
    exact = unspool.PCA(3).fit(POINTS + 7.0)
    np.testing.assert_allclose(
        model.inverse_transform(model.embedding_),
        exact.inverse_transform(exact.embedding_),
        atol=1e-9,
    )


def test_preimages_denoise():
    """Pre-images of noisy digits are nearer to the clean ones than the noisy images are."""
    images = digits()
    noise = np.random.default_rng(6).normal(scale=0.25, size=(100, images.shape[1]))
    clean, noisy = images[-100:], images[-100:] + noise
    model = unspool.KernelPCA(32, sigma=4.0).fit(images[:-100])
    restored = model.inverse_transform(model.transform(noisy))
    before = np.square(noisy - clean).sum(axis=1).mean()
    after = np.square(restored - clean).sum(axis=1).mean()
    assert after < 0.6 * before


def test_food_data_as_the_book_prints_it():
    """Izenman Fig 16.5: eigenvalues of K/n for exp(-s d^2) on the six per-gram columns."""
    try:
        food = datasets.real("food_nutrition")
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    points = np.column_stack([column for name, column in food.items() if "2." in name])
    assert points.shape == (961, 6)
    printed = {
        0.005: [0.0336, 0.0033],
        0.01: [0.0602, 0.0066],
        0.1: [0.2200, 0.0820],
        0.5: [0.2738, 0.1139],
    }
    for width, values in printed.items():
        model = unspool.KernelPCA(2, gamma=width).fit(points)
        np.testing.assert_array_equal(np.round(model.covariance_eigenvalues_, 4), values)


def test_landmarks_on_a_large_roll_match_the_exact_map():
    points = datasets.swiss_roll(1500).points
    exact = unspool.KernelPCA(3).fit(points)
    model = unspool.KernelPCA(3, n_landmarks=200).fit(points)
    assert quality.disparity(model.embedding_, exact.embedding_) < 1e-8


def digits():
    from sklearn.datasets import load_digits

    return load_digits().data / 16.0


@pytest.mark.filterwarnings("ignore:coordinate 1 is carried by")
def test_landmarks_are_drawn_as_was_said():
    """Most points in a dot: uniform landmarks lie there, pivots and means do not."""
    dot = 0.01 * RANDOM.normal(size=(190, 2))
    points = np.vstack([dot, RANDOM.uniform(-5, 5, size=(10, 2))])
    options = {"gamma": 1.0, "n_landmarks": 12}
    uniform = unspool.KernelPCA(1, landmarks="uniform", **options).fit(points)
    pivots = unspool.KernelPCA(1, landmarks="cholesky", **options).fit(points)
    means = unspool.KernelPCA(1, landmarks="kmeans", **options).fit(points)
    assert len(np.unique(uniform.landmarks_)) == len(np.unique(pivots.landmarks_)) == 12
    assert np.sum(uniform.landmarks_ < 190) >= 9
    assert np.sum(pivots.landmarks_ < 190) <= 5
    assert len(means.landmarks_) == 0
    centers = means.landmark_points_
    gaps = np.linalg.norm(points[:, None] - centers[None], axis=2)
    for number, center in enumerate(centers):  # each is the mean of those nearest to it
        own = points[gaps.argmin(axis=1) == number]
        np.testing.assert_allclose(own.mean(axis=0), center, atol=0.02)
    named = unspool.KernelPCA(1, landmarks=[7, 3, 195], gamma=1.0).fit(points)
    np.testing.assert_array_equal(named.landmark_points_, points[[7, 3, 195]])


@pytest.mark.parametrize("seed", range(3))
def test_laplacian_eigenmaps_of_landmarks_place_all_others_as_the_exact_map(seed):
    """Query points are placed by Nystroem's formula for the walk: P y / (1 - value)."""
    points = datasets.swiss_roll(3000, seed=seed).points
    chosen = np.random.default_rng(seed).choice(3000, 800, replace=False)
    placed = LaplacianEigenmaps(2, n_neighbors=12).fit(points[chosen]).transform(points)
    exact = LaplacianEigenmaps(2, n_neighbors=12).fit(points).embedding_
    for column, wanted in zip(placed.T, exact.T, strict=True):
        assert abs(np.corrcoef(column, wanted)[0, 1]) > 0.99
