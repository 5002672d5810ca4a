"""``unspool demo``: a first report, with nothing to prepare.

``unspool demo``: a Swiss roll through the usual methods, a table on the screen and a report.
"""

from __future__ import annotations

from pathlib import Path

import click

from .. import datasets
from ..evaluate import compare
from ..io import check_output
from ..report import write_report


@click.command()
@click.option("-o", "--out", default="report.html", show_default=True, help="the report")
@click.option("--points", type=click.IntRange(50), default=1000, show_default=True, help="how many")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="of the roll")
def command(out: str, points: int, seed: int) -> None:
    """Compare the usual methods on a Swiss roll, and write a report."""
    check_output(out, (".html",))
    pass

    main(out, points, seed)


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
