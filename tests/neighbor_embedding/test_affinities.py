"""Affinities against closed forms and a bisection by SciPy."""

import numpy as np
import pytest
from scipy.optimize import brentq

from unspool import datasets, distances, spectrum
from unspool.neighbor_embedding import (
    attraction_problem,
    conditional_affinities,
    symmetric_affinities,
)


def entropy_of(p):
    held = p[p > 0]
    return -np.sum(held * np.log(held))


@pytest.mark.parametrize("perplexity", [2.0, 5.0, 12.5])
def test_each_row_has_the_wanted_perplexity(perplexity):
    graph = distances.neighbor_graph(datasets.swiss_roll(200).points, 40)
    rows = conditional_affinities(graph, perplexity).reshape(200, 40)
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, rtol=1e-12)
    found = np.exp([entropy_of(row) for row in rows])
    np.testing.assert_allclose(found, perplexity, rtol=1e-8)


def test_the_bandwidth_is_that_of_a_root_finder():
    graph = distances.neighbor_graph(datasets.swiss_roll(60).points, 20)
    squares = graph.distances[:20] ** 2

    def row(b):
        weights = np.exp(-b * (squares - squares.min()))
        return weights / weights.sum()

    b = brentq(lambda b: entropy_of(row(b)) - np.log(6.0), 1e-6, 1e3)
    np.testing.assert_allclose(conditional_affinities(graph, 6.0)[:20], row(b), atol=1e-9)


def test_points_equally_far_are_equally_likely():
    graph = distances.neighbor_graph(np.eye(6), 5)
    np.testing.assert_allclose(conditional_affinities(graph, 2.0), 0.2, rtol=1e-12)


def test_symmetric_affinities_are_the_mean_of_both_directions():
    points = datasets.swiss_roll(80).points
    graph = distances.neighbor_graph(points, 15)
    table = np.zeros((80, 80))
    table[graph.rows, graph.neighbors] = conditional_affinities(graph, 5.0)
    expected = (table + table.T) / (2 * 80)
    found = symmetric_affinities(graph, 5.0)
    rows = np.repeat(np.arange(80), np.diff(found.starts))
    again = np.zeros((80, 80))
    again[rows, found.neighbors] = found.values
    np.testing.assert_allclose(again, expected, atol=1e-15)
    assert found.negative_entropy == pytest.approx(-entropy_of(expected), rel=1e-12)


def test_equal_points_add_their_affinities():
    """Copies of all points, and their counts, describe the same pairs."""
    points = datasets.swiss_roll(50).points
    twice = symmetric_affinities(distances.neighbor_graph(points, 20), 8.0, np.full(50, 2.0))
    once = symmetric_affinities(distances.neighbor_graph(points, 20), 4.0)
    np.testing.assert_allclose(twice.values, once.values, rtol=1e-7)
    assert twice.negative_entropy == pytest.approx(once.negative_entropy - np.log(4.0), rel=1e-8)


def test_attraction_of_a_small_map_is_a_graph_laplacian():
    """The eigenvalues are those of the dense matrix D - P."""
    affinities = symmetric_affinities(distances.neighbor_graph(datasets.circle(40).points, 12), 4.0)
    rows = np.repeat(np.arange(40), np.diff(affinities.starts))
    table = np.zeros((40, 40))
    table[rows, affinities.neighbors] = affinities.values
    expected = np.linalg.eigvalsh(np.diag(table.sum(axis=1)) - table)[1:4]
    found = spectrum.solve(attraction_problem(affinities), 3).values
    np.testing.assert_allclose(np.sort(found), expected, rtol=1e-9)
