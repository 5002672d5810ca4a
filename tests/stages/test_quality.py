"""Scores of maps, against definitions written out as loops, SciPy and scikit-learn."""

import inspect
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial import procrustes as scipy_procrustes
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr
from sklearn.manifold import trustworthiness as sklearn_trustworthiness

from unspool import quality, runtime
from unspool.quality import score
from unspool.quality.distance_rows import WidePointRows, distance_rows
from unspool.quality.ranks import ranks


def cloud(n, width, seed=0):
    return np.random.default_rng(seed).standard_normal((n, width))


def bent(n=120, width=3, d=2, seed=0):
    """A map that is neither perfect nor random."""
    X = cloud(n, width, seed)
    return X, X[:, :d] + 0.4 * cloud(n, d, seed + 1)


def lattice():
    """Integer points, many of them twice: every kind of tie."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (26, 2)).astype(float)
    return X, rng.integers(0, 4, (26, 2)).astype(float)


# ranks, written out


def slow_ranks(table):
    n = len(table)
    answer = np.zeros((n, n), int)
    for i in range(n):
        others = sorted((table[i, j], j) for j in range(n) if j != i)
        for rank, (_, j) in enumerate(others, start=1):
            answer[i, j] = rank
    return answer


def slow_co_ranking(before, after):
    n = len(before)
    counts = np.zeros((n - 1, n - 1), int)
    for i in range(n):
        for j in range(n):
            if i != j:
                counts[before[i, j] - 1, after[i, j] - 1] += 1
    return counts


def slow_intrusion(far, near, k):
    """Mean over points of 1 - normalised sum of (rank - k) over the strangers among k nearest."""
    n = len(far)
    worst = sum(sorted((max(r - k, 0) for r in range(1, n)), reverse=True)[:k])
    per_point = [
        sum(max(far[i, j] - k, 0) for j in range(n) if 0 < near[i, j] <= k) for i in range(n)
    ]
    return 1 - np.array(per_point) / worst


SAMPLES = {"generic": bent(60), "ties and copies": lattice(), "wide": bent(40, 30, 3)}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("k", [1, 4, 12, 18])
def test_rank_scores_equal_their_definitions(name, k):
    X, Y = SAMPLES[name]
    n = len(X)
    before, after = slow_ranks(cdist(X, X)), slow_ranks(cdist(Y, Y))
    found = quality.neighborhoods(X, Y, k)
    np.testing.assert_allclose(
        found.trustworthiness.per_point, slow_intrusion(before, after, k), atol=1e-12
    )
    np.testing.assert_allclose(
        found.continuity.per_point, slow_intrusion(after, before, k), atol=1e-12
    )
    kept = [
        sum(0 < before[i, j] <= k and 0 < after[i, j] <= k for j in range(n)) / k for i in range(n)
    ]
    np.testing.assert_allclose(found.kept.per_point, kept, atol=1e-12)
    for one in (found.trustworthiness, found.continuity, found.kept, found.area):
        assert one.exact
        assert one.standard_error == 0.0
        assert one.value == pytest.approx(one.per_point.mean(), abs=1e-12)


@pytest.mark.parametrize("name", SAMPLES)
def test_co_ranking_and_its_curve_equal_their_definitions(name):
    X, Y = SAMPLES[name]
    n = len(X)
    counts = slow_co_ranking(slow_ranks(cdist(X, X)), slow_ranks(cdist(Y, Y)))
    matrix = quality.co_ranking(X, Y)
    np.testing.assert_array_equal(matrix.counts, counts)
    q_nx = np.array([counts[:k, :k].sum() / (k * n) for k in range(1, n)])
    r_nx = np.array([((n - 1) * q_nx[k - 1] - k) / (n - 1 - k) for k in range(1, n - 1)])
    np.testing.assert_allclose(matrix.q_nx, q_nx, atol=1e-12)
    np.testing.assert_allclose(matrix.r_nx, r_nx, atol=1e-12)
    np.testing.assert_allclose(quality.r_nx(X, Y), r_nx, atol=1e-12)
    weights = 1 / np.arange(1, n - 1)
    area = (r_nx * weights).sum() / weights.sum()
    assert quality.r_nx_area(X, Y).value == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@pytest.mark.parametrize("width", [4, 50])
def test_trustworthiness_and_continuity_equal_scikit_learn(d, width):
    X, Y = bent(150, width, d, seed=d)
    for k in (1, 7, 30):
        ours = quality.trustworthiness(X, Y, k).value
        assert ours == pytest.approx(sklearn_trustworthiness(X, Y, n_neighbors=k), abs=1e-12)
        back = quality.continuity(X, Y, k).value
        assert back == pytest.approx(sklearn_trustworthiness(Y, X, n_neighbors=k), abs=1e-12)


def test_ties_within_the_rounding_of_products_are_told_apart(monkeypatch):
    """Corners of a cube in two groups far apart: whole numbers, many equal, that products blur."""
    monkeypatch.setattr(sys.modules["unspool.quality.ranks"], "COUNTED", 0)
    random = np.random.default_rng(12)
    X = random.choice([-1.0, 1.0], size=(240, 800))
    X[:, 700:] = 1.0  # no two of a group differ here
    away = np.round(350.0 * random.normal(size=800))
    X += np.where(np.arange(240) % 2, 1.0, -1.0)[:, None] * away
    Y = random.normal(size=(240, 2))
    before, after = slow_ranks(cdist(X, X, "sqeuclidean")), slow_ranks(cdist(Y, Y))
    found = quality.trustworthiness(X, Y, 5)
    np.testing.assert_allclose(found.per_point, slow_intrusion(before, after, 5), atol=1e-12)


def test_the_reversed_order_is_the_worst_map():
    Y = cloud(40, 2)
    far_is_near = cdist(Y, Y).max() - cdist(Y, Y)
    np.fill_diagonal(far_is_near, 0.0)
    for k in (3, 10, 25):  # also where k exceeds n / 2 and the usual normalisation ends
        worst = quality.neighborhoods(far_is_near, Y, k, metric="precomputed")
        assert worst.trustworthiness.value == pytest.approx(0.0, abs=1e-12)
        assert worst.continuity.value == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_similarity_is_perfect_by_every_score(d):
    X = cloud(80, d, seed=d)
    turn = np.linalg.qr(cloud(d, d, seed=9))[0]
    Y = 1e-3 * X @ turn + 5.0
    found = quality.neighborhoods(X, Y)
    for one in (found.trustworthiness, found.continuity, found.kept, found.area):
        np.testing.assert_array_equal(one.per_point, 1.0)
    assert quality.stress(X, Y).value < 1e-12
    assert quality.stress(X, Y).scale == pytest.approx(1e3)
    assert quality.shepard(X, Y).value == pytest.approx(1.0, abs=1e-6)
    assert quality.residual_variance(cdist(X, X), Y)[-1] < 1e-12
    assert quality.procrustes(Y, X).value < 1e-22  # coordinates near 5 round 1e-3 to 1e-12
    assert quality.local_distortion(X, Y).per_point.max() < 1e-9


def test_a_random_map_scores_nothing_above_chance():
    X, Y = cloud(400, 3), cloud(400, 2, seed=1)
    assert abs(quality.r_nx_area(X, Y).value) < 0.02
    assert abs(quality.shepard(X, Y).value) < 0.05


# neighbours kept


@pytest.mark.parametrize(("k", "among"), [(10, None), (10, 50), (5, 20), (1, 1)])
def test_neighbors_kept_is_the_score_of_the_exercise(k, among):
    """Mohri et al. 2012, Exercise 15.6: score_10 and score_50, of |N_{i,among} and N~_{i,k}|."""
    X, Y = bent(130, 6)
    nearest_x = np.argsort(cdist(X, X), axis=1)[:, 1 : (among or k) + 1]
    nearest_y = np.argsort(cdist(Y, Y), axis=1)[:, 1 : k + 1]
    common = [len(set(a) & set(b)) for a, b in zip(nearest_x, nearest_y, strict=True)]
    found = quality.neighbors_kept(X, Y, k, among=among)
    np.testing.assert_allclose(k * found.per_point, common, atol=1e-12)
    assert k * found.value == pytest.approx(np.mean(common), abs=1e-12)


def test_neighbors_kept_from_tables_sparse_graphs_and_samples():
    X, Y = bent(90, 12)
    plain = quality.neighbors_kept(X, Y, 6)
    table = cdist(X, X)
    assert quality.neighbors_kept(table, Y, 6, metric="precomputed").value == plain.value
    kth = np.sort(table, axis=1)[:, 9:10]
    sparse = sp.csr_array(np.where(table <= kth, table, 0.0))
    assert quality.neighbors_kept(sparse, Y, 6, metric="precomputed").value == plain.value
    part = quality.neighbors_kept(X, Y, 6, sample=30)
    np.testing.assert_array_equal(part.per_point, plain.per_point[part.sample])
    with pytest.raises(ValueError, match="stored distances"):
        quality.neighbors_kept(sparse, Y, 20, metric="precomputed")


# distances


@pytest.mark.parametrize("scaling", [True, False])
def test_stress_equals_its_formula(scaling):
    X, Y = bent(70)
    given, found = pdist(X), pdist(Y)
    scale = given @ found / (found @ found) if scaling else 1.0
    raw = np.square(given - scale * found).sum()
    score_ = quality.stress(X, Y, scaling=scaling)
    assert score_.value == pytest.approx(np.sqrt(raw / (given @ given)), abs=1e-12)
    assert score_.raw == pytest.approx(raw, rel=1e-12)
    assert score_.scale == pytest.approx(scale, rel=1e-12)
    rows, mapped = cdist(X, X), scale * cdist(Y, Y)
    per_point = np.sqrt(np.square(rows - mapped).sum(axis=1) / np.square(rows).sum(axis=1))
    np.testing.assert_allclose(score_.per_point, per_point, rtol=1e-10)


def test_residual_variance_equals_corrcoef():
    X, Y = bent(60, 5, 4)
    table = cdist(X, X)
    landmarks = np.arange(3, 50, 4)
    for columns, given in ((None, table), (landmarks, table[:, landmarks])):
        curve = quality.residual_variance(given, Y, columns)
        others = Y if columns is None else Y[columns]
        for t in range(1, 5):
            mapped = cdist(Y[:, :t], others[:, :t])
            r = np.corrcoef(given.ravel(), mapped.ravel())[0, 1]
            assert curve[t - 1] == pytest.approx(1 - r**2, abs=1e-12)
            by_row = [np.corrcoef(a, b)[0, 1] for a, b in zip(given, mapped, strict=True)]
            np.testing.assert_allclose(curve.per_point[:, t - 1], 1 - np.square(by_row), atol=1e-10)
    assert list(curve.at) == [1, 2, 3, 4]
    assert curve.exact
    narrow = quality.residual_variance(table.astype(np.float32), Y)
    np.testing.assert_allclose(narrow, quality.residual_variance(table, Y), atol=1e-6)


def test_residual_variance_of_a_constant_coordinate_is_one():
    X = cloud(30, 2)
    Y = np.column_stack([np.full(30, 7.0), X])
    np.testing.assert_allclose(quality.residual_variance(cdist(X, X), Y)[0], 1.0)


def test_shepard_equals_scipy():
    X, Y = bent(50)
    data = quality.shepard(X, Y)
    np.testing.assert_allclose(data.given, pdist(X), atol=1e-12)
    np.testing.assert_allclose(data.mapped, pdist(Y), atol=1e-12)
    assert data.value == pytest.approx(spearmanr(pdist(X), pdist(Y)).statistic, abs=1e-12)
    others = np.arange(50) != 7
    row = spearmanr(cdist(X, X)[7][others], cdist(Y, Y)[7][others]).statistic
    assert data.per_point[7] == pytest.approx(row, abs=1e-12)
    fitted = data.monotone()[np.argsort(data.given)]
    assert (np.diff(fitted) >= 0).all()
    table = quality.shepard(cdist(X, X), Y, metric="precomputed", sample=20)
    np.testing.assert_allclose(table.given, pdist(X[table.sample]), atol=1e-12)
    assert not table.exact
    assert table.standard_error > 0


@pytest.mark.parametrize("d", [1, 2, 3])
def test_procrustes_equals_scipy(d):
    X, Y = bent(40, 3, d)
    truth = X[:, :d]
    expected = scipy_procrustes(truth, Y)[2]
    assert quality.disparity(Y, truth) == pytest.approx(expected, abs=1e-12)
    one = quality.procrustes(Y, truth)
    assert one.value == pytest.approx(expected, abs=1e-12)
    laid = quality.align(Y, truth)
    np.testing.assert_allclose(laid.apply(Y), laid.aligned, atol=1e-12)
    left = np.square(laid.aligned - truth).sum(axis=1)
    total = np.square(truth - truth.mean(axis=0)).sum()
    np.testing.assert_allclose(one.per_point, 40 * left / total, rtol=1e-10)


def test_explained_by_is_one_for_affine_maps_and_constants():
    X = cloud(50, 2) + 1e6
    truth = np.column_stack([X @ [1.0, 2.0] - 3.0, np.full(50, 4.0)])
    np.testing.assert_allclose(quality.explained_by(X, truth), 1.0, atol=1e-9)
    assert quality.explained_by(cloud(50, 2, 5), truth)[0] < 0.3
    assert quality.explained_by(X, truth[:, 0]).shape == (1,)


# one side of a comparison


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_wide_distances_keep_close_pairs_and_copies(offset):
    X = cloud(30, 60) + offset
    X[5] = X[4]
    X[6] = X[4] + 1e-7 * cloud(1, 60)[0]
    rows = np.array([4, 5, 6, 20])
    found = distance_rows(X).distances(rows)
    assert isinstance(distance_rows(X), WidePointRows)
    np.testing.assert_allclose(found, cdist(X[rows], X), rtol=1e-9, atol=1e-12)
    assert found[0, 5] == found[1, 4] == 0.0


def test_ranks_put_copies_after_the_point_itself_and_in_order():
    table = np.array([[0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    np.testing.assert_array_equal(
        ranks(table.__getitem__, np.array([3, 0]), 4), [[1, 2, 3, 0], [0, 1, 2, 3]]
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: rng.random((7, 400)),
        lambda rng: np.round(3.0 * rng.random((7, 400))),  # long runs of equal numbers
        lambda rng: 1.0 + 1e-12 * rng.random((7, 400)),  # equal in single precision, all of them
        lambda rng: 10.0 ** rng.uniform(-300, 300, (7, 400)),  # beyond single precision
        lambda rng: np.where(rng.random((7, 400)) < 0.3, np.inf, rng.random((7, 400))),
        lambda rng: -0.0 * np.round(rng.random((7, 400))) + (rng.random((7, 400)) > 0.5),
        lambda rng: rng.random((7, 1)),
    ],
    ids=["random", "ties", "close", "range", "infinite", "zeros", "single"],
)
def test_ranks_are_those_of_a_stable_sort(make):
    rng = np.random.default_rng(2)
    table = make(rng)
    own = rng.integers(table.shape[1], size=len(table))
    moved = table.copy()
    moved[np.arange(len(own)), own] = -1.0  # before its copies
    expected = np.argsort(np.argsort(moved, axis=1, kind="stable"), axis=1)
    np.testing.assert_array_equal(ranks(table.__getitem__, own, table.shape[1]), expected)


def test_rank_scores_name_their_options():
    for function in (quality.trustworthiness, quality.continuity, quality.r_nx, quality.r_nx_area):
        assert {"metric", "sample", "seed"} <= set(inspect.signature(function).parameters)
        with pytest.raises(TypeError):
            function(*bent(50), sampel=10)


@pytest.mark.parametrize("threads", ["1", "3"])
def test_rank_scores_do_not_depend_on_threads(threads, monkeypatch):
    X, Y = bent(700)
    whole = quality.neighborhoods(X, Y)
    monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
    again = quality.neighborhoods(X, Y)
    np.testing.assert_array_equal(whole.curve.values, again.curve.values)
    np.testing.assert_array_equal(whole.area.per_point, again.area.per_point)


def test_blocks_do_not_change_the_answer(monkeypatch):
    X, Y = bent(70)
    whole = quality.neighborhoods(X, Y), quality.stress(X, Y), quality.co_ranking(X, Y)
    monkeypatch.setattr(score, "CHUNK_BYTES", 8 * 70 * 3)
    parts = quality.neighborhoods(X, Y), quality.stress(X, Y), quality.co_ranking(X, Y)
    np.testing.assert_allclose(whole[0].area.per_point, parts[0].area.per_point, atol=1e-14)
    np.testing.assert_allclose(whole[0].curve.values, parts[0].curve.values, atol=1e-14)
    assert whole[1].value == pytest.approx(parts[1].value, rel=1e-13)
    np.testing.assert_array_equal(whole[2].counts, parts[2].counts)


# samples


def test_a_sample_is_stated_and_its_points_score_as_before():
    X, Y = bent(300)
    whole, part = quality.neighborhoods(X, Y), quality.neighborhoods(X, Y, sample=60, seed=4)
    for name in ("trustworthiness", "continuity", "kept", "area"):
        full, sampled = getattr(whole, name), getattr(part, name)
        np.testing.assert_allclose(sampled.per_point, full.per_point[sampled.sample], atol=1e-12)
        assert not sampled.exact
        assert sampled.standard_error > 0
        assert "sample of 60 of 300" in str(sampled)
    assert "all 300 points" in str(whole.kept)
    again = quality.neighborhoods(X, Y, sample=60, seed=4)
    np.testing.assert_array_equal(again.kept.sample, part.kept.sample)


SCORED = {
    "trustworthiness": quality.trustworthiness,
    "area": quality.r_nx_area,
    "stress": quality.stress,
    "shepard": quality.shepard,
}


@pytest.mark.parametrize("name", SCORED)
def test_standard_errors_are_what_they_say(name):
    """Over 40 samples the error in units of its estimate has variance near 1.

    The mean of 40 squared standard normals lies between 0.45 and 1.8 but once in a thousand.
    """
    X, Y = bent(240)
    exact = SCORED[name](X, Y, sample=240).value
    sampled = [SCORED[name](X, Y, sample=50, seed=seed) for seed in range(40)]
    squares = [((one.value - exact) / one.standard_error) ** 2 for one in sampled]
    assert 0.45 < np.mean(squares) < 1.8


def test_standard_error_of_the_residual_variance():
    X, Y = bent(240)
    table = cdist(X, X)
    exact = quality.residual_variance(table, Y).values
    sampled = [quality.residual_variance(table, Y, sample=50, seed=s) for s in range(40)]
    squares = [np.square((one.values - exact) / one.standard_errors) for one in sampled]
    assert (np.mean(squares, axis=0) < 1.8).all()
    assert (np.mean(squares, axis=0) > 0.45).all()


def test_many_points_are_sampled_without_being_asked(monkeypatch):
    monkeypatch.setattr(score, "PAIRS", 150_000)
    X, Y = bent(500)
    found = quality.neighborhoods(X, Y)
    assert len(found.kept.sample) == 300
    assert not found.kept.exact
    assert found.kept.standard_error > 0
    assert len(quality.neighborhoods(*bent(2000)).kept.sample) == score.FEWEST
    assert quality.neighborhoods(*bent(380)).kept.exact
    assert quality.neighbors_kept(X, Y).exact  # a search costs less than all pairs


# a score is a number


def test_a_score_behaves_like_its_number():
    X, Y = bent(50)
    kept = quality.neighbors_kept(X, Y)
    assert float(kept) == kept.value
    assert f"{kept:>8.3f}" == f"{kept.value:>8.3f}"
    assert f"{kept}" == str(kept)
    assert kept > 0.1
    assert kept >= kept.value
    assert kept < 1
    assert kept <= 1.0
    assert max(kept, quality.neighbors_kept(X, X)).value == 1.0
    with pytest.raises(AttributeError):
        kept.value = 2.0


def test_progress_is_told_and_work_can_be_cancelled(monkeypatch):
    X, Y = bent(100)
    monkeypatch.setattr(score, "CHUNK_BYTES", 8 * 100 * 10)
    with (
        runtime.listen(lambda event: event.done >= 50 and listener.cancel()) as listener,
        pytest.raises(runtime.Cancelled, match="ranks"),
    ):
        quality.neighborhoods(X, Y)


# wrong questions


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, Y: quality.trustworthiness(X, Y[:-1]), "20 points and Y has 19"),
        (lambda X, Y: quality.trustworthiness(X, Y, 20), "use 1 to 19"),
        (lambda X, Y: quality.trustworthiness(X, Y, 2.5), "whole number"),
        (lambda X, Y: quality.trustworthiness(X, Y, 3, sample=1), "sample"),
        (lambda X, Y: quality.trustworthiness(X, Y, 3, metric="nonsense"), "unknown metric"),
        (lambda X, Y: quality.trustworthiness(X[:2], Y[:2], 1), "at least 3"),
        (lambda X, Y: quality.stress(np.where(X > 2, np.nan, X), Y), "nan at row"),
        (lambda X, Y: quality.stress(X[:, 0], Y), "matrix"),
        (lambda X, Y: quality.stress(np.array([["a"]]), Y), "real numbers"),
        (lambda X, Y: quality.stress(np.ones((20, 2)), Y), "coincide"),
        (lambda X, Y: quality.stress(X, Y, metric="precomputed"), "table of 20 x 20"),
        (lambda X, Y: quality.stress(-cdist(X, X), Y, metric="precomputed"), "row 0"),
        (
            lambda X, Y: quality.stress(two_components(X), Y, metric="precomputed"),
            "connected components",
        ),
        (lambda X, Y: quality.residual_variance(two_components(X), Y), "connected components"),
        (lambda X, Y: quality.residual_variance(np.ones((20, 20)), Y), "equal"),
        (lambda X, Y: quality.residual_variance(cdist(X, X)[:, :5], Y), "20 x 20"),
        (lambda X, Y: quality.procrustes(Y, np.ones((20, 2))), "coincide"),
        (lambda X, Y: quality.procrustes(Y, X[:5]), "truth has 5"),
        (lambda X, Y: quality.neighbors_kept(X, Y, 3, among=20), "among=20"),
    ],
)
def test_wrong_questions_get_one_clear_error(call, message):
    X, Y = bent(20)
    X[3, 1] = 3.0
    with pytest.raises(ValueError, match=message):
        call(X, Y)


def two_components(X):
    table = cdist(X, X)
    table[:10, 10:] = table[10:, :10] = np.inf
    return table


def test_ranks_of_points_in_two_components_are_defined():
    X, Y = bent(20)
    found = quality.neighborhoods(two_components(X), Y, 5, metric="precomputed")
    assert 0 < found.trustworthiness < 1


@pytest.mark.parametrize("kind", ["normal", "offset", "whole numbers", "copies"])
def test_counted_intruders_are_those_of_the_ranks(kind):
    source = np.random.default_rng(4)
    points = source.normal(size=(1200, 40))
    if kind == "offset":
        points += 1e6
    if kind == "whole numbers":
        points = np.round(2.0 * points)  # many equal distances
    if kind == "copies":
        points[600:] = points[:600]
    places = points[:, :2] + 0.1 * source.normal(size=(1200, 2))
    counted = quality.trustworthiness(points, places, 7)
    squares = np.square(points[:, None] - points).sum(axis=2) if kind != "offset" else None
    if squares is None:
        squares = np.square((points - 1e6)[:, None] - (points - 1e6)).sum(axis=2)
    table = np.sqrt(squares)
    expected = quality.trustworthiness(table, places, 7, metric="precomputed")
    np.testing.assert_allclose(counted.per_point, expected.per_point, atol=2e-5)
    assert counted.value == pytest.approx(expected.value, abs=1e-7)
    part = quality.trustworthiness(points, places, 7, sample=300)
    np.testing.assert_array_equal(part.per_point, counted.per_point[part.sample])
    torn = quality.continuity(points, places, 7)
    expected = quality.continuity(table, places, 7, metric="precomputed")
    np.testing.assert_allclose(torn.per_point, expected.per_point, atol=2e-5)
