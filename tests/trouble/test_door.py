"""What comes in by the door: cells that are masked, words, single precision, other types."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import unspool
from tests.cases import CASES, bent
from tests.compare import relative
from unspool.methods import LLE, MDS, PCA, Isomap, KernelPCA

pytestmark = pytest.mark.filterwarnings("ignore:coordinate .* carried by")
X = bent(60)
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


@every_method
def test_masked_cells_are_no_data(case):
    """What lies under the mask is not looked at; today's numbers there may be yesterday's."""
    masked = np.ma.masked_array(X, mask=False)
    masked[7, 3] = np.ma.masked
    with pytest.raises(ValueError, match="NaN in row 7, column 3"):
        case.make().fit(masked)
    model = case.make().fit(np.ma.masked_array(X, mask=False))
    assert relative(model.embedding_, case.make().fit(X).embedding_) < 1e-12
    with pytest.raises(ValueError, match="NaN in row 7, column 3"):
        model.transform(masked)


def test_masked_distances_are_gaps():
    """Stress takes a distance that is not known for what it is."""
    table = cdist(X, X)
    mask = np.zeros(table.shape, dtype=bool)
    mask[3, 9] = mask[9, 3] = True
    gaps = np.where(mask, np.nan, table)
    spoiled = np.ma.masked_array(np.where(mask, 1e6, table), mask)
    expected = MDS(metric="precomputed", max_iter=20).fit(gaps).embedding_
    np.testing.assert_array_equal(
        MDS(metric="precomputed", max_iter=20).fit(spoiled).embedding_, expected
    )


@every_method
def test_a_frame_of_single_precision_comes_out_so(case):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X.astype(np.float32), columns=list("abcde"))
    model = case.make().fit(frame)
    assert model.embedding_.dtype == np.float32
    assert model.transform(frame).dtype == np.float32
    assert model.inverse_transform(model.embedding_).dtype == np.float32
    frame["a"] = frame["a"].astype(np.float64)
    assert case.make().fit(frame).embedding_.dtype == np.float64


def test_a_frame_of_polars_too():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X.astype(np.float32), schema=list("abcde"))
    assert PCA(2).fit(frame).embedding_.dtype == np.float32


@every_method
def test_a_word_is_told_with_its_column(case):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde")).astype({"d": object})
    frame.loc[17, "d"] = "unknown"
    with pytest.raises(ValueError, match=r"'unknown' in row 17, column 'd'; leave that column out"):
        case.make().fit(frame)
    words = X.astype(object)
    words[17, 3] = "unknown"
    with pytest.raises(ValueError, match="'unknown' in row 17, column 3"):
        case.make().fit(words)


@every_method
@pytest.mark.parametrize(
    "data",
    [
        np.array([[{}, 1.0], [2.0, 3.0]], dtype=object),
        sp.csr_array(X),
        np.array([["a", "b"], ["c", "d"]]),
        X + 1j,
        "points",
        None,
    ],
    ids=["objects", "sparse", "words", "complex", "a word", "nothing"],
)
def test_what_is_no_table_of_numbers_is_a_value_error(case, data):
    if sp.issparse(data) and case.cls._SPARSE_POINTS:
        pytest.skip("takes sparse points: tests/properties/test_sparse_points.py")
    with pytest.raises(ValueError, match=r"."):
        case.make().fit(data)


def test_landmarks_of_other_methods_are_told():
    for options in ({}, {"n_landmarks": 10}):
        with pytest.raises(ValueError, match=r"indices or one of cholesky.*got 'maxmin'"):
            KernelPCA(2, landmarks="maxmin", **options).fit(X)


@pytest.mark.parametrize("value", [0.0, 5.0, 1e8])
def test_pca_of_equal_points_warns_as_others_do(value):
    same = np.full((20, 3), value)
    for method in (PCA, KernelPCA):
        with pytest.warns(UserWarning, match="only 0 of 2 coordinates are nonzero"):
            method(2).fit(same)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PCA(2).fit(value + 1e-3 * X)
        PCA(2).fit(1e-60 * X)


def grid(side):
    return np.stack(np.meshgrid(np.arange(side), np.arange(side)), axis=-1).reshape(-1, 2) * 1.0


def tied_share(points, count):
    """Return the share of points with more points as near as their last neighbour."""
    ordered = np.sort(cdist(points, points), axis=1)
    return float(np.mean(ordered[:, count] == ordered[:, count + 1]))


@pytest.mark.parametrize("method", [Isomap, LLE])
@pytest.mark.parametrize("count", [4, 5, 6])
def test_ties_among_neighbours_are_reported(method, count):
    points = grid(9)
    share = tied_share(points, count)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = method(2, n_neighbors=count).fit(points)
    told = [sentence for sentence in model.report_.advice if "as near as their last" in sentence]
    assert len(told) == 1
    assert float(told[0].split()[1]) == pytest.approx(100 * share, abs=1.0)


def test_no_ties_no_report():
    assert not any("as near as" in told for told in Isomap(2).fit(X).report_.advice)
    corner = np.arange(12.0)[:, None] ** 2  # 0, 1, 4, 9, ...: no two gaps are equal
    model = Isomap(1, n_neighbors=2).fit(corner)
    assert not any("as near as" in told for told in model.report_.advice)
    model = unspool.Isomap(1, radius=4.0).fit(np.arange(12.0)[:, None])
    assert not any("as near as" in told for told in model.report_.advice)
