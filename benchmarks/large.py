"""Data larger than a worker's memory: ``python -m benchmarks.large [ROWS] [STEP ...]``.

A table of ROWS x 50 float32 (10^7 unless given: 2 GB) is written to a folder for temporary files
unless it is there. Two workers run each step, of 1 GB each unless ``--memory`` says otherwise, and
``--keep FILE`` adds what is printed to a file: seconds, and two peaks of the worker that held most.
``held_MB`` is its own memory (RssAnon), looked at every 10 ms by a process beside; ``resident_MB``
is the kernel's own high mark (VmHWM), with pages of files that it reads or has mapped, the code of
its libraries among them, which the system takes back when it needs room. Dask's limit is of the
second kind. ``client_MB`` is the most that the client held of its own; of several steps the first
tells most, because memory is not always given back. ``overhead`` is another row: exact Isomap of
20,000 points by two workers against the same in one process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

COLUMNS = 50
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


def watch(pids: list[int], told: Path) -> None:
    """Write the most that each process held, until all have ended; run in a process beside them."""
    peaks = {pid: {"held": 0.0, "resident": 0.0} for pid in pids}
    while pids:
        for pid in list(pids):
            try:
                lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            except (FileNotFoundError, ProcessLookupError):
                pids.remove(pid)
                continue
            facts = {line.split(":")[0]: line.split()[1] for line in lines if line[:1] in "VR"}
            for name, fact in (("held", "RssAnon"), ("resident", "VmHWM")):
                found = 1024.0 * float(facts.get(fact, 0))
                peaks[pid][name] = max(peaks[pid][name], found)
        whole = told.with_suffix(".new")
        whole.write_text(json.dumps(peaks))
        whole.replace(told)
        time.sleep(0.01)


def run_steps(path: Path, steps: list[str], memory: str, kept: Path | None) -> None:
    """Run each step on a cluster of its own, and print what it took."""
    from distributed import Client, LocalCluster

    for step in steps:
        with (
            LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                memory_limit=memory,
                dashboard_address=":0",
            ) as cluster,
            Client(cluster) as client,
            tempfile.TemporaryDirectory() as folder,
        ):
            before, told = set(client.run(os.getpid).values()), Path(folder) / "peaks"
            watching = multiprocessing.get_context("spawn").Process(
                target=watch, args=([*sorted(before), os.getpid()], told), daemon=True
            )
            watching.start()
            began = time.perf_counter()
            found = STEPS[step](str(path))
            seconds = time.perf_counter() - began
            found |= _foreseen(step, len(np.load(path, mmap_mode="r")), client, found.get("stages"))
            lost = len(before - set(client.run(os.getpid).values()))
            peaks = json.loads(told.read_text())
            client_held = peaks.pop(str(os.getpid()))["held"]
            watching.terminate()
            watching.join()
        row = {"step": step, "rows": len(np.load(path, mmap_mode="r")), "memory": memory}
        row |= {"cores": len(os.sched_getaffinity(0)), "seconds": round(seconds, 1)}
        for name in ("held", "resident"):
            row[f"{name}_MB"] = round(max(peak[name] for peak in peaks.values()) / 1e6)
        row["client_MB"] = round(client_held / 1e6)
        line = json.dumps({**row, "workers_lost": lost, **found})
        print(line, flush=True)
        if kept is not None:
            kept.open("a").write(f"{line}\n")


def _foreseen(step: str, rows: int, client: Any, stages: Any) -> dict[str, Any]:
    """Return the seconds that the cost model foresees for the stages that were measured."""
    from unspool.scale.cost_model import Layout, foresee

    if stages is None:
        return {}
    size, cores = (len(client.nthreads()), len(os.sched_getaffinity(0)))
    landmarks = {"nystroem": 100}.get(step, 20)
    memory = min(w["memory_limit"] for w in client.scheduler_info()["workers"].values())
    layout = Layout(rows, COLUMNS, 8, 2, landmarks, size, memory)
    name = {"nystroem": "kernel-pca"}.get(step, step)
    spread = max(1.0, size / cores)  # workers that share a core
    return {
        "foreseen": {
            s.name: round(s.seconds * (spread if s.tasks else 1.0), 1)
            for s in foresee(name, layout)
        }
    }


def _measured(model: Any) -> dict[str, float]:
    """Return the seconds of each stage of a fit."""
    return {s.name: round(s.seconds, 1) for s in model.report_.stages}


def pca(path: str) -> dict[str, Any]:
    from unspool import PCA

    model = PCA(3).fit(path)
    share = round(float(model.explained_variance_ratio_.sum()), 6)
    return {"share": share, "stages": _measured(model)}


def neighbours(path: str) -> dict[str, Any]:
    from unspool import distances, scale

    found = distances.neighbor_graph(scale.open_source(path), 8)
    return {"edges": found.n_edges, "exact": found.recall is None}


def nystroem(path: str) -> dict[str, Any]:
    from unspool import KernelPCA

    model = KernelPCA(2, n_landmarks=100, sigma=5.0).fit(path)
    return {
        "eigenvalues": np.round(model.eigenvalues_, 1).tolist(),
        "stages": _measured(model),
    }


def landmark_isomap(path: str) -> dict[str, Any]:
    from unspool import LandmarkIsomap

    model = LandmarkIsomap(2, n_neighbors=8, n_landmarks=20, search="exact").fit(path)
    few = np.load(path, mmap_mode="r")[::1_000]
    placed = model.transform(np.array(few))
    return {
        "shape": list(model.embedding_.shape),
        "stages": _measured(model),
        "known_points_kept": bool(np.allclose(placed, model.embedding_[::1_000], rtol=1e-4)),
    }


def transform(path: str) -> dict[str, Any]:
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
    row = {"step": "overhead", "in_process": median(here), "two_workers": median(there)}
    ratio = round(median(there) / median(here), 2)
    print(json.dumps({**row, "ratio": ratio, "gap": float(gap), "stages": stages}), flush=True)


def main(arguments: list[str]) -> None:
    """Run what is asked for."""
    warnings.simplefilter("ignore")
    given = argparse.ArgumentParser(prog="python -m benchmarks.large")
    given.add_argument("what", nargs="*", help=f"rows, and steps: {', '.join(STEPS)}, overhead")
    given.add_argument("--memory", default="1GB", help="limit of each worker")
    given.add_argument("--keep", type=Path, help="file that lines are added to")
    asked = given.parse_args(arguments)
    rows = next((int(float(word)) for word in asked.what if word[0].isdigit()), 10**7)
    steps = [word for word in asked.what if word in STEPS]
    if "overhead" in asked.what:
        overhead()
    if steps or "overhead" not in asked.what:
        run_steps(write_table(rows), steps or list(STEPS), asked.memory, asked.keep)


if __name__ == "__main__":
    main(sys.argv[1:])
