"""Where a map bends, where a graph is wrong, what would move: against closed forms and truths."""

import numpy as np
import pytest
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.manifold import SpectralEmbedding

from unspool import datasets, distances, graph, paths, quality
from unspool.edges import graph_from_edges
from unspool.methods import ClassicalMDS, Isomap

# distortion


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_linear_map_stretches_by_its_singular_values(d):
    rng = np.random.default_rng(d)
    X, A = rng.standard_normal((200, d)), rng.standard_normal((d, d))
    found = quality.local_distortion(X, X @ A + 3.0)
    expected = np.linalg.svd(A, compute_uv=False)
    np.testing.assert_allclose(found.stretches, np.tile(expected, (200, 1)), rtol=1e-8)
    ellipses = found.axes @ found.axes.transpose(0, 2, 1)
    np.testing.assert_allclose(ellipses, np.tile(A.T @ A, (200, 1, 1)), atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(found.axes, axis=1), found.stretches, rtol=1e-8)
    assert found.typical == pytest.approx(np.exp(np.median(np.log(expected))))
    logs = np.log(expected / found.typical)
    np.testing.assert_allclose(found.per_point, np.sqrt(np.mean(logs**2)), atol=1e-9)
    np.testing.assert_allclose(found.elongations, expected[0] / expected[-1], rtol=1e-8)


def test_the_exponential_stretches_by_its_derivative_in_all_directions():
    """z -> e^z keeps angles and stretches by e^x; of 4,000 points a neighbourhood reaches 4 %."""
    X = np.random.default_rng(0).random((4000, 2))
    image = np.exp(X[:, 0])[:, None] * np.column_stack([np.cos(X[:, 1]), np.sin(X[:, 1])])
    found = quality.local_distortion(X, image)
    np.testing.assert_allclose(found.stretches, np.exp(X[:, :1]) * [1, 1], rtol=0.04)
    assert np.median(found.elongations) < 1.01
    assert np.corrcoef(np.log(found.areas), X[:, 0])[0, 1] > 0.999


def test_the_true_coordinates_of_a_roll_are_an_isometry_and_its_shadow_is_not():
    roll = datasets.swiss_roll(2000)
    flat = quality.local_distortion(roll.points, roll.coordinates)
    assert flat.typical == pytest.approx(1.0, abs=1e-3)
    assert flat.per_point.max() < 0.03
    shadow = quality.local_distortion(roll.points, roll.points[:, :2])
    assert shadow.value > 1.0  # the height is gone: one half-axis collapses
    assert np.isfinite(shadow.per_point).all()


def test_copies_and_flat_neighbourhoods_are_neutral():
    rng = np.random.default_rng(1)
    X = np.repeat(rng.random((30, 2)), 12, axis=0)  # every neighbourhood is a single place
    X = np.concatenate([X, rng.random((200, 2))])
    found = quality.local_distortion(X, 2.0 * X, n_neighbors=8)
    assert np.isfinite(found.stretches).all()
    np.testing.assert_allclose(found.per_point, 0.0, atol=1e-6)
    line = np.outer(rng.random(100), [1.0, 2.0, 3.0])  # no extent across: one stretch is unknown
    along = quality.local_distortion(line, np.column_stack([line[:, 0], np.zeros(100)]))
    assert np.isfinite(along.per_point).all()
    np.testing.assert_allclose(along.per_point, 0.0, atol=1e-6)


def test_distortion_refuses_a_map_that_is_one_place():
    X = np.random.default_rng(0).random((50, 2))
    with pytest.raises(ValueError, match="all points coincide"):
        quality.local_distortion(X, np.zeros((50, 2)))
    with pytest.raises(ValueError, match="n_neighbors=50"):
        quality.local_distortion(X, X, 50)


# short circuits


def ring_with_chord(n=60, chord=(0, 30), length=1.5):
    """Each point of a ring lists two to each side; two far points also list each other."""
    points = np.arange(n)
    rows = np.concatenate([np.repeat(points, 4), chord])
    columns = np.concatenate([(points[:, None] + [-2, -1, 1, 2]).ravel() % n, chord[::-1]])
    steps = np.concatenate([np.tile([2.0, 1.0, 1.0, 2.0], n), [length, length]])
    return graph_from_edges(rows, columns, steps, shape=(n, n), search="made up")


def test_a_chord_across_a_ring_is_the_one_short_circuit():
    found = quality.suspicious_edges(ring_with_chord())
    np.testing.assert_array_equal(found.edges, [[0, 30]])
    # the way around is 30 steps of length 1, the radius that of the neighbours two steps away
    np.testing.assert_allclose(found.detours, [15.0])
    np.testing.assert_allclose(found.lengths, [1.5])
    assert found.value == pytest.approx(1 / 121)
    expected = np.zeros(60)
    expected[[0, 30]] = 1
    np.testing.assert_array_equal(found.per_point, expected)
    assert len(quality.suspicious_edges(ring_with_chord(chord=(0, 3))).edges) == 0
    assert len(quality.suspicious_edges(ring_with_chord(), limit=20.0).edges) == 0


def test_the_only_way_between_two_groups_is_no_short_circuit():
    """Its ends have no neighbours in common, but without it nothing would lead around."""
    group = np.arange(12)
    first, second = (part.ravel() for part in np.meshgrid(group, group, indexing="ij"))
    apart = first != second
    rows, columns = first[apart], second[apart]
    bridge = np.array([0, 12]), np.array([12, 0])
    graph = graph_from_edges(
        np.concatenate([rows, rows + 12, bridge[0]]),
        np.concatenate([columns, columns + 12, bridge[1]]),
        np.concatenate([np.ones(2 * len(rows)), [3.0, 3.0]]),
        shape=(24, 24),
        search="made up",
    )
    assert len(quality.suspicious_edges(graph).edges) == 0


def false_edges(roll, k):
    both = graph.symmetrize(distances.neighbor_graph(roll.points, k))
    once = both.rows < both.neighbors
    ends = np.column_stack([both.rows[once], both.neighbors[once]])
    along = np.linalg.norm(roll.coordinates[ends[:, 0]] - roll.coordinates[ends[:, 1]], axis=1)
    return {tuple(edge) for edge in ends[(along > 15) & (along > 4 * both.distances[once])]}


@pytest.mark.parametrize(("n", "k"), [(1000, 30), (500, 20)])
def test_edges_between_sheets_of_a_roll_are_found(n, k):
    roll = datasets.swiss_roll(n, seed=1)
    wrong = false_edges(roll, k)
    assert len(wrong) > 10
    assert {tuple(edge) for edge in quality.short_circuits(roll.points, k).edges} == wrong


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sound_graphs_raise_few_false_alarms(seed):
    roll = datasets.swiss_roll(1500, seed=seed)
    found = quality.short_circuits(roll.points, 10)
    assert not false_edges(roll, 10)
    assert found < 0.003
    assert found.n_edges > 7500


def test_two_clusters_and_copies_are_no_short_circuits():
    rng = np.random.default_rng(0)
    apart = np.concatenate([rng.random((100, 2)), 50 + rng.random((100, 2))])
    assert quality.short_circuits(apart, 12).value < 0.01
    copies = np.repeat(rng.random((40, 2)), 6, axis=0)
    assert np.isfinite(quality.short_circuits(copies, 5).per_point).all()
    assert quality.short_circuits(np.ones((30, 2)), 5).value == 0.0


def test_bounded_paths_equal_scipy():
    rng = np.random.default_rng(2)
    both = graph.symmetrize(distances.neighbor_graph(rng.random((300, 2)), 5))
    full = dijkstra(both.with_weights(both.distances))
    first, second = rng.integers(300, size=(2, 500))
    limits = rng.uniform(0.0, 1.0, 500)
    found = paths.lengths_between(both, first, second, limits)
    expected = np.where(full[first, second] <= limits, full[first, second], np.inf)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# stability


class Jitter(TransformerMixin, BaseEstimator):
    """Returns its input with noise of known size, new in every fit."""

    source = np.random.default_rng(0)

    def __init__(self, sigma=0.0):
        self.sigma = sigma

    def fit(self, X, y=None):
        return self

    def fit_transform(self, X, y=None):
        return X + self.sigma * self.source.standard_normal(X.shape)


def test_what_does_not_depend_on_the_sample_does_not_move():
    X = np.random.default_rng(1).standard_normal((60, 2))
    found = quality.stability(Jitter(), X)
    assert found.value < 1e-12
    np.testing.assert_array_equal(found.sample, np.arange(60))
    np.testing.assert_allclose(found.places, X, atol=1e-12)


@pytest.mark.parametrize("replace", [False, True])
def test_the_spread_is_that_of_the_noise(replace):
    """Independent noise sigma in two coordinates moves a point by sigma sqrt(2).

    A bootstrap averages over the copies of a point, 1 to 5 of them: it moves less.
    """
    X = np.random.default_rng(1).standard_normal((300, 2))
    size = np.sqrt(np.square(X - X.mean(axis=0)).sum(axis=1).mean())
    found = quality.stability(Jitter(0.01), X, reference=X, n_resamples=40, replace=replace)
    moved = found.value * size / (0.01 * np.sqrt(2))
    assert moved == pytest.approx(0.85 if replace else 0.98, abs=0.05)
    assert found.standard_error < 0.05 * found.value
    assert not found.exact


def test_every_point_is_left_out_as_often_as_others():
    from unspool.quality.procrustes import _draws

    seen = np.zeros(50)
    for rows in _draws(50, 20, 0.8, False, seed=3):
        assert len(np.unique(rows)) == len(rows) == 40
        seen[rows] += 1
    np.testing.assert_array_equal(seen, 16)


def test_stability_of_methods_and_tables():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3)) * [5.0, 3.0, 0.1]
    points = quality.stability(ClassicalMDS(2), X, n_resamples=5)
    table = quality.stability(ClassicalMDS(2, metric="precomputed"), cdist(X, X), n_resamples=5)
    np.testing.assert_allclose(points.per_point, table.per_point, atol=1e-6)
    assert points.value < 0.02
    model = Isomap(2, n_neighbors=8)
    roll = datasets.swiss_roll(400).points
    moved = quality.stability(model, roll, n_resamples=4)
    assert 0.0 < moved.value < 1.0
    assert not hasattr(model, "embedding_")
    again = quality.stability(model, roll, n_resamples=4)
    np.testing.assert_array_equal(moved.per_point, again.per_point)


def test_stability_takes_estimators_without_transform():
    X = np.random.default_rng(0).standard_normal((25, 3))
    other = SpectralEmbedding(2, n_neighbors=8, random_state=0)
    assert np.isfinite(quality.stability(other, X, n_resamples=4).value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"share": 1.0}, "share"),
        ({"share": 0.01}, "share"),
        ({"n_resamples": 2}, "n_resamples"),
        ({"reference": np.zeros((3, 2))}, "reference map 3"),
    ],
)
def test_stability_refuses_what_makes_no_sense(options, message):
    with pytest.raises(ValueError, match=message):
        quality.stability(Jitter(), np.random.default_rng(0).random((30, 2)), **options)
