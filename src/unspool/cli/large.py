"""Data that stay on disk: ``--workers``, ``--cluster``, ``--checkpoint``, and folders as output.

The rows are read, mapped and written a block at a time, by this process or by a Dask cluster.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np

from ..io import Recipe
from ..io.table import treat_gaps
from ..scale import BySample, Source, by_sample, open_source, settings
from ..scale.placing import write_parts
from ..scale.sources import INSTALL
from ..store import save
from ..values import Array
from .output import report_progress, tell, to_json

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
    )
    for option in reversed(options):
        command = option(command)
    return command


def is_large(given: Mapping[str, Any]) -> bool:
    """Tell whether rows stay on disk: a cluster is asked for, or a folder of files is written."""
    asked = any(given[name] for name in ("workers", "cluster", "checkpoint", "chunk_rows"))
    out = given["out"]
    is_folder = out is not None and (out.endswith("/") or Path(out).is_dir())
    return bool(asked or is_folder or given.get("by_sample"))


@contextmanager
def at_scale(given: Mapping[str, Any]) -> Iterator[None]:
    """Run the block on the cluster that was asked for, or in this process."""
    with ExitStack() as stack:
        if given["workers"] or given["cluster"]:
            stack.enter_context(_client(given))
        stack.enter_context(
            settings(chunk_rows=given["chunk_rows"], checkpoint=given["checkpoint"])
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
    folder, began = check_folder(given), time.perf_counter()
    with at_scale(given), report_progress(given, name):
        source = _chosen_columns(open_source(given["data"]), given.get("columns"))
        if given.get("by_sample"):
            model = by_sample(model, given["by_sample"], seed=given["seed"])
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


def transform_large(model: Any, name: str, recipe: Recipe, given: Mapping[str, Any]) -> None:
    """Place rows that stay on disk on the map of a model, a block at a time."""
    _refuse_others(given, ("color", "id", "separator", "plot"))
    folder, began = check_folder(given), time.perf_counter()
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
