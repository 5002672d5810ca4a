"""Who counts as a neighbour: numbers, radii, either or both, any metric, in every graph method."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.spatial.distance
from scipy.spatial.distance import cdist

from tests.cases import GRAPH, IN_SPACE, bent
from tests.compare import relative
from unspool.methods import Isomap, LaplacianEigenmaps

X = bent(150)
NEW = bent(20, seed=4)
every_graph = pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
every_space = pytest.mark.parametrize("case", IN_SPACE.values(), ids=IN_SPACE)
SPARSE_ABLE = (Isomap, LaplacianEigenmaps)
PATIENT = {name: case for name, case in GRAPH.items() if case.patient}


@every_graph
def test_one_number_a_point(case):
    equal = case.make(n_neighbors=[9] * 150).fit(X)
    assert relative(equal.embedding_, case.make(n_neighbors=9).fit(X).embedding_) == 0.0
    varied = case.make(n_neighbors=np.arange(150) % 5 + 8).fit(X)
    assert relative(varied.embedding_, equal.embedding_) > 1e-6
    assert relative(varied.transform(X), varied.embedding_) < 1e-8
    assert np.isfinite(varied.transform(NEW)).all()


@pytest.mark.parametrize("method", SPARSE_ABLE)
def test_numbers_a_point_are_really_used(method):
    """Against a graph that was cut by hand."""
    counts = np.arange(150) % 5 + 8
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    rank = np.argsort(np.argsort(distances, axis=1), axis=1)
    by_hand = np.where(rank < counts[:, None], distances, 0.0)
    ours = method(2, n_neighbors=counts).fit(X)
    expected = method(2, metric="precomputed").fit(sp.csr_array(by_hand))
    assert relative(ours.embedding_, expected.embedding_) < 1e-9


@pytest.mark.parametrize("case", PATIENT.values(), ids=PATIENT)
def test_all_others_as_neighbours(case):
    model = case.make(n_neighbors=149).fit(X)
    assert relative(model.transform(X), model.embedding_) < 1e-8
    by_radius = case.make(n_neighbors=None, radius=2 * float(np.ptp(X)) * np.sqrt(5)).fit(X)
    assert relative(by_radius.embedding_, model.embedding_) < 1e-7


@pytest.mark.parametrize("method", SPARSE_ABLE)
def test_radius(method):
    """Both ends included, on points whose distances are whole numbers."""
    line = np.arange(12.0)[:, None]
    index = np.arange(12)
    steps = np.abs(index[:, None] - index)
    ours = method(1, radius=2.0).fit(line)
    expected = method(1, metric="precomputed").fit(sp.csr_array(np.where(steps <= 2, steps, 0.0)))
    assert relative(ours.embedding_, expected.embedding_) < 1e-9


@every_graph
def test_radius_maps_and_places(case):
    radius = float(np.sort(cdist(X, X), axis=1)[:, 12].max())
    model = case.make(n_neighbors=None, radius=radius).fit(X)
    assert relative(model.transform(X), model.embedding_) < 1e-8
    assert np.isfinite(model.transform(NEW)).all()


def test_a_new_point_with_nobody_within_the_radius_goes_to_its_nearest():
    model = GRAPH["LLE"].make(n_neighbors=None, radius=8.0).fit(X)
    far = X[:5] + 100.0
    nearest = cdist(far, X).argmin(axis=1)
    np.testing.assert_allclose(model.transform(far), model.embedding_[nearest], rtol=1e-12)


@every_graph
def test_number_or_radius_but_not_both(case):
    with pytest.raises(ValueError, match="n_neighbors or radius, not both"):
        case.make(n_neighbors=5, radius=1.0).fit(X)


@every_graph
def test_the_default_is_ten_neighbours_or_all_there_are(case):
    options = {name: value for name, value in case.options.items() if name != "n_neighbors"}
    ours, ten = case.cls(**options).fit(X), case.cls(**options, n_neighbors=10).fit(X)
    assert relative(ours.embedding_, ten.embedding_) == 0.0


@pytest.mark.parametrize("method", SPARSE_ABLE)
def test_mutual_neighbours(method):
    distances = cdist(X, X)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(np.argsort(distances, axis=1), axis=1) < 14
    both = np.where(near & near.T, distances, 0.0)
    either = np.where(near | near.T, distances, 0.0)
    for rule, table in {"mutual": both, "union": either}.items():
        ours = method(2, n_neighbors=14, symmetrize=rule).fit(X)
        expected = method(2, metric="precomputed").fit(sp.csr_array(table))
        assert relative(ours.embedding_, expected.embedding_) < 1e-9


def test_lle_may_be_directed_or_not():
    case = GRAPH["LLE"]
    directed, union, mutual = (
        case.make(n_neighbors=14, symmetrize=rule).fit(X)
        for rule in ("directed", "union", "mutual")
    )
    assert relative(directed.embedding_, case.make(n_neighbors=14).fit(X).embedding_) == 0.0
    for model in (directed, union, mutual):
        assert relative(model.transform(X), model.embedding_) < 1e-8
        np.testing.assert_allclose(
            model.embedding_.T @ model.embedding_, 150 * np.eye(2), atol=1e-8
        )
    assert relative(union.embedding_, directed.embedding_) > 1e-6
    assert relative(mutual.embedding_, directed.embedding_) > 1e-6


@every_space
@pytest.mark.parametrize("metric", ["l2", "manhattan", "l1", "chebyshev", "cosine", "braycurtis"])
def test_metrics_by_name_and_by_function(case, metric):
    same = {"l2": "euclidean", "manhattan": "cityblock", "l1": "cityblock"}.get(metric, metric)
    points = X[:50] + 30.0  # positive, so that every metric is well behaved
    # descent carries the rounding of cosines far; the program itself does not
    exact = {"program": "exact", "isometry": "inequality", "tol": 1e-5, "max_iter": 100}
    more = exact if hasattr(case.cls(), "program") else {}
    by_name = case.make(metric=metric, **more).fit(points)
    called = case.make(metric=getattr(scipy.spatial.distance, same), **more).fit(points)
    assert relative(called.embedding_, by_name.embedding_) < 1e-6
    assert (
        relative(called.transform(points[:9] + 0.01), by_name.transform(points[:9] + 0.01)) < 1e-6
    )


@every_space
def test_unknown_metrics_are_listed(case):
    with pytest.raises(ValueError, match="unknown metric 'euclid'; use a callable or one of"):
        case.make(metric="euclid").fit(X)
    for name in ("mahalanobis", "seuclidean", "nan_euclidean"):  # need parameters nobody can give
        with pytest.raises(ValueError, match="unknown metric"):
            case.make(metric=name).fit(X)


@every_space
@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_a_metric_that_gives_no_distance_is_told(case, bad):
    def metric(a, b):
        return bad if a[0] > 10 and b[0] < 0 else float(np.linalg.norm(a - b))

    with pytest.raises(ValueError, match="distance is a finite number that is not negative"):
        case.make(metric=metric).fit(X)
