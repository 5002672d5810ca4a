"""``unspool diagnose``: how far a map can be trusted, and what to change."""

from __future__ import annotations

from typing import Any

import click

from ..io import check_output
from .options import data_options, json_option, plot_option, prepared_from, progress
from .output import ENDINGS, as_json, opened, write_picture
from .parameters import MethodCommand, given_parameters, made_model, was_given


@click.command(cls=MethodCommand)
@data_options
@click.option("-m", "--method", default="isomap", help="see `unspool methods`  [isomap]")
@click.option("--model", metavar="FILE", help="a saved model of DATA instead of a method")
@plot_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Measure what may be wrong with the map of DATA, and say which parameter to change.

    \b
    unspool diagnose table.csv -m isomap --n-neighbors 12
    unspool diagnose table.csv --model map.unspool --plot diagnosis.png
    """
    from ..evaluate import diagnose

    check_output(given["plot"], ENDINGS)
    model, points = _fitted(ctx, given)
    with progress(given, "diagnose"):
        found = diagnose(model, points, seed=given["seed"])
        summary = {"sound": found.sound, "measures": found.records(), "advice": found.advice}
        text = as_json(summary) if given["as_json"] else str(found)
        if given["plot"]:
            write_picture(given["plot"], found.figure())
    click.echo(text)


def _fitted(ctx: click.Context, given: dict[str, Any]) -> tuple[Any, Any]:
    """Return the saved model, or the method fitted now, and the points to look at."""
    if given["model"] is None:
        model = made_model(ctx, given["seed"])
        points = prepared_from(given).points
        with progress(given, ctx.meta["method"].name):
            return model.fit(points), points
    fixed = ("method", "columns", "sample", "scale")
    refused = [*(name for name in fixed if was_given(ctx, name)), *given_parameters(ctx)]
    if refused:
        flag = refused[0].replace("_", "-")
        raise ValueError(f"--{flag} has no say over a saved model; leave it out, or --model")
    model, _, recipe = opened(given["model"])
    return model, prepared_from(given, recipe).points
