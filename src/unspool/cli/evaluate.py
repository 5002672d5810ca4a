"""``unspool compare``, ``demo``, ``diagnose``, ``dimension``: what a map shows, where it lies."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..catalog import entry_of
from ..dimension import ESTIMATORS, intrinsic_dimension
from ..io import (
    PreparedTable,
    check_output,
    write_atomically,
    write_table,
    write_together,
)
from ..io.table import import_pandas
from ..values import Array
from .input import data_options, loading_code, open_model, read_data
from .output import (
    FIGURES,
    json_option,
    keep_input,
    plot_option,
    report_progress,
    tell,
    to_json,
    write_figure,
)
from .parameters import (
    MethodCommand,
    build_model,
    method_option,
    refuse_beside_model,
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
        from ..explorer.start import data_of_table
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
            images=made.images(),
            explored=data_of_table(made, loading=loading_code(given)),
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


@click.command("diagnose", cls=MethodCommand)
@data_options
@method_option
@click.option("--model", metavar="FILE", help="a saved model of DATA instead of a method")
@plot_option
@json_option
@click.pass_context
def diagnose_command(ctx: click.Context, /, **given: Any) -> None:
    """Measure what may be wrong with the map of DATA, and say which parameter to change.

    \b
    unspool diagnose table.csv -m isomap --n-neighbors 12
    unspool diagnose table.csv --model map.unspool --plot diagnosis.png
    """
    from ..evaluate import diagnose

    check_output(given["plot"], FIGURES)
    model, points = _fit_or_open(ctx, given)
    with report_progress(given, "diagnose"):
        diagnosis = diagnose(model, points, seed=given["seed"])
        summary = {
            "sound": diagnosis.sound,
            "measures": diagnosis.records(),
            "advice": diagnosis.advice,
        }
        text = to_json(summary) if given["as_json"] else str(diagnosis)
        if given["plot"]:
            write_figure(given["plot"], diagnosis.figure())
    click.echo(text)


def _fit_or_open(ctx: click.Context, given: dict[str, Any]) -> tuple[Any, Array]:
    """Return the saved model, or the method fitted now, and the points to look at."""
    if given["model"] is None:
        model = build_model(ctx, given["seed"])
        points = read_data(given).points
        with report_progress(given, ctx.meta["method"].name):
            return model.fit(points), points
    refuse_beside_model(ctx)
    opened = open_model(given["model"])
    return opened.model, read_data(given, opened.recipe).points


@click.command("dimension")
@data_options
@click.option(
    "--by", type=click.Choice(["all", *ESTIMATORS]), default="all", help="one estimator  [all]"
)
@json_option
def dimension_command(by: str, **given: Any) -> None:
    """Estimate the intrinsic dimension of DATA by all methods that suit it, with their spread.

    \b
    unspool dimension table.csv --scale standard
    """
    made = read_data(given)
    with report_progress(given, "dimension"):
        found = intrinsic_dimension(made.points, by, seed=given["seed"])
    if not given["as_json"]:
        click.echo(str(found))
        return
    estimates = {
        e.method: {"value": e.value, "standard_error": e.standard_error, "read_at": e.read_at}
        for e in found.estimates
    }
    summary = {
        "dimension": found.value,
        "spread": found.spread,
        "n_components": found.n_components,
        "rows": len(made.points),
        "estimates": estimates,
        "left_out": found.left_out,
        "notes": list(made.notes),
    }
    click.echo(to_json(summary))
