"""Maps as folders of files: each block of rows is read, placed and written on its own.

Memory stays that of a block, with Dask or without.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..values import Array
from .executor import BlockSize, Result, block_ranges, run_blocks
from .sources import Source

HELD = 16.0  # numbers of 8 bytes held for each number of a row
Prepare = Callable[[Array, int], tuple[Array, Array]]  # rows as stored -> points, and which rows


def write_parts(
    source: Source, place: Any, prepare: Prepare | None, folder: Path, names: list[str]
) -> int:
    """Write what ``place`` makes of all rows as parts in a folder; return how many rows.

    Parts are parquet where the source is, with the number of each row in a column ``row``, and npy
    elsewhere. A part that is written again, by a worker that took over, is the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ending = "parquet" if source.columns else "npy"
    held = 8.0 * HELD * source.shape[1] + 2_000
    ranges = block_ranges(len(source), held)
    items = [(n, *rows) for n, rows in enumerate(ranges)]
    options = (source, place, prepare, str(folder), names, ending)
    key = f"{source.fingerprint} {ranges} {folder}"
    size = BlockSize.of(ranges, held)
    found = run_blocks("placing", _write_part, items, *options, key=key, size=size)
    return int(sum(count[0] for _, (count,) in found))


def _write_part(
    item: tuple[int, int, int],
    source: Source,
    place: Any,
    prepare: Prepare | None,
    folder: str,
    names: list[str],
    ending: str,
) -> Result:
    number, start, stop = item
    stored = source.read_range(start, stop)
    points, rows = (stored, np.arange(len(stored))) if prepare is None else prepare(stored, start)
    placed = np.asarray(place(points)) if len(points) else np.empty((0, len(names)), stored.dtype)
    goal = os.path.join(folder, f"part-{number:05d}.{ending}")
    unfinished = f"{goal}.{os.getpid()}.unfinished"
    if ending == "npy":
        with open(unfinished, "wb") as file:
            np.save(file, placed)
    else:
        _write_parquet(unfinished, placed, start + rows, names)
    os.replace(unfinished, goal)
    return (np.array([len(placed)]),)


def _write_parquet(path: str, placed: Array, rows: Array, names: list[str]) -> None:
    import pyarrow
    from pyarrow import parquet

    columns = {name: placed[:, place] for place, name in enumerate(names)}
    parquet.write_table(pyarrow.table({"row": rows, **columns}), path)
