"""Predicted against measured: memory and time of every method, ``python -m benchmarks.plan``.

``python -m benchmarks.plan --real`` looks at real tables instead: all, or those that are named,
and of these the methods that are named behind a sign, as in ``mnist10k=pca,isomap``.

Each fit runs in a fresh process that is warm (everything loaded and compiled); memory is what the
process has at its peak beyond what it had before the fit.
"""

from __future__ import annotations

import ctypes
import gc
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unspool import datasets
from unspool.catalog import METHODS
from unspool.evaluate import plan

from . import data as tables

OPTIONS = {
    "principal-curve": {"n_components": 1},
    "spectral-clustering": {"n_clusters": 6, "n_components": 3},
}
REAL: dict[str, Callable[[], tables.Data]] = {
    "pbmc68k": partial(tables.cells, "x"),
    "coil20": tables.objects,
    "pendigits": tables.pendigits,
    "mnist10k": partial(tables.mnist, 10_000),
    "covtype100k": partial(tables.forest, 100_000),
    "mnist60k": partial(tables.mnist_train, 60_000),
    "glove100k": partial(tables.words, 100_000),
    "bent200k": partial(tables.bent, 200_000, 12, 50),  # made: no table here is as large and wide
}
LARGE = (
    "pca",
    "random-projection",
    "landmark-mds",
    "landmark-isomap",
    "laplacian-eigenmaps",
    "diffusion-maps",
)
SMALL = (
    *LARGE,
    "isomap",
    "lle",
    "ltsa",
    "hessian-lle",
    "modified-lle",
    "kernel-pca",
    "classical-mds",
    "tsne",
)
FEW_ROWS = ("pbmc68k", "coil20", "pendigits", "mnist10k")
FLOOR = 2e6  # bytes below which allocators, not methods, decide
INSTANT = 0.005  # seconds below which clocks do
BRIEF = 2.0  # seconds below which a fit is timed three times
STATUS, MARK = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def main(arguments: list[str]) -> None:
    """Measure the named methods (default: all) at 2,000 and 20,000 points, and print ratios."""
    if arguments[:1] == ["--real"]:
        _look_at_real_tables(arguments[1:] or list(REAL))
        return
    names = arguments or list(METHODS)
    print(f"{'method':<26}{'n':>7}{'MB':>9}{'predicted':>11}{'s':>9}{'predicted':>11}")
    factors = [_shown(name, n) for n in (2_000, 20_000) for name in names]
    memory, time_taken = (max(each) for each in zip(*factors, strict=True))
    print(f"\nwrong at most by a factor of {memory:.2f} in memory and {time_taken:.2f} in time")


def _shown(name: str, n: int) -> tuple[float, float]:
    """Print a line, and return by which factors memory and time are wrong."""
    command = [sys.executable, "-c", f"from benchmarks.plan import told; told({name!r}, {n})"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        last = ran.stderr.strip().splitlines()[-1:]
        raise RuntimeError(f"{name} with {n} points failed: {''.join(last)}")
    found = json.loads(ran.stdout)
    foreseen = foreseen_for(name, n)
    print(
        f"{name:<26}{n:>7}{found['bytes'] / 1e6:>9.1f}{foreseen.bytes / 1e6:>11.1f}"
        f"{found['seconds']:>9.3f}{foreseen.seconds:>11.3f}",
        flush=True,
    )
    memory, time_taken = (max(ratio, 1.0 / ratio) for ratio in ratios(name, n, found))
    return memory, time_taken


def _look_at_real_tables(tables: list[str]) -> None:
    print(f"{'table':<14}{'method':<22}{'MB':>9}{'predicted':>11}{'s':>9}{'predicted':>11}")
    for asked in tables:
        table, _, named = asked.partition("=")
        usual = SMALL if table in FEW_ROWS else LARGE
        for name in named.split(",") if named else usual:
            _show_real(table, name)


def _show_real(table: str, name: str) -> None:
    """Print a line about one method and one real table, with a mark where it is wrong."""
    words = f"from benchmarks.plan import told_real; told_real({table!r}, {name!r})"
    command = [sys.executable, "-c", words]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        print(f"{table:<14}{name:<22} failed: {ran.stderr.strip().splitlines()[-1]}")
        return
    seen = json.loads(ran.stdout.splitlines()[-1])
    print(
        f"{table:<14}{name:<22}{seen['bytes'] / 1e6:>9.1f}{seen['plan_bytes'] / 1e6:>11.1f}"
        f"{seen['seconds']:>9.3f}{seen['plan_seconds']:>11.3f}{marks(seen)}",
        flush=True,
    )


def marks(seen: dict[str, float]) -> str:
    """Return which of both predictions is wrong by more than is promised: nothing, usually."""
    memory = max(seen["plan_bytes"], FLOOR) / max(seen["bytes"], FLOOR)
    seconds = max(seen["plan_seconds"], INSTANT) / max(seen["seconds"], INSTANT)
    marks = [
        f"{what} {ratio:.2f}"
        for what, ratio, most in (("memory", memory, 2.0), ("time", seconds, 3.0))
        if not 1 / most <= ratio <= most
    ]
    return "".join(f"  ! {mark}" for mark in marks)


def told_real(table: str, name: str) -> None:
    """Print what the fit of a real table took and what was foreseen from its points, as JSON."""
    data = np.ascontiguousarray(REAL[table]().points)
    cls = METHODS[name].load()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for n in (300, 700):
            cls(n_components=2).fit(data[:n])
        foreseen = plan(name, data)
        cls(n_components=2).fit(data)  # loads, and compiles, what only many points need
        runs = [peak_of(lambda: cls(n_components=2).fit(data))]
        if runs[0]["seconds"] < BRIEF:
            runs += [peak_of(lambda: cls(n_components=2).fit(data)) for _ in range(2)]
    seconds = statistics.median(run["seconds"] for run in runs)
    least = min(run["bytes"] for run in runs)
    seen = {"bytes": least, "seconds": seconds}
    print(json.dumps({**seen, "plan_bytes": foreseen.bytes, "plan_seconds": foreseen.seconds}))


def told(name: str, n: int) -> None:
    """Print what a fit took, as JSON."""
    warm_up(name)
    runs = [measured(name, n)]
    if runs[0]["seconds"] < BRIEF:
        runs += [measured(name, n) for _ in range(2)]
    seconds = statistics.median(run["seconds"] for run in runs)
    print(json.dumps({"bytes": runs[0]["bytes"], "seconds": seconds}))


def warm_up(name: str) -> None:
    """Fit a few points, so that everything is loaded and compiled."""
    for n in (700, 300):
        _fit(name, points(n))


def measured(name: str, n: int) -> dict[str, float]:
    """Return the bytes and seconds that a fit takes."""
    data = points(n)
    return peak_of(lambda: _fit(name, data))


def peak_of(work: Callable[[], Any]) -> dict[str, float]:
    """Return the bytes at the peak beyond those before, and the seconds, of some work."""
    _give_back()
    MARK.write_text("5")  # the high-water mark starts here
    before = _status("VmRSS")
    began = time.perf_counter()
    work()
    seconds = time.perf_counter() - began
    return {"bytes": _status("VmHWM") - before, "seconds": seconds}


def foreseen_for(name: str, n: int) -> Any:
    """Return the plan for the same fit."""
    width = OPTIONS.get(name, {}).get("n_components", 2)
    return plan(name, n, 3, n_components=width)


def ratios(name: str, n: int, found: dict[str, float]) -> tuple[float, float]:
    """Return predicted over measured, of memory and of time; of what is tiny, 1."""
    foreseen = foreseen_for(name, n)
    memory = max(foreseen.bytes, FLOOR) / max(found["bytes"], FLOOR)
    return memory, max(foreseen.seconds, INSTANT) / max(found["seconds"], INSTANT)


def points(n: int) -> Any:
    """Return a Swiss roll without short circuits at any of these sizes."""
    return np.array(datasets.swiss_roll(n, ranges="isomap", seed=2).points)


def _fit(name: str, data: Any) -> None:
    options = {"n_components": 2, **OPTIONS.get(name, {})}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        METHODS[name].load()(**options).fit(data)


def _give_back() -> None:
    """Return freed memory to the system: the next fit would otherwise hide in it."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _status(field: str) -> float:
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return 1024.0 * int(line.split()[1])
    raise RuntimeError(f"no {field} in {STATUS}")


if __name__ == "__main__":
    main(sys.argv[1:])
