"""Estimates of dimension: against formulas written out, and on data whose dimension is known."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from scipy.special import digamma

from unspool import datasets, dimension, quality
from unspool.dimension import ESTIMATORS, intrinsic_dimension
from unspool.dimension.estimate import choose_scale, doubling_scales
from unspool.methods import Isomap


def sorted_distances(X):
    return np.sort(cdist(X, X), axis=1)[:, 1:]


def gaussian(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


# estimators, written out


@pytest.mark.parametrize("k", [3, 10, 25])
def test_levina_bickel_is_the_formula_of_the_paper(k):
    """Inverse of the mean over points of 1/(k-1) sum log(T_k / T_j) (MacKay & Ghahramani)."""
    X = gaussian(120, 3)
    T = sorted_distances(X)
    inverse = [np.mean([np.log(row[k - 1] / row[j]) for j in range(k - 1)]) for row in T]
    found = dimension.levina_bickel(X, k)
    assert found.value == pytest.approx(1 / np.mean(inverse), rel=1e-12)
    unbiased = (k - 2) / ((k - 1) * np.array(inverse))
    np.testing.assert_allclose(found.per_point, unbiased, rtol=1e-10)
    np.testing.assert_array_equal(found.sample, np.arange(120))


def test_two_nearest_is_the_censored_likelihood_of_the_paper():
    X = gaussian(400, 2)
    T = sorted_distances(X)
    logs = np.sort(np.log(T[:, 1] / T[:, 0]))
    kept = 360
    expected = (kept - 1) / (logs[:kept].sum() + 40 * logs[kept - 1])
    found = dimension.two_nearest(X)
    assert found.read_at == "the two nearest"
    assert found.value == pytest.approx(expected, rel=1e-12)
    second = (digamma(4) - digamma(2)) / np.log(T[:, 3] / T[:, 1]).mean()
    assert found.curve[1] == pytest.approx(second, rel=1e-12)


def test_correlation_dimension_is_a_slope_of_the_correlation_sum():
    X = gaussian(300, 2)
    found = dimension.correlation_dimension(X)
    pairs = pdist(X)
    for radius, slope in zip(found.scales, found.curve, strict=True):
        radius *= 1 + 1e-12  # the first one is the length of a pair
        inner, outer = (pairs <= radius).sum(), (pairs <= 2 * radius).sum()
        assert slope == pytest.approx(np.log2(outer / inner), rel=1e-9)


def test_local_pca_counts_directions_with_a_tenth_of_the_variance():
    X = gaussian(60, 4) * [1.0, 0.9, 0.8, 0.05]
    found = dimension.local_pca(X)
    count = int(found.scales[np.flatnonzero(found.curve == found.value)[0]])
    order = np.argsort(cdist(X, X), axis=1)[:, : count + 1]
    expected = []
    for members in order:
        variances = np.linalg.svd(X[members] - X[members].mean(axis=0), compute_uv=False) ** 2
        expected.append((variances > 0.1 * variances[0]).sum())
    np.testing.assert_array_equal(found.per_point, expected)


# the elbow and the gap


@pytest.mark.parametrize(
    ("curve", "answer"),
    [
        ([0.12854, 0.00274, 0.00231, 0.00258, 0.00257], 2),  # Izenman 2013, Figure 16.8
        ([0.11948, 0.00384, 0.00668, 0.0066], 2),  # landmarks, Izenman
        ([0.01, 0.0002, 0.0002, 0.0002], 2),  # a long strip: the second says little, but all
        ([0.0075, 0.001, 0.00093, 0.00064, 0.00068], 2),  # the same, with the noise of a graph
        ([0.55, 0.008, 0.006, 0.004], 2),  # a closed curve
        ([1e-7, 1e-9, 1e-12], 1),  # below a correlation of 0.99995 nothing counts
        ([0.5, 0.15, 0.04, 0.03, 0.025], 3),
        ([0.6, 0.3, 0.15, 0.07, 0.06, 0.055], 4),
    ],
)
def test_elbow_of_known_curves(curve, answer):
    assert dimension.elbow(curve).value == answer


def test_elbow_and_eigengap_tell_their_rivals():
    assert dimension.elbow([0.12854, 0.00274, 0.00231]).standard_error == 0.0
    assert dimension.eigengap([10.0, 9.0, 0.5, 0.4]).value == 2
    assert dimension.eigengap([10.0, 9.0, 0.5, 0.4]).standard_error == 0.0
    unsure = dimension.eigengap([8.0, 4.0, 2.1, 1.0, 0.5])
    assert unsure.standard_error == 1.5
    assert dimension.eigengap([5.0, 4.0, 0.0, -1.0]).value == 2
    assert dimension.eigengap([5.0, -1.0, -2.0]).value == 1


def test_elbow_of_a_whole_map_and_of_its_curve_agree():
    roll = datasets.swiss_roll(600, seed=2).points
    model = Isomap(6, n_neighbors=10).fit(roll)
    curve = quality.residual_variance(model.geodesics_, model.embedding_)
    of_map = dimension.elbow_of_map(model.geodesics_, model.embedding_)
    assert dimension.elbow(curve).value == of_map.value == 2
    assert of_map.standard_error == 0.0
    assert dimension.eigengap(model.eigenvalues_).value in (1, 2)  # 90 x 15: a gap after the first
    some = np.arange(0, 600, 10)
    by_landmarks = dimension.elbow_of_map(model.geodesics_[:, some], model.embedding_, some)
    assert by_landmarks.value == 2


def test_a_closed_curve_needs_two_coordinates_and_has_one_dimension():
    angle = np.linspace(0.0, 2 * np.pi, 300, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    model = Isomap(6, n_neighbors=6).fit(ring)
    assert dimension.elbow_of_map(model.geodesics_, model.embedding_).value == 2
    assert dimension.elbow_of_patches(ring).value == 1.0
    assert dimension.eigengap_of_patches(ring).value == 1.0


# known dimensions


@pytest.fixture(scope="module")
def on_rolls():
    rolls = [datasets.swiss_roll(5000, ranges=r).points for r in ("izenman", "isomap")]
    return [intrinsic_dimension(points) for points in rolls]


@pytest.mark.parametrize("method", ESTIMATORS)
def test_swiss_roll_has_two_dimensions(on_rolls, method):
    for found in on_rolls:
        assert found[method].value == pytest.approx(2.0, abs=0.2)


@pytest.fixture(scope="module")
def on_helices():
    return [intrinsic_dimension(datasets.helix(n).points) for n in (1000, 5000)]


@pytest.mark.parametrize("method", ESTIMATORS)
def test_helix_has_one_dimension(on_helices, method):
    """Its points are evenly spaced: the two nearest neighbours are equally far."""
    for found in on_helices:
        assert found[method].value == pytest.approx(1.0, abs=0.1)


def test_faces_have_two_to_six_dimensions():
    try:
        faces = datasets.real("isomap_faces_32x32")["x"]
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    found = intrinsic_dimension(faces)
    assert not found.left_out
    low, high = found.spread
    assert 2.0 <= low < found.value < high <= 6.0
    assert found.n_components in (3, 4)
    for estimate in found.estimates:
        assert 0.0 < estimate.standard_error < 1.0


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_full_dimensional_clouds(d):
    found = intrinsic_dimension(gaussian(1500, d, seed=d))
    assert not found.left_out
    assert found.n_components == d
    for estimate in found.estimates:
        assert estimate.value == pytest.approx(d, rel=0.12)


@pytest.mark.parametrize(
    ("points", "answer"),
    [
        (datasets.swiss_roll(4000, noise=0.2).points, 2),
        (datasets.swiss_roll(4000, noise=0.5).points, 2),
        (datasets.helix(4000, noise=0.05).points, 1),
    ],
    ids=["roll 0.2", "roll 0.5", "helix 0.05"],
)
def test_noise_below_the_scale_of_the_shape_is_seen_through(points, answer):
    """At the finest scale all of these fill space: the two nearest neighbours say 2.7 to 3."""
    assert dimension.two_nearest(points).curve[0] > 2.6
    found = intrinsic_dimension(points)
    assert found.value == pytest.approx(answer, abs=0.1)
    assert found.spread[1] < answer + 0.3


def test_noise_in_many_columns_is_seen_through():
    rng = np.random.default_rng(0)
    sheet = np.column_stack([10 * rng.random((1500, 2)), np.zeros((1500, 28))])
    found = intrinsic_dimension(sheet + 0.02 * rng.standard_normal(sheet.shape))
    assert found.value == pytest.approx(2.0, abs=0.15)
    assert found.spread[1] < 2.5


def test_local_dimension_tells_a_curve_from_a_sheet():
    rng = np.random.default_rng(0)
    sheet = np.column_stack([rng.random((800, 2)), np.zeros(800)])
    curve = np.column_stack([5 + rng.random(400), np.zeros((400, 2))])
    found = intrinsic_dimension(np.concatenate([sheet, curve]))
    for method in ESTIMATORS:
        estimate = found[method]
        on_curve = estimate.sample >= 800
        assert np.median(estimate.per_point[on_curve]) == pytest.approx(1.0, abs=0.15)
        assert np.median(estimate.per_point[~on_curve]) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("method", ["levina-bickel", "two-nearest", "correlation"])
def test_standard_errors_cover_the_scatter_over_samples(method):
    found = [intrinsic_dimension(gaussian(500, 2, seed=s), method) for s in range(20)]
    values = [one.value for one in found]
    stated = np.mean([one[method].standard_error for one in found])
    assert 0.5 * stated < np.std(values) < 1.5 * stated
    assert np.mean([one[method].interval[0] < 2 < one[method].interval[1] for one in found]) >= 0.8


# what must not matter


def test_copies_scale_and_offset_do_not_matter():
    roll = datasets.swiss_roll(400).points
    plain = intrinsic_dimension(roll)
    for changed in (np.concatenate([roll, roll[:300], roll[:100]]), 1e-120 * roll, 1e120 * roll):
        found = intrinsic_dimension(changed)
        for method in ESTIMATORS:
            assert found[method].value == pytest.approx(plain[method].value, rel=1e-6)
    far = intrinsic_dimension(roll + 1e6)
    assert far.value == pytest.approx(plain.value, rel=1e-3)
    copies = intrinsic_dimension(np.concatenate([roll, roll[:300]]))
    assert copies.n_points == 700
    assert copies.n_distinct == 400
    assert "300 of them copies" in str(copies)
    assert copies["levina-bickel"].sample.max() < 400


def test_tables_of_distances_say_the_same_and_local_pca_has_no_say():
    roll = datasets.swiss_roll(500).points
    plain = intrinsic_dimension(roll)
    table = intrinsic_dimension(cdist(roll, roll), metric="precomputed")
    for estimate in table.estimates:
        assert estimate.value == pytest.approx(plain[estimate.method].value, rel=1e-6)
    assert len(table.estimates) == 5
    assert "local PCA needs points" in table.left_out[0]
    twice = np.concatenate([roll, roll[:50]])
    again = intrinsic_dimension(cdist(twice, twice), metric="precomputed")
    assert again.n_distinct == 500
    assert again.value == pytest.approx(table.value, rel=1e-6)


def test_near_copies_do_not_hide_the_dimension():
    roll = datasets.swiss_roll(1500).points
    clumped = np.concatenate([roll, roll[:150] + 1e-9])
    assert dimension.two_nearest(clumped).curve[0] < 0.5
    found = intrinsic_dimension(clumped)
    assert found.value == pytest.approx(2.0, abs=0.2)
    assert found.spread[0] > 1.6


def test_a_sample_is_stated():
    points = gaussian(2000, 2)
    found = intrinsic_dimension(points, sample=300, seed=1)
    for estimate in found.estimates:
        assert not estimate.exact
        assert len(estimate.sample) == len(estimate.per_point) <= 300
    assert found["levina-bickel"].value == pytest.approx(2.0, abs=0.3)
    again = intrinsic_dimension(points, sample=300, seed=1)
    assert [e.value for e in again.estimates] == [e.value for e in found.estimates]
    assert intrinsic_dimension(points, "levina-bickel")["levina-bickel"].exact


# small, regular and hopeless data


@pytest.mark.parametrize("n", [10, 13, 25, 41, 60])
def test_few_points_give_finite_answers(n):
    found = intrinsic_dimension(np.random.default_rng(n).random((n, 2)))
    for estimate in found.estimates:
        assert 0.3 < estimate.value < 6.0
        assert np.isfinite(estimate.standard_error)
        assert np.isfinite(estimate.per_point).all()
    assert ("elbow" in "".join(found.left_out)) == (n <= 40)


def test_a_straight_line_and_one_column():
    line = np.outer(np.random.default_rng(0).random(200), [1.0, 2.0, 3.0])
    evenly = np.outer(np.arange(200.0), [1.0, 2.0, 3.0])
    column = np.random.default_rng(1).random((200, 1))
    for points in (line, evenly, column):
        found = intrinsic_dimension(points)
        assert found.value == pytest.approx(1.0, abs=0.05)
        assert found.spread[1] < 1.2


def test_points_on_a_grid():
    grid = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0)), axis=-1).reshape(-1, 2)
    found = intrinsic_dimension(grid)
    assert found.n_components == 2
    assert found.value == pytest.approx(2.0, abs=0.15)


def test_what_no_method_can_answer_is_one_error():
    equal = 1.0 - np.eye(50)
    with pytest.raises(ValueError, match="no method has an answer"):
        intrinsic_dimension(equal, metric="precomputed")
    with pytest.raises(ValueError, match="equally far"):
        intrinsic_dimension(equal, "two-nearest", metric="precomputed")


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        (np.ones((100, 3)), {}, "1 distinct points, the other 99 are copies"),
        (np.random.default_rng(0).random((9, 3)), {}, "9 distinct points; a dimension needs"),
        (np.full((20, 2), np.nan), {}, "nan at row 0, column 0"),
        (np.ones(20), {}, "matrix of numbers"),
        (np.array([["a", "b"]] * 20), {}, "matrix of numbers"),
        (gaussian(30, 2), {"method": "guess"}, "unknown method 'guess'"),
        (gaussian(30, 2), {"metric": "guess"}, "unknown metric"),
        (gaussian(30, 2), {"metric": "precomputed"}, "square table"),
        (gaussian(30, 2), {"sample": 2}, "sample"),
        (gaussian(30, 2), {"method": "elbow"}, "more than 40"),
        (gaussian(500, 40), {"method": "elbow"}, "too high for this method"),
    ],
)
def test_bad_questions_get_one_clear_error(X, options, message):
    with pytest.raises(ValueError, match=message):
        intrinsic_dimension(X, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dimension.elbow([0.1]),
        lambda: dimension.elbow([2.0, 0.1]),
        lambda: dimension.elbow([np.nan, 0.1]),
        lambda: dimension.eigengap([1.0, 2.0]),
        lambda: dimension.eigengap([-1.0, -2.0]),
        lambda: dimension.elbow_of_map(np.ones((3, 3)), np.ones((3, 1))),
        lambda: dimension.elbow_of_map(np.ones((3, 4)), np.ones((3, 2))),
        lambda: dimension.levina_bickel(gaussian(30, 2), 30),
        lambda: dimension.levina_bickel(gaussian(30, 2), 2),
    ],
)
def test_curves_and_counts_are_checked(call):
    with pytest.raises(ValueError, match=r"\w"):
        call()


# at which scale


@pytest.mark.parametrize(
    ("values", "ceiling", "chosen"),
    [
        ([2.0, 1.99, 1.9], 3, 0),  # level from the start
        ([3.6, 3.9, 4.5], 100, 0),  # rising: bends count more and more
        ([2.8, 2.4, 2.1, 2.05, 2.5], 3, 2),  # noise, until it no longer falls
        ([2.95, 2.94, 2.5, 2.02, 2.0], 3, 3),  # noise that fills the space at first
        ([2.95, 2.94, 2.9, 2.8, 2.7], 3, 0),  # fills the space, and edges of the cloud
        ([5000.0, 1.2, 1.1, 1.05, 1.03], 3, 3),  # evenly spaced
        ([1.7], 3, 0),
    ],
)
def test_the_scale_is_where_the_estimate_levels_off(values, ceiling, chosen):
    reading = choose_scale(lambda i: (values[i], 0.001), range(len(values)), ceiling)
    assert reading.index == chosen
    assert reading.value == values[chosen]


def test_near_copies_are_skipped_where_they_count():
    values = [0.2, 1.9, 1.95]
    assert choose_scale(lambda i: (values[i], 0.001), range(3), 3.0).index == 0
    assert choose_scale(lambda i: (values[i], 0.001), range(3), 3.0, near_copies=True).index == 1
    assert choose_scale(lambda i: (values[i], 0.9), range(3), 3.0, near_copies=True).index == 0


def test_noise_of_the_estimate_is_no_fall_and_coarse_scales_are_not_computed():
    looked_at = []

    def read(scale):
        looked_at.append(scale)
        return 2.0 - 0.1 * scale, 0.2

    reading = choose_scale(read, range(6), 5.0)
    assert reading.index == 0
    assert looked_at == [0, 1]
    assert reading.error == pytest.approx(np.hypot(0.2, 0.05))
    assert doubling_scales(10, 85) == [10, 20, 40, 80]
    assert doubling_scales(10, 7) == [7]


# how it reads


def test_the_answer_prints_as_a_table(on_rolls):
    lines = str(on_rolls[0]).splitlines()
    assert lines[0].startswith("intrinsic dimension 2.0, methods say") or "2.0" in lines[0]
    assert "5000 points, 3 columns" in lines[1]
    for method in ESTIMATORS:
        assert sum(line.startswith(method) for line in lines) == 1
    assert float(on_rolls[0]) == on_rolls[0].value
    assert on_rolls[0].n_components == 2
    assert "neighbours" in str(on_rolls[0]["levina-bickel"])
    with pytest.raises(KeyError, match="there are: correlation"):
        on_rolls[0]["guess"]
    with pytest.raises(AttributeError):
        on_rolls[0].estimates = ()
