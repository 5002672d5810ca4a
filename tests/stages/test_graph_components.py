"""Connected components, closed classes of directed graphs, and the links that join them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from tests.cases import clusters
from unspool import distances, graph
from unspool.edges import graph_from_edges
from unspool.graph import connectivity


def directed(n, edges):
    rows, columns, *lengths = np.array(edges, dtype=float).T
    lengths = lengths[0] if lengths else np.ones(len(rows))
    return graph_from_edges(
        rows.astype(int), columns.astype(int), lengths, shape=(n, n), search="by hand"
    )


def undirected(n, edges):
    return graph.symmetrize(directed(n, edges))


def test_components_are_numbered_from_the_largest_down():
    found = graph.find_components(undirected(7, [(5, 6), (0, 1), (1, 4), (2, 0)]))
    assert found.labels.tolist() == [0, 0, 0, 2, 0, 1, 1]
    assert found.sizes.tolist() == [4, 2, 1]
    assert found.count == 3
    assert found.members(0).tolist() == [0, 1, 2, 4]
    assert found.describe() == "the neighbour graph has 3 connected components (sizes 4, 2, 1)"


def test_components_of_equal_size_come_in_order_of_their_points():
    found = graph.find_components(undirected(6, [(4, 5), (2, 3), (0, 1)]))
    assert found.labels.tolist() == [0, 0, 1, 1, 2, 2]


def test_many_components_are_summed_up():
    none = graph_from_edges(
        np.zeros(0, int), np.zeros(0, int), np.zeros(0), shape=(9, 9), search=""
    )
    text = graph.find_components(none).describe()
    assert text == "the neighbour graph has 9 connected components (sizes 1, 1, 1, 1, 1, ...)"


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_undirected_components_are_those_of_scipy(seed):
    random = np.random.default_rng(seed)
    edges = random.integers(0, 30, (random.integers(1, 40), 2))
    both = undirected(30, edges)
    count, labels = connected_components(both.with_weights(np.ones(both.n_edges)), directed=False)
    found = graph.find_components(both)
    assert found.count == count
    for component in range(count):
        assert len(set(labels[found.members(component)])) == 1
    assert (np.diff(found.sizes) <= 0).all()


def test_edges_of_length_zero_connect():
    assert graph.find_components(undirected(3, [(0, 1, 0.0), (1, 2, 0.0)])).count == 1


# directed graphs: closed classes


def test_one_closed_class_is_one_component():
    """0 <-> 1 is closed, 2 and 3 lead into it: one component."""
    assert graph.find_components(directed(4, [(0, 1), (1, 0), (2, 1), (3, 2)])).count == 1


def test_two_closed_classes_are_two_components_though_a_point_lists_both():
    """0 <-> 1 and 2 <-> 3 are closed; 4 lists 1 (near) and 2 (far), and joins the nearer."""
    edges = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0), (4, 1, 1.0), (4, 2, 5.0)]
    found = graph.find_components(directed(5, edges))
    assert found.labels.tolist() == [0, 0, 1, 1, 0]


def test_the_shortest_way_decides_not_the_fewest_steps():
    edges = [
        (0, 1, 1.0),
        (1, 0, 1.0),
        (2, 3, 1.0),
        (3, 2, 1.0),
        (4, 0, 10.0),
        (4, 5, 1.0),
        (5, 2, 1.0),
    ]
    found = graph.find_components(directed(6, edges))
    assert found.labels[4] == found.labels[5] == found.labels[2]


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_directed_components_follow_the_definition(seed):
    """As many components as closed classes, each point in one whose closed class it can reach."""
    random = np.random.default_rng(seed)
    n = 25
    edges = np.column_stack(
        [np.repeat(np.arange(n), 2), random.integers(0, n, 2 * n), random.random(2 * n) + 0.1]
    )
    edges = edges[random.random(2 * n) < 0.6]  # some lead nowhere: several closed classes
    one_way = directed(n, edges[edges[:, 0] != edges[:, 1]])
    reach = np.eye(n, dtype=bool)
    reach[one_way.rows, one_way.neighbors] = True
    for _ in range(5):
        reach = (reach.astype(int) @ reach.astype(int)) > 0
    mutual = reach & reach.T
    is_closed = np.array([not (reach[i] & ~mutual[i]).any() for i in range(n)])
    closed = {tuple(np.flatnonzero(mutual[i])) for i in np.flatnonzero(is_closed)}
    found = graph.find_components(one_way)
    assert found.count == len(closed)
    for members in closed:
        (component,) = set(found.labels[list(members)])
        for point in found.members(component):
            assert reach[point, members[0]]


# bridges


@pytest.mark.parametrize("sizes", [(30, 20), (30, 25, 10, 3), (20, 1, 1, 1), (2, 2, 2, 2, 2, 2)])
@pytest.mark.parametrize("features", [3, 14])
def test_bridges_are_a_minimum_spanning_tree_between_components(sizes, features):
    X, labels = clusters(sizes, features=features)
    index = distances.build_index(X)
    within = graph.symmetrize(distances.find_neighbors(index, X, radius=2.0 * np.sqrt(features)))
    found = graph.find_components(within)
    assert found.sizes.tolist() == sorted(sizes, reverse=True)
    joined = graph.bridge_components(within, found, index, X)
    assert graph.find_components(joined).count == 1
    assert joined.n_edges - within.n_edges == 2 * (len(sizes) - 1)
    table, count = cdist(X, X), len(sizes)
    between = np.array(
        [
            [table[np.ix_(labels == a, labels == b)].min() for b in range(count)]
            for a in range(count)
        ]
    )
    np.fill_diagonal(between, 0.0)
    added = joined.distances.sum() - within.distances.sum()
    np.testing.assert_allclose(added, 2 * minimum_spanning_tree(between).sum(), rtol=1e-12)
    # lengths are the true distances of the points they join
    np.testing.assert_allclose(joined.distances, table[joined.rows, joined.neighbors], atol=1e-12)


def test_a_directed_component_is_left_from_its_core():
    """2 leads into 0 <-> 1 and lies nearest to 3 <-> 4: a link from 2 would join nothing."""
    X = np.array([[0.0], [1.0], [2.6], [4.0], [5.0]])
    one_way = directed(5, [(0, 1, 1.0), (1, 0, 1.0), (2, 1, 1.6), (3, 4, 1.0), (4, 3, 1.0)])
    found = graph.find_components(one_way)
    assert found.labels.tolist() == [0, 0, 0, 1, 1]
    assert found.core(0).tolist() == [0, 1]
    assert found.members(0).tolist() == [0, 1, 2]
    joined = graph.bridge_components(one_way, found, distances.build_index(X), X)
    assert graph.find_components(joined).count == 1


@given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from([1, 2, 12]))
@settings(max_examples=60, deadline=None)
def test_directed_neighbour_graphs_are_bridged_to_the_end(seed, count, features):
    """Rounds of links must come to an end, whatever leads where."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((30, features)) + 6 * random.integers(0, 3, (30, 1))
    index = distances.build_index(X)
    one_way = distances.find_neighbors(index, X, count)
    joined = graph.bridge_components(one_way, graph.find_components(one_way), index, X)
    assert graph.find_components(joined).count == 1
    np.testing.assert_allclose(
        joined.distances, cdist(X, X)[joined.rows, joined.neighbors], atol=1e-12
    )


def test_given_distances_are_bridged_alike():
    X, _ = clusters((30, 20, 4))
    table = cdist(X, X)
    by_points, by_table = (
        graph.bridge_components(within, graph.find_components(within), index, data)
        for data, index in (
            (X, distances.build_index(X)),
            (table, distances.build_index(table, "precomputed")),
        )
        for within in [graph.symmetrize(distances.find_neighbors(index, data, radius=4.0))]
    )
    np.testing.assert_array_equal(by_points.neighbors, by_table.neighbors)


def test_a_sparse_graph_without_links_is_bridged_from_center_to_center():
    """The new edge is as long as the radii of both: no center is farther from its points."""
    X, labels = clusters((10, 8))
    table = sp.csr_array(np.where(cdist(X, X) < 10, cdist(X, X), 0.0))
    index = distances.build_index(table, "precomputed")
    within = distances.find_neighbors(index, table)
    bridged = graph.bridge_components(within, graph.find_components(within), index, table)
    assert bridged.n_edges == within.n_edges + 2
    crossing = labels[bridged.rows] != labels[bridged.neighbors]
    one, other = bridged.rows[crossing][0], bridged.neighbors[crossing][0]
    radii = [table.toarray()[point][labels == labels[point]].max() for point in (one, other)]
    np.testing.assert_allclose(bridged.distances[crossing], sum(radii))


# copies


def assert_copies(found, rows):
    """Compare with a dictionary of the rows."""
    seen = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in rows + 0.0]
    np.testing.assert_array_equal(found.point_of, expected)
    np.testing.assert_array_equal(found.point_of[found.first], np.arange(len(seen)))


def test_copies_of_sparse_rows():
    """Rows of zeros, rows with one entry in different columns, and equal entries in one column."""
    rows = np.random.default_rng(0).integers(0, 3, (60, 3)).astype(float)
    assert_copies(graph.find_copies(sp.csr_array(rows)), rows)
    assert_copies(graph.find_copies(sp.csr_array(np.eye(4))), np.eye(4))


@pytest.mark.parametrize("strip", [1, 6, 2**16])
def test_copies_whose_keys_collide_in_any_strip(strip, monkeypatch):
    """What is told apart by sorting only: the first rows are right by their keys, the last not."""
    rows = np.array([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0], [2.0, 3.0], [5.0, 0.0], [6.0, -0.0]])
    rows = np.vstack([rows, [[5.0, -0.0]]])
    monkeypatch.setattr(connectivity, "STRIP", strip)
    keys = np.array([0, 1, 0, 1, 2, 2, 2])
    monkeypatch.setattr(connectivity, "_row_keys", lambda rows, chosen, columns: keys[chosen])
    assert_copies(graph.find_copies(rows), rows)


def test_zeros_of_both_signs_are_copies():
    rows = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, -0.0], [-0.0, 0.0], [1.0, 0.0]])
    assert_copies(graph.find_copies(rows), rows)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_queries_at_no_distance_are_the_first_row_that_they_equal(form):
    """By angle the first is as near as the others; at some distance nothing else is looked for."""
    points, nearest = np.array([[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]), np.zeros(4, dtype=int)
    queries = np.array([[2.0, 2.0], [3.0, 3.0], [3.0, 3.0], [2.0, 2.0]])
    gap = np.array([5e-15, 5e-15, 0.0, 0.5])
    found, is_fitted = graph.recognize(form(queries), form(points), nearest, gap)
    assert found.tolist() == [1, 0, 0, 0]
    assert is_fitted.tolist() == [True, False, True, False]


def test_landmarks_are_one_or_more_points_that_are_there():
    assert graph.check_landmarks([4], 5).tolist() == [4]
    for wrong in (np.array([], dtype=int), [-1, 2], [5]):
        with pytest.raises(ValueError, match="landmarks must be between 0 and 4"):
            graph.check_landmarks(wrong, 5)
