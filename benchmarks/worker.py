"""One side of one row in a process of its own: ``python -m benchmarks.worker ROW SIDE OUT``."""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from .data import Data
from .rows import AfterFit, Answer, Row, Side
from .table import ROWS

PAUSE = 0.3  # seconds, after which no library's threads wait for more work
LONG = 5.0  # seconds of a peer's first call, beyond which it is not called again
# imported before the clock starts: 1.4 s of scikit-learn would count as its search
_LEARN = ("neighbors", "manifold", "decomposition", "cluster", "metrics", "random_projection")
PACKAGES = {
    "scikit-learn": [f"sklearn.{module}" for module in _LEARN],
    "scipy": ["scipy.sparse.linalg", "scipy.sparse.csgraph", "sklearn.neighbors"],
    "faiss, flat": ["faiss"],
    "tapkee": ["tapkee"],
    "openTSNE": ["openTSNE"],
}


def peak_mb() -> float:
    """Return the most memory this process has held so far, in MB.

    Linux tells it in /proc; what getrusage tells includes the process that started this one.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text(encoding="utf-8").splitlines()
        peak = next(line for line in lines if line.startswith("VmHWM:"))
        return float(peak.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _is_worth_another(row: Row, side_name: str, seconds: list[float]) -> bool:
    """Tell whether a side is called: always once, and again where a warm call may differ."""
    if not seconds:
        return True
    return row.runs > 1 or bool(row.peers) if side_name == "ours" else seconds[0] < LONG


def together(row_name: str, peers: list[str], out: str, runs: int) -> None:
    """Let the sides take turns in this process, and write what each took, once it was warm."""
    row = ROWS[row_name]
    sample = row.make()
    sides = {name: _prepared(row, name, sample) for name in ["ours", *peers]}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    answers = {}
    for turn in range(runs + 1):
        for name, side in sides.items():
            if turn == runs and name != "ours" and seconds[name][0] >= LONG:
                continue  # its first call counts: a warm one would hardly differ
            time.sleep(PAUSE)
            began = time.perf_counter()
            answers[name] = side(sample)
            seconds[name].append(time.perf_counter() - began)
    for name, answer in answers.items():
        taken = seconds[name][len(seconds[name]) > runs :]
        seen = {**_seen(row, answer, sample), "first_s": seconds[name][0], "peak_mb": None}
        _write(f"{out}{name}-0", {**seen, "warm_s": statistics.median(taken)}, answer)


def _prepared(row: Row, side_name: str, sample: Data) -> Side:
    """Return a side with its package imported, and fitted where only what follows is timed."""
    side = row.ours if side_name == "ours" else row.peers[side_name]
    for package in PACKAGES.get(side_name, []):
        import_module(package)
    return side.prepare(sample) if isinstance(side, AfterFit) else side


def _seen(row: Row, answer: Answer, sample: Data) -> dict[str, Any]:
    quality = None if row.quality is None else row.quality(answer, sample)
    words = {key: answer.get(key, "") for key in ("report", "notes")}
    return {"quality": quality, **words}


def _write(out: str, seen: dict[str, Any], answer: Answer) -> None:
    arrays = {key: value for key, value in answer.items() if isinstance(value, np.ndarray)}
    if sum(value.nbytes for value in arrays.values()) < 1e8:
        np.savez(out + ".npz", **arrays)  # type: ignore[arg-type]
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(seen, stream)


def main(row_name: str, side_name: str, out: str) -> None:
    """Run a side cold, then warm, and write what was seen."""
    row = ROWS[row_name]
    sample = row.make()
    side = _prepared(row, side_name, sample)
    before = peak_mb()
    seconds: list[float] = []
    # the first call loads kernels, and takes memory from the system, on either side
    while len(seconds) < 2 and _is_worth_another(row, side_name, seconds):
        began = time.perf_counter()
        answer = side(sample)
        seconds.append(time.perf_counter() - began)
    peak = peak_mb()
    times = {"first_s": seconds[0], "warm_s": seconds[-1], "peak_mb": peak, "data_mb": before}
    _write(out, {**times, **_seen(row, answer, sample)}, answer)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[2] == "--together":
        together(sys.argv[1], sys.argv[5:], sys.argv[3], int(sys.argv[4]))
    else:
        main(*sys.argv[1:4])
