"""``unspool demo``: a first report, with nothing to prepare."""

from __future__ import annotations

import click

from ..files import check_output


@click.command()
@click.option("-o", "--out", default="report.html", show_default=True, help="the report")
@click.option("--points", type=click.IntRange(50), default=1000, show_default=True, help="how many")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="of the roll")
def command(out: str, points: int, seed: int) -> None:
    """Compare the usual methods on a Swiss roll, and write a report."""
    check_output(out, (".html",))
    from ..demo import main

    main(out, points, seed)
