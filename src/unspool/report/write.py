"""A comparison -> one HTML file, with its style and pictures inside.

Where scripts run, its map answers: hover, colours, neighbours on a click. The page ends with the
lines that make the same comparison again, in a shell and in Python.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import unspool

from ..catalog import entry_of, is_catalogued
from ..evaluate import Comparison, summarize
from ..explorer.columns import Data
from ..explorer.pages import embedded, file_policy, page_style, start_script
from ..explorer.session import Session, taken_maps
from ..explorer.start import data_of_array
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

MOST = 20_000  # points up to which the neighbours of all of them are found in seconds
# what matplotlib's marks look like in a text
MARKS = {"o": "●", "^": "▲", "s": "■", "D": "◆", "v": "▼", "P": "✚", "X": "✖", "*": "★"}


@dataclass(frozen=True, slots=True)
class LiveMap:
    """What a report holds for it: the answers, the script, its style, and what the page may do."""

    answers: str
    script: str
    style: str
    policy: str


def live_map(comparison: Comparison, data: Data | None = None) -> LiveMap | None:
    """Return the maps of a comparison as they answer in a report; None for too many points.

    ``data`` are the table that was mapped, with its other columns; without it, points have the
    values that were mapped, and the colour.
    """
    if comparison.n_points > MOST or not comparison.embeddings:
        return None
    yardstick = comparison.yardstick
    if data is None:
        given = yardstick.data
        data = data_of_array(
            given, metric=yardstick.metric, color=comparison.color, truth=yardstick.truth
        )
    session = Session(data)
    for fitted in taken_maps(comparison, data):
        session.add(fitted)
    script = start_script()
    return LiveMap(embedded(session, brief=True), script, page_style(), file_policy(script))


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
    explored: Data | None = None,
    images: Any = None,
) -> Path:
    """Write a comparison as one page that needs no other file and no network; return its path.

    ``source`` is where the data came from, ``command`` the shell command that made the report (if
    left out, it is put together from ``source``), ``loading`` the lines of Python that define X,
    and truth and color if there are any. ``data`` are the columns that were mapped as they were
    before that (all rows, NaN where an entry is missing, not scaled): what is missing and how
    columns are scaled is told of them. ``columns`` are their names, ``rows`` the names of the
    points that were mapped (rows of a file, counted from 1, say; by default numbers from 0 on),
    ``color_name`` the column that paints the maps, ``notes`` what was done to the data before,
    ``explored`` the table with its other columns, which the map shows where scripts run.
    ``images``, one for each point, are drawn at their places on the maps.
    """
    goal = Path(path)
    with stage("report", total=6) as running:
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
            "maps": map_pictures(comparison, color, label, images),
            "color_name": label,
            "map_key": key(color),
        }
        running.advance()
        page["live"] = live_map(comparison, explored)
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
        "headline": headline(comparison),
        "noted": sum(len(outcome.notes) for outcome in comparison.outcomes),
        "best": {c.name: comparison.best(c.name) for c in comparison.scored},
    }


EQUAL = 0.01  # of kept neighbours: nobody sees the difference between two maps
WELL = 0.9  # kept neighbours from which on a map can be read


def headline(comparison: Comparison) -> str:
    """Say in a sentence which maps to look at: those that keep neighbours, as the eye would."""
    kept = {
        label: 0.5 * (scores["trustworthiness"].value + scores["continuity"].value)
        for label, scores in comparison.scores.items()
        if "continuity" in scores and label not in comparison.ruined
    }
    if not kept:
        return ""
    most = max(kept.values())
    best = sorted((label for label in kept if kept[label] >= most - EQUAL), key=kept.__getitem__)
    told = _listed(best[::-1])
    if most < WELL:
        found = comparison.dimension
        why = "" if found is None else f", whose dimension is about {found.value:.1f}"
        verb = "comes nearest" if len(best) == 1 else "come nearest"
        return (
            f"No map keeps neighbours well: {told} {verb} ({most:.2f} of 1). "
            f"{comparison.settings.n_components} coordinates cannot show these data{why}."
        )
    if len(best) == len(kept) > 1:
        return f"All maps keep neighbours equally well ({most:.2f} of 1): choose by their shape."
    return f"{told} {'keeps' if len(best) == 1 else 'keep'} neighbours best ({most:.2f} of 1)."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _paint(comparison: Comparison, name: str) -> tuple[Any, str]:
    """Return what paints the maps; without a column, the first coordinate of the first map."""
    if comparison.color is not None:
        return comparison.color, name or "colour"
    first = next(iter(comparison.aligned.items()), None)
    if first is None:
        return None, ""
    return first[1][:, 0], f"first coordinate of {first[0]}"


def _title(source: str) -> str:
    name = source.rstrip("/").rpartition("/")[2]  # of a file, without the folders it lies in
    return f"Maps of {name}" if name else "Maps of the data"


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


GIVEN = "X = ...  # your data: an array with one row per point"


def shell_command(comparison: Comparison, source: str, path: str) -> str:
    """Return the command for data from a file or a generator, with the usual options."""
    settings = comparison.settings
    words = ["unspool", "compare", source, "-o", path]
    models = [outcome.model for outcome in comparison.outcomes]
    if all(is_catalogued(model) for model in models):
        words += ["--methods", ",".join(entry_of(model).name for model in models)]
    words += ["--n-components", str(settings.n_components)]
    if settings.n_neighbors is not None:
        words += ["--n-neighbors", str(settings.n_neighbors)]
    words += ["--seed", str(settings.seed)]
    return shlex.join(words)


def python_code(comparison: Comparison, loading: str, path: str) -> str:
    """Return a program; ``loading`` are its lines that define X, and truth and color if any."""
    settings, yardstick = comparison.settings, comparison.yardstick
    models = [
        f"        {outcome.label!r}: {_constructor(outcome.model)},"
        for outcome in comparison.outcomes
    ]
    options = {
        "n_components": settings.n_components,
        "n_neighbors": settings.n_neighbors,
        "metric": settings.metric if isinstance(settings.metric, str) else None,
        "sample": yardstick.sample,
        "seed": settings.seed,
    }
    words = [f"    {name}={value!r}," for name, value in options.items() if value is not None]
    if yardstick.truth is not None:
        words.append("    truth=truth,")
    if comparison.color is not None:
        words.append("    color=color,")
    return "\n".join(
        [
            "import unspool",
            "from unspool.report import write_report",
            *_imports(comparison),
            "",
            *_loading(comparison, loading),
            "",
            "comparison = unspool.compare(",
            "    X,",
            "    {",
            *models,
            "    },",
            *words,
            ")",
            "print(comparison)",
            f"write_report(comparison, {path!r})",
        ]
    )


def _loading(comparison: Comparison, loading: str) -> list[str]:
    if loading:
        return loading.strip().splitlines()
    lines = [GIVEN]
    if comparison.yardstick.truth is not None:
        lines.append("truth = ...  # the true coordinates")
    if comparison.color is not None:
        lines.append("color = ...  # one value per point")
    return lines


def _imports(comparison: Comparison) -> list[str]:
    models = [o.model for o in comparison.outcomes if hasattr(o.model, "fit")]
    foreign = {type(model).__module__ for model in models if not is_catalogued(model)}
    return [f"import {module}" for module in sorted(foreign)]


def _constructor(model: Any) -> str:
    """Return the call that makes a model, with the parameters that are not the default."""
    if not hasattr(model, "fit"):  # coordinates that another program made
        return "..."
    made = " ".join(repr(model).split())
    home = "unspool" if is_catalogued(model) else type(model).__module__
    return f"{home}.{made}"
