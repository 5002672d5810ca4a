"""Multidimensional scaling by stress: what it recovers, what it equals, and what it refuses."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.manifold import smacof

import unspool
from tests import compare
from unspool import datasets, quality, runtime, stress
from unspool.distances import pairwise_distances
from unspool.methods import MDS, Isomap


def cloud(n=60, width=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, width)) * (1.0 + np.arange(width))


def roll_table(n=150, seed=1):
    points = datasets.swiss_roll(n, seed=seed).points
    return cdist(points, points)


def table_mds(n_components=2, **options):
    return MDS(**{"n_components": n_components, "metric": "precomputed", **options})


def driving_map():
    """Return the driving miles of 128 towns, and where the towns lie (equal-area, in miles)."""
    try:
        towns = datasets.real("us_driving_miles_128")
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    latitude, longitude = np.radians(towns["lat"]), np.radians(towns["lon"])
    middle, east = latitude.mean(), longitude - longitude.mean()
    towards = np.sin(middle) * np.sin(latitude) + np.cos(middle) * np.cos(latitude) * np.cos(east)
    across = np.cos(latitude) * np.sin(east)
    along = np.cos(middle) * np.sin(latitude) - np.sin(middle) * np.cos(latitude) * np.cos(east)
    scale = 3959.0 * np.sqrt(2.0 / (1.0 + towards))
    return towns["d"].astype(float), np.column_stack([scale * across, scale * along])


def random_gaps(n, share, seed):
    gaps = np.triu(np.random.default_rng(seed).uniform(size=(n, n)) < share, 1)
    return gaps | gaps.T


# --- what it recovers


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("start", ["classical", "landmarks"])
@pytest.mark.parametrize("ordinal", [False, True])
def test_exact_data_are_recovered(width, start, ordinal):
    points = cloud(width=width)
    fitted = MDS(width, start=start, ordinal=ordinal).fit(points)
    assert fitted.stress_ < 1e-6
    assert fitted.normalized_stress_ < 1e-6
    tolerance = 1e-2 if ordinal else 1e-9  # many maps have the same order of distances
    assert compare.up_to_motion(fitted.embedding_, points) < tolerance


def test_exact_data_are_recovered_from_afar():
    points = cloud(80)
    fitted = MDS(start="random", n_init=5, max_iter=1000).fit(points)
    assert fitted.stress_ < 1e-6
    assert compare.up_to_motion(fitted.embedding_, points) < 1e-6


@pytest.mark.parametrize("gaps", ["weights", "nan", "sparse"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_driving_map_without_a_third_of_the_distances(gaps, seed):
    miles, truth = driving_map()
    hole = random_gaps(len(miles), 0.3, seed)
    if gaps == "weights":
        fitted = table_mds(weights=1.0 - hole).fit(miles)
    elif gaps == "nan":
        fitted = table_mds().fit(np.where(hole, np.nan, miles))
    else:
        fitted = table_mds().fit(sp.coo_array(np.where(hole, 0.0, miles)))
    assert quality.disparity(fitted.embedding_, truth) < 0.03
    assert quality.disparity(fitted.embedding_, truth) < 0.005  # as the full table does


def test_a_map_of_neighbours_alone():
    points = datasets.s_curve(300, seed=2).coordinates
    table = cdist(points, points)
    known = table < np.quantile(table, 0.12)
    fitted = table_mds().fit(sp.csr_array(np.where(known, table, 0.0)))
    assert fitted.normalized_stress_ < 1e-6
    assert compare.up_to_motion(fitted.embedding_, points) < 1e-5


# --- what it equals


def test_the_stress_is_what_the_map_has():
    table = roll_table()
    fitted = table_mds().fit(table)
    upper = np.triu_indices(len(table), 1)
    distances = cdist(fitted.embedding_, fitted.embedding_)
    misses = (distances - table) ** 2
    assert fitted.stress_ == pytest.approx(misses[upper].sum(), rel=1e-12)
    np.testing.assert_allclose(fitted.stress_per_point_, misses.sum(axis=1) / 2, rtol=1e-10)
    kruskal = np.sqrt(misses.sum() / (distances**2).sum())
    assert fitted.normalized_stress_ == pytest.approx(kruskal, rel=1e-12)
    assert fitted.stress_trace_[-1] == pytest.approx(fitted.stress_, rel=1e-12)
    assert len(fitted.stress_trace_) == fitted.n_iter_ + 1
    assert (np.diff(fitted.stress_trace_) <= 0.0).all()
    np.testing.assert_array_equal(fitted.disparities_, table)
    assert not hasattr(fitted, "eigenvalues_")
    shepard = fitted.shepard()
    np.testing.assert_array_equal(shepard.dissimilarities, np.sort(table[upper]))
    assert ((shepard.distances - shepard.disparities) ** 2).sum() == pytest.approx(fitted.stress_)


def test_ordinal_stress_is_kruskals():
    table = np.round(roll_table())
    for ties in ("primary", "secondary"):
        fitted = table_mds(ordinal=True, ties=ties).fit(table)
        shepard = fitted.shepard()
        misses = ((shepard.distances - shepard.disparities) ** 2).sum()
        assert fitted.stress_ == pytest.approx(misses, rel=1e-10)
        kruskal = np.sqrt(misses / (shepard.distances**2).sum())
        assert fitted.normalized_stress_ == pytest.approx(kruskal, rel=1e-10)
        sizes = (shepard.distances**2).sum(), (shepard.dissimilarities**2).sum()
        assert sizes[0] == pytest.approx(sizes[1], rel=1e-10)  # as large as the data
        upper = np.triu_indices(len(table), 1)
        order = np.argsort(table[upper], kind="stable")
        spread = np.diff(fitted.disparities_[upper][order])
        steps = np.diff(table[upper][order])
        assert (spread[steps > 0] >= -1e-9).all() or ties == "primary"
        if ties == "secondary":
            np.testing.assert_allclose(spread[steps == 0], 0.0, atol=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
@pytest.mark.parametrize("start", ["classical", "random"])
def test_order_alone_is_easier_to_keep(seed, start):
    rng = np.random.default_rng(seed)
    table = roll_table(100, seed) * np.exp(rng.normal(0.0, 0.1, size=(100, 100)))
    table = np.sqrt(table * table.T)
    first = rng.normal(size=(100, 2)) if start == "random" else start
    metric = table_mds(start=first).fit(table)
    ordinal = table_mds(start=first, ordinal=True).fit(table)
    assert ordinal.stress_ <= metric.stress_
    assert ordinal.normalized_stress_ <= metric.normalized_stress_


def test_order_alone_does_not_see_a_monotone_change():
    table = roll_table(100)
    start = cloud(100, seed=3)
    one = table_mds(ordinal=True, start=start, tol=1e-10).fit(table)
    other = table_mds(ordinal=True, start=start, tol=1e-10).fit(table**3)
    assert one.normalized_stress_ == pytest.approx(other.normalized_stress_, rel=1e-6)
    assert quality.disparity(one.embedding_, other.embedding_) < 1e-6


@pytest.mark.parametrize("metric", [True, False])
def test_stress_is_not_above_scikit_learns(metric):
    table = roll_table(200)
    start = cloud(200, seed=4)
    theirs, _ = smacof(
        table, metric=metric, n_components=2, init=start, n_init=1, max_iter=300, eps=1e-9
    )
    objective = stress.TableStress.of(table)
    if not metric:
        objective = stress.OrdinalStress.of(
            stress.Pairs.of_table(table, np.empty((0, 0))), "primary"
        )
    ours = table_mds(start=start, ordinal=not metric).fit(table)
    assert ours.stress_ <= objective.loss_and_gradient(theirs)[0]


def test_gaps_are_the_same_however_they_are_told():
    table = roll_table(80)
    hole = random_gaps(80, 0.3, 5)
    by_nan = table_mds().fit(np.where(hole, np.nan, table))
    one_sided = np.where(np.tri(80, dtype=bool), np.nan, np.where(hole, np.nan, table))
    others = [
        table_mds(weights=np.where(hole, 0.0, 1.0)).fit(table),
        table_mds(weights=sp.csr_array(np.where(hole, 0.0, 1.0))).fit(np.where(hole, 7.0, table)),
        table_mds().fit(one_sided),
        table_mds().fit(sp.csr_array(np.triu(np.where(hole, 0.0, table)))),
    ]
    for other in others:
        np.testing.assert_allclose(other.embedding_, by_nan.embedding_, rtol=0, atol=1e-9)
    upper = np.triu(~hole, 1)
    misses = (cdist(by_nan.embedding_, by_nan.embedding_) - table)[upper]
    assert by_nan.stress_ == pytest.approx((misses**2).sum(), rel=1e-10)
    assert np.isnan(by_nan.disparities_[hole]).all()
    listed = sp.csr_array(np.where(random_gaps(80, 0.8, 5), 0.0, table))
    few, dense = table_mds().fit(listed), listed.toarray()
    dense[dense == 0.0] = np.nan
    again = table_mds().fit(dense)
    np.testing.assert_allclose(few.embedding_, again.embedding_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("ordinal", [False, True])
def test_weights_are_the_same_however_they_are_told(ordinal):
    table = roll_table(70)
    powers = table.copy()
    np.fill_diagonal(powers, 1.0)
    by_name = table_mds(weights="inverse_square", ordinal=ordinal).fit(table)
    for weights in (-2, -2.0, powers**-2.0, 3.0 * powers**-2.0):
        other = table_mds(weights=weights, ordinal=ordinal).fit(table)
        np.testing.assert_allclose(other.embedding_, by_name.embedding_, rtol=0, atol=1e-6)
        factor = 3.0 if np.ndim(weights) and weights[0, 0] == 3.0 else 1.0
        assert other.stress_ == pytest.approx(factor * by_name.stress_, rel=1e-9)
        assert other.normalized_stress_ == pytest.approx(by_name.normalized_stress_, rel=1e-9)
    distances = cdist(by_name.embedding_, by_name.embedding_)
    misses = powers**-2.0 * (distances - by_name.disparities_) ** 2
    assert by_name.stress_ == pytest.approx(np.triu(misses, 1).sum(), rel=1e-9)
    plain = table_mds(ordinal=ordinal).fit(table)
    np.testing.assert_array_equal(
        table_mds(weights=0.0, ordinal=ordinal).fit(table).embedding_, plain.embedding_
    )


def test_points_and_their_table_give_one_map():
    points = datasets.swiss_roll(120, seed=3).points
    for metric in ("euclidean", "cityblock"):
        of_points = MDS(metric=metric).fit(points)
        of_table = table_mds().fit(cdist(points, points, metric))
        # the classical starts agree to rounding, the descents to their tolerance
        assert of_points.stress_ == pytest.approx(of_table.stress_, rel=1e-6)
        assert compare.up_to_motion(of_points.embedding_, of_table.embedding_) < 1e-3


def test_single_precision_gives_the_same_map():
    points = 1e6 * datasets.swiss_roll(150, seed=3).points
    double, single = MDS().fit(points), MDS(precision="single").fit(points)
    assert single.stress_ == pytest.approx(double.stress_, rel=1e-5)
    assert compare.up_to_motion(single.embedding_, double.embedding_) < 1e-3
    for options in ({"weights": "inverse_square"}, {"ordinal": True}):
        double = MDS(**options).fit(points)
        # compared at one place: on the way to a minimum rounding may choose another one
        single = MDS(precision="single", start=double.embedding_, **options).fit(points)
        assert single.stress_trace_[0] == pytest.approx(double.stress_, rel=1e-5)
        assert single.stress_ <= double.stress_ * (1 + 1e-5)


def test_weights_and_gaps_take_hardly_more_steps():
    """A step costs the same, so this is what time is made of."""
    table = roll_table(300)
    plain = table_mds().fit(table).n_iter_
    weights = np.random.default_rng(0).uniform(size=table.shape)
    gaps = np.where(random_gaps(len(table), 0.3, 0), np.nan, table)
    assert table_mds(weights=weights + weights.T).fit(table).n_iter_ <= 1.5 * plain
    assert table_mds().fit(gaps).n_iter_ <= 1.5 * plain


def test_more_starts_are_never_worse():
    table = roll_table(60, seed=8)
    one = table_mds(1, start="random").fit(table)
    many = table_mds(1, start="random", n_init=8).fit(table)
    assert many.stress_ < one.stress_  # one coordinate: stress has many local minima
    assert table_mds(1, start="random", n_init=8).fit(table).stress_ == many.stress_
    assert table_mds(1, n_init=8).fit(table).stress_ <= table_mds(1).fit(table).stress_


def test_geodesics_by_stress_fit_better_than_isomap():
    roll = datasets.swiss_roll(250, seed=0)
    isomap = Isomap(2, n_neighbors=10).fit(roll.points)
    by_stress = table_mds().fit(isomap.geodesics_)
    objective = stress.TableStress.of(isomap.geodesics_)
    assert by_stress.stress_ < objective.loss_and_gradient(isomap.embedding_)[0]


def test_the_map_is_centred_on_its_axes():
    fitted = table_mds(start="random").fit(roll_table(90))
    np.testing.assert_allclose(fitted.embedding_.mean(axis=0), 0.0, atol=1e-10)
    covariance = fitted.embedding_.T @ fitted.embedding_
    assert covariance[0, 0] > covariance[1, 1]
    assert abs(covariance[0, 1]) < 1e-9 * covariance[0, 0]


# --- zero, ties, twins


def test_zero_is_a_dissimilarity_and_not_a_gap():
    table = cdist(cloud(30), cloud(30))
    table[4, 9] = table[9, 4] = 0.0
    together = table_mds().fit(table).embedding_
    gap = table.copy()
    gap[4, 9] = gap[9, 4] = np.nan
    apart = table_mds().fit(gap).embedding_
    distance = cdist(cloud(30), cloud(30))[4, 9]
    assert np.linalg.norm(apart[4] - apart[9]) == pytest.approx(distance, rel=1e-6)
    assert np.linalg.norm(together[4] - together[9]) < 0.99 * distance
    listed = sp.coo_array(np.triu(table, 1))
    row, column = np.append(listed.row, 4), np.append(listed.col, 9)
    stored = sp.coo_array((np.append(listed.data, 0.0), (row, column)), shape=table.shape)
    by_list = table_mds().fit(stored).embedding_
    np.testing.assert_allclose(by_list, together, rtol=0, atol=1e-9)


@pytest.mark.parametrize("ordinal", [False, True])
@pytest.mark.parametrize("weights", [None, "inverse_square"])
@pytest.mark.parametrize("start", ["classical", "random"])
def test_twins_share_a_place(ordinal, weights, start):
    points = np.array(datasets.swiss_roll(60, seed=1).points)
    points[10], points[20], points[59] = points[40], points[40], points[2]
    fitted = MDS(ordinal=ordinal, weights=weights, start=start).fit(points)
    np.testing.assert_array_equal(fitted.embedding_[[10, 20, 59]], fitted.embedding_[[40, 40, 2]])
    assert np.isfinite(fitted.embedding_).all()
    np.testing.assert_array_equal(fitted.transform(points), fitted.embedding_)


def test_points_that_all_coincide():
    fitted = MDS().fit(np.ones((5, 3)))
    assert fitted.stress_ == 0.0
    assert not fitted.embedding_.any()


def test_dissimilarities_of_no_points_still_use_all_axes():
    table = np.ones((4, 4)) - np.eye(4)
    table[0, 1:] = table[1:, 0] = 0.1  # breaks the triangle inequality
    fitted = table_mds(3).fit(table)
    assert np.isfinite(fitted.embedding_).all()
    best = min(table_mds(3, start="random", random_state=s).fit(table).stress_ for s in range(5))
    assert fitted.stress_ <= best * (1 + 1e-6)


def test_an_axis_that_a_start_leaves_empty_is_used():
    """Stress is level along it: a descent alone would never leave the line."""
    points = np.random.default_rng(0).normal(size=(20, 2))
    line = np.column_stack([points[:, 0], np.zeros(20)])
    sizes = np.linalg.svd(MDS(2, start=line).fit_transform(points), compute_uv=False)
    assert sizes[1] > 0.2 * sizes[0]


# --- new points


@pytest.mark.parametrize("options", [{}, {"weights": "inverse_square"}, {"ordinal": True}])
def test_new_points_are_placed_by_their_own_stress(options):
    points = datasets.swiss_roll(200, seed=1).points
    old, new = points[:150], points[150:]
    fitted = MDS(**options).fit(old)
    placed = fitted.transform(new)
    rows = cdist(new, old)
    by_table = table_mds(start=fitted.embedding_, **options).fit(cdist(old, old))
    one_by_one = np.vstack([fitted.transform(row[None]) for row in new])
    np.testing.assert_array_equal(placed, one_by_one)
    np.testing.assert_array_equal(placed[::-1], fitted.transform(new[::-1]))
    moved = by_table.transform(rows)
    assert quality.disparity(moved, placed) < 1e-3
    if options:
        return
    gaps = np.sort(rows, axis=1)
    alone = gaps[:, 0] > 0.1 * gaps[:, 1]  # the others are drawn to the point they are beside
    assert alone.sum() > 40
    for row, place in zip(rows[alone], placed[alone], strict=True):

        def own(y, row=row):
            return np.square(np.linalg.norm(fitted.embedding_ - y, axis=1) - row).sum()

        nudges = 1e-4 * np.vstack([np.eye(2), -np.eye(2)])
        assert all(own(place) <= own(place + nudge) for nudge in nudges)


def test_only_the_order_of_new_dissimilarities_counts():
    """Cubes of all dissimilarities lead to the same places, for new points as for fitted ones."""
    points = datasets.s_curve(130, seed=1).points[:, [0, 2]]
    old, new = cdist(points[:100], points[:100]), cdist(points[100:], points[:100])
    plain, cubed = (table_mds(ordinal=True, start=points[:100]).fit(old**power) for power in (1, 3))
    assert quality.disparity(cubed.embedding_, plain.embedding_) < 1e-3
    assert quality.disparity(cubed.transform(new**3), points[100:]) < 0.01
    assert quality.disparity(plain.transform(new), points[100:]) < 0.01


def test_known_points_keep_their_place():
    miles, _ = driving_map()
    for options in ({}, {"ordinal": True}, {"weights": "inverse_square"}):
        fitted = table_mds(**options).fit(miles)
        np.testing.assert_array_equal(fitted.transform(miles), fitted.embedding_)
        row = np.full((1, len(miles)), np.nan)
        row[0, 17], row[0, 3] = 0.0, 500.0
        np.testing.assert_array_equal(fitted.transform(row), fitted.embedding_[[17]])
    hole = random_gaps(len(miles), 0.9, 0)
    listed = sp.csr_array(np.where(hole, 0.0, miles))
    fitted = table_mds().fit(listed)
    np.testing.assert_array_equal(fitted.transform(listed), fitted.embedding_)
    np.testing.assert_array_equal(fitted.transform(row), fitted.embedding_[[17]])
    one = sp.csr_array(([0.0, 500.0], ([0, 0], [17, 3])), shape=row.shape)
    np.testing.assert_array_equal(fitted.transform(one), fitted.embedding_[[17]])


def test_gaps_in_new_rows():
    points = cloud(60)
    fitted = table_mds().fit(cdist(points[:50], points[:50]))
    rows = cdist(points[50:], points[:50])
    full = fitted.transform(rows)
    gaps = np.random.default_rng(0).uniform(size=rows.shape) < 0.6
    np.testing.assert_allclose(
        fitted.transform(np.where(gaps, np.nan, rows)), full, rtol=0, atol=1e-6
    )
    listed = sp.csr_array(np.where(gaps, 0.0, rows))
    np.testing.assert_allclose(fitted.transform(listed), full, rtol=0, atol=1e-6)
    with pytest.raises(ValueError, match="row 1 has no known dissimilarity"):
        fitted.transform(np.vstack([rows[:1], np.full((1, 50), np.nan)]))


def test_the_way_back_leads_to_the_points():
    points = datasets.s_curve(200, seed=0).points
    fitted = MDS(2).fit(points)
    np.testing.assert_allclose(fitted.inverse_transform(fitted.embedding_), points, atol=1e-9)


# --- what it promises while it works


@pytest.mark.parametrize("ordinal", [False, True])
def test_cancelling_leaves_an_unfitted_object(ordinal):
    fitted = table_mds(start="random", tol=0.0, ordinal=ordinal)

    def stop(event):
        if event.name == "stress" and event.done == 3:
            listener.cancel()

    with runtime.listen(stop) as listener, pytest.raises(unspool.Cancelled):
        fitted.fit(roll_table(60))
    assert not hasattr(fitted, "embedding_")
    with pytest.raises(Exception, match="not fitted"):
        fitted.transform(roll_table(60))


def test_steps_in_single_precision_lead_to_the_minimum_of_double_precision():
    points = datasets.swiss_roll(1100, seed=3).points
    started = MDS(2).fit(points)  # most steps in single precision
    table = pairwise_distances(points, points)
    alone = stress.TableStress.of(table)
    assert alone.rough(2) is not None
    assert alone.rough(3) is None
    assert stress.TableStress.of(table[:1000, :1000]).rough(2) is None
    loss, gradient = alone.rough(2)(started.embedding_)
    exact, slopes = alone.loss_and_gradient(started.embedding_)
    assert loss == pytest.approx(exact, rel=1e-6)
    assert np.abs(gradient - slopes).max() < 1e-4 * np.abs(2 * 1100 * started.embedding_).max()
    on = stress.minimize_stress(alone, started.embedding_, tolerance=1e-7, max_steps=3)
    assert on.loss == pytest.approx(started.stress_, rel=1e-5)
    assert started.report_.stage("stress").facts["converged"] is True
    assert (np.diff(started.stress_trace_) <= 1e-6 * started.stress_).all()


def test_too_few_steps_are_told():
    report = table_mds(start="random", max_iter=2).fit(roll_table(60)).report_
    assert report.stage("stress").facts["converged"] is False
    assert any("raise max_iter" in line for line in report.advice)


def peak_of(method, data):
    tracemalloc.start()
    method.fit(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_no_table_more_than_needed_is_made():
    points = datasets.swiss_roll(2000, seed=0).points
    table = 8 * 2000**2
    some_rows = 0.3 * table  # 256 rows and what is computed from them
    for settings in ({}, {"precision": "single"}, {"weights": -2}):
        MDS(max_iter=2, **settings).fit(points[:1100])  # compiled before memory is watched
    assert peak_of(MDS(max_iter=5), points) < table + some_rows
    assert peak_of(MDS(max_iter=5, precision="single"), points) < 0.5 * table + some_rows
    assert peak_of(MDS(max_iter=5, weights=-2), points) < 2.0 * table + some_rows
    given = pairwise_distances(points, points)
    # beside the model's own copy of it: the gram table of the classical start, or nothing
    assert peak_of(table_mds(max_iter=5), given) < 2.0 * table + some_rows
    assert peak_of(table_mds(max_iter=5, start="landmarks"), given) < 1.0 * table + some_rows


# --- what it refuses


@pytest.mark.parametrize(
    ("options", "change", "words"),
    [
        ({}, lambda t: t[:, :5], "square"),
        ({}, lambda t: -t, "Negative values in data"),
        ({}, lambda t: t + np.eye(10), "to itself must be 0"),
        ({}, lambda t: t + np.triu(t), "symmetric"),
        ({}, lambda t: np.where(np.eye(10) > 0, 0, np.inf), "infinity"),
        ({}, lambda t: 1e80 * t, "overflow; divide the data"),
        ({"weights": "squares"}, None, "inverse_square"),
        ({"weights": 99.0}, None, "no sensible power"),
        ({"weights": np.ones((3, 3))}, None, "shape"),
        ({"weights": -np.ones((10, 10))}, None, "not be negative"),
        ({"weights": np.zeros((10, 10))}, None, "weights need a scale"),
        ({"weights": np.triu(np.ones((10, 10)))}, None, "weights must be symmetric"),
        ({"start": "middle"}, None, "start must be"),
        ({"start": np.zeros((10, 2))}, None, "one place"),
        ({"start": np.zeros((9, 2))}, None, "shape"),
        ({"n_components": 10}, None, "use at most 9"),
        ({"ties": "tertiary"}, None, "ties must be one of"),
        ({"metric": "euclid"}, None, "unknown metric"),
    ],
)
def test_bad_input_is_refused_with_a_reason(options, change, words):
    table = cdist(cloud(10), cloud(10))
    with pytest.raises(ValueError, match=words):
        table_mds(**options).fit(table if change is None else change(table))


def test_components_that_know_nothing_of_each_other_are_refused():
    table = cdist(cloud(20), cloud(20))
    table[:12, 12:] = table[12:, :12] = np.nan
    with pytest.raises(ValueError, match=r"2 connected components \(sizes 12, 8\)"):
        table_mds().fit(table)
    with pytest.raises(ValueError, match="2 connected components"):
        table_mds().fit(sp.csr_array(np.nan_to_num(table)))
    lonely = cdist(cloud(20), cloud(20))
    lonely[7, :] = lonely[:, 7] = np.nan
    with pytest.raises(ValueError, match=r"2 connected components \(sizes 19, 1\)"):
        table_mds().fit(lonely)


def test_query_points_are_weighed_as_fitted_ones():
    """Where a query point is placed, the gradient of its own weighted stress vanishes."""
    random = np.random.default_rng(21)
    points, queries = random.normal(size=(40, 5)), random.normal(size=(6, 5))
    model = unspool.MDS(2, weights="inverse_square").fit(points)
    for query, place in zip(queries, model.transform(queries), strict=True):
        delta = np.linalg.norm(points - query, axis=1)
        steps = place - model.embedding_
        apart = np.linalg.norm(steps, axis=1)
        pulls = (apart - delta) / (apart * delta**2)
        assert np.linalg.norm(pulls @ steps) < 1e-6 * np.abs(pulls[:, None] * steps).sum()
