"""Points in single precision: computed with in double, kept as they came."""

import numpy as np
import pytest

import unspool
from tests.cases import CASES

# far from the origin: sums and differences in single precision would lose digits that the map shows
SHIFT = 100.0
QUICK = ("PCA", "KernelPCA", "ClassicalMDS", "LaplacianEigenmaps", "LTSA", "LandmarkMDS")
NAMES = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
    for name in CASES
    if name not in ("GPCA", "AutoassociativeNetwork", "PolynomialPCA", "FeatureMapPCA")
]  # those sort wide tables into groups, descend by chance, or square all 80 columns


def wide(n=300, columns=80):
    random = np.random.default_rng(0)
    bends = 0.3 * random.normal(size=(2, columns))
    return (SHIFT + np.sin(random.uniform(0, 3, (n, 2)) @ bends)).astype(np.float32)


def gap(found, expected):
    return np.abs(found.astype(float) - expected.astype(float)).max() / np.ptp(expected)


@pytest.mark.parametrize("name", NAMES)
def test_the_map_of_single_precision_is_that_of_the_same_numbers_in_double(name):
    points = wide()
    queries = (points[:20] + points[1:21]) / 2
    single, double = (CASES[name].make().fit(X) for X in (points, points.astype(float)))
    assert single.embedding_.dtype == np.float32
    assert gap(single.embedding_, double.embedding_) < 1e-6
    assert gap(single.transform(queries), double.transform(queries.astype(float))) < 1e-6
    places = double.embedding_[:20] + 0.01 * np.ptp(double.embedding_, axis=0)
    assert gap(single.inverse_transform(places), double.inverse_transform(places)) < 1e-5


KEPT = ("KernelPCA", "ClassicalMDS", "LandmarkMDS", "LaplacianEigenmaps", "Isomap", "LTSA", "TSNE")


@pytest.mark.parametrize("name", KEPT)
def test_they_are_kept_as_they_came_and_saved_so(name, tmp_path):
    points = wide(60)
    model = CASES[name].make().fit(points)
    assert model._X.dtype == np.float32
    assert not np.shares_memory(model._X, points)
    unspool.save(model, tmp_path / "model.unspool")
    again = unspool.load(tmp_path / "model.unspool")
    np.testing.assert_array_equal(again.transform(points[:5]), model.transform(points[:5]))


def test_few_columns_and_other_metrics_have_theirs_in_double():
    assert unspool.Isomap(2).fit(wide(60, 20))._X.dtype == np.float64  # for a tree
    assert unspool.Isomap(2, metric="cityblock").fit(wide(60))._X.dtype == np.float64
    assert unspool.KernelPCA(2, kernel="linear").fit(wide(60))._X.dtype == np.float64
