"""Shortest paths against Floyd and Warshall's three loops, SciPy's Dijkstra and closed forms."""

import pickle
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra, floyd_warshall

from tests.cases import roll
from unspool import datasets, distances, graph, runtime
from unspool import paths as geodesics
from unspool.edges import graph_from_edges
from unspool.paths import ShortestPaths, geodesic_distances, prepare_paths
from unspool.paths.dijkstra_kernels import _by_buckets, _by_heap
from unspool.runtime import resources as memory
from unspool.values import NeighborGraph

ALGORITHMS = ("elimination", "dijkstra")
# Both algorithms add the same edges in another order: sums of n terms, each rounded once.
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}


def by_three_loops(neighbors):
    n = neighbors.n_points
    lengths = np.full((n, n), np.inf)
    lengths[neighbors.rows, neighbors.neighbors] = neighbors.distances
    np.fill_diagonal(lengths, 0.0)
    for middle in range(n):
        lengths = np.minimum(lengths, lengths[:, [middle]] + lengths[[middle], :])
    return lengths


def undirected(ends, lengths, n):
    ends = np.asarray(ends)
    return graph.symmetrize(
        graph_from_edges(ends[:, 0], ends[:, 1], np.asarray(lengths), shape=(n, n), search="")
    )


def random_graph(seed, n=30, edges=60, zeros=0.0):
    random = np.random.default_rng(seed)
    ends = random.integers(0, n, (edges, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    lengths = random.random(len(ends)) * (random.random(len(ends)) >= zeros)
    return undirected(ends, lengths, n)


def near(points, n_neighbors=8):
    return graph.symmetrize(distances.neighbor_graph(points, n_neighbors))


def wild():
    """Lengths over twelve powers of ten, with nothing of geometry in them."""
    edges = near(cloud(1500, 3))
    one_way = edges.rows < edges.neighbors
    ends = np.c_[edges.rows, edges.neighbors][one_way]
    return undirected(ends, 10 ** (-12 * np.random.default_rng(0).random(len(ends))), 1500)


def cloud(n, dimension):
    return np.random.default_rng(dimension).random((n, dimension))


GRAPHS = {
    "roll": lambda: near(roll(900).points),
    "3-D cloud": lambda: near(cloud(700, 3)),
    "8-D cloud": lambda: near(cloud(400, 8)),
    "sparse at random": lambda: random_graph(5, n=500, edges=900),
    "wild lengths": wild,
    "two rolls": lambda: near(np.vstack([roll(300).points, roll(200).points + 1e3])),
    "threefold points": lambda: near(np.repeat(roll(150).points, 3, axis=0)),
    "single points": lambda: undirected([[0, 5], [5, 9]], [1.0, 2.0], 12),
    "chain": lambda: undirected(
        np.c_[np.arange(1999), np.arange(1, 2000)], np.full(1999, 0.1), 2000
    ),
}


@pytest.fixture(params=GRAPHS, scope="module")
def neighbors(request):
    return GRAPHS[request.param]()


@pytest.fixture(scope="module")
def expected(neighbors):
    return dijkstra(neighbors.with_weights(neighbors.distances), directed=False)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("precision", TOLERANCE)
def test_both_algorithms_agree_with_scipy(neighbors, expected, algorithm, precision):
    paths = prepare_paths(neighbors, algorithm=algorithm)
    lengths = paths.rows(precision=precision)
    assert paths.solver.name == algorithm
    assert lengths.dtype == precision
    np.testing.assert_allclose(lengths, expected, rtol=TOLERANCE[precision])
    assert not np.diag(lengths).any()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_and_blocks_are_the_same_to_the_last_bit(neighbors, algorithm):
    paths = prepare_paths(neighbors, algorithm=algorithm)
    everything = paths.rows()
    n = paths.n_points
    some = np.random.default_rng(1).integers(0, n, 23)
    assert np.array_equal(paths.rows(some), everything[some])
    out = np.empty((23, n))
    assert paths.rows(some, out=out) is out
    assert np.array_equal(out, everything[some])
    for size in (1, 100, 10**6):
        answered = []
        for sources, lengths in paths.blocks(None if size > 1 else some, size=size):
            assert len(sources) <= size
            assert np.array_equal(lengths, everything[sources])
            answered.append(sources.copy())
        wanted = np.arange(n) if size > 1 else some
        assert np.array_equal(np.sort(np.concatenate(answered)), np.sort(wanted))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_threads_change_nothing(algorithm, monkeypatch):
    neighbors = near(roll(700).points)
    answers = []
    for count in (1, 2, 5, 64):
        monkeypatch.setattr(geodesics, "thread_count", lambda count=count: count)
        answers.append(prepare_paths(neighbors, algorithm=algorithm).rows())
    assert all(np.array_equal(answers[0], other) for other in answers[1:])


def test_blocks_store_nothing_of_size_n_times_n(monkeypatch):
    monkeypatch.setattr(geodesics, "thread_count", lambda: 2)
    n = 3000
    paths = prepare_paths(near(roll(n).points))
    farthest = max(lengths.max() for _, lengths in paths.blocks(size=50))
    tracemalloc.start()
    total = sum(float(lengths.max() == farthest) for _, lengths in paths.blocks(size=50))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total >= 1
    assert peak < n * n * 8 / 10


@given(st.integers(0, 10**6), st.sampled_from([10, 40, 150]), st.sampled_from([0.0, 0.3, 1.0]))
@settings(max_examples=40, deadline=None)
def test_any_graph(seed, edges, zeros):
    """Sparse and dense, in one component or many, with edges of length zero."""
    neighbors = random_graph(seed, edges=edges, zeros=zeros)
    lengths = by_three_loops(neighbors)
    np.testing.assert_allclose(geodesic_distances(neighbors), lengths, rtol=1e-12)
    for algorithm in ALGORITHMS:
        found = prepare_paths(neighbors, algorithm=algorithm).rows()
        np.testing.assert_allclose(found, lengths, rtol=1e-12)


@pytest.mark.parametrize("n", [200, 700])
def test_neighbour_graphs_of_a_roll(n):
    neighbors = near(roll(n).points, 7)
    expected = floyd_warshall(neighbors.with_weights(neighbors.distances), directed=False)
    lengths = geodesic_distances(neighbors)
    np.testing.assert_allclose(lengths, expected, rtol=1e-12)
    np.testing.assert_allclose(lengths, lengths.T, rtol=1e-12)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_ring_and_a_grid_have_closed_forms(algorithm):
    n = 101
    ring = undirected(np.c_[np.arange(n), (np.arange(n) + 1) % n], np.ones(n), n)
    steps = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    around = np.minimum(steps, n - steps)
    assert np.array_equal(prepare_paths(ring, algorithm=algorithm).rows(), around)
    side = np.arange(23)
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    right, up = np.flatnonzero(x < 22), np.flatnonzero(y < 22)
    ends = np.concatenate([np.c_[right, right + 1], np.c_[up, up + 23]])
    grid = undirected(ends, np.ones(len(ends)), 23 * 23)
    streets = np.abs(np.subtract.outer(x, x)) + np.abs(np.subtract.outer(y, y))
    assert np.array_equal(prepare_paths(grid, algorithm=algorithm).rows(), streets)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_graphs(algorithm, n):
    neighbors = undirected([[0, 1]], [3.0], 2) if n == 2 else alone()
    paths = prepare_paths(neighbors, algorithm=algorithm)
    assert paths.rows().tolist() == [[0.0]] if n == 1 else [[0.0, 3.0], [3.0, 0.0]]
    assert paths.rows(np.array([], dtype=int)).shape == (0, n)
    assert list(paths.blocks(np.array([], dtype=int))) == []


def alone():
    return NeighborGraph(np.zeros(2, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), 1)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_copies_are_at_distance_zero(algorithm):
    neighbors = near(np.repeat(roll(60).points, 2, axis=0), 9)
    lengths = prepare_paths(neighbors, algorithm=algorithm).rows()
    assert not lengths[np.arange(0, 120, 2), np.arange(1, 120, 2)].any()
    np.testing.assert_allclose(lengths, by_three_loops(neighbors), rtol=1e-12)


def test_some_sources_only():
    neighbors = random_graph(3, edges=80)
    sources = np.array([4, 17, 4, 0])
    np.testing.assert_allclose(
        geodesic_distances(neighbors, sources), by_three_loops(neighbors)[sources], rtol=1e-12
    )
    single = geodesic_distances(neighbors, sources, precision="float32")
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, by_three_loops(neighbors)[sources], rtol=1e-6)


def test_what_cannot_be_reached_is_infinitely_far():
    lengths = geodesic_distances(undirected([[0, 1], [2, 3]], np.ones(2), 5))
    assert np.isinf(lengths[0, 2:]).all()
    assert np.isinf(lengths[4, :4]).all()
    assert lengths[0, 1] == lengths[2, 3] == 1.0
    assert lengths[4, 4] == 0.0


def test_lengths_of_all_sizes_stay_finite():
    neighbors = undirected([[0, 1], [1, 2], [2, 3]], [1e-300, 1e300, 1.0], 4)
    for algorithm in ALGORITHMS:
        lengths = prepare_paths(neighbors, algorithm=algorithm).rows()
        np.testing.assert_allclose(lengths, by_three_loops(neighbors), rtol=1e-15)


def chosen_for(neighbors, n_sources=None):
    with runtime.recording() as record:
        prepare_paths(neighbors, n_sources=n_sources)
    return record.report().stage("shortest paths").facts


def test_where_lengths_are_too_wild_for_buckets_a_heap_takes_over():
    for neighbors, even in ((wild(), False), (near(cloud(1500, 3)), True)):
        solver = prepare_paths(neighbors, n_sources=1, algorithm="dijkstra").solver
        edges = solver.starts, solver.neighbors, solver.distances
        workspace = [np.empty(shape, kind) for shape, kind in solver.workspace(1)]
        lengths, keys, members, place, *buckets = workspace
        source = solver.position[0]
        assert _by_buckets(edges, source, solver.width, lengths, keys, *buckets) == even
        found = lengths.copy()
        _by_heap(edges, source, lengths, keys, members, place)
        assert np.array_equal(found, lengths) or not even
        exact = dijkstra(neighbors.with_weights(neighbors.distances), indices=0)
        np.testing.assert_allclose(lengths[solver.position], exact, rtol=1e-13)


def test_the_heap_gives_the_nearest_first_where_vertices_come_nearer_again_and_again():
    """All pairs joined, by lengths with nothing of geometry: a wrong order settles some too far."""
    n = 100
    first, second = np.triu_indices(n, 1)
    lengths = np.random.default_rng(0).random(len(first)) ** 3
    neighbors = undirected(np.c_[first, second], lengths, n)
    solver = prepare_paths(neighbors, n_sources=1, algorithm="dijkstra").solver
    edges = solver.starts, solver.neighbors, solver.distances
    found, *room = [np.empty(shape, kind) for shape, kind in solver.workspace(1)]
    exact = dijkstra(neighbors.with_weights(neighbors.distances))
    for source in range(n):
        _by_heap(edges, solver.position[source], found, *room[:3])
        np.testing.assert_allclose(found[solver.position], exact[source], rtol=1e-13)


@pytest.mark.parametrize("many", [True, False])
def test_sources_searched_together_find_the_same_as_alone(many):
    """Also where the tickets of the common search run out (``wild``) and the heap takes over."""
    for neighbors in (near(cloud(900, 5)), near(roll(700).points), wild()):
        n = neighbors.n_points
        paths = prepare_paths(neighbors, n_sources=n if many else 1, algorithm="dijkstra")
        assert paths.solver.together == many
        exact = dijkstra(neighbors.with_weights(neighbors.distances))
        np.testing.assert_allclose(paths.rows(), exact, rtol=1e-13)


def test_the_cheaper_algorithm_is_chosen_and_named():
    """Few sources do not pay for an elimination; nor do all, where it fills in too much."""
    low, high = near(roll(2000).points), near(cloud(5000, 12), 12)
    assert chosen_for(low)["algorithm"] == "elimination"
    assert 10 < chosen_for(low)["fill"] < 30
    assert chosen_for(low, 3) == {"algorithm": "dijkstra"}
    assert chosen_for(high)["algorithm"] == "dijkstra"
    assert chosen_for(high)["fill"] > 300


def test_a_prepared_graph_is_a_value():
    paths = prepare_paths(near(roll(200).points))
    again = pickle.loads(pickle.dumps(paths))
    assert np.array_equal(paths.rows(), again.rows())
    with pytest.raises(AttributeError, match="cannot assign"):
        paths.solver = None


def test_the_work_is_announced_and_can_be_cancelled():
    neighbors = near(roll(600).points, 7)
    events = []
    with runtime.recording() as record, runtime.listen(events.append):
        geodesic_distances(neighbors)
    swept = [event for event in events if event.name == "geodesics"]
    assert swept[0].total == swept[-1].done == 600
    assert len(swept) > 4
    stage = record.report().stage("geodesics")
    assert stage.facts["algorithm"]
    assert stage.bytes >= 600 * 600 * 8
    with (
        runtime.listen(lambda event: listener.cancel() if event.done > 0 else None) as listener,
        pytest.raises(runtime.Cancelled),
    ):
        geodesic_distances(neighbors)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_cancelled_work_stops_at_once(algorithm, monkeypatch):
    """Chunks that no thread has begun are never begun."""
    monkeypatch.setattr(geodesics, "thread_count", lambda: 2)
    paths = prepare_paths(near(roll(3000).points), algorithm=algorithm)
    kind = type(paths.solver)
    solved = []
    solve = kind.solve

    def counted(self, sources, rows, out, workspace):
        solved.append(len(sources))
        solve(self, sources, rows, out, workspace)

    monkeypatch.setattr(kind, "solve", counted)
    with (
        runtime.listen(lambda event: listener.cancel() if event.done > 0 else None) as listener,
        pytest.raises(runtime.Cancelled),
    ):
        paths.rows()
    assert sum(solved) < 1500


def test_what_does_not_fit_is_refused(monkeypatch):
    neighbors = near(roll(100).points, 7)
    paths = prepare_paths(neighbors)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    for ask in (lambda: geodesic_distances(neighbors), paths.rows, paths.blocks):
        with pytest.raises(MemoryError, match="geodesics between 100 and 100 points"):
            ask()
    with pytest.raises(MemoryError, match="eliminated graph of 100 points"):
        prepare_paths(neighbors, algorithm="elimination")


def test_little_memory_means_fewer_threads(monkeypatch):
    monkeypatch.setattr(geodesics, "thread_count", lambda: 8)
    paths = prepare_paths(near(roll(400).points), algorithm="elimination")
    expected = paths.rows()
    used = []
    run_chunks = geodesics.run_chunks

    def counted(work, chunks, workspaces, done):
        used.extend(sum(array.size for array in workspace) for workspace in workspaces)
        run_chunks(work, chunks, workspaces, done)

    monkeypatch.setattr(geodesics, "run_chunks", counted)
    monkeypatch.setattr(geodesics, "available_bytes", lambda: 400 * 50 * 8 * 3)
    assert np.array_equal(paths.rows(), expected)
    assert used == [400 * 50] * 3


def test_questions_that_make_no_sense_are_refused():
    neighbors = near(roll(100).points)
    paths = prepare_paths(neighbors)
    one_way = distances.neighbor_graph(roll(100).points, 8)
    uneven = NeighborGraph(
        neighbors.starts,
        neighbors.neighbors,
        neighbors.distances * (1 + 1e-9 * neighbors.rows),
        100,
    )
    ring = np.arange(3)
    circle = graph_from_edges(ring, (ring + 1) % 3, np.ones(3), shape=(3, 3), search="")
    for directed in (one_way, uneven, circle):
        with pytest.raises(ValueError, match=r"pass it through graph\.symmetrize"):
            geodesic_distances(directed)
    for sources in (np.array([0, 100]), np.array([-1]), np.array([0.0]), np.array([[1, 2]])):
        with pytest.raises(ValueError, match="sources must be"):
            paths.rows(sources)
    with pytest.raises(ValueError, match="precision must be"):
        geodesic_distances(neighbors, precision="float16")
    with pytest.raises(ValueError, match="algorithm must be"):
        prepare_paths(neighbors, algorithm="floyd")
    with pytest.raises(ValueError, match="size=0"):
        paths.blocks(size=0)
    for wrong in (np.empty((2, 99)), np.empty((2, 100), np.float32), np.empty((100, 2)).T):
        with pytest.raises(ValueError, match="out must be"):
            paths.rows(np.array([1, 2]), out=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("n", [20_000, 100_000])
def test_single_precision_suffices_for_long_paths(algorithm, n):
    neighbors = near(datasets.swiss_roll(n, seed=7).points, 10)
    sources = np.random.default_rng(0).integers(0, n, 24)
    expected = dijkstra(neighbors.with_weights(neighbors.distances), indices=sources)
    paths = prepare_paths(neighbors, algorithm=algorithm)
    np.testing.assert_allclose(paths.rows(sources), expected, rtol=1e-12)
    single = ShortestPaths(paths.solver.rounded("float32"))
    np.testing.assert_allclose(single.rows(sources, precision="float32"), expected, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_images_of_digits(algorithm):
    try:
        images = datasets.real("mnist")["x_test"][:5000].reshape(5000, -1)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    neighbors = near(images.astype(float), 10)
    expected = dijkstra(neighbors.with_weights(neighbors.distances))
    paths = prepare_paths(neighbors, algorithm=algorithm)
    np.testing.assert_allclose(paths.rows(), expected, rtol=1e-12)
    np.testing.assert_allclose(paths.rows(precision="float32"), expected, rtol=1e-6)


def test_arcs_are_rounded_only_where_sums_stay_short():
    """Sweeps along a curve add its edges one by one, and single precision would lose them."""
    surface, curve = prepare_paths(near(roll(900).points)), prepare_paths(GRAPHS["chain"]())
    vast = undirected(np.c_[np.arange(599), np.arange(1, 600)], np.full(599, 1e300), 600)
    assert surface.solver.rounded("float32").weights.dtype == np.float32
    assert curve.solver.rounded("float32").weights.dtype == np.float64
    assert prepare_paths(vast).solver.rounded("float32").weights.dtype == np.float64
