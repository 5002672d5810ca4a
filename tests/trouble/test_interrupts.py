"""Ctrl-C in Python: one KeyboardInterrupt, soon, whatever compiled loop is running."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from unspool import runtime

CURVE = """
import os, signal, threading, time
import numpy as np
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
@pytest.mark.parametrize("smoother", ["spline", "lowess"])
@pytest.mark.parametrize("delay", [0.5, 0.83])
def test_a_curve_is_interrupted(smoother, delay):
    script = CURVE.format(delay=delay, smoother=smoother)
    ran = subprocess.run(
        [sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == "in time", ran.stderr[-500:]


LONG = {  # single calls into libraries, and loops, that take many seconds
    "a decomposition of 1,770 monomials": "unspool.PolynomialPCA(degree=3).fit(X[:6000])",
    "a kernel matrix of 3,500 points": "unspool.KernelPCA(1200).fit(X[:3500])",
    "all eigenvalues": "unspool.ClassicalMDS().fit(X[:4000]).negative_mass()",
    "Cailliez's constant": "unspool.ClassicalMDS(additive_constant=True).fit(X[:2000])",
    "a network": "unspool.AutoassociativeNetwork(mapping=(60,), demapping=(60,), tol=0.0, "
    "max_iter=10**6).fit(X)",
    "dimensions": "unspool.dimension.intrinsic_dimension(X)",
    "stress": "unspool.MDS(max_iter=10**6, tol=0.0).fit(X[:3000])",
    "a surface": "unspool.PrincipalSurface(max_iter=10**4, tol=0.0).fit(X[:3000])",
    "Hessians": "unspool.HessianLLE(3, n_neighbors=30).fit(X)",
    "clusters": "unspool.SpectralClustering(n_clusters=8).fit(X)",
}
SCRIPT = """
import os, signal, threading, time, warnings
import numpy as np
import unspool

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 20))
X[:, 10:] = np.sin(X[:, :10])
sent = []

def interrupt():
    time.sleep({delay})
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    while True:
        {work}
except KeyboardInterrupt:
    print("in time" if time.perf_counter() - sent[0] < 2.0 else "late", flush=True)
    os._exit(0)  # without waiting for what a library still does
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has other signals")
@pytest.mark.parametrize("what", LONG)
def test_long_work_is_interrupted(what):
    """Within two seconds, and as one KeyboardInterrupt: anything else ends the child unheard."""
    for delay in (2.0, 4.5):
        script = SCRIPT.format(delay=delay, work=LONG[what])
        ran = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.stdout.strip() == "in time", (ran.stdout, ran.stderr[-500:])


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
