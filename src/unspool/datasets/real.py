"""Real data that the texts name, read from a folder of the user or from the package.

Few of these tables come with a licence that allows to pass them on: those that do and are small are
in the folder `shipped`, which is looked into last. The others belong into the folder that the
environment variable UNSPOOL_DATA names; where that is not set, into a folder `shared/data` beside
the checkout or beside a folder above it. Code that needs a data set calls `real` and, where it can
do without, catches FileNotFoundError and shows its message.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Table = dict[str, npt.NDArray[Any]]

VARIABLE = "UNSPOOL_DATA"
SHIPPED = Path(__file__).resolve().parent / "shipped"


def real(name: str) -> Table:
    """Load a data set of the texts as a dictionary of arrays, freshly read at every call.

    An npz file gives its arrays under their own names. A csv file gives one array per column:
    float64 where every cell is a number, text otherwise.

    Parameters
    ----------
    name : str
        Name of the data set, one of `real_names()`.

    Returns
    -------
    dict of str to ndarray
        The arrays or columns by name.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.real("us_driving_miles_128")["d"].shape
    (128, 128)
    """
    if not re.fullmatch(r"[\w-]+", name):
        raise ValueError(
            f"name must be a bare data set name such as 'mnist', got {name!r}; "
            f"leave out the ending, and set {VARIABLE} to choose another folder"
        )
    for folder in _folders():
        archive, table = folder / f"{name}.npz", folder / f"{name}.csv"
        if archive.is_file():
            with np.load(archive, allow_pickle=False) as arrays:
                return dict(arrays)
        if table.is_file():
            return _read_columns(table)
    raise FileNotFoundError(_not_found(name))


def real_names() -> list[str]:
    """Return the names that `real` can load here; those of the package are always among them.

    Returns
    -------
    list of str
        The names in alphabetical order.

    Examples
    --------
    >>> from unspool import datasets
    >>> {"pendigits", "us_driving_miles_128"} <= set(datasets.real_names())
    True
    """
    files = (file for folder in _folders() for file in folder.iterdir())
    return sorted({file.stem for file in files if file.suffix in {".npz", ".csv"}})


def _folders() -> Iterator[Path]:
    """Yield the folders to look in, nearest first and the package's own last.

    A folder that was set is not replaced by one that was found: whoever set it would otherwise
    work on data they did not mean. Only the tables of the package are the same everywhere.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        candidates = [Path(chosen).expanduser()]
    else:
        starts = (Path.cwd(), Path(__file__).resolve().parent)
        above = dict.fromkeys(place for start in starts for place in (start, *start.parents))
        candidates = [place / "shared" / "data" for place in above]
    yield from (folder for folder in (*candidates, SHIPPED) if folder.is_dir())


def where_real_belongs() -> str:
    """Say into which folder data sets that were not found are to be put."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return f"{chosen}, which {VARIABLE} names"
    return f"a folder of your choice, whose path goes into the environment variable {VARIABLE}"


def _not_found(name: str) -> str:
    """Say where the data set was looked for, and what to set so that it is found."""
    chosen = os.environ.get(VARIABLE)
    folders = [folder for folder in _folders() if folder != SHIPPED]
    if folders:
        where = f"in {', '.join(map(str, folders))} (there are: {', '.join(real_names())})"
    elif chosen:
        where = f"because {VARIABLE}={chosen} is not a folder"
    else:
        where = f"in shared/data beside {Path.cwd()}, the package, or any folder above them"
    return (
        f"real data set '{name}' was not found {where}; set the environment variable {VARIABLE} "
        f"to the folder that holds {name}.npz or {name}.csv"
    )


def _read_columns(file: Path) -> Table:
    """Read a csv file with a header row into one array per column."""
    with file.open(newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    columns = zip(*rows, strict=True)
    return {title: _as_numbers(cells) for title, cells in zip(header, columns, strict=True)}


def _as_numbers(cells: tuple[str, ...]) -> npt.NDArray[Any]:
    """Turn a column into float64 if every cell is a number, and leave it as text if not."""
    text = np.array(cells)
    try:
        return text.astype(np.float64)
    except ValueError:
        return text
