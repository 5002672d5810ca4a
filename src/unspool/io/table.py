"""A table as it was read, whatever it was read from.

Which columns of a table are mapped: those asked for, else the ones that hold numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..values import Array
from .dialect import is_code, is_missing, is_number


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and named columns, and what had to be guessed to read them.

    ``frame`` is a pandas frame numbered from 0. ``color`` is the column that colours the map unless
    another is asked for, ``features`` are the columns that are mapped unless others are (None: all
    that hold numbers but the ``labels``, which name the rows). ``truth`` are the coordinates that a
    map should find, where they are known. ``named`` says that the columns have names of the user's:
    new data are then matched by name, else by position where they have other names.
    """

    frame: Any
    source: str
    notes: tuple[str, ...] = ()
    color: str | None = None
    features: tuple[str, ...] | None = None
    truth: Array | None = None
    named: bool = True
    labels: tuple[str, ...] = ()


def pandas() -> Any:
    """Return pandas, or say how to get it."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise ImportError("files need pandas; pip install 'unspool[app]'") from None
    return pandas


def numbered(points: Array, word: str = "x") -> Any:
    """Return an array as a frame whose columns are called x1, x2 and so on."""
    names = [f"{word}{number}" for number in range(1, points.shape[1] + 1)]
    return pandas().DataFrame(points, columns=names)


def distinct(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names that differ: a repeated one gets its number; and which were repeated."""
    given = [name if name else f"column{place}" for place, name in enumerate(names, 1)]
    repeated = [name for name, times in Counter(given).items() if times > 1]
    taken, seen, made = set(given), Counter[str](), []
    for name in given:
        seen[name] += 1
        new = name
        while seen[name] > 1 and new in taken:
            new = f"{name}.{seen[name]}"
            seen[name] += new in taken
        taken.add(new)
        made.append(new)
    return made, repeated


def listed(names: Sequence[Any], most: int = 6) -> str:
    """Return names in one line, the first few of many."""
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


TRUTH = {"false": 0.0, "true": 1.0}
ID_NAMES = {"id", "index", "row", "rowid", "row_id", "unnamed: 0", "column1"}


def checked_name(name: str, table: Table) -> str:
    """Return the name of a column that there is, or say which was probably meant."""
    names = [str(column) for column in table.frame.columns]
    if name in names:
        return name
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {listed(names)}"
    raise ValueError(f"{table.source} has no column {name!r}; {hint}")


def asked_for(spec: str, table: Table) -> list[str]:
    """Return the columns of a list such as ``a,b``, ``first:last`` or ``pixel*``, in its order."""
    names = [str(column) for column in table.frame.columns]
    parts = [spec] if spec in names else [part.strip() for part in spec.split(",")]
    chosen = [name for part in parts for name in _matching(part, names, table)]
    return list(dict.fromkeys(chosen))


def _matching(part: str, names: Sequence[str], table: Table) -> Sequence[str]:
    if part in names:
        return [part]
    first, colon, last = part.partition(":")
    if colon and first in names and last in names:
        start, stop = names.index(first), names.index(last)
        return names[start : stop + 1] if start <= stop else names[stop : start + 1]
    hits = [name for name in names if fnmatchcase(name, part)]
    return hits or [checked_name(part, table)]


def numeric_by_default(table: Table, apart: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns to map when none are asked for, and notes on those left out.

    ``apart`` are the columns of ids and colours. A column that counts the rows says nothing about
    them, and would bend every map along itself.
    """
    if table.features is not None:
        return [name for name in table.features if name not in apart], []
    names = [str(n) for n in table.frame.columns if n not in apart and n not in table.labels]
    numeric = [name for name in names if is_numeric(table.frame[name])]
    counts = [name for name in numeric if _counts_rows(name, table.frame[name])]
    words = [name for name in names if name not in numeric]
    if not numeric:
        raise ValueError(
            f"{table.source} has no numeric columns to map (it has {listed(names) or 'none'})"
        )
    notes = []
    if words:
        notes.append(f"columns without numbers are kept but not mapped: {listed(words)}")
    if counts and len(counts) < len(numeric):
        notes.append(f"columns that number the rows are kept but not mapped: {listed(counts)}")
        numeric = [name for name in numeric if name not in counts]
    return numeric, notes


def is_numeric(column: Any) -> bool:
    """Whether a column holds numbers (truth values are none)."""
    return getattr(column.dtype, "kind", "O") in "iuf"


def _counts_rows(name: str, column: Any) -> bool:
    if column.dtype.kind not in "iu" or len(column) < 3:
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    in_order = bool(np.all(np.diff(values) == 1)) and values[0] in (0, 1)
    return in_order or (name.strip().lower() in ID_NAMES and len(np.unique(values)) == len(values))


def numbers_of(names: Sequence[str], table: Table) -> Array:
    """Return columns as a table of numbers, NaN where a value is missing."""
    columns = {name: _as_numbers(table.frame[name], name, table.source) for name in names}
    single = all(column.dtype == np.float32 for column in columns.values())
    dtype = np.float32 if single else np.float64
    return np.column_stack([np.asarray(column, dtype=dtype) for column in columns.values()])


def _as_numbers(column: Any, name: str, source: str) -> Any:
    """Return a column as numbers: as it is, or from truth values and from codes such as 007."""
    if is_numeric(column):
        return column.to_numpy(np.float64, na_value=np.nan) if column.hasnans else column.to_numpy()
    if column.dtype.kind == "b":
        return column.to_numpy(np.float64)
    return np.array([_number(str(cell), row, name, source) for row, cell in enumerate(column, 1)])


def _number(cell: str, row: int, name: str, source: str) -> float:
    if is_missing(cell):
        return float("nan")
    if is_number(cell) or is_code(cell):
        return float(cell)
    if cell.lower() not in TRUTH:
        where = f"column {name!r} of {source}"
        raise ValueError(f"{where} does not hold numbers: row {row} is {cell[:40]!r}")
    return TRUTH[cell.lower()]
