"""A table as it was read: which columns are mapped, their cells as numbers, and their gaps.

What Python holds as a table (frames of pandas and polars, AnnData, arrays) is told by what it has,
so that none of these packages is imported to look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from ..values import Array

MISSING = frozenset(
    ["", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "<na>"]
)
MANY_ROWS = 20  # from which on numbers that run through all rows, or only rise, are no chance
COUNTED = 1000  # cells that tell whether a column of text holds dates or truth values
BOOLEANS = {"false": 0.0, "true": 1.0}
ID_NAMES = {"index", "row", "row number", "unnamed: 0", "column1"}
_ID_NAME = re.compile(r"(^|[\s_.-]|(?<=[a-z]))(id|ID|Id|nr|no|key|uuid|number)$|^row_?(id|no)$")
_IDENTIFIES = re.compile(r"(^|[\s_.-])(id|ID|Id|uuid)$|(?<=[a-z])I[dD]$")
# Names are distinct and evenly spread; what is measured repeats, crowds, or goes with others.
REPEATS = 7.0  # pairs that chance would have made equal: none of them once in 1,000 columns
FEWEST_SCATTERED, APART = 100, 100  # rows, and the width of their values for each
EVEN = 1.36  # Kolmogorov and Smirnov: 19 of 20 even columns stay below
UNRELATED = 4.0  # standard errors of a correlation of ranks
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")
POINT_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.IGNORECASE
)
COMMA_NUMBER = re.compile(r"[+-]?(\d+,\d+|,\d+)([eE][+-]?\d+)?")
_CODE = re.compile(r"0\d+")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows and named columns, and what had to be inferred to read them.

    Attributes
    ----------
    frame : pandas.DataFrame
        The rows, numbered from 0.
    source : str
        Where they come from, for messages.
    notes : tuple of str
        What had to be inferred or repaired.
    color : str or None
        The column that colours the map unless another is asked for.
    features : tuple of str or None
        The columns that are mapped unless others are asked for; None for all that hold numbers but
        the ``labels``.
    truth : ndarray or None
        The coordinates that a map should find, where they are known.
    named : bool
        Whether the columns have names of the user's: new data are then matched by name, else by
        position where they have other names.
    labels : tuple of str
        The columns that name the rows.
    image_shape : tuple of int or None
        Height and width, where the features of a row are the pixels of an image.
    member : str
        Which table of an AnnData it is, as ``"obsm/X_pca"``; empty for ``X``, and for others.
    """

    frame: Any
    source: str
    notes: tuple[str, ...] = ()
    color: str | None = None
    features: tuple[str, ...] | None = None
    truth: Array | None = None
    named: bool = True
    labels: tuple[str, ...] = ()
    image_shape: tuple[int, int] | None = None
    member: str = ""


def import_pandas() -> Any:
    """Return pandas, or say how to get it.

    Returns
    -------
    module
        The package pandas.

    Examples
    --------
    >>> from unspool import io
    >>> io.import_pandas().__name__
    'pandas'
    """
    try:
        import pandas
    except ModuleNotFoundError:
        raise ImportError("files need pandas; pip install 'unspool[app]'") from None
    return pandas


def to_frame(points: Array, word: str = "x") -> Any:
    """Return an array as a frame whose columns are called x1, x2 and so on."""
    names = [f"{word}{number}" for number in range(1, points.shape[1] + 1)]
    return import_pandas().DataFrame(points, columns=names)


def make_distinct(names: Sequence[str]) -> tuple[list[str], list[str]]:
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


def join_names(names: Sequence[Any], most: int = 6) -> str:
    """Return names in one line, the first few of many."""
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def find_column(name: str, table: Table) -> str:
    """Return the name of a column that there is, or say which was probably meant."""
    names = [str(column) for column in table.frame.columns]
    if name in names:
        return name
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {join_names(names)}"
    raise ValueError(f"{table.source} has no column {name!r}; {hint}")


def select_columns(spec: str, table: Table) -> list[str]:
    """Return the columns of a list such as ``a,b``, ``first:last`` or ``pixel*``, in its order."""
    names = [str(column) for column in table.frame.columns]
    parts = [spec] if spec in names else [part.strip() for part in spec.split(",")]
    chosen = [name for part in parts for name in _match_columns(part, names, table)]
    return list(dict.fromkeys(chosen))


def _match_columns(part: str, names: Sequence[str], table: Table) -> Sequence[str]:
    if part in names:
        return [part]
    first, colon, last = part.partition(":")
    if colon and first in names and last in names:
        start, stop = names.index(first), names.index(last)
        return names[start : stop + 1] if start <= stop else names[stop : start + 1]
    hits = [name for name in names if fnmatchcase(name, part)]
    return hits or [find_column(part, table)]


def default_columns(table: Table, apart: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the columns to map when none are asked for, and notes on those left out.

    ``apart`` are the columns of ids and colours. A column that counts the rows says nothing about
    them, and would bend every map along itself.
    """
    if table.features is not None:
        return [name for name in table.features if name not in apart], []
    names = [str(n) for n in table.frame.columns if n not in apart and n not in table.labels]
    numeric = [name for name in names if is_numeric(table.frame[name])]
    counts = [name for name in numeric if _numbers_rows(name, table.frame[name])]
    mapped = set(numeric)
    words = [name for name in names if name not in mapped]
    turned = [name for name in words if is_truth(table.frame[name]) or is_date(table.frame[name])]
    if not numeric:
        raise ValueError(
            f"{table.source} has no numeric columns to map (it has {join_names(names) or 'none'})"
        )
    notes = []
    if words:
        notes.append(f"columns without numbers are kept but not mapped: {join_names(words)}")
    if turned:
        notes.append(
            f"{join_names(turned)} could be mapped if named in columns (--columns): truth values "
            "as 0 and 1, dates as days"
        )
    if counts and len(counts) < len(numeric):
        notes.append(f"columns that number the rows are kept but not mapped: {join_names(counts)}")
        numeric = [name for name in numeric if name not in counts]
    return numeric, notes


def is_numeric(column: Any) -> bool:
    """Whether a column holds numbers (truth values are none)."""
    return getattr(column.dtype, "kind", "O") in "iuf"


def is_truth(column: Any) -> bool:
    """Whether a column holds nothing but true and false."""
    if getattr(column.dtype, "kind", "O") == "b" or is_numeric(column):
        return not is_numeric(column)
    words = {str(cell).strip().lower() for cell in column[:COUNTED].dropna()}
    return bool(words - MISSING) and words - MISSING <= set(BOOLEANS)


def is_date(column: Any) -> bool:
    """Whether a column holds dates: as such, or as text that begins with year, month and day."""
    if getattr(column.dtype, "kind", "O") == "M":
        return True
    if is_numeric(column) or getattr(column.dtype, "kind", "O") == "b":
        return False
    cells = [str(cell) for cell in column[:COUNTED] if not is_missing(str(cell))]
    return bool(cells) and all(_DAY.fullmatch(cell.strip()) for cell in cells)


def days_of(column: Any) -> Array:
    """Return dates as days since 1970, NaN where there is none."""
    pd = import_pandas()
    if getattr(column.dtype, "kind", "O") != "M":
        known = [None if is_missing(str(cell)) else str(cell).strip() for cell in column]
        column = pd.Series(pd.to_datetime(known, format="ISO8601", errors="coerce", utc=True))
    moments = column.dt.tz_localize(None) if column.dt.tz is not None else column
    days = (moments - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1)
    return np.asarray(days.to_numpy(np.float64, na_value=np.nan))


def _numbers_rows(name: str, column: Any) -> bool:
    """Whether a column only tells rows apart: it counts them, or is named so and never repeats."""
    if column.dtype.kind not in "iu" or len(column) < 3:
        return False
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if np.isnan(values).any():
        return False
    ordered = np.sort(values)
    counted = ordered if len(values) >= MANY_ROWS else values  # of few rows they may be anything
    if bool(np.all(np.diff(counted) == 1)) and counted[0] in (0, 1):
        return True
    named = name.strip().lower() in ID_NAMES or bool(_ID_NAME.search(name.strip()))
    named = named or name.strip().lower() == "id"
    return named and len(np.unique(values)) == len(values)


def note_likely_ids(table: Table, names: Sequence[str]) -> list[str]:
    """Tell of columns of whole numbers that look as if they named the rows, or what rows belong to.

    They only ever rise, are called so, or never repeat where measurements would.
    """
    whole = [name for name in names if _is_whole(table.frame[name])]
    columns = {name: table.frame[name].to_numpy(np.float64, na_value=np.nan) for name in whole}
    told = {
        name: "is a larger whole number in every row; if it names the rows or their order"
        for name, values in columns.items()
        if bool(np.all(np.diff(values) > 0))
    }
    for name in whole:
        if name in told:
            continue
        if _IDENTIFIES.search(name.strip()):
            told[name] = "is called like what names things, and is mapped as a number; if it is one"
        elif _never_meets(columns[name]) or _is_scattered(name, columns[name], table, names):
            told[name] = "has another whole number in every row; if these are names"
    if len(told) == len(names):
        return []
    return [f"column {n!r} {why}, leave it out: id={n!r} (--id)" for n, why in told.items()]


def _is_whole(column: Any) -> bool:
    return getattr(column.dtype, "kind", "O") in "iu" and len(column) >= MANY_ROWS


def _never_meets(values: Array) -> bool:
    """Whether values are all distinct where chance would have repeated some.

    Of n draws from w whole numbers n^2 / 2w pairs are equal, or more if some are likelier.
    """
    n, width = float(len(values)), float(np.ptp(values)) + 1.0
    return len(np.unique(values)) == n and n * n / (2.0 * width) > REPEATS


def _is_scattered(name: str, values: Array, table: Table, names: Sequence[str]) -> bool:
    """Whether values are distinct, far apart, evenly spread, and tell of no other column."""
    n = len(values)
    ordered = np.sort(values)
    if n < FEWEST_SCATTERED or ordered[-1] - ordered[0] < APART * n or not np.diff(ordered).all():
        return False
    even = np.linspace(ordered[0], ordered[-1], n)
    away = float(np.abs(ordered - even).max()) / (ordered[-1] - ordered[0])
    if away * n**0.5 > EVEN:
        return False
    others = [o for o in names if o != name and is_numeric(table.frame[o])][:COUNTED]
    return all(_is_unrelated(values, table.frame[other]) for other in others)


def _is_unrelated(values: Array, column: Any) -> bool:
    """Whether the ranks of a column say nothing of the values: a correlation as among noise."""
    ranks = np.argsort(np.argsort(column.to_numpy(np.float64, na_value=0.0)))
    own = np.argsort(np.argsort(values))
    return abs(float(np.corrcoef(own, ranks)[0, 1])) * float(np.sqrt(len(values))) < UNRELATED


def to_numbers(names: Sequence[str], table: Table) -> Array:
    """Return columns as a table of numbers, NaN where a value is missing."""
    frame = table.frame
    single = all(frame[name].dtype == np.float32 for name in names)
    numbers = np.empty((len(frame), len(names)), dtype=np.float32 if single else np.float64)
    for place, name in enumerate(names):  # one by one, so that a large table is held twice at most
        numbers[:, place] = _column_to_numbers(frame[name], name, table.source)
    return numbers


def _column_to_numbers(column: Any, name: str, source: str) -> Any:
    """Return a column as numbers: as it is, or from truth values, dates and codes such as 007."""
    if is_numeric(column):
        return column.to_numpy(np.float64, na_value=np.nan) if column.hasnans else column.to_numpy()
    if column.dtype.kind == "b":
        return column.to_numpy(np.float64, na_value=np.nan)
    if is_date(column):
        return _checked_days(column, name, source)
    return np.array(
        [_to_number(str(cell), row, name, source) for row, cell in enumerate(column, 1)]
    )


def _checked_days(column: Any, name: str, source: str) -> Array:
    days = days_of(column)
    lost = np.isnan(days) & [not is_missing(str(cell)) for cell in column]
    if lost.any():
        row = int(lost.argmax())
        where = f"column {name!r} of {source}"
        raise ValueError(f"{where} does not hold dates: row {row + 1} is {column.iloc[row]!r}")
    return days


def _to_number(cell: str, row: int, name: str, source: str) -> float:
    if is_missing(cell):
        return float("nan")
    if is_number(cell) or is_code(cell):
        return float(cell)
    if cell.lower() not in BOOLEANS:
        where = f"column {name!r} of {source}"
        raise ValueError(f"{where} does not hold numbers: row {row} is {cell[:40]!r}")
    return BOOLEANS[cell.lower()]


def treat_gaps(
    numbers: Array, columns: Sequence[str], na: str, fill: Array | None
) -> tuple[Array, Array, list[str]]:
    """Return numbers without missing values, the rows they are of, and what to tell about it.

    ``fill`` stands for missing values if they are to be filled; None for the means of ``numbers``.
    """
    _check_infinite(numbers, columns)
    gaps = np.isnan(numbers)
    rows = np.arange(len(numbers))
    bad = np.asarray(gaps.any(axis=1))
    if not bad.any():
        return numbers, rows, []
    where = [name for name, column in zip(columns, gaps.T, strict=True) if column.any()]
    told = f"{int(bad.sum())} of {len(bad)} rows miss a value in {', '.join(where[:4])}" + (
        f" and {len(where) - 4} more columns" if len(where) > 4 else ""
    )
    if na == "error":
        raise ValueError(
            f"{told} (the first is row {int(bad.argmax()) + 1}); leave such rows out with "
            "na='drop' (--na drop), or fill in the mean of the column with na='mean' (--na mean)"
        )
    if na == "drop":
        if bad.all():
            raise ValueError(f"every row misses a value (in {', '.join(where[:4])}); none is left")
        return numbers[~bad], rows[~bad], [f"{told}; they were left out"]
    if fill is None:
        fill = _means(numbers, columns)
    return np.where(gaps, fill, numbers).astype(numbers.dtype), rows, [f"{told}; filled with means"]


def _means(numbers: Array, columns: Sequence[str]) -> Array:
    """Return the mean of the values that each column has."""
    empty = np.isnan(numbers).all(axis=0)
    if empty.any():
        name = columns[int(empty.argmax())]
        raise ValueError(f"column {name!r} has no values at all, so it has no mean")
    return np.asarray(np.nanmean(numbers, axis=0, dtype=np.float64))


def _check_infinite(numbers: Array, columns: Sequence[str]) -> None:
    wrong = np.argwhere(np.isinf(numbers))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(f"column {columns[column]!r} is infinite in row {row + 1}; mend the file")


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a number in this notation."""
    cell = cell.strip()
    if POINT_NUMBER.fullmatch(cell):
        return not is_code(cell)
    return decimal == "," and bool(COMMA_NUMBER.fullmatch(cell))


def is_code(cell: str) -> bool:
    """Whether a cell of digits names something, as 007 does: its zeros must stay."""
    return bool(_CODE.fullmatch(cell.strip()))


def is_missing(cell: str) -> bool:
    """Whether a cell says that its value is not known."""
    return cell.strip().lower() in MISSING


def is_frame(X: Any) -> bool:
    """Tell whether X is a data frame: rows, and columns with names."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and not hasattr(X, "obs_names")


def is_anndata(X: Any) -> bool:
    """Tell whether X is an AnnData: cells with a matrix, and what describes them."""
    return all(hasattr(X, name) for name in ("obs_names", "var_names", "obsm", "uns"))


def table_of(X: Any, source: str = "the table", member: str = "") -> Table:
    """Return a frame, an AnnData or an array as a table.

    Parameters
    ----------
    X : data frame, AnnData or array-like
        The rows.
    source : str, default "the table"
        What messages call it.
    member : str, default ""
        Which table of an AnnData, as ``"layers/counts"`` or ``"obsm/X_pca"``; empty is ``X``.

    Returns
    -------
    Table
        Arrays have no names of the user's; all their columns are features.

    Examples
    --------
    >>> import pandas as pd
    >>> from unspool.io import table_of
    >>> list(table_of(pd.DataFrame({"a": [1.0], "b": ["word"]})).frame.columns)
    ['a', 'b']
    """
    if is_anndata(X):
        from .cells import parts_of, table_of_cells

        return table_of_cells(X, source, **parts_of(member))
    if is_frame(X):
        return _table_of_frame(X, source)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"{source} must have rows and columns; got shape {array.shape}")
    frame = to_frame(array)
    return Table(frame, source, features=tuple(frame.columns), named=False)


def _table_of_frame(X: Any, source: str) -> Table:
    frame = X if hasattr(X, "iloc") else _from_polars(X)
    names, repeated = make_distinct([str(name) for name in frame.columns])
    if repeated:
        raise ValueError(f"{source} has two columns {repeated[0]!r}; give them different names")
    return Table(frame.set_axis(names, axis=1).reset_index(drop=True), source)


def _from_polars(X: Any) -> Any:
    """Return a frame of polars, or of anything else that gives its columns as arrays, in pandas."""
    return import_pandas().DataFrame({str(n): np.asarray(X[n]) for n in X.columns})
