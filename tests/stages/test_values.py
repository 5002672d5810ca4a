"""The values between the stages: frozen, complete, and honest about edges of length zero."""

import dataclasses

import numpy as np
import pytest

from unspool.edges import graph_from_edges, subgraph
from unspool.values import EigenProblem, NeighborGraph, Report, Spectrum, Stage


def small_graph():
    """0 -> 1 (2.0), 0 -> 2 (0.0), 1 -> 2 (1.0), 1 -> 0 (2.0), 3 -> 0 (5.0); 2 lists nobody."""
    rows, columns = np.array([0, 1, 0, 3, 1]), np.array([1, 2, 2, 0, 0])
    lengths = np.array([2.0, 1.0, 0.0, 5.0, 2.0])
    return graph_from_edges(rows, columns, lengths, shape=(4, 4), search="by hand")


def test_rows_list_their_neighbours_nearest_first():
    graph = small_graph()
    np.testing.assert_array_equal(graph.starts, [0, 2, 4, 4, 5])
    np.testing.assert_array_equal(graph.neighbors, [2, 1, 2, 0, 0])
    np.testing.assert_array_equal(graph.distances, [0.0, 2.0, 1.0, 2.0, 5.0])
    np.testing.assert_array_equal(graph.counts, [2, 2, 0, 1])
    np.testing.assert_array_equal(graph.rows, [0, 0, 1, 1, 3])
    assert (graph.n_points, graph.n_columns, graph.n_edges) == (4, 4, 5)
    assert graph.search == "by hand"


@pytest.mark.parametrize("few", [0, 10**6], ids=["compiled", "numpy"])
def test_of_repeated_edges_the_shortest_stays(few, monkeypatch):
    monkeypatch.setattr("unspool.edges.FEW", few)
    graph = graph_from_edges(
        np.array([0, 0, 0, 1]),
        np.array([1, 1, 1, 0]),
        np.array([3.0, 1.0, 2.0, 4.0]),
        shape=(2, 2),
        search="",
    )
    np.testing.assert_array_equal(graph.distances, [1.0, 4.0])


@pytest.mark.parametrize("few", [0, 10**6], ids=["compiled", "numpy"])
@pytest.mark.parametrize("width", [5, 300])
def test_rows_of_any_length_are_sorted_and_have_each_end_once(width, few, monkeypatch):
    monkeypatch.setattr("unspool.edges.FEW", few)
    random = np.random.default_rng(0)
    rows, ends = random.integers(0, 4, 4 * width), random.integers(0, width, 4 * width)
    lengths = random.integers(1, 9, 4 * width).astype(np.float32)
    graph = graph_from_edges(rows, ends, lengths, shape=(4, width), search="")
    for row in range(4):
        shortest: dict[int, float] = {}
        for end, length in zip(ends[rows == row], lengths[rows == row], strict=True):
            shortest[end] = min(length, shortest.get(end, np.inf))
        expected = sorted((length, end) for end, length in shortest.items())
        slots = slice(graph.starts[row], graph.starts[row + 1])
        found = zip(graph.distances[slots], graph.neighbors[slots], strict=True)
        assert list(found) == expected
    assert graph.distances.dtype == np.float32


def test_equal_distances_come_in_order_of_index():
    graph = graph_from_edges(
        np.zeros(3, int), np.array([4, 1, 3]), np.ones(3), shape=(1, 5), search=""
    )
    np.testing.assert_array_equal(graph.neighbors, [1, 3, 4])


def test_weights_lie_on_the_pattern_zeros_too():
    graph = small_graph()
    matrix = graph.with_weights(graph.distances)
    assert matrix.nnz == 5
    expected = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 0, 0, 0], [5, 0, 0, 0.0]])
    np.testing.assert_array_equal(matrix.toarray(), expected)


@pytest.mark.parametrize("chunk", [0, 1, 2, 100])
def test_batches_are_rectangular_and_complete(chunk):
    graph, seen = small_graph(), {}
    for points, neighbors, distances in graph.by_count(chunk):
        assert len(points) <= max(1, chunk)
        assert neighbors.shape == distances.shape == (len(points), neighbors.shape[1])
        for point, near, far in zip(points, neighbors, distances, strict=True):
            seen[int(point)] = (near.tolist(), far.tolist())
    assert seen == {
        0: ([2, 1], [0.0, 2.0]),
        1: ([2, 0], [1.0, 2.0]),
        2: ([], []),
        3: ([0], [5.0]),
    }


def test_a_subgraph_is_renumbered_in_the_given_order():
    sub = subgraph(small_graph(), np.array([2, 0, 1]))
    np.testing.assert_array_equal(
        sub.with_weights(sub.distances + 1).toarray(), [[0, 0, 0], [1, 0, 3], [2, 3, 0.0]]
    )
    assert sub.n_columns == 3


@pytest.mark.parametrize(
    "value",
    [
        small_graph(),
        EigenProblem(np.eye(3), "smallest"),
        Spectrum(np.ones(1), np.ones((2, 1)), np.zeros(1), "by hand"),
        Report(),
        Stage("s", 1.0),
    ],
)
def test_values_are_frozen(value):
    name = dataclasses.fields(value)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, name, None)


def test_an_eigenproblem_knows_its_size_and_what_is_trivial():
    problem = EigenProblem(np.ones((5, 3)), "largest", trivial=np.ones((3, 1)), is_factor=True)
    assert (problem.size, problem.n_trivial) == (3, 1)
    assert EigenProblem(np.eye(4), "smallest").n_trivial == 0


def test_a_spectrum_counts_its_pairs():
    assert Spectrum(np.ones(2), np.ones((5, 2)), np.zeros(2), "").count == 2


def test_a_report_finds_its_last_stage_of_a_name():
    report = Report((Stage("a", 1.0), Stage("b", 2.0), Stage("a", 4.0)), ("be careful",))
    assert report.stage("a").seconds == 4.0
    assert report.seconds == 7.0
    assert str(report).splitlines()[-1] == "advice: be careful"
    with pytest.raises(KeyError, match="there are: a, b, a"):
        report.stage("c")


def test_a_graph_of_other_points_than_its_columns():
    graph = NeighborGraph(np.array([0, 1]), np.array([6]), np.array([2.0]), 7)
    assert graph.with_weights(graph.distances).shape == (1, 7)
