"""How a text file writes its table: encoding, separator, decimal sign, header. Found by looking."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SEPARATORS = (",", ";", "\t", "|", " ")
SAMPLE_LINES = 200
SAMPLE_CHARACTERS = 2**18
MISSING = frozenset(
    ["", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "missing", "<na>"]
)
_POINT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|infinity)", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(\d+,\d+|,\d+)([eE][+-]?\d+)?")
_CODE = re.compile(r"0\d+")

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


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell is a number in this notation."""
    cell = cell.strip()
    if _POINT.fullmatch(cell):
        return not is_code(cell)
    return decimal == "," and bool(_COMMA.fullmatch(cell))


def is_code(cell: str) -> bool:
    """Whether a cell of digits names something, as 007 does: its zeros must stay."""
    return bool(_CODE.fullmatch(cell.strip()))


def is_missing(cell: str) -> bool:
    """Whether a cell says that its value is not known."""
    return cell.strip().lower() in MISSING


def decoded(raw: bytes, source: str) -> tuple[str, str | None]:
    """Return the text of a file, and a note if its encoding had to be guessed."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return raw.decode("utf-16"), None
    if b"\0" in raw[:SAMPLE_CHARACTERS]:
        raise ValueError(f"{source} holds binary data, not text; is its ending right?")
    try:
        return raw.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        return raw.decode("latin-1"), f"{source} is not UTF-8; read as latin-1"


def found(text: str, separator: str | None = None) -> Dialect:
    """Return the dialect that fits the first lines of a text best; a given separator is kept."""
    lines = text[:SAMPLE_CHARACTERS].splitlines()[:SAMPLE_LINES]
    if len(text) > SAMPLE_CHARACTERS and 1 < len(lines) < SAMPLE_LINES:
        lines.pop()  # it may be cut
    sample = "\n".join(lines)
    if separator is None:
        fits = {candidate: _fit(sample, candidate) for candidate in SEPARATORS}
        separator = max(SEPARATORS, key=lambda candidate: fits[candidate])  # the first of equals
    rows = list(Dialect(separator, ".", False).rows(sample))
    decimal = _decimal(rows, separator)
    return Dialect(separator, decimal, has_header(rows, decimal))


def _fit(sample: str, separator: str) -> tuple[float, float]:
    """Return how even the rows are that a separator makes, and how many of its cells make sense."""
    rows = list(Dialect(separator, ".", False).rows(sample))
    width, times = Counter(len(row) for row in rows).most_common(1)[0] if rows else (0, 0)
    if width < 2:
        return 0.0, 0.0
    decimal = _decimal(rows, separator)
    cells = [cell for row in rows for cell in row]
    clear = sum(is_number(cell, decimal) or is_missing(cell) for cell in cells)
    return round(times / len(rows), 1), clear / len(cells)


def _decimal(rows: Sequence[Row], separator: str) -> str:
    if separator == ",":
        return "."
    cells = [cell.strip() for row in rows for cell in row]
    commas = sum(bool(_COMMA.fullmatch(cell)) for cell in cells)
    points = sum("." in cell and bool(_POINT.fullmatch(cell)) for cell in cells)
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
