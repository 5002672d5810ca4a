"""Coordinates that repeat each other on long sheets, and the independent ones in their place."""

import warnings

import numpy as np
import pytest

import unspool
from tests.cases import CASES
from tests.store.test_round_trip import there_and_back
from unspool import datasets, diagnose, quality
from unspool.methods import LLE, DiffusionMaps, LaplacianEigenmaps
from unspool.relation import unexplained

FAMILY = sorted(name for name, case in CASES.items() if hasattr(case.cls(), "independent"))
DRAWS = (0, 1, 2)


def long_roll(aspect, n=2000, seed=0):
    """Points on a roll of the text's length, this many times as long as wide."""
    random, angles = np.random.default_rng(seed), np.array([1.5 * np.pi, 4.5 * np.pi])
    inner, outer = datasets.spiral_length(angles)
    length = outer - inner
    flat = random.random((n, 2)) * [length, length / aspect]
    angle = datasets.spiral_angle(flat[:, 0] + inner)
    points = np.column_stack([angle * np.cos(angle), angle * np.sin(angle), flat[:, 1]])
    return points, flat


def strip(n=600, length=6.0, seed=0):
    """A flat strip in three dimensions, whose vectors are known: cosines of length and width."""
    flat = np.random.default_rng(seed).random((n, 2)) * [length, 1.0]
    return np.column_stack([flat, np.zeros(n)]), flat


def test_the_family():
    local = {"HessianLLE", "KernelLLE", "LLE", "LTSA", "ModifiedLLE"}
    assert set(FAMILY) == {"DiffusionMaps", "LaplacianEigenmaps"} | local


@pytest.mark.parametrize(
    "seed", [DRAWS[0], *(pytest.param(seed, marks=pytest.mark.slow) for seed in DRAWS[1:])]
)
@pytest.mark.parametrize("aspect", [1, 2, 4, 6, 8])
@pytest.mark.parametrize("cls", [LaplacianEigenmaps, DiffusionMaps, LLE])
def test_rolls_of_any_length_are_unrolled(cls, aspect, seed):
    points, flat = long_roll(aspect, seed=seed)
    model = cls(2, independent=True).fit(points)
    assert quality.explained_by(model.embedding_, flat).mean() >= 0.95


@pytest.mark.parametrize("cls", [LaplacianEigenmaps, DiffusionMaps])
def test_the_first_two_repeat_the_length(cls):
    points, flat = long_roll(6)
    plain, chosen = cls(2).fit(points), cls(2, independent=True).fit(points)
    assert quality.explained_by(plain.embedding_, flat)[1] < 0.05
    assert plain.selected_.tolist() == [0, 1]
    assert chosen.selected_[0] == 0
    assert chosen.selected_[1] >= 4
    facts = chosen.report_.stage("independence").facts
    assert facts["selected"] == (chosen.selected_ + 1).tolist()
    assert facts["solved"] == 20
    assert facts["own"][1] > 0.8


def test_the_first_coordinate_is_the_first_vector():
    points, _ = long_roll(6, n=800)
    plain, chosen = (LaplacianEigenmaps(2, independent=on).fit(points) for on in (False, True))
    np.testing.assert_allclose(chosen.embedding_[:, 0], plain.embedding_[:, 0], atol=1e-7)
    assert chosen.eigenvalues_[0] == pytest.approx(plain.eigenvalues_[0], rel=1e-6)
    assert chosen.eigenvalues_[1] > 5 * plain.eigenvalues_[1]


@pytest.mark.parametrize("name", FAMILY)
def test_the_constraint_of_the_method_still_holds(name):
    points, _ = strip()
    model = CASES[name].make(independent=True).fit(points)
    weights = model.charts_[0].mixture.weights
    np.testing.assert_allclose(weights.T @ weights, np.eye(2), atol=1e-9)
    if name == "LaplacianEigenmaps":
        degree = np.asarray(model.charts_[0].relation.weights.sum(axis=1)).ravel()
        gram = model.embedding_.T @ (degree[:, None] * model.embedding_)
        np.testing.assert_allclose(gram, np.eye(2), atol=1e-6)
    elif name != "DiffusionMaps":
        gram = model.embedding_.T @ model.embedding_
        np.testing.assert_allclose(gram, len(points) * np.eye(2), atol=1e-3 * len(points))


@pytest.mark.parametrize("name", FAMILY)
def test_query_points_go_where_their_neighbours_are(name):
    points, flat = strip(900)
    fitted, left_out = points[:800], points[800:]
    model = CASES[name].make(independent=True).fit(fitted)
    placed = model.transform(left_out)
    by_row = np.vstack([model.transform(row[None]) for row in left_out[:5]])
    np.testing.assert_allclose(by_row, placed[:5], atol=1e-9)
    np.testing.assert_array_equal(model.transform(fitted[:20]), model.embedding_[:20])
    # what the map tells of the fitted points it tells of the others: one affine map for both
    design = np.column_stack([np.ones(800), model.embedding_])
    fit, *_ = np.linalg.lstsq(design, flat[:800], rcond=None)
    off = flat[800:] - np.column_stack([np.ones(100), placed]) @ fit
    known = flat[:800] - design @ fit
    assert np.square(off).mean() < 2.0 * np.square(known).mean() + 1e-3


def test_placing_divides_every_vector_by_its_own_eigenvalue():
    """The eigen-equation read at a query point, for all vectors, then the combination of them."""
    points, _ = long_roll(8, n=1000)
    model = LaplacianEigenmaps(2, independent=True).fit(points)
    every = LaplacianEigenmaps(20).fit(points)
    query = 0.5 * (points[:40] + points[1:41])
    chart = model.charts_[0]
    expected = (
        every.transform(query) @ _onto(every.embedding_, chart.anchors) @ chart.mixture.weights
    )
    np.testing.assert_allclose(model.transform(query), expected, atol=1e-4 * np.abs(expected).max())


def _onto(vectors, others):
    """Return the table that turns the one's columns into the other's."""
    return np.linalg.lstsq(vectors, others, rcond=None)[0]


@pytest.mark.parametrize("name", ["LaplacianEigenmaps", "LLE"])
def test_a_saved_model_places_alike(name, tmp_path):
    points, _ = strip()
    model = CASES[name].make(independent=True).fit(points)
    again = there_and_back(model, tmp_path)
    query = points[:30] + 0.01
    np.testing.assert_array_equal(again.transform(query), model.transform(query))
    np.testing.assert_array_equal(again.selected_, model.selected_)


def test_a_circle_needs_both_of_its_equal_vectors():
    angle = np.linspace(0, 2 * np.pi, 500, endpoint=False)
    points = np.column_stack([np.cos(angle), np.sin(angle)])
    places = LaplacianEigenmaps(2, independent=True).fit(points).embedding_
    radius = np.linalg.norm(places - places.mean(axis=0), axis=1)
    assert radius.std() < 0.1 * radius.mean()


def test_a_third_coordinate_of_a_sheet_is_told_to_repeat_the_others():
    points, _ = strip(1500, length=2.0)
    model = LaplacianEigenmaps(3, independent=True).fit(points)
    assert any("n_components=2 tells the same" in line for line in model.report_.advice)


def test_unexplained_is_what_no_function_tells():
    random = np.random.default_rng(0)
    x, noise = random.uniform(-1, 1, 3000), random.standard_normal(3000)
    columns = np.column_stack([np.cos(9 * x), noise, np.cos(9 * x) + noise])
    shares = unexplained(x[:, None], columns)
    whole = 1.0 / (1.0 + np.cos(9 * x).var())
    np.testing.assert_allclose(shares, [0.0, 1.0, whole], atol=0.15)  # one tenth is the line's own
    assert shares[0] < 1e-3


def test_diagnosis_tells_of_repeated_coordinates_and_what_helps():
    points, _ = long_roll(6, n=900)
    model = LaplacianEigenmaps(2).fit(points)
    found = diagnose(model, points)["coordinate's variance of its own"]
    assert found.value < 0.05
    assert not found.ok
    assert (found.parameter, found.suggestion) == ("independent", True)
    better = diagnose(LaplacianEigenmaps(2, independent=True).fit(points), points)
    assert better["coordinate's variance of its own"].ok
    with pytest.raises(KeyError):
        diagnose(unspool.PCA(2).fit(points), points)["coordinate's variance of its own"]


def test_small_components_beside_get_what_they_can():
    sheet, _ = strip(400)
    few = np.random.default_rng(1).random((15, 3)) + np.array([50.0, 0.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = LaplacianEigenmaps(2, independent=True).fit(np.vstack([sheet, few]))
    assert model.embedding_.shape == (415, 2)
    assert model.charts_[1].mixture is None


def test_both_switches_of_hessian_lle_together_are_refused():
    with pytest.raises(ValueError, match="pass only one of the two"):
        unspool.HessianLLE(2, n_neighbors=18, orthonormalize=True, independent=True).fit(strip()[0])
