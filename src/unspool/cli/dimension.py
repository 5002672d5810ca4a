"""``unspool dimension``: how many coordinates the data need."""

from __future__ import annotations

from typing import Any

import click

from ..dimension import ESTIMATORS, intrinsic_dimension
from .options import data_options, json_option, prepared_from, progress
from .output import as_json

CHOICES = ("all", *ESTIMATORS)


@click.command()
@data_options
@click.option(
    "--by", type=click.Choice(["all", *ESTIMATORS]), default="all", help="one estimator  [all]"
)
@json_option
def command(by: str, **given: Any) -> None:
    """Estimate the intrinsic dimension of DATA by all methods that suit it, with their spread.

    \b
    unspool dimension table.csv --scale standard
    """
    made = prepared_from(given)
    with progress(given, "dimension"):
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
    click.echo(as_json(summary))
