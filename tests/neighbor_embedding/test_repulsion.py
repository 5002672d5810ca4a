"""Forces on a grid and by a tree against sums over all pairs."""

import numpy as np
import pytest

from unspool.neighbor_embedding import GridPotential, Repulsion, TreePotential, choose


def pairs(points, places, counts):
    """Return forces and potentials by NumPy, pair by pair."""
    steps = points[:, None] - places
    weights = 1.0 / (1.0 + (steps**2).sum(axis=2))
    forces = ((counts * weights**2)[:, :, None] * steps).sum(axis=1)
    return forces, weights @ counts


def sample(n, d, scale, seed=0):
    random = np.random.default_rng(seed)
    return scale * random.standard_normal((n, d)), random.integers(1, 4, n).astype(float)


def gap(found, expected):
    return np.linalg.norm(found - expected) / np.linalg.norm(expected)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_all_pairs_are_those_of_numpy(d):
    places, counts = sample(300, d, 3.0)
    points = sample(70, d, 5.0, seed=1)[0]
    found = Repulsion(counts, "exact").of(places).at(points)
    forces, potentials = pairs(points, places, counts)
    np.testing.assert_allclose(found.forces, forces, atol=1e-10)
    np.testing.assert_allclose(found.potentials, potentials, rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 0.2, 2.0, 20.0])
@pytest.mark.parametrize("d", [1, 2])
def test_a_grid_gives_the_forces_of_all_pairs(d, scale):
    places, counts = sample(800, d, scale)
    potential = Repulsion(counts, "interpolation").of(places)
    assert isinstance(potential, GridPotential)
    found = potential.at(places)
    forces, potentials = pairs(places, places, counts)
    assert gap(found.forces, forces) < (1e-5 if scale < 1.0 else 0.05)
    assert gap(found.potentials, potentials) < 3e-3


@pytest.mark.parametrize("scale", [1e-6, 0.2, 2.0, 20.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_tree_gives_the_forces_of_all_pairs(d, scale):
    places, counts = sample(800, d, scale)
    potential = Repulsion(counts, "barnes-hut").of(places)
    assert isinstance(potential, TreePotential)
    found = potential.at(places)
    forces, potentials = pairs(places, places, counts)
    assert gap(found.forces, forces) < 0.05
    assert gap(found.potentials, potentials) < 0.02


@pytest.mark.parametrize("d", [2, 3])
def test_a_tree_without_an_angle_is_exact(d):
    places, counts = sample(500, d, 2.0)
    places[:40] = places[40]  # more equal places than a leaf holds
    found = TreePotential.of(places, counts, 1e-9).at(places)
    forces, potentials = pairs(places, places, counts)
    np.testing.assert_allclose(found.forces, forces, atol=1e-9)
    np.testing.assert_allclose(found.potentials, potentials, rtol=1e-12)


@pytest.mark.parametrize("gradient", ["exact", "interpolation", "barnes-hut"])
def test_forces_do_not_depend_on_the_batch(gradient):
    places, counts = sample(600, 2, 5.0)
    potential = Repulsion(counts, gradient).of(places)
    whole = potential.at(places)
    alone = [potential.at(places[i : i + 1]) for i in range(20)]
    assert np.array_equal(np.vstack([one.forces for one in alone]), whole.forces[:20])
    assert np.array_equal(np.concatenate([one.potentials for one in alone]), whole.potentials[:20])


@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_forces_are_the_same_on_any_number_of_threads(threads, monkeypatch):
    places, counts = sample(3000, 2, 10.0)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "1")
    expected = Repulsion(counts).of(places).at(places)
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    found = Repulsion(counts).of(places).at(places)
    assert np.array_equal(found.forces, expected.forces)
    assert np.array_equal(found.potentials, expected.potentials)


def test_the_way_is_chosen_by_size():
    assert choose(500, np.array([20.0, 20.0])) == "exact"
    assert choose(50_000, np.array([200.0, 200.0])) == "interpolation"
    assert choose(50_000, np.array([1e5, 1e5])) == "barnes-hut"
    assert choose(50_000, np.array([50.0, 50.0, 50.0])) == "barnes-hut"
    assert choose(2_000, np.ones(5)) == "exact"
