"""Ctrl-C in Python: one KeyboardInterrupt, soon, whatever compiled loop is running."""

import os
import signal
import subprocess
import sys

import pytest

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
