"""``unspool diagnose`` and ``unspool dimension``: how far a map holds, and its dimension."""

from __future__ import annotations

from typing import Any

import click

from ..dimension import ESTIMATORS, intrinsic_dimension
from ..io import check_output
from ..values import Array
from .input import data_options, open_model, read_data
from .output import FIGURES, json_option, plot_option, report_progress, to_json, write_figure
from .parameters import MethodCommand, build_model, given_parameters, method_option, was_given


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
    fixed = ("method", "columns", "sample", "scale")
    refused = [*(name for name in fixed if was_given(ctx, name)), *given_parameters(ctx)]
    if refused:
        flag = refused[0].replace("_", "-")
        raise ValueError(f"--{flag} has no say over a saved model; leave it out, or --model")
    model, _, recipe = open_model(given["model"])
    return model, read_data(given, recipe).points


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
