"""Points on axes: painted by numbers with a bar, or by categories with a legend."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array
from .style import (
    CATEGORIES,
    FAINT,
    INK,
    LABEL,
    MARKERS,
    NUMBERS,
    dot_size,
    extent_of,
    night_color,
    opacity,
    plain,
    robust_range,
    scale_colors,
    show_extent,
)

MOST_NAMED = 16  # categories that a legend names; of more, the others are one
NAMELESS = "(empty)"


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """Names in their order, and which one each point has: -1 is none, -2 one of the others."""

    names: tuple[str, ...]
    codes: Array
    ordered: bool = False
    n_others: int = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Points that look alike: their rows, name, color and mark; smaller groups lie above."""

    rows: Array
    name: str
    color: Any
    mark: str = "o"


@dataclass(frozen=True, slots=True)
class KeyEntry:
    """A category in a key: its name, its mark, and its color on a light and on a dark page."""

    name: str
    mark: str
    day: str
    night: str


@dataclass(frozen=True, slots=True)
class Key:
    """What the colors of pictures mean: categories one by one, or a scale between two numbers.

    ``day`` and ``night`` are colors along the scale, on a light and on a dark page; ``below`` and
    ``above`` count the values beyond its ends.
    """

    entries: tuple[KeyEntry, ...] = ()
    day: tuple[str, ...] = ()
    night: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    below: int = 0
    above: int = 0


def key(
    color: Any, *, limits: tuple[float, float] | None = None, colormap: str = NUMBERS
) -> Key | None:
    """Return what the colors of pictures painted by ``color`` mean, to be shown once for all.

    Parameters
    ----------
    color : array-like of shape (n_samples,) or None
        One value per point: numbers have a scale, words are categories.
    limits : tuple of float or None, default=None
        The ends of the scale; None is the range of the values without a few extreme ones.
    colormap : str, default="viridis"
        Name of the scale of colors.

    Returns
    -------
    Key or None
        The categories or the scale; None without colors.

    Examples
    --------
    >>> from unspool import plot
    >>> [entry.name for entry in plot.key(["b", "a", "b"]).entries]
    ['a', 'b']
    >>> plot.key([1.0, 2.0, 4.0]).high
    4.0
    """
    values = None if color is None else checked_color(color, len(np.asarray(color)))
    if values is None:
        return None
    if isinstance(values, Categories):
        return Key(tuple(_entry(group) for group in _groups(values)))
    known = values[np.isfinite(values)]
    low, high = limits or (robust_range(known) if len(known) else (0.0, 1.0))
    day, night = scale_colors(colormap)
    below, above = int((known < low).sum()), int((known > high).sum())
    return Key((), day, night, float(low), float(high), below, above)


def _entry(group: Group) -> KeyEntry:
    from matplotlib.colors import to_hex

    return KeyEntry(group.name, group.mark, to_hex(group.color), night_color(group.color))


def paint(
    axes: Any,
    places: Array,
    color: Any = None,
    *,
    label: str = "",
    size: float | None = None,
    key: bool = False,
) -> None:
    """Draw points in two or three coordinates, painted by numbers or by categories."""
    extent = extent_of(places)
    values = checked_color(color, len(places))
    marks = Marks(axes, extent.places, extent.outside, usual_look(len(places), size))
    if values is None:
        marks.draw(np.arange(len(places)), color=CATEGORIES[0])
    elif isinstance(values, Categories):
        for group in _groups(values):
            marks.draw(group.rows, color=group.color, marker=group.mark, label=group.name)
        if key:
            _legend(axes, label)
    else:
        dots = _paint_numbers(marks, values)
        if key:
            bar(axes.figure, dots, axes, label)
    show_extent(axes, extent)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Where dots are drawn, and how; those that lie outside are rings."""

    axes: Any
    places: Array
    outside: Array
    look: dict[str, Any]

    def draw(self, rows: Array, **look: Any) -> Any:
        """Draw some of the points; return the dots of those inside."""
        beyond = self.outside[rows]
        # small groups lie above large ones
        above = 2.0 + 0.5 * (1.0 - len(rows) / max(1, len(self.places)))
        inside = self._scatter(rows[~beyond], look | {"linewidths": 0, "zorder": above}, ~beyond)
        if beyond.any():
            ring = {"facecolors": "none", "linewidths": 0.9, "zorder": 3, "label": None}
            ring["s"] = max(16.0, self.look["s"])
            self._scatter(rows[beyond], _as_edges(look, beyond) | ring, None)
        return inside

    def _scatter(self, rows: Array, look: dict[str, Any], kept: Array | None) -> Any:
        chosen = self.look | look
        if kept is not None and "c" in chosen:
            chosen["c"] = chosen["c"][kept]
        return self.axes.scatter(*self.places[rows].T, **chosen)


def _as_edges(look: dict[str, Any], rows: Array) -> dict[str, Any]:
    """Return the same look for rings, whose color is that of their edge."""
    if "c" not in look:
        return {"marker": look.get("marker", "o"), "edgecolors": look["color"]}
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    scale = Normalize(look["vmin"], look["vmax"], clip=True)
    return {"edgecolors": colormaps[look["cmap"]](scale(look["c"][rows]))}


def usual_look(n_points: int, size: float | None = None) -> dict[str, Any]:
    """Return how dots are drawn, smaller and more transparent the more there are."""
    return {
        "s": dot_size(n_points) if size is None else size,
        "alpha": opacity(n_points),
        "rasterized": True,
    }


def _paint_numbers(marks: Marks, values: Array) -> Any:
    """Paint points by a scale, those whose number is missing in grey below; return the dots."""
    known = np.isfinite(values)
    if not known.all():
        marks.draw(np.flatnonzero(~known), color=FAINT)
    low, high = robust_range(values[known]) if known.any() else (0.0, 1.0)
    rows = np.flatnonzero(known)
    dots = marks.draw(rows, c=values[known], cmap=NUMBERS, vmin=low, vmax=high)
    return dots


def _groups(found: Categories) -> list[Group]:
    """Return the points of each category, with colors: even steps of a scale if it is ordered."""
    count, answer = len(found.names), []
    nameless, others = np.flatnonzero(found.codes == -1), np.flatnonzero(found.codes == -2)
    for i, name in enumerate(found.names):
        color: Any = CATEGORIES[i % len(CATEGORIES)]
        mark = MARKERS[i // len(CATEGORIES) % len(MARKERS)]
        if found.ordered:
            from matplotlib import colormaps

            color, mark = colormaps[NUMBERS](i / max(1, count - 1)), "o"
        answer.append(Group(np.flatnonzero(found.codes == i), _shown(name), color, mark))
    if len(others):
        told = f"{found.n_others} others ({len(others):,} points)"
        answer.append(Group(others, told, FAINT, "o"))
    if len(nameless):
        answer.append(Group(nameless, NAMELESS, FAINT, "X"))
    return answer


def checked_color(color: Any, n_points: int) -> Array | Categories | None:
    """Return numbers or categories, one per point, or say why these are neither."""
    if color is None:
        return None
    values = np.asarray(color)
    if values.shape != (n_points,):
        raise ValueError(
            f"color must be one value per point ({n_points}); got shape {values.shape}"
        )
    declared = getattr(getattr(color, "dtype", None), "categories", None)
    if declared is not None:
        return _declared(color, declared)
    if values.dtype.kind in "OUSb":
        return _named(values)
    if values.dtype.kind not in "fiu":
        raise ValueError(f"color must be numbers or words; got {values.dtype}")
    return values


def _declared(color: Any, declared: Any) -> Categories:
    """Return the categories of a column of pandas, in the order that it has them."""
    held = getattr(color, "cat", color)  # of a series, or of a categorical itself
    codes = np.asarray(held.codes, dtype=np.intp)
    return _frequent([str(name) for name in declared], codes, bool(color.dtype.ordered))


def _named(values: Array) -> Categories:
    missing = np.array([value is None or value != value or value == "" for value in values])
    words = values.astype(str)
    names = sorted(np.unique(words[~missing]), key=in_order)
    place = {name: i for i, name in enumerate(names)}
    codes = np.array([-1 if gone else place[w] for w, gone in zip(words, missing, strict=True)])
    return _frequent(names, codes, False)


def _frequent(names: list[str], codes: Array, ordered: bool) -> Categories:
    """Keep the names that points have, in their order; of too many, the most frequent ones."""
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    held = np.flatnonzero(counts)
    kept = held
    if len(held) > MOST_NAMED:
        kept = np.sort(held[np.argsort(-counts[held], kind="stable")[: MOST_NAMED - 1]])
    new = np.full(len(names) + 1, -2)
    new[kept], new[-1] = np.arange(len(kept)), -1  # the code -1 is the last entry
    shown = tuple(names[i] for i in kept)
    return Categories(shown, new[codes], ordered, len(held) - len(kept))


def in_order(name: str) -> tuple[list[tuple[float, str]], str]:
    """Return what sorts words as people do: class 2 before class 10.

    Parameters
    ----------
    name : str
        A category.

    Returns
    -------
    tuple
        What to sort by.

    Examples
    --------
    >>> from unspool.plot.paint import in_order
    >>> sorted(["class 10", "class 2"], key=in_order)
    ['class 2', 'class 10']
    """
    parts = re.split(r"(\d+)", name)
    return [(float(p), "") if p.isdigit() else (-1.0, p) for p in parts], name


def shared_key(fig: Any, panels: list[Any], color: Any, label: str) -> None:
    """Put one colour bar or legend beside all panels."""
    if color is None or not panels:
        return
    handles, names = panels[0].get_legend_handles_labels()
    if not handles:
        painted = [c for c in panels[0].collections if c.get_array() is not None]
        bar(fig, painted[-1], panels, label)  # the first may be grey
        return
    shown = fig.legend(
        handles,
        names,
        loc="outside right upper",
        title=plain(label) or None,
        frameon=False,
        fontsize=LABEL,
        markerscale=_markers_scale(handles),
    )
    _ink(shown)


def bar(fig: Any, dots: Any, beside: Any, label: str) -> None:
    """Put a colour bar beside panels; its ends are pointed where values lie beyond them."""
    values = np.asarray(dots.get_array())
    low, high = dots.get_clim()
    below, above = (values < low).any(), (values > high).any()
    ends = {(True, True): "both", (True, False): "min", (False, True): "max"}
    drawn = fig.colorbar(
        dots,
        ax=beside,
        shrink=0.8,
        aspect=30,
        pad=0.02,
        extend=ends.get((bool(below), bool(above)), "neither"),
    )
    drawn.solids.set_alpha(1.0)
    drawn.outline.set_visible(False)
    drawn.ax.tick_params(color=INK, labelcolor=INK, labelsize=LABEL - 1, length=2)
    if hasattr(drawn.formatter, "set_useOffset"):
        drawn.formatter.set_useOffset(False)  # years are read as years
        drawn.update_ticks()
    drawn.set_label(plain(label), fontsize=LABEL, color=INK)


def key_width(color: Any, n_points: int) -> float:
    """Return how many inches a legend or a bar takes beside a map."""
    values = checked_color(color, n_points)
    if values is None:
        return 0.0
    if not isinstance(values, Categories):
        return 0.8
    return 0.5 + 0.075 * max((len(group.name) for group in _groups(values)), default=0)


def _legend(axes: Any, label: str) -> None:
    handles, names = axes.get_legend_handles_labels()
    shown = axes.legend(
        handles,
        names,
        title=plain(label) or None,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=LABEL,
        markerscale=_markers_scale(handles),
    )
    _ink(shown)


def _ink(legend: Any) -> None:
    legend.get_title().set_fontsize(LABEL)
    legend.set_alignment("left")
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_color(INK)
    for handle in legend.legend_handles:
        handle.set_alpha(1.0)


def _markers_scale(handles: list[Any]) -> float:
    return float(np.sqrt(36.0 / handles[0].get_sizes()[0]))


def _shown(name: Any) -> str:
    text = plain(name)
    return text if not text.startswith("_") else f" {text}"  # matplotlib hides leading underscores
