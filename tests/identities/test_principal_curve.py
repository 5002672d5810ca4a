"""Principal curves against closed forms, brute force, and SciPy's smoothing spline."""

import itertools
import time

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import brentq
from scipy.special import ellipe
from sklearn.utils.estimator_checks import check_estimator

from unspool import datasets, runtime
from unspool.methods import PrincipalCurve
from unspool.principal import Curve, polygon, smoother, smoothing_spline
from unspool.runtime import Cancelled

SMOOTHERS = ("spline", "lowess", "kernel")


def quadratic(n=100, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    return np.column_stack([x, x**2 + noise * rng.standard_normal(n)])


def ring(n=500, noise=0.1, seed=0):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1 + noise * rng.standard_normal(n)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def walked(vertices, foot):
    """Arc lengths from the first corner at which the polygon passes through ``foot``."""
    found, so_far = [], 0.0
    for a, b in itertools.pairwise(vertices):
        detour = np.linalg.norm(foot - a) + np.linalg.norm(b - foot) - np.linalg.norm(b - a)
        if detour < 1e-13:
            found.append(so_far + np.linalg.norm(foot - a))
        so_far += np.linalg.norm(b - a)
    return np.array(found)


# --- the polygon ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("closed", [False, True])
def test_projection_is_the_nearest_of_all_segments(width, closed):
    rng = np.random.default_rng(width)
    path = polygon(rng.standard_normal((57, width)), closed)
    points = 2 * rng.standard_normal((80, width))
    found = path.project(points)
    a, b = path.vertices[:-1], path.vertices[1:]
    share = ((points[:, None] - a) * (b - a)).sum(2) / ((b - a) ** 2).sum(1)
    feet = a + np.clip(share, 0, 1)[:, :, None] * (b - a)
    distances = np.linalg.norm(points[:, None] - feet, axis=2)
    assert np.allclose(np.sqrt(found.squared_distances), distances.min(axis=1), rtol=0, atol=1e-14)
    assert np.allclose(path.at(found.arc_lengths), found.feet, rtol=0, atol=1e-13)


def test_of_equally_near_feet_the_largest_arc_length_wins():
    bracket = polygon(np.array([[0.0, 1], [2, 1], [2, -1], [0, -1]]))
    assert (
        bracket.project(np.array([[0.5, 0.0]])).arc_lengths[0] == 5.5
    )  # not 0.5: Izenman 2013, eq. 16.5
    angle = np.arange(40) * 2 * np.pi / 40
    circle = polygon(np.column_stack([np.cos(angle), np.sin(angle)]), closed=True)
    side = circle.length / 40
    assert circle.project(np.zeros((1, 2))).arc_lengths[0] > circle.length - side


def test_closed_polygon_goes_around():
    square = polygon(np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), closed=True)
    assert square.length == 4.0
    assert np.allclose(square.at(np.array([4.25, -0.5])), [[0.25, 0], [0, 0.5]])
    assert square.project(np.array([[-0.1, 0.0]])).arc_lengths[0] == 0.0


# --- curves and curvature (Izenman 2013, 16.3.1) ----------------------------------------------


def test_circle_has_unit_speed_and_curvature_one():
    angle = np.linspace(0, 2 * np.pi, 201)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    points[-1] = points[0]
    circle = Curve.through(angle, points, closed=True)
    at = np.linspace(-7, 7, 50)
    assert np.allclose(circle.speed(at), 1, atol=1e-7)
    assert np.allclose(circle.curvature(at), 1, atol=1e-3)  # error h^2 / 12 of a second derivative
    assert np.allclose(circle.center_of_curvature(at), 0, atol=1e-3)
    assert np.allclose(circle.at(at), circle.at(at + 2 * np.pi), atol=1e-14)
    assert circle.is_unit_speed()
    assert circle.is_regular()
    assert abs(circle.length() - 2 * np.pi) < 1e-7


def test_line_has_no_curvature_and_no_centre():
    line = Curve.through(np.arange(5.0), np.outer(np.arange(5.0), [3.0, 4.0]))
    assert np.allclose(line.speed(np.array([0.5, 3.9])), 5)
    assert np.allclose(line.curvature(np.array([0.5, 3.9])), 0, atol=1e-14)
    assert not line.is_unit_speed()
    assert line.by_arc_length().is_unit_speed(1e-12)


def test_curvature_does_not_depend_on_the_speed():
    t = np.linspace(-1, 1, 401)
    parabola = Curve.through(t, np.column_stack([t, t**2]))
    at = np.linspace(-0.9, 0.9, 7)
    assert np.allclose(parabola.curvature(at), 2 / (1 + 4 * at**2) ** 1.5, rtol=1e-4)
    assert np.allclose(parabola.speed(at), np.sqrt(1 + 4 * at**2), rtol=1e-6)


def test_length_of_an_ellipse():
    t = np.linspace(0, 2 * np.pi, 401)
    points = np.column_stack([3 * np.cos(t), np.sin(t)])
    points[-1] = points[0]
    ellipse = Curve.through(t, points, closed=True)
    exact = 4 * 3 * ellipe(1 - 1 / 9)
    assert abs(ellipse.length() - exact) < 1e-6
    unit = ellipse.by_arc_length()
    assert unit.is_unit_speed(1e-4)
    assert abs(unit.stop - exact) < 1e-6


# --- smoothers --------------------------------------------------------------------------------


def hat_matrix(places, freedom, period=None):
    n = len(places)
    return smoothing_spline(places, np.eye(n), np.ones(n), places, freedom, period)


def test_spline_has_the_degrees_of_freedom_asked_for():
    places = np.sort(np.random.default_rng(0).uniform(0, 7, 80))
    for freedom in (3.0, 5.0, 12.5):
        hat = hat_matrix(places, freedom)
        assert abs(np.trace(hat) - freedom) < 1e-6
        assert np.allclose(hat, hat.T, atol=1e-8)
        assert np.allclose(hat @ places, places, atol=1e-12)


def test_spline_is_scipys_smoothing_spline():
    rng = np.random.default_rng(1)
    places = np.sort(rng.uniform(0, 1, 120))
    values = np.sin(7 * places) + 0.2 * rng.standard_normal(120)
    weights = rng.uniform(0.5, 2, 120)
    for freedom in (6.0,):
        ours = smoothing_spline(places, values[:, None], weights, places, freedom)[:, 0]

        def gap(exponent, freedom=freedom):
            columns = [
                make_smoothing_spline(places, e, w=weights, lam=10**exponent)(places)
                for e in np.eye(120)
            ]
            return np.trace(columns) - freedom

        exponent = brentq(gap, -9, 1, xtol=1e-6)
        theirs = make_smoothing_spline(places, values, w=weights, lam=10**exponent)(places)
        # fewer knots than points: the difference is a hundredth of what smoothing does
        assert np.abs(ours - theirs).max() < 0.01 * np.abs(theirs - values).max()


def test_periodic_spline_damps_waves_and_turns_nothing():
    n = 64
    places = np.arange(n) / n * 5.0
    hat = hat_matrix(places, 7.0, period=5.0)
    assert abs(np.trace(hat) - 7) < 1e-6
    for k in (0, 1, 2):
        wave = np.cos(2 * np.pi * k * places / 5.0)
        damped = hat @ wave
        factor = damped @ wave / (wave @ wave)
        assert 0.5 < factor <= 1 + 1e-12
        assert np.allclose(damped, factor * wave, atol=2e-3)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(("kind", "degree"), [("lowess", 1), ("kernel", 0)])
def test_local_smoothers_are_weighted_least_squares(kind, degree, closed):
    rng = np.random.default_rng(2)
    places = np.sort(rng.uniform(0, 1, 60))
    values, weights = rng.standard_normal((60, 3)), rng.uniform(0.1, 1, 60)
    period = 1.1 if closed else None
    ours = smoother(kind, 0.3, False)(places, values, weights, places, period)
    turns = (-1.1, 0.0, 1.1) if closed else (0.0,)
    around = np.concatenate([places + turn for turn in turns])
    for i, node in enumerate(places):
        near = np.argsort(np.abs(around - node), kind="stable")[:18]
        offset = np.abs(around[near] - node)
        tricube = (1 - (offset / (1.001 * offset.max())) ** 3) ** 3
        root = np.sqrt(tricube * weights[near % 60])[:, None]
        design = np.vander(around[near] - node, degree + 1, increasing=True)
        fit = np.linalg.lstsq(root * design, root * values[near % 60], rcond=None)[0]
        assert np.allclose(ours[i], fit[0], atol=1e-10)


# --- the method -------------------------------------------------------------------------------


def test_quadratic_of_the_text():
    """Izenman 2013, figure 16.3: from 10.2 (printed as n times that) to 0.54 in five iterations."""
    starts, ends = [], []
    for seed in range(20):
        curve = PrincipalCurve().fit(quadratic(seed=seed))
        assert curve.n_iter_ <= 8
        starts.append(curve.distances_.sums[0])
        ends.append(curve.distances_.sums.min())
        assert np.allclose(curve.distances_.means, curve.distances_.sums / 100)
        assert curve.distances_.legacy[0] == 100 * curve.distances_.sums[0]
        assert np.array_equal(curve.distances_.legacy[1:], curve.distances_.sums[1:])
    assert abs(np.mean(starts) - 9.57) < 1.0  # 1.14 is the deviation of one draw
    assert abs(np.mean(ends) - 0.5) < 0.08


@pytest.mark.parametrize("kind", SMOOTHERS)
def test_closed_circle_is_unbiased_with_correction_only(kind):
    points = ring()
    radius = {}
    for corrected in (False, True):
        curve = PrincipalCurve(closed=True, smoother=kind, bias_correction=corrected).fit(points)
        radius[corrected] = np.linalg.norm(curve.inverse_transform(curve.embedding_), axis=1).mean()
        assert abs(curve.curve().speed(np.linspace(0, 6, 50)).mean() - 1) < 0.02
    assert abs(radius[True] - 1) < 0.02
    assert radius[False] < 0.97


@pytest.mark.parametrize("kind", SMOOTHERS)
def test_open_bend_is_less_biased_with_correction(kind):
    points = quadratic(400, 0.05)
    truth = np.linspace(-0.9, 0.9, 200)
    truth = np.column_stack([truth, truth**2])
    errors = []
    for corrected in (False, True):
        curve = PrincipalCurve(smoother=kind, bias_correction=corrected).fit(points)
        errors.append(np.abs(curve.inverse_transform(curve.transform(truth)) - truth).max())
    assert errors[1] < 0.7 * errors[0]


@pytest.mark.parametrize("kind", SMOOTHERS)
@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_line_stays_a_line(kind, width):
    along = np.sort(np.random.default_rng(3).uniform(0, 5, 40))
    direction = np.arange(1.0, width + 1) / np.linalg.norm(np.arange(1.0, width + 1))
    curve = PrincipalCurve(smoother=kind).fit(7 + along[:, None] * direction)
    expected = along - along[0]
    found = curve.embedding_[:, 0]
    if abs(found - expected).max() > 1:
        found = curve.length_ - found  # the other end came first
    assert np.allclose(found, expected, atol=1e-10)
    assert np.allclose(curve.curvature(), 0, atol=1e-8)
    assert np.allclose(curve.speed(), 1, atol=1e-10)


@pytest.mark.parametrize("kind", SMOOTHERS)
@pytest.mark.parametrize("closed", [False, True])
def test_lambda_is_arc_length_and_projection_is_idempotent(kind, closed):
    points = ring(60) if closed else quadratic(60)
    curve = PrincipalCurve(smoother=kind, closed=closed).fit(points)
    feet = curve.inverse_transform(curve.embedding_)
    for place, foot in zip(curve.embedding_[:, 0], feet, strict=True):
        assert np.abs(walked(curve.vertices_, foot) - place).min() < 1e-10
    assert np.abs(curve.transform(feet) - curve.embedding_).max() < 1e-10
    assert np.allclose(curve.inverse_transform(curve.transform(feet)), feet, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_known_points_keep_their_place_and_rows_are_independent(dtype):
    points = quadratic(80).astype(dtype)
    curve = PrincipalCurve(robust=True).fit(points)
    assert curve.embedding_.dtype == dtype
    assert np.array_equal(curve.transform(points), curve.embedding_)
    one_by_one = np.vstack([curve.transform(row[None]) for row in points])
    assert np.array_equal(one_by_one, curve.embedding_)


def test_new_points_beyond_the_ends_stay_on_the_curve():
    curve = PrincipalCurve().fit(quadratic())
    ends = curve.transform(np.array([[-30.0, 30.0], [30.0, 30.0]]))
    assert np.allclose(np.sort(ends[:, 0]), [0, curve.length_], atol=1e-12)


def test_closed_places_wrap():
    curve = PrincipalCurve(closed=True).fit(ring())
    assert np.allclose(
        curve.inverse_transform([[0.3], [curve.length_ + 0.3]])[0],
        curve.inverse_transform([[curve.length_ + 0.3], [0.3]])[0],
        atol=1e-12,
    )
    assert 0 <= curve.embedding_.min() < curve.embedding_.max() < curve.length_
    assert np.array_equal(curve.vertices_[0], curve.vertices_[-1])


@pytest.mark.parametrize("kind", SMOOTHERS)
def test_outliers_hardly_move_the_robust_curve(kind):
    clean = quadratic(400, 0.05)
    wild = np.random.default_rng(5).uniform(-3, 3, (44, 2))
    truth = np.linspace(-1, 1, 300)
    truth = np.column_stack([truth, truth**2])

    def error(points, robust):
        curve = PrincipalCurve(smoother=kind, robust=robust).fit(points)
        return np.sqrt(np.square(curve.inverse_transform(curve.transform(truth)) - truth).mean())

    spoiled = np.vstack([clean, wild])
    assert error(spoiled, True) < 2 * error(clean, False)
    if kind == "spline":
        assert error(spoiled, False) > 4 * error(clean, False)


def test_weights_tell_the_outliers():
    points = np.vstack([quadratic(400, 0.05), [[0.0, 5.0], [3.0, -3.0]]])
    curve = PrincipalCurve(robust=True).fit(points)
    assert (curve.weights_[-2:] == 0).all()
    assert np.mean(curve.weights_[:-2] > 0.5) > 0.95
    assert (PrincipalCurve().fit(points).weights_ == 1).all()
    assert curve.distances_.n_counted == 302


def test_curve_is_self_consistent():
    """Izenman 2013, eq. 16.7: what projects to a stretch has its mean there, up to its error."""
    n, noise, bins = 2000, 0.05, 10
    points = quadratic(n, noise)
    fitted = PrincipalCurve(bias_correction=True, span=0.3).fit(points)
    error_of_a_mean = noise / np.sqrt(n / bins)
    assert fitted.self_consistency(bins).max() < 3 * error_of_a_mean
    straight = polygon(np.array([[-1.0, 1 / 3], [1, 1 / 3]])).project(points)
    assert np.abs(points[np.abs(points[:, 0]) < 0.1] - [0, 1 / 3]).mean() > 0.1
    assert straight.squared_distances.sum() > 10 * fitted.distances_.sums.min()


@pytest.mark.parametrize("kind", ["spline", "lowess"])
@pytest.mark.parametrize("span", [0.5, 0.3, 0.2, 0.1])
def test_an_s_is_unrolled_whatever_the_span(kind, span):
    sample = datasets.s_curve(400, noise=0.05, seed=4)
    curve = PrincipalCurve(smoother=kind, span=span).fit(sample.points[:, [0, 2]])
    assert abs(np.corrcoef(curve.embedding_[:, 0], sample.coordinates[:, 0])[0, 1]) > 0.99


def test_a_start_can_be_given():
    angle = np.linspace(0.5, 9.5, 400)
    spiral = angle[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    curve = PrincipalCurve(start=spiral[::20], span=0.05).fit(spiral)
    exact = (angle * np.hypot(1, angle) + np.arcsinh(angle)) / 2
    assert np.allclose(curve.embedding_[:, 0], exact - exact[0], atol=0.1)
    assert PrincipalCurve(start="circle", span=0.2).fit(ring()).length_ > 5


def test_a_smoother_can_be_given():
    seen = []

    def running_mean(places, values, weights=None):
        seen.append(weights)
        assert (np.diff(places) >= 0).all()
        padded = np.vstack([values[:1], values, values[-1:]])
        return (padded[:-2] + padded[1:-1] + padded[2:]) / 3

    points = quadratic()
    curve = PrincipalCurve(smoother=running_mean).fit(points)
    assert curve.distances_.sums[-1] < 0.2 * curve.distances_.sums[0]
    assert seen[0] is None
    PrincipalCurve(smoother=running_mean, robust=True, closed=True, max_iter=3).fit(ring())
    assert seen[-1] is not None
    with pytest.raises(ValueError, match="must return finite values of shape"):
        PrincipalCurve(smoother=lambda places, values: values[:-1]).fit(points)


def test_scale_and_place_do_not_matter():
    points = quadratic()
    plain = PrincipalCurve().fit(points)
    for scale, shift, digits in ((1e60, 0, 1e-9), (1e-60, 0, 1e-9), (1, 1e8, 1e-6)):
        other = PrincipalCurve().fit(scale * points + shift)
        assert np.allclose(other.embedding_ / scale, plain.embedding_, atol=digits)


@pytest.mark.parametrize("kind", SMOOTHERS)
@pytest.mark.parametrize("options", [{}, {"robust": True}, {"bias_correction": True}])
def test_few_and_repeated_points_are_finite(kind, options):
    rng = np.random.default_rng(0)
    repeated = np.repeat(rng.standard_normal((4, 3)), 5, axis=0)
    for points in (*(rng.standard_normal((n, 2)) for n in (2, 3, 4, 6)), repeated):
        for closed in (False, True):
            curve = PrincipalCurve(smoother=kind, closed=closed, **options).fit(points)
            assert np.isfinite(curve.embedding_).all()
            assert np.isfinite(curve.curvature()).all()
            assert np.array_equal(curve.transform(points), curve.embedding_)


def test_large_data_take_seconds():
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 3 * np.pi, 20_000)
    points = 0.1 * rng.standard_normal((20_000, 10))
    points[:, :3] += np.column_stack([np.cos(turn), np.sin(turn), turn / 3])
    PrincipalCurve(max_iter=1).fit(points[:100])  # compiles
    began = time.perf_counter()
    curve = PrincipalCurve(span=0.2, bias_correction=True).fit(points)
    assert time.perf_counter() - began < 20  # 1 s on an idle core
    assert np.corrcoef(curve.embedding_[:, 0], turn)[0, 1] ** 2 > 0.98
    # all that is left is the noise in nine directions across the curve
    assert abs(curve.distances_.means[-1] - 9 * 0.01) < 0.005


def test_refusals():
    points = quadratic()
    with pytest.raises(ValueError, match="n_components must be at most 1"):
        PrincipalCurve(2).fit(points)
    with pytest.raises(ValueError, match="all 5 points coincide"):
        PrincipalCurve().fit(np.ones((5, 2)))
    with pytest.raises(ValueError, match="unknown smoother 'loess'"):
        PrincipalCurve(smoother="loess").fit(points)
    with pytest.raises(ValueError, match="start='pca' does not do"):
        PrincipalCurve(start="pca", closed=True).fit(points)
    with pytest.raises(ValueError, match="at least 2 features"):
        PrincipalCurve(closed=True).fit(points[:, :1])
    with pytest.raises(ValueError, match="any number of rows and 2 columns"):
        PrincipalCurve(start=np.ones((3, 3))).fit(points)
    with pytest.raises(ValueError, match="shrunk to a point"):
        PrincipalCurve(smoother=lambda places, values: 0 * values).fit(points)


def test_cancelled_fit_leaves_nothing():
    curve = PrincipalCurve(smoother="kernel")
    with (
        pytest.raises(Cancelled),
        runtime.listen(lambda event: event.done == 1 and listener.cancel()) as listener,
    ):
        curve.fit(quadratic())
    assert not hasattr(curve, "embedding_")
    assert not hasattr(curve, "n_features_in_")


@pytest.mark.slow
def test_it_is_a_scikit_learn_estimator():
    check_estimator(PrincipalCurve())
