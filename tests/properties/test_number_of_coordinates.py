"""n_components="auto": as many coordinates as the data have dimensions, and why."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import unspool
from tests.cases import CASES
from tests.store.test_round_trip import there_and_back
from unspool import datasets
from unspool.methods.parameters import parameters_of

COUNTING = {n: c for n, c in CASES.items() if parameters_of(c.cls)["n_components"][1].words}
SPECTRAL = {"PCA", "KernelPCA", "ClassicalMDS", "Isomap", "LLE", "LaplacianEigenmaps", "LTSA"}
SPECTRAL |= {"LandmarkMDS", "LandmarkIsomap", "KernelLLE", "ModifiedLLE", "HessianLLE"}
SPECTRAL |= {"DiffusionMaps", "FeatureMapPCA", "PolynomialPCA", "AdditivePCA", "Charting"}
SPECTRAL |= {"ConformalEigenmaps", "MaximumVarianceUnfolding"}


def flat(dimension, n=400):
    """Points uniform in a cube, turned into six features."""
    random = np.random.default_rng(dimension)
    turn = np.linalg.qr(random.standard_normal((6, 6)))[0]
    return random.random((n, dimension)) @ turn[:dimension]


def test_every_spectral_method_counts():
    assert set(COUNTING) >= SPECTRAL


@pytest.mark.parametrize("name", sorted(SPECTRAL))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_as_many_as_the_data_have(name, dimension):
    options = {"n_neighbors": 20} if hasattr(CASES[name].cls(), "n_neighbors") else {}
    model = CASES[name].make(**{**options, "n_components": "auto"}).fit(flat(dimension))
    assert model.embedding_.shape == (400, dimension)
    assert model.n_components == "auto"  # what was asked for is left as it was
    facts = model.report_.stage("dimension").facts
    assert facts["n_components"] == dimension
    assert "levina-bickel" in facts["because"]


def test_it_is_the_map_of_that_many_coordinates():
    points = datasets.swiss_roll(300).points
    found = unspool.Isomap("auto").fit(points)
    np.testing.assert_array_equal(found.embedding_, unspool.Isomap(2).fit(points).embedding_)
    np.testing.assert_array_equal(found.transform(points[:5] + 0.01).shape, (5, 2))


def test_a_table_of_distances_counts_too():
    points = flat(3)
    table = cdist(points, points)
    assert unspool.ClassicalMDS("auto", metric="precomputed").fit(table).embedding_.shape[1] == 3


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (unspool.KernelPCA("auto", kernel="precomputed"), np.eye(20)),
        (
            unspool.Isomap("auto", metric="precomputed"),
            sp.csr_array(np.ones((20, 20)) - np.eye(20)),
        ),
    ],
)
def test_tables_without_distances_do_not(model, table):
    with pytest.raises(ValueError, match="give n_components as a number"):
        model.fit(table)


def test_another_word_is_refused():
    with pytest.raises(ValueError, match="must be a number or 'auto'"):
        unspool.PCA("many").fit(flat(2))
    with pytest.raises(ValueError, match="must be a whole number or 'auto'"):
        unspool.Isomap("many").fit(flat(2))


def test_it_is_saved(tmp_path):
    model = unspool.LTSA("auto").fit(flat(2))
    again = there_and_back(model, tmp_path)
    assert again.n_components == "auto"
    np.testing.assert_array_equal(again.transform(flat(2)[:9]), model.embedding_[:9])
