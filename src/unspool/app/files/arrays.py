"""npy and npz files, and the generated data sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ...values import Array
from .table import Table, distinct, listed, numbered

USUAL_NAMES = ("X", "x", "points", "data", "features", "embedding", "arr_0")


def read_array(path: Path, name: str | None = None) -> Table:
    """Return the points in a npy file, or in the array of a npz file that is a table.

    Of several tables, ``name`` says which. Arrays with one entry a row become columns beside it.
    """
    try:
        loaded = np.load(path, allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    except (ValueError, EOFError, BadZipFile, KeyError) as error:
        raise ValueError(f"{path} is no array file that can be read safely ({error})") from None
    name = _main(arrays, path) if name is None else _called(name, arrays, path)
    points = arrays.pop(name)
    points = points.reshape(len(points), -1)
    frame = numbered(points.astype(np.float64) if points.dtype.kind == "b" else points)
    features = tuple(frame.columns)
    beside = {n: a for n, a in arrays.items() if a.ndim == 1 and len(a) == len(points)}
    names = distinct([*features, *beside])[0][len(features) :]
    for other, column in zip(names, beside.values(), strict=True):
        frame[other] = column
    return Table(frame, str(path), features=features, named=False)


def _main(arrays: dict[str, Array], path: Path) -> str:
    """Return the name of the array that holds the points."""
    tables = [n for n, a in arrays.items() if a.ndim >= 2 and a.dtype.kind in "biuf"]
    if len(tables) == 1:
        return tables[0]
    for name in USUAL_NAMES:
        if name in tables:
            return name
    shapes = [f"{name or 'array'} {array.dtype} {array.shape}" for name, array in arrays.items()]
    what = f"several tables; name one, as {path}:{tables[0]}" if tables else "no table of numbers"
    raise ValueError(f"{path} holds {what} (it has {listed(shapes)})")


def _called(name: str, arrays: dict[str, Array], path: Path) -> str:
    if name not in arrays or arrays[name].ndim < 2 or arrays[name].dtype.kind not in "biuf":
        raise ValueError(f"{path} has no table of numbers {name!r}; it has {listed(list(arrays))}")
    return name


def read_demo(name: str, seed: int) -> Table:
    """Return generated points: ``swiss-roll``, or ``swiss-roll:5000`` for that many."""
    from ...datasets.registry import GENERATORS, names

    name, _, count = name.partition(":")
    if name not in GENERATORS:
        raise ValueError(f"no data set demo:{name}; there are: {', '.join(names())}")
    if count and not count.isdecimal():
        raise ValueError(f"demo:{name}:{count} should end in a number of points")
    options: dict[str, Any] = {"seed": seed}
    sample = GENERATORS[name](int(count), **options) if count else GENERATORS[name](**options)
    frame = numbered(sample.points)
    features = tuple(frame.columns)
    frame["color"] = sample.color
    source = f"demo:{name}"
    return Table(frame, source, (), "color", features, sample.coordinates, named=False)
