"""``unspool compare``: several methods side by side, as a table or a report."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from ..catalog import entry_of
from ..io import Prepared, check_output
from .options import data_options, json_option, plot_option, prepared_from, progress, sign_of, tell
from .output import ENDINGS, write_picture

OUTPUTS = (".html", ".csv", ".tsv", ".parquet", ".json")


@click.command()
@data_options
@click.option("--methods", metavar="LIST", help="names, separated by commas  [six quick ones]")
@click.option("-d", "--n-components", type=click.IntRange(1), default=2, help="coordinates  [2]")
@click.option("--n-neighbors", type=click.IntRange(1), metavar="K", help="of the graph methods")
@click.option("--metric", default="euclidean", help="a name, or precomputed  [euclidean]")
@click.option("-o", "--out", metavar="FILE", help="a report (html), or the table (csv, json)")
@plot_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Map DATA by several methods, score every map, and lay them side by side.

    \b
    unspool compare table.csv -o report.html
    unspool compare demo:swiss-roll --methods pca,isomap,lle --n-neighbors 8
    """
    from ..evaluate import compare

    check_output(given["out"], OUTPUTS)
    check_output(given["plot"], ENDINGS)
    asked = given["methods"]
    methods = None if asked is None else [entry_of(n).name for n in asked.split(",") if n]
    made = prepared_from(given)
    with progress(given, "compare"):
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
        _write(comparison, made, given, ctx.obj)
    records = comparison.records()
    click.echo(json.dumps(records, indent=2) if given["as_json"] else comparison.table())
    if given["out"]:
        tell(given, f"written to {Path(given['out']).resolve()}")


def _write(comparison: Any, made: Prepared, given: dict[str, Any], words: list[str]) -> None:
    """Write the report or the table, and the picture: both or none."""
    from ..io import together

    with together():
        if given["out"]:
            _write_out(comparison, made, given, words)
        if given["plot"]:
            write_picture(given["plot"], comparison.figure())


def _write_out(comparison: Any, made: Prepared, given: dict[str, Any], words: list[str]) -> None:
    from ..io import written

    out, records = given["out"], comparison.records()
    ending = Path(out).suffix.lower()
    if ending == ".html":
        from ..report import write_report

        write_report(
            comparison,
            out,
            source=made.table.source,
            command=shlex.join(["unspool", *words]),
            loading=_loading(given),
            data=made.raw(),
            columns=made.recipe.columns,
            rows=(made.rows + 1).tolist(),
            color_name=made.color or "",
            notes=made.notes,
        )
    elif ending == ".json":
        with written(out) as file:
            file.write(json.dumps(records, indent=2).encode())
    else:
        from ..io import pandas, write_table

        flat = [{**record, "notes": "; ".join(record["notes"])} for record in records]
        write_table(out, pandas().DataFrame(flat), [])


def _loading(given: dict[str, Any]) -> str:
    """Return the lines of Python that define X, truth and color as this command read them."""
    from ..io import Wishes

    usual = Wishes()
    names = [n for n in Wishes.__dataclass_fields__ if given[n] != getattr(usual, n)]
    wishes = ", ".join(f"{name}={given[name]!r}" for name in names)
    sign = sign_of(given["separator"])
    options = "" if sign is None else f", separator={sign!r}"
    options += f", seed={given['seed']}" if given["seed"] else ""
    return "\n".join(
        [
            "from unspool.io import Wishes, prepared, read_table",
            f"made = prepared(read_table({given['data']!r}{options}), Wishes({wishes}))",
            "X, truth, color = made.points, made.truth(), made.colors()",
        ]
    )
