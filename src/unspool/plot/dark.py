"""Figures for a dark page: the same marks at the same places, in colours that stand out there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array
from .style import AT_NIGHT, PAPER

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DARKEST = 0.22  # of a scale of colours: what is below cannot be told from a dark page


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
