"""A table as it was read, whatever it was read from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...values import Array


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
