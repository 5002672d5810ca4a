"""Principal surfaces against closed forms, finite differences, PCA, and SciPy's optimiser."""

import numpy as np
import pytest
from scipy.interpolate import make_smoothing_spline
from scipy.optimize import minimize
from scipy.spatial import procrustes
from sklearn.utils.estimator_checks import check_estimator

from unspool import datasets, runtime
from unspool.methods import PCA, Isomap, PrincipalSurface
from unspool.principal import (
    SurfaceSettings,
    count_folds,
    count_tears,
    farthest_points,
    fit_edge_lengths,
    fit_surface,
    nearest_neighbors,
    smooth_adaptively,
    smooth_surface,
)
from unspool.runtime import Cancelled


def bumpy(d, n=200, width=None, seed=0):
    """Return parameters in d dimensions and bent points in ``width``."""
    rng = np.random.default_rng(seed)
    parameters = rng.uniform(-1, 1, (n, d))
    lift = rng.standard_normal((d, width or d + 2))
    return parameters, parameters @ lift + 0.2 * np.sin(2 * parameters @ lift[::-1])


# --- the surface --------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3])
def test_slopes_are_the_derivatives(d):
    parameters, points = bumpy(d)
    surface = smooth_surface(parameters, points, 15.0)
    at = parameters[:20] + 0.01
    tangents = surface.tangents(at)
    for axis in range(d):
        nudge = 1e-6 * np.eye(d)[axis]
        change = (surface.at(at + nudge) - surface.at(at - nudge)) / 2e-6
        assert np.allclose(tangents[:, axis], change, atol=1e-7)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_smoothing_has_the_degrees_of_freedom_asked_for(d):
    parameters = np.random.default_rng(d).uniform(-1, 1, (60, d))
    for freedom in (d + 3.0, 14.0):
        hat = smooth_surface(parameters, np.eye(60), freedom).at(parameters)
        assert abs(np.trace(hat) - freedom) < 1e-3
        assert np.allclose(hat, hat.T, atol=1e-6)
        assert np.allclose(hat @ parameters, parameters, atol=1e-9)  # flat data stay flat


def test_in_one_dimension_it_is_the_cubic_smoothing_spline():
    rng = np.random.default_rng(0)
    parameters = np.sort(rng.uniform(-1, 1, 90))
    values = np.sin(4 * parameters) + 0.2 * rng.standard_normal(90)
    ours = smooth_surface(parameters[:, None], values[:, None], 7.0).at(parameters[:, None])[:, 0]
    exponents = np.linspace(-8, 1, 400)
    splines = [
        make_smoothing_spline(parameters, values, lam=10.0**e)(parameters) for e in exponents
    ]
    nearest = min(np.abs(ours - spline).max() for spline in splines)
    assert nearest < 0.01 * np.abs(ours - values).max()


@pytest.mark.parametrize("d", [1, 2, 3])
def test_projection_is_the_nearest_point(d):
    parameters, points = bumpy(d)
    surface = smooth_surface(parameters, points, 15.0)
    new = points[:40] + 0.2 * np.random.default_rng(1).standard_normal(points[:40].shape)
    found = surface.project(new)
    assert np.allclose(surface.at(found.parameters), found.feet, atol=1e-12)
    misfit = new - found.feet
    assert np.allclose(found.squared_distances, np.square(misfit).sum(axis=1), atol=1e-12)
    tangents = surface.tangents(found.parameters)
    assert np.abs(np.einsum("naw,nw->na", tangents, misfit)).max() < 1e-9  # across the surface
    for i in range(10):

        def square(p, i=i):
            return np.square(surface.at(p[None])[0] - new[i]).sum()

        starts = parameters[np.argsort([square(p) for p in parameters])[:5]]
        best = min(minimize(square, p, tol=1e-12).fun for p in starts)
        assert found.squared_distances[i] < best + 1e-9


def test_farthest_points_are_each_the_farthest_from_those_before():
    parameters = np.random.default_rng(0).uniform(size=(200, 2))
    parameters[50:60] = parameters[0]
    chosen = farthest_points(parameters, 30)
    for count in range(1, 30):
        gaps = np.linalg.norm(parameters[:, None] - chosen[:count], axis=2).min(axis=1)
        assert np.linalg.norm(chosen[count] - chosen[:count], axis=1).min() == gaps.max()
    assert len(farthest_points(parameters, 500)) == 190  # duplicates are left out


@pytest.mark.parametrize("d", [1, 2, 3])
def test_nearest_neighbors_are_those_of_all_distances(d):
    parameters = np.random.default_rng(d).standard_normal((60, d))
    gaps = np.linalg.norm(parameters[:, None] - parameters, axis=2) + np.diag(np.full(60, np.inf))
    assert np.array_equal(nearest_neighbors(parameters, 5), np.argsort(gaps, axis=1)[:, :5])
    assert nearest_neighbors(parameters[:3], 5).shape == (3, 2)  # there are no more


def test_parameters_move_to_the_lengths_their_edges_want():
    truth = np.random.default_rng(0).uniform(size=(40, 2))
    edges = np.column_stack(np.triu_indices(40, 1))
    wanted = np.linalg.norm(truth[edges[:, 0]] - truth[edges[:, 1]], axis=1)

    def missed(parameters):
        lengths = np.linalg.norm(parameters[edges[:, 0]] - parameters[edges[:, 1]], axis=1)
        return np.sqrt(np.mean((lengths / wanted - 1) ** 2))

    start = truth * [1.0, 1.3] + 0.02 * np.random.default_rng(1).standard_normal((40, 2))
    assert missed(start) > 0.2
    assert missed(fit_edge_lengths(start, edges, wanted)) < 0.01
    assert missed(fit_edge_lengths(truth, edges, wanted)) < 1e-12  # what fits stays


def test_a_rotated_surface_is_the_same_surface():
    parameters, points = bumpy(3)
    surface = smooth_surface(parameters, points, 15.0)
    axes, center = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0], np.ones(3)
    rotated = surface.rotated(center, axes)
    assert np.allclose(
        rotated.at((parameters - center) @ axes.T), surface.at(parameters), atol=1e-12
    )


def test_many_dimensions_do_not_matter_for_the_parameters():
    parameters, points = bumpy(2, width=3)
    noise = 0.1 * np.random.default_rng(0).standard_normal((200, 3))
    frame = np.linalg.qr(np.random.default_rng(1).standard_normal((200, 3)))[0]
    few = smooth_surface(parameters, points, 10.0).project(points + noise)
    many = smooth_surface(parameters, points @ frame.T, 10.0).project((points + noise) @ frame.T)
    assert np.allclose(few.parameters, many.parameters, atol=1e-9)
    assert np.allclose(few.squared_distances, many.squared_distances, atol=1e-12)
    assert np.allclose(few.feet @ frame.T, many.feet, atol=1e-10)


def test_a_fold_is_seen_and_a_bend_is_not():
    rng = np.random.default_rng(0)
    parameters = rng.uniform(-1, 1, (300, 2))
    folded = np.column_stack([parameters[:, 0] ** 2, parameters[:, 1]])
    assert count_folds(smooth_surface(parameters, folded, 20.0), parameters) > 0
    turn = 2.5 * parameters[:, 0]  # a bend by 286 degrees
    bent = np.column_stack([np.sin(turn), np.cos(turn), parameters[:, 1]])
    assert count_folds(smooth_surface(parameters, bent, 40.0), parameters) == 0


def test_a_map_that_tears_neighbours_apart_is_seen():
    turn = np.random.default_rng(0).uniform(0, 2 * np.pi, 300)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    assert count_tears(circle, turn[:, None]) >= 2  # cut open, on both sides of the cut
    assert count_tears(circle, circle) == 0
    half = turn < np.pi
    assert count_tears(circle[half], turn[half, None]) == 0


# --- the method -------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_flat_data_give_the_pca_plane(d):
    points = datasets.flat_patch(200, d=d, ambient=min(2 * d - 1, d + 2) if d > 1 else 1).points
    surface, pca = PrincipalSurface(d).fit(points), PCA(d).fit(points)
    assert np.allclose(surface.embedding_, pca.embedding_, atol=1e-8)
    assert np.allclose(surface.inverse_transform(surface.embedding_), points, atol=1e-8)
    new = points + 0.3 * np.random.default_rng(0).standard_normal(points.shape)
    assert np.allclose(surface.transform(new), pca.transform(new), atol=1e-8)


def test_saddle_is_found():
    sample = datasets.saddle(400, noise=0.02)
    surface = PrincipalSurface(2).fit(sample.points)
    plane = PCA(2).fit(sample.points)
    left = np.square(sample.points - plane.inverse_transform(plane.embedding_)).sum()
    assert abs(surface.distances_.sums[0] - left) < 1e-8 * left
    assert surface.distances_.sums.min() < 0.01 * left
    assert procrustes(sample.coordinates, surface.embedding_)[2] < 0.05
    rebuilt = surface.inverse_transform(surface.embedding_)
    assert abs(np.square(sample.points - rebuilt).sum() - surface.distances_.sums.min()) < 1e-8
    height = rebuilt[:, 0] ** 2 - rebuilt[:, 1] ** 2
    assert np.abs(rebuilt[:, 2] - height).mean() < 0.02  # the equation of the saddle, to the noise


@pytest.mark.parametrize("parametrization", ["isometric", "average"])
def test_s_curve_is_unrolled_from_the_plane(parametrization):
    sample = datasets.s_curve(600, noise=0.02)
    surface = PrincipalSurface(2, parametrization=parametrization).fit(sample.points)
    assert surface.distances_.sums.min() < 0.02 * surface.distances_.sums[0]
    assert procrustes(sample.coordinates, surface.embedding_)[2] < 0.005
    assert surface.report_.advice == ()
    assert np.allclose(surface.embedding_.mean(axis=0), 0, atol=1e-12)
    assert abs(np.corrcoef(surface.embedding_.T)[0, 1]) < 1e-12  # rotated to its own axes
    assert np.allclose(
        surface.embedding_.std(axis=0), np.array([3 * np.pi, 5]) / 12**0.5, rtol=0.05
    )


def bump(n, seed):
    """Points about a plane with one steep hill, and the height of the hill over the plane."""
    random = np.random.default_rng(seed)
    flat = random.uniform(-1, 1, (n, 2))

    def height(places):
        return 0.35 * np.exp(-np.square(places - 0.5).sum(axis=1) / 0.03)

    exact = np.column_stack([flat, height(flat)])
    return exact + 0.02 * random.standard_normal((n, 3)), height


@pytest.mark.parametrize("seed", [0, 1])
def test_an_adaptive_surface_spends_its_knots_where_it_bends(seed):
    points, height = bump(1200, seed)
    errors, freedoms = [], []
    for smoother in ("spline", "adaptive"):
        model = PrincipalSurface(2, smoother=smoother, span=0.05).fit(points)
        rebuilt = model.inverse_transform(model.embedding_)
        errors.append(np.abs(rebuilt[:, 2] - height(rebuilt[:, :2])).mean())
        freedoms.append(model.freedom_)
    knots = model._normalization.undo(model.surface_.at(model.surface_.knots))
    near = np.linalg.norm(knots[:, :2] - 0.5, axis=1) < 0.4
    assert near.mean() > 2 * np.pi * 0.4**2 / 4  # twice the share of the area
    assert errors[1] < 0.8 * errors[0]
    assert freedoms[1] < 0.5 * freedoms[0]


def test_an_adaptive_surface_of_a_noisy_plane_is_flat():
    random = np.random.default_rng(0)
    plane = np.column_stack([random.uniform(-1, 1, (600, 2)) * [2, 1], np.zeros(600)])
    model = PrincipalSurface(2, smoother="adaptive").fit(
        plane + 0.05 * random.standard_normal((600, 3))
    )
    assert model.freedom_ <= 5  # of 31 that span allows; 3 are the plane itself
    assert len(model.distances_.sums) >= 2


def test_chosen_knots_leave_affine_functions_alone():
    """The coefficients sum to zero against them: beyond its knots a surface goes on straight."""
    points, _ = bump(300, 3)
    surface = smooth_adaptively(points[:, :2], points, 30.0)
    sides = np.column_stack([np.ones(len(surface.knots)), surface.knots])
    assert np.abs(sides.T @ surface.coefficients).max() < 1e-8 * np.abs(surface.coefficients).max()
    assert len(surface.knots) > 7  # besides the anchors


def test_uniform_parameters_tell_shares_of_the_data():
    """Half of the points stand on a fifth of the sheet: they get half of the parameter."""
    random = np.random.default_rng(1)
    dense = random.uniform(0.0, 1.0, 400)
    length = np.where(np.arange(400) % 2 == 0, 0.2 * dense, 0.2 + 0.8 * dense) * 4.0
    width = random.uniform(0.0, 1.0, 400)
    sheet = np.column_stack([length, width, 0.1 * length**2])
    kinds = {
        kind: PrincipalSurface(2, parametrization=kind).fit(sheet).embedding_[:, 0]
        for kind in ("isometric", "uniform")
    }
    shares = {kind: np.ptp(place[::2]) / np.ptp(place) for kind, place in kinds.items()}
    assert shares["isometric"] < 0.3
    assert 0.42 < shares["uniform"] < 0.58


def test_isometric_parameters_are_lengths():
    sample = datasets.s_curve(600)
    surface = PrincipalSurface(2, span=0.05).fit(sample.points)
    pairs = np.random.default_rng(0).integers(600, size=(2, 400))
    exact = np.linalg.norm(sample.coordinates[pairs[0]] - sample.coordinates[pairs[1]], axis=1)
    found = np.linalg.norm(surface.embedding_[pairs[0]] - surface.embedding_[pairs[1]], axis=1)
    assert np.allclose(found, exact, atol=0.03 * exact.max())


@pytest.mark.slow
def test_a_roll_needs_a_start_and_says_so():
    sample = datasets.swiss_roll(600)
    alone = PrincipalSurface(2).fit(sample.points)
    assert any("start from an unrolled map" in line for line in alone.report_.advice)
    unrolled = Isomap(2, n_neighbors=8).fit_transform(sample.points)
    helped = PrincipalSurface(2, start=unrolled, span=0.05).fit(sample.points)
    assert helped.distances_.sums.min() < 1e-3 * alone.distances_.sums[0]
    assert procrustes(sample.coordinates, helped.embedding_)[2] < 1e-3


def test_three_dimensions():
    sample = datasets.flat_patch(400, d=3)
    surface = PrincipalSurface(3).fit(sample.points)
    assert surface.distances_.sums.min() < 0.01 * surface.distances_.sums[0]
    assert procrustes(sample.coordinates, surface.embedding_)[2] < 0.005


def test_one_dimension_is_a_curve():
    sample = datasets.flat_patch(200, d=1)
    surface = PrincipalSurface(1).fit(sample.points)
    assert abs(np.corrcoef(surface.embedding_[:, 0], sample.coordinates[:, 0])[0, 1]) > 1 - 1e-5
    assert abs(np.ptp(surface.embedding_) - np.ptp(sample.coordinates)) < 1e-2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_known_points_keep_their_place_and_rows_are_independent(dtype):
    points = datasets.saddle(150, noise=0.05).points.astype(dtype)
    surface = PrincipalSurface(2).fit(points)
    assert surface.embedding_.dtype == dtype
    assert np.array_equal(surface.transform(points), surface.embedding_)
    one_by_one = np.vstack([surface.transform(row[None]) for row in points[:20]])
    assert np.array_equal(one_by_one, surface.embedding_[:20])


def test_projecting_twice_changes_nothing():
    surface = PrincipalSurface(2).fit(datasets.s_curve(500, noise=0.05).points)
    feet = surface.inverse_transform(surface.embedding_)
    assert np.abs(surface.transform(feet) - surface.embedding_).max() < 1e-10


def test_a_surface_that_would_fold_is_smoothed_more():
    parameters = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    folded = np.column_stack([parameters[:, 0] ** 2, parameters[:, 1]])
    assert count_folds(smooth_surface(parameters, folded, 20.0), parameters) > 0
    found = fit_surface(folded, parameters, SurfaceSettings((20.0,), max_steps=1))
    start = fit_surface(folded, parameters, SurfaceSettings((3.0,), max_steps=1))
    assert found.losses[0] == start.losses[0]  # nothing but a plane does not fold here
    assert count_folds(found.state.surface, found.state.projection.parameters) == 0
    with runtime.recording() as record:
        PrincipalSurface(2).fit(folded)._advise(eased=True, wanted=31.0)
    assert "with span=0.1 the surface would fold" in record.advice[0]


def test_no_surface_folds():
    points = np.random.default_rng(0).standard_normal((60, 3))  # a cloud: there is no surface here
    surface = PrincipalSurface(2, span=0.05).fit(points)
    normalized = (points - points.mean(axis=0)) / surface._normalization.scale
    assert count_folds(surface.surface_, surface.surface_.project(normalized).parameters) == 0


def test_missing_dimensions_are_zero():
    points = np.outer(np.linspace(0, 1, 40), [1.0, 2.0, 3.0])
    with pytest.warns(UserWarning, match="only 1 of 2 coordinates are nonzero"):
        surface = PrincipalSurface(2).fit(points)
    assert np.array_equal(surface.embedding_[:, 1], np.zeros(40))
    assert np.allclose(surface.inverse_transform(surface.embedding_), points, atol=1e-10)


@pytest.mark.slow
def test_scale_and_place_do_not_matter():
    points = datasets.saddle(150, noise=0.05).points
    plain = PrincipalSurface(2).fit(points)
    for scale, shift, digits in ((1e60, 0, 1e-7), (1e-60, 0, 1e-7), (1, 1e8, 1e-5)):
        other = PrincipalSurface(2).fit(scale * points + shift)
        assert np.allclose(other.embedding_ / scale, plain.embedding_, atol=digits)


def test_few_and_repeated_points_are_finite():
    rng = np.random.default_rng(0)
    repeated = np.repeat(rng.standard_normal((5, 4)), 4, axis=0)
    for points in (*(rng.standard_normal((n, 4)) for n in (3, 4, 6, 12)), repeated):
        surface = PrincipalSurface(2).fit(points)
        assert np.isfinite(surface.embedding_).all()
        assert np.array_equal(surface.transform(points), surface.embedding_)


def test_refusals():
    points = datasets.saddle(50).points
    with pytest.raises(ValueError, match="use at most 3"):
        PrincipalSurface(4).fit(points)
    with pytest.raises(ValueError, match="start must be 'pca' or an array"):
        PrincipalSurface(start="circle").fit(points)
    with pytest.raises(ValueError, match="50 rows, one per point, and 2 columns"):
        PrincipalSurface(start=np.ones((7, 2))).fit(points)
    with pytest.raises(ValueError, match="points coincide"):
        PrincipalSurface().fit(np.ones((9, 3)))
    with pytest.raises(ValueError, match="parametrization must be one of"):
        PrincipalSurface(parametrization="conformal").fit(points)


def test_cancelled_fit_leaves_nothing():
    surface = PrincipalSurface()
    with (
        pytest.raises(Cancelled),
        runtime.listen(
            lambda event: event.name == "surface" and event.done == 2 and listener.cancel()
        ) as listener,
    ):
        surface.fit(datasets.saddle(80).points)
    assert not hasattr(surface, "embedding_")


@pytest.mark.slow
def test_it_is_a_scikit_learn_estimator():
    check_estimator(PrincipalSurface())
