"""npy and npz files, and the generated data sets.

parquet, feather and h5ad files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from ..runtime import claim
from ..values import Array
from .table import Table, distinct, listed, numbered, pandas

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
    from ..datasets import GENERATORS, names

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


def read_columnar(path: Path) -> Table:
    """Return the table in a parquet or feather file."""
    pd = pandas()
    read = pd.read_parquet if path.suffix == ".parquet" else pd.read_feather
    try:
        frame = read(path)
    except ImportError:
        raise ImportError(f"{path.suffix} files need pyarrow; pip install 'unspool[app]'") from None
    except (ValueError, OSError) as error:
        first = str(error).strip().splitlines()[0]
        raise ValueError(
            f"{path} is no {path.suffix[1:]} file that can be read ({first})"
        ) from None
    index = frame.index.to_frame(index=False)
    index = index[[name for name in frame.index.names if name is not None]]
    width, frame = frame.shape[1], pd.concat([frame.reset_index(drop=True), index], axis=1)
    names = distinct([str(name) for name in frame.columns])[0]
    frame.columns = names
    labels = names[width:]
    return Table(frame[[*labels, *names[:width]]], str(path), labels=tuple(labels))


def read_h5ad(path: Path) -> Table:
    """Return the cells of an AnnData file: its matrix X, and the columns that describe them."""
    try:
        import anndata
    except ModuleNotFoundError:
        raise ImportError("h5ad files need anndata; pip install anndata") from None
    try:
        cells = anndata.read_h5ad(path)
    except (ValueError, OSError, KeyError) as error:
        raise ValueError(f"{path} is no h5ad file that can be read ({error})") from None
    return _of_cells(cells, path)


def _of_cells(cells: Any, path: Path) -> Table:
    pd = pandas()
    if cells.X is None:
        raise ValueError(f"{path} holds no matrix X")
    n, width = cells.X.shape
    claim(8 * n * width, f"the {n} x {width} matrix of {path}", "select fewer genes or cells first")
    points = cells.X.toarray() if hasattr(cells.X, "toarray") else cells.X
    names, _ = distinct([str(name) for name in cells.var_names])
    described = cells.obs.reset_index(drop=True)
    *beside, cell = distinct([*names, *(str(name) for name in described.columns), "cell"])[0]
    described.columns = beside[len(names) :]
    described.insert(0, cell, cells.obs.index)
    frame = pd.concat([pd.DataFrame(points, columns=names), described], axis=1)
    return Table(frame, str(path), features=tuple(names))
