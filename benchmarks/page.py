"""Results -> docs/benchmarks.md, so that the page says only what was run."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "tapkee")


def write_page(results: Path, records: list[dict[str, Any]]) -> None:
    """Merge new records into the kept ones and write the page."""
    kept: dict[tuple[str, Any], dict[str, Any]] = {}
    if results.exists():
        for line in results.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kept[record["name"], record["peer"]] = record
    for record in records:
        kept[record["name"], record["peer"]] = record
    ordered = sorted(kept.values(), key=lambda r: (r["name"], str(r["peer"])))
    results.write_text("".join(json.dumps(r) + "\n" for r in ordered), encoding="utf-8")
    PAGE.write_text(_page(ordered), encoding="utf-8")


def _page(records: list[dict[str, Any]]) -> str:
    lines = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks --save`. Every side runs in fresh processes, taking "
        "turns; times are medians of the warm call, with the first call (kernels compiling, or "
        "loading from their cache) beside it; memory is the peak of the whole process, data "
        "included.",
        "",
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, "
        + ", ".join([f"Python {platform.python_version()}", *_versions()])
        + ".",
        "",
        "| row | n | ours (s) | first call (s) | ours (MB) | peer | peer (s) | peer (MB) | ratio "
        "| quality: ours / peer | measured by |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_line(record) for record in records]
    return "\n".join(lines) + "\n"


def _line(r: dict[str, Any]) -> str:
    def show(value: Any, form: str = "{:.2f}") -> str:
        return "-" if value is None else form.format(value)

    quality = f"{show(r['ours_quality'], '{:.5g}')} / {show(r['peer_quality'], '{:.5g}')}"
    notes = f"{r['measures']}{'; ' if r['notes'] else ''}{r['notes']}"
    return (
        f"| {r['name']} | {r['n']:,} | {show(r['ours_s'])} | {show(r['ours_first_s'])} "
        f"| {r['ours_mb']:,} | {r['peer'] or '-'} | {show(r['peer_s'])} "
        f"| {show(r['peer_mb'], '{:,}')} | {show(r['ratio'], '{:.1f}x')} | {quality} | {notes} |"
    )


def _versions() -> list[str]:
    found = []
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{package} {version(package)}")
    return found
