"""Input that is odd but has an answer: it must be the right one, finite, with what is lost told."""

import warnings

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tests.cases import CASES, CLOSED_FORM, GRAPH, bent, roll
from tests.compare import relative, up_to_signs
from unspool.methods import (
    LLE,
    PCA,
    ClassicalMDS,
    Isomap,
    KernelPCA,
    LaplacianEigenmaps,
    SpectralClustering,
)

# Hessian eigenmaps of 60 points: three carry a coordinate, and it is told
pytestmark = pytest.mark.filterwarnings("ignore:coordinate . is carried by:UserWarning")

X = bent(60)
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
every_closed_form = pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)
PATIENT = {name: case for name, case in CASES.items() if case.patient and "Clust" not in name}
every_patient = pytest.mark.parametrize("case", PATIENT.values(), ids=PATIENT)
every_graph = pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)


def quietly(call):
    """Run what may warn of components, empty coordinates or widths; anything else still fails."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the neighbour graph has")
        warnings.filterwarnings("ignore", message="only .* coordinates are nonzero")
        warnings.filterwarnings("ignore", message="only .* subspaces have points")
        warnings.filterwarnings("ignore", message=".* points are too few for .* monomials")
        warnings.filterwarnings("ignore", message="the heat kernel is so narrow")
        warnings.filterwarnings("ignore", message="coordinate .* is carried by")
        return call()


def finite_everywhere(model, data):
    places = model.transform(data)
    back = model.inverse_transform(model.embedding_)
    return all(np.isfinite(part).all() for part in (model.embedding_, places, back))


@every_method
@pytest.mark.parametrize("kind", [object, str, "f2", "i8", "u1", bool])
def test_numbers_in_any_dress(case, kind):
    data = np.abs(X).round(2)
    if kind is bool and case.cls is SpectralClustering:  # two points are not three clusters
        data = np.where(data > np.median(data, axis=0), data, 0.0)
    expected = quietly(lambda: case.make().fit(data.astype(kind).astype(float))).embedding_
    found = quietly(lambda: case.make().fit(data.astype(kind))).embedding_
    assert relative(found + 1.0, expected + 1.0) < 1e-9  # all zero, where two points are left


@every_patient
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_handful_of_points(case, n):
    options = {"n_neighbors": n - 1} if case.has_graph else {}
    model = quietly(lambda: case.make(n_components=1, **options).fit(X[:n]))
    assert finite_everywhere(model, X[:n])
    assert relative(model.transform(X[:n]), model.embedding_) < 1e-8


def test_two_points_lie_at_their_distance():
    gap = np.linalg.norm(X[0] - X[1])
    for method in (PCA, ClassicalMDS, Isomap):
        Y = method(1).fit(X[:2]).embedding_
        np.testing.assert_allclose(np.sort(Y.ravel()), [-gap / 2, gap / 2], rtol=1e-12)
    weight = np.exp(-1.0)  # the one edge weighs 1/e by the default width
    Y = LaplacianEigenmaps(1).fit(X[:2]).embedding_
    np.testing.assert_allclose(np.abs(Y), np.sqrt(1 / (2 * weight)), rtol=1e-12)
    np.testing.assert_allclose(np.abs(LLE(1).fit(X[:2]).embedding_), 1.0, rtol=1e-9)


@every_closed_form
def test_one_feature(case):
    line = np.sort(X[:, :1], axis=0)
    model = case.make(n_components=1).fit(line)
    assert finite_everywhere(model, line)
    assert relative(model.transform(line), model.embedding_) < 1e-8
    if case.cls in (PCA, ClassicalMDS):
        assert up_to_signs(model.embedding_, line - line.mean()) < 1e-10
    if case.cls is Isomap:  # the map of a line is the line
        assert up_to_signs(model.embedding_, line - line.mean()) < 1e-10


def test_one_feature_has_no_second_axis():
    line = X[:, :1]
    with pytest.raises(ValueError, match="1 features"):
        PCA(2).fit(line)
    for model in (ClassicalMDS(2), KernelPCA(2, kernel="linear"), Isomap(2, n_neighbors=59)):
        with pytest.warns(UserWarning, match="only 1 of 2 coordinates"):
            Y = model.fit(line).embedding_
        assert not Y[:, 1].any()


@every_closed_form
def test_constant_columns_carry_nothing(case):
    padded = np.insert(X, [0, 3, 5], [[7.0, -2.0, 0.0]], axis=1)
    model = case.make().fit(padded)
    assert up_to_signs(model.embedding_, case.make().fit(X).embedding_) < 1e-7
    assert relative(model.transform(padded), model.embedding_) < 1e-8


@every_method
@pytest.mark.parametrize("n", [20, 700])
@pytest.mark.parametrize("value", [0.0, 5.0, 1e8])
def test_all_points_equal(case, n, value):
    same = np.full((n, 3), value)
    if "Principal" in case.cls.__name__:  # a curve through one point is no curve
        with pytest.raises(ValueError, match="coincide"):
            case.make().fit(same)
        return
    if case.cls is SpectralClustering:  # nor are there clusters of one point
        with pytest.raises(ValueError, match=f"only 1 of {n} rows differ"):
            case.make().fit(same)
        return
    model = quietly(lambda: case.make().fit(same))
    assert finite_everywhere(model, same)
    if case.power == 1 and case.closed_form:  # no distances, no map
        assert not model.embedding_.any()
        assert not model.transform(same).any()
        assert not model.eigenvalues_.any()


def test_all_points_equal_is_told():
    same = np.full((20, 3), 5.0)
    for model in (ClassicalMDS(2), Isomap(2), KernelPCA(2)):
        with pytest.warns(UserWarning, match="only 0 of 2 coordinates are nonzero"):
            model.fit(same)
        assert not model.embedding_.any()


# duplicates


@every_patient
def test_pairs_of_equal_points(case):
    """Each point twice: finite everywhere, and each copy where the other is."""
    double = np.repeat(bent(60), 2, axis=0)
    model = quietly(lambda: case.make().fit(double))
    assert finite_everywhere(model, double)
    first, second = model.embedding_[0::2], model.embedding_[1::2]
    assert np.abs(first - second).max() < 0.2 * np.ptp(model.embedding_)


@pytest.mark.parametrize("method", [PCA, KernelPCA, ClassicalMDS])
def test_copies_lie_exactly_on_each_other(method):
    double = np.repeat(X, 3, axis=0)
    Y = method(2).fit(double).embedding_
    scale = np.abs(Y).max()
    np.testing.assert_allclose(Y[0::3], Y[1::3], atol=1e-10 * scale)
    np.testing.assert_allclose(Y[0::3], Y[2::3], atol=1e-10 * scale)
    # and where they would lie without copies, the mean being the same
    if method is not KernelPCA:
        assert up_to_signs(Y[0::3], method(2).fit(X).embedding_) < 1e-9


def test_copies_are_at_distance_zero_in_isomap():
    """With copies, geodesics are those without them."""
    once = roll(120).points
    plain = Isomap(2, n_neighbors=6).fit(once)
    twice = Isomap(2, n_neighbors=6).fit(np.repeat(once, 2, axis=0))
    assert (np.diag(twice.geodesics_, k=1)[0::2] == 0).all()
    np.testing.assert_allclose(twice.geodesics_[0::2, 0::2], plain.geodesics_, rtol=1e-12)
    assert up_to_signs(twice.embedding_[0::2], plain.embedding_) < 1e-9


@every_graph
@pytest.mark.parametrize("copies", [5, 15])
def test_more_copies_than_neighbours(case, copies):
    """Eight points, eight neighbours, fifteen copies: all other points are neighbours, no copy."""
    points = bent(8)
    many = np.repeat(points, copies, axis=0)
    model = quietly(lambda: case.make().fit(many))
    assert finite_everywhere(model, many)
    assert not model.component_labels_.any()
    first = model.embedding_[::copies]
    np.testing.assert_array_equal(model.embedding_, np.repeat(first, copies, axis=0))
    assert np.unique(first.round(12), axis=0).shape[0] > 1


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_copies_are_never_in_two_clusters(count):
    """Of few points each with more copies than neighbours, in as many clusters as there can be."""
    many = np.repeat(bent(count), 15, axis=0)
    with pytest.raises(ValueError, match=f"only {count} of {15 * count} rows differ"):
        SpectralClustering(n_clusters=count, n_neighbors=8).fit(many)
    for clusters in {count - 1, "eigengap"}:
        model = quietly(
            lambda k=clusters: SpectralClustering(n_clusters=k, n_neighbors=8).fit(many)
        )
        labels = model.labels_.reshape(count, 15)
        assert (labels == labels[:, :1]).all()
        assert len(np.unique(labels)) == model.n_clusters_
        np.testing.assert_allclose(model.transform(many), model.embedding_, atol=1e-12)


def test_isomap_bridges_crowds_of_copies_right():
    """A radius that reaches nobody: crowds are joined by a spanning tree of the eight points."""
    from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

    points = bent(8)
    with pytest.warns(UserWarning, match="8 connected components"):
        model = Isomap(1, radius=1e-6).fit(np.repeat(points, 15, axis=0))
    tree = shortest_path(minimum_spanning_tree(cdist(points, points)), directed=False)
    np.testing.assert_allclose(model.geodesics_[::15, ::15], tree, rtol=1e-12, atol=1e-12)


@every_graph
def test_a_copy_of_a_known_point_gets_its_place(case):
    model = case.make().fit(X)
    np.testing.assert_array_equal(model.transform(X[[5, 5, 9]]), model.embedding_[[5, 5, 9]])


@every_patient
def test_as_many_coordinates_as_there_can_be(case):
    """n - 1 coordinates of 6 points in 8 dimensions, or all features."""
    random = np.random.default_rng(0)
    points = random.standard_normal((6, 8))
    options = {"n_neighbors": 5} if case.has_graph else {}
    count = 5 if case.closed_form else 2
    model = quietly(lambda: case.make(n_components=count, **options).fit(points))
    assert model.embedding_.shape == (6, count)
    assert finite_everywhere(model, points)
    if case.cls in (PCA, ClassicalMDS, Isomap):
        np.testing.assert_allclose(cdist(model.embedding_, model.embedding_), cdist(points, points))


def test_tables_of_single_precision_may_be_symmetric_to_single_precision():
    """Rounded apart by one part in ten million: taken for the mean of both."""
    table = cdist(X, X).astype(np.float32)
    spoiled = table.copy()
    spoiled[3, 7] *= np.float32(1 + 2e-7)
    assert spoiled[3, 7] != spoiled[7, 3]
    expected = ClassicalMDS(2, metric="precomputed").fit(table).embedding_
    found = ClassicalMDS(2, metric="precomputed").fit(spoiled).embedding_
    assert relative(found, expected) < 1e-6


@pytest.mark.parametrize("n", [60, 700])
@pytest.mark.parametrize("gamma", [1e-12, 1e-3, 1e3, 1e12])
def test_widths_far_from_the_data(n, gamma):
    """All weights equal, or all but gone: still finite, and known points stay known."""
    points = bent(n)
    for method in (KernelPCA, LaplacianEigenmaps):
        model = quietly(lambda method=method: method(2, gamma=gamma).fit(points))
        assert finite_everywhere(model, points)
        assert relative(model.transform(points), model.embedding_) < 1e-4


def test_a_coordinate_that_a_walk_forgets_is_not_blown_up():
    """A star's Laplacian has values of exactly 1: an average over neighbours says nothing there."""
    import scipy.sparse as sp

    star = sp.lil_array((12, 12))
    star[0, 1:] = star[1:, 0] = 1.0
    for kind in ("random-walk", "symmetric"):
        model = LaplacianEigenmaps(3, weights="binary", metric="precomputed", laplacian=kind)
        model.fit(sp.csr_array(star))
        np.testing.assert_allclose(model.eigenvalues_, 1.0)
        new = sp.csr_array(np.eye(12)[[1]] + np.eye(12)[[2]])
        assert np.abs(model.transform(new)).max() <= np.abs(model.embedding_).max()
