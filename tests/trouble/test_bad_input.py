"""Input that cannot be mapped is refused at once, with what, where and what to do."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError

from tests.cases import CASES, GRAPH, bent
from unspool import runtime

# Hessian eigenmaps of 60 points: three carry a coordinate, and it is told
pytestmark = pytest.mark.filterwarnings("ignore:coordinate . is carried by:UserWarning")

X = bent(60)
FROM_DISTANCES = {name: case for name, case in CASES.items() if case.precomputed == "metric"}
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
on_distances = pytest.mark.parametrize("case", FROM_DISTANCES.values(), ids=FROM_DISTANCES)


def with_entry(value, row=7, column=3):
    spoiled = X.copy()
    spoiled[row, column] = value
    return spoiled


REFUSED = {
    "NaN": (with_entry(np.nan), r"NaN in row 7, column 3 \(1 such entries.*drop those rows"),
    "infinity": (with_entry(np.inf), r"inf.* in row 7, column 3"),
    "minus infinity": (with_entry(-np.inf), r"inf.* in row 7, column 3"),
    "no points": (np.zeros((0, 3)), r"0 sample\(s\).*minimum of 2"),
    "no features": (np.zeros((5, 0)), r"0 feature\(s\).*minimum of 1"),
    "one point": (X[:1], r"1 sample\(s\).*minimum of 2"),
    "one dimension": (X[:, 0], "Expected 2D array, got 1D array"),
    "three dimensions": (np.zeros((4, 3, 2)), "dim 3"),
    "a number": (3.0, "Expected 2D array, got scalar"),
    "nothing": (None, "Expected 2D array"),
    "complex": (X + 1j, "Complex data not supported"),
    "words": (np.array([["a", "b"], ["c", "d"]]), "could not convert string to float"),
    "objects": (np.array([[{}, 1.0], [2.0, 3.0]], dtype=object), "must be a string or a real"),
    "ragged rows": ([[1.0, 2.0], [3.0]], "inhomogeneous"),
    "too large": (1e200 * X, r"values reach .*e\+20.*overflow; divide the data by"),
    "one entry too large": (with_entry(1e200), r"values reach 1\.0e\+200"),
    "too small": (1e-200 * X, "vanish; divide the data by"),
}


@every_method
@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_a_clear_error(case, what):
    data, message = REFUSED[what]
    events = []
    model = case.make()
    with (
        runtime.listen(events.append),
        pytest.raises((ValueError, TypeError), match=f"(?s){message}"),
    ):
        model.fit(data)
    assert not events  # before any work
    assert not hasattr(model, "embedding_")


@every_method
@pytest.mark.parametrize(
    "what", ["NaN", "infinity", "no points", "one dimension", "complex", "words", "too large"]
)
def test_new_points_are_checked_alike(case, what):
    data, message = REFUSED[what]
    data = data[:, :3] if what == "no points" else data
    model = case.make().fit(X)
    kept = np.array(model.embedding_)
    message = message.replace("minimum of 2", "minimum of 1")
    with pytest.raises((ValueError, TypeError), match=f"(?s){message}"):
        model.transform(data)
    np.testing.assert_array_equal(model.embedding_, kept)


@every_method
def test_sparse_points_are_refused_with_the_way_out(case):
    if case.cls._SPARSE_POINTS:
        pytest.skip("takes sparse points: tests/properties/test_sparse_points.py")
    with pytest.raises(TypeError, match=r"Sparse data was passed.*toarray"):
        case.make().fit(sp.csr_array(X))


@every_method
def test_another_number_of_features(case):
    model = case.make().fit(X)
    with pytest.raises(ValueError, match=r"X has 4 features, but \w+ is expecting 5 features"):
        model.transform(X[:, :4])
    with pytest.raises(ValueError, match="6 features"):
        model.transform(np.hstack([X, X[:, :1]]))


@every_method
def test_nothing_works_before_fit(case):
    model = case.make()
    for call in (model.transform, model.inverse_transform):
        with pytest.raises(NotFittedError, match=f"{case.cls.__name__}.* not fitted yet"):
            call(X)


@every_method
@pytest.mark.parametrize("bad", [0, -1, 2.5, "2", True, np.nan, [2]])
def test_numbers_of_coordinates_that_are_none(case, bad):
    with pytest.raises(ValueError, match=rf"{case.cls.__name__}: n_components .* got "):
        case.make(n_components=bad).fit(X)


@every_method
@pytest.mark.parametrize("count", [60, 61, 10**9])
def test_as_many_coordinates_as_points(case, count):
    with pytest.raises(ValueError, match=rf"n_components.*{count}.*(use at most|lower)"):
        case.make(n_components=count).fit(X)


@pytest.mark.parametrize("name", sorted(set(CASES) & {"PCA"}))
def test_more_axes_than_features(name):
    with pytest.raises(ValueError, match=r"n_components=6.*5 features.*use at most 5"):
        CASES[name].make(n_components=6).fit(X)


@pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (0, "at least one neighbour; got n_neighbors=0"),
        (-3, "at least one neighbour; got n_neighbors=-3"),
        (60, "n_neighbors=60 .*n_samples=60; use n_neighbors between 1 and 59"),
        (10**6, "between 1 and 59"),
        (5.0, "whole number"),
        ("five", "whole number"),
        (True, "whole number"),
        ([5, 6], r"one per point \(60\); got shape \(2,\)"),
        ([5] * 59 + [0], "at least one neighbour"),
        ([5] * 59 + [60], "between 1 and 59"),
        (np.full((60, 2), 5), "got shape"),
    ],
)
def test_numbers_of_neighbours_that_are_none(case, bad, message):
    with pytest.raises(ValueError, match=message):
        case.make(n_neighbors=bad).fit(X)


@pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, "far"])
def test_radii_that_are_none(case, bad):
    with pytest.raises(ValueError, match=f"{case.cls.__name__}: radius must be"):
        case.make(n_neighbors=None, radius=bad).fit(X)


# tables


def distances(change=None, n=60):
    table = cdist(X[:n], X[:n])
    if change is not None:
        (row, column), value = change
        table[row, column] = value
    return table


@on_distances
@pytest.mark.parametrize(
    ("table", "message"),
    [
        (distances(((2, 5), 0.001)), r"symmetric, but entry \(2, 5\) is .*\(5, 2\)"),
        (distances(((2, 5), -1.0)), "must not be negative; the smallest is -1"),
        (distances(((4, 4), 1.0)), r"to itself must be 0, but entry \(4, 4\) is 1.*similarities"),
        (distances()[:, :50], r"must be square; got shape \(60, 50\)"),
        (distances(((2, 5), np.nan)), "NaN in row 2, column 5"),
        (distances(((2, 5), np.inf)), "inf.* in row 2, column 5"),
        (1e200 * distances(), "overflow; divide the data by"),
        (1e-200 * distances(), "vanish; divide the data by"),
        (distances() + 1j, "Complex data not supported"),
    ],
)
def test_tables_that_are_no_distances(case, table, message):
    if case.gaps and message.startswith("NaN"):
        pytest.skip("a gap is a distance that is not known")
    events = []
    with runtime.listen(events.append), pytest.raises(ValueError, match=f"(?s){message}"):
        case.make(metric="precomputed").fit(table)
    assert not events


@on_distances
def test_rounding_is_not_taken_for_asymmetry(case):
    table = distances()
    table[2, 5] *= 1 + 1e-12
    np.fill_diagonal(table, 1e-15)
    assert np.isfinite(case.make(metric="precomputed").fit(table).embedding_).all()


@on_distances
def test_rows_of_new_points_are_checked(case):
    model = case.make(metric="precomputed").fit(distances())
    with pytest.raises(ValueError, match=r"X has 50 features.*expecting 60"):
        model.transform(distances()[:3, :50])
    with pytest.raises(ValueError, match="must not be negative"):
        model.transform(-distances()[:3])
    if case.gaps:
        return
    spoiled = distances()[:3]
    spoiled[1, 4] = np.nan
    with pytest.raises(ValueError, match="NaN in row 1, column 4"):
        model.transform(spoiled)


def test_tables_that_are_no_kernel():
    case = CASES["KernelPCA"]
    kernel = np.exp(-distances())
    for table, message in [
        (kernel[:, :50], "kernel table must be square"),
        (np.triu(kernel), r"kernel table must be symmetric, but entry \("),
        (kernel + np.where(np.arange(60) == 5, np.nan, 0.0), "NaN in row 0, column 5"),
    ]:
        with pytest.raises(ValueError, match=message):
            case.make(kernel="precomputed").fit(table)


def test_kernel_functions_that_are_none():
    case = CASES["KernelPCA"]
    with pytest.raises(ValueError, match="unknown kernel 'bump'"):
        case.make(kernel="bump").fit(X)
    with pytest.raises(ValueError, match="gave nan for row 0 and point 0"):
        case.make(kernel=lambda a, b: np.nan).fit(X)
    with pytest.raises(ValueError, match="must be symmetric"):
        case.make(kernel=lambda a, b: a[0] - 2 * b[0]).fit(X)


def test_kernels_that_overflow_are_told():
    """(x'y + 1)^9 of data at 1e40: not NaN, not LinAlgError, but a sentence."""
    case = CASES["KernelPCA"]
    with pytest.raises(ValueError, match=r"'polynomial' gave inf .*lower degree"):
        case.make(kernel="polynomial", degree=9).fit(1e40 * X)
    model = case.make(kernel="polynomial", degree=9).fit(X)
    with pytest.raises(ValueError, match="'polynomial' gave inf"):
        model.transform(1e40 * X)


@pytest.mark.parametrize("name", sorted(set(GRAPH) & {"Isomap", "LaplacianEigenmaps"}))
@pytest.mark.parametrize(
    ("change", "message"),
    [(np.nan, "NaN in row"), (-1.0, "must not be negative"), (1e200, "overflow")],
)
def test_sparse_graphs_are_checked(name, change, message):
    table = sp.csr_array(np.where(distances() < 8, distances(), 0.0))
    table.data[5] = change
    with pytest.raises(ValueError, match=message):
        GRAPH[name].make(n_neighbors=None, metric="precomputed").fit(table)
    with pytest.raises(ValueError, match="must be square"):
        GRAPH[name].make(n_neighbors=None, metric="precomputed").fit(
            sp.csr_array(distances()[:, :50])
        )


def test_widths_given_twice():
    for name, options in [
        ("KernelPCA", {"gamma": 1.0, "sigma": 1.0}),
        ("KernelPCA", {"gamma": 1.0, "sigma": 1.0, "t": 1.0}),
        ("LaplacianEigenmaps", {"sigma": 1.0, "t": 2.0}),
    ]:
        with pytest.raises(ValueError, match=f"given {len(options)} times.*exactly one of"):
            CASES[name].make(**options).fit(X)
    with pytest.raises(ValueError, match="has no width"):
        CASES["LaplacianEigenmaps"].make(weights="binary", t=2.0).fit(X)
