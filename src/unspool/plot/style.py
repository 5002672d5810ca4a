"""One look for all figures: quiet frames, and colours that everybody can tell apart.

matplotlib is loaded late, and needs no screen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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


def panel(axes: Axes | None, title: str, width: float = 5.0, height: float = 4.4) -> Axes:
    """Return the axes to draw on, those of a new figure unless some are given, with their title."""
    drawn: Axes = figure(width, height).add_subplot() if axes is None else axes
    if title:
        drawn.set_title(plain(title), fontsize=TITLE, color=INK)
    return drawn


def figure_of(axes: Axes) -> Figure:
    """Return the whole figure that the axes are a part of."""
    return axes.figure.figure


def places_of(given: Any) -> Array:
    """Return the coordinates of a map, or of a fitted model."""
    places = np.asarray(getattr(given, "embedding_", given))
    if places.ndim != 2 or not np.issubdtype(places.dtype, np.number) or len(places) == 0:
        raise ValueError(
            f"a map is a matrix of numbers with one row per point; got shape {places.shape}"
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


def figure(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure that needs no screen.

    Parameters
    ----------
    width : float
        Width in inches.
    height : float
        Height in inches.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import plot
    >>> len(plot.figure(4.0, 3.0).axes)
    0
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install 'unspool[plot]'") from error
    return Figure(figsize=(width, height), layout="constrained")
