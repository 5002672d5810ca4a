"""A comparison -> one HTML file, with its style and pictures inside."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import unspool

from ..evaluate import Comparison, summarize
from ..io import write_atomically
from ..plot import key
from ..runtime import stage
from .panels import (
    dimension_picture,
    elbow_pictures,
    map_pictures,
    shepard_pictures,
    trust_key,
    trust_pictures,
)
from .reproduce import python_code, shell_command

MEANINGS = {
    "trustworthiness": "are neighbours on the map neighbours in the data?",
    "continuity": "do neighbours in the data stay neighbours?",
    "neighbours kept": "share of the nearest neighbours that are the same",
    "area under R_NX": "neighbours kept beyond chance, over all sizes of neighbourhoods",
    "stress": "error of straight distances",
    "residual variance": "share of the distances along the manifold that is not on the map",
    "Procrustes error": "share of the truth that the map misses",
}
# what matplotlib's marks look like in a text
MARKS = {"o": "●", "^": "▲", "s": "■", "D": "◆", "v": "▼", "P": "✚", "X": "✖", "*": "★"}


def write_report(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    source: str = "",
    command: str = "",
    loading: str = "",
    data: Any = None,
    columns: Sequence[str] = (),
    rows: Sequence[Any] = (),
    color_name: str = "",
    notes: Sequence[str] = (),
) -> Path:
    """Write a comparison as one page that needs no other file and no network; return its path.

    ``source`` is where the data came from, ``command`` the shell command that made the report (if
    left out, it is put together from ``source``), ``loading`` the lines of Python that define X,
    and truth and color if there are any. ``data`` are the columns that were mapped as they were
    before that (all rows, NaN where an entry is missing, not scaled): what is missing and how
    columns are scaled is told of them. ``columns`` are their names, ``rows`` the names of the
    points that were mapped (rows of a file, counted from 1, say; by default numbers from 0 on),
    ``color_name`` the column that paints the maps, ``notes`` what was done to the data before.
    """
    goal = Path(path)
    with stage("report", total=5) as running:
        page = _page(comparison, running, title or _title(source))
        page |= {
            "source": source,
            "command": command or (shell_command(comparison, source, goal.name) if source else ""),
            "code": python_code(comparison, loading, goal.name),
            "notes": list(notes),
            "summary": summarize(
                comparison.yardstick.data,
                columns or comparison.columns,
                comparison.yardstick.metric,
                data,
                rows,
            ),
        }
        color, label = _paint(comparison, color_name)
        page |= {
            "maps": map_pictures(comparison, color, label),
            "color_name": label,
            "map_key": key(color),
        }
        running.advance()
        text = _template().render(**page)
        with write_atomically(goal) as file:
            file.write(text.encode("utf-8"))
    return goal


def _page(comparison: Comparison, running: Any, title: str) -> dict[str, Any]:
    """Return all that the page shows of the comparison itself."""
    found = comparison.dimension
    running.advance()
    trust = trust_pictures(comparison)
    running.advance()
    shepard = shepard_pictures(comparison)
    running.advance()
    elbows = elbow_pictures(comparison)
    running.advance()
    return {
        "title": title,
        "version": unspool.__version__,
        "style": _part("report.css"),
        "comparison": comparison,
        "dimension": found,
        "dimension_picture": None if found is None else dimension_picture(found),
        "trust": trust,
        "trust_key": trust_key(comparison),
        "marks": MARKS,
        "shepard": shepard,
        "elbows": elbows,
        "best": {c.name: comparison.best(c.name) for c in comparison.scored},
        "meanings": MEANINGS,
    }


def _paint(comparison: Comparison, name: str) -> tuple[Any, str]:
    """Return what paints the maps; without a column, the first coordinate of the first map."""
    if comparison.color is not None:
        return comparison.color, name or "colour"
    first = next(iter(comparison.aligned.items()), None)
    if first is None:
        return None, ""
    return first[1][:, 0], f"first coordinate of {first[0]}"


def _title(source: str) -> str:
    return f"Maps of {source}" if source else "Maps of the data"


def _part(name: str) -> str:
    return files("unspool.report").joinpath(name).read_text("utf-8")


def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError("reports need jinja2: pip install 'unspool[app]'") from error
    # autoescape: a column called <script> is text like any other
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return made.from_string(_part("report.html"))
