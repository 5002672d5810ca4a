"""The exact search of many columns against brute force by differences in double precision."""

import os
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unspool import distances, runtime
from unspool.distances import BlockSearch, exact, search, sketch

RANDOM = np.random.default_rng(7)


def clusters(gap, n=1_500):
    points = RANDOM.standard_normal((n, 40))
    points[n // 2 :, 0] += gap
    return points


def near_ties():
    """Return points around spheres about each other: squared distances that differ by rounding."""
    directions = RANDOM.standard_normal((900, 24))
    return directions / np.linalg.norm(directions, axis=1)[:, None]


def data(name, key, n):
    path = Path(os.environ.get("UNSPOOL_DATA", "")) / name
    if not path.is_file():
        pytest.skip(f"{name} is not there: set UNSPOOL_DATA")
    return np.load(path)[key][:n].astype(float)


CASES = {
    "mnist": lambda: data("mnist.npz", "x_train", 2_010),
    "glove": lambda: data("glove_words_100k.npz", "x", 2_010),
    "pendigits": lambda: data("pendigits.npz", "x_train", 2_010),
    "offset": lambda: RANDOM.standard_normal((1_500, 30)) + 1e8,
    "clusters": lambda: clusters(1e6),
    "clusters very far apart": lambda: clusters(1e12),
    "clusters, with axes": lambda: np.pad(clusters(1e3, 2_400), ((0, 0), (0, 40))),
    "duplicates": lambda: np.repeat(RANDOM.integers(0, 3, (300, 30)), 5, axis=0).astype(float),
    "all the same": lambda: np.ones((600, 30)),
    "integers, full of ties": lambda: RANDOM.integers(0, 3, (2_300, 26)).astype(float),
    "float32": lambda: RANDOM.standard_normal((2_100, 64)).astype(np.float32),
    "outlier": lambda: np.vstack([RANDOM.standard_normal((1_000, 30)), np.full((1, 30), 1e30)]),
    "tiny": lambda: RANDOM.standard_normal((600, 30)) * 1e-120,
    "huge": lambda: RANDOM.standard_normal((600, 30)) * 1e120,
    "steep spectrum": lambda: RANDOM.standard_normal((2_100, 200)) / np.arange(1, 201),
    "near ties": near_ties,
    "on a sphere, far from the origin": lambda: near_ties() + 1e4,
    "four columns": lambda: RANDOM.standard_normal((700, 4)),
}
CASES = {name: cache(make) for name, make in CASES.items()}
every_case = pytest.mark.parametrize("make", CASES.values(), ids=CASES)
# where few neighbours are decided otherwise than many: ties, copies, and bounds that are coarse
TELLING = ("mnist", "clusters", "duplicates", "integers, full of ties", "float32", "near ties")


def every_case_and(few, many):
    """All cases with ``many``; with ``few``, which asks the same of them, the telling ones."""
    return [
        pytest.param(make, value, marks=marks, id=f"{value}-{name}")
        for name, make in CASES.items()
        for value, marks in (
            (few, () if name in TELLING else pytest.mark.slow),
            (many, ()),
        )
    ]


def table_of(queries, points):
    """All squared distances by differences, by the compiled sum that the search decides by."""
    from unspool.distances import exact_kernels

    table = np.zeros((len(queries), len(points)))
    nothing, other = np.zeros(len(queries)), np.zeros(len(points))
    # products of zero: every entry is repaired, that is, computed by differences
    exact_kernels.finish(table.copy(), nothing, other, queries, points, np.inf, table)
    np.testing.assert_allclose(table[::40], cdist(queries[::40], points, "sqeuclidean"), rtol=1e-13)
    return table


@cache
def table_among(make):
    """The same of the points of a case among themselves, for all tests that ask."""
    X = make().astype(float)
    table = table_of(X, X)
    table.setflags(write=False)
    return table


@pytest.fixture(scope="module", autouse=True)
def _forget():
    yield
    table_among.cache_clear()


def brute(points, queries, count, table=None):
    """Neighbours by (squared distance, index), then in the order of (distance, index)."""
    if table is None:
        table = table_of(queries.astype(float), points.astype(float))
    columns = np.argsort(table, axis=1, kind="stable")[:, :count]
    lengths = np.sqrt(np.take_along_axis(table, columns, axis=1))
    order = np.lexsort((columns, lengths), axis=1)
    return np.take_along_axis(columns, order, 1), np.take_along_axis(lengths, order, 1)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.neighbors.reshape(expected[0].shape), expected[0])
    np.testing.assert_array_equal(found.distances.reshape(expected[0].shape), expected[1])


def index_of(X):
    return BlockSearch(X, X.mean(axis=0))


@pytest.mark.parametrize(("make", "count"), every_case_and(1, 16))
def test_points_among_themselves(make, count):
    X = make()
    assert_same(index_of(X).nearest(X, count), brute(X, X, count, table_among(make)))


@every_case
def test_queries_elsewhere(make):
    X = make()
    queries = np.vstack([X[::7], X[:40] * 1.001])
    assert_same(index_of(X).nearest(queries, 9), brute(X, queries, 9))


@pytest.mark.parametrize("make", [CASES[name] for name in ("mnist", "glove", "steep spectrum")])
def test_a_finer_map_rules_out_no_neighbour(make, monkeypatch):
    monkeypatch.setattr(sketch, "_best_depth", lambda *given: 8)
    monkeypatch.setattr(sketch, "FINE", 24)
    monkeypatch.setattr(sketch, "FEWEST_FINE", 1)
    X = make()
    queries = np.vstack([X[::7], X[:40] * 1.001])
    prepared = exact.prepare(X, queries, 9)
    assert prepared.finer is not None
    assert prepared.fine_right.shape == (len(X), 24 + 3)
    columns, lengths = brute(X, queries, 9)
    found = exact.nearest(prepared, queries, 9)
    np.testing.assert_array_equal(found.distances, lengths)
    np.testing.assert_array_equal(found.columns, columns)


@every_case
def test_all_within_a_radius(make):
    X = make()
    table = np.sqrt(table_among(make))
    radius = float(np.sort(table[3])[20])  # a distance as computed: the border is included
    found = index_of(X).within(X, radius)
    for i in range(0, len(X), 29):
        expected = np.flatnonzero(table[i] <= radius)
        expected = expected[np.argsort(table[i, expected], kind="stable")]
        part = slice(found.starts[i], found.starts[i + 1])
        np.testing.assert_array_equal(found.neighbors[part], expected)
        np.testing.assert_array_equal(found.distances[part], table[i, expected])


@pytest.mark.parametrize(("make", "share"), every_case_and(0.01, 0.4))
def test_radius_graphs_list_all_others(make, share):
    """Of few neighbours and of many: these are counted first, and each pair is met once."""
    X = make()
    table = np.sqrt(table_among(make))
    radius = float(np.sort(table[3])[int(share * len(X))])
    inside = table <= radius
    np.fill_diagonal(inside, False)
    found = index_of(X).within(X, radius, others=True)
    np.testing.assert_array_equal(found.counts, inside.sum(axis=1))
    np.testing.assert_array_equal(found.distances, table[found.rows, found.neighbors])
    for i in range(0, len(X), 29):
        expected = np.flatnonzero(inside[i])
        expected = expected[np.argsort(table[i, expected], kind="stable")]
        np.testing.assert_array_equal(
            found.neighbors[found.starts[i] : found.starts[i + 1]], expected
        )


@pytest.mark.parametrize("threads", ["1", "3"])
def test_many_within_a_radius_of_queries_elsewhere(threads, monkeypatch):
    X = RANDOM.standard_normal((1_700, 30))
    queries = X[::3] + 0.1
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    table = np.sqrt(table_of(queries, X))
    found = index_of(X).within(queries, 8.0)
    np.testing.assert_array_equal(found.counts, (table <= 8.0).sum(axis=1))
    np.testing.assert_array_equal(found.distances, table[found.rows, found.neighbors])
    assert found.counts.mean() > 400


@pytest.mark.parametrize("n", [1, 5, 31, 32, 33, 500, 3_000])
@pytest.mark.parametrize(
    "spread",
    [
        lambda n: RANDOM.random(n),
        lambda n: RANDOM.integers(0, 3, n).astype(float),
        lambda n: np.zeros(n),
        lambda n: np.r_[np.full(n - 1, 1e-300) * RANDOM.random(n - 1), 1e300],
        lambda n: RANDOM.random(n) * 5e-324 * 100,
    ],
    ids=["even", "ties", "all equal", "one far away", "subnormal"],
)
def test_edges_are_sorted_whatever_their_spread(n, spread):
    from unspool.distances import search_kernels

    dist, index = spread(n), RANDOM.permutation(n)
    order = np.lexsort((index, dist))
    expected = dist[order], index[order]
    search_kernels.sort_rows(np.array([0]), np.array([n]), index, dist)
    np.testing.assert_array_equal(dist, expected[0])
    np.testing.assert_array_equal(index, expected[1])


@pytest.mark.parametrize("radius", [0.0, np.inf, 1e200, -1.0])
def test_unusual_radii(radius):
    X = np.repeat(RANDOM.standard_normal((400, 12)), 2, axis=0)
    found = index_of(X).within(X[:30], radius)
    expected = {0.0: 2, -1.0: 0}.get(radius, len(X))
    assert (found.counts == expected).all()


@pytest.mark.parametrize("n", [2, 3, 40, 600])
@pytest.mark.parametrize("columns", [1, 2, 3, 12])
def test_every_point_is_a_neighbour(n, columns):
    X = RANDOM.standard_normal((n, columns))
    found = index_of(X).nearest(X, n)
    table = cdist(X, X)
    np.testing.assert_allclose(found.distances.reshape(n, n), np.sort(table, axis=1), rtol=1e-13)
    assert (np.sort(found.neighbors.reshape(n, n), axis=1) == np.arange(n)).all()


@pytest.mark.parametrize("threads", ["1", "2", "5"])
def test_any_number_of_threads(threads, monkeypatch):
    X = RANDOM.standard_normal((2_600, 30)).round(1)
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    assert_same(index_of(X).nearest(X, 10), brute(X, X, 10))
    assert_same(index_of(X).nearest(X[:700], 10), brute(X, X[:700], 10))


def test_queries_far_beyond_the_points():
    X = RANDOM.standard_normal((900, 20))
    index = index_of(X)
    for queries in (X[:50] + 0.1, X[:50] + 1e7, X[:50] * 1e40, X[:50] + 0.2):
        assert_same(index.nearest(queries, 5), brute(X, queries, 5))


@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_distances_whose_squares_nearly_leave_double_precision(scale):
    X = RANDOM.standard_normal((600, 20)) * scale
    index, table = index_of(X), np.sort(cdist(X, X), axis=1)
    found = index.nearest(X, 6).distances.reshape(-1, 6)
    np.testing.assert_allclose(found, table[:, :6], rtol=1e-13)
    radius = table[0, 100] * (1 + 1e-9)
    np.testing.assert_array_equal(index.within(X, radius).counts, (table <= radius).sum(axis=1))


def test_a_row_alone_is_answered_as_among_others():
    X = RANDOM.standard_normal((2_200, 40))
    index, queries = index_of(X), X[:20] + 0.1
    together = index.nearest(queries, 8)
    for i in range(20):
        alone = index.nearest(queries[i : i + 1], 8)
        np.testing.assert_array_equal(alone.neighbors, together.neighbors[8 * i : 8 * i + 8])
        np.testing.assert_array_equal(alone.distances, together.distances[8 * i : 8 * i + 8])


def test_only_the_fields_are_kept():
    X = RANDOM.standard_normal((700, 20))
    index = index_of(X)
    index.nearest(X[:5] + 1.0, 3)
    index.within(X[:5], 1.0)
    again = pickle.loads(pickle.dumps(index))
    assert set(vars(again)) == {"points", "center"}
    np.testing.assert_array_equal(again.nearest(X, 3).neighbors, index.nearest(X, 3).neighbors)


# by leaves, for few columns and other Minkowski metrics

LEAVES = {
    "a plane": lambda: RANDOM.standard_normal((700, 2)),
    "covtype": lambda: data("covtype.npz", "numeric", 1_300),
    "a grid, full of ties": lambda: RANDOM.integers(0, 4, (900, 4)).astype(float),
    "many columns": lambda: RANDOM.standard_normal((300, 150)),
    "offset": lambda: RANDOM.standard_normal((500, 3)) + 1e8,
    "one place": lambda: np.ones((130, 3)),
    "one point": lambda: np.ones((1, 3)),
}


@pytest.mark.parametrize("make", LEAVES.values(), ids=LEAVES)
@pytest.mark.parametrize("power", [1.0, 2.0, np.inf])
def test_neighbours_by_leaves(make, power):
    X = make()
    name = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}[power]
    arranged, table = search.arrange(X), cdist(X, X, name)
    count = min(7, len(X))
    near = search.nearest_by_leaves(arranged, X, count, power)
    np.testing.assert_allclose(near.distances, np.sort(table, axis=1)[:, :count], rtol=1e-12)
    np.testing.assert_allclose(
        near.distances, np.take_along_axis(table, near.columns, axis=1), rtol=1e-12
    )
    radius = float(np.quantile(table, 0.1)) * (1 + 1e-12)
    for others in (False, True):
        inside = table <= radius
        inside[np.diag_indices(len(X))] &= not others
        found = search.within_by_leaves(arranged, X, radius, power, others=others)
        np.testing.assert_array_equal(np.diff(found.starts), inside.sum(axis=1))
        rows = np.repeat(np.arange(len(X)), np.diff(found.starts))
        np.testing.assert_allclose(found.distances, table[rows, found.columns], rtol=1e-12)
        order = np.lexsort((found.columns, found.distances, rows))
        np.testing.assert_array_equal(order, np.arange(len(order)))
        assert inside[rows, found.columns].all()


def test_boxes_rule_out_most_leaves_of_a_plane():
    """The leaf of a query and those around it are looked at, no matter how many there are."""
    X = RANDOM.random((20_000, 2))
    arranged = search.arrange(X)
    sides = arranged.high - arranged.low
    assert np.median(sides.max(axis=1)) < 0.12
    assert np.diff(arranged.starts).max() <= search.LEAF


# the bound itself


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("depth", [None, 1, 8])
@pytest.mark.parametrize(
    "name", ["offset", "clusters", "duplicates", "outlier", "tiny", "huge", "near ties", "float32"]
)
def test_no_bound_is_above_its_distance(name, depth, dtype):
    X = np.asarray(CASES[name](), float)[::2]
    spread = sketch.spread_of(X, None)
    axes = None
    if depth is not None:
        axes = np.linalg.qr(RANDOM.standard_normal((X.shape[1], depth)))[0]
    dtype = np.dtype(dtype)
    eps = sketch.error_of_map(X.shape[1], axes, dtype)
    chosen = sketch.Sketch(spread.center, spread.scale, axes, dtype, eps)
    left, right = (sketch.factor_of(X, chosen, left=side) for side in (True, False))
    bounds = left @ right.T
    limits = (table_of(X, X) * sketch.inflation(chosen)).astype(dtype)
    assert (bounds <= limits).all()
    if depth is None and name in ("near ties", "float32"):  # and it is not an idle one
        others = ~np.eye(len(X), dtype=bool)
        assert (bounds[others] > 0.99 * limits[others]).all()


def test_too_many_columns_are_bounded_in_double_precision(monkeypatch):
    monkeypatch.setattr(sketch, "MOST_COLUMNS", 25)
    X = RANDOM.standard_normal((600, 30))
    chosen = sketch.choose_map(X, None, 5)
    assert chosen is not None
    assert chosen.dtype == np.float64


# progress and cancelling


@pytest.mark.parametrize("question", [{"n_neighbors": 8}, {"radius": 1.0}, {"radius": 7.5}])
def test_the_search_tells_how_far_it_is_and_can_be_cancelled(question):
    X = RANDOM.standard_normal((3_000, 30))
    events = []
    with runtime.listen(events.append):
        distances.neighbor_graph(X, **question)
    assert {event.name for event in events} == {"neighbours"}
    assert len(events) > 5
    shares = [event.done / event.total for event in events]
    assert shares == sorted(shares)

    def cancel(event):
        if event.done:
            listener.cancel()

    with pytest.raises(runtime.Cancelled), runtime.listen(cancel) as listener:
        distances.neighbor_graph(X, **question)


# tables of all distances


@every_case
def test_tables_are_those_of_differences(make):
    X = np.asarray(make(), float)[:900]
    some = X[:730]
    for queries, points in ((X, X), (some, X), (X + 0.0, X)):
        table = distances.pairwise_squared_distances(queries, points)
        expected = cdist(queries, points, "sqeuclidean")
        np.testing.assert_allclose(table, expected, rtol=1e-11, atol=0)
        assert (table[expected == 0] == 0).all()
        np.testing.assert_array_equal(np.sqrt(table), distances.pairwise_distances(queries, points))
    table = distances.pairwise_distances(X, X)
    np.testing.assert_array_equal(table, table.T)


@every_case
def test_strips_of_tables_are_those_of_differences(make):
    X = np.asarray(make(), float)[:900]
    expected = cdist(X[:70], X, "sqeuclidean")
    np.testing.assert_allclose(
        distances.squared_distances_to(X)(X[:70]), expected, rtol=1e-11, atol=0
    )
    doubled = distances.squared_distances_to(X, lambda part: part.__imul__(2.0))(X[:70])
    np.testing.assert_allclose(doubled, 2.0 * expected, rtol=1e-11, atol=0)


def test_large_tables_come_from_products(monkeypatch):
    """And those that products would spoil do not."""
    from unspool.distances import metrics

    wide, split = RANDOM.standard_normal((800, 30)), clusters(1e6, 800)
    assert metrics._squares_by_products(wide, wide) is not None
    assert metrics._squares_by_products(wide[:, :3], wide[:, :3]) is None
    assert metrics._squares_by_products(wide[:50], wide[:50]) is None
    assert metrics._squares_by_products(split, split) is None
    monkeypatch.setattr(metrics, "_cancels", lambda *_: False)
    table = metrics._squares_by_products(split, split)
    np.testing.assert_allclose(table, cdist(split, split, "sqeuclidean"), rtol=1e-11)


def test_tables_of_infinite_squares_stay_infinite():
    X = np.concatenate([RANDOM.standard_normal((900, 20)), np.full((2, 20), 1e200)])
    with np.errstate(over="ignore", invalid="ignore"):
        table = distances.pairwise_squared_distances(X, X)
    assert not np.isnan(table).any()
    assert np.isinf(table[0, -1])
    assert table[-1, -2] == 0


# cosine


def test_cosine_neighbours_come_from_unit_rows():
    X = RANDOM.standard_normal((900, 20)) * RANDOM.uniform(1e-3, 1e3, (900, 1))
    index = distances.build_index(X, "cosine")
    for queries in (X, X[:200] + 0.1):
        table = cdist(queries, X, "cosine")
        found = index.nearest(queries, 7)
        near = found.neighbors.reshape(-1, 7)
        np.testing.assert_array_equal(near, np.argsort(table, axis=1)[:, :7])
        expected = np.take_along_axis(table, near, axis=1)
        np.testing.assert_allclose(found.distances.reshape(-1, 7), expected, atol=1e-15)
    assert index._directions is not None
    assert set(vars(pickle.loads(pickle.dumps(index)))) == {"points", "metric", "seed"}


def test_cosine_distances_of_nearby_directions_keep_their_digits():
    """1 - cos of an angle of 1e-7 is 5e-15: as a difference it would have two digits."""
    angles = np.arange(600) * 1e-7
    X = np.stack([np.cos(angles), np.sin(angles), *np.zeros((4, 600))], axis=1)
    found = distances.build_index(X, "cosine").nearest(X, 2).distances.reshape(-1, 2)
    np.testing.assert_allclose(found[:, 1], 0.5e-14, rtol=1e-6)


def test_rows_of_zeros_have_no_direction():
    X = RANDOM.standard_normal((600, 8))
    zero = np.zeros((1, 8))
    found = distances.build_index(X, "cosine").nearest(zero, 4)
    np.testing.assert_array_equal(found.distances, np.ones(4))
    with_zero = distances.build_index(np.vstack([X, zero]), "cosine").nearest(X[:20], 601)
    np.testing.assert_array_equal(with_zero.distances[with_zero.neighbors == 600], np.ones(20))


# single precision


def test_points_in_single_precision_are_searched_as_they_are():
    """The same neighbours and distances as of the same numbers in double precision."""
    points = np.random.default_rng(5).normal(size=(1500, 40)).astype(np.float32)
    points[:20] = points[20:40]  # copies
    found = distances.neighbor_graph(points, 10)
    expected = distances.neighbor_graph(points.astype(np.float64), 10)
    np.testing.assert_array_equal(found.neighbors, expected.neighbors)
    np.testing.assert_array_equal(found.distances, expected.distances)
    near = distances.neighbor_graph(points, radius=6.0)
    wanted = distances.neighbor_graph(points.astype(np.float64), radius=6.0)
    np.testing.assert_array_equal(near.neighbors, wanted.neighbors)
    np.testing.assert_array_equal(near.distances, wanted.distances)


def test_single_precision_is_not_copied_to_double():
    """What the search holds beside the points is less than for doubles, not more by a copy."""
    import tracemalloc

    doubles = np.random.default_rng(6).normal(size=(3000, 300))
    singles = doubles.astype(np.float32)
    peaks = []
    for points in (doubles, singles):
        distances.neighbor_graph(points, 5)
        tracemalloc.start()
        distances.neighbor_graph(points, 5)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] - 0.9 * singles.nbytes


def test_queries_in_another_precision_than_the_points():
    points = np.random.default_rng(7).normal(size=(600, 20)).astype(np.float32)
    queries = np.random.default_rng(8).normal(size=(9, 20))
    found = distances.build_index(points).nearest(queries, 4)
    table = cdist(queries, points.astype(np.float64))
    order = np.argsort(table, axis=1)[:, :4]
    np.testing.assert_array_equal(found.neighbors.reshape(-1, 4), order)
    np.testing.assert_allclose(
        found.distances.reshape(-1, 4), np.take_along_axis(table, order, 1), rtol=1e-12
    )


def test_columns_in_which_the_points_do_not_differ():
    """They drop out of products; where a query differs from them it is farther all the same."""
    random = np.random.default_rng(11)
    points = random.normal(size=(900, 40))
    points[:, ::3] = 0.1 * np.arange(14)
    queries = random.normal(size=(700, 40))
    expected = cdist(queries, points, "sqeuclidean")
    np.testing.assert_allclose(
        distances.pairwise_squared_distances(queries, points), expected, rtol=1e-11
    )
    np.testing.assert_allclose(
        distances.squared_distances_to(points)(queries), expected, rtol=1e-11
    )
    own = distances.pairwise_distances(points, points)
    np.testing.assert_allclose(own, cdist(points, points), rtol=1e-11)
    np.testing.assert_array_equal(own, own.T)
    assert (np.diag(own) == 0.0).all()


def inner_product_cases():
    random = np.random.default_rng(12)
    points = random.normal(size=(1200, 30)) * random.lognormal(size=(1200, 1))
    yield "of many lengths", points
    yield "one far beyond the others", np.vstack([points, 1e9 * points[:1]])
    yield "far from the origin", points + 1e6
    yield "of one length", points / np.linalg.norm(points, axis=1, keepdims=True)
    yield "copies, and zeros", np.vstack([points[:500], points[:500], np.zeros((3, 30))])
    yield "few columns", points[:, :2]


INNER_PRODUCTS = dict(inner_product_cases())


@pytest.mark.parametrize("points", INNER_PRODUCTS.values(), ids=INNER_PRODUCTS)
def test_largest_inner_products_are_those_of_all_pairs(points):
    found = distances.largest_inner_products(points, 10)
    table = np.einsum("ij,kj->ik", points, points)
    np.fill_diagonal(table, -np.inf)
    expected = -np.sort(-table, axis=1)[:, :10]
    sizes = np.linalg.norm(points, axis=1)
    allowed = 1e-13 * sizes[:, None] * sizes.max()
    assert (np.abs(found.products - expected) <= allowed).all()
    assert (found.neighbors != np.arange(len(points))[:, None]).all()
    again = np.einsum("ij,ikj->ik", points, points[found.neighbors])
    np.testing.assert_allclose(again, found.products, rtol=1e-12, atol=allowed.max())
    queries = points[:7] + 1.0
    others = distances.largest_inner_products(points, 5, queries)
    wanted = -np.sort(-(queries @ points.T), axis=1)[:, :5]
    np.testing.assert_allclose(others.products, wanted, rtol=1e-9, atol=1e-9 * sizes.max())


def test_inner_products_are_no_metric_and_refuse_what_they_cannot_answer():
    points = np.eye(4)
    for count, queries in ((4, None), (0, None), (2, np.zeros((1, 3)))):
        with pytest.raises(ValueError, match="n_neighbors must be"):
            distances.largest_inner_products(points, count, queries)
    with pytest.raises(ValueError, match="largest_inner_products"):
        distances.neighbor_graph(points, 2, metric="inner_product")
