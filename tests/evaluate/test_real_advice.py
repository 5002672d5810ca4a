"""On real tables: each piece of advice is followed, and the map is better for it."""

import numpy as np
import pytest

import unspool
from unspool import datasets, quality
from unspool.catalog import entry_of
from unspool.evaluate import compare, diagnose
from unspool.relation import find_localized

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

TASTES = ("Body", "Sweetness", "Smoky", "Medicinal", "Tobacco", "Honey")
TASTES += ("Spicy", "Winey", "Nutty", "Malty", "Fruity", "Floral")


def whisky():
    table = datasets.real("whisky")
    return np.column_stack([table[taste] for taste in TASTES])


def covtype():
    table = datasets.real("covtype")["numeric"][::580][:1_000].astype(float)
    return (table - table.mean(axis=0)) / table.std(axis=0)


TABLES = {
    "phoneme": lambda: datasets.real("phoneme_timit")["x"][::3],
    "covtype, raw": lambda: datasets.real("covtype")["numeric"][::580][:1_000],
    "whisky": whisky,
    "pbmc68k": lambda: datasets.real("pbmc68k_reduced")["pca"],
    "covtype": covtype,
    "pendigits": lambda: datasets.real("pendigits")["x_train"][:1_000],
    "coil20": lambda: datasets.real("coil20_32x32")["x"],
    "mnist": lambda: datasets.real("mnist")["x_test"][:2_000].reshape(2_000, -1) / 255.0,
}
QUICK = ("whisky", "pbmc68k")
METHODS = ("PCA", "MDS", "Isomap", "LLE", "LTSA", "LaplacianEigenmaps", "PrincipalCurve")
# of the larger table, a map by all distances and two by neighbours: whisky has every method
SEEN_TWICE = ("PCA", "Isomap", "LLE")


def is_quick(table, method):
    return table == "whisky" or (table in QUICK and method in SEEN_TWICE)


CASES = [
    pytest.param(table, method, marks=() if is_quick(table, method) else pytest.mark.slow)
    for table in TABLES
    for method in METHODS
]


def read(name):
    try:
        return np.asarray(TABLES[name](), dtype=np.float64)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))


def followed(model, measure, X):
    """A model of the same data that was made as the advice says, and the data it is of."""
    if measure.parameter == "X":
        kept = np.setdiff1d(np.arange(len(X)), measure.suggestion)
        return type(model)(**model.get_params()).fit(X[kept]), X[kept]
    if measure.parameter == "method":
        options = {"n_components": model.embedding_.shape[1]}
        return entry_of(measure.suggestion).load()(**options).fit(X), X
    change = {measure.parameter: measure.suggestion}
    return type(model)(**{**model.get_params(), **change}).fit(X), X


def is_better(after, before):
    """Tell if a number moved to where it is sound; what is no bound is sound, or another now."""
    if after.ok:
        return True
    way = {"<": -1.0, ">": 1.0}.get(before.sound[:1])
    if way is None:  # six components stay six where each is mapped on its own
        return after.value != before.value
    return way * (after.value - before.value) > 0.0


def near(X, places):
    return 0.5 * float(quality.trustworthiness(X, places)) + 0.5 * float(
        quality.continuity(X, places)
    )


@pytest.mark.parametrize(("table", "method"), CASES)
def test_the_advice_improves_the_map(table, method):
    X = read(table)
    try:
        model = getattr(unspool, method)().fit(X)
    except ValueError as refused:  # a component with too few neighbours
        pytest.skip(str(refused))
    found = diagnose(model, X)
    before = near(X, model.embedding_)
    for measure in found.measures:
        if not measure.advice:
            continue
        after, of = followed(model, measure, X)
        kept = near(of, after.embedding_)
        assert kept > before - 0.005
        again = {m.name: m for m in diagnose(after, of).measures}
        if measure.name in again:
            assert is_better(again[measure.name], measure)
        if measure.name == "coordinates that few points carry":
            assert len(find_localized(after.embedding_)) < measure.value
        if measure.name in ("trustworthiness", "continuity"):
            score = getattr(quality, measure.name)
            assert float(score(of, after.embedding_)) > measure.value
    # two coordinates are a picture: nobody is sent to more than can be seen
    asked = [m.suggestion for m in found.measures if m.parameter == "n_components"]
    assert all(count <= 3 for count in asked)
    if method == "PrincipalCurve":
        assert asked == []
    if not found.sound and not found.advice:
        assert any(m.remark for m in found.measures)


@pytest.mark.parametrize("table", QUICK)
def test_the_crown_goes_to_a_map_that_can_be_looked_at(table):
    X = read(table)
    found = compare(X, ["ltsa", "hessian-lle", "pca", "isomap"])
    dots = {label for label, places in found.embeddings.items() if find_localized(places)}
    assert set(found.ruined) == dots
    for score in ("trustworthiness", "continuity", "stress"):
        assert found.best(score) not in dots
