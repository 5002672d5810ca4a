"""Results -> docs/benchmarks.md, so that the page says only what was run."""

from __future__ import annotations

import json
import math
import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .table import ROWS
from .targets import LIMITS, TARGETS, missed, summary, unmeasured

HERE = Path(__file__).parent
RESULTS, COLD = HERE / "results.jsonl", HERE / "cold.jsonl"
REMARKS = HERE / "remarks.md"  # written by hand, about the kept results
PAGE = HERE.parent / "docs" / "benchmarks.md"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "faiss-cpu", "tapkee")
IMPORTED = 30.0  # seconds of a peer beside which the import of its package is little
SIZES = {"10k": 1e4, "100k": 1e5, "1m": 1e6}
INTRODUCTION = """# Benchmarks

Written by `python -m benchmarks --save` and `python -m benchmarks --cold --save`. Every side runs
in fresh processes, taking turns; times are medians of the second call in a process, on both sides,
packages imported before, with our first call (kernels loading from their cache) beside it; a peer
whose first call takes more than 5 seconds is not called again. Memory is the peak of the whole
process, data included. A peer that is given up after its time has > before its seconds, and a ratio
that is at least so large. Transforms are timed without the fit.
"""
HEAD = (
    "| row | n | ours (s) | first call (s) | ours (MB) | peer | peer (s) | peer (MB) | ratio "
    "| angle between maps | quality: ours / peer | measured by | runs |",
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
)


def write_page(records: list[dict[str, Any]], kept_in: Path = RESULTS) -> None:
    """Merge new records into the kept ones and write the page."""
    kept = {_key(record): record for record in [*read_records(kept_in), *records]}
    ordered = [kept[key] for key in sorted(kept)]
    kept_in.write_text("".join(json.dumps(r) + "\n" for r in ordered), encoding="utf-8")
    PAGE.write_text(_page(read_records(RESULTS), read_records(COLD)), encoding="utf-8")


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the results that are kept in a file, of rows that still exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    records = [json.loads(line) for line in lines]
    return records if path == COLD else [record for record in records if _is_asked(record)]


def _is_asked(record: dict[str, Any]) -> bool:
    """Tell whether a kept result is of a row, and a peer of it, that still exist."""
    row = ROWS.get(record["name"])
    return row is not None and (record["peer"] is None or record["peer"] in row.peers)


def _key(record: dict[str, Any]) -> tuple[str, str]:
    return record.get("name", record.get("method", "")), str(record.get("peer"))


def _page(records: list[dict[str, Any]], cold: list[dict[str, Any]]) -> str:
    real = [record for record in records if ROWS[record["name"]].real]
    made = [record for record in records if not ROWS[record["name"]].real]
    lines = [
        INTRODUCTION,
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, "
        + ", ".join([f"Python {platform.python_version()}", *_versions()])
        + ".",
        *_section("Real data", real),
        *_section("Made data", made),
        *missed(records),
        *_growth(records),
        *_first_calls(cold),
        "",
        REMARKS.read_text(encoding="utf-8").rstrip(),
    ]
    return "\n".join(lines) + "\n"


def _section(title: str, records: list[dict[str, Any]]) -> list[str]:
    lines = ["", f"## {title}", ""]
    if not records:
        return [*lines, "Not measured yet: `python -m benchmarks --real --save`."]
    is_real = ROWS[records[0]["name"]].real
    left = unmeasured([name for name, row in ROWS.items() if row.real is is_real], records)
    told = f" Not measured: {', '.join(left)}." if left else ""
    return [*lines, summary(records) + told, "", *HEAD, *(_line(record) for record in records)]


def _growth(records: list[dict[str, Any]]) -> list[str]:
    """Return the exponents of n in the seconds of rows that exist in several sizes."""
    families: dict[str, dict[str, float]] = {}
    for record in records:
        family, _, size = record["name"].rpartition("-")
        if size in SIZES:
            families.setdefault(family, {})[size] = record["ours_s"]
    lines = [
        "",
        "## Growth with n",
        "",
        "Seconds ~ n^p, p from one size to the next.",
        "",
        "| method | 10,000 | 100,000 | 1,000,000 | p from 10^4 to 10^5 | p from 10^5 to 10^6 |",
        "|---|---|---|---|---|---|",
    ]
    for family, seconds in sorted(families.items()):
        if len(seconds) == len(SIZES):
            small, middle, large = (seconds[size] for size in SIZES)
            powers = math.log10(middle / small), math.log10(large / middle)
            lines.append(
                f"| {family} | {small:.2f} s | {middle:.2f} s | {large:.2f} s "
                f"| {powers[0]:.2f} | {powers[1]:.2f} |"
            )
    return lines


def _first_calls(cold: list[dict[str, Any]]) -> list[str]:
    head = [
        "",
        "## First calls",
        "",
        "On a Swiss roll of 2,000 points: the first call on a fresh install (kernels compile), the "
        "first call of the next process (kernels load from their cache), and a warm call. "
        "Importing scikit-learn is not counted.",
        "",
        "| method | first ever (s) | first of a process (s) | warm (s) | overhead (s) |",
        "|---|---|---|---|---|",
    ]
    return (
        []
        if not cold
        else head
        + [
            f"| {r['method']} | {r['cold_s']:.2f} | {r['next_s']:.2f} | {r['warm_s']:.2f} "
            f"| {r['overhead_s']:.2f} |"
            for r in cold
        ]
    )


def _line(r: dict[str, Any]) -> str:
    def show(value: Any, form: str = "{:.2f}") -> str:
        return "-" if value is None else form.format(value)

    quality = f"{show(r['ours_quality'], '{:.5g}')} / {show(r['peer_quality'], '{:.5g}')}"
    notes = f"{r['measures']}{'; ' if r['notes'] else ''}{r['notes']}"
    given_up = "> " if r.get("peer_outcome") == "given up" else ""
    if "peer_first_s" not in r and (r["peer_s"] or IMPORTED) < IMPORTED:
        notes += "; the peer's first call, the import of its package included"
    if r.get("peer_outcome", "").startswith("failed"):
        notes += f"; {r['peer']} failed"
    return (
        f"| {r['name']} | {r['n']:,} | {show(r['ours_s'])} | {show(r['ours_first_s'])} "
        f"| {show(r['ours_mb'], '{:,}')} | {r['peer'] or '-'} | {given_up}{show(r['peer_s'])} "
        f"| {show(r['peer_mb'], '{:,}')} | {_ratio(r)} "
        f"| {show(r['disagreement'], '{:.0e}')} | {quality} | {notes} | {r['runs']} |"
    )


def _ratio(r: dict[str, Any]) -> str:
    if r["ratio"] is None:
        return f"- (target {LIMITS[r['name']]:g} s)" if r["name"] in LIMITS else "-"
    target = f" (target {TARGETS[r['name']]:g}x)" if r["name"] in TARGETS else ""
    return f"{'> ' if r.get('peer_outcome') else ''}{r['ratio']:.1f}x{target}"


def _versions() -> list[str]:
    found = []
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return found
