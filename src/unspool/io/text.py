"""csv, tsv and txt files, plain or packed, in any of the notations people use."""

from __future__ import annotations

import gzip
import io
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from .dialect import MISSING, Dialect, decoded, found, is_code
from .table import Table, distinct, listed, pandas

GZIP = b"\x1f\x8b"
LOOKED_AT = 200  # rows in which codes such as 007 are looked for


def read_text(path: Path, separator: str | None = None) -> Table:
    """Return the table in a text file; ``separator`` overrides what would be found."""
    text, note = decoded(_unpacked(path), str(path))
    text, heading = _without_comments(text)
    if not text.strip():
        raise ValueError(f"{path} is empty")
    dialect = found(text, separator)
    try:
        names, notes = _names(text, dialect, heading)
        frame = _parsed(text, dialect, names)
    except ValueError as error:  # all of pandas' complaints about text are of this kind
        raise ValueError(f"{path}: {error}") from None
    named = dialect.header or heading is not None
    return Table(frame, str(path), tuple(n for n in (note, *notes) if n), named=named)


def _unpacked(path: Path) -> bytes:
    raw = path.read_bytes()
    if not raw.startswith(GZIP):
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked ({error}); copy it again") from None


def _without_comments(text: str) -> tuple[str, str | None]:
    """Return the text below its leading # lines, and the last of these: it may name columns."""
    heading = None
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        heading = line.lstrip("#").strip()
    return text, heading


def _names(text: str, dialect: Dialect, heading: str | None) -> tuple[list[str], list[str]]:
    """Return a name for each column and what had to be done for it; uneven rows are refused."""
    lines = dialect.lines(text)
    first = next(lines)[1] if dialect.header else None
    width, last_is_empty = _width(lines, dialect)
    names = first or (next(dialect.rows(heading), []) if heading else [])
    if first is None and len(names) != width:
        names = [f"x{number}" for number in range(1, width + 1)]
    names, notes = [name.strip() for name in names], []
    if width == 0:  # a header and nothing below it
        raise ValueError("there are column names but no rows")
    if len(names) == width - 1:  # R leaves the column of row names without one
        names = [*names, ""] if last_is_empty else ["row", *names]
    if len(names) != width:
        raise ValueError(f"the header names {len(names)} columns, but the rows have {width} cells")
    names, repeated = distinct(names)
    if repeated:
        notes.append(f"repeated column names were numbered: {listed(repeated)}")
    return names, notes


def _width(lines: Any, dialect: Dialect) -> tuple[int, bool]:
    """Return the number of cells of each row, and whether the last one is always empty."""
    widths: Counter[int] = Counter()
    odd: dict[int, int] = {}
    last_is_empty = True
    for number, cells in lines:
        widths[len(cells)] += 1
        odd.setdefault(len(cells), number)
        last_is_empty = last_is_empty and not cells[-1]
    if not widths:
        return 0, False
    width = widths.most_common(1)[0][0]
    if len(widths) > 1:
        wrong = min((number, cells) for cells, number in odd.items() if cells != width)
        sign = {"\t": "tab", " ": "space"}.get(dialect.separator, dialect.separator)
        raise ValueError(
            f"line {wrong[0]} has {wrong[1]} cells where others have {width} "
            f"(separated by {sign!r}); mend the line, or name another --separator"
        )
    return width, last_is_empty


def _parsed(text: str, dialect: Dialect, names: list[str]) -> Any:
    """Return the frame: numbers where a column holds nothing else, else text as it stands."""
    pd = pandas()
    options = {
        "sep": r"\s+" if dialect.separator == " " else dialect.separator,
        "decimal": dialect.decimal,
        "header": 0 if dialect.header else None,
        "names": names,
        "index_col": False,
        "skipinitialspace": True,
        "low_memory": False,
    }
    tokens = sorted({form for t in MISSING for form in (t, t.upper(), t.capitalize(), t.title())})
    frame = pd.read_csv(io.StringIO(text), na_values=[*tokens, "NaN"], **options)
    as_text = [name for name in names if not _holds_numbers(frame[name])]
    codes = pd.read_csv(
        io.StringIO(text), nrows=LOOKED_AT, dtype=str, keep_default_na=False, **options
    )
    as_text += [n for n in names if n not in as_text and codes[n].map(is_code).any()]
    if as_text:
        whole = pd.read_csv(
            io.StringIO(text), usecols=as_text, dtype=str, keep_default_na=False, **options
        )
        frame[as_text] = whole[as_text]
    nameless = [n for n in as_text if n.startswith("column") and (frame[n] == "").all()]
    return frame.drop(columns=nameless)


def _holds_numbers(column: Any) -> bool:
    return column.dtype.kind in "iuf" and not column.isna().all()
