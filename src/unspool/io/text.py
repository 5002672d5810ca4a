"""csv, tsv and txt files, plain or packed, in any of the notations people use.

How a file writes its table (encoding, separator, decimal sign, header) is found by looking at its
first lines.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from ..runtime import claim, format_bytes
from .binary import most_unpacked
from .table import (
    COMMA_NUMBER,
    MISSING,
    POINT_NUMBER,
    Table,
    import_pandas,
    is_code,
    is_missing,
    is_number,
    join_names,
    make_distinct,
)

GZIP = b"\x1f\x8b"
SEPARATORS = (",", ";", "\t", "|", " ")
SAMPLE_LINES = 200
SAMPLE_CHARACTERS = 2**18
LONGEST_CELL = 2**31 - 1  # as long as csv can be told
IN_MEMORY = 4  # bytes for each of a text file: the file, its text, the frame and its copy
CODE_ROWS = 200  # rows in which codes such as 007 are looked for

Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a text file are told apart and read."""

    separator: str
    decimal: str
    header: bool

    def rows(self, text: str) -> Iterator[list[str]]:
        """Yield the cells of every line that is not blank."""
        for _, cells in self.lines(text):
            yield cells

    def lines(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of every line that is not blank."""
        lines = io.StringIO(text, newline="")
        if self.separator == " ":
            yield from ((i, line.split()) for i, line in enumerate(lines, 1) if line.strip())
            return
        reader = csv.reader(lines, delimiter=self.separator, skipinitialspace=True)
        try:
            yield from ((reader.line_num, cells) for cells in reader if cells)
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num} cannot be read ({error})") from None


def read_text(path: Path, separator: str | None = None) -> Table:
    """Return the table in a text file; ``separator`` overrides what would be found."""
    with _cells_of_any_length():
        return _read(path, separator)


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift csv's limit of 131,072 characters: with the wrong separator a header is one cell."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _read(path: Path, separator: str | None) -> Table:
    text, note = decode(_unpack(path), str(path))
    text, heading = _strip_comments(text)
    if not text.strip():
        raise ValueError(f"{path} is empty")
    dialect = detect_dialect(text, separator)
    try:
        names, notes = _name_columns(text, dialect, heading)
        frame = _parse(text, dialect, names)
    except ValueError as error:  # all of pandas' complaints about text are of this kind
        raise ValueError(f"{path}: {error}") from None
    named = dialect.header or heading is not None
    return Table(frame, str(path), tuple(n for n in (note, *notes) if n), named=named)


def _unpack(path: Path) -> bytes:
    size = path.stat().st_size
    claim(IN_MEMORY * size, f"the table in {path}", "use fewer of its rows")
    with path.open("rb") as file:
        if file.read(len(GZIP)) != GZIP:
            return path.read_bytes()
    most = most_unpacked(size, IN_MEMORY)
    try:
        with gzip.open(path) as packed:
            raw = packed.read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked ({error}); copy it again") from None
    if len(raw) > most:
        raise ValueError(
            f"{path} unpacks to more than {format_bytes(most)}, too much for a file of "
            f"{format_bytes(size)}; unpack it first if this is meant"
        )
    return raw


def _strip_comments(text: str) -> tuple[str, str | None]:
    """Return the text below its leading # lines, and the last of these: it may name columns."""
    heading = None
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        heading = line.lstrip("#").strip()
    return text, heading


def decode(raw: bytes, source: str) -> tuple[str, str | None]:
    """Return the text of a file, and a note if its encoding had to be guessed."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16"), None
    if b"\0" in raw[:SAMPLE_CHARACTERS]:
        raise ValueError(f"{source} holds binary data, not text; is its ending right?")
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        return raw.decode("latin-1"), f"{source} is not UTF-8; read as latin-1"


def detect_dialect(text: str, separator: str | None = None) -> Dialect:
    """Return the dialect that fits the first lines of a text best; a given separator is kept."""
    start = max(SAMPLE_CHARACTERS, _end_of_lines(text, 3))  # the names of 9,000 genes are 200 kB
    lines = text[:start].splitlines()[:SAMPLE_LINES]
    if len(text) > start and 1 < len(lines) < SAMPLE_LINES:
        lines.pop()  # it may be cut
    sample = "\n".join(lines)
    if separator is None:
        fits = {candidate: _score(sample, candidate) for candidate in SEPARATORS}
        separator = max(SEPARATORS, key=lambda candidate: fits[candidate])  # the first of equals
    rows = list(Dialect(separator, ".", False).rows(sample))
    decimal = _find_decimal(rows, separator)
    return Dialect(separator, decimal, has_header(rows, decimal))


def _end_of_lines(text: str, count: int) -> int:
    """Return where so many lines end; 0 if there are fewer."""
    end = 0
    for _ in range(count):
        end = text.find("\n", end) + 1
        if end == 0:
            break
    return end


def _score(sample: str, separator: str) -> tuple[float, float]:
    """Return how even the rows are that a separator makes, and how many of its cells make sense."""
    rows = list(Dialect(separator, ".", False).rows(sample))
    width, times = Counter(len(row) for row in rows).most_common(1)[0] if rows else (0, 0)
    if width < 2:
        return 0.0, 0.0
    decimal = _find_decimal(rows, separator)
    cells = [cell for row in rows for cell in row]
    clear = sum(is_number(cell, decimal) or is_missing(cell) for cell in cells)
    return round(times / len(rows), 1), clear / len(cells)


def _find_decimal(rows: Sequence[Row], separator: str) -> str:
    if separator == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(bool(COMMA_NUMBER.fullmatch(cell)) for cell in cells)
    points = sum("." in cell and bool(POINT_NUMBER.fullmatch(cell)) for cell in cells)
    return "," if commas > points else "."


def has_header(rows: Sequence[Row], decimal: str) -> bool:
    """Whether the first row names the columns: it is words where the rows below are numbers."""
    if not rows:
        return False
    first, below = rows[0], rows[1:]
    numeric = [p for p in range(len(first)) if _is_numeric(below, p, decimal)]
    looked_at = numeric or range(len(first))
    return any(not is_number(first[p], decimal) and not is_missing(first[p]) for p in looked_at)


def _is_numeric(rows: Sequence[Row], place: int, decimal: str) -> bool:
    """Whether most cells of a column are numbers."""
    column = (row[place] for row in rows if place < len(row))
    known = [cell for cell in column if not is_missing(cell)]
    return sum(is_number(cell, decimal) for cell in known) > 0.5 * len(known)


def _name_columns(text: str, dialect: Dialect, heading: str | None) -> tuple[list[str], list[str]]:
    """Return a name for each column and what had to be done for it; uneven rows are refused."""
    lines = dialect.lines(text)
    first = next(lines)[1] if dialect.header else None
    width, last_is_empty = _check_width(lines, dialect)
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
    names, repeated = make_distinct(names)
    if repeated:
        notes.append(f"repeated column names were numbered: {join_names(repeated)}")
    return names, notes


def _check_width(lines: Any, dialect: Dialect) -> tuple[int, bool]:
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
            f"(separated by {sign!r}); mend the line, or name another separator (--separator)"
        )
    return width, last_is_empty


def _parse(text: str, dialect: Dialect, names: list[str]) -> Any:
    """Return the frame: numbers where a column holds nothing else, else text as it stands."""
    pd = import_pandas()
    options = {
        "sep": r"\s+" if dialect.separator == " " else dialect.separator,
        "decimal": dialect.decimal,
        "header": 0 if dialect.header else None,
        "names": names,
        "index_col": False,
        "skipinitialspace": True,
        "low_memory": False,
    }
    if tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1):
        options["float_precision"] = "round_trip"  # the others were off by the last digit then
    tokens = sorted({form for t in MISSING for form in (t, t.upper(), t.capitalize(), t.title())})
    frame = pd.read_csv(io.StringIO(text), na_values=[*tokens, "NaN"], **options)
    # by columns all at once: one by one, those of 9,000 genes take half a minute
    numbers = [kind.kind in "iuf" for kind in frame.dtypes] & ~frame.isna().all(axis=0).to_numpy()
    rows = islice(dialect.rows(text), dialect.header, CODE_ROWS + dialect.header)
    codes = [any(map(is_code, column)) for column in zip(*rows, strict=True)]
    kept = zip(names, numbers, codes, strict=True)
    as_text = [name for name, number, code in kept if code or not number]
    if as_text:
        whole = pd.read_csv(
            io.StringIO(text), usecols=as_text, dtype=str, keep_default_na=False, **options
        )
        frame[as_text] = whole[as_text]
    nameless = [n for n in as_text if n.startswith("column") and (frame[n] == "").all()]
    return frame.drop(columns=nameless)
