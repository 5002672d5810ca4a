"""A fitted model keeps its own copy: what happens to the caller's array later changes nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import unspool
from tests.cases import CASES, roll

every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_changing_the_data_afterwards_changes_no_answer(case, dtype):
    X = roll(120).points.astype(dtype)
    model = case.make().fit(X)
    queries, places = X[::7] + dtype(0.1), np.array(model.embedding_[::9])
    there, back = model.transform(queries), model.inverse_transform(places)
    X -= X.mean(axis=0)
    X *= 3
    np.testing.assert_array_equal(model.transform(queries), there)
    np.testing.assert_array_equal(model.inverse_transform(places), back)


def test_changing_a_table_afterwards_changes_no_answer():
    table = cdist(roll(80).points, roll(80).points)
    for given in (table, sp.csr_array(np.where(table < 12, table, 0.0))):
        model = unspool.Isomap(metric="precomputed", components="largest").fit(given)
        rows = 1.01 * given[:5]
        before = model.transform(rows)
        given *= 2.0
        np.testing.assert_array_equal(model.transform(rows), before)


@pytest.mark.parametrize("order", ["C", "F"])
def test_data_frames_are_copied_too(order):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.array(roll(60).points, order=order), copy=False)
    model = unspool.PCA(2).fit(frame)
    before = model.transform(frame.iloc[:5])
    queries = frame.iloc[:5].copy()
    frame.loc[:, :] = 0.0
    np.testing.assert_array_equal(model.transform(queries), before)
