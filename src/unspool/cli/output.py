"""What embed and transform write: the table, the picture, and a summary.

Saved models on the command line: with the recipe that their data went through.

Pictures on the command line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..catalog import entry_of
from ..io import Prepared, Recipe, check_output, pandas, write_table, written
from ..store import UnreadableModel, read
from ..values import Array


def check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse, before any work, what could not be written after it."""
    check_output(given.get("out"))
    check_output(given.get("plot"), ENDINGS)
    check_output(given.get("model"), (".unspool",))


@dataclass(frozen=True, slots=True)
class Placed:
    """A map as a frame with the user's other columns; ``names`` are those of its coordinates."""

    frame: Any
    names: list[str]


def written_map(
    model: Any, name: str, coordinates: Array, made: Prepared, given: Mapping[str, Any]
) -> Placed:
    """Write the table and the picture that were asked for; return the map."""
    placed = _placed(name, coordinates, made, given["keep"])
    if given["plot"]:
        figure = map_of(model, coordinates, made.colors(), made.color or "")
        write_picture(given["plot"], figure)
    if given["out"]:
        write_table(given["out"], placed.frame, placed.names)
    return placed


def printed(summary: Mapping[str, Any], placed: Placed, given: Mapping[str, Any]) -> str:
    """Return what goes to stdout: the summary as JSON, or the table if it has no file."""
    if not given["as_json"]:
        return "" if given["out"] else str(placed.frame.to_csv(index=False, lineterminator="\n"))
    done = {"out": given["out"], "plot": given["plot"], "coordinates": placed.names}
    table = {} if given["out"] else {"table": json.loads(placed.frame.to_json(orient="records"))}
    return as_json({**summary, **done, **table}) + "\n"


def _placed(name: str, coordinates: Array, made: Prepared, keep: str) -> Placed:
    """Return the user's columns with the coordinates beside them."""
    others = made.others(keep)
    word = name.replace("-", "_")
    while any(f"{word}_{i + 1}" in others.columns for i in range(coordinates.shape[1])):
        word += "_"
    names = [f"{word}_{i + 1}" for i in range(coordinates.shape[1])]
    places = pandas().DataFrame(coordinates, columns=names)
    return Placed(pandas().concat([others, places], axis=1), names)


def say(text: str, sentence: str, given: Mapping[str, Any]) -> None:
    """Print what goes to stdout, and tell what was done in a sentence on stderr."""
    click.echo(text, nl=False)
    if not given["as_json"] and not given["quiet"]:
        click.echo(f"unspool: {sentence}", err=True)


def as_json(summary: Mapping[str, Any]) -> str:
    """Return a summary as strict JSON."""
    return json.dumps(summary, default=_plain, indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    """Return a value of NumPy, or one of ours, as JSON can hold it."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def opened(path: str) -> tuple[Any, str, Recipe]:
    """Return the fitted model in a file, the name of its method, and its recipe."""
    held = read(path)
    try:
        check_is_fitted(held.model)
    except NotFittedError:
        raise ValueError(f"{path} holds a model that was never fitted") from None
    name = entry_of(held.model).name
    try:
        notes = held.notes.get("recipe")
        recipe = _bare(held.model) if notes is None else Recipe.from_notes(notes)
    except (TypeError, KeyError) as error:
        raise UnreadableModel(f"{path} does not say how its data were made ({error})") from None
    return held.model, name, recipe


def _bare(model: Any) -> Recipe:
    """Return the recipe of a model that was saved from Python: columns as they come, not scaled."""
    width = model.n_features_in_
    names = getattr(model, "feature_names_in_", None)
    columns = [f"x{i + 1}" for i in range(width)] if names is None else [str(n) for n in names]
    blank = np.full(width, np.nan)
    centre, spread = np.zeros(width), np.ones(width)
    return Recipe(tuple(columns), names is not None, "error", blank, "none", centre, spread)


ENDINGS = (".png", ".svg", ".pdf")


def map_of(model: Any, coordinates: Any, color: Any, label: str) -> Any:
    """Return the picture of a map: one panel, or every coordinate against every other."""
    from .. import plot

    if coordinates.shape[1] > 2:
        return plot.scatter_matrix(coordinates, color, label=label)
    return plot.embedding(coordinates, color, label=label, title=type(model).__name__)


def write_picture(path: str, figure: Any) -> None:
    """Write a figure in the format that the ending of ``path`` names."""
    with written(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=150, bbox_inches="tight")
