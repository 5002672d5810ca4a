"""MDS on maps whose distance is not Euclidean, and tables that are not square."""

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import cdist

from tests.store.test_round_trip import there_and_back
from unspool import (
    MDS,
    PCA,
    LandmarkIsomap,
    LandmarkMDS,
    datasets,
    distances,
    graph,
    paths,
    quality,
)
from unspool.stress import OutputSpace, Pairs, SpaceStress, angles_of, vectors_of

NORMS = {
    "manhattan": ("cityblock", {}),
    "chebyshev": ("chebyshev", {}),
    "minkowski": ("minkowski", {"p": 3}),
}


def on_a_sphere(n, d, seed=0, radius=5.0):
    """Return distances along great circles between points of most of a sphere."""
    vectors = np.random.default_rng(seed).normal(size=(n, d + 1))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    table = radius * np.arccos(np.clip(vectors @ vectors.T, -1.0, 1.0))
    np.fill_diagonal(table, 0.0)
    return table


def great_circles(places, radius):
    vectors = vectors_of(places / radius)
    return radius * np.arccos(np.clip(vectors @ vectors.T, -1.0, 1.0))


@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_distances_of_a_norm_are_kept_exactly(name, d):
    norm, options = NORMS[name]
    places = np.random.default_rng(1).normal(size=(40, d))
    table = cdist(places, places, norm, **options)
    model = MDS(d, metric="precomputed", output_metric=name).fit(table)
    assert model.normalized_stress_ < 1e-4
    found = cdist(model.embedding_, model.embedding_, norm, **options)
    np.testing.assert_allclose(found, table, atol=1e-3)
    if d > 1:  # on a line all of them are the same
        assert MDS(d, metric="precomputed").fit(table).normalized_stress_ > 0.01


@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_sphere_comes_out_with_its_radius(d):
    table = on_a_sphere(50, d)
    model = MDS(d, metric="precomputed", output_metric="sphere").fit(table)
    assert model.radius_ == pytest.approx(5.0, rel=1e-6)
    assert model.embedding_.shape == (50, d)
    np.testing.assert_allclose(great_circles(model.embedding_, model.radius_), table, atol=1e-4)
    seen = model.shepard()
    np.testing.assert_allclose(seen.distances, seen.dissimilarities, atol=1e-6)


def test_stress_is_that_of_the_definition():
    points = datasets.s_curve(50).points
    given = cdist(points, points)
    for name, (norm, options) in NORMS.items():
        model = MDS(2, output_metric=name, max_iter=40).fit(points)
        found = cdist(model.embedding_, model.embedding_, norm, **options)
        raw = 0.5 * np.square(found - given).sum()
        assert model.stress_ == pytest.approx(raw, rel=1e-8)
        assert model.stress_per_point_.sum() == pytest.approx(raw, rel=1e-8)
        assert model.normalized_stress_ == pytest.approx(np.sqrt(2 * raw / (found**2).sum()))


@pytest.mark.parametrize(
    "space",
    [OutputSpace(1.0, softness=0.1), OutputSpace(1.5), OutputSpace(3.0), OutputSpace(2.0, True)],
)
def test_gradients_are_those_of_the_loss(space):
    random = np.random.default_rng(3)
    table = cdist(*[random.normal(size=(12, 2))] * 2)
    pairs = Pairs.of_table(table, random.uniform(0.5, 2.0, size=(12, 12)))
    objective = SpaceStress(pairs, space)
    shape = (12, 3)

    def loss(flat):
        return objective.loss_and_gradient(flat.reshape(shape))[0]

    def gradient(flat):
        return objective.loss_and_gradient(flat.reshape(shape))[1].ravel()

    start = random.normal(size=36)
    assert check_grad(loss, gradient, start) < 1e-5 * np.linalg.norm(gradient(start))


def test_gaps_and_weights_count():
    places = np.random.default_rng(2).normal(size=(40, 2))
    table = cdist(places, places, "cityblock")
    gaps = np.triu(np.random.default_rng(5).random(table.shape) < 0.3, 1)
    holey = np.where(gaps | gaps.T, np.nan, table)
    model = MDS(2, metric="precomputed", output_metric="manhattan").fit(holey)
    np.testing.assert_allclose(cdist(*[model.embedding_] * 2, "cityblock"), table, atol=1e-2)
    wrong = table.copy()
    wrong[0, 1] = wrong[1, 0] = 50.0
    weights = np.ones(table.shape)
    weights[0, 1] = weights[1, 0] = 0.0
    model = MDS(2, metric="precomputed", output_metric="manhattan", weights=weights).fit(wrong)
    assert model.normalized_stress_ < 1e-3


@pytest.mark.parametrize("name", [*NORMS, "sphere"])
def test_query_points_are_placed_by_the_distance_of_the_map(name, tmp_path):
    if name == "sphere":
        everyone = on_a_sphere(60, 2, seed=4)
    else:
        norm, options = NORMS[name]
        places = np.random.default_rng(4).normal(size=(60, 2))
        everyone = cdist(places, places, norm, **options)
    table, rows = everyone[:50, :50], everyone[50:, :50]
    model = MDS(2, metric="precomputed", output_metric=name).fit(table)
    found = model.transform(rows)
    together = np.vstack([found, model.embedding_])
    if name == "sphere":
        apart = great_circles(together, model.radius_)[:10, 10:]
    else:
        apart = cdist(found, model.embedding_, norm, **options)
    np.testing.assert_allclose(apart, rows, atol=1e-2)
    np.testing.assert_array_equal(model.transform(rows[3:4]), found[3:4])
    np.testing.assert_array_equal(model.transform(table[:5]), model.embedding_[:5])
    np.testing.assert_array_equal(there_and_back(model, tmp_path).transform(rows), found)


def test_angles_and_vectors_are_inverse():
    for d in (1, 2, 3, 4):
        angles = np.random.default_rng(d).uniform(-1.5, 1.5, size=(20, d))
        vectors = vectors_of(angles)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
        np.testing.assert_allclose(angles_of(vectors), angles, atol=1e-12)


def test_order_alone_is_euclidean():
    with pytest.raises(ValueError, match="ordinal=False"):
        MDS(2, ordinal=True, output_metric="manhattan").fit(datasets.s_curve(30).points)


def test_landmarks_take_a_table_of_distances_to_them_alone(tmp_path):
    points = datasets.s_curve(120).points
    chosen = np.arange(0, 120, 6)
    options = {"n_components": 3, "landmarks": chosen, "metric": "precomputed"}
    table = cdist(points, points)
    whole = LandmarkMDS(**options).fit(table)
    some = LandmarkMDS(**options).fit(table[:, chosen])
    np.testing.assert_allclose(some.embedding_, whole.embedding_, atol=1e-10)
    rows = cdist(datasets.s_curve(9, seed=5).points, points[chosen])
    found = cdist(some.transform(rows), some.embedding_[chosen])
    np.testing.assert_allclose(found, rows, atol=1e-8)
    again = there_and_back(some, tmp_path)
    np.testing.assert_array_equal(again.transform(rows), some.transform(rows))


def test_a_table_of_geodesics_to_landmarks_is_landmark_isomap():
    """The m x n distances of Izenman 2013, section 16.6.3, are all that its last step needs."""
    points = datasets.swiss_roll(300, seed=2).points
    chosen = np.arange(0, 300, 12)
    isomap = LandmarkIsomap(2, n_neighbors=8, landmarks=chosen).fit(points)
    joined = graph.symmetrize(distances.neighbor_graph(points, 8))
    table = paths.geodesic_distances(joined, chosen).T
    scaled = LandmarkMDS(2, landmarks=chosen, metric="precomputed").fit(table)
    np.testing.assert_allclose(scaled.embedding_, isomap.embedding_, atol=1e-8)
    with pytest.raises(ValueError, match=r"one column each, are for LandmarkMDS"):
        LandmarkIsomap(2, landmarks=chosen, metric="precomputed").fit(table)


def test_landmarks_that_are_not_those_of_the_columns_are_told():
    points = datasets.s_curve(60).points
    table = cdist(points, points[:10])
    options = {"metric": "precomputed"}
    with pytest.raises(ValueError, match=r"symmetric|itself must be 0"):
        LandmarkMDS(2, landmarks=list(range(5, 15)), **options).fit(table)
    with pytest.raises(ValueError, match="must be square"):
        LandmarkMDS(2, **options).fit(table)


def test_a_rectangular_table_is_unfolded():
    """Rows and columns of a table become points of one map, though none of a set is known."""
    random = np.random.default_rng(0)
    people, things = random.normal(size=(25, 2)), random.normal(size=(15, 2))
    table = distances.bipartite_table(cdist(people, things))
    model = MDS(2, metric="precomputed", n_init=4).fit(table)
    truth = np.vstack([people, things])
    assert quality.procrustes(truth, model.embedding_).value < 1e-3
    with pytest.raises(ValueError, match="rows and columns"):
        distances.bipartite_table([1.0, 2.0])


def test_pca_is_the_euclidean_end():
    points = PCA(2).fit_transform(datasets.s_curve(60).points)
    model = MDS(2, output_metric="minkowski", power=2.0).fit(points)
    assert model.normalized_stress_ < 1e-6
