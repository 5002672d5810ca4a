"""Charting: flat data are kept, rolls are unrolled, charts agree, the way back."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from unspool import Charting, datasets, quality, runtime
from unspool.relation import gaussian_charts


def flat(n, d, width=5, seed=0):
    """Points of a slab of d dimensions in space, none of its sides alike."""
    random = np.random.default_rng(seed)
    axes = np.linalg.qr(random.standard_normal((width, width)))[0][:d]
    return random.random((n, d)) * (1.0 + np.arange(d)) @ axes + 3.0


@pytest.mark.parametrize("d", [1, 2, 3])
def test_flat_data_are_kept_as_they_are(d):
    """All charts agree exactly, so that lengths are kept on the map and on the way back."""
    points = flat(200, d)
    model = Charting(d).fit(points)
    assert np.abs(pdist(model.embedding_) / pdist(points) - 1.0).max() < 1e-6
    assert model.eigenvalues_.max() < 1e-6
    assert np.abs(model.inverse_transform(model.embedding_) - points).max() < 1e-6
    new = flat(50, d)
    assert np.abs(pdist(model.transform(new)) / pdist(new) - 1.0).max() < 1e-6


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))]
)
def test_rolls_are_unrolled(seed):
    roll = datasets.swiss_roll(1000, seed=seed)
    model = Charting(2, n_neighbors=8).fit(roll.points)
    assert quality.explained_by(model.embedding_, roll.coordinates).min() > 0.95
    widths = model.embedding_.var(axis=0) / roll.coordinates.var(axis=0)
    assert 0.8 < widths.min() <= widths.max() < 1.2  # in the unit of the data
    back = model.inverse_transform(model.embedding_) - roll.points
    assert np.square(back).sum() < 0.01 * len(back) * roll.points.var(axis=0).sum()


def test_query_points_fall_between_their_neighbours():
    roll, new = datasets.swiss_roll(1000, seed=0), datasets.swiss_roll(300, seed=9)
    model = Charting(2, n_neighbors=8).fit(roll.points)
    together = np.vstack([roll.coordinates, new.coordinates])
    placed = np.vstack([model.embedding_, model.transform(new.points)])
    fit = np.linalg.lstsq(
        np.column_stack([np.ones(1000), roll.coordinates]), model.embedding_, rcond=None
    )[0]
    off = placed - np.column_stack([np.ones(1300), together]) @ fit
    assert np.square(off[1000:]).mean() < 2.0 * np.square(off[:1000]).mean() + 1e-3


def test_places_are_led_back_a_few_at_a_time(monkeypatch):
    """The same points, and cancelling is heard before all places by all charts are computed."""
    model = Charting(2, n_charts=20).fit(flat(100, 2))
    places = model.embedding_ * 0.9
    whole = model.inverse_transform(places)
    monkeypatch.setattr(gaussian_charts, "BLOCK", 7 * 20 * 2)
    np.testing.assert_allclose(model.inverse_transform(places), whole, rtol=0.0, atol=1e-12)
    with runtime.listen(lambda event: None) as listener:
        listener.cancel()
        with pytest.raises(runtime.Cancelled):
            model.inverse_transform(places)


def test_probabilities_sum_to_one_and_overlap_as_asked():
    points = datasets.s_curve(400, seed=0).points
    for overlap in (1.5, 3.0):
        model = Charting(2, overlap=overlap).fit(points)
        charts = model.charts_[0].relation
        shares = charts.probabilities(charts.project(points))
        assert np.abs(shares.sum(axis=1) - 1.0).max() < 1e-12
        assert model.overlap_ == pytest.approx(overlap, rel=0.02)


def test_covariances_heed_their_neighbours():
    """The system of Brand's prior: each covariance is of its own points and of those around."""
    from unspool.relation.gaussian_charts import _covariances, _moments

    random = np.random.default_rng(0)
    inner, centers = random.standard_normal((80, 2)), random.standard_normal((6, 2))
    reaches, masses = np.full(6, 0.8), np.ones(80)
    own = _covariances(inner, masses, centers, reaches, 0.0)
    found = _covariances(inner, masses, centers, reaches, 2.0)
    for k in range(6):
        gaps = np.square(centers - centers[k]).sum(axis=1) / 0.64
        shares = np.where(np.arange(6) == k, 0.0, np.exp(-0.5 * gaps))
        shares /= shares.sum()
        around = np.einsum("j,jab->ab", shares, found) + _moments(centers - centers[k], shares)
        assert np.abs(3.0 * found[k] - own[k] - 2.0 * around).max() < 1e-12


def test_affine_maps_are_the_best_for_their_variance():
    """No other coefficients of unit variance disagree less: the eigenproblem, solved densely."""
    import scipy.linalg

    points = datasets.s_curve(150, seed=1).points
    model = Charting(2, n_charts=12).fit(points)
    charts = model.charts_[0].relation
    features = charts.features(points)
    shares = charts.probabilities(charts.project(points))
    wide = np.append(charts.local(charts.project(points)), np.ones((150, 12, 1)), axis=2)
    single = scipy.linalg.block_diag(
        *(np.einsum("n,ni,nj->ij", shares[:, k], wide[:, k], wide[:, k]) for k in range(12))
    )
    values, vectors = scipy.linalg.eigh(features.T @ features, single)
    assert values[-1] == pytest.approx(1.0, abs=1e-9)  # the constant
    best = features @ vectors[:, -3:-1]
    best, found = best - best.mean(axis=0), model.embedding_ - model.embedding_.mean(axis=0)
    left = best - found @ np.linalg.lstsq(found, best, rcond=None)[0]
    assert np.square(left).sum() < 1e-6 * np.square(best).sum()


def test_two_components_lie_side_by_side():
    roll = datasets.s_curve(200, seed=2).points
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = Charting(2).fit(np.vstack([roll, roll + 100.0]))
    assert len(model.charts_) == 2
    back = model.inverse_transform(model.embedding_)
    assert (back[:200].max(axis=1) < 50).all()
    assert (back[200:].min(axis=1) > 50).all()


def test_charts_that_cannot_agree_are_told():
    """A ball of eight dimensions on one: each chart has another axis."""
    random = np.random.default_rng(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = Charting(1, n_charts=20, overlap=4.0).fit(random.standard_normal((600, 8)))
    assert any("charts disagree" in line for line in model.report_.advice)
