"""Finite input gives no NaN, infinity or nonsense: the map is right, or a sentence says why."""

import re
import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.cases import bent, roll
from tests.compare import up_to_signs
from unspool import distances
from unspool.methods import (
    LLE,
    ClassicalMDS,
    DiffusionMaps,
    Isomap,
    LandmarkMDS,
    LaplacianEigenmaps,
    PrincipalSurface,
    SpectralClustering,
)
from unspool.methods.estimator import Estimator

ROLL = roll(400).points
X = bent(150)


def fit_and_tell(model, points):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(points)
    assert all(warning.category is UserWarning for warning in told)
    return [str(warning.message) for warning in told]


@pytest.mark.parametrize("sigma", [0.2, 0.05, 0.02])
@pytest.mark.parametrize("laplacian", ["random-walk", "symmetric", "unnormalized"])
def test_heat_kernels_too_narrow_for_a_roll(sigma, laplacian):
    """Vectors of length 1 in their degrees, of the eigenvalue equation, and a warning."""
    model = LaplacianEigenmaps(2, sigma=sigma, laplacian=laplacian)
    told = fit_and_tell(model, ROLL)
    assert sum("so narrow that half of the edges" in sentence for sentence in told) == 1
    assert np.isfinite(model.embedding_).all()
    chart = model.charts_[0]
    weights = chart.relation.weights
    degree = np.asarray(weights.sum(axis=1)).ravel()
    mass = degree if laplacian == "random-walk" else np.ones(len(degree))
    lengths = mass @ np.square(chart.coordinates)
    np.testing.assert_allclose(lengths, 1.0, rtol=1e-3)
    np.testing.assert_array_equal(model.transform(ROLL), model.embedding_)


def fitted(model, points):
    assert any("so narrow" in sentence for sentence in fit_and_tell(model, points))
    return model


@pytest.mark.parametrize("sigma", [0.2, 0.05])
@pytest.mark.parametrize("make", [LaplacianEigenmaps, DiffusionMaps, SpectralClustering])
def test_narrow_heat_kernels_in_single_precision(make, sigma):
    """A map beyond what single precision holds is refused, not infinite."""
    points = ROLL.astype(np.float32)
    beyond = np.abs(fitted(make(sigma=sigma), ROLL).embedding_).max() > np.finfo(np.float32).max
    if beyond:
        with pytest.raises(ValueError, match="single precision cannot hold"):
            fitted(make(sigma=sigma), points)
        return
    model = fitted(make(sigma=sigma), points)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(points)).all()


class Enormous(Estimator):
    """Maps all points to one that only double precision can hold, or to nothing finite."""

    reached = 1e50

    def _fit(self, X):
        self.embedding_ = np.full((len(X), 2), self.reached)


def test_maps_beyond_what_numbers_hold_are_refused():
    assert Enormous().fit(X).embedding_.max() == 1e50
    model = Enormous()
    with pytest.raises(ValueError, match=r"reaches 1\.0e\+50, which single precision cannot hold"):
        model.fit(X.astype(np.float32))
    assert not hasattr(model, "embedding_")
    for wrong in (np.nan, np.inf):
        model.reached = wrong
        with pytest.raises(ValueError, match="coordinates of row 0 are not finite"):
            model.fit(X)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 3.0])
def test_powers_of_the_density_by_their_definition(alpha):
    """The walk of K / (q_i q_j)^alpha, decomposed here, from whatever factor it was computed."""
    model = DiffusionMaps(3, alpha=alpha, n_neighbors=10).fit(ROLL)
    plain = DiffusionMaps(3, alpha=0.0, n_neighbors=10).fit(ROLL)
    heat = plain.charts_[0].relation.kernel.toarray()
    degree = heat.sum(axis=1)
    kernel = heat / np.outer(degree, degree) ** alpha
    rows = kernel.sum(axis=1)
    values, vectors = np.linalg.eigh(kernel / np.sqrt(np.outer(rows, rows)))
    values, vectors = values[::-1][1:4], vectors[:, ::-1][:, 1:4]
    psi = vectors / np.sqrt(rows)[:, None] * np.sqrt(rows.sum())
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    assert up_to_signs(model.embedding_, psi * values) < 1e-6


def test_a_power_that_overflows_is_refused_with_the_largest_that_does_not():
    with pytest.raises(ValueError, match=r"alpha=10000 .*overflow; use alpha below (\d+)") as told:
        DiffusionMaps(2, alpha=1e4).fit(ROLL)
    most = float(str(told.value).split()[-1])
    model = DiffusionMaps(2, alpha=0.9 * most)
    fit_and_tell(model, ROLL)
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(ROLL + 0.01)).all()


def test_a_power_by_which_a_few_points_rule_is_told():
    """The walk hardly leaves them, and coordinates of all others may be anything."""
    model = DiffusionMaps(2, alpha=200.0)
    told = "\n".join(fit_and_tell(model, ROLL))
    assert re.search(r"alpha=200 divides out so much.*90% of its time at \d+ of .*; alpha=1 ", told)
    visits = np.sort(model.charts_[0].relation.visits)[::-1]
    few = int(re.search(r"at (\d+) of", told)[1])
    assert visits[: few - 1].sum() < 0.9 * visits.sum() <= visits[:few].sum()
    span = float(re.search(r"point 1e(\d+) times", told)[1])
    assert abs(np.log10(visits[0] / visits[-1]) - span) < 1.0
    angle = np.linspace(0.0, 2.0 * np.pi, 300, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])  # an even density: nothing to divide out
    assert "alpha=" not in "".join(fit_and_tell(DiffusionMaps(2, alpha=200.0), ring))


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 2.0])
def test_usual_powers_are_not_told(alpha):
    """Whatever makes a few points rule where less than all of the density is divided out."""
    assert fit_and_tell(DiffusionMaps(2, alpha=alpha), ROLL) == []
    model = DiffusionMaps(2, alpha=min(alpha, 1.0), sigma=0.2, loops=False)
    assert "alpha=" not in "".join(fit_and_tell(model, ROLL))
    visits = model.charts_[0].relation.visits
    assert visits.max() > 1e12 * visits.min()


@pytest.mark.parametrize("scale", [1e-60, 1e-30, 1e-16, 1e12, 1e60])
@pytest.mark.parametrize("method", [Isomap, LLE, LaplacianEigenmaps, ClassicalMDS])
def test_directions_do_not_depend_on_lengths(method, scale):
    """Cosine distances of 1e-30 x are those of x: no row is too short to have a direction."""
    here, there = method(2, metric="cosine").fit(X), method(2, metric="cosine").fit(scale * X)
    assert up_to_signs(there.embedding_, here.embedding_) < 1e-6
    signs = np.sign(np.einsum("ij,ij->j", there.embedding_, here.embedding_))
    new = bent(20, seed=9)
    np.testing.assert_allclose(there.transform(scale * new) * signs, here.transform(new), atol=1e-6)


def test_cosine_distances_of_short_rows():
    rows = X * 10.0 ** np.linspace(-60, 60, len(X))[:, None]
    np.testing.assert_allclose(
        distances.pairwise_distances(rows, rows, "cosine"), cdist(X, X, "cosine"), atol=1e-12
    )
    rows[3] = 0.0
    assert np.isfinite(distances.pairwise_distances(rows, rows, "cosine")).all()


@pytest.mark.parametrize("scale", [1e-60, 1e-30, 1e60])
def test_a_surface_of_any_size(scale):
    here = PrincipalSurface(max_iter=3).fit(X)
    there = PrincipalSurface(max_iter=3).fit(scale * X)
    np.testing.assert_allclose(there.embedding_ / scale, here.embedding_, rtol=1e-4, atol=1e-3)
    back = there.inverse_transform(there.embedding_) / scale
    np.testing.assert_allclose(back, here.inverse_transform(here.embedding_), rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("scale", [1e-55, 1e55])
def test_landmarks_scaled_by_singular_values_at_any_size(scale):
    """Squares of squared distances reach 1e220: their residuals must not be squared as they are."""
    here = LandmarkMDS(2, scaling="svd", n_landmarks=20).fit(X)
    there = LandmarkMDS(2, scaling="svd", n_landmarks=20).fit(scale * X)
    assert up_to_signs(there.embedding_ / scale, here.embedding_) < 1e-8


def test_points_that_only_see_each_other_through_nothing_are_no_singular_system():
    """Faint points whose own block is singular: no warning of a library, and a finite map."""
    points = np.concatenate([np.zeros((20, 1)), [[1e3]], [[1e3 + 1e-9]], np.ones((6, 1))])
    points = points + 1e-3 * np.random.default_rng(0).standard_normal(points.shape)
    model = DiffusionMaps(2, sigma=0.01, alpha=2.0, n_neighbors=4, loops=False)
    fit_and_tell(model, points)
    assert np.isfinite(model.embedding_).all()
