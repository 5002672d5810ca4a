"""Polygonal curves, ambiguity points, and surfaces that bear outliers and judge themselves."""

import numpy as np
import pytest
from scipy.optimize import check_grad

from tests.store.test_round_trip import there_and_back
from unspool import PrincipalCurve, PrincipalSurface, datasets
from unspool.principal import ambiguity_points, corner_price, polygon


def arc(n=300, noise=0.05, seed=0, turn=1.5 * np.pi):
    random = np.random.default_rng(seed)
    angle = np.sort(random.uniform(0.0, turn, n))
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return circle + noise * random.normal(size=(n, 2)), angle


def test_the_price_of_corners_has_its_gradient():
    path = np.random.default_rng(0).normal(size=(6, 3))

    def price(flat):
        return corner_price(flat.reshape(6, 3), 1.3)[0]

    def gradient(flat):
        return corner_price(flat.reshape(6, 3), 1.3)[1].ravel()

    assert check_grad(price, gradient, path.ravel()) < 1e-5
    straight = np.outer(np.arange(6.0), [1.0, 2.0, 0.0])
    ends = 2 * 5.0  # an angle of 180 degrees costs nothing, an end its squared length
    assert corner_price(straight, 1.3)[0] == pytest.approx(ends)


def test_few_corners_follow_an_arc(tmp_path):
    points, angle = arc()
    model = PrincipalCurve(smoother="polygonal").fit(points)
    assert len(model.vertices_) < 60
    assert np.corrcoef(model.embedding_[:, 0], angle)[0, 1] ** 2 > 0.995
    radii = np.linalg.norm(model.vertices_, axis=1)
    np.testing.assert_allclose(radii, 1.0, atol=0.1)
    assert model.distances_.means[-1] < 1.3 * 0.05**2
    assert model.self_consistency().max() < 0.03
    again = there_and_back(model, tmp_path)
    np.testing.assert_array_equal(again.transform(points[:9]), model.embedding_[:9])


def test_a_line_needs_no_corner_and_noise_makes_none():
    random = np.random.default_rng(1)
    line = np.outer(random.uniform(-1, 1, 300), [2.0, 1.0]) + 0.1 * random.normal(size=(300, 2))
    model = PrincipalCurve(smoother="polygonal").fit(line)
    steps = np.diff(model.vertices_, axis=0)
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    assert np.abs(steps @ np.array([2.0, 1.0]) / np.sqrt(5)).min() > 0.9


def test_more_span_makes_a_polygon_stiffer():
    points, _ = arc(noise=0.1)
    bends = []
    for span in (0.1, 1.0):
        corners = PrincipalCurve(smoother="polygonal", span=span).fit(points).vertices_
        turns = np.diff(np.unwrap(np.arctan2(*np.diff(corners, axis=0).T[::-1])))
        bends.append(np.abs(turns).sum())
    assert bends[1] < bends[0]


@pytest.mark.parametrize("option", ["closed", "bias_correction", "robust"])
def test_what_a_polygon_does_not_know_is_told(option):
    with pytest.raises(ValueError, match="open curves"):
        PrincipalCurve(smoother="polygonal", **{option: True}).fit(arc(40)[0])


def test_the_middle_of_a_circle_is_ambiguous():
    ring = datasets.circle(200, noise=0.02).points
    points = np.vstack([ring, [[0.0, 0.0], [0.7, 0.0]]])
    model = PrincipalCurve(closed=True).fit(points)
    assert model.ambiguity_points(0.2).tolist() == [200]
    arms = polygon(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0], [1.0, 2.0]]))
    between = np.array([[0.5, 1.5], [0.4, 1.5], [0.1, 1.5], [0.05, 0.0], [-0.5, 1.5]])
    assert ambiguity_points(between, arms, 0.05).tolist() == [0]
    assert ambiguity_points(between, arms, 0.6).tolist() == [0, 1]
    assert len(PrincipalCurve().fit(arc(200, noise=0.02, turn=1.0)[0]).ambiguity_points()) == 0


def test_a_surface_tells_its_self_consistency():
    sample = datasets.saddle(400, noise=0.02)
    model = PrincipalSurface(2).fit(sample.points)
    found = model.self_consistency(16)
    assert found.shape == (16,)
    assert np.median(found) < 0.02
    stiff = PrincipalSurface(2, span=1.0).fit(sample.points)
    assert stiff.self_consistency(16).mean() > 1.5 * found.mean()


def test_outliers_do_not_bend_a_robust_surface():
    sample = datasets.saddle(400, noise=0.02)
    points = sample.points.copy()
    points[::20, 2] += 1.0
    good = np.arange(400) % 20 != 0
    misses = {}
    for robust in (False, True):
        model = PrincipalSurface(2, robust=robust).fit(points)
        x, y, z = model.inverse_transform(model.embedding_).T
        misses[robust] = np.sqrt(np.mean((z - (x**2 - y**2))[good] ** 2))
    assert misses[True] < 0.8 * misses[False]
    assert model.weights_[~good].max() < 0.1
    assert model.weights_[good].mean() > 0.8
