"""Default maps of real tables are worth looking at, or say which points ruin them."""

import re
import warnings

import numpy as np
import pytest

import unspool
from unspool import datasets
from unspool.relation import find_localized

METHODS = ("LaplacianEigenmaps", "DiffusionMaps", "LLE", "LTSA", "HessianLLE")
SHARE, WIDTH = 0.95, 0.05
TASTES = [
    "Body",
    "Sweetness",
    "Smoky",
    "Medicinal",
    "Tobacco",
    "Honey",
    "Spicy",
    "Winey",
    "Nutty",
    "Malty",
    "Fruity",
    "Floral",
]


def columns(name, chosen=None):
    table = datasets.real(name)
    return np.column_stack([table[c] for c in (table if chosen is None else chosen)])


def food():
    return columns("food_nutrition", [c for c in datasets.real("food_nutrition") if "2." in c])


TABLES = {
    "pbmc68k": lambda: datasets.real("pbmc68k_reduced")["x"],
    "pbmc68k, 50 axes": lambda: datasets.real("pbmc68k_reduced")["pca"],
    "phoneme": lambda: datasets.real("phoneme_timit")["x"],
    "covtype": lambda: datasets.real("covtype")["numeric"][:5_000],
    "covtype, spread": lambda: datasets.real("covtype")["numeric"][::116][:5_000],
    "breakfast": lambda: columns("breakfast_preferences"),
    "food": food,
    "whisky": lambda: columns("whisky", TASTES),
    "coil20": lambda: datasets.real("coil20_32x32")["x"],
}
SLOW = ("covtype, spread",)  # a minute of Hessian eigenmaps
ALIKE = ("pbmc68k", "pbmc68k, 50 axes", "coil20", "whisky")  # columns of one scale already


def read(name, standardised):
    try:
        points = TABLES[name]().astype(np.float64)
    except FileNotFoundError as absent:
        pytest.skip(str(absent))
    if not standardised:
        return points
    spread = points.std(axis=0)
    return (points - points.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)


def outside_the_dot(column):
    """The points clearly outside 5 % of a coordinate's width, if 95 % of them lie within it."""
    ordered, n, width = np.sort(column), len(column), np.ptp(column)
    held = int(np.ceil(SHARE * n))
    if (ordered[held - 1 :] - ordered[: n - held + 1]).min() > WIDTH * width:
        return np.empty(0, dtype=int)
    return np.flatnonzero(np.abs(column - np.median(column)) > WIDTH * width)


def heard(model, points):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(points)
    return " ".join(str(warning.message) for warning in caught)


def rows_named(text):
    return {
        int(n) for part in re.findall(r"\(rows ([^)]*)\)", text) for n in re.findall(r"\d+", part)
    }


CASES = [
    pytest.param(
        *case, marks=pytest.mark.slow if case[0] in SLOW or (case[1] and case[0] in ALIKE) else ()
    )
    for case in ((t, s, m) for t in TABLES for s in (False, True) for m in METHODS)
]


@pytest.mark.parametrize(("table", "standardised", "method"), CASES)
def test_a_map_in_a_dot_names_the_points_outside(table, standardised, method):
    model = getattr(unspool, method)(2)
    text = heard(model, read(table, standardised))
    named = rows_named(text)
    for column in model.embedding_.T:
        strays = outside_the_dot(column)
        if len(strays):
            farthest = strays[np.abs(column[strays] - np.median(column)).argmax()]
            assert farthest in named
            assert len(named & set(strays.tolist())) >= min(len(strays), 3)


@pytest.mark.parametrize("method", METHODS)
def test_an_outlier_does_not_own_a_coordinate_in_silence(method):
    points = np.random.default_rng(0).normal(size=(501, 3))
    points[500] = [50.0, 0.0, 0.0]
    model = getattr(unspool, method)(2)
    text = heard(model, points)
    sizes = np.abs(model.embedding_)
    if method in (
        "LTSA",
        "HessianLLE",
    ):  # the flat map of such data is that: it is told, and mended
        assert 500 in rows_named(text)
        model = getattr(unspool, method)(2, outliers="separate").fit(points)
        assert model.outliers_.tolist() == [500]
        sizes = np.abs(model.charts_[0].coordinates)
    assert (sizes.max(axis=0) < 50.0 * np.median(sizes, axis=0)).all()


@pytest.mark.parametrize("n", [20, 42, 86])
def test_small_tables_are_looked_at_too(n):
    """One in twenty points may carry a coordinate, of 86 points four."""
    column = np.linspace(-1.0, 1.0, n)
    assert find_localized(column[:, None]) == []
    few = n // 20
    column[:few] += 100.0
    assert set(find_localized(column[:, None])[0].carriers) == set(range(few))
    column[: 2 * few] = np.linspace(50.0, 100.0, 2 * few)
    assert find_localized(column[:, None]) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("few", [12, 100])
def test_the_largest_component_is_no_dot_beside_a_small_one(method, few):
    random = np.random.default_rng(0)
    points = np.vstack([random.normal(size=(1_000, 3)), random.normal(size=(few, 3)) + 50.0])
    model = getattr(unspool, method)(2, n_neighbors=10)
    text = heard(model, points)
    assert "2 connected components" in text
    width = np.ptp(model.embedding_[:1_000], axis=0) / np.ptp(model.embedding_, axis=0)
    assert (width > 0.25).all()
