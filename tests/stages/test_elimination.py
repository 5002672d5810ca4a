"""Elimination is held against the textbook: eliminate one vertex after the other, with sets."""

import numpy as np
import pytest
import scipy.sparse as sp

from unspool import datasets, distances, graph
from unspool.edges import graph_from_edges
from unspool.elimination_order import filled_pattern, narrowest_cut, plan_elimination
from unspool.paths.elimination import shortest_arcs
from unspool.values import NeighborGraph


def neighbor_graph(rows, columns, lengths, n):
    edges = graph_from_edges(
        np.asarray(rows, dtype=np.int64),
        np.asarray(columns, dtype=np.int64),
        np.asarray(lengths, dtype=float),
        shape=(n, n),
        search="given",
    )
    return graph.symmetrize(edges)


def cloud(n, dimension, n_neighbors=6, seed=0):
    points = np.random.default_rng(seed).random((n, dimension))
    return graph.symmetrize(distances.neighbor_graph(points, n_neighbors))


def star(n):
    return neighbor_graph(np.zeros(n - 1), np.arange(1, n), np.arange(1.0, n), n)


def clique(n):
    rows, columns = np.triu_indices(n, 1)
    return neighbor_graph(rows, columns, 1.0 + (rows * 7 + columns * 3) % 11, n)


def components():
    rows = np.concatenate([np.arange(199), 200 + np.arange(150), 360 + np.arange(30)])
    return neighbor_graph(rows, rows + 1, 1.0 + rows % 5, 400)


GRAPHS = {
    "roll": lambda: graph.symmetrize(
        distances.neighbor_graph(datasets.swiss_roll(400, seed=3).points, 7)
    ),
    "cloud": lambda: cloud(500, 3),
    "high-dimensional cloud": lambda: cloud(300, 8),
    "star": lambda: star(300),
    "clique": lambda: clique(170),
    "components, single points too": components,
    "one point": lambda: NeighborGraph(
        np.zeros(2, dtype=np.int64), np.zeros(0, int), np.zeros(0), 1
    ),
}
ORDERS = {"minimum degree": False, "nested dissection": True}


@pytest.fixture(params=GRAPHS, scope="module")
def edges(request):
    return GRAPHS[request.param]()


@pytest.fixture(params=ORDERS, scope="module")
def plan(request, edges):
    return plan_elimination(pattern_of(edges), nested=ORDERS[request.param])


def pattern_of(edges):
    return edges.with_weights(np.ones(edges.n_edges))


def eliminated_by_hand(edges, plan):
    """Return, by position, the arcs {later vertex: length} that each vertex has when it goes."""
    arcs = [{} for _ in range(edges.n_points)]
    for v, a, length in zip(edges.rows, edges.neighbors, edges.distances, strict=True):
        arcs[plan.position[v]][int(plan.position[a])] = float(length)
    for k, own in enumerate(arcs):
        for a, to_a in own.items():
            del arcs[a][k]
            for b, to_b in own.items():
                if a != b:
                    arcs[a][b] = min(arcs[a].get(b, np.inf), to_a + to_b)
    return arcs


def test_the_order_is_a_postorder_of_all_vertices(edges, plan):
    assert np.array_equal(np.sort(plan.position), np.arange(edges.n_points))
    assert np.array_equal(plan.position[plan.vertex_at], np.arange(edges.n_points))
    pattern = filled_pattern(pattern_of(edges), plan)
    has_parent = plan.counts > 0
    parent = np.full(edges.n_points, edges.n_points)
    parent[has_parent] = pattern.later[pattern.starts[:-1][has_parent]]
    size = np.ones(edges.n_points + 1, dtype=int)
    for k in range(edges.n_points):
        size[parent[k]] += size[k]
    first = np.arange(edges.n_points) - size[:-1] + 1  # of the subtree, if it is contiguous
    below = parent < edges.n_points
    assert (first[below] >= first[parent[below]]).all()


def test_pattern_and_lengths_are_those_of_elimination_by_hand(edges, plan):
    pattern = filled_pattern(pattern_of(edges), plan)
    weights = shortest_arcs(edges, plan, pattern)
    by_hand = eliminated_by_hand(edges, plan)
    assert plan.fill == sum(len(arcs) for arcs in by_hand)
    assert np.array_equal(plan.counts, [len(arcs) for arcs in by_hand])
    for k, arcs in enumerate(by_hand):
        own = slice(pattern.starts[k], pattern.starts[k + 1])
        assert pattern.later[own].tolist() == sorted(arcs)
        expected = [arcs[a] for a in sorted(arcs)]
        # sums of the same edges in another order: a few units in the last place
        np.testing.assert_allclose(weights[own], expected, rtol=1e-14)


def test_supernodes_meet_the_same_vertices(edges, plan):
    pattern = filled_pattern(pattern_of(edges), plan)
    assert pattern.heads[0] == 0
    assert pattern.heads[-1] == edges.n_points
    for first, after in zip(pattern.heads[:-1], pattern.heads[1:], strict=True):
        for k in range(first, after - 1):
            own = pattern.later[pattern.starts[k] : pattern.starts[k + 1]]
            following = pattern.later[pattern.starts[k + 1] : pattern.starts[k + 2]]
            assert own.tolist() == [k + 1, *following]


def test_large_supernodes_are_eliminated_panel_by_panel_without_a_trace():
    edges = clique(170)  # one supernode of three panels
    plan = plan_elimination(pattern_of(edges))
    pattern = filled_pattern(pattern_of(edges), plan)
    assert len(pattern.heads) == 2
    first = slice(pattern.starts[0], pattern.starts[1])
    direct = np.full((170, 170), np.inf)
    direct[edges.rows, edges.neighbors] = edges.distances
    v = plan.vertex_at[0]
    np.testing.assert_array_equal(
        shortest_arcs(edges, plan, pattern)[first], direct[v, plan.vertex_at[1:]]
    )


@pytest.mark.parametrize(("dimension", "most"), [(3, 0.9), (6, 0.8)])
def test_nested_dissection_fills_in_less_in_many_dimensions(dimension, most):
    edges = pattern_of(cloud(3000, dimension, 10))
    assert plan_elimination(edges, nested=True).fill < most * plan_elimination(edges).fill


def test_nested_dissection_finds_the_separator_of_two_grids():
    """Two 20 x 20 grids joined through one vertex: cut there, the grids never meet."""
    line = sp.diags_array([np.ones(19), np.ones(19)], offsets=[-1, 1])
    grid = sp.kron(line, sp.eye_array(20)) + sp.kron(sp.eye_array(20), line)
    joint = sp.coo_array(([1.0, 1.0], ([0, 0], [5, 407])), shape=(1, 800))
    both = sp.block_array([[sp.block_diag([grid, grid]), joint.T], [joint, None]]).tocsr()
    plan = plan_elimination(both, nested=True)
    alone = plan_elimination(sp.csr_array(grid), nested=True)
    assert plan.fill <= 2.2 * alone.fill + 800


def test_the_same_graph_gives_the_same_order():
    edges = pattern_of(cloud(900, 4))
    for nested in ORDERS.values():
        first, second = (plan_elimination(edges, nested=nested) for _ in range(2))
        assert np.array_equal(first.position, second.position)


def parted(pattern, order, where):
    """The vertices before a place that have neighbours behind it, counted one by one."""
    table, before = pattern.toarray() != 0, set(order[:where].tolist())
    return sum(any(int(u) not in before for u in np.flatnonzero(table[v])) for v in before)


@pytest.mark.parametrize("name", ["roll", "cloud", "clique", "star"])
def test_the_narrowest_cut_is_the_fewest_vertices_that_part_the_middle(name):
    pattern = pattern_of(GRAPHS[name]())
    order, cut = narrowest_cut(pattern)
    n = pattern.shape[0]
    assert sorted(order.tolist()) == list(range(n))
    places = range(n // 3 + 1, 2 * n // 3 + 2)
    assert cut == min(parted(pattern, order, where) for where in places)


def test_a_long_strip_is_as_wide_as_its_end_and_a_graph_in_components_has_no_cut():
    steps = [sp.diags_array([np.ones(m - 1)] * 2, offsets=[-1, 1]) for m in (5, 300)]
    strip = sp.kron(steps[0], sp.eye_array(300)) + sp.kron(sp.eye_array(5), steps[1])
    assert narrowest_cut(sp.csr_array(strip))[1] == 5
    assert narrowest_cut(pattern_of(components()))[1] == 0
    assert narrowest_cut(sp.csr_array((1, 1)))[1] == 0
