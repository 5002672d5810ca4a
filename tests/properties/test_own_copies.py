"""A fitted model keeps its own copy: what happens to the caller's array later changes nothing."""

import dataclasses
import re

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import unspool
from tests.cases import CASES, roll
from unspool.methods.parameters import attributes_of, parameters_of

N = 120
OPTIONS = {  # arrays that parameters take
    "landmarks": lambda case: np.arange(0, N, 3),
    "n_neighbors": lambda case: case.options["n_neighbors"] + np.arange(N) % 2,
    "start": lambda case: roll(N).points[: 10 if case.most else N, : 3 if case.most else 2],
    "weights": lambda case: 1.0 - np.eye(N)[::-1],
    "dimensions": lambda case: np.array([2, 1]),
}
BESIDE = {"dimensions": {"n_subspaces": 2}, "weights": {"max_iter": 20}}  # what such arrays need


def takes_array(case, parameter):
    """Tell by its type whether a parameter of a method may be an array or a sequence."""
    types = {field.name: str(field.type) for field in dataclasses.fields(case.cls)}
    words = re.sub(r"Callable\[\[.*?\], .*?\]", "", types[parameter])
    return "Array" in words or "Sequence" in words


ARRAYS = [
    (name, parameter)
    for name, case in CASES.items()
    for parameter in parameters_of(case.cls)
    if takes_array(case, parameter)
]
every_method = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def answers(model, queries):
    """Return what a fitted model answers, and the arrays and numbers that it learned."""
    of_points = model._input_kind() == "points"
    names = attributes_of(type(model)).keys() - (set() if of_points else {"reconstruction_error_"})
    learned = {name: getattr(model, name) for name in names if hasattr(model, name)}
    found = {k: np.array(v) for k, v in learned.items() if isinstance(v, np.ndarray | float | int)}
    found["transform"] = model.transform(queries)
    if of_points:
        found["back"] = model.inverse_transform(np.array(model.embedding_[::9]))
    if hasattr(model, "shepard"):
        found |= dataclasses.asdict(model.shepard())
    return found


def assert_same(after, before):
    assert after.keys() == before.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(after[name], value, err_msg=name)


@every_method
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_changing_the_data_afterwards_changes_no_answer(case, dtype):
    X = roll(N).points.astype(dtype)
    model = case.make().fit(X)
    queries = X[::7] + dtype(0.1)
    before = answers(model, queries)
    X -= X.mean(axis=0)
    X *= 3
    assert_same(answers(model, queries), before)


@pytest.mark.parametrize(("name", "parameter"), ARRAYS)
def test_changing_an_option_afterwards_changes_no_answer(name, parameter):
    case, X = CASES[name], roll(N).points
    given = np.array(OPTIONS[parameter](case))
    model = case.make(**{parameter: given}, **BESIDE.get(parameter, {})).fit(X)
    before = answers(model, X[::7] + 0.1)
    given //= 2
    assert_same(answers(model, X[::7] + 0.1), before)


@pytest.mark.parametrize("form", [sp.csr_array, np.ndarray.tolist])
def test_changing_other_tables_of_weights_afterwards_changes_no_answer(form):
    X = roll(60).points
    weights = form(1.0 - np.eye(60)[::-1])
    model = unspool.MDS(weights=weights, max_iter=20).fit(X)
    before = answers(model, X[::7] + 0.1)
    for row in [weights.data] if sp.issparse(weights) else weights:
        row[:] = [0.0] * len(row)
    assert_same(answers(model, X[::7] + 0.1), before)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.precomputed])
@pytest.mark.parametrize("form", [np.array, sp.csr_array])
def test_changing_a_table_afterwards_changes_no_answer(name, form):
    case, X = CASES[name], roll(80).points
    if form is sp.csr_array and not (case.cls._SPARSE_TABLES or case.cls is unspool.MDS):
        pytest.skip("takes no sparse table")
    table = cdist(X, X)
    if case.precomputed == "kernel":
        table = np.exp(-0.01 * table**2)
    given = form(table)
    model = case.make(**{case.precomputed: "precomputed"}).fit(given)
    rows = 1.01 * given[:5]
    before = answers(model, rows)
    given *= 2.0
    assert_same(answers(model, rows), before)


@pytest.mark.parametrize("order", ["C", "F"])
def test_data_frames_are_copied_too(order):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(np.array(roll(60).points, order=order), copy=False)
    model = unspool.PCA(2).fit(frame)
    before = model.transform(frame.iloc[:5])
    queries = frame.iloc[:5].copy()
    frame.loc[:, :] = 0.0
    np.testing.assert_array_equal(model.transform(queries), before)
