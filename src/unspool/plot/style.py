"""One look for all figures: quiet frames, and colours that everybody can tell apart.

The drawing package, loaded late and without a screen.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..values import Array

NUMBERS = "viridis"  # even in lightness: it survives colour blindness and a grey printer
# Okabe & Ito 2008, dark ones first: eight colours that colour-blind readers tell apart
CATEGORIES = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#7F7F7F",
    "#B3A400",
)
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")  # the second eight categories, and so on
INK, FRAME, FAINT, ACCENT = "#333333", "#C8C8C8", "#BBBBBB", "#D55E00"
TITLE, LABEL = 10, 9


def drawn(
    width: float = 5.0, height: float = 4.4
) -> Callable[[Callable[..., None]], Callable[..., Any]]:
    """Make a function that draws on axes into one that returns a figure.

    The function gets two more options: ``axes`` to draw on instead, as one panel of many, and
    ``title``.
    """

    def wrap(draw: Callable[..., None]) -> Callable[..., Any]:
        @functools.wraps(draw)
        def picture(*args: Any, axes: Any = None, title: str = "", **options: Any) -> Any:
            if axes is None:
                axes = figure(width, height).add_subplot()
            draw(axes, *args, **options)
            if title:
                axes.set_title(plain(title), fontsize=TITLE, color=INK)
            return axes.figure

        own = list(inspect.signature(draw).parameters.values())[1:]
        added = list(inspect.signature(picture, follow_wrapped=False).parameters.values())[1:-1]
        signature = inspect.Signature([*own, *added], return_annotation=Any)
        picture.__signature__ = signature  # type: ignore[attr-defined]
        return picture

    return wrap


def places_of(given: Any) -> Array:
    """Return the coordinates of a map, or of a fitted model."""
    places = np.asarray(getattr(given, "embedding_", given))
    if places.ndim != 2 or not np.issubdtype(places.dtype, np.number) or len(places) == 0:
        raise ValueError(
            f"a map is a matrix of numbers with a row a point; got shape {places.shape}"
        )
    if not np.isfinite(places).all():
        raise ValueError("the map has entries that are not finite, which have no place to draw")
    return places.astype(np.float64)


def two_axes(places: Array) -> Array:
    """Return the first two coordinates; a map of one coordinate is drawn on a line."""
    return np.pad(places[:, :2], ((0, 0), (0, max(0, 2 - places.shape[1]))))


def bare(axes: Any, *, equal: bool = True) -> None:
    """Frame a map: lengths are equal in both directions, and its axes have no meaning to read."""
    axes.set(xticks=[], yticks=[])
    if equal:
        axes.set_aspect("equal", adjustable="datalim")
    quiet(axes)


def quiet(axes: Any, xlabel: str = "", ylabel: str = "") -> None:
    """Draw the frame in grey, and label the axes."""
    for side in axes.spines.values():
        side.set_color(FRAME)
    axes.tick_params(color=FRAME, labelcolor=INK, labelsize=LABEL - 1)
    axes.set_xlabel(xlabel, fontsize=LABEL, color=INK)
    axes.set_ylabel(ylabel, fontsize=LABEL, color=INK)


def plain(text: Any) -> str:
    """Return a text as it is drawn: matplotlib would take dollar signs for formulas."""
    return str(text).replace("$", r"\$")


def dot_size(n_points: int) -> float:
    """Return how large a dot is so that many still show their density."""
    return float(np.clip(12_000 / max(n_points, 1), 1.5, 30.0))


def figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure that needs no screen."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'unspool[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")
