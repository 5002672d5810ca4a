"""Runs rows: every side in fresh processes, alternating, and the median of what was seen."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .rows import Row

LIMIT_SECONDS = 3600


class DataAbsent(Exception):
    """The real data of a row are not on this machine."""


def measure(row: Row, say: Any = None) -> list[dict[str, Any]]:
    """Return one record a peer (one with no peer if there is none), ours beside it."""
    seen: dict[str, list[dict[str, Any]]] = {"ours": [], **{peer: [] for peer in row.peers}}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(row.runs):
            for side in list(seen):
                record = _run(row, side, Path(folder) / f"{side}-{turn}")
                if record is None:
                    seen.pop(side)
                    continue
                seen[side].append(record)
                if say:
                    say(f"{row.name} {side} {record['warm_s']:.2f} s")
        return [
            _record(row, seen["ours"], peer, seen.get(peer), Path(folder))
            for peer in ([name for name in seen if name != "ours"] or [None])  # type: ignore[list-item]
        ]


def _run(row: Row, side: str, out: Path) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "benchmarks.worker", row.name, side, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS)
    if done.returncode == 0:
        return dict(json.loads(out.read_text(encoding="utf-8")))
    if "ModuleNotFoundError" in done.stderr and side != "ours":
        print(f"{row.name}: {side} is not installed, left out", file=sys.stderr)
        return None
    if "FileNotFoundError: real data set" in done.stderr:
        raise DataAbsent(done.stderr.strip().splitlines()[-1])
    raise RuntimeError(f"{row.name} {side} failed:\n{done.stderr[-2000:]}")


def _record(
    row: Row, ours: list[dict[str, Any]], peer: str | None, theirs: Any, folder: Path
) -> dict[str, Any]:
    def middle(records: list[dict[str, Any]], key: str) -> float:
        return round(statistics.median(record[key] for record in records), 3)

    record = {
        "name": row.name,
        "n": int(row.make().points.shape[0]),
        "ours_s": middle(ours, "warm_s"),
        "ours_first_s": middle(ours, "first_s"),
        "peer": peer,
        "peer_s": middle(theirs, "warm_s") if theirs else None,
        "ratio": None,
        "ours_mb": round(middle(ours, "peak_mb")),
        "peer_mb": round(middle(theirs, "peak_mb")) if theirs else None,
        "ours_quality": ours[-1]["quality"],
        "peer_quality": theirs[-1]["quality"] if theirs else None,
        "measures": row.measures,
        "disagreement": _disagreement(folder, peer) if theirs else None,
        "notes": ours[-1]["notes"],
        "runs": row.runs,
    }
    if theirs:
        record["ratio"] = round(record["peer_s"] / max(record["ours_s"], 1e-4), 2)
    return record


def _disagreement(folder: Path, peer: str | None) -> float | None:
    """Return the sine of the largest angle between the two maps' centred column spaces."""
    files = folder / "ours-0.npz", folder / f"{peer}-0.npz"
    if not all(file.exists() for file in files):
        return None
    maps = [np.load(file).get("map") for file in files]
    if any(table is None or table.ndim != 2 for table in maps) or len({m.shape for m in maps}) > 1:
        return None
    bases = [np.linalg.qr(table - table.mean(axis=0))[0] for table in maps]
    outside = bases[0] - bases[1] @ (bases[1].T @ bases[0])
    return float(np.linalg.norm(outside, 2))
