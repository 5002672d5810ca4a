"""Options that several commands share, and what they make of a file."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any

import click

from ..io import NA_CHOICES, SCALES, Prepared, Recipe, Wishes, placed_by, prepared, read_table

Decorator = Callable[[Any], Any]

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

out_option = click.option(
    "-o", "--out", metavar="FILE", help="csv, tsv, parquet, feather, npy, npz  [csv on stdout]"
)
plot_option = click.option("--plot", metavar="FILE", help="a picture: png, svg or pdf")
json_option = click.option("--json", "as_json", is_flag=True, help="tell the results as JSON")
keep_option = click.option(
    "--keep",
    type=click.Choice(["others", "all", "none"]),
    default="others",
    show_default=True,
    help="your columns in the output: those not mapped, all, or none",
)


def options(*decorators: Decorator) -> Decorator:
    """Return one decorator for several options, listed in this order."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


data_options = options(
    _DATA, _COLUMNS, _COLOR, _ID, _NA, _SCALE, _SAMPLE, _SEPARATOR, _SEED, _QUIET
)
new_rows_options = options(_DATA, _COLOR, _ID, _NA_AGAIN, _SEPARATOR, _QUIET)


def prepared_from(given: Mapping[str, Any], recipe: Recipe | None = None) -> Prepared:
    """Read DATA and prepare its rows as the options say, or by the recipe of a saved model."""
    names = [name for name in Wishes.__dataclass_fields__ if name in given]
    wishes = Wishes(**{name: given[name] for name in names})
    table = read_table(given["data"], separator=sign_of(given["separator"]), seed=wishes.seed)
    made = prepared(table, wishes) if recipe is None else placed_by(recipe, table, wishes)
    tell(given, *made.notes)
    return made


def sign_of(separator: str | None) -> str | None:
    """Return the character that --separator names."""
    words = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
    sign = words.get(separator or "", separator)
    if sign is not None and len(sign) != 1:
        raise ValueError(f"--separator is one character, or tab or space; got {separator!r}")
    return sign


def tell(given: Mapping[str, Any], *sentences: str) -> None:
    """Say something on stderr, unless it should be quiet."""
    for sentence in sentences if not given["quiet"] else ():
        click.echo(f"unspool: note: {sentence}", err=True)


@contextmanager
def progress(given: Mapping[str, Any], title: str) -> Iterator[None]:
    """Show the progress of the block on stderr, unless it should be quiet.

    What methods warn of stands in their report too, and is told from there.
    """
    from ..runtime import show_progress

    shown = nullcontext() if given["quiet"] else show_progress(title, transient=True)
    with warnings.catch_warnings(), shown:
        warnings.simplefilter("ignore", UserWarning)
        yield
