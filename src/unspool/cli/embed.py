"""``unspool embed`` and ``unspool transform``: rows to coordinates, and new rows beside them."""

from __future__ import annotations

import time
from typing import Any

import click

from ..io import PreparedTable, TableModel, write_together
from ..store import save
from ..values import Array
from .input import (
    OpenedModel,
    color_notes,
    curve_of,
    data_options,
    is_precomputed,
    new_rows_options,
    open_model,
    read_data,
)
from .large import embed_large, is_large, large_options, transform_large
from .methods import MethodCommand, build_model, method_option
from .output import (
    check_outputs,
    draw_map,
    format_result,
    json_option,
    keep_option,
    out_option,
    plot_option,
    print_result,
    report_progress,
    tell,
    thumbnails_option,
    write_figure,
    write_map,
)

BY_SAMPLE = "fit N rows that are spread out, place the others, and tell how well"


@click.command("embed", cls=MethodCommand)
@data_options
@method_option
@out_option
@click.option("--model", metavar="FILE", help="save the fitted model: NAME.unspool")
@plot_option
@thumbnails_option
@keep_option
@json_option
@large_options
@click.option("--by-sample", type=click.IntRange(2), metavar="N", help=BY_SAMPLE)
@click.pass_context
def embed_command(ctx: click.Context, /, **given: Any) -> None:
    """Map the rows of DATA to few coordinates.

    \b
    unspool embed table.csv -m isomap --n-neighbors 12 -o map.csv
    unspool embed faces/ -m lle -d 3 --plot map.png --model faces.unspool
    unspool embed 'data/*.parquet' -m landmark-isomap --workers 4 -o map/
    """
    model, name = build_model(ctx, given["seed"]), ctx.meta["method"].name
    if is_large(given):
        embed_large(model, name, given)
        return
    check_outputs(given)
    made = read_data(given)
    _check_precomputed(model, given)
    began = time.perf_counter()
    with report_progress(given, name):
        model.fit(made.points)
    seconds = time.perf_counter() - began
    with write_together():  # all files or none
        table = write_map(model, name, model.embedding_, made, given)
        if given["plot"]:
            title = type(model).__name__
            write_figure(
                given["plot"], draw_map(model.embedding_, made, title, given["thumbnails"])
            )
        if given["model"]:
            save(_with_recipe(model, name, made), given["model"], notes=color_notes(made))
        text = format_result(_summarize(model, name, made, given, seconds), table, given)
    tell(given, *model.report_.advice)
    n, width = model.embedding_.shape
    columns = made.points.shape[1]
    sentence = f"{name}: {n} rows of {columns} columns to {width} coordinates in {seconds:.2f} s"
    print_result(text, sentence, given)


def _with_recipe(model: Any, name: str, made: PreparedTable) -> Any:
    """Return the whole job, as it is saved; a precomputed table has no columns to prepare."""
    if is_precomputed(model):
        return model
    return TableModel.of(made.recipe, name.replace("-", "_"), model)


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
    changed = given["scale"] != "none" or given["sample"] is not None or curve_of(given) != "none"
    if is_precomputed(model) and (changed or given["drop_outliers"]):
        raise ValueError("a precomputed table cannot be scaled or sampled column by column")


def _draw_placed(opened: OpenedModel, coordinates: Array, made: PreparedTable) -> Any:
    """Return the figure of new rows among the fitted points, in the colours of the map."""
    from .. import plot

    fitted = opened.method.embedding_
    if fitted.shape[1] > 2:
        return draw_map(coordinates, made, type(opened.method).__name__)
    return plot.embedding(
        fitted,
        opened.color_of_both(made),
        label=opened.color_name or made.color or "",
        placed=coordinates,
        title=f"{type(opened.method).__name__}, {len(coordinates)} rows placed",
    )


@click.command("transform")
@click.argument("saved", metavar="MODEL")
@new_rows_options
@out_option
@plot_option
@keep_option
@json_option
@large_options
def transform_command(saved: str, **given: Any) -> None:
    """Place the rows of DATA on the map of MODEL, a file that `embed --model` or save wrote.

    Columns are chosen, filled and scaled as they were for the map.

    \b
    unspool transform roll.unspool new.csv -o placed.csv
    unspool transform roll.unspool 'data/*.parquet' -o placed/
    """
    if is_large(given):
        opened = open_model(saved)
        transform_large(opened.model, opened.name, opened.recipe, given)
        return
    check_outputs({**given, "saved": saved})
    opened = open_model(saved)
    model, name = opened.model, opened.name
    made = opened.with_color(read_data(given, opened.recipe))
    began = time.perf_counter()
    with report_progress(given, name):
        coordinates = model.transform(made.points)
    seconds = time.perf_counter() - began
    with write_together():
        table = write_map(model, name, coordinates, made, given)
        if given["plot"]:
            write_figure(given["plot"], _draw_placed(opened, coordinates, made))
        summary = {"method": name, "rows": len(coordinates), "seconds": seconds}
        text = format_result(summary, table, given)
    print_result(text, f"{name}: {len(coordinates)} rows placed in {seconds:.2f} s", given)
