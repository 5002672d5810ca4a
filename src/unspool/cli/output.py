"""What commands write: tables, figures and summaries to files and stdout, notes to stderr."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..io import PreparedTable, check_output, write_atomically, write_table
from ..io.cells import write_cells, write_new_cells
from ..io.files import WRITERS
from ..io.table import import_pandas
from ..runtime import show_progress
from ..values import Array

TABLES = (*WRITERS, ".h5ad")
FIGURES = (".png", ".svg", ".pdf")
MODELS = (".unspool",)

STDOUT = "-"

out_option = click.option(
    "-o",
    "--out",
    metavar="FILE",
    callback=lambda _, __, name: None if name == STDOUT else name,
    help="csv, tsv, xlsx, parquet, feather, npy, npz, h5ad; - is csv on stdout  [-]",
)
thumbnails_option = click.option(
    "--thumbnails/--dots",
    default=None,
    help="how images are drawn on the map of a folder  [thumbnails]",
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


def check_outputs(given: Mapping[str, Any]) -> None:
    """Refuse, before any work, what could not be written after it."""
    check_output(given.get("out"), TABLES)
    check_output(given.get("plot"), FIGURES)
    check_output(given.get("model"), MODELS)
    keep_input(given)


def keep_input(given: Mapping[str, Any]) -> None:
    """Refuse to write over the data or the model that is read."""
    read = [name for name in (given.get("data"), given.get("saved")) if name]
    for option in ("out", "plot", "model"):
        for name in read if given.get(option) else ():
            with suppress(OSError):  # one of them is not there: they are not the same
                if Path(name).expanduser().samefile(given[option]):
                    raise ValueError(f"{given[option]} is what is read; name another file to write")


@contextmanager
def report_progress(given: Mapping[str, Any], title: str) -> Iterator[None]:
    """Show the progress of the block on stderr, unless it should be quiet.

    What methods warn of stands in their report too, and is told from there.
    """
    display = nullcontext() if given["quiet"] else show_progress(title, transient=True)
    with warnings.catch_warnings(), display:
        warnings.simplefilter("ignore", UserWarning)
        yield


def tell(given: Mapping[str, Any], *sentences: str) -> None:
    """Say something on stderr, unless it should be quiet."""
    for sentence in sentences if not given["quiet"] else ():
        click.echo(f"unspool: note: {sentence}", err=True)


@dataclass(frozen=True, slots=True)
class MapTable:
    """A map as a frame with the user's other columns; ``names`` are those of its coordinates."""

    frame: Any
    names: list[str]


def write_map(
    model: Any, name: str, coordinates: Array, made: PreparedTable, given: Mapping[str, Any]
) -> MapTable:
    """Write the table that was asked for; return the map."""
    table = _join_coordinates(name, coordinates, made, given["keep"])
    out = given["out"]
    if out and out.lower().endswith(".h5ad"):
        method = model[-1] if hasattr(model, "named_steps") else model
        told = {"method": name, "parameters": method.get_params(), "columns": made.names}
        with write_atomically(out) as file:
            if given["data"].lower().endswith(".h5ad"):
                write_cells(file, given["data"], made.rows, coordinates, told)
            else:
                write_new_cells(file, table.frame, table.names, told)
    elif out:
        write_table(out, table.frame, table.names)
    return table


def _join_coordinates(name: str, coordinates: Array, made: PreparedTable, keep: str) -> MapTable:
    """Return the user's columns with the coordinates beside them."""
    others = made.other_columns(keep)
    word = name.replace("-", "_")
    while any(f"{word}_{i + 1}" in others.columns for i in range(coordinates.shape[1])):
        word += "_"
    names = [f"{word}_{i + 1}" for i in range(coordinates.shape[1])]
    pandas = import_pandas()
    embedding = pandas.DataFrame(coordinates, columns=names)
    return MapTable(pandas.concat([others, embedding], axis=1), names)


def format_result(summary: Mapping[str, Any], table: MapTable, given: Mapping[str, Any]) -> str:
    """Return what goes to stdout: the summary as JSON, or the table if it has no file."""
    if not given["as_json"]:
        return "" if given["out"] else str(table.frame.to_csv(index=False, lineterminator="\n"))
    done = {"out": given["out"], "plot": given["plot"], "coordinates": table.names}
    rows = {} if given["out"] else {"table": json.loads(table.frame.to_json(orient="records"))}
    return to_json({**summary, **done, **rows}) + "\n"


def print_result(text: str, sentence: str, given: Mapping[str, Any]) -> None:
    """Print what goes to stdout, and tell what was done in a sentence on stderr."""
    click.echo(text, nl=False)
    if not given["as_json"] and not given["quiet"]:
        click.echo(f"unspool: {sentence}", err=True)


def to_json(summary: Mapping[str, Any]) -> str:
    """Return a summary as strict JSON."""
    return json.dumps(summary, default=_to_plain, indent=2, allow_nan=False)


def _to_plain(value: Any) -> Any:
    """Return a value of NumPy, or one of ours, as JSON can hold it."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def draw_map(
    coordinates: Array, made: PreparedTable, title: str, thumbnails: bool | None = None
) -> Any:
    """Return the figure of a map: images at their places, dots, or a matrix of many coordinates."""
    from .. import plot

    color, label = made.colors(), made.color or ""
    images = None if thumbnails is False else made.images()
    if thumbnails and images is None:
        raise ValueError(f"--thumbnails is for folders of images, and {made.table.source} is none")
    if coordinates.shape[1] > 2:
        return plot.scatter_matrix(coordinates, color, label=label)
    if images is not None and coordinates.shape[1] == 2:
        return plot.thumbnails(coordinates, images, color, label=label, title=title)
    return plot.embedding(coordinates, color, label=label, title=title)


def write_figure(path: str, figure: Any) -> None:
    """Write a figure in the format that the ending of ``path`` names."""
    with write_atomically(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower(), dpi=150, bbox_inches="tight")
