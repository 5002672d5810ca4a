"""``unspool embed``: a table, an array or a folder of images to few coordinates."""

from __future__ import annotations

import time
from typing import Any

import click

from ..io import together
from ..store import save
from .options import (
    data_options,
    json_option,
    keep_option,
    out_option,
    plot_option,
    prepared_from,
    progress,
    tell,
)
from .output import check_outputs, printed, say, written_map
from .parameters import MethodCommand, made_model


@click.command(cls=MethodCommand)
@data_options
@click.option("-m", "--method", default="isomap", help="see `unspool methods`  [isomap]")
@out_option
@click.option("--model", metavar="FILE", help="save the fitted model: NAME.unspool")
@plot_option
@keep_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Map the rows of DATA to few coordinates.

    \b
    unspool embed table.csv -m isomap --n-neighbors 12 -o map.csv
    unspool embed faces/ -m lle -d 3 --plot map.png --model faces.unspool
    """
    check_outputs(given)
    model, name = made_model(ctx, given["seed"]), ctx.meta["method"].name
    made = prepared_from(given)
    _check_table(model, given)
    began = time.perf_counter()
    with progress(given, name):
        model.fit(made.points)
    seconds = time.perf_counter() - began
    with together():  # all files or none
        placed = written_map(model, name, model.embedding_, made, given)
        if given["model"]:
            save(model, given["model"], notes={"recipe": made.recipe.notes(), "method": name})
        text = printed(_summary(model, name, made, given, seconds), placed, given)
    tell(given, *model.report_.advice)
    n, width = model.embedding_.shape
    columns = made.points.shape[1]
    sentence = f"{name}: {n} rows of {columns} columns to {width} coordinates in {seconds:.2f} s"
    say(text, sentence, given)


def _summary(
    model: Any, name: str, made: Any, given: dict[str, Any], seconds: float
) -> dict[str, Any]:
    stages = model.report_.stages
    return {
        "method": name,
        "parameters": model.get_params(),
        "rows": len(made.points),
        "columns": list(made.recipe.columns),
        "seconds": seconds,
        "eigenvalues": getattr(model, "eigenvalues_", None),
        "stages": [{"name": s.name, "seconds": s.seconds, "bytes": s.bytes} for s in stages],
        "advice": list(model.report_.advice),
        "notes": list(made.notes),
        "model": given["model"],
    }


def _check_table(model: Any, given: dict[str, Any]) -> None:
    """Refuse to scale the columns of a table of distances: they are no features."""
    if model._table() is not None and (given["scale"] != "none" or given["sample"] is not None):
        raise ValueError("a precomputed table cannot be scaled or sampled column by column")
