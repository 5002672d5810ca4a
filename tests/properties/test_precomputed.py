"""A table instead of points: distances, a kernel or a sparse graph give the map of the points."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tests.cases import CASES, DIMENSIONS, bent
from tests.compare import relative
from unspool import distances, load, problem, quality, save
from unspool.methods import Isomap, KernelPCA, LaplacianEigenmaps

X = bent(200)
NEW = bent(25, seed=8)
FROM_DISTANCES = {name: case for name, case in CASES.items() if case.precomputed == "metric"}
ON_SPARSE = {"Isomap": Isomap, "LaplacianEigenmaps": LaplacianEigenmaps}


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("case", FROM_DISTANCES.values(), ids=FROM_DISTANCES)
def test_dense_distances(case, d):
    points = case.make(n_components=d).fit(X)
    table = case.make(n_components=d, metric="precomputed").fit(cdist(X, X))
    assert relative(table.embedding_, points.embedding_) < 1e-7
    assert relative(table.transform(cdist(NEW, X)), points.transform(NEW)) < 1e-7
    assert relative(table.transform(cdist(X, X)), table.embedding_) < 1e-8
    assert table.n_features_in_ == 200


@pytest.mark.parametrize("d", DIMENSIONS)
def test_a_kernel_table(d):
    points = KernelPCA(d, gamma=0.01).fit(X)
    table = KernelPCA(d, kernel="precomputed").fit(np.exp(-0.01 * cdist(X, X, "sqeuclidean")))
    assert relative(table.embedding_, points.embedding_) < 1e-9
    rows = np.exp(-0.01 * cdist(NEW, X, "sqeuclidean"))
    assert relative(table.transform(rows), points.transform(NEW)) < 1e-9


@pytest.mark.parametrize("name", ["ClassicalMDS", "Isomap", "LaplacianEigenmaps"])
@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "cosine"])
def test_distances_of_another_metric(name, metric):
    case = CASES[name]
    from sklearn.metrics import pairwise_distances

    points = case.make(metric=metric).fit(X)
    table = case.make(metric="precomputed").fit(pairwise_distances(X, metric=metric))
    assert relative(table.embedding_, points.embedding_) < 1e-7


def graph_of(points, others, count, with_self):
    """Sparse distances to the nearest; the diagonal as an explicit zero if wanted."""
    distances = cdist(points, others)
    if not with_self:
        np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :count]
    rows = np.repeat(np.arange(len(points)), count)
    values = np.take_along_axis(distances, near, axis=1).ravel()
    return sp.csr_array((values, (rows, near.ravel())), shape=distances.shape)


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix])
@pytest.mark.parametrize("method", ON_SPARSE.values(), ids=ON_SPARSE)
def test_a_sparse_graph_is_used_as_it_is(method, form):
    points = method(2, n_neighbors=8).fit(X)
    sparse = method(2, metric="precomputed").fit(form(graph_of(X, X, 8, with_self=False)))
    assert relative(sparse.embedding_, points.embedding_) < 1e-8
    rows = form(graph_of(NEW, X, 8, with_self=True))
    # the default of 10 neighbours does not cut a graph: all its 8 edges a row are used
    assert relative(sparse.transform(rows), points.transform(NEW)) < 1e-8


@pytest.mark.parametrize("method", ON_SPARSE.values(), ids=ON_SPARSE)
def test_known_points_of_a_graph_are_told_by_an_explicit_zero(method):
    table = graph_of(X, X, 9, with_self=True)
    assert (table.diagonal() == 0).all()
    assert table.nnz == 9 * len(X)
    sparse = method(2, metric="precomputed").fit(table)
    assert relative(sparse.transform(table), sparse.embedding_) < 1e-8
    assert relative(sparse.embedding_, method(2, n_neighbors=8).fit(X).embedding_) < 1e-8


@pytest.mark.parametrize("method", ON_SPARSE.values(), ids=ON_SPARSE)
def test_neighbours_are_chosen_within_a_sparse_graph(method):
    more = graph_of(X, X, 20, with_self=False)
    cut = method(2, metric="precomputed", n_neighbors=8).fit(more)
    assert relative(cut.embedding_, method(2, n_neighbors=8).fit(X).embedding_) < 1e-8
    radius = 6.0
    within = method(2, metric="precomputed", radius=radius).fit(sp.csr_array(cdist(X, X)))
    assert relative(within.embedding_, method(2, radius=radius).fit(X).embedding_) < 1e-8


def test_a_new_row_without_any_distance_is_told():
    sparse = Isomap(2, metric="precomputed").fit(graph_of(X, X, 8, with_self=False))
    rows = graph_of(NEW, X, 8, with_self=True).tolil()
    rows[3] = 0
    with pytest.raises(ValueError, match="row 3 has no stored distance"):
        sparse.transform(rows.tocsr())


LOCAL = ("LLE", "ModifiedLLE", "HessianLLE", "LTSA")
every_local = pytest.mark.parametrize("case", [CASES[name] for name in LOCAL], ids=LOCAL)


@every_local
def test_a_sparse_graph_of_all_pairs_is_the_dense_table(case):
    table, towards = cdist(X, X), cdist(NEW, X)
    dense = case.make(metric="precomputed").fit(table)
    sparse = case.make(metric="precomputed").fit(sp.csr_array(table))
    assert relative(sparse.embedding_, dense.embedding_) < 1e-9
    assert relative(sparse.transform(sp.csr_array(towards)), dense.transform(towards)) < 1e-9
    known = sp.csr_array((np.zeros(3), (np.arange(3), [5, 0, 9])), shape=(3, len(X)))
    np.testing.assert_array_equal(sparse.transform(known), sparse.embedding_[[5, 0, 9]])


@every_local
def test_local_methods_flatten_a_sparse_graph(case, tmp_path):
    """Some distances between neighbours are missing; paths stand for them, and that is told."""
    sheet = np.random.default_rng(4).uniform(size=(560, 2))
    bent_sheet = np.column_stack(
        [np.sin(2 * sheet[:, 0]), np.cos(2 * sheet[:, 0]), 2 * sheet[:, 1]]
    )
    graph = graph_of(bent_sheet[:500], bent_sheet[:500], 24, with_self=False)
    with pytest.warns(UserWarning, match="paths stand for"):
        model = case.make(metric="precomputed", n_neighbors=12).fit(graph)
    assert sum("paths stand for" in told for told in model.report_.advice) == 1
    assert quality.explained_by(model.embedding_, sheet[:500]).min() > 0.95
    rows = graph_of(bent_sheet[500:], bent_sheet[:500], 12, with_self=True)
    placed = model.transform(rows)
    design = np.column_stack([np.ones(560), sheet])
    affine = np.linalg.lstsq(design[:500], model.embedding_, rcond=None)[0]
    assert np.abs(placed - design[500:] @ affine).mean() < 0.2  # of standard deviations
    save(model, tmp_path / "model.unspool")
    np.testing.assert_array_equal(load(tmp_path / "model.unspool").transform(rows), placed)


@every_local
def test_few_missing_distances_are_advice_and_none_are_not_spoken_of(case):
    sheet = np.random.default_rng(4).uniform(size=(300, 2))
    for held, told in ((45, 1), (299, 0)):
        graph = graph_of(sheet, sheet, held, with_self=False)
        model = case.make(metric="precomputed", n_neighbors=8).fit(graph)  # warnings are errors
        assert sum("paths stand for" in advice for advice in model.report_.advice) == told


def test_the_share_of_missing_distances_is_counted():
    graph = graph_of(X, X, 6, with_self=False)
    near = distances.neighbor_graph(X, 6)
    geometry = problem.look_at(graph, np.arange(len(X)), near, is_table=True)
    known = (graph.toarray() + graph.toarray().T) > 0
    hoods = np.column_stack([np.arange(len(X)), near.neighbors.reshape(len(X), 6)])
    missing = ~known[hoods[:, :, None], hoods[:, None, :]]
    missing[:, np.arange(7), np.arange(7)] = False
    assert 0.0 < geometry.share_of_paths(near) == missing.sum() / (len(X) * 42)


def test_missing_distances_are_shortest_paths_within_the_neighbourhood():
    from scipy.sparse.csgraph import shortest_path

    graph = graph_of(X, X, 6, with_self=False)
    near = distances.neighbor_graph(X, 6)
    geometry = problem.look_at(graph, np.arange(len(X)), near, is_table=True)
    points, around, lengths = next(iter(near.by_count(50)))
    found = geometry.own_grams()(points, around, lengths)
    known = graph.toarray()
    known = np.where((known == 0) | ((known.T != 0) & (known > known.T)), known.T, known)
    for point, hood, gram in zip(points, around, found, strict=True):
        members = np.r_[point, hood]
        local = known[np.ix_(members, members)]
        among = np.where(local > 0, local, shortest_path(local, directed=False))  # an edge counts
        expected = 0.5 * (among[1:, :1] ** 2 + among[:1, 1:] ** 2 - among[1:, 1:] ** 2)
        np.testing.assert_allclose(gram, expected, atol=1e-9)


@pytest.mark.parametrize("case", FROM_DISTANCES.values(), ids=FROM_DISTANCES)
def test_single_precision_tables(case):
    table = cdist(X, X).astype(np.float32)
    table = np.maximum(table, table.T)
    model = case.make(metric="precomputed").fit(table)
    assert model.embedding_.dtype == np.float32
    expected = case.make(metric="precomputed").fit(table.astype(np.float64)).embedding_
    assert relative(model.embedding_, expected) < 1e-6


@pytest.mark.parametrize("case", FROM_DISTANCES.values(), ids=FROM_DISTANCES)
def test_the_table_is_not_changed(case):
    table = cdist(X, X)
    kept = table.copy()
    case.make(metric="precomputed").fit(table).transform(table[:3])
    np.testing.assert_array_equal(table, kept)


def test_a_sparse_kernel_matrix_is_refused_by_name():
    """Distances in feature space are a dense table."""
    kernel = sp.csr_array(np.exp(-0.01 * cdist(X, X, "sqeuclidean")))
    with pytest.raises(TypeError, match="Sparse data was passed for X, but dense data is required"):
        CASES["KernelLLE"].make(kernel="precomputed").fit(kernel)
