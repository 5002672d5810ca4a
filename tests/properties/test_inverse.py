"""inverse_transform: exact where the map is linear, through the known points elsewhere."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.cases import CASES, DIMENSIONS, GRAPH, bent, roll
from tests.compare import relative
from unspool.methods import PCA, ClassicalMDS, Isomap, KernelPCA
from unspool.methods.estimator import Estimator

X = bent(300)
ON_TABLES = {name: case for name, case in CASES.items() if case.precomputed}
INTERPOLATING = {name: CASES[name] for name in ("ClassicalMDS", *GRAPH) if CASES[name].interpolates}


def test_pca_of_full_rank_is_inverted_exactly():
    for whiten in (False, True):
        model = PCA(5, whiten=whiten).fit(X)
        assert relative(model.inverse_transform(model.embedding_), X) < 1e-12
        new = bent(30, seed=6)
        assert relative(model.inverse_transform(model.transform(new)), new) < 1e-12


@pytest.mark.parametrize("d", DIMENSIONS)
def test_pca_projects(d):
    model = PCA(d).fit(X)
    centred = X - X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:d]
    expected = X.mean(axis=0) + centred @ axes.T @ axes
    assert relative(model.inverse_transform(model.embedding_), expected) < 1e-12


@pytest.mark.parametrize("d", DIMENSIONS)
def test_linear_kernel_pca_projects_too(d):
    ours, pca = KernelPCA(d, kernel="linear").fit(X + 50.0), PCA(d).fit(X + 50.0)
    places = ours.embedding_
    expected = pca.inverse_transform(pca.embedding_)
    assert relative(ours.inverse_transform(places), expected) < 1e-9


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("case", INTERPOLATING.values(), ids=INTERPOLATING)
def test_known_places_give_back_their_points_exactly(case, d):
    model = case.make(n_components=d).fit(X)
    np.testing.assert_array_equal(model.inverse_transform(model.embedding_), X)
    rows = np.vstack([model.inverse_transform(place[None]) for place in model.embedding_[:9]])
    np.testing.assert_array_equal(rows, X[:9])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_batch_of_places_is_its_rows(case):
    model = case.make().fit(X)
    places = 0.5 * (model.embedding_[:40] + model.embedding_[1:41])
    rows = np.vstack([model.inverse_transform(place[None]) for place in places])
    assert relative(rows, model.inverse_transform(places)) < 1e-9


@pytest.mark.parametrize("case", INTERPOLATING.values(), ids=INTERPOLATING)
def test_the_way_back_is_continuous_at_known_places(case):
    model = case.make().fit(X)
    step = 1e-7 * np.ptp(model.embedding_)
    beside = model.inverse_transform(model.embedding_ + step)
    assert np.abs(beside - X).max() < 1e-2 * np.ptp(X)


def test_places_between_points_of_a_roll_lie_on_the_roll():
    """Isomap of a dense roll: halfway between two neighbours the way back stays on the surface."""
    sample = roll(1500)
    model = Isomap(2, n_neighbors=10).fit(sample.points)
    random = np.random.default_rng(0)
    inside = model.embedding_[random.permutation(1500)[:200]]
    places = 0.7 * inside  # towards the middle of the map
    back = model.inverse_transform(places)
    radius = np.hypot(back[:, 0], back[:, 1])
    angle = np.arctan2(back[:, 1], back[:, 0])
    off_the_spiral = (radius - angle + np.pi) % (2 * np.pi) - np.pi
    assert np.quantile(np.abs(off_the_spiral), 0.9) < 0.15
    spacing = np.sqrt(np.prod(np.ptp(model.embedding_, axis=0)) / 1500)
    there_and_back = np.linalg.norm(model.transform(back) - places, axis=1)
    assert np.median(there_and_back) < 0.25 * spacing  # paths through neighbours are no straighter


def test_classical_scaling_inverts_an_affine_map_exactly():
    flat = np.random.default_rng(0).uniform(size=(100, 2))
    points = flat @ np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]) + 5.0
    model = ClassicalMDS(2).fit(points)
    new = np.random.default_rng(1).uniform(0.2, 0.8, size=(30, 2))
    new_points = new @ np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]]) + 5.0
    assert relative(model.inverse_transform(model.transform(new_points)), new_points) < 1e-8


def test_the_gaussian_pre_image_is_nearer_than_the_start():
    """|phi(z) - sum c phi(x)|^2 at the places of other points, against where the search begins."""
    points = bent(120)[:, :3]
    model = KernelPCA(20, kernel="gaussian", sigma=3.0).fit(points)
    places = model.transform(bent(60, seed=8)[:, :3])
    centered = places / model.eigenvalues_ @ model.embedding_.T
    shares = centered - centered.mean(axis=1, keepdims=True) + 1.0 / len(points)

    def gap(z):
        return -2.0 * (shares * np.exp(-cdist(z, points, "sqeuclidean") / 18.0)).sum(axis=1)

    found = gap(model.inverse_transform(places))
    start = gap(Estimator._inverse_transform(model, places))
    assert (found <= start).all()
    assert np.mean(found < start - 1e-3) > 0.9


def test_with_many_components_the_gaussian_pre_image_of_a_known_point_is_that_point():
    points = bent(120)[:, :3]
    model = KernelPCA(100, kernel="gaussian", sigma=3.0).fit(points)
    back = model.inverse_transform(model.embedding_)
    assert np.median(np.linalg.norm(back - points, axis=1)) < 0.02 * np.ptp(points)


@pytest.mark.parametrize(
    "kernel", ["gaussian", "laplacian", "polynomial", "homogeneous", "sigmoid"]
)
def test_every_kernel_has_a_way_back(kernel):
    points = X[:80, :3] / 20
    model = KernelPCA(3, kernel=kernel, gamma=0.1).fit(points)
    back = model.inverse_transform(model.embedding_)
    assert np.isfinite(back).all()
    assert np.linalg.norm(back - points) < np.linalg.norm(points - points.mean(axis=0))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_wrong_number_of_columns_is_told(case):
    model = case.make(n_components=2).fit(X)
    with pytest.raises(ValueError, match="3 columns, but this map has 2"):
        model.inverse_transform(np.zeros((4, 3)))
    with pytest.raises(ValueError, match="NaN"):
        model.inverse_transform([[np.nan, 0.0]])


@pytest.mark.parametrize("case", ON_TABLES.values(), ids=ON_TABLES)
def test_a_table_has_no_way_back_and_says_so(case):
    table = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    if case.precomputed == "kernel":
        table = np.exp(-table)
    model = case.make(n_components=1, **{case.precomputed: "precomputed"}).fit(table)
    with pytest.raises(ValueError, match="precomputed"):
        model.inverse_transform(model.embedding_)
