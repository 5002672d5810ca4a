"""What commands read: the options that describe DATA, its rows prepared, and saved models.

Every command reads its rows by ``read_data``, with the recipe of the model where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import click
import numpy as np

from ..catalog import entry_of
from ..io import (
    NA_CHOICES,
    SCALES,
    PreparedTable,
    Recipe,
    Selection,
    TableModel,
    apply_recipe,
    prepare,
    read_table,
)
from ..io.cells import parts_of
from ..io.preparation import COFACTOR
from ..scale import BySample
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
_LOG = click.option("--log", is_flag=True, help="take log(1 + x) of every value first: counts")
_ARCSINH = click.option(
    "--arcsinh",
    type=float,
    is_flag=False,
    flag_value=COFACTOR,
    metavar="[COFACTOR]",
    help=f"take arcsinh(x / COFACTOR) of every value first: cytometry  [{COFACTOR:g}]",
)
_OUTLIERS = click.option(
    "--drop-outliers", is_flag=True, help="leave out rows far from all others, and tell which"
)
_LAYER = click.option("--layer", metavar="NAME", help="of a h5ad file: a layer instead of X")
_OBSM = click.option(
    "--obsm",
    "--use-rep",
    "obsm",
    metavar="NAME",
    help="of a h5ad file: a table of obsm instead of X, such as X_pca",
)
_IMAGE_SIZE = click.option(
    "--image-size", metavar="WxH", help="resize the images of a folder: 32, or 48x32"
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
    _DATA,
    _COLUMNS,
    _COLOR,
    _ID,
    _NA,
    _LOG,
    _ARCSINH,
    _SCALE,
    _OUTLIERS,
    _SAMPLE,
    _SEPARATOR,
    _LAYER,
    _OBSM,
    _IMAGE_SIZE,
    _SEED,
    _QUIET,
)
new_rows_options = _combine(
    _DATA, _COLOR, _ID, _NA_AGAIN, _SEPARATOR, _LAYER, _OBSM, _IMAGE_SIZE, _QUIET
)


def read_data(given: Mapping[str, Any], recipe: Recipe | None = None) -> PreparedTable:
    """Read DATA and prepare its rows as the options say, or by the recipe of a saved model."""
    selection = _selection(given)
    given = _of_same_cells(given, recipe)
    table = read_table(
        given["data"],
        separator=separator_sign(given["separator"]),
        seed=selection.seed,
        layer=given["layer"],
        obsm=given["obsm"],
        image_size=given["image_size"],
    )
    made = prepare(table, selection) if recipe is None else apply_recipe(recipe, table, selection)
    tell(given, *made.notes)
    return made


def _of_same_cells(given: Mapping[str, Any], recipe: Recipe | None) -> Mapping[str, Any]:
    """Return the options with the table of cells that a model was fitted on, if none is named."""
    is_cells = str(given["data"]).lower().endswith(".h5ad")
    if recipe is None or not recipe.member or not is_cells or given["layer"] or given["obsm"]:
        return given
    found = parts_of(recipe.member)
    tell(given, *(f"--{part} {name} is mapped, as in the fit" for part, name in found.items()))
    return {**given, **found}


def _selection(given: Mapping[str, Any]) -> Selection:
    names = {field.name for field in fields(Selection)} & set(given)
    cofactor = _cofactor(given)
    chosen = {name: given[name] for name in names}
    return Selection(**chosen, curve=curve_of(given), cofactor=cofactor)


def curve_of(given: Mapping[str, Any]) -> str:
    """Return the curve that --log or --arcsinh ask for."""
    if given.get("log") and given.get("arcsinh") is not None:
        raise ValueError("--log and --arcsinh are two curves; choose one")
    if given.get("log"):
        return "log"
    return "none" if given.get("arcsinh") is None else "arcsinh"


def _cofactor(given: Mapping[str, Any]) -> float:
    asked = given.get("arcsinh")
    return COFACTOR if asked is None else float(asked)


def separator_sign(separator: str | None) -> str | None:
    """Return the character that --separator names."""
    sign = SEPARATORS.get(separator or "", separator)
    if sign is not None and len(sign) != 1:
        raise ValueError(f"--separator is one character, or tab or space; got {separator!r}")
    return sign


def loading_code(given: Mapping[str, Any]) -> str:
    """Return the lines of Python that define X, truth and color as ``read_data`` read them."""
    options = {field.name: field.default for field in fields(Selection)}
    options |= dict.fromkeys(("separator", "layer", "obsm", "image_size"))
    curve, cofactor = curve_of(given), _cofactor(given)
    sign = separator_sign(given["separator"])
    chosen = {**given, "separator": sign, "curve": curve, "cofactor": cofactor}
    words = [
        f"{n}={chosen[n]!r}" for n, default in options.items() if chosen.get(n, default) != default
    ]
    call = ", ".join([repr(given["data"]), *words])
    return "\n".join(
        [
            "from unspool.io import read_points",
            f"made = read_points({call})",
            "X, truth, color = made.points, made.truth(), made.colors()",
        ]
    )


def is_precomputed(model: Any) -> bool:
    """Tell whether a method was given distances or a kernel instead of points."""
    parameters = model.get_params()
    return "precomputed" in (parameters.get("metric"), parameters.get("kernel"))


@dataclass(frozen=True, slots=True)
class OpenedModel:
    """A saved model, its method, what its rows go through, and the colours of its map."""

    model: Any
    method: Any
    name: str
    recipe: Recipe
    color: Any = None
    color_name: str = ""

    def with_color(self, made: PreparedTable) -> PreparedTable:
        """Return new rows with the colour of the map, where they have its column."""
        known = self.color_name in made.table.frame.columns
        return replace(made, color=self.color_name) if made.color is None and known else made

    def color_of_both(self, made: PreparedTable) -> Any:
        """Return the colours of the fitted points, followed by those of new rows if they fit."""
        new = made.colors()
        if self.color is None or new is None or made.color != self.color_name:
            return self.color
        numbers = [np.asarray(part).dtype.kind in "fiu" for part in (self.color, new)]
        if numbers[0] != numbers[1]:
            return self.color
        if not all(numbers):
            new = np.asarray(new).astype(str)
        return np.concatenate([self.color, new])


def color_notes(made: PreparedTable) -> dict[str, Any]:
    """Return the colours of a map as plain values, to be saved beside the model."""
    color = made.colors()
    if color is None:
        return {}
    plain = np.asarray(color)
    plain = plain if plain.dtype.kind in "fiu" else plain.astype(str)
    return {"color": plain, "color_name": made.color}


def open_model(path: str) -> OpenedModel:
    """Return the fitted model in a file, the name of its method, and what its rows go through."""
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    from ..store import read

    saved = read(path)
    model, color = saved.model, saved.notes.get("color")
    model = model.model_ if isinstance(model, BySample) else model  # which places all rows
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ValueError(f"{path} holds a model that was never fitted") from None
    method = model[-1] if hasattr(model, "named_steps") else model
    name = entry_of(method).name
    if not isinstance(color, np.ndarray) or color.shape != (len(method.embedding_),):
        color = None
    told = str(saved.notes.get("color_name", "")) if color is not None else ""
    if isinstance(model, TableModel):  # the command line's own reading says more of what is wrong
        return OpenedModel(method, method, name, model[0].recipe_, color, told)
    return OpenedModel(model, method, name, _plain_recipe(model), color, told)


def _plain_recipe(model: Any) -> Recipe:
    """Return the recipe of a model that was saved from Python: columns as they come, not scaled."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{number + 1}" for number in range(model.n_features_in_)]
        return Recipe.as_it_comes(names, named=False)
    return Recipe.as_it_comes([str(name) for name in names], named=True)
