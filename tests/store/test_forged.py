"""A forged model file is refused, told by one error, or answers with finite numbers.

A seal can be written by anyone, so it is whole in all of these. Each kind of model is saved, one
of its arrays or words altered, and the file loaded and used in a child process that may neither
crash, nor hang, nor take more memory than it should.
"""

import collections
import dataclasses
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import decomposition
from sklearn.base import clone
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)

import unspool
from tests.cases import CASES, bent, clusters
from tests.store import forgery
from unspool import distances, graph, paths
from unspool.distances import search
from unspool.io import TableModel, TablePreparation
from unspool.methods.parameters import parameters_of
from unspool.relation import gram
from unspool.store.registry import (
    PIPELINES,
    PLACES,
    SAMPLED,
    STEPS,
    check,
    class_of,
    declarations,
)

X = bent(40)
QUERIES = np.vstack([X[:3], bent(6, seed=8), 50.0 * X[:1]])
FEW = {
    "PrincipalSurface": {"max_iter": 2},
    "AutoassociativeNetwork": {"max_iter": 5, "n_starts": 1},
}


def table(rows, kind="metric"):
    lengths = distances.pairwise_distances(rows, X)
    return lengths if kind == "metric" else np.exp(-0.01 * lengths**2)


def sparse_graph():
    joined = graph.symmetrize(distances.neighbor_graph(X, 8))
    return joined.with_weights(joined.distances)


def without_a_table(algorithm):
    with pytest.MonkeyPatch.context() as patch:
        prepare = partial(paths.prepare_paths, algorithm=algorithm)
        patch.setattr(gram, "available_bytes", lambda: 0)
        patch.setattr(gram, "prepare_paths", prepare)
        return unspool.Isomap(n_neighbors=8).fit(X)


def searched_approximately():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "FEW_POINTS", 0)
        return unspool.Isomap(n_neighbors=8, search="approximate").fit(np.hstack([X, X, X]))


PIECES = clusters((20, 12, 1), features=5)[0]
POINTS = {
    **{name: (lambda case=case, name=name: case.make(**FEW.get(name, {})).fit(X))
       for name, case in CASES.items()},
    "ordinal": lambda: unspool.MDS(ordinal=True, max_iter=5).fit(X),
    "single ordinal": lambda: unspool.MDS(ordinal=True, max_iter=5, precision="single").fit(X),
    "sammon": lambda: unspool.MDS(weights=-1.0, max_iter=5).fit(X),
    "weights": lambda: unspool.MDS(weights=np.ones((40, 40)), max_iter=5).fit(X),
    "city blocks": lambda: unspool.MDS(output_metric="manhattan", max_iter=5).fit(X),
    "nystroem": lambda: unspool.KernelPCA(n_landmarks=12).fit(X),
    "by sample": lambda: unspool.scale.by_sample(unspool.PCA(2), 20, held_out=9).fit(X),
    "linear": lambda: unspool.KernelPCA(kernel="linear").fit(X),
    "polynomial": lambda: unspool.KernelPCA(kernel="polynomial", center=False).fit(X),
    "svd landmarks": lambda: unspool.LandmarkIsomap(n_landmarks=10, scaling="svd").fit(X),
    "closed curve": lambda: unspool.PrincipalCurve(closed=True, smoother="lowess").fit(X),
    "robust curve": lambda: unspool.PrincipalCurve(robust=True).fit(X),
    "whitened": lambda: unspool.PCA(3, whiten=True).fit(X),
    "sparse projection": lambda: unspool.RandomProjection(kind="sparse").fit(X),
    "cosine": lambda: unspool.Isomap(metric="cosine", n_neighbors=9).fit(X),
    "radius": lambda: unspool.LaplacianEigenmaps(radius=20.0, laplacian="unnormalized").fit(X),
    "neighbours by point": lambda: unspool.LLE(n_neighbors=np.arange(40) % 5 + 8).fit(X),
    "one width": lambda: unspool.DiffusionMaps(bandwidth="global").fit(X),
    "binary diffusion": lambda: unspool.DiffusionMaps(weights="binary", alpha=0.5).fit(X),
    "symmetric clusters": lambda: unspool.SpectralClustering(
        n_clusters=3, laplacian="symmetric", row_normalize=True
    ).fit(X),
    "independent": lambda: unspool.LLE(independent=True).fit(np.vstack([X, X + 0.1])),
    "isolated point": lambda: unspool.Isomap(radius=6.0, components="separate").fit(PIECES),
    "elimination": lambda: without_a_table("elimination"),
    "dijkstra": lambda: without_a_table("dijkstra"),
    "brute force": lambda: unspool.Isomap(n_neighbors=8, search="exact").fit(
        np.hstack([X, X, X])
    ),
    "approximate search": lambda: searched_approximately(),
    **{f"{cls.__name__} of pieces": (lambda cls=cls: cls(
        components="separate", n_neighbors=5).fit(PIECES))
        for cls in (unspool.Isomap, unspool.LLE, unspool.LandmarkIsomap, unspool.DiffusionMaps)},
}  # fmt: skip
TABLES = {
    f"{name} of a table": (lambda case=case: case.make(
        **{case.precomputed: "precomputed"}).fit(table(X, case.precomputed)))
    for name, case in CASES.items() if case.precomputed
}  # fmt: skip
GRAPHS = {
    "sparse points": lambda: unspool.Isomap(n_neighbors=8).fit(sp.csr_array(X)),
    "sparse points by angles": lambda: unspool.LTSA(n_neighbors=8, metric="cosine").fit(
        sp.csr_array(X)
    ),
    "kernel of sparse points": lambda: unspool.KernelPCA().fit(sp.csr_array(X)),
    "sparse graph": lambda: unspool.Isomap(metric="precomputed").fit(sparse_graph()),
    "sparse neighbourhoods": lambda: unspool.LLE(metric="precomputed").fit(sparse_graph()),
    "sparse weights": lambda: unspool.LaplacianEigenmaps(metric="precomputed", weights="given").fit(
        sparse_graph()
    ),
}
FIRST_STEPS = {
    "table preparation": TablePreparation(scale="standard", na="mean", curve="arcsinh"),
    "standard scaler": StandardScaler(),
    "range scaler": MinMaxScaler((-1, 1), clip=True),
    "largest value scaler": MaxAbsScaler(),
    "robust scaler": RobustScaler(),
    "row normalizer": Normalizer(),
    "function": FunctionTransformer(np.arcsinh, np.sinh),
    "imputer": SimpleImputer(strategy="median"),
    "variance threshold": VarianceThreshold(1e-9),
    "scikit-learn pca": decomposition.PCA(3, whiten=True),
    "truncated svd": decomposition.TruncatedSVD(3),
}
JOBS = {
    **{f"pipeline of a {word}": (lambda step=step: make_pipeline(
        clone(step), unspool.PCA(2)).fit(X))
       for word, step in FIRST_STEPS.items()},
    "pipeline of several steps": lambda: Pipeline(
        [("scaled", StandardScaler()), ("same", "passthrough"), ("reduced", unspool.PCA(3)),
         ("map", unspool.Isomap(n_neighbors=8))]
    ).fit(X),
    "table model": lambda: TableModel(
        [("table", TablePreparation(scale="robust")), ("map", unspool.LLE(n_neighbors=8))]
    ).fit(pd.DataFrame(X, columns=list("abcde"))),
}  # fmt: skip
MODELS = {**POINTS, **TABLES, **GRAPHS, **JOBS}


def queries_of(name, model):
    if name in ("brute force", "approximate search"):
        return np.hstack([QUERIES, QUERIES, QUERIES])
    if name in GRAPHS:
        return sparse_graph()[:5].toarray()
    if name in TABLES:
        return table(QUERIES, "kernel" if model._input_kind() == "kernel" else "metric")
    return QUERIES


def forged_files(folder, per_model):
    """Write forged files of every kind of model; yield each with what was altered."""
    for number, (name, make) in enumerate(MODELS.items()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = make()
        here = folder / str(number)
        here.mkdir()
        np.save(here / "queries.npy", queries_of(name, model))
        saved, random = forgery.Saved.of(model), np.random.default_rng([18, number])
        (here / "whole.unspool").write_bytes(saved.content())
        yield here / "whole.unspool", f"{name}: whole"
        for count in range(per_model):
            what, content = forgery.forge(saved, random)
            path = here / f"{count}.unspool"
            path.write_bytes(content)
            yield path, f"{name}: {what}"


def assert_harmless(folder, per_model):
    files = list(forged_files(folder, per_model))
    found = forgery.outcomes([path for path, _ in files])
    wrong = [
        f"{what}: {outcome}"
        for (_, what), outcome in zip(files, found, strict=True)
        if outcome not in forgery.GOOD or (what.endswith(": whole") and outcome == "refused")
    ]
    print(len(files), collections.Counter(outcome.split(" ")[0] for outcome in found))
    assert not wrong, f"{len(wrong)} of {len(files)}:\n" + "\n".join(wrong)
    return collections.Counter(found)


def test_some_forged_files(tmp_path):
    found = assert_harmless(tmp_path, 1)
    assert sum(found.values()) > 90


@pytest.mark.slow
def test_thousands_of_forged_files(tmp_path):
    found = assert_harmless(tmp_path, 3000 // len(MODELS) + 1)
    assert sum(found.values()) > 3000


# most are scikit-learn's, whose fields are not ours
OF_PIPELINES = {*STEPS, *PIPELINES, "recipe"}


def test_every_class_declares_every_field():
    """Values declare what their constructor takes; methods what they learn, and open parameters."""
    assert set(declarations()) == set(PLACES)
    for word, declared in declarations().items():
        cls = class_of(word)
        if word in OF_PIPELINES | set(SAMPLED):
            continue
        known = {f.name for f in dataclasses.fields(cls) if f.init or "attribute" in f.metadata}
        if hasattr(cls, "get_params"):
            closed = {
                name
                for name, (_, rule) in parameters_of(cls).items()
                if rule.kind is not None or rule.choices is not None
            }
            known = known - closed | {"_sklearn_output_config"}
        assert {*declared.fields, *declared.parameters} == known, word


def test_the_models_hold_every_class():
    """What the fuzzer saves has all the classes that a file may hold."""
    held = set()

    def collect(page):
        if isinstance(page, dict):
            held.add(page.get("class"))
            page = list(page.values())
        for part in page if isinstance(page, list) else []:
            collect(part)

    for make in MODELS.values():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            collect(forgery.Saved.of(make()).page)
    assert set(PLACES) <= held


def refused(value, **changes):
    with pytest.raises(ValueError, match="do not fit the rest"):
        check(dataclasses.replace(value, **changes))


def test_curves_and_surfaces_whose_arrays_disagree():
    """These wrote what lay in memory into the answer, crashed, and did not end."""
    curve = MODELS["PrincipalCurve"]()._state.curve
    refused(curve, arc_lengths=curve.arc_lengths[:2])
    refused(curve, arc_lengths=2.0 * curve.arc_lengths)
    surface = MODELS["PrincipalSurface"]().surface_
    refused(surface, coefficients=surface.coefficients[:-1])
    spoiled = np.array(surface.coefficients)
    spoiled[3] = np.nan
    refused(surface, coefficients=spoiled)
    overflowing = dataclasses.replace(surface, coefficients=spoiled)
    overflowing.project(X / 100.0)  # ends, whatever it says


def test_pairs_of_points_that_are_not_there():
    """This crashed in the Shepard diagram."""
    pairs = MODELS["ordinal"]()._disparities.pairs
    first = pairs.first.copy()
    first[5] = 2 * 10**9
    refused(pairs, first=first)


def test_powers_that_are_no_real_numbers():
    index = MODELS["svd landmarks"]()._index
    check(dataclasses.replace(index, power=2))
    refused(index, power=2**80)


@pytest.mark.parametrize(
    ("method", "spoil"),
    [
        ("Isomap", {"embedding_": np.full((40, 2), np.nan)}),
        ("Isomap", {"embedding_": np.zeros((39, 2))}),
        ("Isomap", {"eigenvalues_": np.array([1.0, np.inf])}),
        ("Isomap", {"n_neighbors": -1}),
        ("Isomap", {"components": "some"}),
        ("Isomap", {"metric": "nearness"}),
        ("Isomap", {"transform": 3}),
        ("Isomap", {"_home": np.full(40, 7)}),
        ("Isomap", {"charts_": ()}),
        ("LLE", {"regularization": float("nan")}),
        ("KernelPCA", {"degree": 0}),
        ("KernelPCA", {"kernel": "linear"}),
        ("PolynomialPCA", {"degree": 2**80}),
        ("FeatureMapPCA", {"degree": 2**80}),
        ("ClassicalMDS", {"additive_constant_": 2**80}),
        ("SpectralClustering", {"labels_": np.full(40, 9)}),
        ("RandomProjection", {"components_": sp.csr_array((3, 5))}),
        ("PCA", {"mean_": np.zeros(4)}),
        ("PCA", {"_dtype": np.int8}),
    ],
)
def test_methods_whose_parts_disagree(method, spoil):
    model = MODELS[method]()
    check(model)
    vars(model).update(spoil)
    with pytest.raises(ValueError, match=r"do not fit the rest|must be|unknown metric"):
        check(model)
