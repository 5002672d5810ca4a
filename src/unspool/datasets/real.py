"""Real data that the texts name, read from a folder outside the package.

Many of these files come without a licence that would allow to pass them on, so none is shipped.
The folder is the one in the environment variable UNSPOOL_DATA; where that is not set, a folder
`shared/data` beside the checkout or beside a folder above it. Code that needs a data set calls
`real` and, where it can do without, catches FileNotFoundError and shows its message.
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
    >>> datasets.real("whisky")["Smoky"].shape  # doctest: +SKIP
    (86,)
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
    """Return the names that `real` can load here; none if there is no data folder.

    Returns
    -------
    list of str
        The names in alphabetical order.

    Examples
    --------
    >>> from unspool import datasets
    >>> datasets.real_names()  # doctest: +SKIP
    ['digits', 'whisky']
    """
    files = (file for folder in _folders() for file in folder.iterdir())
    return sorted({file.stem for file in files if file.suffix in {".npz", ".csv"}})


def _folders() -> Iterator[Path]:
    """Yield the folders to look in, nearest first.

    A folder that was set but does not exist is not replaced by another one: whoever set it would
    otherwise work on data they did not mean.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        candidates = [Path(chosen).expanduser()]
    else:
        starts = (Path.cwd(), Path(__file__).resolve().parent)
        above = dict.fromkeys(place for start in starts for place in (start, *start.parents))
        candidates = [place / "shared" / "data" for place in above]
    yield from (folder for folder in candidates if folder.is_dir())


def _not_found(name: str) -> str:
    """Say where the data set was looked for, and what to set so that it is found."""
    chosen, folders = os.environ.get(VARIABLE), list(_folders())
    if folders:
        where = f"in {', '.join(map(str, folders))} (which has: {', '.join(real_names())})"
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
