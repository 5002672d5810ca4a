"""Coordinates that a few points carry are told, and the points set apart when that is asked for."""

import warnings

import numpy as np
import pytest

import unspool
from unspool import datasets
from unspool.relation import find_localized

METHODS = (unspool.LTSA, unspool.LLE, unspool.LaplacianEigenmaps, unspool.HessianLLE)
OF_ALL_POINTS = {  # methods whose eigenproblem has no graph, as they are when far points count
    "PCA": unspool.PCA(2),
    "KernelPCA": unspool.KernelPCA(2, kernel="polynomial"),
    "ClassicalMDS": unspool.ClassicalMDS(2),
    "LandmarkMDS": unspool.LandmarkMDS(2, n_landmarks=50),
    "FeatureMapPCA": unspool.FeatureMapPCA(2),
    "PolynomialPCA": unspool.PolynomialPCA(2),
}


def with_strays(seed=0):
    """A sheet, and three points far from it that are near each other only."""
    sheet = datasets.s_curve(400, seed=seed).points
    strays = np.array([[60.0, 0.0, 0.0], [60.5, 0.0, 0.0], [60.0, 0.5, 0.0]])
    return np.vstack([sheet, strays])


@pytest.mark.parametrize("seed", range(3))
def test_the_points_that_carry_a_coordinate_are_named(seed):
    X = with_strays(seed)
    with pytest.warns(UserWarning, match="carried by") as caught:
        model = unspool.LTSA(2, n_neighbors=8).fit(X)
    text = str(caught[-1].message)
    for row in (400, 401, 402):
        assert str(row) in text
    assert "outliers='separate'" in text
    assert text in model.report_.advice
    assert len(model.outliers_) == 0


@pytest.mark.parametrize("model", OF_ALL_POINTS.values(), ids=OF_ALL_POINTS)
def test_a_far_row_that_rules_a_map_of_all_points_is_named(model):
    points = np.random.default_rng(0).standard_normal((501, 3))
    points[500] = 80.0
    with pytest.warns(UserWarning, match=r"carried by 1 of 501 points \(rows 500\)") as caught:
        model.fit(points)
    assert str(caught[-1].message) in model.report_.advice
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(points[:500])


def test_a_kernel_so_narrow_that_pairs_own_coordinates_is_told():
    points = np.random.default_rng(0).standard_normal((400, 2))
    with pytest.warns(UserWarning, match="carried by .* widen the kernel"):
        unspool.KernelPCA(2, sigma=0.05).fit(points)


@pytest.mark.parametrize("seed", range(20))
def test_columns_that_need_no_sorting_are_told_from_those_that_few_carry(seed):
    """Near the limit, where 95 % lie within about 5 % of the width, as sorting finds it."""
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 400))
    column = random.uniform(0.0, 0.05 * random.uniform(0.9, 1.1), n)
    far = random.permutation(n)[: max(2, round(n * random.uniform(0.03, 0.07)))]
    column[far] = random.uniform(0.0, 1.0, len(far))
    column[far[:2]] = 0.0, 1.0
    ordered = np.sort(column)
    held = int(np.ceil(0.95 * n))
    least = (ordered[held - 1 :] - ordered[: n - held + 1]).min()
    assert bool(find_localized(column[:, None])) == (least <= 0.05 * np.ptp(column))


@pytest.mark.parametrize("cls", METHODS)
def test_strays_can_be_set_apart(cls):
    X = with_strays()
    model = cls(2, n_neighbors=12, outliers="separate")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X)
    assert set(model.outliers_) <= {400, 401, 402}
    assert find_localized(model.charts_[0].coordinates) == []
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)


def test_a_map_without_strays_is_the_same_either_way():
    X = datasets.s_curve(300).points
    kept, apart = (unspool.LTSA(2, n_neighbors=9, outliers=o).fit(X) for o in ("keep", "separate"))
    np.testing.assert_array_equal(kept.embedding_, apart.embedding_)
    assert len(apart.outliers_) == 0


def test_what_counts_as_carried_by_few():
    even = np.linspace(-1.0, 1.0, 200)
    assert find_localized(even[:, None]) == []
    found = find_localized(np.column_stack([even, np.r_[even[:190] * 0.01, even[190:] + 5]]))
    assert [localized.coordinate for localized in found] == [2]
    assert set(found[0].carriers) == set(range(190, 200))
    assert find_localized(np.zeros((100, 2))) == []


def test_strays_that_are_set_apart_have_a_cluster():
    X = with_strays()
    model = unspool.SpectralClustering(n_clusters=3, n_neighbors=12, outliers="separate")
    labels = model.fit_predict(X)
    assert len(labels) == len(X)
    assert len(model.outliers_) > 0
    np.testing.assert_array_equal(model.predict(X), labels)
