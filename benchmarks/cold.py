"""The first call ever, kernels compiling, and the first call of the next process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

POINTS = 2_000
# what differs from two coordinates and the defaults
OPTIONS: dict[str, dict[str, Any]] = {
    "principal-curve": {"n_components": 1},
    "spectral-clustering": {"n_clusters": 6, "n_components": 3},
}


def measure_cold(method: str) -> dict[str, Any]:
    """Return the seconds of a first call on a fresh install, and what a later process adds."""
    with tempfile.TemporaryDirectory() as cache:
        fresh, next_one = (_run(method, cache) for _ in range(2))
    return {
        "method": method,
        "n": POINTS,
        "cold_s": fresh["first_s"],
        "next_s": next_one["first_s"],
        "warm_s": next_one["warm_s"],
        "overhead_s": round(max(next_one["first_s"] - next_one["warm_s"], 0.0), 3),
    }


def _run(method: str, cache: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.cold", method]
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    return dict(json.loads(done.stdout))


def main(method: str) -> None:
    """Fit twice in this process, scikit-learn imported beforehand, and print the seconds."""
    import sklearn.base  # noqa: F401 (a second of its own, whoever uses it)

    from unspool import datasets
    from unspool.catalog import entry_of

    points = datasets.swiss_roll(POINTS, seed=0).points
    model = entry_of(method).load()(**{"n_components": 2, **OPTIONS.get(method, {})})
    seconds = []
    for _ in range(2):
        began = time.perf_counter()
        model.fit(points)
        seconds.append(round(time.perf_counter() - began, 3))
    print(json.dumps({"first_s": seconds[0], "warm_s": seconds[1]}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1])
