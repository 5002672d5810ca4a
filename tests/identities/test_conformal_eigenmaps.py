"""Conformal eigenmaps: similarities that are found exactly, rolls, the dimension, query points."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from scipy.spatial.distance import cdist

from unspool import ConformalEigenmaps, datasets, quality
from unspool.relation import keep_angles


def neighborhoods(points, count):
    lengths = cdist(points, points, "sqeuclidean")
    near = np.argsort(lengths, axis=1)[:, : count + 1]
    return near, lengths[near[:, :, None], near[:, None, :]]


def test_a_similarity_among_the_vectors_is_found():
    random = np.random.default_rng(0)
    flat = random.uniform(-1.0, 1.0, (150, 2)) * [3.0, 1.0]
    mixing = random.standard_normal((4, 4))
    vectors = np.column_stack([flat, flat[:, 0] ** 2, flat[:, 0] * flat[:, 1]]) @ mixing
    found = keep_angles(vectors, [neighborhoods(flat, 6)], 1e-9, 100)
    places = vectors @ found.weights[:, :2]
    assert found.misfit < 1e-6
    assert found.values[2:].max() < 1e-4 * found.values[1]
    ratio = (
        cdist(places, places)[np.triu_indices(150, 1)] / cdist(flat, flat)[np.triu_indices(150, 1)]
    )
    assert ratio.std() < 1e-3 * ratio.mean()


@pytest.mark.parametrize("draw", range(3))
def test_rounding_does_not_turn_a_circle(draw):
    """Its two coordinates have equal shares: a rule, not the last digits, tells which is first."""
    turns = 2.0 * np.pi * np.arange(120) / 120
    circle = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(120)])
    rounded = circle * (1.0 + 1e-13 * np.random.default_rng(draw).standard_normal(circle.shape))
    model = ConformalEigenmaps(2, n_neighbors=8, n_vectors=8)
    expected = model.fit_transform(circle)
    np.testing.assert_allclose(model.fit_transform(rounded), expected, rtol=0.0, atol=1e-6)


def test_a_conformal_distortion_is_undone_nowhere_and_kept_everywhere():
    """Neighbourhoods may be scaled: z² of the plane keeps angles, so the program is content."""
    random = np.random.default_rng(1)
    z = random.uniform(1.0, 2.0, 300) + 1j * random.uniform(0.0, 1.0, 300)
    bent = np.column_stack([(z**2).real, (z**2).imag])
    vectors = bent - bent.mean(axis=0)
    plane = np.column_stack([z.real, z.imag])
    found = keep_angles(vectors, [neighborhoods(plane, 8)], 1e-9, 100)
    assert found.misfit < 0.01
    assert found.values[1] / found.values[0] == pytest.approx(1.0, abs=0.1)


def test_a_plane_is_kept_up_to_similarity():
    """Vectors of LLE hold its coordinates, and so no neighbourhood has anything to explain."""
    plane = np.random.default_rng(0).random((200, 2)) * [3.0, 1.0]
    model = ConformalEigenmaps(2, n_neighbors=8, regularization=1e-9).fit(plane)
    assert model.misfit_ < 1e-6
    assert procrustes(plane, model.embedding_)[2] < 1e-5


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_rolls_are_recovered(seed):
    roll = datasets.swiss_roll(800, seed=seed)
    model = ConformalEigenmaps(2, n_neighbors=8).fit(roll.points)
    assert quality.explained_by(model.embedding_, roll.coordinates).min() > 0.95
    assert model.spectrum_.sum() == pytest.approx(1.0, abs=1e-6)
    assert model.spectrum_[2:].sum() < 0.2 * model.spectrum_[1]  # the roll has two dimensions


def test_laplacian_vectors_serve_too():
    roll = datasets.swiss_roll(800, seed=0)
    plain = ConformalEigenmaps(2, n_neighbors=8, basis="laplacian", n_vectors=25)
    assert quality.explained_by(plain.fit_transform(roll.points), roll.coordinates).min() > 0.85
    half = ConformalEigenmaps(2, n_neighbors=8, basis="laplacian").fit(roll.points[::2])
    fitted = quality.explained_by(half.embedding_, roll.coordinates[::2])
    placed = quality.explained_by(half.transform(roll.points[1::2]), roll.coordinates[1::2])
    assert np.abs(placed - fitted).max() < 0.1


@pytest.mark.slow
def test_many_draws_are_recovered():
    worst = [
        quality.explained_by(
            ConformalEigenmaps(2, n_neighbors=8).fit_transform(roll.points), roll.coordinates
        ).min()
        for roll in (datasets.swiss_roll(1000, seed=seed) for seed in range(10, 30))
    ]
    assert min(worst) > 0.95


def arcs(dimension, seed):
    """Points on a product of arcs, which is flat and of this dimension: a curve, a sheet, a box."""
    along = np.random.default_rng(seed).uniform(size=(1_000, dimension))
    bends = 1.5 - 0.3 * np.arange(dimension)
    pairs = np.stack([np.cos(bends * along), np.sin(bends * along)], axis=2) / bends[:, None]
    return pairs.reshape(len(along), 2 * dimension)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_spectrum_has_as_many_large_values_as_the_data_dimensions(dimension, seed):
    model = ConformalEigenmaps(dimension, n_neighbors=14).fit(arcs(dimension, seed))
    assert np.count_nonzero(model.spectrum_ > 0.02) == dimension
    assert model.spectrum_[dimension:].max() < 0.02 * model.spectrum_[dimension - 1]
