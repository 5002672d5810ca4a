"""``unspool compare`` and ``unspool demo``: methods side by side, as a table or a report."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..catalog import entry_of
from ..io import (
    PreparedTable,
    check_output,
    write_atomically,
    write_table,
    write_together,
)
from ..io.table import import_pandas
from .input import data_options, loading_code, read_data
from .output import (
    FIGURES,
    json_option,
    keep_input,
    plot_option,
    report_progress,
    tell,
    write_figure,
)

if TYPE_CHECKING:
    from ..evaluate import Comparison

OUTPUTS = (".html", ".csv", ".tsv", ".parquet", ".json")
DEMO_LOADING = """\
sample = unspool.datasets.swiss_roll({n}, seed={seed})
X, truth, color = sample.points, sample.coordinates, sample.color"""


@click.command("compare")
@data_options
@click.option("--methods", metavar="LIST", help="names, separated by commas  [six quick ones]")
@click.option("-d", "--n-components", type=click.IntRange(1), default=2, help="coordinates  [2]")
@click.option("--n-neighbors", type=click.IntRange(1), metavar="K", help="of the graph methods")
@click.option("--metric", default="euclidean", help="a name, or precomputed  [euclidean]")
@click.option("-o", "--out", metavar="FILE", help="a report (html), or the table (csv, json)")
@plot_option
@json_option
@click.pass_context
def compare_command(ctx: click.Context, /, **given: Any) -> None:
    """Map DATA by several methods, score every map, and lay them side by side.

    \b
    unspool compare table.csv -o report.html
    unspool compare demo:swiss-roll --methods pca,isomap,lle --n-neighbors 8
    """
    from ..evaluate import compare

    check_output(given["out"], OUTPUTS)
    check_output(given["plot"], FIGURES)
    keep_input(given)
    asked = given["methods"]
    methods = None if asked is None else [entry_of(n).name for n in asked.split(",") if n]
    made = read_data(given)
    with report_progress(given, "compare"):
        comparison = compare(
            made.points,
            methods,
            given["n_components"],
            n_neighbors=given["n_neighbors"],
            metric=given["metric"],
            truth=made.truth(),
            color=made.colors(),
            seed=given["seed"],
        )
        with write_together():  # both or none
            if given["out"]:
                _write_comparison(comparison, made, given, ctx.obj)
            if given["plot"]:
                write_figure(given["plot"], comparison.figure())
    records = comparison.records()
    click.echo(json.dumps(records, indent=2) if given["as_json"] else comparison.table())
    if given["out"]:
        tell(given, f"written to {Path(given['out']).resolve()}")


def _write_comparison(
    comparison: Comparison, made: PreparedTable, given: dict[str, Any], words: list[str]
) -> None:
    """Write the report or the table, by the ending of its name."""
    out, records = given["out"], comparison.records()
    ending = Path(out).suffix.lower()
    if ending == ".html":
        from ..report import write_report

        write_report(
            comparison,
            out,
            source=made.table.source,
            command=shlex.join(["unspool", *words]),
            loading=loading_code(given),
            data=made.raw_numbers(),
            columns=made.names,
            rows=(made.rows + 1).tolist(),
            color_name=made.color or "",
            notes=made.notes,
        )
    elif ending == ".json":
        with write_atomically(out) as file:
            file.write(json.dumps(records, indent=2).encode())
    else:
        flat = [{**record, "notes": "; ".join(record["notes"])} for record in records]
        write_table(out, import_pandas().DataFrame(flat))


@click.command("demo")
@click.option("-o", "--out", default="report.html", show_default=True, help="the report")
@click.option("--points", type=click.IntRange(50), default=1000, show_default=True, help="how many")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="of the roll")
def demo_command(out: str, points: int, seed: int) -> None:
    """Compare the usual methods on a Swiss roll, and write a report."""
    from ..datasets import swiss_roll
    from ..evaluate import compare
    from ..report import write_report

    check_output(out, (".html",))
    roll = swiss_roll(points, seed=seed)
    click.echo(f"Swiss roll of {points} points, rolled in 3 columns; the truth is flat\n")
    comparison = compare(roll.points, truth=roll.coordinates, color=roll.color, seed=seed)
    click.echo(str(comparison))
    report = write_report(
        comparison,
        out,
        title="A Swiss roll, unrolled",
        source=f"demo:swiss-roll:{points}",
        loading=DEMO_LOADING.format(n=points, seed=seed),
        columns=("x", "y", "z"),
        color_name="angle along the roll",
    )
    click.echo(f"\nreport: {report.resolve()}")
