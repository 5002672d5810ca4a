"""``make demo``: a Swiss roll through the usual methods, a table on the screen and a report."""

from __future__ import annotations

import sys
from pathlib import Path

from unspool import compare, datasets
from unspool.app.report import write_report

LOADING = """\
sample = unspool.datasets.swiss_roll({n}, seed={seed})
X, truth, color = sample.points, sample.coordinates, sample.color"""


def main(path: str = "report.html", n: int = 1000, seed: int = 0) -> Path:
    """Compare maps of a Swiss roll of ``n`` points, print the table, write the report."""
    roll = datasets.swiss_roll(n, seed=seed)
    print(f"Swiss roll of {n} points, rolled in 3 columns; the truth is flat\n")
    comparison = compare(roll.points, truth=roll.coordinates, color=roll.color, seed=seed)
    print(comparison)
    written = write_report(
        comparison,
        path,
        title="A Swiss roll, unrolled",
        source="demo:swiss-roll",
        loading=LOADING.format(n=n, seed=seed),
        columns=("x", "y", "z"),
        color_name="angle along the roll",
    ).resolve()
    print(f"\nreport: {written}")
    return written


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "report.html")
