"""What embed and transform write: the table, the picture, and a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import click

from ..values import Array
from .files import Prepared, check_output, write_table
from .files.table import pandas
from .pictures import ENDINGS, map_of, write_picture


def check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse, before any work, what could not be written after it."""
    check_output(given.get("out"))
    check_output(given.get("plot"), ENDINGS)
    check_output(given.get("model"), (".unspool",))


def written_map(
    model: Any, name: str, coordinates: Array, made: Prepared, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Write the table and the picture that were asked for; return what was written."""
    figure = None
    if given["plot"]:  # drawn before anything is written: nothing half done remains if it fails
        figure = map_of(model, coordinates, made.colors(), made.color or "")
    frame, names = _frame(name, coordinates, made, given["keep"])
    if given["out"]:
        write_table(given["out"], frame, names)
    elif not given["as_json"]:
        click.echo(frame.to_csv(index=False, lineterminator="\n"), nl=False)
    if figure is not None:
        write_picture(given["plot"], figure)
    done = {"out": given["out"], "plot": given["plot"], "coordinates": names}
    return done if given["out"] else {**done, "table": json.loads(frame.to_json(orient="records"))}


def _frame(name: str, coordinates: Array, made: Prepared, keep: str) -> tuple[Any, list[str]]:
    """Return the user's columns with the coordinates beside them, and what these are called."""
    others = made.others(keep)
    word = name.replace("-", "_")
    while any(f"{word}_{i + 1}" in others.columns for i in range(coordinates.shape[1])):
        word += "_"
    names = [f"{word}_{i + 1}" for i in range(coordinates.shape[1])]
    places = pandas().DataFrame(coordinates, columns=names)
    return pandas().concat([others, places], axis=1), names


def say(summary: Mapping[str, Any], sentence: str, given: Mapping[str, Any]) -> None:
    """Tell what was done: as JSON on stdout, or in a sentence on stderr."""
    if given["as_json"]:
        click.echo(json.dumps(summary, default=_plain, indent=2, allow_nan=False))
    elif not given["quiet"]:
        click.echo(f"unspool: {sentence}", err=True)


def _plain(value: Any) -> Any:
    """Return a value of NumPy, or one of ours, as JSON can hold it."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
