"""``unspool embed`` and ``unspool transform``: rows to coordinates, and new rows beside them."""

from __future__ import annotations

import time
from typing import Any

import click

from ..io import PreparedTable, write_together
from ..store import save
from .input import data_options, new_rows_options, open_model, read_data
from .output import (
    check_outputs,
    format_result,
    json_option,
    keep_option,
    out_option,
    plot_option,
    print_result,
    report_progress,
    tell,
    write_map,
)
from .parameters import MethodCommand, build_model, method_option


@click.command("embed", cls=MethodCommand)
@data_options
@method_option
@out_option
@click.option("--model", metavar="FILE", help="save the fitted model: NAME.unspool")
@plot_option
@keep_option
@json_option
@click.pass_context
def embed_command(ctx: click.Context, /, **given: Any) -> None:
    """Map the rows of DATA to few coordinates.

    \b
    unspool embed table.csv -m isomap --n-neighbors 12 -o map.csv
    unspool embed faces/ -m lle -d 3 --plot map.png --model faces.unspool
    """
    check_outputs(given)
    model, name = build_model(ctx, given["seed"]), ctx.meta["method"].name
    made = read_data(given)
    _check_precomputed(model, given)
    began = time.perf_counter()
    with report_progress(given, name):
        model.fit(made.points)
    seconds = time.perf_counter() - began
    with write_together():  # all files or none
        table = write_map(model, name, model.embedding_, made, given)
        if given["model"]:
            save(model, given["model"], notes={"recipe": made.recipe.to_notes(), "method": name})
        text = format_result(_summarize(model, name, made, given, seconds), table, given)
    tell(given, *model.report_.advice)
    n, width = model.embedding_.shape
    columns = made.points.shape[1]
    sentence = f"{name}: {n} rows of {columns} columns to {width} coordinates in {seconds:.2f} s"
    print_result(text, sentence, given)


def _summarize(
    model: Any, name: str, made: PreparedTable, given: dict[str, Any], seconds: float
) -> dict[str, Any]:
    stages = model.report_.stages
    return {
        "method": name,
        "parameters": model.get_params(),
        "rows": len(made.points),
        "columns": list(made.names),
        "seconds": seconds,
        "eigenvalues": getattr(model, "eigenvalues_", None),
        "stages": [{"name": s.name, "seconds": s.seconds, "bytes": s.bytes} for s in stages],
        "advice": list(model.report_.advice),
        "notes": list(made.notes),
        "model": given["model"],
    }


def _check_precomputed(model: Any, given: dict[str, Any]) -> None:
    """Refuse to scale the columns of a table of distances: they are no features."""
    parameters = model.get_params()
    precomputed = "precomputed" in (parameters.get("metric"), parameters.get("kernel"))
    if precomputed and (given["scale"] != "none" or given["sample"] is not None):
        raise ValueError("a precomputed table cannot be scaled or sampled column by column")


@click.command("transform")
@click.argument("saved", metavar="MODEL")
@new_rows_options
@out_option
@plot_option
@keep_option
@json_option
def transform_command(saved: str, **given: Any) -> None:
    """Place the rows of DATA on the map of MODEL, a file that `embed --model` or save wrote.

    Columns are chosen, filled and scaled as they were for the map.

    \b
    unspool transform roll.unspool new.csv -o placed.csv
    """
    check_outputs({**given, "saved": saved})
    model, name, recipe = open_model(saved)
    made = read_data(given, recipe)
    began = time.perf_counter()
    with report_progress(given, name):
        coordinates = model.transform(made.points)
    seconds = time.perf_counter() - began
    with write_together():
        table = write_map(model, name, coordinates, made, given)
        summary = {"method": name, "rows": len(coordinates), "seconds": seconds}
        text = format_result(summary, table, given)
    print_result(text, f"{name}: {len(coordinates)} rows placed in {seconds:.2f} s", given)
