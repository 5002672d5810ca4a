"""Ctrl-C in Python: one KeyboardInterrupt, soon, whatever compiled loop is running."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import unspool
from tests.cases import CASES, bent
from tests.trouble.interrupting import DELAYS, outcome, works
from unspool import datasets, extension, runtime
from unspool.catalog import METHODS
from unspool.distances import blocks, search
from unspool.neighbor_embedding import divergence
from unspool.runtime import compiling, resources
from unspool.spectrum import iterative

ROOT = Path(__file__).parents[2]

CURVE = """
import os, signal, threading, time
import numpy as np

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this aside
from unspool import PrincipalCurve

rng = np.random.default_rng(0)
t = rng.uniform(0, 6, 40_000)
X = np.column_stack([t, np.sin(t), np.cos(2 * t)]) + 0.1 * rng.normal(size=(40_000, 3))
PrincipalCurve().fit(X[:200])  # compiled before
sent = []

def interrupt():
    time.sleep({delay})
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    while True:
        PrincipalCurve(smoother="{smoother}").fit(X)
except KeyboardInterrupt:
    print("in time" if time.perf_counter() - sent[0] < 2.0 else "late")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has other signals")
@pytest.mark.parametrize(("smoother", "delay"), [("spline", 0.5), ("lowess", 0.83)])
def test_a_curve_is_interrupted(smoother, delay):
    script = CURVE.format(delay=delay, smoother=smoother)
    ran = subprocess.run(
        [sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "in time", ran.stderr[-500:]


GROUPS = ("fit", "transform", "inverse_transform", "other")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has other signals")
@pytest.mark.parametrize("group", [pytest.param(g, marks=pytest.mark.slow) for g in GROUPS])
def test_long_work_is_interrupted(group):
    """Every method's fit, query points and way back, scores, comparisons, plans, dimensions."""
    told = interrupted(group)
    names = [line.partition(": ")[0] for line in told]
    assert names == [name for name in works(group) for _ in DELAYS]
    assert [line for line in told if not line.endswith(": in time")] == []


COMPILING = """
import os, signal, sys, threading, time, warnings
import numba, unspool
from tests.cases import CASES, bent

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
X, sent, heard, is_done = bent(300), [], threading.Semaphore(0), threading.Event()

def interrupt():
    while not is_done.wait(0.15):
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
        if not heard.acquire(timeout=30):
            print("lost", flush=True)
            os._exit(1)

threading.Thread(target=interrupt, daemon=True).start()
for name in sys.argv[1:]:
    while True:
        try:
            CASES[name].make().fit(X)
            break
        except KeyboardInterrupt:
            if time.perf_counter() - sent[-1] > 2.0:
                print("late", flush=True)
            heard.release()
is_done.set()
print(len(sent) >= 5, flush=True)
os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has other signals")
def test_compiling_is_interrupted(tmp_path):
    """Each Ctrl-C is heard, and what was being compiled works afterwards."""
    ran = subprocess.run(
        [sys.executable, "-c", COMPILING, "KernelLLE", "LTSA", "PrincipalCurve"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout.split(), ran.stderr) == (["True"], ""), (ran.stdout, ran.stderr[-2000:])


def test_loops_are_compiled_where_no_signal_is_handled():
    """In another thread than the one that waits for it, and so hears Ctrl-C."""
    from numba.core import event

    class Heard(event.Listener):
        def on_start(self, event):
            threads.add(threading.current_thread())

        def on_end(self, event):
            pass

    threads = set()
    with event.install_listener("numba:compile", Heard()):
        assert compiling.njit()(lambda number: 2 * number)(4) == 8
    assert threads
    assert threading.main_thread() not in threads


def test_loops_return_no_arrays():
    """Numba hands an array back by Python code, and takes what that raises for no error."""
    array = np.zeros(3)
    for loop in (lambda given: given, lambda given: (1, given), lambda given: given + 1.0):
        with pytest.raises(TypeError, match="must fill an array that it is given"):
            compiling.njit()(loop)(array)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has other signals")
def test_a_fit_of_each_family_is_interrupted():
    assert interrupted("families") == [f"{name}: in time" for name in works("families")]
    classes = {name.removeprefix("fit ").partition(",")[0] for name in works("families")}
    families = {entry.family for entry in METHODS.values() if entry.class_name in classes}
    assert families == {entry.family for entry in METHODS.values()}


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="it is told by /proc")
def test_one_who_does_not_listen_is_told_however_little_it_works():
    """Two seconds of the clock are too many if nobody else had the processor."""

    def sleep():
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            with suppress(KeyboardInterrupt):
                time.sleep(0.1)
                continue
            time.sleep(2.5)
            raise KeyboardInterrupt

    assert "s on the clock" in outcome(sleep, 0.2)


def interrupted(*chosen):
    """Return a line for each work and moment, told by a child: it may end in any way."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.trouble.interrupting", *chosen],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout, ran.stderr[-2000:])
    return ran.stdout.splitlines()


def test_the_table_has_every_method():
    for group in GROUPS[:3]:
        for name in CASES:
            assert any(f"{group} {name}" == work.partition(",")[0] for work in works(group))


def test_a_library_call_is_cancelled_while_it_runs():
    """The call waits for an event that comes only after the cancelling was heard."""
    release, ended = threading.Event(), threading.Event()

    def work():
        release.wait(30)
        ended.set()

    def wait():
        with runtime.listen(lambda event: None) as listener, runtime.stage("waiting"):
            threading.Timer(0.2, listener.cancel).start()
            runtime.run_apart(work)

    with pytest.raises(runtime.Cancelled, match="cancelled during 'waiting'"):
        wait()
    assert not ended.is_set()
    release.set()
    assert ended.wait(30)


def test_what_a_library_call_raises_is_raised():
    def fail():
        raise ZeroDivisionError("of its own")

    with pytest.raises(ZeroDivisionError, match="of its own"):
        runtime.run_apart(fail)
    assert runtime.run_apart(lambda: None) is None


def test_pre_images_are_sought_a_few_at_a_time(monkeypatch):
    """So that there is neither a table of all places and all points, nor silence for minutes."""
    X = bent(60)
    for kernel in ("linear", "gaussian", "laplacian", "polynomial"):
        model = unspool.KernelPCA(2, kernel=kernel).fit(X)
        places, sizes = model.embedding_ * 0.9, []
        whole = model.inverse_transform(places)
        combine = type(model._map).combine

        def counted(self, places, sizes=sizes, combine=combine):
            sizes.append(len(places))
            return combine(self, places)

        with monkeypatch.context() as patched:
            patched.setattr(type(model._map), "combine", counted)
            patched.setattr(extension, "PREIMAGES", 7)
            np.testing.assert_allclose(model.inverse_transform(places), whole, rtol=1e-9, atol=1e-9)
        assert sizes == [7] * 8 + [4]
        with runtime.listen(lambda event: None) as listener:
            listener.cancel()
            with pytest.raises(runtime.Cancelled):
                model.inverse_transform(places)


def test_query_points_of_tsne_are_moved_a_few_at_a_time(monkeypatch):
    X = bent(80)
    model = CASES["TSNE"].make().fit(X)
    whole, heard = model.transform(X + 0.01), []
    monkeypatch.setattr(divergence, "PLACED_AT_ONCE", 7)
    with runtime.listen(heard.append):
        np.testing.assert_array_equal(model.transform(X + 0.01), whole)
    assert [e.done for e in heard if e.name == "placing"] == [0, *range(7, 80, 7), 80]


def test_rows_of_a_given_table_are_sorted_a_few_at_a_time(monkeypatch):
    table = np.random.default_rng(0).random((50, 50))
    whole = blocks.GivenDistances(table).nearest(table, 5)
    monkeypatch.setattr(blocks, "CHUNK_BYTES", 7 * 50 * 8)
    sizes, smallest = [], blocks.smallest
    monkeypatch.setattr(
        blocks, "smallest", lambda rows, count: sizes.append(len(rows)) or smallest(rows, count)
    )
    some = blocks.GivenDistances(table).nearest(table, 5)
    np.testing.assert_array_equal(some.neighbors, whole.neighbors)
    np.testing.assert_array_equal(some.distances, whole.distances)
    assert sizes == [7] * 7 + [1]


@pytest.mark.parametrize("name", ["LLE", "LaplacianEigenmaps", "LTSA"])
def test_factorisations_of_many_points_run_apart(name, monkeypatch):
    """The same map, and the calls are made in another thread than the one that hears Ctrl-C."""
    X = datasets.swiss_roll(1500, seed=0).points
    expected, threads = CASES[name].make().fit(X).embedding_, set()
    monkeypatch.setattr(iterative, "LONG", 1e3)
    splu = iterative.sparse_linalg.splu

    def factorised(*given, **options):
        threads.add(threading.current_thread())
        return splu(*given, **options)

    monkeypatch.setattr(iterative.sparse_linalg, "splu", factorised)
    np.testing.assert_array_equal(CASES[name].make().fit(X).embedding_, expected)
    assert threads
    assert threading.main_thread() not in threads


def test_no_thread_searches_a_tree_once_an_interrupt_has_come_out(monkeypatch):
    """SciPy's own threads would go on, in arrays that are gone, and end the process."""
    monkeypatch.setattr(resources, "thread_count", lambda: 2)
    monkeypatch.setattr(search, "thread_count", lambda: 2)
    monkeypatch.setattr(search, "ALONE", 0)
    index = search.TreeSearch(bent(100), 2.0)
    tree, helping, at_work = index.tree, threading.Event(), []

    class Interrupted:
        def query(self, *given, workers=1, **options):
            assert workers == 1
            if threading.current_thread() is threading.main_thread():
                assert helping.wait(10.0)
                raise KeyboardInterrupt
            at_work.append("begun")
            helping.set()
            time.sleep(0.1)
            found = tree.query(*given, **options)
            at_work.append("ended")
            return found

    index.__dict__["tree"] = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        index.nearest(index.points, 5)
    assert at_work == ["begun", "ended"]
