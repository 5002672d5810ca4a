"""One look for all figures: quiet frames, and colours that everybody can tell apart.

A picture shows the part of a map that a few strays would not squeeze into a dot; they are drawn at
the border, and counted. The same rule serves scales of colours. matplotlib is loaded late, and
needs no screen.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array, refuse_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


NUMBERS = "viridis"  # even in lightness: it survives colour blindness and a grey printer
TRUST = "cividis_r"  # for scores: another scale, so that no one takes them for the colors of data
# Petroff 2021: ten colours that colour-blind readers tell apart on white and on black
# (least difference 17 in CIELAB for all three kinds of dichromats), the grey ones last
CATEGORIES = (
    "#3F90DA",
    "#FFA90E",
    "#BD1F01",
    "#832DB6",
    "#92DADD",
    "#A96B59",
    "#E76300",
    "#B9AC70",
    "#717581",
    "#94A4A2",
)
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")  # the second ten categories, and so on
PAPER, INK, SOFT, FRAME = "#FFFFFF", "#333333", "#6B6B6B", "#C8C8C8"
FAINT, ACCENT = "#CCCCCC", "#E76300"
# the same on a dark page; what is not named is kept
AT_NIGHT = {
    PAPER: "#1D2328",
    INK: "#E6E9EC",
    SOFT: "#9AA5B0",
    FRAME: "#47525C",
    FAINT: "#56616B",
    "#BD1F01": "#E5482D",
    "#832DB6": "#B36BE0",
    "#717581": "#8A90A0",
    "#94A4A2": "#B4C4C2",
}
TITLE, LABEL = 10, 9
NOTEBOOK_DPI = 110
DARKEST = 0.22  # of a scale of colours: what is below cannot be told from a dark page
CORE = (0.025, 0.975)  # quantiles between which the points lie that must be seen
SQUEEZED = 4.0  # times the width of these: from there on they would fill a quarter of the picture
MARGIN = 0.5  # of their width, to both sides
INSET = 0.02  # of the picture: strays are drawn this far inside the border


def panel(
    axes: Axes | None, title: str, width: float = 5.0, height: float = 4.4, *, solid: bool = False
) -> Axes:
    """Return the axes to draw on, those of a new figure unless some are given, with their title."""
    if axes is None:
        axes = figure(width, height).add_subplot(projection="3d" if solid else None)
    elif solid and not hasattr(axes, "zaxis"):
        raise ValueError("three coordinates need axes made with projection='3d'")
    drawn: Axes = axes
    if title:
        drawn.set_title(plain(title), fontsize=TITLE, color=INK)
    return drawn


def figure_of(axes: Axes) -> Figure:
    """Return the whole figure that the axes are a part of."""
    return axes.figure.figure


def places_of(given: Any) -> Array:
    """Return the coordinates of a map, or of a fitted model."""
    refuse_cells(given)
    places = np.asarray(getattr(given, "embedding_", given))
    if places.ndim != 2 or not np.issubdtype(places.dtype, np.number) or len(places) == 0:
        raise ValueError(
            f"a map is a matrix of numbers with one row per point; got shape {places.shape}"
        )
    if not np.isfinite(places).all():
        raise ValueError("the map has entries that are not finite, which have no place to draw")
    return places.astype(np.float64)


def first_axes(places: Array, count: int = 2) -> Array:
    """Return the first coordinates; a map of one coordinate is drawn on a line."""
    if count not in (2, 3):
        raise ValueError(f"a picture has 2 or 3 dimensions; got dimensions={count!r}")
    return np.pad(places[:, :count], ((0, 0), (0, max(0, count - places.shape[1]))))


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


def opacity(n_points: int) -> float:
    """Return how opaque a dot is so that places with many are darker than places with few."""
    return float(np.clip(np.sqrt(6_000 / max(n_points, 1)), 0.15, 1.0))


def dot_size(n_points: int) -> float:
    """Return how large a dot is so that many still show their density."""
    return float(np.clip(12_000 / max(n_points, 1), 2.5, 30.0))


def figure(width: float, height: float) -> Figure:
    """Return an empty matplotlib figure that needs no screen and shows by itself in a notebook.

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
    made: Figure = _shown(Figure)(figsize=(width, height), layout="constrained", facecolor=PAPER)
    return made


@cache
def _shown(base: Any) -> Any:
    """Return the class of figures that a notebook shows by itself, with or without pyplot."""

    def as_png(self: Any) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=NOTEBOOK_DPI, facecolor=self.get_facecolor())
        return file.getvalue()

    return type("ShownFigure", (base,), {"_repr_png_": as_png})


def darken(figure: Figure) -> Figure:
    """Recolor a figure of this package for a dark page.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure, which is changed.

    Returns
    -------
    matplotlib.figure.Figure
        The same figure, in dark.

    Examples
    --------
    >>> from unspool import datasets, plot
    >>> figure = plot.darken(plot.embedding(datasets.circle(50).points))
    >>> sum(figure.get_facecolor()[:3]) < 1.0
    True
    """
    from matplotlib.collections import Collection
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    for mark in figure.findobj():
        if isinstance(mark, Collection):
            _darken_collection(mark)
        elif isinstance(mark, Line2D):
            mark.set_color(_at_night(mark.get_color()))
            mark.set_markerfacecolor(_at_night(mark.get_markerfacecolor()))
            mark.set_markeredgecolor(_at_night(mark.get_markeredgecolor()))
        elif isinstance(mark, Patch):
            mark.set_facecolor(_at_night(mark.get_facecolor()))
            mark.set_edgecolor(_at_night(mark.get_edgecolor()))
        elif isinstance(mark, Text):
            mark.set_color(_at_night(mark.get_color()))
    for axes in figure.axes:  # spines are patches; ticks are made anew when they are drawn
        axes.set_facecolor(AT_NIGHT[PAPER])
    figure.set_facecolor(AT_NIGHT[PAPER])
    return figure


def _darken_collection(marks: Any) -> None:
    if marks.get_array() is not None:
        marks.set_cmap(_bright_part(marks.get_cmap()))
        return
    marks.set_edgecolor([_at_night(color) for color in marks.get_edgecolor()])
    marks.set_facecolor([_at_night(color) for color in marks.get_facecolor()])


def _bright_part(scale: Any) -> Any:
    """Return a scale of colours without its darkest ones; scales that end dark lose their end."""
    from matplotlib.colors import ListedColormap

    first, last = (sum(scale(end)[:3]) for end in (0.0, 1.0))
    kept = (DARKEST, 1.0) if first < last else (0.0, 1.0 - DARKEST)
    return ListedColormap(scale(np.linspace(*kept, 256)), name=f"{scale.name} at night")


def _at_night(color: Any) -> Any:
    """Return what a color is on a dark page, as opaque as before; "none" and "auto" stay."""
    from matplotlib.colors import to_hex, to_rgba

    if isinstance(color, str) and color in ("none", "auto"):
        return color
    plain = "#000000" if isinstance(color, str) and color == "inherit" else to_hex(color)
    known: Array = np.array(to_rgba(AT_NIGHT.get(plain.upper(), plain)))
    if plain == "#000000":  # what nobody gave a color
        known = np.array(to_rgba("#E6E9EC"))
    known[3] = to_rgba(color)[3]
    return tuple(known)


def night_color(color: Any) -> str:
    """Return what a color is on a dark page, as text."""
    from matplotlib.colors import to_hex

    return str(to_hex(_at_night(color)))


def scale_colors(name: str, count: int = 9) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return colors along a scale, as text: those of a light page, and those of a dark one."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    at = np.linspace(0.0, 1.0, count)
    day, night = (
        tuple(str(to_hex(scale(x))) for x in at)
        for scale in (colormaps[name], _bright_part(colormaps[name]))
    )
    return day, night


@dataclass(frozen=True, slots=True, eq=False)
class Extent:
    """The corners of what is shown, the places to draw, and which of them lie outside."""

    low: Array
    high: Array
    places: Array
    outside: Array

    @property
    def cropped(self) -> bool:
        """Whether there are strays."""
        return bool(self.outside.any())


def robust_range(values: Array) -> tuple[float, float]:
    """Return the range to show: all of it, unless a few values would take most of it."""
    low, high = float(values.min()), float(values.max())
    first, last = (float(q) for q in np.quantile(values, CORE))
    core = last - first
    if core <= 0.0 or high - low <= SQUEEZED * core:
        return low, high
    return max(low, first - MARGIN * core), min(high, last + MARGIN * core)


def extent_of(places: Array) -> Extent:
    """Return the part of a map that is shown: a square (a cube) around all but strays."""
    ranges = np.array([robust_range(column) for column in places.T])
    low, high = ranges[:, 0], ranges[:, 1]
    if (places >= low).all() and (places <= high).all():
        return Extent(low, high, places, np.zeros(len(places), dtype=bool))
    middle, half = 0.5 * (low + high), 0.5 * float((high - low).max())
    low, high = middle - half, middle + half  # equal lengths on all axes, so more may be inside
    outside = ((places < low) | (places > high)).any(axis=1)
    inset = 2.0 * half * INSET
    drawn = np.where(outside[:, None], np.clip(places, low + inset, high - inset), places)
    return Extent(low, high, drawn, outside)


def show_extent(axes: Any, extent: Extent) -> None:
    """Set the limits of axes where points lie outside, and say how many do."""
    if not extent.cropped:
        return
    solid = extent.places.shape[1] == 3
    margin = INSET * (extent.high - extent.low)
    limits = np.column_stack([extent.low - margin, extent.high + margin])
    for set_limits, pair in zip(
        (axes.set_xlim, axes.set_ylim, *((axes.set_zlim,) if solid else ())), limits, strict=True
    ):
        set_limits(*pair)
    if not solid:
        axes.set_box_aspect(1.0)
    count = int(extent.outside.sum())
    write = axes.text2D if solid else axes.text
    write(
        0.98,
        -0.01,  # below the frame, where no stray is drawn
        f"{count:,} point{'s' if count > 1 else ''} outside",
        transform=axes.transAxes,
        ha="right",
        va="top",
        fontsize=LABEL - 1,
        color=SOFT,
    )
