"""Tables as plain text: words to the left, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

GAP = "  "


def columns_of_text(heads: Sequence[str], lines: Sequence[Sequence[str]], left: int = 1) -> str:
    """Return an aligned table; the first ``left`` columns are words, the last may be too long."""
    rows = [list(heads), *(list(line) for line in lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    ruled = [rows[0], ["-" * width for width in widths], *rows[1:]]
    return "\n".join(_line(row, widths, left) for row in ruled)


def _line(row: Sequence[str], widths: Sequence[int], left: int) -> str:
    cells = [
        cell.ljust(width) if i < left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return GAP.join(cells).rstrip()
