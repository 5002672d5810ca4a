"""Weights that rebuild a point, the formula for new points, and the way back."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from unspool import distances, problem
from unspool.extension import (
    gaussian_preimage,
    interpolate,
    neighbors_needed,
    place,
    walk_rows,
)

RANDOM = np.random.default_rng(0)


def one_by_one(centres, neighbors, regularization):
    weights = []
    for centre, near in zip(centres, neighbors, strict=True):
        G = (near - centre) @ (near - centre).T
        solved = np.linalg.solve(G + regularization * np.trace(G) * np.eye(len(G)), np.ones(len(G)))
        weights.append(solved / solved.sum())
    return np.array(weights)


@pytest.mark.parametrize(("count", "regularization"), [(1, 0.0), (3, 0.0), (6, 1e-3), (9, 1e-6)])
def test_weights_solve_their_systems(count, regularization):
    centres, neighbors = RANDOM.standard_normal((20, 4)), RANDOM.standard_normal((20, count, 4))
    grams = problem.grams_of_points(centres, neighbors)
    found = problem.weights(grams, regularization)
    np.testing.assert_allclose(found, one_by_one(centres, neighbors, regularization), rtol=1e-7)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)


def test_grams_from_distances_alone():
    centres, neighbors = RANDOM.standard_normal((5, 4)), RANDOM.standard_normal((5, 6, 4))
    to = np.linalg.norm(neighbors - centres[:, None], axis=2)
    among = np.array([cdist(near, near) for near in neighbors])
    np.testing.assert_allclose(
        problem.grams_of_distances(to, among),
        problem.grams_of_points(centres, neighbors),
        atol=1e-12,
    )


def test_a_point_inside_its_neighbours_is_rebuilt_exactly():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    share = np.array([0.2, 0.3, 0.5])
    grams = problem.grams_of_points((share @ corners)[None], corners[None])
    np.testing.assert_allclose(problem.weights(grams, 1e-12)[0], share, atol=1e-9)


def test_neighbours_that_all_coincide_share_evenly():
    grams = problem.grams_of_points(np.ones((2, 3)), np.ones((2, 4, 3)))
    np.testing.assert_allclose(problem.weights(grams, 1e-3), 0.25)
    np.testing.assert_allclose(problem.weights(grams, 0.0), 0.25)


def test_a_singular_system_without_regularization_is_still_answered():
    near = np.array([[[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]]])
    found = problem.weights(problem.grams_of_points(np.zeros((1, 2)), near), 0.0)
    np.testing.assert_allclose(found.sum(), 1.0)
    np.testing.assert_allclose(found[0] @ near[0], 0.0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-60, 1e-6, 1e6, 1e60])
def test_weights_know_no_scale(scale):
    centres, neighbors = RANDOM.standard_normal((5, 3)), RANDOM.standard_normal((5, 6, 3))
    expected = problem.weights(problem.grams_of_points(centres, neighbors), 1e-3)
    scaled = problem.weights(problem.grams_of_points(scale * centres, scale * neighbors), 1e-3)
    np.testing.assert_allclose(scaled, expected, rtol=1e-9)


# the one formula


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_placing(form):
    rows, coordinates = RANDOM.standard_normal((4, 9)), RANDOM.standard_normal((9, 3))
    multipliers = np.array([2.0, -0.5, 4.0])
    placed = place(form(rows), coordinates, multipliers)
    np.testing.assert_allclose(placed, rows @ coordinates / multipliers, rtol=1e-12)


def test_a_coordinate_whose_multiplier_is_zero_stays_zero():
    rows, coordinates = RANDOM.standard_normal((4, 9)), RANDOM.standard_normal((9, 3))
    placed = place(rows, coordinates, np.array([1.0, 0.0, 2.0]))
    assert not placed[:, 1].any()
    np.testing.assert_allclose(placed[:, 0], rows @ coordinates[:, 0])
    one_a_row = place(rows, coordinates, np.full((4, 3), 2.0))
    np.testing.assert_allclose(one_a_row, rows @ coordinates / 2.0)


def test_walk_rows_are_probabilities():
    seen = distances.find_query_neighbors(
        distances.build_index(np.arange(6.0)[:, None]), [[2.2], [9.0]], 3
    )
    rows = walk_rows(seen, np.array([1.0, 2.0, 5.0, 0.0, 0.0, 0.0]))
    np.testing.assert_allclose(rows.toarray().sum(axis=1), [1.0, 0.0])
    np.testing.assert_allclose(np.sort(rows.toarray()[0])[-3:], [1 / 8, 2 / 8, 5 / 8])


# the way back


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_affine_maps_are_inverted_exactly(d):
    places = RANDOM.uniform(size=(200, d))
    matrix, shift = RANDOM.standard_normal((d, 5)), RANDOM.standard_normal(5)
    points = places @ matrix + shift
    queries = RANDOM.uniform(0.1, 0.9, size=(50, d))
    towards = distances.find_query_neighbors(
        distances.build_index(places), queries, neighbors_needed(d)
    )
    back = interpolate(queries, towards, places, points)
    np.testing.assert_allclose(back, queries @ matrix + shift, atol=1e-8)


def test_known_places_are_exact_and_their_surroundings_near():
    places, points = RANDOM.uniform(size=(100, 2)), RANDOM.standard_normal((100, 3))
    index = distances.build_index(places)
    towards = distances.find_query_neighbors(index, places, 10)
    np.testing.assert_array_equal(interpolate(places, towards, places, points), points)
    beside = places + 1e-9
    towards = distances.find_query_neighbors(index, beside, 10)
    np.testing.assert_allclose(interpolate(beside, towards, places, points), points, atol=1e-4)


def test_places_that_all_coincide_give_the_mean_or_a_point():
    places, points = np.zeros((8, 2)), RANDOM.standard_normal((8, 3))
    index = distances.build_index(places)
    away = np.array([[1.0, 1.0]])
    towards = distances.find_query_neighbors(index, away, 8)
    back = interpolate(away, towards, places, points)
    np.testing.assert_allclose(back[0], points.mean(axis=0), atol=1e-9)


def test_a_gaussian_pre_image_comes_nearer_to_its_target():
    """From a start beside a known point, towards the feature of that point itself."""
    from unspool.kernel import Kernel

    points = RANDOM.standard_normal((30, 3))
    gaussian = Kernel("gaussian", gamma=0.5)
    shares = np.eye(30)
    start = points + 0.3 * RANDOM.standard_normal((30, 3))
    found = gaussian_preimage(shares, gaussian, points, start)
    np.testing.assert_allclose(found, points, atol=1e-9)
    mixed = RANDOM.standard_normal((30, 30))
    before = np.einsum("ij,ij->i", mixed, gaussian(start, points))
    after = np.einsum(
        "ij,ij->i",
        mixed,
        gaussian(gaussian_preimage(mixed, gaussian, points, start), points),
    )
    assert (after >= before - 1e-12 * np.abs(before)).all()


def test_pre_images_do_not_know_of_each_other_and_need_one_table_a_step():
    from unspool.kernel import Kernel

    random = np.random.default_rng(3)
    points, gaussian = random.standard_normal((60, 3)), Kernel("gaussian", gamma=0.5)
    shares, start = random.uniform(size=(600, 60)), random.standard_normal((600, 3))
    tables = []

    def counted(a, b):
        tables.append(len(a))
        return gaussian(a, b)

    together = gaussian_preimage(shares, counted, points, start, max_steps=5)
    assert len(tables) == 2 * (1 + 5)  # two blocks: the initial table, and one a step
    alone = [gaussian_preimage(shares[[i]], gaussian, points, start[[i]], 5) for i in (0, 599)]
    np.testing.assert_allclose(together[[0, 599]], np.vstack(alone), rtol=1e-9)
