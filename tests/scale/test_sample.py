"""A sample in place of all rows: what goes in is what its method takes, and it can be saved."""

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import unspool
from unspool import PCA, Isomap, KernelPCA, LandmarkMDS, datasets, scale

from ..interfaces.running import done

POINTS = datasets.s_curve(700, seed=6).points
FRAME = pd.DataFrame(POINTS, columns=list("abc"))


def sampled(method, **options):
    return scale.by_sample(method, 350, **{"held_out": 60, **options})


@pytest.mark.parametrize("make", [np.ndarray.tolist, pd.DataFrame, pl.DataFrame, np.asfortranarray])
def test_a_sample_takes_what_its_method_takes(make):
    expected = sampled(Isomap(2, n_neighbors=8)).fit(POINTS)
    found = sampled(Isomap(2, n_neighbors=8)).fit(make(POINTS))
    np.testing.assert_array_equal(found.sample_, expected.sample_)
    np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-9)
    np.testing.assert_allclose(found.placing_errors_, expected.placing_errors_, atol=1e-9)


@pytest.mark.filterwarnings("ignore:rows outside the sample")  # random rows have no map
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.parametrize("method", [PCA(2), KernelPCA(2, gamma=0.05)], ids=["pca", "kernel"])
def test_sparse_rows_stay_sparse_and_give_the_same_map(method, layout):
    table = sp.random_array((700, 90), density=0.2, rng=np.random.default_rng(0), format=layout)
    found = sampled(method).fit(table)
    assert found.embedding_.shape == (700, 2)
    rows = sp.csr_array(table)
    again = type(method)(**method.get_params()).fit(rows[found.sample_])
    np.testing.assert_allclose(found.embedding_, again.transform(rows), atol=1e-10)
    assert sp.issparse(vars(found.model_).get("_X")) == sp.issparse(vars(again).get("_X"))
    counts = np.bincount(found.sample_ // 70, minlength=10)
    assert counts.min() > 5  # from everywhere


def test_a_sample_of_single_precision_stays_in_it():
    found = sampled(PCA(2)).fit(POINTS.astype(np.float32))
    assert found.embedding_.dtype == np.float32


def test_what_is_no_table_of_points_is_told_at_once():
    with pytest.raises(ValueError, match=r"an AnnData holds several tables.*\.X"):
        sampled(PCA(2)).fit(anndata.AnnData(POINTS))
    with pytest.raises(ValueError, match="a precomputed table has none"):
        sampled(Isomap(2, metric="precomputed")).fit(np.zeros((700, 700)))
    with pytest.raises(TypeError, match="'w' in row 0, column 'c'"):
        sampled(PCA(2)).fit(FRAME.assign(c="w"))
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        sampled(LandmarkMDS(2)).fit(sp.csr_array(POINTS))
    wrong = FRAME.copy()
    wrong.loc[641, "b"] = np.nan
    for given in (wrong, wrong.to_numpy()):
        with pytest.raises(ValueError, match="NaN in row 641, column 1"):
            sampled(PCA(2)).fit(given)


@pytest.mark.parametrize("make", [pd.DataFrame, pd.DataFrame.to_numpy])
def test_a_sample_is_saved_as_it_is(make, tmp_path):
    given, path = make(FRAME), tmp_path / "roll.unspool"
    model = sampled(Isomap(2, n_neighbors=8), seed=3).fit(given)
    unspool.save(model, path)
    again = unspool.load(path)
    assert isinstance(again, scale.BySample)
    assert (again.n, again.held_out, again.seed) == (350, 60, 3)
    assert again.method.get_params() == model.method.get_params()
    for name in ("sample_", "held_out_", "embedding_", "placing_errors_", "placing_error_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(again.transform(given), model.transform(given))
    assert [stage.name for stage in again.report_.stages] == [s.name for s in model.report_.stages]
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    done("transform", path, tmp_path / "rows.csv", "-o", tmp_path / "placed.csv")
    placed = pd.read_csv(tmp_path / "placed.csv")[["isomap_1", "isomap_2"]]
    np.testing.assert_allclose(placed, model.transform(given), atol=1e-6)


def test_a_sample_that_was_not_drawn_is_not_saved(tmp_path):
    with pytest.raises(ValueError, match="fit it first"):
        unspool.save(sampled(PCA(2)), tmp_path / "roll.unspool")
    assert not any(tmp_path.iterdir())
