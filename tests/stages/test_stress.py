"""Stress, its gradient, monotone regression and the placing of query points, by definition."""

import numpy as np
import pytest
import scipy.optimize
from scipy.spatial.distance import cdist
from sklearn.isotonic import isotonic_regression

from unspool.stress import (
    MonotoneCurve,
    OrdinalStress,
    Pairs,
    PairStress,
    TableStress,
    fill_gaps,
    minimize_stress,
    monotone_regression,
    nearest_two,
    parallel_argsort,
    place_by_stress,
    smacof_step,
)

EMPTY = np.empty((0, 0))


def random_table(n, seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    table = np.triu(rng.uniform(0.5, 3.0, size=(n, n)), 1)
    table[rng.uniform(size=(n, n)) < missing] = np.nan
    table = np.triu(table, 1)
    table += table.T
    return table


def random_weights(n, seed=1):
    weights = np.random.default_rng(seed).uniform(0.2, 4.0, size=(n, n))
    return weights + weights.T


def stress(places, table, weights=None):
    """Raw stress as it is defined: over pairs i < j that are known."""
    known = np.triu(~np.isnan(table), 1)
    weights = np.ones_like(table) if weights is None else weights
    return (weights * (cdist(places, places) - table) ** 2)[known].sum()


def guttman(places, table, weights=None):
    """V^+ B(x) x, entry by entry."""
    n = len(table)
    weights = np.ones((n, n)) if weights is None else np.array(weights)
    weights[np.isnan(table)] = 0.0
    np.fill_diagonal(weights, 0.0)
    distances = cdist(places, places)
    ratio = np.divide(np.nan_to_num(table), distances, where=distances > 0, out=np.zeros((n, n)))
    b = -weights * ratio
    v = -weights
    np.fill_diagonal(b, -b.sum(axis=1))
    np.fill_diagonal(v, -v.sum(axis=1))
    return np.linalg.pinv(v, rcond=1e-10, hermitian=True) @ b @ places


def numeric_gradient(function, places):
    def flat(x):
        return function(x.reshape(places.shape))

    return scipy.optimize.approx_fprime(places.ravel(), flat, 1e-7).reshape(places.shape)


VARIANTS = {
    "plain": (0.0, False),
    "weighted": (0.0, True),
    "with gaps": (0.3, False),
    "weighted with gaps": (0.3, True),
}


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_gradient_is_that_of_stress(variant, width):
    missing, weighted = VARIANTS[variant]
    table = random_table(23, missing=missing)
    weights = random_weights(23) if weighted else None
    places = np.random.default_rng(5).normal(size=(23, width))
    places[3] = places[7]  # two points in one place pull each other nowhere
    table[3, 7] = table[7, 3] = 0.0
    full = TableStress.of(table, weights)
    loss, gradient = full.loss_and_gradient(places)
    assert loss == pytest.approx(stress(places, table, weights), rel=1e-13)
    expected = numeric_gradient(lambda x: stress(x, table, weights), places)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
    listed = PairStress.of(Pairs.of_table(table, EMPTY if weights is None else weights))
    pair_loss, pair_gradient = listed.loss_and_gradient(places)
    assert pair_loss == pytest.approx(loss, rel=1e-13)
    np.testing.assert_allclose(pair_gradient, gradient, rtol=0, atol=1e-11)
    np.testing.assert_allclose(listed.curvature, full.curvature, rtol=1e-13)
    assert listed.total == pytest.approx(full.total, rel=1e-13)
    fit, pair_fit = full.fit(places), listed.fit(places)
    np.testing.assert_allclose(pair_fit.stress_per_point, fit.stress_per_point, rtol=1e-12)
    assert fit.stress_per_point.sum() == pytest.approx(loss, rel=1e-13)
    assert fit.squared_distances == pytest.approx(pair_fit.squared_distances, rel=1e-12)
    np.testing.assert_allclose(listed.rescale(places), full.rescale(places), rtol=1e-11)


def test_single_precision_keeps_six_digits():
    table, places = random_table(300), np.random.default_rng(2).normal(size=(300, 2))
    loss, gradient = TableStress.of(table).loss_and_gradient(places)
    single_loss, single_gradient = TableStress.of(table.astype(np.float32)).loss_and_gradient(
        places
    )
    assert single_loss == pytest.approx(loss, rel=1e-6)
    assert np.abs(single_gradient - gradient).max() < 1e-5 * np.abs(gradient).max()


def test_the_best_scale_is_a_minimum():
    table, places = random_table(20), np.random.default_rng(2).normal(size=(20, 2))
    objective = TableStress.of(table)
    scaled = objective.rescale(places)
    loss = objective.loss_and_gradient(scaled)[0]
    assert loss < objective.loss_and_gradient(1.001 * scaled)[0]
    assert loss < objective.loss_and_gradient(0.999 * scaled)[0]
    assert objective.fit(places).squared_distances == pytest.approx(
        np.square(cdist(places, places)).sum() / 2, rel=1e-12
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_smacof_step_is_the_guttman_transform(variant):
    missing, weighted = VARIANTS[variant]
    table = random_table(40, seed=3, missing=missing)
    weights = random_weights(40) if weighted else None
    places = np.random.default_rng(4).normal(size=(40, 2))
    step = smacof_step(places, table, weights)
    np.testing.assert_allclose(step, guttman(places, table, weights), rtol=0, atol=1e-12)


@pytest.mark.parametrize("variant", VARIANTS)
def test_stress_never_increases(variant):
    missing, weighted = VARIANTS[variant]
    table = random_table(40, seed=3, missing=missing)
    weights = random_weights(40) if weighted else None
    start = np.random.default_rng(4).normal(size=(40, 2))
    majorized, places = [stress(start, table, weights)], start
    for _ in range(60):
        places = smacof_step(places, table, weights)
        majorized.append(stress(places, table, weights))
    assert (np.diff(majorized) <= 1e-12 * majorized[0]).all()
    run = minimize_stress(TableStress.of(table, weights), places, tolerance=1e-9, max_steps=500)
    assert (np.diff(run.losses) <= 0.0).all()
    assert run.converged
    assert run.loss <= majorized[-1]
    assert run.loss == pytest.approx(stress(run.state, table, weights), rel=1e-12)


def test_descent_needs_fewer_steps_than_majorization():
    table = random_table(60, seed=7)
    start = np.random.default_rng(4).normal(size=(60, 2))
    objective = TableStress.of(table)
    run = minimize_stress(objective, start, tolerance=0.0, max_steps=60)
    places = objective.rescale(start)
    for _ in range(120):
        places = smacof_step(places, table)
    assert run.loss < stress(places, table)


def steps(n, rng):
    """Return runs of equal values, longer and shorter than what is taken together at first."""
    return np.round(np.cumsum(rng.normal(size=n)) + 0.02 * np.arange(n), 1)


def rising(n, rng):
    return np.sort(rng.normal(size=n))


def falling(n, rng):
    return -rising(n, rng)


def noisy(n, rng):
    return np.linspace(0.0, 1.0, n) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("shape", [steps, rising, falling, noisy])
@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 20_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_monotone_regression_is_isotonic_regression(n, weighted, shape):
    rng = np.random.default_rng(n)
    values = shape(n, rng)
    weights = rng.uniform(0.1, 5.0, size=n) if weighted else None
    fitted = monotone_regression(values, weights)
    expected = isotonic_regression(values, sample_weight=weights)
    np.testing.assert_allclose(fitted, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(monotone_regression(fitted, weights), fitted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 1000])
def test_halves_are_merged_in_order(n):
    values = np.round(np.random.default_rng(n).normal(size=n), 1)
    order = parallel_argsort(values)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))
    np.testing.assert_array_equal(values[order], np.sort(values))


def ordered(table, ties, weights=EMPTY):
    return OrdinalStress.of(Pairs.of_table(table, weights), ties)


@pytest.mark.parametrize("weighted", [False, True])
def test_ties_are_treated_as_kruskal_says(weighted):
    table = np.round(2.0 * random_table(30, seed=9)) / 2.0
    weights = random_weights(30) if weighted else EMPTY
    places = np.random.default_rng(1).normal(size=(30, 2))
    primary, secondary = (ordered(table, ties, weights) for ties in ("primary", "secondary"))
    pairs = primary.pairs
    distances = pairs.distances(places)
    heavy = pairs.weights if weighted else np.ones(len(distances))

    order = np.lexsort((distances, pairs.dissimilarities))
    expected = np.empty_like(distances)
    expected[order] = isotonic_regression(distances[order], sample_weight=heavy[order])
    np.testing.assert_allclose(
        primary.monotone_disparities(distances), expected, rtol=0, atol=1e-12
    )

    levels, number = np.unique(pairs.dissimilarities, return_inverse=True)
    masses = np.bincount(number, heavy)
    means = np.bincount(number, heavy * distances) / masses
    expected = isotonic_regression(means, sample_weight=masses)[number]
    np.testing.assert_allclose(
        secondary.monotone_disparities(distances), expected, rtol=0, atol=1e-12
    )
    assert len(levels) < 10
    assert primary.loss_and_gradient(places)[0] < secondary.loss_and_gradient(places)[0]


@pytest.mark.parametrize("ties", ["primary", "secondary"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gradient_of_ordinal_stress(ties, weighted):
    table = np.round(3.0 * random_table(15, seed=2, missing=0.1)) / 3.0
    objective = ordered(table, ties, random_weights(15) if weighted else EMPTY)
    places = np.random.default_rng(3).normal(size=(15, 2))
    loss, gradient = objective.loss_and_gradient(places)
    expected = numeric_gradient(lambda x: objective.loss_and_gradient(x)[0], places)
    np.testing.assert_allclose(gradient, expected, rtol=0, atol=1e-4 * np.abs(expected).max())
    assert objective.loss_and_gradient(7.0 * places)[0] == pytest.approx(
        loss, rel=1e-12
    )  # size is free
    distances = objective.pairs.distances(places)
    misses = distances - objective.monotone_disparities(distances)
    weighted_sum = objective.pairs.weighted_sum
    share = weighted_sum(misses, misses) / weighted_sum(distances, distances)
    assert loss == pytest.approx(share * objective.total, rel=1e-12)
    fit = objective.fit(places)
    assert fit.squared_distances == pytest.approx(objective.total, rel=1e-12)
    assert fit.stress_per_point.sum() == pytest.approx(loss, rel=1e-12)


def test_points_in_one_place_have_the_stress_of_all_dissimilarities():
    objective = ordered(random_table(6), "primary")
    loss, gradient = objective.loss_and_gradient(np.zeros((6, 2)))
    assert loss == objective.total
    assert not gradient.any()


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_new_points_with_exact_distances_go_where_they_are(width):
    rng = np.random.default_rng(width)
    fixed, new = rng.normal(size=(50, width)), 1.5 * rng.normal(size=(30, width))
    rows = cdist(new, fixed)
    rows[rng.uniform(size=rows.shape) < 0.5] = np.nan
    np.testing.assert_allclose(
        place_by_stress(rows, np.ones_like(rows), fixed), new, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("width", [1, 2, 3])
def test_new_points_find_the_least_stress(width):
    rng = np.random.default_rng(width)
    fixed = rng.normal(size=(40, width))
    rows = cdist(rng.normal(size=(15, width)), fixed) * rng.uniform(0.6, 1.5, size=(15, 40))
    weights = rng.uniform(0.1, 3.0, size=rows.shape)
    placed = place_by_stress(rows, weights, fixed)
    for row, weight, place in zip(rows, weights, placed, strict=True):

        def own(y, row=row, weight=weight):
            return (weight * (np.linalg.norm(fixed - y, axis=1) - row) ** 2).sum()

        tries = [scipy.optimize.minimize(own, start).fun for start in rng.normal(size=(8, width))]
        assert 0.9 * own(place) <= min(tries) * (1 + 1e-9)
        nudges = 1e-5 * np.vstack([np.eye(width), -np.eye(width)])
        assert all(own(place) <= own(place + nudge) for nudge in nudges)


@pytest.mark.parametrize("width", [1, 2, 3])
def test_new_points_are_found_wherever_they_are(width):
    """Few points have many local minima; where all distances can be met, they are."""
    rng = np.random.default_rng(width)
    fixed, true = rng.normal(size=(width + 3, width)), 2.0 * rng.normal(size=(300, width))
    rows = cdist(true, fixed)
    np.testing.assert_allclose(place_by_stress(rows, np.ones_like(rows), fixed), true, atol=1e-6)


@pytest.mark.parametrize("power", [0.0, -2.0])
def test_rounding_of_the_map_moves_a_query_point_by_no_more(power):
    rng = np.random.default_rng(4)
    points, queries = rng.normal(size=(400, 5)), rng.normal(size=(100, 5))
    rows = np.linalg.norm(queries[:, None] - points, axis=2)
    fixed = 1.2 * points[:, :2]
    rounded = fixed * (1.0 + 1e-15 * rng.normal(size=fixed.shape))
    places = place_by_stress(rows, rows**power, fixed)
    again = place_by_stress(rows, rows**power, rounded)
    np.testing.assert_allclose(again, places, rtol=0, atol=1e-12 * np.abs(fixed).max())


def test_gaps_are_filled_by_the_shortest_detour():
    table = random_table(30, seed=4, missing=0.4)
    relays = np.array([3, 11, 17, 20, 25])
    filled = fill_gaps(table, table[:, relays], table[relays])
    ways = table[:, relays, None] + table[None, relays, :]
    shortest = np.where(np.isnan(ways), np.inf, ways).min(axis=1)
    np.testing.assert_array_equal(filled, np.where(np.isnan(table), shortest, table))


def test_disparities_of_new_dissimilarities_follow_the_curve():
    curve = MonotoneCurve.of(
        np.array([1.0, 1.0, 2.0, 3.0, 3.0, 4.0]), np.array([0.5, 1.5, 2.0, 2.0, 2.0, 5.0])
    )
    asked = np.array([0.0, 0.5, 1.0, 1.5, 2.5, 3.5, 4.0, 8.0, np.nan])
    expected = [0.0, 0.5, 1.0, 1.5, 2.0, 3.5, 5.0, 10.0, np.nan]
    np.testing.assert_allclose(curve(asked), expected, rtol=0, atol=1e-15)


def test_threads_do_not_change_a_digit(monkeypatch):
    table, places = random_table(300), np.random.default_rng(2).normal(size=(300, 2))
    answers = []
    for threads in (1, 2, 5):
        monkeypatch.setenv("NUMBA_NUM_THREADS", str(threads))
        answers.append(
            (
                TableStress.of(table).loss_and_gradient(places),
                ordered(table, "primary").loss_and_gradient(places),
                ordered(table, "secondary").loss_and_gradient(places),
            )
        )
    for others in answers[1:]:
        for one, two in zip(answers[0], others, strict=True):
            assert one[0] == two[0]
            np.testing.assert_array_equal(one[1], two[1])


def test_unknown_pairs_have_no_curvature():
    """What the first step assumes: the weights of the known pairs of each point, n / (n - 1)."""
    table, weights = random_table(12, missing=0.3), random_weights(12)
    known = ~np.isnan(table)
    np.fill_diagonal(known, False)
    for given, used in ((None, np.ones((12, 12))), (weights, weights)):
        expected = np.where(known, used, 0.0).sum(axis=1) * 12 / 11
        found = TableStress.of(table, given).curvature
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_two_nearest_of_rows_with_ties_and_gaps():
    rng = np.random.default_rng(0)
    for n_columns in (1, 2, 3, 8):
        rows = rng.integers(0, 4, (200, n_columns)).astype(float)
        rows[rng.random(rows.shape) < 0.3] = np.nan
        expected = np.argsort(rows, axis=1, kind="stable")[:, :2]
        assert np.array_equal(nearest_two(rows), expected)
