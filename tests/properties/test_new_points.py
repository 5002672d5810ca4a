"""transform: known points keep their place, and every row stands alone."""

import warnings

import numpy as np
import pytest

from tests.cases import CASES, DIMENSIONS, EVERY_DIMENSION, GRAPH, IN_SPACE, bent
from tests.compare import relative
from unspool import datasets

X = bent(300)
NEW = bent(25, seed=8)


@pytest.mark.parametrize(("case", "d"), EVERY_DIMENSION)
def test_fitted_points_come_back_to_their_place(case, d):
    model = case.make(n_components=d).fit(X)
    assert relative(model.transform(X), model.embedding_) < 1e-8
    assert relative(case.make(n_components=d).fit_transform(X), model.embedding_) == 0.0


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("case", GRAPH.values(), ids=GRAPH)
def test_in_graph_methods_exactly(case, d):
    model = case.make(n_components=d).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_beyond_the_size_of_the_dense_solvers(case):
    points = bent(900)
    model = case.make().fit(points)
    assert relative(model.transform(points), model.embedding_) < 1e-8


@pytest.mark.parametrize(("case", "d"), EVERY_DIMENSION)
def test_a_batch_is_its_rows(case, d):
    model = case.make(n_components=d).fit(X)
    batch = model.transform(NEW)
    rows = np.vstack([model.transform(row[None, :]) for row in NEW])
    assert relative(rows, batch) < 1e-9
    assert relative(model.transform(NEW[::-1])[::-1], batch) < 1e-9
    mixed = model.transform(np.vstack([X[:7], NEW]))  # known points among new ones change nothing
    assert relative(mixed[7:], batch) < 1e-9
    assert relative(mixed[:7], model.embedding_[:7]) < 1e-8


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_transform_changes_nothing(case):
    model = case.make().fit(X)
    before = {name: np.array(model.embedding_) for name in ("embedding_",)}
    given = NEW.copy()
    first = model.transform(given)
    np.testing.assert_array_equal(given, NEW)
    model.transform(X[:3])
    np.testing.assert_array_equal(model.transform(NEW), first)
    np.testing.assert_array_equal(model.embedding_, before["embedding_"])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_comes_out_is_not_what_is_kept(case):
    """Writing into a result must not change the model."""
    model = case.make()
    out = model.fit_transform(X)
    kept = np.array(out)
    out[:] = 0.0
    np.testing.assert_array_equal(model.embedding_, kept)
    placed = model.transform(X)
    placed[:] = 0.0
    assert relative(model.transform(X), kept) < 1e-8


@pytest.mark.parametrize(("case", "d"), EVERY_DIMENSION)
def test_points_beside_known_ones_go_beside_them(case, d):
    """A small step moves the place by little, in proportion: the map is continuous there."""
    model = case.make(n_components=d).fit(X)
    direction = np.random.default_rng(0).standard_normal(X[:50].shape)
    for step in (1e-6, 1e-8):
        moved = np.abs(
            model.transform(X[:50] + step * np.ptp(X) * direction) - model.embedding_[:50]
        )
        assert moved.max() < 1e3 * step * np.ptp(model.embedding_)


REAL = {  # rows of tables that people have: ties, whole numbers, many columns
    "pendigits": ("x_test", 16),
    "covtype": ("numeric", 10),
    "phoneme_timit": ("x", 32),
}


@pytest.mark.parametrize("table", REAL)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_training_rows_in_single_precision_hardly_move(case, table):
    name, width = REAL[table]
    try:
        rows = datasets.real(table)[name][:300, :width] / 7.0
    except FileNotFoundError as missing:
        pytest.skip(str(missing))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of components and strays
        model = case.make().fit(rows)
    moved = np.abs(model.transform(rows.astype(np.float32).astype(float)) - model.embedding_)
    assert moved.max() < 1e-3 * np.ptp(model.embedding_)


@pytest.mark.parametrize("case", IN_SPACE.values(), ids=IN_SPACE)
@pytest.mark.parametrize("metric", ["cosine", "correlation", "manhattan", "chebyshev", "canberra"])
def test_known_points_are_known_in_every_metric(case, metric):
    """Cosine and correlation round the distance of a point to itself to above zero."""
    model = case.make(metric=metric).fit(X)
    assert relative(model.transform(X), model.embedding_) < 1e-8


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_points_far_away_get_a_finite_place(case):
    model = case.make().fit(X)
    assert np.isfinite(model.transform(1e6 * NEW)).all()
    assert np.isfinite(model.transform(np.zeros((1, 5)))).all()
    assert np.isfinite(model.transform(np.full((1, 5), 1e-200))).all()


def test_the_centre_of_a_cluster_is_placed_inside_it():
    """A new point amid its neighbours lands within the box of theirs, in every method."""
    random = np.random.default_rng(1)
    centre = X[100]
    around = centre + 0.3 * random.standard_normal((30, 5))
    points = np.vstack([X, around])
    for name, case in CASES.items():
        model = case.make().fit(points)
        place = model.transform(around.mean(axis=0, keepdims=True))[0]
        local = model.embedding_[-30:]
        margin = 0.5 * np.ptp(local, axis=0) + 1e-3 * np.ptp(model.embedding_)
        assert (place > local.min(axis=0) - margin).all(), name
        assert (place < local.max(axis=0) + margin).all(), name
