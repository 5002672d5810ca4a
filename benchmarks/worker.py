"""One side of one row in a process of its own: ``python -m benchmarks.worker ROW SIDE OUT``."""

from __future__ import annotations

import json
import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from .rows import AfterFit
from .table import ROWS


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


def main(row_name: str, side_name: str, out: str) -> None:
    """Run a side cold, then warm, and write what was seen."""
    row = ROWS[row_name]
    side = row.ours if side_name == "ours" else row.peers[side_name]
    sample = row.make()
    if isinstance(side, AfterFit):
        side = side.prepare(sample)
    before = peak_mb()
    seconds = []
    # peers compile nothing, so one call a process is enough for them
    for _ in range(2 if side_name == "ours" and (row.runs > 1 or row.peers) else 1):
        began = time.perf_counter()
        answer = side(sample)
        seconds.append(time.perf_counter() - began)
    peak = peak_mb()
    quality = None if row.quality is None else row.quality(answer, sample)
    arrays = {key: value for key, value in answer.items() if isinstance(value, np.ndarray)}
    if sum(value.nbytes for value in arrays.values()) < 1e8:
        np.savez(out + ".npz", **arrays)
    seen = {
        "first_s": seconds[0],
        "warm_s": seconds[-1],
        "peak_mb": peak,
        "data_mb": before,
        "quality": quality,
        "report": answer.get("report", ""),
        "notes": answer.get("notes", ""),
    }
    with open(out, "w", encoding="utf-8") as stream:
        json.dump(seen, stream)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*sys.argv[1:4])
