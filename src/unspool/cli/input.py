"""What commands read: the options that describe DATA, its rows prepared, and saved models.

Every command reads its rows by ``read_data``, with the recipe of the model where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import click

from ..catalog import entry_of
from ..io import (
    NA_CHOICES,
    SCALES,
    PreparedTable,
    Recipe,
    Selection,
    apply_recipe,
    prepare,
    read_table,
)
from .output import tell

Decorator = Callable[[Any], Any]

SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}

_DATA = click.argument("data", metavar="DATA")
_COLOR = click.option("--color", metavar="COLUMN", help="column that colours the map, not mapped")
_ID = click.option("--id", metavar="COLUMN", help="column that names the rows, not mapped")
_GAPS = "rows that miss values: refuse them, drop them, or fill in means"
_NA = click.option("--na", type=click.Choice(NA_CHOICES), help=f"{_GAPS}  [error]")
_NA_AGAIN = click.option("--na", type=click.Choice(NA_CHOICES), help=f"{_GAPS}  [as for the map]")
_SEPARATOR = click.option("--separator", metavar="SIGN", help="between the cells of a text file")
_SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="of all that is random"
)
_QUIET = click.option("-q", "--quiet", is_flag=True, help="show neither progress nor notes")
_COLUMNS = click.option(
    "--columns", metavar="LIST", help="columns to map: a,b or first:last or pixel*  [all numbers]"
)
_SCALE = click.option(
    "--scale",
    type=click.Choice(list(SCALES)),
    default="none",
    show_default=True,
    help="columns to mean 0 and spread 1, to 0..1, or by median and quartiles",
)
_SAMPLE = click.option(
    "--sample", type=click.IntRange(2), metavar="N", help="use N rows, drawn at random"
)


def _combine(*decorators: Decorator) -> Decorator:
    """Return one decorator for several options, listed in this order."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


data_options = _combine(
    _DATA, _COLUMNS, _COLOR, _ID, _NA, _SCALE, _SAMPLE, _SEPARATOR, _SEED, _QUIET
)
new_rows_options = _combine(_DATA, _COLOR, _ID, _NA_AGAIN, _SEPARATOR, _QUIET)


def read_data(given: Mapping[str, Any], recipe: Recipe | None = None) -> PreparedTable:
    """Read DATA and prepare its rows as the options say, or by the recipe of a saved model."""
    names = [field.name for field in fields(Selection) if field.name in given]
    selection = Selection(**{name: given[name] for name in names})
    table = read_table(
        given["data"], separator=separator_sign(given["separator"]), seed=selection.seed
    )
    made = prepare(table, selection) if recipe is None else apply_recipe(recipe, table, selection)
    tell(given, *made.notes)
    return made


def separator_sign(separator: str | None) -> str | None:
    """Return the character that --separator names."""
    sign = SEPARATORS.get(separator or "", separator)
    if sign is not None and len(sign) != 1:
        raise ValueError(f"--separator is one character, or tab or space; got {separator!r}")
    return sign


def loading_code(given: Mapping[str, Any]) -> str:
    """Return the lines of Python that define X, truth and color as ``read_data`` read them."""
    options = {field.name: field.default for field in fields(Selection)} | {"separator": None}
    chosen = {**given, "separator": separator_sign(given["separator"])}
    words = [f"{n}={chosen[n]!r}" for n, default in options.items() if chosen[n] != default]
    call = ", ".join([repr(given["data"]), *words])
    return "\n".join(
        [
            "from unspool.io import read_points",
            f"made = read_points({call})",
            "X, truth, color = made.points, made.truth(), made.colors()",
        ]
    )


def open_model(path: str) -> tuple[Any, str, Recipe]:
    """Return the fitted model in a file, the name of its method, and its recipe."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    from ..store import UnreadableModel, read

    saved = read(path)
    try:
        check_is_fitted(saved.model)
    except NotFittedError:
        raise ValueError(f"{path} holds a model that was never fitted") from None
    notes = saved.notes.get("recipe")
    try:
        recipe = _plain_recipe(saved.model) if notes is None else Recipe.from_notes(notes)
    except (TypeError, KeyError) as error:
        raise UnreadableModel(f"{path} does not say how its data were made ({error})") from None
    return saved.model, entry_of(saved.model).name, recipe


def _plain_recipe(model: Any) -> Recipe:
    """Return the recipe of a model that was saved from Python: columns as they come, not scaled."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{number + 1}" for number in range(model.n_features_in_)]
        return Recipe.as_it_comes(names, named=False)
    return Recipe.as_it_comes([str(name) for name in names], named=True)
