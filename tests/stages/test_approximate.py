"""Approximate search against brute force: recall, exact distances, trouble, and the contract."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unspool import distances, runtime
from unspool.distances import RECALL, ApproximateSearch, BlockSearch, TreeSearch
from unspool.distances import search as deciding
from unspool.distances.approximate import _Candidates, _Judge
from unspool.methods import LLE, Isomap, KernelLLE, LaplacianEigenmaps


def blobs(n=2000, seed=0):
    """Return overlapping clusters, in which neighbours are hardly nearer than others."""
    centres = np.random.default_rng(7).normal(size=(12, 20))
    random = np.random.default_rng(seed)
    return centres[random.integers(12, size=n)] + random.normal(size=(n, 20))


def true_recall(found, table):
    """Return the share of the true neighbours in a graph with equally many in each row."""
    count = int(found.counts[0])
    farthest = np.sort(table, axis=1)[:, count - 1 : count]
    return float((found.distances.reshape(-1, count) <= farthest * (1 + 1e-12)).mean())


def rolled(n=1200, features=12, seed=3):
    """Return a Swiss roll in twelve dimensions, where no tree is used."""
    from unspool import datasets

    random = np.random.default_rng(seed)
    turn = np.linalg.qr(random.normal(size=(features, features)))[0]
    points = np.pad(datasets.swiss_roll(n, seed=seed).points, ((0, 0), (0, features - 3)))
    return (points + 0.01 * random.normal(size=points.shape)) @ turn


ROLL = rolled()
X = blobs()
TABLE = cdist(X, X)
OTHERS = TABLE + np.diag(np.full(len(X), np.inf))
INDEX = ApproximateSearch(X, X.mean(axis=0))


@pytest.mark.parametrize("count", [1, 5, 10, 40])
def test_nearly_all_neighbours_are_found(count):
    found = distances.neighbor_graph(X, count, search="approximate")
    np.testing.assert_array_equal(found.counts, count)
    # the sample of 500 asks for 0.99 and two standard errors more, so all points have it
    assert true_recall(found, OTHERS) >= RECALL
    assert found.recall >= RECALL
    # measured on a quarter of these points: three standard errors (0.002 at most) between the two
    assert abs(found.recall - true_recall(found, OTHERS)) < 0.006


def candidates(points, seed=0, width=30):
    random = np.random.default_rng(seed)
    return _Candidates(points, points.astype(np.float32), width, random)


def test_trees_and_rounds_find_ever_more():
    """Each tree and each round adds candidates, and never loses a nearer one."""
    search, shares = candidates(X), []
    for step in (search._add_tree, search._add_tree, lambda: search._visit_neighbors(15)):
        step()
        columns, lengths = search.best(11, None)
        np.testing.assert_allclose(lengths, np.take_along_axis(TABLE, columns, axis=1), rtol=1e-12)
        farthest = np.sort(OTHERS, axis=1)[:, 9:10]
        shares.append(np.mean((lengths[:, 1:] <= farthest * (1 + 1e-12)).sum(axis=1) / 10))
    assert 0.2 < shares[0] < shares[1] - 0.05
    assert shares[1] < shares[2] - 0.05


def test_a_round_looks_at_the_neighbours_of_neighbours_and_at_nothing_else():
    """Against sets of Python: what a point holds after a round was two steps away before it."""
    search = candidates(X[:1500], width=12)
    search._add_tree()
    before = np.sort(search._who & (2**30 - 1), axis=1)
    order = np.argsort(search._dist, axis=1)
    listed = np.take_along_axis(search._who, order, axis=1)[:, :6] & (2**30 - 1)
    search._visit_neighbors(6)
    after = search._who & (2**30 - 1)
    listing = [set() for _ in range(1500)]
    for q in range(1500):
        for j in listed[q]:
            listing[j].add(q)
    for q in range(1500):
        steps = set(listed[q]) | listing[q]
        near = steps.union(*(set(listed[j]) for j in steps)) | set(before[q])
        assert set(after[q]) <= near
        reached = set(listed[q]).union(*(set(listed[j]) for j in listed[q])) - {q} | set(before[q])
        table = search.table
        best = sorted(np.square(table[list(reached)] - table[q]).sum(axis=1))[:12]
        held = sorted(np.square(table[after[q]] - table[q]).sum(axis=1))
        assert np.all(np.array(held) <= np.array(best) * (1 + 1e-5))


def test_the_recall_is_the_share_of_true_neighbours_without_oneself():
    rows = np.arange(0, 2000, 4)
    truth = distances.build_index(X).nearest(X[rows], 11)
    columns, lengths = truth.neighbors.reshape(-1, 11).copy(), truth.distances.reshape(-1, 11)
    judge = _Judge(rows, truth)
    assert judge.share(columns, lengths) == (1.0, 0.0)
    worse = lengths.copy()
    worse[::2, 1:6] = 1e3  # half of the points miss five of ten
    recall, error = judge.share(columns, worse)
    assert recall == pytest.approx(0.75)
    assert error == pytest.approx(0.25 / np.sqrt(500))


def test_distances_are_exact_sorted_and_never_to_oneself():
    found = distances.neighbor_graph(X, 10, search="approximate")
    np.testing.assert_allclose(
        found.distances, TABLE[found.rows, found.neighbors], rtol=1e-13, atol=0
    )
    lengths = found.distances.reshape(-1, 10)
    assert (np.diff(lengths, axis=1) >= 0).all()
    assert (found.neighbors != found.rows).all()
    assert all(len(set(row)) == 10 for row in found.neighbors.reshape(-1, 10).tolist())


def test_an_offset_costs_nothing():
    """Codes and single precision are around the mean: where the cloud lies is no matter."""
    offset = 2.0**30  # added exactly: X is rounded to where it stays whole beside it
    rounded = np.round(X * 2**20) / 2**20
    here = distances.neighbor_graph(rounded, 10, search="approximate")
    there = distances.neighbor_graph(rounded + offset, 10, search="approximate")
    np.testing.assert_allclose(here.distances, there.distances, rtol=1e-9)
    assert there.recall >= RECALL


@pytest.mark.parametrize("scale", [1e-120, 1e-30, 1e30, 1e120])
def test_the_scale_is_no_matter(scale):
    here = distances.neighbor_graph(X[:1000], 5, search="approximate")
    there = distances.neighbor_graph(X[:1000] * scale, 5, search="approximate")
    np.testing.assert_allclose(there.distances, here.distances * scale, rtol=1e-9)


def test_a_new_point_far_beyond_all_finds_its_nearest():
    far = np.full((1, 20), 1e60)
    near = INDEX.nearest(np.concatenate([far, X[:1]]), 3)
    expected = np.sort(cdist(far, X)[0])[:3]
    np.testing.assert_allclose(near.distances[:3], expected)
    assert near.neighbors[3] == 0


def test_duplicates_keep_each_other():
    twice = np.repeat(X[:500], 4, axis=0)
    found = distances.neighbor_graph(twice, 3, search="approximate")
    assert (found.distances == 0).all()
    np.testing.assert_array_equal(found.neighbors // 4, found.rows // 4)
    assert (found.neighbors != found.rows).all()


def test_one_point_only_many_times():
    found = distances.neighbor_graph(np.ones((1100, 12)), 5, search="approximate")
    assert (found.counts == 5).all()
    assert (found.distances == 0).all()
    assert (found.neighbors != found.rows).all()


@pytest.mark.parametrize("n", [2, 40, 999])
def test_few_points_are_all_found(n):
    few = X[:n]
    found = distances.neighbor_graph(few, n - 1, search="approximate")
    assert found.recall is None
    expected = np.sort(cdist(few, few), axis=1)[:, 1:]
    np.testing.assert_allclose(found.distances.reshape(n, n - 1), expected, rtol=1e-12)


@pytest.mark.parametrize("count", [1995, 2000])
def test_nearly_all_points_can_be_asked_for(count):
    found = INDEX.nearest(X[:30], count)
    expected = np.sort(TABLE[:30], axis=1)[:, :count]
    np.testing.assert_allclose(found.distances.reshape(30, count), expected, rtol=1e-12)


@pytest.mark.parametrize("share", [0.001, 0.01, 0.1])
def test_within_a_radius_all_are_found(share):
    radius = float(np.quantile(TABLE, share))
    found = distances.neighbor_graph(X, radius=radius, search="approximate")
    assert found.n_edges == np.count_nonzero(radius >= OTHERS)
    assert found.recall is None


def test_new_points_one_by_one_or_all_at_once():
    new = blobs(2000, seed=5)
    together = INDEX.nearest(new, 7)
    assert true_recall(together, cdist(new, X)) == 1.0
    assert together.recall is None
    alone = [INDEX.nearest(new[i : i + 1], 7) for i in range(0, 2000, 97)]
    expected = together.neighbors.reshape(-1, 7)[::97]
    np.testing.assert_array_equal([row.neighbors for row in alone], expected)
    assert (INDEX.nearest(X[:20], 1).neighbors == np.arange(20)).all()


def test_a_narrowed_search_is_exact():
    some = np.arange(3, len(X), 2)
    narrowed = INDEX.among(some)
    assert isinstance(narrowed, BlockSearch)
    near = narrowed.nearest(X[:50], 4)
    expected = np.sort(TABLE[:50, some], axis=1)[:, :4]
    np.testing.assert_allclose(near.distances.reshape(50, 4), expected, atol=1e-13)


def test_where_trees_are_not_enough_the_search_is_exact_and_says_so():
    # neighbours 1e-4 apart in two clusters 1e6 apart: single precision cannot tell them apart
    split = 1e-4 * X
    split[1000:] += 1e6
    with runtime.recording() as record, pytest.warns(UserWarning, match="search was exact"):
        found = distances.neighbor_graph(split, 5, search="approximate")
    exact = distances.neighbor_graph(split, 5)
    np.testing.assert_array_equal(found.neighbors, exact.neighbors)
    assert found.recall is None
    assert record.report().stage("neighbours").facts["search"] == "brute force"
    assert "search was exact" in record.report().advice[0]


def test_many_columns_are_searched_along_few_axes():
    """Three hundred columns of noise around a bent sheet: the same neighbours as brute force."""
    random = np.random.default_rng(3)
    sheet = rolled(1500, 12)
    wide = np.hstack([sheet, 1e-3 * random.normal(size=(1500, 300))])
    found = distances.neighbor_graph(wide, 10, search="approximate")
    table = cdist(wide, wide) + np.diag(np.full(1500, np.inf))
    assert true_recall(found, table) >= RECALL
    assert found.recall == pytest.approx(true_recall(found, table), abs=0.006)


# what it is chosen for


def test_which_search_is_chosen():
    assert isinstance(distances.build_index(X, "euclidean", "approximate"), ApproximateSearch)
    assert isinstance(distances.build_index(X, "l2", "approximate"), ApproximateSearch)
    assert isinstance(distances.build_index(X), BlockSearch)
    # in few dimensions or among few points exact search is the fastest
    assert isinstance(distances.build_index(X[:999], "euclidean", "approximate"), BlockSearch)
    assert isinstance(distances.build_index(X[:, :3], "euclidean", "approximate"), TreeSearch)


def test_cosine_neighbours_are_found_approximately(tmp_path):
    """By directions: at least 0.99 of the true ones, at their true distances, and told."""
    import unspool

    random = np.random.default_rng(9)
    lengths = random.uniform(0.1, 10.0, size=(len(ROLL), 1))
    points = (ROLL + 30.0) * lengths
    found = distances.neighbor_graph(points, 10, metric="cosine", search="approximate")
    units = points / np.linalg.norm(points, axis=1, keepdims=True)
    table = cdist(units, units, "sqeuclidean") / 2  # 1 - cos, without its cancellation
    np.fill_diagonal(table, np.inf)
    assert found.search == "random trees"
    assert found.recall == pytest.approx(true_recall(found, table), abs=0.01)
    assert found.recall >= RECALL
    np.testing.assert_allclose(
        found.distances, table[found.rows, found.neighbors], rtol=1e-6, atol=1e-12
    )
    model = LaplacianEigenmaps(2, n_neighbors=10, metric="cosine", search="approximate").fit(points)
    assert model.report_.stage("neighbours").facts["recall"] >= RECALL
    unspool.save(model, tmp_path / "directions.unspool")
    loaded = unspool.load(tmp_path / "directions.unspool")
    np.testing.assert_array_equal(
        loaded.transform(points[:5] * 1.01), model.transform(points[:5] * 1.01)
    )


@pytest.mark.parametrize("metric", ["manhattan", "precomputed", lambda a, b: 1.0])
def test_other_distances_are_refused(metric):
    with pytest.raises(ValueError, match="needs dense points and Euclidean or cosine distances"):
        distances.neighbor_graph(TABLE[:50, :50], 5, metric=metric, search="approximate")
    with pytest.raises(ValueError, match="needs dense points and Euclidean or cosine distances"):
        Isomap(metric=metric, search="approximate").fit(TABLE[:50, :50])


def test_other_words_are_refused():
    with pytest.raises(ValueError, match="must be 'auto', 'exact' or 'approximate'; got 'fast'"):
        distances.neighbor_graph(X, 5, search="fast")
    with pytest.raises(ValueError, match="search must be one of 'auto', 'exact', 'approximate'"):
        LLE(search="fast").fit(X[:50])
    with pytest.raises(ValueError, match="search must be one of 'exact'"):
        KernelLLE(search="approximate").fit(X[:50])


# search="auto"


@pytest.fixture
def hurried(monkeypatch):
    """As if an exact search of 1,200 points took too long."""
    seconds = distances.exact_seconds(1200, 12)
    monkeypatch.setattr(deciding, "PATIENCE", 0.9 * seconds)


def test_by_default_all_neighbours_of_few_points_are_found(recwarn):
    model = Isomap(2, n_neighbors=10).fit(ROLL)
    assert model.search == "auto"
    assert not isinstance(model._index, ApproximateSearch)
    assert "recall" not in model.report_.stage("neighbours").facts
    assert len(recwarn) == 0


@pytest.mark.parametrize("cls", [Isomap, LLE, LaplacianEigenmaps])
def test_by_default_what_would_take_long_is_approximate_and_told(cls, hurried):
    sentence = (
        r"^the neighbours of 1,200 points of 12 columns are searched approximately: all of them "
        r"would take about less than a second, with search='exact'; the report tells the measured "
        r"recall$"
    )
    with pytest.warns(UserWarning, match=sentence) as told:
        model = cls(2, n_neighbors=10).fit(ROLL)
    assert len(told) == 1
    assert model.report_.stage("neighbours").facts["recall"] >= RECALL
    assert "searched approximately" in model.report_.advice[0]
    asked = cls(2, n_neighbors=10, search="approximate").fit(ROLL)
    np.testing.assert_array_equal(model.embedding_, asked.embedding_)
    exact = cls(2, n_neighbors=10, search="exact").fit(ROLL)
    assert "recall" not in exact.report_.stage("neighbours").facts


def test_the_number_of_cores_does_not_decide(hurried, monkeypatch):
    """The same map on any machine: processor seconds decide, and only the sentence counts cores."""
    monkeypatch.setattr(deciding, "thread_count", lambda: 64)
    with pytest.warns(UserWarning, match="searched approximately"):
        assert isinstance(distances.build_index(ROLL, search="auto"), ApproximateSearch)


def test_when_auto_is_approximate():
    rows = np.lib.stride_tricks.as_strided

    def chosen(n, columns, metric="euclidean"):
        import warnings

        points = rows(np.zeros(1), (n, columns), (0, 0))  # takes no memory
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return distances.choose_search(points, metric, "auto") == "approximate"

    assert not chosen(60_000, 784)  # MNIST: 7 s on two cores
    assert not chosen(100_000, 100)  # GloVe: 15 s
    assert chosen(200_000, 50)
    assert chosen(150_000, 784)
    assert chosen(200_000, 50, "cosine")
    assert not chosen(10**6, 10)  # a tree
    assert not chosen(10**6, 50, "manhattan")
    assert not chosen(10**6, 50, "precomputed")


def test_a_model_that_chose_by_itself_is_saved_and_loaded(hurried, tmp_path):
    import unspool

    with pytest.warns(UserWarning, match="searched approximately"):
        model = Isomap(2, n_neighbors=10).fit(ROLL)
    unspool.save(model, tmp_path / "roll.unspool")
    loaded = unspool.load(tmp_path / "roll.unspool")
    assert loaded.search == "auto"
    assert isinstance(loaded._index, ApproximateSearch)
    new = ROLL[::20] + 1e-3
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))


# methods


@pytest.mark.parametrize("cls", [Isomap, LLE, LaplacianEigenmaps])
def test_methods_report_the_recall_and_place_new_points(cls):
    model = cls(2, n_neighbors=10, search="approximate").fit(ROLL)
    facts = model.report_.stage("neighbours").facts
    assert facts["search"] == "random trees"
    assert RECALL <= facts["recall"] <= 1
    assert f"recall={facts['recall']}" in str(model.report_)
    np.testing.assert_array_equal(model.transform(ROLL[:40]), model.embedding_[:40])
    new = ROLL[:60] + 1e-3
    together = model.transform(new)
    np.testing.assert_allclose(together[7:8], model.transform(new[7:8]), rtol=1e-9, atol=1e-12)
    # a new point beside an old one lands beside its place
    spread = model.embedding_.std()
    assert np.median(np.linalg.norm(together - model.embedding_[:60], axis=1)) < 0.05 * spread


def test_the_map_is_that_of_the_exact_search():
    exact = Isomap(2, n_neighbors=10).fit(ROLL)
    near = Isomap(2, n_neighbors=10, search="approximate").fit(ROLL)
    assert "recall" not in exact.report_.stage("neighbours").facts
    np.testing.assert_allclose(near.eigenvalues_, exact.eigenvalues_, rtol=0.01)


def test_single_precision_in_single_precision_out():
    single = ROLL.astype(np.float32)
    model = Isomap(2, n_neighbors=10, search="approximate").fit(single)
    assert model.embedding_.dtype == np.float32
    double = Isomap(2, n_neighbors=10, search="approximate").fit(single.astype(float))
    scale = np.abs(double.embedding_).max()
    np.testing.assert_allclose(model.embedding_, double.embedding_, atol=1e-6 * scale)


@pytest.mark.parametrize("components", ["bridge", "separate", "largest"])
def test_connected_components(components):
    """The links between components are the shortest, whatever found the neighbours."""
    apart = np.concatenate([ROLL[:800], ROLL[800:] + 15.0])
    make = {"n_neighbors": 8, "components": components}
    with pytest.warns(UserWarning, match="connected components"):
        near = Isomap(2, search="approximate", **make).fit(apart)
    with pytest.warns(UserWarning, match="connected components"):
        exact = Isomap(2, **make).fit(apart)
    np.testing.assert_array_equal(near.component_labels_, exact.component_labels_)
    assert np.isfinite(near.transform(apart[::50] + 1e-3)).all()
    np.testing.assert_allclose(near.eigenvalues_, exact.eigenvalues_, rtol=0.02)


# the contract


def test_it_travels_as_its_fields():
    INDEX.nearest(X, 11)
    for other in (pickle.loads(pickle.dumps(INDEX)), copy.deepcopy(INDEX)):
        assert set(vars(other)) == {"points", "center", "seed"}
        mine, theirs = INDEX.nearest(X, 11), other.nearest(X, 11)
        np.testing.assert_array_equal(mine.neighbors, theirs.neighbors)
        assert mine.recall == theirs.recall


def test_a_saved_model_finds_the_same(tmp_path):
    import unspool

    model = Isomap(2, n_neighbors=10, search="approximate").fit(ROLL)
    unspool.save(model, tmp_path / "roll.unspool")
    new = ROLL[::20] + 1e-3
    loaded = unspool.load(tmp_path / "roll.unspool")
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))


def test_fits_that_share_their_work_keep_the_searches_apart():
    from unspool.runtime import share_work

    with share_work() as cache:
        for search in ("exact", "approximate", "approximate"):
            model = LLE(2, search=search).fit(ROLL)
            assert ("recall" in model.report_.stage("neighbours").facts) == (search != "exact")
        assert cache.count("neighbours") == 2


def test_the_seed_is_used():
    found = []
    for seed in (0, 0, 1):
        search = candidates(X, seed)
        search._add_tree()
        found.append(search.best(11, None)[0])
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    assert Isomap(2, search="approximate", random_state=3).fit(ROLL)._index.seed == 3


PRINT_FOUND = """
import hashlib
from tests.stages.test_approximate import X, distances
found = distances.neighbor_graph(X, 10, search="approximate")
print(hashlib.sha256(found.neighbors.tobytes() + found.distances.tobytes()).hexdigest())
"""


def test_any_number_of_threads_finds_the_same():
    def found_with(count):
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(count))}
        command = [sys.executable, "-c", PRINT_FOUND]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert found_with(1) == found_with(2)


def test_searches_in_several_threads_do_not_disturb_each_other():
    from concurrent.futures import ThreadPoolExecutor

    counts = [1, 3, 8, 20] * 3
    alone = {count: INDEX.nearest(X, count).neighbors for count in set(counts)}
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda count: INDEX.nearest(X, count).neighbors, counts))
    for count, neighbors in zip(counts, found, strict=True):
        np.testing.assert_array_equal(neighbors, alone[count])
