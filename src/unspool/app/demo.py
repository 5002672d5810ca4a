"""``unspool demo``: a Swiss roll through the usual methods, a table on the screen and a report."""

from __future__ import annotations

from pathlib import Path

from unspool import compare, datasets
from unspool.app.report import write_report

LOADING = """\
sample = unspool.datasets.swiss_roll({n}, seed={seed})
X, truth, color = sample.points, sample.coordinates, sample.color"""


def main(path: str, n: int, seed: int) -> Path:
    """Compare maps of a Swiss roll of ``n`` points, print the table, write the report."""
    roll = datasets.swiss_roll(n, seed=seed)
    print(f"Swiss roll of {n} points, rolled in 3 columns; the truth is flat\n")
    comparison = compare(roll.points, truth=roll.coordinates, color=roll.color, seed=seed)
    print(comparison)
    written = write_report(
        comparison,
        path,
        title="A Swiss roll, unrolled",
        source=f"demo:swiss-roll:{n}",
        loading=LOADING.format(n=n, seed=seed),
        columns=("x", "y", "z"),
        color_name="angle along the roll",
    ).resolve()
    print(f"\nreport: {written}")
    return written
