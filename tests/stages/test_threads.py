"""Work spread over threads, and the limit of BLAS's own ones."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import unspool
from unspool.runtime import limit_blas_threads, run_strips
from unspool.runtime.resources import _BLAS_LIMIT


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


@pytest.mark.parametrize("n", [0, 1, 7, 100])
def test_every_row_once(n):
    seen = np.zeros(n, int)

    def work(rows):
        seen[rows] += 1

    run_strips(work, n, 8)
    assert (seen == 1).all()


def test_what_a_strip_raises_is_raised():
    def work(rows):
        if rows.start == 16:
            raise ValueError("strip 2")

    with pytest.raises(ValueError, match="strip 2"):
        run_strips(work, 100, 8)


def test_the_limit_of_blas_lasts_from_the_first_to_the_last(monkeypatch):
    """Who overlaps shares one limit: a second one would keep what the first has set.

    The library is stood in for: what OpenBLAS tells other threads of its limit varies.
    """
    told = []

    class Libraries:
        def limit(self, limits, user_api):
            told.append((limits, user_api))
            return self

        def restore_original_limits(self):
            told.append("restored")

    libraries = Libraries()
    monkeypatch.setattr(_BLAS_LIMIT, "_known_libraries", lambda: libraries)
    first, second = limit_blas_threads(), limit_blas_threads()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert told == [(1, "blas")]
    second.__exit__(None, None, None)
    assert told == [(1, "blas"), "restored"]
    with limit_blas_threads():
        pass
    assert told == 2 * [(1, "blas"), "restored"]


def test_blas_is_as_before_after_an_error():
    before = blas_threads()
    with pytest.raises(KeyError), limit_blas_threads():
        raise KeyError
    assert blas_threads() == before


AT_ONCE = """
import threading
import numpy as np
from unspool import MDS, datasets

points = datasets.swiss_roll(150, seed=0).points
expected = MDS(2, ordinal=True).fit(points).embedding_

def fit():
    for _ in range(5):
        assert np.array_equal(MDS(2, ordinal=True).fit(points).embedding_, expected)
        done.append(1)

done = []
threads = [threading.Thread(target=fit) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(done))
"""


def test_fits_at_once_do_not_end_the_process():
    # the layer that is there on every platform, and refuses a second thread
    lonely = {**os.environ, "NUMBA_THREADING_LAYER": "workqueue", "NUMBA_NUM_THREADS": "2"}
    ran = subprocess.run(
        [sys.executable, "-c", AT_ONCE], env=lonely, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "20", ran.stderr[-500:]


KERNELS = sorted(Path(unspool.__file__).parent.rglob("*_kernels.py"))


def kernels_of(path):
    """Return each compiled function of a file: its options, and the names that it calls."""
    found = {}
    for function in ast.parse(path.read_text()).body:
        if isinstance(function, ast.FunctionDef):
            options = {word.arg for mark in function.decorator_list for word in mark.keywords}
            calls = [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]
            found[function.name] = options, {c.id for c in calls if isinstance(c, ast.Name)}
    return found


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels_leave_threads_to_python(path):
    """Numba's own threads hang in a process that is forked after them."""
    assert not [name for name, (options, _) in kernels_of(path).items() if "parallel" in options]


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_sums_in_any_order_are_inlined_where_they_are_called(path):
    """Else the run that compiles and later ones may run unlike copies of one function."""
    kernels = kernels_of(path)
    free = {name for name, (options, _) in kernels.items() if "fastmath" in options}
    for _ in kernels:
        free |= {name for name, (_, calls) in kernels.items() if calls & free}
    called = {other for _, calls in kernels.values() for other in calls}
    assert not [n for n in free & called if "forceinline" not in kernels[n][0]]
