"""Neighbour search against brute force: every searcher, ties, duplicates, radii, metrics."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from unspool import distances, graph, paths
from unspool.distances import BlockSearch, GivenDistances, MetricSearch, TreeSearch
from unspool.edges import graph_from_edges

RANDOM = np.random.default_rng(0)
CLOUDS = {
    "few features": RANDOM.standard_normal((200, 3)),
    "many features": RANDOM.standard_normal((200, 15)),
    "a grid, full of ties": np.stack(np.meshgrid(*[np.arange(5.0)] * 3), -1).reshape(-1, 3),
    "a wide grid": np.pad(
        np.stack(np.meshgrid(*[np.arange(5.0)] * 3), -1).reshape(-1, 3), ((0, 0), (0, 12))
    ),
    "each point four times": np.repeat(RANDOM.standard_normal((50, 3)), 4, axis=0),
    "each four times, wide": np.repeat(RANDOM.standard_normal((50, 15)), 4, axis=0),
    "one point only, fifty times": np.ones((50, 3)),
}
every_cloud = pytest.mark.parametrize("X", CLOUDS.values(), ids=CLOUDS)


def brute_distances(X, metric="euclidean"):
    table = cdist(X, X, {"l2": "euclidean", "manhattan": "cityblock"}.get(metric, metric))
    np.fill_diagonal(table, np.inf)
    return table


def assert_nearest(found, X, counts, metric="euclidean"):
    """Hold a graph to be one of nearest neighbours; ties may be broken either way."""
    table = brute_distances(X, metric)
    counts = np.broadcast_to(counts, len(X))
    np.testing.assert_array_equal(found.counts, counts)
    expected = np.concatenate([np.sort(row)[:k] for row, k in zip(table, counts, strict=True)])
    np.testing.assert_allclose(found.distances, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.distances, table[found.rows, found.neighbors], atol=1e-14)
    assert (found.neighbors != found.rows).all()
    pairs = found.rows * len(X) + found.neighbors
    assert len(np.unique(pairs)) == len(pairs)


@every_cloud
@pytest.mark.parametrize("count", [1, 2, 7, 49])
def test_nearest_are_the_nearest(X, count):
    assert_nearest(distances.neighbor_graph(X, count), X, count)


@every_cloud
def test_all_others(X):
    assert_nearest(distances.neighbor_graph(X, len(X) - 1), X, len(X) - 1)


@every_cloud
def test_a_number_for_each_point(X):
    counts = np.arange(len(X)) % 7 + 1
    assert_nearest(distances.neighbor_graph(X, counts), X, counts)
    assert_nearest(distances.neighbor_graph(X, counts.tolist()), X, counts)


@pytest.mark.parametrize(
    "metric", ["l2", "manhattan", "chebyshev", "cosine", "canberra", "hamming"]
)
@pytest.mark.parametrize("name", ["few features", "many features", "each point four times"])
def test_other_metrics(name, metric):
    X = CLOUDS[name] + 5.0
    assert_nearest(distances.neighbor_graph(X, 6, metric=metric), X, 6, metric)


def test_a_metric_of_ones_own():
    X = CLOUDS["few features"][:60]
    found = distances.neighbor_graph(X, 5, metric=lambda a, b: float(np.abs(a - b).sum()))
    assert_nearest(found, X, 5, "manhattan")


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.coo_array])
def test_given_distances(form):
    X = CLOUDS["few features"]
    assert_nearest(distances.neighbor_graph(form(cdist(X, X)), 6, metric="precomputed"), X, 6)


def test_which_search_is_chosen():
    assert isinstance(distances.build_index(np.ones((5, 10))), TreeSearch)
    assert isinstance(distances.build_index(np.ones((5, 11))), BlockSearch)
    assert isinstance(distances.build_index(np.ones((5, 3)), "manhattan"), TreeSearch)
    assert isinstance(distances.build_index(np.ones((5, 30)), "manhattan"), TreeSearch)
    assert isinstance(distances.build_index(np.ones((5, 30)), "canberra"), MetricSearch)
    assert isinstance(distances.build_index(np.ones((5, 3)), "cosine"), MetricSearch)
    assert isinstance(distances.build_index(np.ones((5, 5)), "precomputed"), GivenDistances)


def test_the_points_decide_whether_a_tree_pays():
    """Not the number of columns: a plane in 40 of them, but not 10 normal ones."""
    plane = RANDOM.random((4_000, 2)) @ RANDOM.standard_normal((2, 40))
    assert isinstance(distances.build_index(plane), TreeSearch)
    assert isinstance(distances.build_index(RANDOM.standard_normal((4_000, 10))), BlockSearch)
    assert isinstance(distances.build_index(RANDOM.standard_normal((4_000, 3))), TreeSearch)
    assert_nearest(distances.neighbor_graph(plane, 5), plane, 5)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev"])
def test_other_minkowski_metrics_of_many_columns(metric):
    X = RANDOM.standard_normal((700, 30)).round(1)
    assert_nearest(distances.neighbor_graph(X, 9, metric=metric), X, 9, metric)
    table = brute_distances(X, metric)
    found = distances.neighbor_graph(X, radius=float(np.quantile(table, 0.1)), metric=metric)
    np.testing.assert_array_equal(found.counts, (table <= np.quantile(table, 0.1)).sum(axis=1))


@pytest.mark.parametrize(
    "make",
    [
        lambda X: TreeSearch(X, 2.0),
        lambda X: BlockSearch(X, X.mean(axis=0)),
        lambda X: MetricSearch(X, "euclidean"),
    ],
)
@every_cloud
def test_every_searcher_answers_alike(make, X):
    """New points, a narrowed search and a radius."""
    index, queries = make(X), X[::7] + 0.25
    table = cdist(queries, X)
    near = index.nearest(queries, 5)
    np.testing.assert_allclose(
        near.distances.reshape(-1, 5), np.sort(table, axis=1)[:, :5], atol=1e-14
    )
    np.testing.assert_allclose(near.distances, table[near.rows, near.neighbors], atol=1e-14)
    some = np.arange(3, len(X), 2)
    narrowed = index.among(some)
    assert narrowed.n_points == len(some)
    near = narrowed.nearest(queries, 3)
    np.testing.assert_allclose(
        near.distances.reshape(-1, 3), np.sort(table[:, some], axis=1)[:, :3], atol=1e-14
    )
    radius = float(np.median(table)) * (1 + 1e-9)
    within = index.within(queries, radius)
    found = within.with_weights(np.ones(within.n_edges)).toarray() > 0
    np.testing.assert_array_equal(found, table <= radius)


def test_blocks_do_not_show(monkeypatch):
    """Searching in many small blocks gives what one large block gives."""
    from unspool.distances import blocks

    for name in ("many features", "few features"):
        X = CLOUDS[name]
        whole = [
            distances.neighbor_graph(X, 6),
            distances.neighbor_graph(X, 6, metric="canberra"),
            distances.neighbor_graph(X, radius=3.0),
        ]
        monkeypatch.setattr(blocks, "CHUNK_BYTES", 8 * 200 * 7)
        parts = [
            distances.neighbor_graph(X, 6),
            distances.neighbor_graph(X, 6, metric="canberra"),
            distances.neighbor_graph(X, radius=3.0),
        ]
        monkeypatch.undo()
        for one, other in zip(whole, parts, strict=True):
            np.testing.assert_array_equal(one.neighbors, other.neighbors)
            np.testing.assert_allclose(one.distances, other.distances, rtol=1e-13)


# radius


@every_cloud
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_radius_takes_all_within_and_no_one_else(X, share):
    table = brute_distances(X)
    radius = float(np.quantile(table[np.isfinite(table)], share)) or 0.5
    found = distances.neighbor_graph(X, radius=radius)
    ours = np.zeros(table.shape, dtype=bool)
    ours[found.rows, found.neighbors] = True
    borderline = np.abs(table - radius) < 1e-12 * radius  # rounding decides there
    np.testing.assert_array_equal(ours | borderline, (table <= radius) | borderline)


@pytest.mark.parametrize("radius", [-1.0, np.nan])
def test_a_radius_is_a_length(radius):
    with pytest.raises(ValueError, match="radius must not be negative"):
        distances.neighbor_graph(np.arange(6.0)[:, None], radius=radius)


def test_a_strict_radius_leaves_the_border_out():
    """Izenman 2013, section 16.6.5: |x - y| < eps, by all searches and in single precision too."""
    line = np.arange(6.0)[:, None]
    table = np.abs(line - line.T)
    inner, border = [1, 2, 2, 2, 2, 1], [2, 3, 4, 4, 3, 2]
    strict = partial(distances.neighbor_graph, strict_radius=True)
    for points in (line, np.pad(line, ((0, 0), (0, 14))), sp.csr_array(line)):
        assert strict(points, radius=2.0).counts.tolist() == inner
        assert strict(points, radius=2.0 + 1e-9).counts.tolist() == border
    for known in (table, table.astype(np.float32), sp.csr_array(table.astype(np.float32))):
        assert strict(known, radius=2.0, metric="precomputed").counts.tolist() == inner
    assert strict(line, radius=2.0, metric="manhattan").counts.tolist() == inner
    assert strict(line, radius=4.0, squared_radius=True).counts.tolist() == inner
    index = distances.build_index(line)
    seen = distances.find_query_neighbors(index, [[2.0], [9.0]], radius=2.0, strict_radius=True)
    assert seen.counts.tolist() == [3, 1]  # the nearest one is seen from afar


def test_the_border_is_included_and_with_squares_excluded():
    """The lecture slides and Izenman: |x - y| <= eps. Gulcu: |x - y|^2 < eps."""
    line = np.arange(6.0)[:, None]
    assert distances.neighbor_graph(line, radius=2.0).counts.tolist() == [2, 3, 4, 4, 3, 2]
    squared = distances.neighbor_graph(line, radius=4.0, squared_radius=True)
    assert squared.counts.tolist() == [1, 2, 2, 2, 2, 1]
    more = distances.neighbor_graph(line, radius=4.0 + 1e-9, squared_radius=True)
    assert more.counts.tolist() == [2, 3, 4, 4, 3, 2]
    wide = np.pad(line, ((0, 0), (0, 14)))
    assert distances.neighbor_graph(wide, radius=2.0).counts.tolist() == [2, 3, 4, 4, 3, 2]
    assert distances.neighbor_graph(wide, radius=4.0, squared_radius=True).counts.tolist() == [
        1,
        2,
        2,
        2,
        2,
        1,
    ]


def test_a_radius_that_reaches_nobody():
    found = distances.neighbor_graph(np.arange(5.0)[:, None], radius=0.5)
    assert found.n_edges == 0
    assert found.n_points == 5


# new points


def test_new_points_see_the_old_ones():
    X, new = CLOUDS["few features"], RANDOM.standard_normal((30, 3))
    index = distances.build_index(X)
    table = cdist(new, X)
    by_default = distances.find_query_neighbors(index, new)
    np.testing.assert_allclose(by_default.distances.reshape(-1, 10), np.sort(table, axis=1)[:, :10])
    assert (
        distances.find_query_neighbors(index, X[:4], 3).distances.reshape(4, 3)[:, 0].tolist()
        == [0.0] * 4
    )
    few = distances.build_index(X[:4])
    assert (distances.find_query_neighbors(few, new, 10).counts == 4).all()  # all there are


def test_with_a_radius_at_least_the_nearest_is_seen():
    X = np.arange(10.0)[:, None]
    new = np.array([[2.4], [100.0]])
    seen = distances.find_query_neighbors(distances.build_index(X), new, radius=1.0)
    assert seen.counts.tolist() == [2, 1]
    assert seen.neighbors.tolist() == [2, 3, 9]
    np.testing.assert_allclose(seen.distances, [0.4, 0.6, 91.0])


# symmetric graphs


@given(st.integers(0, 10**6), st.integers(1, 8))
@settings(max_examples=25, deadline=None)
def test_union_and_mutual(seed, count):
    X = np.random.default_rng(seed).standard_normal((40, 2))
    directed = distances.neighbor_graph(X, count)
    lists = np.zeros((40, 40), dtype=bool)
    lists[directed.rows, directed.neighbors] = True
    table = cdist(X, X)
    for rule, expected in {"union": lists | lists.T, "mutual": lists & lists.T}.items():
        both = graph.symmetrize(directed, rule)
        ours = np.zeros((40, 40))
        ours[both.rows, both.neighbors] = both.distances
        np.testing.assert_array_equal(ours, np.where(expected, table, 0.0))
        assert both.n_edges == expected.sum()


@pytest.mark.parametrize("rule", ["union", "mutual"])
def test_few_edges_are_sorted_together(rule, monkeypatch):
    """Sorting takes ten times the memory of the edges; the graph and its paths stay the same."""
    X = np.random.default_rng(1).standard_normal((300, 2))
    directed = distances.neighbor_graph(X, 5)
    expected = graph.symmetrize(directed, rule)
    sources = np.arange(9)
    lengths = paths.prepare_paths(expected, algorithm="dijkstra").rows(sources)
    sizes = []

    def sort(rows, *rest, **options):
        sizes.append(len(rows))
        return graph_from_edges(rows, *rest, **options)

    monkeypatch.setattr("unspool.graph.connectivity.graph_from_edges", sort)
    monkeypatch.setattr("unspool.values.EDGES_TOGETHER", 100)
    for one, other in zip(distances.neighbor_graph(X, 5).edges, directed.edges, strict=True):
        np.testing.assert_array_equal(one, other)
    found = graph.symmetrize(directed, rule)
    for one, other in zip(found.edges, expected.edges, strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(sizes) >= 5
    assert max(sizes) < 350
    np.testing.assert_array_equal(
        paths.prepare_paths(found, algorithm="dijkstra").rows(sources), lengths
    )
    with pytest.raises(ValueError, match="one direction"):
        paths.prepare_paths(directed)


def test_where_two_directions_disagree_the_shorter_counts():
    table = sp.csr_array(np.array([[0.0, 5.0], [3.0, 0.0]]))
    both = graph.symmetrize(distances.neighbor_graph(table, metric="precomputed"))
    assert both.distances.tolist() == [3.0, 3.0]


def test_edges_of_length_zero_survive_everything():
    X = np.repeat(RANDOM.standard_normal((10, 2)), 3, axis=0)
    directed = distances.neighbor_graph(X, 2)
    assert (directed.distances == 0).all()
    for rule in ("union", "mutual"):
        both = graph.symmetrize(directed, rule)
        assert both.n_edges >= 30
        assert (both.distances == 0).all()
    explicit = sp.csr_array((np.zeros(2), (np.array([0, 1]), np.array([1, 0]))), shape=(2, 2))
    assert distances.neighbor_graph(explicit, metric="precomputed").n_edges == 2


def test_the_search_announces_itself():
    from unspool import runtime

    events = []
    with runtime.recording() as record, runtime.listen(events.append):
        distances.neighbor_graph(CLOUDS["few features"], 5)
    assert [event.name for event in events] == ["neighbours", "neighbours"]
    (stage,) = record.report().stages
    assert stage.facts == {"search": "kd-tree", "edges": 1000}
    assert stage.bytes == 1000 * 16 + 201 * 8


# sparse points


def counts(n=400, n_columns=300, seed=1):
    """Counts as of words in texts: some columns full, most rare, some texts empty or alike."""
    random = np.random.default_rng(seed)
    rates = 2.0 / np.arange(1, n_columns + 1)
    table = random.poisson(rates, (n, n_columns)).astype(float)
    table[7] = table[70] = 0.0
    table[20:26] = table[20]
    return table


def bigrams():
    path = Path(os.environ.get("UNSPOOL_DATA", "")) / "brown_bigrams_300.npz"
    if not path.is_file():
        pytest.skip("brown_bigrams_300.npz is not there: set UNSPOOL_DATA")
    return np.load(path)["x"].astype(float)


def offset_column():
    table = counts()
    table[:, 3] = 1e8 + np.arange(len(table)) % 7
    return table


SPARSE = {"counts": counts, "bigrams": bigrams, "one column far from zero": offset_column}


def cosine_table(X):
    """1 - cos of all pairs: 1 where a row is zero, as scikit-learn has it, but 0 where both are."""
    norms = np.linalg.norm(X, axis=1)
    unit = X / np.where(norms > 0.0, norms, 1.0)[:, None]
    return np.where(np.add.outer(norms, norms) > 0.0, 1.0 - unit @ unit.T, 0.0)


@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_rows_of_zeros_are_equal_and_apart_from_all_others(form):
    X = np.zeros((60, 4))
    X[:40] = np.random.default_rng(5).normal(size=(40, 4))
    found = distances.pairwise_distances(form(X), form(X), "cosine")
    np.testing.assert_allclose(found, cosine_table(X), atol=1e-15)
    assert not found[40:, 40:].any()
    placed = distances.build_index(form(X), "cosine").nearest(form(X[50:51]), 20)
    assert sorted(placed.neighbors) == list(range(40, 60))


@pytest.mark.parametrize("make", SPARSE.values(), ids=SPARSE)
@pytest.mark.parametrize("form", [sp.csr_array, sp.csr_matrix, sp.coo_array])
def test_sparse_points_have_the_neighbours_of_dense_ones(make, form):
    X = make()
    table = cdist(X, X)
    index = distances.build_index(form(X))
    found = index.nearest(form(X), 9)
    near = found.neighbors.reshape(-1, 9)
    np.testing.assert_allclose(
        found.distances.reshape(-1, 9), np.sort(table, axis=1)[:, :9], rtol=1e-12
    )
    np.testing.assert_allclose(
        found.distances.reshape(-1, 9), np.take_along_axis(table, near, axis=1), rtol=1e-12
    )
    radius = float(np.sort(table[3])[40]) * (1 + 1e-12)
    inside = table <= radius
    np.testing.assert_array_equal(index.within(form(X), radius).counts, inside.sum(axis=1))
    graph_of_all = distances.neighbor_graph(form(X), radius=radius)
    np.testing.assert_array_equal(graph_of_all.counts, inside.sum(axis=1) - 1)
    np.testing.assert_array_equal(distances.neighbor_graph(form(X), 4).counts, 4)
    np.testing.assert_array_equal(distances.neighbor_graph(form(X)).counts, 10)
    np.testing.assert_allclose(
        distances.pairwise_distances(sp.csr_array(X), sp.csr_array(X)), table, rtol=1e-9
    )


@pytest.mark.parametrize("make", SPARSE.values(), ids=SPARSE)
def test_cosine_neighbours_of_sparse_points(make):
    X = make()
    table = cosine_table(X)
    found = distances.build_index(sp.csr_array(X), "cosine").nearest(sp.csr_array(X[:150]), 7)
    near = found.neighbors.reshape(-1, 7)
    lengths = found.distances.reshape(-1, 7)
    np.testing.assert_allclose(lengths, np.take_along_axis(table[:150], near, axis=1), atol=1e-13)
    np.testing.assert_allclose(lengths, np.sort(table[:150], axis=1)[:, :7], atol=1e-13)


def test_sparse_points_are_never_made_dense():
    """A dense copy of these would be 5 GB."""
    X, n_columns = counts(600, 40), 10**6
    narrow = sp.csr_array(X)
    spread = narrow.indices.astype(np.int64) * (n_columns // 40)
    wide = sp.csr_array((narrow.data, spread, narrow.indptr), shape=(600, n_columns))
    found, expected = (distances.build_index(table).nearest(table, 5) for table in (wide, narrow))
    np.testing.assert_array_equal(found.neighbors, expected.neighbors)


def test_what_sparse_points_cannot():
    X = sp.csr_array(counts())
    with pytest.raises(ValueError, match="sparse points are compared by"):
        distances.build_index(X, "canberra")
    with pytest.raises(ValueError, match="dense"):
        distances.build_index(X, "euclidean", "approximate")


def test_sparse_points_among_some():
    X = counts()
    index = distances.build_index(sp.csr_array(X)).among(np.arange(50, 200))
    found = index.nearest(sp.csr_array(X[:10]), 3).distances.reshape(-1, 3)
    np.testing.assert_allclose(found, np.sort(cdist(X[:10], X[50:200]), axis=1)[:, :3], rtol=1e-12)


@pytest.mark.parametrize(
    "metric", ["canberra", "braycurtis", "cosine", lambda a, b: abs(a - b).max()]
)
def test_strips_of_other_metrics_are_worked_on_at_a_time(metric, monkeypatch):
    """The same answer on any number of threads, and more than one thread at work."""
    from threading import get_ident

    from unspool.distances import blocks
    from unspool.runtime import resources

    X = np.random.default_rng(3).uniform(0.1, 1.0, size=(400, 6))
    seen, asked = set(), blocks.pairwise_distances

    def watched(*arguments):
        seen.add(get_ident())
        return asked(*arguments)

    monkeypatch.setattr(blocks, "pairwise_distances", watched)
    answers = []
    for count in (1, 4):
        monkeypatch.setattr(resources, "thread_count", lambda count=count: count)
        index = MetricSearch(X, metric)
        answers.append((index.nearest(X, 5), index.within(X, 0.3, others=True)))
    assert len(seen) > 1
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one.neighbors, other.neighbors)
        np.testing.assert_array_equal(one.distances, other.distances)
    table = asked(X, X, metric)
    near = answers[0][1]
    np.testing.assert_array_equal(near.counts, (table <= 0.3).sum(axis=1) - 1)
