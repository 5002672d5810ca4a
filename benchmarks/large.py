"""Data larger than a worker's memory: ``python -m benchmarks.large [ROWS] [STEP ...]``.

A table of ROWS x 50 float32 (10^7 unless given: 2 GB) is written to a folder for temporary files
unless it is there. Two workers of 1 GB then run each step; printed are its seconds, the most that
any worker held, and how many workers were lost. ``overhead`` is another row: exact Isomap of 20,000
points by two workers against the same in one process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

COLUMNS = 50
LIMIT = "1GB"
BLOCK = 250_000


def write_table(rows: int) -> Path:
    """Write a Swiss roll turned into 50 columns, with a little noise, unless it is there."""
    path = Path(tempfile.gettempdir()) / f"unspool-large-{rows}.npy"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(COLUMNS, 3)))[0].T
    unfinished = path.with_suffix(".unfinished")
    table = np.lib.format.open_memmap(unfinished, "w+", dtype=np.float32, shape=(rows, COLUMNS))
    for first in range(0, rows, BLOCK):
        count = min(BLOCK, rows - first)
        angle = 1.5 * np.pi * (1 + 2 * rng.random(count))
        width = 21 * rng.random(count)
        roll = np.column_stack([angle * np.cos(angle), width, angle * np.sin(angle)])
        noise = 1e-3 * rng.normal(size=(count, COLUMNS))
        table[first : first + count] = roll @ axes + noise
    table.flush()
    del table
    os.replace(unfinished, path)
    return path


def held_at_most() -> float:
    """Return the most bytes that this process ever held.

    By Linux's own count: that of ``getrusage`` begins with what the process held that started it.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) * 1024.0 for line in lines if line.startswith("VmHWM"))


def run_steps(path: Path, steps: list[str]) -> None:
    """Run each step on a cluster of its own, and print what it took."""
    from distributed import Client, LocalCluster

    for step in steps:
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                memory_limit=LIMIT,
                dashboard_address=":0",
            ) as cluster,
            Client(cluster) as client,
        ):
            before = {w["pid"] for w in client.run(_identity).values()}
            began = time.perf_counter()
            told = STEPS[step](str(path))
            seconds = time.perf_counter() - began
            found = client.run(_identity)
            lost = len(before - {w["pid"] for w in found.values()})
            most = max(w["bytes"] for w in found.values())
            row = {"step": step, "seconds": round(seconds, 1), "worker_MB": round(most / 1e6)}
            print(json.dumps({**row, "workers_lost": lost, **told}), flush=True)


def _identity() -> dict[str, float]:
    return {"pid": os.getpid(), "bytes": held_at_most()}


def pca(path: str) -> dict[str, object]:
    from unspool import PCA

    model = PCA(3).fit(path)
    return {"share": round(float(model.explained_variance_ratio_.sum()), 6)}


def neighbours(path: str) -> dict[str, object]:
    from unspool import distances, scale

    found = distances.neighbor_graph(scale.open_source(path), 8)
    return {"edges": found.n_edges, "exact": found.recall is None}


def nystroem(path: str) -> dict[str, object]:
    from unspool import KernelPCA

    model = KernelPCA(2, n_landmarks=100, sigma=5.0).fit(path)
    return {"eigenvalues": np.round(model.eigenvalues_, 1).tolist()}


def landmark_isomap(path: str) -> dict[str, object]:
    from unspool import LandmarkIsomap

    model = LandmarkIsomap(2, n_neighbors=8, n_landmarks=20, search="exact").fit(path)
    few = np.load(path, mmap_mode="r")[::1_000]
    placed = model.transform(np.array(few))
    return {
        "shape": list(model.embedding_.shape),
        "stages": {s.name: round(s.seconds, 1) for s in model.report_.stages},
        "known_points_kept": bool(np.allclose(placed, model.embedding_[::1_000], rtol=1e-4)),
    }


def transform(path: str) -> dict[str, object]:
    from unspool import LandmarkIsomap

    few = np.array(
        np.load(path, mmap_mode="r")[:: max(1, len(np.load(path, mmap_mode="r")) // 5000)]
    )
    model = LandmarkIsomap(2, n_neighbors=8).fit(few)
    lazy = model.transform(path)
    return {"blocks": lazy.npartitions, "mean": np.round(lazy.mean(axis=0).compute(), 4).tolist()}


STEPS = {
    "pca": pca,
    "transform": transform,
    "nystroem": nystroem,
    "neighbours": neighbours,
    "landmark-isomap": landmark_isomap,
}


def overhead(n: int = 20_000, runs: int = 3) -> None:
    """Print the seconds of exact Isomap in this process and by two workers, in turns."""
    from distributed import Client, LocalCluster

    from unspool import Isomap, datasets

    points = datasets.swiss_roll(n).points
    path = Path(tempfile.mkdtemp()) / "roll.npy"
    np.save(path, points)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    here, there = [], []
    with LocalCluster(memory_limit="6GB", dashboard_address=":0", **options) as cluster:
        for run in range(runs + 1):
            began = time.perf_counter()
            alone = Isomap(2, n_neighbors=8).fit(points)
            here.append(time.perf_counter() - began)
            with Client(cluster):
                began = time.perf_counter()
                spread = Isomap(2, n_neighbors=8).fit(str(path))
                there.append(time.perf_counter() - began)
            if run == 0:  # compiles and loads what later fits have
                here.clear()
                there.clear()
    gap = np.abs(alone.embedding_ - spread.embedding_).max() / np.abs(alone.embedding_).max()
    stages = {s.name: round(s.seconds, 2) for s in spread.report_.stages}
    row = {"step": "overhead", "in_process": min(here), "two_workers": min(there)}
    ratio = round(min(there) / min(here), 2)
    print(json.dumps({**row, "ratio": ratio, "gap": float(gap), "stages": stages}), flush=True)


def main(arguments: list[str]) -> None:
    """Run what is asked for."""
    warnings.simplefilter("ignore")
    rows = next((int(float(word)) for word in arguments if word[0].isdigit()), 10**7)
    steps = [word for word in arguments if word in STEPS]
    if "overhead" in arguments:
        overhead()
    if steps or "overhead" not in arguments:
        run_steps(write_table(rows), steps or list(STEPS))


if __name__ == "__main__":
    main(sys.argv[1:])
