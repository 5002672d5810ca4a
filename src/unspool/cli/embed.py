"""``unspool embed`` and ``unspool transform``: rows to coordinates, and new rows beside them.

Data that stay on disk (``--workers``, ``--cluster``, ``--checkpoint``, and folders as output) are
read, mapped and written a block at a time, by this process or by a Dask cluster.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..io import PreparedTable, Recipe, TableModel, check_output, write_together
from ..io.atomic import scratch_folder
from ..io.files import check_ending, check_room
from ..io.table import treat_gaps
from ..relation import describe_localized, find_localized, rename_rows
from ..scale import BySample, Source, by_sample, open_source, settings
from ..scale.placing import write_parts
from ..scale.sources import INSTALL
from ..store import save
from ..values import Array
from .input import (
    OpenedModel,
    color_notes,
    curve_of,
    data_options,
    is_precomputed,
    new_rows_options,
    open_model,
    read_data,
)
from .methods import MethodCommand, build_model, method_option
from .output import (
    MODELS,
    check_outputs,
    draw_map,
    format_result,
    json_option,
    keep_input,
    keep_option,
    out_option,
    plot_option,
    print_result,
    report_progress,
    tell,
    thumbnails_option,
    to_json,
    write_figure,
    write_map,
)

BY_SAMPLE = "fit N rows that are spread out, place the others, and tell how well"
WITHOUT_POINTS = {"pca", "random-projection"}  # work by blocks, and keep no points
ELSEWHERE = {  # options that look at all rows at once, or at columns beside the points
    "scale": "none",
    "sample": None,
    "color": None,
    "id": None,
    "na": None,
    "separator": None,
    "plot": None,
    "thumbnails": None,
    "log": False,
    "arcsinh": False,
}


def large_options(command: Any) -> Any:
    """Add the options of data that stay on disk."""
    options = (
        click.option("--workers", type=click.IntRange(1), metavar="N", help="Dask workers to use"),
        click.option("--cluster", metavar="ADDRESS", help="scheduler of a Dask cluster: tcp://..."),
        click.option("--checkpoint", metavar="DIR", help="keep finished blocks here, and resume"),
        click.option("--chunk-rows", type=click.IntRange(1), metavar="N", help="rows of a block"),
        click.option("--directory", metavar="DIR", help="for files that all workers must see"),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("embed", cls=MethodCommand)
@data_options
@method_option
@out_option
@click.option("--model", metavar="FILE", help="save the fitted model: NAME.unspool")
@plot_option
@thumbnails_option
@keep_option
@json_option
@large_options
@click.option("--by-sample", type=click.IntRange(2), metavar="N", help=BY_SAMPLE)
@click.pass_context
def embed_command(ctx: click.Context, /, **given: Any) -> None:
    """Map the rows of DATA to few coordinates.

    \b
    unspool embed table.csv -m isomap --n-neighbors 12 -o map.csv
    unspool embed faces/ -m lle -d 3 --plot map.png --model faces.unspool
    unspool embed 'data/*.parquet' -m landmark-isomap --workers 4 -o map/
    """
    model, name = build_model(ctx, given["seed"]), ctx.meta["method"].name
    if is_large(given):
        embed_large(model, name, given)
        return
    check_outputs(given)
    made = read_data(given)
    _check_precomputed(model, given)
    began = time.perf_counter()
    with report_progress(given, name):
        model.fit(made.points)
    seconds = time.perf_counter() - began
    with write_together():  # all files or none
        table = write_map(model, name, model.embedding_, made, given)
        if given["plot"]:
            title = type(model).__name__
            write_figure(
                given["plot"], draw_map(model.embedding_, made, title, given["thumbnails"])
            )
        if given["model"]:
            save(_with_recipe(model, name, made), given["model"], notes=color_notes(made))
        text = format_result(_summarize(model, name, made, given, seconds), table, given)
    tell(given, *_advice(model, made))
    n, width = model.embedding_.shape
    columns = made.points.shape[1]
    sentence = f"{name}: {n} rows of {columns} columns to {width} coordinates in {seconds:.2f} s"
    print_result(text, sentence, given)


def _with_recipe(model: Any, name: str, made: PreparedTable) -> Any:
    """Return the whole job, as it is saved; a precomputed table has no columns to prepare."""
    if is_precomputed(model):
        return model
    return TableModel.of(made.recipe, name.replace("-", "_"), model)


def _summarize(
    model: Any, name: str, made: PreparedTable, given: dict[str, Any], seconds: float
) -> dict[str, Any]:
    stages = model.report_.stages
    return {
        "method": name,
        "parameters": model.get_params(),
        "rows": len(made.points),
        "columns": list(made.names),
        "seconds": seconds,
        "eigenvalues": getattr(model, "eigenvalues_", None),
        "stages": [{"name": s.name, "seconds": s.seconds, "bytes": s.bytes} for s in stages],
        "advice": _advice(model, made),
        "notes": list(made.notes),
        "model": given["model"],
    }


def _advice(model: Any, made: PreparedTable) -> list[str]:
    """Return what the method advises, with the rows of the file, and what strays do to the map.

    Methods with ``outliers`` tell of strays themselves; others have no way to set them apart.
    """
    said = list(model.report_.advice)
    found = [] if hasattr(model, "outliers") else find_localized(model.embedding_)
    if found:
        which = describe_localized(found, np.arange(len(made.points)))
        why = "so the others lie in a dot; --drop-outliers leaves out rows far from all others"
        said.append(f"{which}, {why}")
    return [rename_rows(sentence, made.file_rows()) for sentence in said]


def _check_precomputed(model: Any, given: dict[str, Any]) -> None:
    """Refuse to scale the columns of a table of distances: they are no features."""
    changed = given["scale"] != "none" or given["sample"] is not None or curve_of(given) != "none"
    if is_precomputed(model) and (changed or given["drop_outliers"]):
        raise ValueError("a precomputed table cannot be scaled or sampled column by column")


def _draw_placed(opened: OpenedModel, coordinates: Array, made: PreparedTable) -> Any:
    """Return the figure of new rows among the fitted points, in the colours of the map."""
    from .. import plot

    fitted = opened.method.embedding_
    if fitted.shape[1] > 2:
        return draw_map(coordinates, made, type(opened.method).__name__)
    return plot.embedding(
        fitted,
        opened.color_of_both(made),
        label=opened.color_name or made.color or "",
        placed=coordinates,
        title=f"{type(opened.method).__name__}, {len(coordinates)} rows placed",
    )


@click.command("transform")
@click.argument("saved", metavar="MODEL")
@new_rows_options
@out_option
@plot_option
@keep_option
@json_option
@large_options
def transform_command(saved: str, **given: Any) -> None:
    """Place the rows of DATA on the map of MODEL, a file that `embed --model` or save wrote.

    Columns are chosen, filled and scaled as they were for the map.

    \b
    unspool transform roll.unspool new.csv -o placed.csv
    unspool transform roll.unspool 'data/*.parquet' -o placed/
    """
    if is_large(given):
        folder = check_large({**given, "saved": saved})
        opened = open_model(saved)
        transform_large(opened.model, opened.name, opened.recipe, folder, given)
        return
    check_outputs({**given, "saved": saved})
    opened = open_model(saved)
    model, name = opened.model, opened.name
    made = opened.with_color(read_data(given, opened.recipe))
    began = time.perf_counter()
    with report_progress(given, name):
        coordinates = model.transform(made.points)
    seconds = time.perf_counter() - began
    with write_together():
        table = write_map(model, name, coordinates, made, given)
        if given["plot"]:
            write_figure(given["plot"], _draw_placed(opened, coordinates, made))
        summary = {"method": name, "rows": len(coordinates), "seconds": seconds}
        text = format_result(summary, table, given)
    print_result(text, f"{name}: {len(coordinates)} rows placed in {seconds:.2f} s", given)


def is_large(given: Mapping[str, Any]) -> bool:
    """Tell whether rows stay on disk: a cluster, a pattern of files, or a folder to write to."""
    names = ("workers", "cluster", "checkpoint", "chunk_rows", "directory")
    asked = any(given[name] for name in names)
    out = given["out"]
    is_folder = out is not None and (out.endswith("/") or Path(out).is_dir())
    is_pattern = given["data"].endswith(".parquet") and has_magic(given["data"])
    return bool(asked or is_folder or is_pattern or given.get("by_sample"))


@contextmanager
def at_scale(given: Mapping[str, Any]) -> Iterator[None]:
    """Run the block on the cluster that was asked for, or in this process."""
    with ExitStack() as stack:
        if given["workers"] or given["cluster"]:
            stack.enter_context(_client(given))
        shared, kept = given["directory"], given["checkpoint"]
        if shared is not None:
            Path(shared).mkdir(parents=True, exist_ok=True)
        folder = None if kept else stack.enter_context(scratch_folder(shared))
        stack.enter_context(
            settings(directory=folder, chunk_rows=given["chunk_rows"], checkpoint=kept)
        )
        yield


@contextmanager
def _client(given: Mapping[str, Any]) -> Iterator[None]:
    if given["workers"] and given["cluster"]:
        raise ValueError("give --workers or --cluster, not both")
    try:
        import distributed
    except ModuleNotFoundError:
        raise ImportError(f"--workers and --cluster need Dask; {INSTALL}") from None
    dask: Any = distributed  # which is not typed
    with ExitStack() as stack:
        address: Any = given["cluster"]
        if not address:
            address = stack.enter_context(
                dask.LocalCluster(
                    n_workers=given["workers"],
                    threads_per_worker=1,
                    processes=True,
                    dashboard_address=":0",
                )
            )
        stack.enter_context(dask.Client(address))
        yield


def check_large(given: Mapping[str, Any]) -> Path:
    """Refuse, before any work, what could not be written after it; return the folder of parts."""
    folder, model = check_folder(given), given.get("model")
    if model and Path(model).resolve().parent == folder.resolve():  # which will be made
        check_ending(model, MODELS)
    else:
        check_output(model, MODELS)
    keep_input(given)
    for path in filter(None, (given["out"], given["checkpoint"], given["directory"])):
        check_room(Path(path).resolve(), path)
    return folder


def check_folder(given: Mapping[str, Any]) -> Path:
    """Return the folder that parts are written to; ValueError if it is none, or holds some."""
    if not given["out"]:
        raise ValueError("data that stay on disk are mapped to files: name a folder, -o map/")
    folder = Path(given["out"])
    if folder.suffix and not folder.is_dir():
        raise ValueError(f"{folder} should be a folder: blocks of rows are written side by side")
    if not given["checkpoint"] and folder.is_dir() and any(folder.glob("part-*")):
        raise ValueError(f"{folder} holds parts of a map already; name another folder")
    return folder


def _refuse_others(given: Mapping[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        if (given.get(name) or None) != (ELSEWHERE[name] or None):
            raise ValueError(
                f"--{name} looks at all rows at once, and these stay on disk; leave it out, or "
                "map a table that fits into memory"
            )


def embed_large(model: Any, name: str, given: Mapping[str, Any]) -> None:
    """Map data that stay on disk, and write the map as a folder of parts."""
    _refuse_others(given, tuple(ELSEWHERE))
    folder, began = check_large(given), time.perf_counter()
    with at_scale(given), report_progress(given, name):
        source = _chosen_columns(open_source(given["data"]), given.get("columns"))
        if given.get("by_sample"):
            model = by_sample(model, given["by_sample"], seed=given["seed"])
        elif given["model"]:
            _check_saved(model, name)
        model.fit(source)
        names = [f"{name.replace('-', '_')}_{i + 1}" for i in range(model.embedding_.shape[1])]
        _write_embedding(model.embedding_, source, folder, names)
    fitted = model.model_ if isinstance(model, BySample) else model
    if given["model"]:
        save(fitted, given["model"])
    tell(given, *model.report_.advice)
    told = {"method": name, "rows": len(source), "seconds": time.perf_counter() - began}
    if isinstance(model, BySample):
        told["placing_error"] = model.placing_error_
    _conclude(told, folder, given)


def _check_saved(model: Any, name: str) -> None:
    """Refuse to save, before the work, a model that refers to points which stay where they are."""
    by_blocks = model._ON_DISK or "_fit_source" in vars(type(model))
    whole = getattr(model, "n_landmarks", 0) is None  # then all rows are read
    if by_blocks and name not in WITHOUT_POINTS and not whole:
        raise ValueError(
            f"a model of {name} refers to points that stay on disk, and no file can hold it; fit a "
            "sample, whose model can be saved: --by-sample 20000, or leave --model out"
        )


def transform_large(
    model: Any, name: str, recipe: Recipe, folder: Path, given: Mapping[str, Any]
) -> None:
    """Place rows that stay on disk on the map of a model, a block at a time."""
    _refuse_others(given, ("color", "id", "separator", "plot"))
    began = time.perf_counter()
    with at_scale(given), report_progress(given, name):
        source = open_source(given["data"])
        if recipe.named and source.columns:
            source = source.select(recipe.columns)
        if source.shape[1] != len(recipe.columns):
            raise ValueError(
                f"{given['data']} has {source.shape[1]} columns of numbers, and the map was made "
                f"of {len(recipe.columns)}"
            )
        names = [f"{name.replace('-', '_')}_{i + 1}" for i in range(model.embedding_.shape[1])]
        model.__dict__.pop("feature_names_in_", None)  # columns were chosen by their names
        prepare = partial(_prepared, recipe, given["na"] or recipe.na)
        rows = write_parts(source, model.transform, prepare, folder, names)
    told = {"method": name, "rows": rows, "seconds": time.perf_counter() - began}
    _conclude(told, folder, given)


def _prepared(recipe: Recipe, na: str, stored: Array, start: int) -> tuple[Array, Array]:
    """Return rows as the model wants them, and which of them these are."""
    kind = stored.dtype if stored.dtype == np.float32 else np.float64
    try:
        bent = recipe.bend(stored.astype(kind))
        numbers, rows, _ = treat_gaps(bent, recipe.columns, na, recipe.fill)
    except ValueError as error:
        if na == "drop":  # a block of which no row is left
            return np.empty((0, stored.shape[1]), kind), np.empty(0, np.int64)
        raise ValueError(f"in rows {start} to {start + len(stored) - 1}: {error}") from None
    return recipe.apply_scale(numbers), rows


def _chosen_columns(source: Source, columns: str | None) -> Source:
    if columns is None:
        return source
    if not source.columns:
        raise ValueError("--columns needs columns with names, which this file does not have")
    return source.select(tuple(name.strip() for name in columns.split(",")))


def _write_embedding(embedding: Array, source: Source, folder: Path, names: list[str]) -> None:
    """Write a map that is in memory in parts, as those of ``transform`` are."""
    from ..scale.sources import InMemory

    table = InMemory(embedding)
    object.__setattr__(table, "columns", tuple(names) if source.columns else ())
    write_parts(table, np.asarray, None, folder, names)


def _conclude(told: dict[str, Any], folder: Path, given: Mapping[str, Any]) -> None:
    if given["as_json"]:
        click.echo(to_json({**told, "out": str(folder)}))
        return
    error = told.get("placing_error")
    placed = "" if error is None else f", placing error {100 * error:.1f} % of the map's size"
    if not given["quiet"]:
        click.echo(
            f"unspool: {told['method']}: {told['rows']} rows to {folder} in "
            f"{told['seconds']:.2f} s{placed}",
            err=True,
        )
