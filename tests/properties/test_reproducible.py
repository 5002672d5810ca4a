"""The same seed, any number of threads, either precision: the same map."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy

from tests.cases import CASES, CLOSED_FORM, DIMENSIONS, EVERY_DIMENSION, bent
from tests.compare import relative, up_to_motion

X = bent(300)
NEW = bent(25, seed=8)
NESTED = {name: case for name, case in CLOSED_FORM.items() if case.nested}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_same_seed_gives_the_same_bits(case):
    first, second = case.make().fit(X), case.make().fit(X.copy())
    np.testing.assert_array_equal(first.embedding_, second.embedding_)
    np.testing.assert_array_equal(first.transform(NEW), second.transform(NEW))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_layout_of_the_data_in_memory_does_not_matter(case):
    expected = case.make().fit(X).embedding_
    scattered = np.zeros((600, 10))[::2, ::2]
    scattered[:] = X
    for given in (np.asfortranarray(X), scattered, X.tolist()):
        # sums run in another order: what iterates may end a little elsewhere
        tolerance = 1e-9 if case.closed_form else 1e-6
        assert relative(case.make().fit(given).embedding_, expected) < tolerance


@pytest.mark.parametrize("n", [300, 900])
@pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)
def test_closed_forms_do_not_depend_on_the_seed(case, n):
    points = bent(n)
    expected = case.make().fit(points).embedding_
    for seed in (1, 7, 12345):
        other = case.make(random_state=seed).fit(points).embedding_
        assert relative(other, expected) < 1e-6


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("case", NESTED.values(), ids=NESTED)
def test_fewer_axes_are_the_first_of_more(case, d):
    """Signs and axes are fixed by the data alone, whatever the number of coordinates."""
    few, many = (case.make(n_components=count).fit(X).embedding_ for count in (d, 5))
    assert relative(few, many[:, :d]) < 1e-7


@pytest.mark.parametrize(("case", "d"), EVERY_DIMENSION)
def test_single_precision_in_single_precision_out(case, d):
    single = X.astype(np.float32)
    model = case.make(n_components=d).fit(single)
    assert model.embedding_.dtype == np.float32
    assert model.transform(NEW.astype(np.float32)).dtype == np.float32
    assert model.transform(NEW).dtype == np.float64
    assert model.fit_transform(single).dtype == np.float32
    assert model.inverse_transform(model.embedding_).dtype == np.float32
    # computed in double precision, so that only the last rounding differs
    double = case.make(n_components=d).fit(single.astype(np.float64))
    assert double.embedding_.dtype == np.float64
    assert relative(model.embedding_, double.embedding_) < 1e-6
    assert relative(model.transform(single), model.embedding_) < 1e-6


@pytest.mark.parametrize("case", CLOSED_FORM.values(), ids=CLOSED_FORM)
def test_single_precision_loses_no_component(case):
    """The map of rounded data is the map of the data, up to that rounding."""
    single, double = case.make().fit(X.astype(np.float32)), case.make().fit(X)
    assert up_to_motion(single.embedding_.astype(float), double.embedding_) < 1e-3
    np.testing.assert_allclose(single.eigenvalues_, double.eigenvalues_, rtol=1e-3, atol=1e-12)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_whole_numbers_are_taken_as_double_precision(case):
    whole = np.round(4 * X).astype(int)
    model = case.make().fit(whole)
    assert model.embedding_.dtype == np.float64
    assert relative(model.embedding_, case.make().fit(whole.astype(float)).embedding_) == 0.0


PRINT_MAPS = """
import json, warnings
import numpy as np
import unspool
from tests.cases import CASES, bent
new = bent(25, seed=8)
warnings.simplefilter("ignore")
simplex, turns = np.eye(400), 2 * np.pi * np.arange(700) / 700
circle = np.column_stack([np.cos(turns), np.sin(turns), np.zeros((700, 3))])
maps = {}
def note(name, model, points, new):
    maps[name] = model.fit(points).embedding_.tolist()
    maps[f"{name}, query points"] = model.transform(new).tolist()
roll = bent(200)
single = roll.astype(np.float32), new.astype(np.float32)
for name, case in CASES.items():
    note(f"{name} roll", case.make(), roll, new)
    note(f"{name} roll in single precision", case.make(), *single)
    if case.closed_form:
        note(f"{name} circle", case.make(), circle, new)
for ordinal in (False, True):
    model = unspool.MDS(precision="single", ordinal=ordinal)
    note(f"MDS computed in single precision, ordinal={ordinal}", model, roll, new)
for name in ("PCA", "KernelPCA", "ClassicalMDS"):
    maps[f"{name} simplex"] = CASES[name].make().fit(simplex).embedding_.tolist()
print(json.dumps(maps))
"""


SAME = 1e-12  # of the size of the map: sums of one and of two BLAS threads round otherwise
AMPLIFIED = {  # programs and mixtures that carry such a rounding through hundreds of steps
    "ConformalEigenmaps": 1e-9,  # 1.7e-11 over twelve draws, 1.4e-10 in single precision
    "Charting": 1e-10,
    "ModifiedLLE": 1e-10,
}
if tuple(int(part) for part in scipy.__version__.split(".")[:2]) < (1, 16):
    AMPLIFIED["PrincipalSurface"] = 1e-9


def maps_with_threads(count):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(count))}
    ran = subprocess.run(
        [sys.executable, "-c", PRINT_MAPS],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return {name: np.array(table) for name, table in json.loads(ran.stdout).items()}


def test_any_number_of_threads_gives_the_same_map():
    """Also where eigenvalues are equal (circle, simplex): one rule fixes the axes there."""
    one, two = maps_with_threads(1), maps_with_threads(2)
    assert one.keys() == two.keys()
    apart = {name: relative(two[name], expected) for name, expected in one.items()}
    allowed = {name: AMPLIFIED.get(name.split()[0], SAME) for name in one}
    assert {name: error for name, error in apart.items() if error > allowed[name]} == {}


def test_fits_in_several_threads_do_not_disturb_each_other():
    """Reports and progress belong to the thread that fits."""
    from concurrent.futures import ThreadPoolExecutor

    names = ["PCA", "KernelPCA", "ClassicalMDS", "Isomap", "LLE", "LaplacianEigenmaps"] * 2
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda name: CASES[name].make().fit(X), names))
    for name, model in zip(names, models, strict=True):
        alone = CASES[name].make().fit(X)
        assert relative(model.embedding_, alone.embedding_) < 1e-12
        assert [s.name for s in model.report_.stages] == [s.name for s in alone.report_.stages]
