"""A saved model comes back the same, to the last bit, whatever method made it."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import unspool
from tests.cases import CASES, bent, clusters, roll
from unspool import distances, graph, paths, store
from unspool.store.registry import PIPELINES, PLACES, STEPS, class_of, word_of

X = bent(200)
NEW = bent(30, seed=8)
PIECES = clusters((60, 40, 1))[0]
TALL = np.random.default_rng(5).standard_normal((80, 14))
TABLE = distances.pairwise_distances(X, X)


def there_and_back(model, tmp_path):
    path = tmp_path / "model.unspool"
    store.save(model, path)
    first = path.read_bytes()
    loaded = unspool.load(path)
    unspool.save(loaded, path)  # nothing is lost: the copy gives the same file
    assert path.read_bytes() == first
    return loaded


def assert_same(before, after, where="model"):
    """Everything reachable from two models is the same: types, bits, layout, and what is shared."""
    assert type(before) is type(after), where
    if isinstance(before, np.ndarray):
        assert before.dtype == after.dtype, where
        assert before.flags.writeable == after.flags.writeable, where
        np.testing.assert_array_equal(before, after, err_msg=where)
    elif sp.issparse(before):
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(before, part), getattr(after, part), f"{where}.{part}")
    elif isinstance(before, list | tuple):
        assert len(before) == len(after), where
        for number, pair in enumerate(zip(before, after, strict=True)):
            assert_same(*pair, f"{where}[{number}]")
    elif isinstance(before, dict):
        assert list(before) == list(after), where
        for key in before:
            assert_same(before[key], after[key], f"{where}[{key!r}]")
    elif word_of(type(before)) is not None:
        names = vars(before) if hasattr(before, "__dict__") else ()
        names = {*names, *(f.name for f in getattr(before, "__dataclass_fields__", {}).values())}
        for name in sorted(names - {"tree"}):
            if hasattr(before, name) or hasattr(after, name):
                pair = getattr(before, name), getattr(after, name)
                assert_same(*pair, f"{where}.{name}")
    else:
        assert before == after or (before != before and after != after), where


def assert_same_maps(before, after, new):
    assert_same(before, after)
    assert repr(before.get_params()) == repr(after.get_params())
    assert before.report_ == after.report_
    placed = before.transform(new)
    np.testing.assert_array_equal(placed, after.transform(new))
    assert placed.dtype == after.transform(new).dtype
    if before._input_kind() == "points":
        back = before.inverse_transform(placed[:5])
        np.testing.assert_array_equal(back, after.inverse_transform(placed[:5]))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_method(case, dtype, tmp_path):
    model = case.make().fit(X.astype(dtype))
    assert_same_maps(model, there_and_back(model, tmp_path), NEW.astype(dtype))


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.precomputed], ids=lambda c: c.cls)
def test_precomputed_tables(case, tmp_path):
    def table(rows):
        if case.precomputed == "metric":
            return distances.pairwise_distances(rows, X)
        return np.exp(-0.01 * distances.pairwise_squared_distances(rows, X))

    model = case.make(**{case.precomputed: "precomputed"}).fit(table(X))
    assert_same_maps(model, there_and_back(model, tmp_path), table(NEW))


VARIANTS = {
    "unfitted parameters": lambda: unspool.LLE(3, n_neighbors=np.int64(7)).fit(X),
    "cosine": lambda: unspool.Isomap(metric="cosine", n_neighbors=9).fit(X),
    "manhattan tree": lambda: unspool.LLE(metric="manhattan").fit(X),
    "radius": lambda: unspool.LaplacianEigenmaps(radius=9.0, components="largest").fit(X),
    "squared radius": lambda: unspool.Isomap(radius=90.0, squared_radius=True).fit(X),
    "strict radius": lambda: unspool.Isomap(radius=9.0, strict_radius=True).fit(X),
    "neighbours by point": lambda: unspool.LLE(n_neighbors=np.arange(200) % 5 + 8).fit(X),
    "mutual": lambda: unspool.Isomap(n_neighbors=14, symmetrize="mutual").fit(X),
    "nystroem": lambda: unspool.KernelPCA(n_landmarks=30).fit(X),
    "nystroem by index": lambda: unspool.KernelPCA(landmarks=[3, 8, 50, 120]).fit(X),
    "polynomial kernel": lambda: unspool.KernelPCA(kernel="polynomial", center=False).fit(X),
    "ordinal": lambda: unspool.MDS(ordinal=True, max_iter=30).fit(X),
    "weights": lambda: unspool.MDS(weights=np.ones((200, 200)), max_iter=9).fit(X),
    "sammon": lambda: unspool.MDS(weights=-1.0, max_iter=9).fit(X),
    "named landmarks": lambda: unspool.LandmarkMDS(landmarks=(1, 5, 9, 100, 150)).fit(X),
    "svd landmarks": lambda: unspool.LandmarkIsomap(n_landmarks=20, scaling="svd").fit(X),
    "closed curve": lambda: unspool.PrincipalCurve(1, closed=True, smoother="lowess").fit(X),
    "robust curve": lambda: unspool.PrincipalCurve(1, robust=True, bias_correction=True).fit(X),
    "average surface": lambda: unspool.PrincipalSurface(max_iter=3, parametrization="average").fit(
        X
    ),
    "whitened": lambda: unspool.PCA(3, whiten=True, ddof=1).fit(X),
    "sparse projection": lambda: unspool.RandomProjection(kind="sparse").fit(X),
    "deeper network": lambda: unspool.AutoassociativeNetwork(
        mapping=(6, 5), demapping=(7,), output="sigmoidal", n_starts=1, max_iter=9
    ).fit(X),
    "additive constant": lambda: unspool.ClassicalMDS(
        metric="manhattan", additive_constant=True
    ).fit(X),
    "markov": lambda: unspool.DiffusionMaps(weights="binary", alpha=0.5, steps=3).fit(X),
    "clusters": lambda: unspool.SpectralClustering(
        n_clusters=4, row_normalize=True, laplacian="symmetric"
    ).fit(X),
}


@pytest.mark.filterwarnings("ignore:the neighbour graph")
@pytest.mark.parametrize("make", VARIANTS.values(), ids=VARIANTS)
def test_variants(make, tmp_path):
    model = make()
    assert_same_maps(model, there_and_back(model, tmp_path), NEW)


@pytest.mark.filterwarnings("ignore:the neighbour graph", "ignore:coordinate 1 is carried by")
@pytest.mark.parametrize("components", ["separate", "bridge", "largest"])
@pytest.mark.parametrize("cls", [unspool.Isomap, unspool.LLE, unspool.LandmarkIsomap])
def test_connected_components(cls, components, tmp_path):
    model = cls(components=components, n_neighbors=5).fit(PIECES)
    assert_same_maps(model, there_and_back(model, tmp_path), PIECES[::7] + 0.01)


@pytest.mark.filterwarnings("ignore:the neighbour graph")
@pytest.mark.parametrize("cls", [unspool.Isomap, unspool.LaplacianEigenmaps])
def test_sparse_graphs(cls, tmp_path):
    joined = graph.symmetrize(distances.neighbor_graph(X, 8))
    table = joined.with_weights(joined.distances)
    model = cls(metric="precomputed").fit(table)
    assert_same_maps(model, there_and_back(model, tmp_path), table[:9])


@pytest.mark.parametrize("cls", [unspool.Isomap, unspool.LLE])
def test_many_columns_are_searched_by_brute_force(cls, tmp_path):
    model = cls(n_neighbors=9).fit(TALL)
    assert_same_maps(model, there_and_back(model, tmp_path), TALL[:9] + 0.1)


@pytest.mark.parametrize("algorithm", ["elimination", "dijkstra"])
def test_geodesics_too_many_to_hold(algorithm, tmp_path, monkeypatch):
    from unspool.relation import gram

    prepare = partial(paths.prepare_paths, algorithm=algorithm)
    monkeypatch.setattr(gram, "available_bytes", lambda: 0)
    monkeypatch.setattr(gram, "prepare_paths", prepare)
    model = unspool.Isomap(n_neighbors=8).fit(roll(300).points)
    assert_same_maps(model, there_and_back(model, tmp_path), roll(20, 5).points)


def test_columns_of_a_frame_and_the_wanted_output(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    model = unspool.PCA().set_output(transform="pandas").fit(frame)
    loaded = there_and_back(model, tmp_path)
    assert list(loaded.feature_names_in_) == list("abcde")
    pandas.testing.assert_frame_equal(model.transform(frame), loaded.transform(frame))


def test_an_unfitted_model_keeps_its_parameters(tmp_path):
    model = unspool.Isomap(3, n_neighbors=12, components="largest")
    loaded = there_and_back(model, tmp_path)
    assert loaded.get_params() == model.get_params()
    np.testing.assert_array_equal(loaded.fit(X).embedding_, clone(model).fit(X).embedding_)


def test_arrays_that_are_shared_are_stored_once(tmp_path):
    model = unspool.LaplacianEigenmaps().fit(X)
    loaded = there_and_back(model, tmp_path)
    assert model._index.points is model._X
    assert loaded._index.points is loaded._X


def test_notes_come_back(tmp_path):
    notes = {"columns": ["a", "=cmd"], "centre": np.arange(3.0), "wide": float("inf"), "n": (1, 2)}
    store.save(unspool.PCA().fit(X), tmp_path / "m.unspool", notes=notes)
    assert_same(notes, store.read(tmp_path / "m.unspool").notes)


def test_any_numpy_can_look_inside(tmp_path):
    model = unspool.PCA().fit(X)
    store.save(model, tmp_path / "m.unspool")
    with np.load(tmp_path / "m.unspool", allow_pickle=False) as arrays:
        found = [arrays[name] for name in arrays.files if name.startswith("arrays/")]
    assert any(np.array_equal(array, model.embedding_) for array in found)


def test_the_registry_holds_values_only():
    """Each word stands for one class, of this package or a step of scikit-learn, with one word."""
    for word, place in PLACES.items():
        cls = class_of(word)
        assert place.startswith("unspool.") or word in {**STEPS, **PIPELINES}
        assert isinstance(cls, type)
        assert word_of(cls) == word
