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
GIVEN_UP = {"peak_mb": None, "quality": None, "notes": "", "report": ""}


class DataAbsent(Exception):
    """The real data of a row are not on this machine."""


def measure(row: Row, say: Any = None) -> list[dict[str, Any]]:
    """Return one record a peer (one with no peer if there is none), ours beside it."""
    seen: dict[str, list[dict[str, Any]]] = {"ours": [], **{peer: [] for peer in row.peers}}
    over: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(row.runs):
            for side in [name for name in seen if name not in over]:
                record = _run(row, side, Path(folder) / f"{side}-{turn}")
                if record is None:
                    seen.pop(side)
                    continue
                if "outcome" in record:  # it will be no better the next time
                    seen[side] = [record]
                    over.add(side)
                else:
                    seen[side].append(record)
                if say:
                    say(f"{row.name} {side} {record.get('outcome', '')} {record['warm_s']} s")
        return [
            _record(row, seen["ours"], peer, seen.get(peer), Path(folder))
            for peer in ([name for name in seen if name != "ours"] or [None])  # type: ignore[list-item]
        ]


def measure_together(row: Row, say: Any = None) -> list[dict[str, Any]]:
    """Return the same of sides that take turns in one process: less time, and no memory told."""
    with tempfile.TemporaryDirectory() as folder:
        words = [row.name, "--together", f"{folder}/", str(row.runs), *row.peers]
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.worker", *words], capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(f"{row.name} failed:\n{done.stderr[-2000:]}")
        seen = {
            name: [json.loads((Path(folder) / f"{name}-0").read_text(encoding="utf-8"))]
            for name in ["ours", *row.peers]
        }
        for name, records in seen.items():
            if say:
                say(f"{row.name} {name} {records[0]['warm_s']} s")
        peers: list[str | None] = list(row.peers) or [None]
        return [
            _record(row, seen["ours"], peer, seen[peer] if peer else None, Path(folder))
            for peer in peers
        ]


def _run(row: Row, side: str, out: Path) -> dict[str, Any] | None:
    command = [sys.executable, "-m", "benchmarks.worker", row.name, side, str(out)]
    limit = LIMIT_SECONDS if side == "ours" else row.patience
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as late:
        if side == "ours":
            raise RuntimeError(f"{row.name} took more than {limit:g} s") from late
        return {**GIVEN_UP, "first_s": limit, "warm_s": limit, "outcome": "given up"}
    if done.returncode == 0:
        return dict(json.loads(out.read_text(encoding="utf-8")))
    if "ModuleNotFoundError" in done.stderr and side != "ours":
        print(f"{row.name}: {side} is not installed, left out", file=sys.stderr)
        return None
    if "FileNotFoundError: real data set" in done.stderr:
        raise DataAbsent(done.stderr.strip().splitlines()[-1])
    if side != "ours":
        reason = done.stderr.strip().splitlines()[-1][:200]
        print(f"{row.name}: {side} failed: {reason}", file=sys.stderr)
        return {**GIVEN_UP, "first_s": None, "warm_s": None, "outcome": f"failed: {reason}"}
    raise RuntimeError(f"{row.name} {side} failed:\n{done.stderr[-2000:]}")


def _record(
    row: Row, ours: list[dict[str, Any]], peer: str | None, theirs: Any, folder: Path
) -> dict[str, Any]:
    def middle(records: list[dict[str, Any]], key: str) -> float:
        return round(statistics.median(record[key] for record in records), 3)

    def peak(records: list[dict[str, Any]]) -> int | None:
        return None if records[0]["peak_mb"] is None else round(middle(records, "peak_mb"))

    outcome = theirs[-1].get("outcome", "") if theirs else ""
    record = {
        "name": row.name,
        "n": int(row.make().points.shape[0]),
        "ours_s": middle(ours, "warm_s"),
        "ours_first_s": middle(ours, "first_s"),
        "peer": peer,
        "peer_s": middle(theirs, "warm_s") if theirs and "failed" not in outcome else None,
        "peer_first_s": middle(theirs, "first_s") if theirs and not outcome else None,
        "ratio": None,
        "ours_mb": peak(ours),
        "peer_mb": peak(theirs) if theirs and not outcome else None,
        "ours_quality": ours[-1]["quality"],
        "peer_quality": theirs[-1]["quality"] if theirs else None,
        "measures": row.measures,
        "disagreement": _disagreement(folder, peer) if theirs else None,
        "notes": ours[-1]["notes"],
        "runs": row.runs,
        "real": row.real,
        "peer_outcome": outcome,  # given up: its seconds are what it was given, the ratio a bound
    }
    if record["peer_s"] is not None:
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
