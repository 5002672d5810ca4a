"""Maps: coloured by a column, under their neighbour graph, side by side, as a scatter matrix."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array, NeighborGraph
from .style import (
    ACCENT,
    CATEGORIES,
    FAINT,
    INK,
    LABEL,
    MARKERS,
    NUMBERS,
    TITLE,
    bare,
    dot_size,
    figure,
    figure_of,
    panel,
    places_of,
    plain,
    quiet,
    two_axes,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL = 2.9  # inches
MOST_NAMED = 16  # categories that a legend names


def embedding(
    Y: Any,
    color: Any = None,
    *,
    label: str = "",
    size: float | None = None,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw a map, painted by one value per point.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point: numbers get a colour bar, words a legend.
    label : str, default=""
        What the colour means.
    size : float or None, default=None
        Area of a dot in square points; None depends on the number of points.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, plot
    >>> roll = datasets.swiss_roll(200)
    >>> plot.embedding(roll.coordinates, roll.color, title="truth").axes[0].get_title()
    'truth'
    """
    axes = panel(axes, title)
    places = two_axes(places_of(Y))
    paint(axes, places, color, label=label, size=size, key=True)
    bare(axes)
    return figure_of(axes)


def neighbor_graph(
    Y: Any,
    neighbors: NeighborGraph,
    color: Any = None,
    *,
    marked: Array | None = None,
    label: str = "",
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw the edges of a neighbour graph over a map (Izenman 2013, figures 16.9 to 16.11).

    An edge that crosses the map joins neighbours which the map tears apart.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    neighbors : NeighborGraph
        The neighbours of every point.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point: numbers get a colour bar, words a legend.
    marked : ndarray of shape (n_edges, 2) or None, default=None
        Edges to draw in another colour, such as suspicious ones.
    label : str, default=""
        What the colour means.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, distances, plot
    >>> roll = datasets.swiss_roll(200)
    >>> graph = distances.neighbor_graph(roll.points, 6)
    >>> len(plot.neighbor_graph(roll.coordinates, graph).axes)
    1
    """
    from matplotlib.collections import LineCollection

    axes = panel(axes, title)
    places = two_axes(places_of(Y))
    if neighbors.n_columns != len(places):
        raise ValueError(f"the graph is of {neighbors.n_columns} points, the map of {len(places)}")
    pairs = np.unique(np.sort(np.column_stack([neighbors.rows, neighbors.neighbors])), axis=0)
    lines = LineCollection(places[pairs].tolist(), colors=FAINT, linewidths=0.5, zorder=1)
    axes.add_collection(lines)
    if marked is not None and len(marked):
        ends = places[np.asarray(marked)].tolist()
        axes.add_collection(LineCollection(ends, colors=ACCENT, linewidths=1.2, zorder=3))
    paint(axes, places, color, label=label, key=True, size=0.6 * dot_size(len(places)))
    axes.autoscale_view()
    bare(axes)
    return figure_of(axes)


def comparison(
    maps: Mapping[str, Any],
    color: Any = None,
    *,
    points: Any = None,
    columns: int = 3,
    label: str = "",
) -> Any:
    """Return a figure with maps side by side, all painted alike; the key stands once, beside.

    Parameters
    ----------
    maps : dict of str to array-like or fitted model
        The maps by their titles.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point: numbers get a colour bar, words a legend.
    points : array-like of shape (n_samples, 2) or (n_samples, 3) or None, default=None
        The data themselves, to be shown first.
    columns : int, default=3
        Number of maps in a row.
    label : str, default=""
        What the colour means.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import PCA, datasets, plot
    >>> roll = datasets.swiss_roll(200)
    >>> maps = {"PCA": PCA(2).fit(roll.points), "truth": roll.coordinates}
    >>> len(plot.comparison(maps, roll.color).axes)
    3
    """
    if not maps:
        raise ValueError("there are no maps to compare")
    count = len(maps) + (points is not None)
    columns = min(columns, count)
    rows = -(-count // columns)
    fig = figure(PANEL * columns + 0.6, PANEL * rows)
    first = 1
    if points is not None:
        _data_panel(fig, np.asarray(points), color, (rows, columns, 1))
        first = 2
    drawn_axes = []
    for place, (title, given) in enumerate(maps.items(), start=first):
        axes = fig.add_subplot(rows, columns, place)
        paint(axes, two_axes(places_of(given)), color)
        bare(axes)
        axes.set_title(plain(title), fontsize=TITLE, color=INK)
        drawn_axes.append(axes)
    _shared_key(fig, drawn_axes, color, label)
    return fig


def scatter_matrix(
    Y: Any, color: Any = None, *, names: Sequence[str] | None = None, label: str = ""
) -> Any:
    """Return a figure with every coordinate of a map against every other, and its histogram.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point: numbers get a colour bar, words a legend.
    names : sequence of str or None, default=None
        What each coordinate is called.
    label : str, default=""
        What the colour means.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, plot
    >>> len(plot.scatter_matrix(datasets.swiss_roll(200).points).axes)
    9
    """
    places = places_of(Y)
    width = places.shape[1]
    if names is None:
        names = [f"coordinate {i + 1}" for i in range(width)]
    if len(names) != width:
        raise ValueError(f"{len(names)} names were given for {width} coordinates")
    titles = [plain(name) for name in names]
    fig = figure(1.9 * width + 0.6, 1.9 * width)
    grid = fig.subplots(width, width, squeeze=False)
    for i in range(width):
        for j in range(width):
            axes = grid[i, j]
            if i == j:
                axes.hist(places[:, i], bins=24, color=FAINT)
            else:
                paint(axes, places[:, [j, i]], color, size=0.5 * dot_size(len(places)))
            axes.set(xticks=[], yticks=[])
            quiet(axes, titles[j] if i == width - 1 else "", titles[i] if j == 0 else "")
    _shared_key(
        fig, [grid[i, j] for i in range(width) for j in range(width) if i != j], color, label
    )
    return fig


def paint(
    axes: Any,
    places: Array,
    color: Any = None,
    *,
    label: str = "",
    size: float | None = None,
    key: bool = False,
) -> None:
    """Draw points in two coordinates, painted by numbers or by categories."""
    size = dot_size(len(places)) if size is None else size
    values = _checked_color(color, len(places))
    if values is None:
        axes.scatter(*places.T, s=size, color=CATEGORIES[0], linewidths=0, rasterized=True)
        return
    if values.dtype.kind in "fiu":
        dots = _paint_numbers(axes, places, values, size)
        if key:
            _bar(axes.figure, dots, axes, label)
        return
    for i, name in enumerate(sorted(np.unique(values), key=_in_order)):
        here = values == name
        axes.scatter(
            *places[here].T,
            s=size,
            color=CATEGORIES[i % len(CATEGORIES)],
            marker=MARKERS[i // len(CATEGORIES) % len(MARKERS)],
            linewidths=0,
            label=_shown(name),
            rasterized=True,
        )
    if key:
        handles, names = axes.get_legend_handles_labels()
        _legend(axes, handles, names, label)


def _paint_numbers(axes: Any, places: Array, values: Array, size: float) -> Any:
    """Paint points by a scale, those whose number is missing in grey below; return the dots."""
    known = np.isfinite(values)
    marks = {"s": size, "linewidths": 0, "rasterized": True}
    if not known.all():
        axes.scatter(*places[~known].T, color=FAINT, **marks)
    return axes.scatter(*places[known].T, c=values[known], cmap=NUMBERS, **marks)


def _in_order(name: str) -> tuple[list[tuple[float, str]], str]:
    """Sort words as people do: class 2 before class 10."""
    parts = re.split(r"(\d+)", name)
    return [(float(p), "") if p.isdigit() else (-1.0, p) for p in parts], name


def _checked_color(color: Any, n_points: int) -> Array | None:
    if color is None:
        return None
    values = np.asarray(color)
    if values.shape != (n_points,):
        raise ValueError(
            f"color must be one value per point ({n_points}); got shape {values.shape}"
        )
    if values.dtype.kind in "OUSb":
        return values.astype(str)
    if values.dtype.kind not in "fiu":
        raise ValueError(f"color must be numbers or words; got {values.dtype}")
    return values


def _shared_key(fig: Any, panels: list[Any], color: Any, label: str) -> None:
    """Put one colour bar or legend beside all panels."""
    if color is None or not panels:
        return
    handles, names = panels[0].get_legend_handles_labels()
    if not handles:
        _bar(fig, panels[0].collections[-1], panels, label)  # the first may be grey
    else:
        shown = fig.legend(
            handles[:MOST_NAMED],
            names[:MOST_NAMED],
            loc="outside right upper",
            title=plain(label) or None,
            frameon=False,
            fontsize=LABEL,
            markerscale=_markers_scale(panels[0]),
        )
        shown.get_title().set_fontsize(LABEL)


def _bar(fig: Any, dots: Any, beside: Any, label: str) -> None:
    bar = fig.colorbar(dots, ax=beside, shrink=0.8, aspect=30, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK, labelcolor=INK, labelsize=LABEL - 1, length=2)
    bar.set_label(plain(label), fontsize=LABEL, color=INK)


def _legend(axes: Any, handles: list[Any], names: list[str], label: str) -> None:
    axes.legend(
        handles[:MOST_NAMED],
        names[:MOST_NAMED],
        title=plain(label) or None,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
        fontsize=LABEL,
        title_fontsize=LABEL,
        markerscale=_markers_scale(axes),
    )


def _markers_scale(axes: Any) -> float:
    return float(np.sqrt(30.0 / axes.collections[-1].get_sizes()[0]))


def _shown(name: Any) -> str:
    text = plain(name)
    return text if not text.startswith("_") else f" {text}"  # matplotlib hides leading underscores


def _data_panel(fig: Any, points: Array, color: Any, place: tuple[int, int, int]) -> None:
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"points of 2 or 3 columns can be shown; got shape {points.shape}")
    if points.shape[1] == 3:
        axes = fig.add_subplot(*place, projection="3d")
        numbers, size = _checked_color(color, len(points)), dot_size(len(points))
        if numbers is not None and numbers.dtype.kind not in "fiu":
            numbers = np.unique(numbers, return_inverse=True)[1]
        if numbers is None:
            axes.scatter(*points.T, s=size, color=CATEGORIES[0], linewidths=0)
        else:
            _paint_numbers(axes, points, numbers, size)
        axes.set_axis_off()
        axes.view_init(12, -72)
        extent = np.ptp(points, axis=0)
        axes.set_box_aspect(np.where(extent > 0, extent, extent.max() or 1.0), zoom=1.3)
    else:
        axes = fig.add_subplot(*place)
        paint(axes, points, color)
        bare(axes)
    axes.set_title("data", fontsize=TITLE, color=INK)
