"""The report: a comparison as one self-contained page that opens anywhere, also on paper.

Each picture has the sentence that tells it to those who cannot see it. Where scripts run, the map
answers: hover, colours, neighbours on a click. The page ends with the lines that make the same
comparison again, in a shell and in Python.
"""

from __future__ import annotations

import base64
import io
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import unspool

from . import plot
from .catalog import entry_of, is_catalogued
from .dimension import Dimension
from .evaluate import Comparison, summarize
from .explorer.code import GIVEN, constructor, foreign_modules
from .explorer.columns import Data, with_images
from .explorer.pages import embedded, file_policy, page_style, start_script
from .explorer.session import Session, taken_maps
from .explorer.start import data_of_array
from .io import write_atomically
from .relation import rename_rows
from .runtime import stage

__all__ = ["write_report"]

MOST = 20_000  # points up to which the neighbours of all of them are found in seconds
# what matplotlib's marks look like in a text
MARKS = {"o": "●", "^": "▲", "s": "■", "D": "◆", "v": "▼", "P": "✚", "X": "✖", "*": "★"}
EQUAL = 0.01  # of kept neighbours: nobody sees the difference between two maps
WELL = 0.9  # kept neighbours from which on a map can be read
DPI = 144  # sharp on a screen of double density at the size it is shown, and on paper
COLORS = 128  # of the palette: a third of the bytes of a full picture, and no eye sees it


@dataclass(frozen=True, slots=True)
class LiveMap:
    """What a report holds for it: the answers, the script, its style, and what the page may do."""

    answers: str
    script: str
    style: str
    policy: str


def live_map(
    comparison: Comparison, data: Data | None = None, images: Any = None
) -> LiveMap | None:
    """Return the maps of a comparison as they answer in a report; None for too many points.

    ``data`` are the table that was mapped, with its other columns; without it, points have the
    values that were mapped, and the colour. ``images`` lie on the maps, one for each point.
    """
    if comparison.n_points > MOST or not comparison.embeddings:
        return None
    yardstick = comparison.yardstick
    if data is None:
        given = yardstick.data
        data = data_of_array(
            given, metric=yardstick.metric, color=comparison.color, truth=yardstick.truth
        )
    if images is not None and data.image is None:
        data = with_images(data, images)
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
            "named": partial(rename_rows, names=rows if len(rows) else range(comparison.n_points)),
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
            "map_key": plot.key(color),
        }
        running.advance()
        page["live"] = live_map(comparison, explored, images)
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
    return files("unspool").joinpath(name).read_text("utf-8")


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
    return [f"import {module}" for module in foreign_modules(models)]


def _constructor(model: Any) -> str:
    is_ready = not hasattr(model, "fit")  # coordinates that another program made
    return "..." if is_ready else constructor(model)


@dataclass(frozen=True, slots=True)
class Picture:
    """An image as text, for a light and a dark page, what it shows in a sentence, its caption."""

    source: str
    dark: str
    alt: str
    title: str
    caption: str = ""


def picture(figure: Any, title: str, alt: str, caption: str = "") -> Picture:
    """Return a figure as a picture that needs no other file."""
    light = _as_text(figure)
    figure.set_layout_engine("none")  # laid out by now; other colours take no other room
    return Picture(light, _as_text(plot.darken(figure)), alt, title, caption)


def _as_text(figure: Any) -> str:
    """Return a figure as an image of few colours; drawn once, where savefig would draw it twice."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    figure.set_dpi(DPI)
    small = io.BytesIO()
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba())
    image.convert("RGB").quantize(COLORS).save(small, format="png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode('ascii')}"


def map_pictures(
    comparison: Comparison, color: Any, label: str, images: Any = None
) -> list[Picture]:
    """Return one picture per map, all laid on each other and painted alike."""
    answer = []
    for name, places in comparison.aligned.items():
        scores = comparison.scores[name]
        told = _told(scores)
        alt = f"Map of {len(places)} points by {name}, coloured by {label}; {told}"
        if images is not None and places.shape[1] == 2:
            figure = plot.thumbnails(places, images, color, show_key=False)
        else:
            figure = plot.embedding(places, color, dimensions=solid(places), show_key=False)
        answer.append(picture(figure, name, alt, told))
    truth = comparison.yardstick.truth
    if truth is not None and truth.shape[1] <= 2:
        figure = plot.embedding(truth, color, show_key=False)
        alt = f"The true coordinates of the {len(truth)} points, coloured by {label}"
        answer.insert(0, picture(figure, "Truth", alt, "the coordinates the data were made from"))
    return answer


def solid(places: Any) -> int:
    """Return in how many dimensions a map is drawn: three coordinates are all shown."""
    return 3 if places.shape[1] == 3 else 2


def trust_limits(comparison: Comparison) -> tuple[float, float]:
    """Return the ends of the scale of trust, one for all maps: the same colour, the same trust."""
    scored = (s["trustworthiness"] for s in comparison.scores.values() if "trustworthiness" in s)
    low = min((float(np.quantile(s.per_point, 0.02)) for s in scored), default=0.0)
    return min(low, 0.9), 1.0


def trust_key(comparison: Comparison) -> plot.Key | None:
    """Return the scale of the pictures of trust."""
    limits = trust_limits(comparison)
    return plot.key(np.array(limits), limits=limits, colormap=plot.TRUST)


def trust_pictures(comparison: Comparison) -> list[Picture]:
    """Return one picture per map, painted by the trustworthiness of each point."""
    scored = {
        name: scores["trustworthiness"]
        for name, scores in comparison.scores.items()
        if "trustworthiness" in scores
    }
    limits = trust_limits(comparison)
    answer = []
    for name, score in scored.items():
        places = comparison.aligned[name]
        worst = float(np.quantile(score.per_point, 0.05))
        told = f"95 % of the points have more than {worst:.2f}"
        alt = f"Map by {name} coloured by trustworthiness: mean {score.value:.3f}, {told}"
        figure = plot.trust(places, score, limits=limits, show_key=False)
        answer.append(picture(figure, name, alt, told))
    return answer


def shepard_pictures(comparison: Comparison) -> list[Picture]:
    """Return the Shepard diagram of each map."""
    answer = []
    for name, pairs in comparison.shepard.items():
        told = f"rank correlation {pairs.value:.3f}"
        alt = f"Shepard diagram of {name}: distances on the map over distances in the data, {told}"
        answer.append(picture(plot.shepard(pairs), name, alt, told))
    return answer


def elbow_pictures(comparison: Comparison) -> list[Picture]:
    """Return what 1, 2, ... coordinates leave unexplained of straight distances and geodesics."""
    answer = []
    for elbow in comparison.elbows:
        values = ", ".join(f"{value:.3f}" for value in elbow.curve.values)
        count = len(elbow.curve.values)
        alt = f"Residual variance of {elbow.explains} with 1 to {count} coordinates: {values}"
        figure = plot.elbow(elbow.curve)
        answer.append(picture(figure, elbow.method, alt, f"of {elbow.explains}"))
    return answer


def dimension_picture(found: Dimension) -> Picture:
    """Return the estimates of dimension with their errors."""
    figure = plot.estimates(
        [estimate.method for estimate in found.estimates],
        [estimate.value for estimate in found.estimates],
        [2 * estimate.standard_error for estimate in found.estimates],
    )
    low, high = found.spread
    alt = f"Estimates of the intrinsic dimension, from {low:.1f} to {high:.1f}"
    return picture(figure, "Intrinsic dimension", alt, "bars are two standard errors to both sides")


def _told(scores: Any) -> str:
    if "trustworthiness" in scores:
        return f"trustworthiness {scores['trustworthiness'].value:.3f}"
    return f"neighbours kept {scores['neighbours kept'].value:.3f}"
