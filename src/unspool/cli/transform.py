"""``unspool transform``: new rows on the map of a saved model."""

from __future__ import annotations

import time
from typing import Any

import click

from ..io import together
from .options import (
    json_option,
    keep_option,
    new_rows_options,
    out_option,
    plot_option,
    prepared_from,
    progress,
)
from .output import check_outputs, opened, printed, say, written_map


@click.command()
@click.argument("saved", metavar="MODEL")
@new_rows_options
@out_option
@plot_option
@keep_option
@json_option
def command(saved: str, **given: Any) -> None:
    """Place the rows of DATA on the map of MODEL, a file that `embed --model` or save wrote.

    Columns are chosen, filled and scaled as they were for the map.

    \b
    unspool transform roll.unspool new.csv -o placed.csv
    """
    check_outputs(given)
    model, name, recipe = opened(saved)
    made = prepared_from(given, recipe)
    began = time.perf_counter()
    with progress(given, name):
        coordinates = model.transform(made.points)
    seconds = time.perf_counter() - began
    with together():
        placed = written_map(model, name, coordinates, made, given)
        summary = {"method": name, "rows": len(coordinates), "seconds": seconds}
        text = printed(summary, placed, given)
    say(text, f"{name}: {len(coordinates)} rows placed in {seconds:.2f} s", given)
