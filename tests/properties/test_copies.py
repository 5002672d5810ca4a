"""Copies of a point: one place, one neighbourhood, the mass of all of them, and no cost."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from sklearn.base import clone

import unspool
from tests.cases import GRAPH, roll
from tests.compare import relative, up_to_signs
from unspool import datasets, distances, graph, problem
from unspool.methods import (
    LLE,
    LTSA,
    DiffusionMaps,
    Isomap,
    KernelLLE,
    LandmarkIsomap,
    LaplacianEigenmaps,
    SpectralClustering,
)

X = roll(250).points
NEW = roll(40, seed=9).points
COUNTS = np.random.default_rng(5).integers(1, 5, len(X))  # copies of each, unevenly many
POINT_OF = np.repeat(np.arange(len(X)), COUNTS)
ROWS = X[POINT_OF]
every_graph = pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
LAPLACIANS = ("random-walk", "symmetric", "unnormalized")


def scaled(map_, reference):
    """Return a map with each coordinate as long as that of the reference, and its sign."""
    signs = np.sign((map_ * reference).sum(axis=0))
    return map_ * signs * np.linalg.norm(reference, axis=0) / np.linalg.norm(map_, axis=0)


# what is a copy


def test_equal_rows_are_found():
    random = np.random.default_rng(0)
    for table in (
        random.integers(0, 3, (500, 4)),
        random.integers(0, 2, (400, 40)) * (random.random(40) < 0.2),
        np.repeat(random.standard_normal((50, 30)), 3, axis=0),
        random.standard_normal((300, 2)),
        np.zeros((7, 3)),
    ):
        rows = random.permutation(table.astype(float))
        rows[::2] *= np.where(rows[::2] == 0.0, -1.0, 1.0)  # -0.0 equals 0.0
        found = graph.find_copies(rows)
        np.testing.assert_array_equal(rows[found.first][found.point_of], rows)
        assert len(found.first) == len({tuple(row) for row in rows + 0.0})
        assert (np.diff(found.first) > 0).all()
        np.testing.assert_array_equal(found.point_of[found.first], np.arange(len(found.first)))


def test_rows_that_share_a_key_are_told_apart(monkeypatch):
    """A collision of keys costs time, not truth."""
    from unspool.graph import connectivity

    monkeypatch.setattr(connectivity, "_row_keys", lambda rows, chosen, columns: chosen % 3)
    rows = np.random.default_rng(0).integers(0, 4, (200, 20)).astype(float)[:, :3]
    found = graph.find_copies(rows)
    np.testing.assert_array_equal(rows[found.first][found.point_of], rows)
    assert len(found.first) == len(np.unique(rows, axis=0))


# one place, the map of the distinct points


@every_graph
def test_three_copies_of_each_leave_the_map(case):
    many = np.tile(X, (3, 1))
    once, model = case.make().fit(X), case.make().fit(many)
    tolerance = 1e-2 if case.cls is KernelLLE else 1e-8  # its bandwidth is of all pairs of rows
    assert model.embedding_.shape == (750, 2)
    np.testing.assert_array_equal(model.embedding_, np.tile(model.embedding_[:250], (3, 1)))
    same = scaled(model.embedding_[:250], once.embedding_)
    assert relative(same, once.embedding_) < tolerance
    placed = model.transform(NEW) * (same / model.embedding_[:250])[0]
    assert relative(placed, once.transform(NEW)) < tolerance
    np.testing.assert_array_equal(model.transform(many[::-1]), model.embedding_[::-1])


@every_graph
def test_copies_coincide_and_come_back(case):
    model = case.make().fit(ROWS)
    assert model.embedding_.shape == (len(ROWS), 2)
    first = np.searchsorted(POINT_OF, np.arange(len(X)))
    np.testing.assert_array_equal(model.embedding_, model.embedding_[first][POINT_OF])
    np.testing.assert_array_equal(model.transform(X), model.embedding_[first])
    assert len(model.component_labels_) == len(ROWS)
    back = model.inverse_transform(model.embedding_)
    np.testing.assert_array_equal(back, back[first][POINT_OF])
    assert not case.interpolates or relative(back, ROWS) < 1e-6


@every_graph
def test_copies_are_kept_in_a_file(case, tmp_path):
    model = case.make().fit(ROWS)
    unspool.save(model, tmp_path / "model.unspool")
    loaded = unspool.load(tmp_path / "model.unspool")
    np.testing.assert_array_equal(loaded.transform(ROWS[:9]), model.embedding_[:9])
    np.testing.assert_array_equal(loaded.transform(NEW), model.transform(NEW))


@pytest.mark.parametrize("name", ["Isomap", "LLE", "LTSA", "LaplacianEigenmaps", "LandmarkIsomap"])
def test_equal_rows_of_a_table_are_copies(name):
    case = GRAPH[name]
    points = case.make().fit(ROWS)
    table = case.make(metric="precomputed").fit(cdist(ROWS, ROWS))
    assert relative(table.embedding_, points.embedding_) < 1e-7
    assert relative(table.transform(cdist(NEW, ROWS)), points.transform(NEW)) < 1e-7


def test_a_copy_costs_nothing():
    """Neither neighbours nor geodesics of copies are computed."""
    model = Isomap(2, n_neighbors=8).fit(np.repeat(X, 4, axis=0))
    assert model.report_.stage("neighbours").facts["edges"] == 8 * len(X)
    assert model.charts_[0].relation.similarities.shape == (250, 250)


def test_neighbors_of_each_point_are_those_of_its_first_row():
    counts = np.where(np.arange(250) % 2, 6, 9)
    once = Isomap(2, n_neighbors=counts).fit(X)
    many = Isomap(2, n_neighbors=np.tile(counts, 2)).fit(np.tile(X, (2, 1)))
    assert up_to_signs(many.embedding_[:250], once.embedding_) < 1e-9


def test_named_landmarks_may_be_copies():
    once = LandmarkIsomap(2, landmarks=[3, 40, 99, 180, 7]).fit(X)
    many = LandmarkIsomap(2, landmarks=[253, 40, 349, 180, 507, 3]).fit(np.tile(X, (3, 1)))
    np.testing.assert_array_equal(many.landmarks_, [3, 40, 99, 180, 7])
    assert up_to_signs(many.embedding_[:250], once.embedding_) < 1e-9
    assert many.geodesics_.shape == (5, 750)


def test_fewer_points_than_coordinates_are_told():
    rows = np.repeat(np.eye(3), 10, axis=0)
    with pytest.warns(UserWarning, match=r"only 2 of 4 coordinates .* 27 of 30 rows are copies"):
        model = LLE(4).fit(rows)
    assert not model.embedding_[:, 2:].any()


# the mass of all copies: unevenly many, against dense problems of all rows


def isomap_of_all_rows():
    near = distances.neighbor_graph(X, 8)
    table = near.with_weights(near.distances).toarray()
    table[table == 0.0] = np.inf
    lengths = shortest_path(np.minimum(table, table.T))[np.ix_(POINT_OF, POINT_OF)]
    gram = -0.5 * (lengths**2 - (lengths**2).mean(0) - (lengths**2).mean(1)[:, None])
    gram -= 0.5 * (lengths**2).mean()
    values, vectors = np.linalg.eigh(gram)
    return values[:-3:-1], vectors[:, :-3:-1] * np.sqrt(values[:-3:-1])


def test_isomap_is_that_of_all_rows():
    values, expected = isomap_of_all_rows()
    model = Isomap(2, n_neighbors=8).fit(ROWS)
    assert up_to_signs(model.embedding_, expected) < 1e-9
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-9)
    kernel = model.kernel_()
    np.testing.assert_allclose(kernel.sum(axis=0), 0.0, atol=1e-8 * np.abs(kernel).max())
    again = unspool.KernelPCA(2, kernel="precomputed").fit(kernel)
    assert up_to_signs(again.embedding_, expected) < 1e-8
    # not even a copy of a single point may be forgotten
    assert up_to_signs(Isomap(2, n_neighbors=8).fit(X).embedding_[POINT_OF], expected) > 1e-3


def test_isomap_by_products_is_the_same(monkeypatch):
    from unspool.relation import gram

    expected = Isomap(2, n_neighbors=8).fit(ROWS)
    monkeypatch.setattr(gram, "available_bytes", lambda: 0)
    model = Isomap(2, n_neighbors=8).fit(ROWS)
    assert type(model.charts_[0].relation).__name__ == "GeodesicOperator"
    assert up_to_signs(model.embedding_, expected.embedding_) < 1e-5
    assert relative(model.transform(NEW), expected.transform(NEW)) < 1e-5


def weights_of_all_rows():
    """Weights between all rows; copies of one point are not joined."""
    near = distances.neighbor_graph(X, 8)
    joined = near.with_weights(np.exp(-0.5 * near.distances**2)).toarray()
    return np.maximum(joined, joined.T)[np.ix_(POINT_OF, POINT_OF)]


@pytest.mark.parametrize("kind", LAPLACIANS)
def test_laplacian_eigenmaps_are_those_of_all_rows(kind):
    weights = weights_of_all_rows()
    degree = weights.sum(axis=1)
    L, mass = np.diag(degree) - weights, degree if kind == "random-walk" else np.ones(len(degree))
    if kind == "symmetric":
        L = L / np.sqrt(np.outer(degree, degree))
    values, vectors = scipy.linalg.eigh(L, np.diag(mass), subset_by_index=[1, 2])
    model = LaplacianEigenmaps(2, n_neighbors=8, gamma=0.5, laplacian=kind).fit(ROWS)
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    assert up_to_signs(model.embedding_, vectors) < 1e-7
    kernel = model.kernel_()
    values, vectors = np.linalg.eigh(kernel)
    np.testing.assert_allclose(1.0 / values[:-3:-1], model.eigenvalues_, rtol=1e-7)


def test_new_points_of_laplacian_eigenmaps_step_to_all_copies():
    model = LaplacianEigenmaps(2, n_neighbors=8, gamma=0.5).fit(ROWS)
    nearest = np.sort(cdist(NEW, X), axis=1)
    new = NEW[nearest[:, 0] > 0.1 * nearest[:, 1]]  # others are drawn to the one right beside them
    towards = np.exp(-0.5 * cdist(new, X) ** 2)
    far = np.argsort(cdist(new, X), axis=1)[:, 8:]
    np.put_along_axis(towards, far, 0.0, axis=1)
    steps = towards[:, POINT_OF]
    expected = steps @ model.embedding_ / steps.sum(axis=1, keepdims=True)
    assert relative(model.transform(new), expected / (1.0 - model.eigenvalues_)) < 1e-9


def test_diffusion_maps_are_those_of_all_rows():
    weights = weights_of_all_rows() + (POINT_OF[:, None] == POINT_OF)  # k(x, x) = 1, of copies too
    density = weights.sum(axis=1)
    kernel = weights / np.outer(density, density) ** 0.5
    degree = kernel.sum(axis=1)
    values, vectors = scipy.linalg.eigh(kernel / np.sqrt(np.outer(degree, degree)))
    psi = vectors[:, -2:-4:-1] / np.sqrt(degree)[:, None] * np.sqrt(degree.sum())
    model = DiffusionMaps(2, n_neighbors=8, gamma=0.5, alpha=0.5).fit(ROWS)
    np.testing.assert_allclose(model.eigenvalues_, values[-2:-4:-1], rtol=1e-8)
    assert up_to_signs(model.embedding_, psi * values[-2:-4:-1]) < 1e-7


def solved(matrix):
    """Return the map of min tr Y'AY with Y'MY = n I, all copies counted."""
    _, vectors = scipy.linalg.eigh(matrix, np.diag(COUNTS.astype(float)), subset_by_index=[1, 2])
    return vectors[POINT_OF] * np.sqrt(len(ROWS))


def test_lle_counts_each_copy():
    from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

    misfit = np.eye(len(X)) - barycenter_kneighbors_graph(X, 12, reg=1e-3).toarray()
    model = LLE(2, n_neighbors=12).fit(ROWS)
    assert up_to_signs(model.embedding_, solved(misfit.T @ np.diag(COUNTS) @ misfit)) < 1e-6
    np.testing.assert_allclose(
        model.embedding_.T @ model.embedding_, len(ROWS) * np.eye(2), atol=1e-6 * len(ROWS)
    )
    expected = 0.5 * np.square((misfit @ X)[POINT_OF]).sum()
    np.testing.assert_allclose(model.reconstruction_error_, expected, rtol=1e-9)
    vectors = np.linalg.eigh(model.kernel_())[1]
    assert up_to_signs(vectors[:, -2:-4:-1] * np.sqrt(len(ROWS)), model.embedding_) < 1e-5


def test_ltsa_counts_each_copy():
    total = np.zeros((len(X), len(X)))
    near = np.argsort(cdist(X, X), axis=1, kind="stable")[:, :11]
    for point, hood in enumerate(near):
        centered = X[hood] - X[hood].mean(axis=0)
        frame = np.column_stack([np.full(11, 11**-0.5), np.linalg.svd(centered)[0][:, :2]])
        total[np.ix_(hood, hood)] += COUNTS[point] * (np.eye(11) - frame @ frame.T)
    model = LTSA(2, n_neighbors=10).fit(ROWS)
    assert up_to_signs(model.embedding_, solved(total)) < 1e-6


def test_clusters_count_each_copy():
    rows = np.repeat(X, COUNTS, axis=0)
    model = SpectralClustering(n_clusters=3, n_neighbors=8, gamma=0.5).fit(rows)
    assert len(model.labels_) == len(rows)
    weights = weights_of_all_rows()
    cut = problem.cuts(sp.csr_array(weights), model.labels_)[0]
    np.testing.assert_allclose(model.cut_, cut, rtol=1e-9)
    expected = [model.embedding_[model.labels_ == c].mean(axis=0) for c in range(3)]
    np.testing.assert_allclose(model.cluster_centers_, expected, atol=1e-9)


@pytest.mark.parametrize("rows", [X, ROWS], ids=["distinct", "copies"])
@pytest.mark.parametrize(
    "model",
    [
        Isomap(2, n_neighbors=8),
        LLE(2, n_neighbors=8),
        *(LaplacianEigenmaps(2, n_neighbors=8, laplacian=kind) for kind in LAPLACIANS),
    ],
    ids=["Isomap", "LLE", *LAPLACIANS],
)
def test_the_kernel_as_an_operator_is_the_kernel(model, rows, monkeypatch):
    model = clone(model).fit(rows)
    kernel, operator = model.kernel_(), model.kernel_operator_()
    vectors = np.random.default_rng(0).standard_normal((len(rows), 3))
    assert relative(operator @ vectors, kernel @ vectors) < 1e-8
    assert relative(operator @ vectors[:, 0], kernel @ vectors[:, 0]) < 1e-8
    if isinstance(model, Isomap):
        from unspool.relation import gram

        monkeypatch.setattr(gram, "available_bytes", lambda: 0)
        without_table = clone(model).fit(rows).kernel_operator_()
        assert relative(without_table @ vectors, kernel @ vectors) < 1e-6


# three copies used to ruin LTSA and Hessian LLE


@pytest.mark.parametrize("method", ["LTSA", "HessianLLE"])
def test_the_truth_is_found_among_copies(method):
    sample = datasets.swiss_roll(400, seed=1)
    model = getattr(unspool, method)(2, n_neighbors=10).fit(np.repeat(sample.points, 3, axis=0))
    design = np.column_stack([np.ones(400), model.embedding_[::3]])
    rest = sample.coordinates - design @ np.linalg.lstsq(design, sample.coordinates, rcond=None)[0]
    assert (1.0 - rest.var(axis=0) / sample.coordinates.var(axis=0)).min() > 0.99


# real tables: each has rows that are equal


def whisky():
    """Six of the twelve flavours: 86 distilleries, some alike."""
    columns = datasets.real("whisky")
    names = ("Body", "Sweetness", "Smoky", "Medicinal", "Honey", "Fruity")
    return np.column_stack([columns[name] for name in names])


def pendigits():
    """The ends of the strokes of some digits, rounded."""
    return (datasets.real("pendigits")["x_test"][:500, :4] // 10).astype(float)


def covtype():
    """Elevation, aspect and slope, coarsely."""
    return (datasets.real("covtype")["numeric"][:500, :3] // 20).astype(float)


@pytest.mark.parametrize("table", [whisky, pendigits, covtype])
@every_graph
def test_real_tables_with_copies(case, table):
    try:
        rows = table()
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    found = graph.find_copies(rows)
    assert len(found.first) < len(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of components, strays: real tables have some
        model = case.make(n_components=2).fit(rows)
    assert model.embedding_.shape == (len(rows), 2)
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_array_equal(model.embedding_, model.embedding_[found.first][found.point_of])
    np.testing.assert_array_equal(model.transform(rows), model.embedding_)
