"""Maps: coloured by a column, under their neighbour graph, side by side, as a scatter matrix.

And what a map does to its points: distortion ellipses, trust point by point, the images behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array, NeighborGraph, refuse_cells
from .paint import Marks, bar, key_width, paint, shared_key, usual_look
from .style import (
    ACCENT,
    FAINT,
    INK,
    TITLE,
    TRUST,
    bare,
    dot_size,
    extent_of,
    figure,
    figure_of,
    first_axes,
    panel,
    places_of,
    plain,
    quiet,
    show_extent,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


PANEL = 2.9  # inches
NEW = "placed"  # the category of query points that have no colour of their own
MOST_ELLIPSES = 120
ELLIPSE_SIZE = 0.4  # of the spacing of ellipses: half-axis of one with the typical stretch


def embedding(
    Y: Any,
    color: Any = None,
    *,
    label: str = "",
    size: float | None = None,
    dimensions: int = 2,
    axes: Axes | None = None,
    title: str = "",
    show_key: bool = True,
    placed: Any = None,
) -> Figure:
    """Draw a map, painted by one value per point.

    Where a few strays would squeeze the others into a dot, they are drawn as rings at the border,
    and counted. Of more than 16 categories the most frequent 15 have colours, and the others one.

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
    dimensions : int, default=2
        Number of coordinates to draw, 2 or 3: the first ones of the map.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.
    show_key : bool, default=True
        Draw the legend or the colour bar; ``plot.key`` tells it once for several pictures.
    placed : array-like of shape (n_queries, n_components) or None, default=None
        Query points that were placed on the map, drawn with rings. ``color`` then is of the fitted
        points, or of these followed by the query points.

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
    places = first_axes(places_of(Y), dimensions)
    n_fitted = len(places)
    if placed is not None:
        places = np.vstack([places, first_axes(places_of(placed), dimensions)])
        color = _color_of_both(color, n_fitted, len(places) - n_fitted)
    width = 4.4 + (key_width(color, len(places)) if show_key else 0.0)
    axes = panel(axes, title, width, solid=dimensions == 3)
    paint(axes, places, color, label=label, size=size, key=show_key)
    if placed is not None:
        area = 4 * (size or dot_size(len(places)))
        ring: dict[str, Any] = {"s": area, "zorder": 4, "linewidths": 0.8}
        axes.scatter(*places[n_fitted:].T, facecolors="none", edgecolors=INK, **ring)
    _frame(axes, places)
    return figure_of(axes)


def _color_of_both(color: Any, n_fitted: int, n_placed: int) -> Any:
    """Return one value for each fitted point and each query point, on one scale."""
    if color is None:
        return np.repeat(["fitted", NEW], [n_fitted, n_placed])
    known = np.asarray(color)
    if len(known) == n_fitted + n_placed:
        return color
    if known.dtype.kind in "fiu":
        return np.concatenate([known.astype(np.float64), np.full(n_placed, np.nan)])
    return np.concatenate([known.astype(object), np.full(n_placed, NEW, dtype=object)])


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
    places = first_axes(places_of(Y))
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
    dimensions: int = 2,
) -> Figure:
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
    dimensions : int, default=2
        Number of coordinates to draw, 2 or 3: the first ones of each map.

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
    n_points = len(places_of(next(iter(maps.values()))))
    fig = figure(PANEL * columns + key_width(color, n_points), PANEL * rows)
    first = 1
    if points is not None:
        refuse_cells(points)
        _data_panel(fig, np.asarray(points), color, (rows, columns, 1))
        first = 2
    drawn_axes = []
    for place, (title, given) in enumerate(maps.items(), start=first):
        places = first_axes(places_of(given), dimensions)
        solid = "3d" if dimensions == 3 else None
        axes = fig.add_subplot(rows, columns, place, projection=solid)
        paint(axes, places, color)
        _frame(axes, places)
        axes.set_title(plain(title), fontsize=TITLE, color=INK)
        drawn_axes.append(axes)
    shared_key(fig, drawn_axes, color, label)
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
    shared_key(
        fig, [grid[i, j] for i in range(width) for j in range(width) if i != j], color, label
    )
    return fig


def _frame(axes: Any, places: Array) -> None:
    """Frame a map of two coordinates, or turn one of three so that its depth is seen."""
    if places.shape[1] == 2:
        bare(axes)
        return
    shown = extent_of(places)
    wide = shown.high - shown.low
    axes.set_axis_off()
    axes.view_init(12, -72)
    axes.set_box_aspect(np.where(wide > 0, wide, wide.max() or 1.0), zoom=1.3)


def _data_panel(fig: Any, points: Array, color: Any, place: tuple[int, int, int]) -> None:
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"points of 2 or 3 columns can be shown; got shape {points.shape}")
    axes = fig.add_subplot(*place, projection="3d" if points.shape[1] == 3 else None)
    paint(axes, points, color)
    _frame(axes, points)
    axes.set_title("data", fontsize=TITLE, color=INK)


def ellipses(
    Y: Any,
    distortion: Any,
    color: Any = None,
    *,
    count: int = MOST_ELLIPSES,
    axes: Axes | None = None,
    title: str = "",
) -> Figure:
    """Draw what the map makes of small circles around points spread over it.

    Equal circles: lengths are kept up to one scale. Circles of different sizes: angles are kept,
    areas are not. Needles: the map is flat or torn here.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    distortion : Distortion
        What ``quality.local_distortion`` returns for this map.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point: numbers get a colour bar, words a legend.
    count : int, default=120
        Number of circles.
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
    >>> from unspool import datasets, plot, quality
    >>> roll = datasets.swiss_roll(200)
    >>> distortion = quality.local_distortion(roll.points, roll.coordinates)
    >>> len(plot.ellipses(roll.coordinates, distortion).axes)
    1
    """
    from matplotlib.collections import EllipseCollection

    axes = panel(axes, title)
    places = places_of(Y)
    if places.shape[1] != 2 or distortion.axes.shape[1:] != (2, 2):
        raise ValueError("ellipses are drawn on maps of 2 coordinates with 2 stretches per point")
    if len(distortion.axes) != len(places):
        raise ValueError(f"the distortion is of {len(distortion.axes)} points, not {len(places)}")
    paint(axes, places, color, size=0.4 * dot_size(len(places)))
    shown = spread_out(places, count)
    unit = 2 * ELLIPSE_SIZE * _spacing(places[shown]) / distortion.typical
    long, short = (np.linalg.norm(distortion.axes[shown, :, i], axis=1) for i in (0, 1))
    directions = distortion.axes[shown, :, 0]
    axes.add_collection(
        EllipseCollection(
            unit * long,
            unit * short,
            np.degrees(np.arctan2(directions[:, 1], directions[:, 0])),
            units="xy",
            offsets=places[shown],
            transOffset=axes.transData,
            facecolors="none",
            edgecolors=INK,
            linewidths=0.9,
        )
    )
    bare(axes)
    return figure_of(axes)


def trust(
    Y: Any,
    score: Any,
    *,
    label: str = "",
    limits: tuple[float, float] | None = None,
    axes: Axes | None = None,
    title: str = "",
    show_key: bool = True,
) -> Figure:
    """Draw a map painted by a score of each point, the least trusted on top.

    Points that were not scored are grey.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    score : Score
        Any score of ``unspool.quality`` with values per point, such as trustworthiness.
    label : str, default=""
        What the colour means; the name of the score unless told.
    limits : tuple of float or None, default=None
        The lowest and the highest value of the colours; None is from the second percentile of the
        scores up to the highest.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.
    show_key : bool, default=True
        Draw the colour bar.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, plot, quality
    >>> roll = datasets.swiss_roll(200)
    >>> score = quality.trustworthiness(roll.points, roll.coordinates)
    >>> len(plot.trust(roll.coordinates, score).axes)
    2
    """
    axes = panel(axes, title)
    places = first_axes(places_of(Y))
    if score.n_points != len(places):
        raise ValueError(f"the score is of {score.n_points} points, the map of {len(places)}")
    extent = extent_of(places)
    marks = Marks(axes, extent.places, extent.outside, usual_look(len(places)))
    marks.draw(np.setdiff1d(np.arange(len(places)), score.sample), color=FAINT)
    order = np.argsort(-score.per_point, kind="stable")
    values, here = score.per_point[order], score.sample[order]
    low, high = (np.quantile(values, 0.02), values.max()) if limits is None else limits
    low = low if low < high else high - 1e-9
    dots = marks.draw(here, c=values, cmap=TRUST, vmin=low, vmax=high)
    if show_key:
        bar(axes.figure, dots, axes, label or score.name)
    show_extent(axes, extent)
    bare(axes)
    return figure_of(axes)


def thumbnails(
    Y: Any,
    images: Any,
    color: Any = None,
    *,
    label: str = "",
    shape: tuple[int, int] | None = None,
    size: float = 0.06,
    count: int = 200,
    axes: Axes | None = None,
    title: str = "",
    show_key: bool = True,
) -> Figure:
    """Draw images at their places on a map, as many as fit without covering each other.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components) or fitted model
        Coordinates of the map, or a model that has them.
    images : array-like of shape (n_samples, height, width) or (n_samples, n_pixels)
        The images, or rows of pixels with their ``shape``.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point, for the dots behind the images.
    label : str, default=""
        What the colour means.
    shape : tuple of int or None, default=None
        Height and width of an image whose pixels are given as a row.
    size : float, default=0.06
        Height of an image, as a share of the extent of the map.
    count : int, default=200
        Number of images at most.
    axes : matplotlib.axes.Axes or None, default=None
        Where to draw; None makes a new figure.
    title : str, default=""
        Title of the picture.
    show_key : bool, default=True
        Draw the legend or the colour bar.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``savefig`` writes it to a file.

    Examples
    --------
    >>> from unspool import datasets, plot
    >>> bars = datasets.bars(50, size=16)
    >>> len(plot.thumbnails(bars.coordinates, bars.points, shape=(16, 16)).axes)
    1
    """
    places = first_axes(places_of(Y))
    keyed = show_key and color is not None
    axes = panel(axes, title, 7.0 + (key_width(color, len(places)) if keyed else 0.0), 6.0)
    pictures = _checked_images(images, shape, len(places))
    height = size * max(float(np.ptp(places, axis=0).max()), 1e-300)
    width = height * pictures.shape[2] / pictures.shape[1]
    small = (0.4 if color is None else 1.0) * dot_size(len(places))
    paint(axes, places, color, label=label, size=small, key=keyed)
    low, high = float(pictures.min()), float(pictures.max())
    for i in without_overlap(places, width, height)[:count]:
        x, y = places[i]
        axes.imshow(
            pictures[i],
            extent=(x - width / 2, x + width / 2, y - height / 2, y + height / 2),
            cmap="gray",
            vmin=low,
            vmax=high,
            zorder=3,
            interpolation="nearest",
        )
    room = np.array([width, height])
    (left, bottom), (right, top) = places.min(axis=0) - room, places.max(axis=0) + room
    axes.set(xlim=(left, right), ylim=(bottom, top))
    bare(axes, equal=False)
    axes.set_aspect("equal")
    return figure_of(axes)


def spread_out(places: Array, count: int) -> Array:
    """Return ``count`` points of a map, each as far as can be from those before."""
    count = min(count, len(places))
    chosen = [int(np.linalg.norm(places - places.mean(axis=0), axis=1).argmin())]
    far = np.linalg.norm(places - places[chosen[0]], axis=1)
    while len(chosen) < count:
        chosen.append(int(far.argmax()))
        far = np.minimum(far, np.linalg.norm(places - places[chosen[-1]], axis=1))
    return np.array(chosen)


def _spacing(places: Array) -> float:
    """Return the typical distance from a point to the nearest other one."""
    gaps = np.linalg.norm(places[:, None] - places, axis=2)
    np.fill_diagonal(gaps, np.inf)
    nearest = gaps.min(axis=1)
    return float(np.median(nearest)) if len(places) > 1 else 1.0


def without_overlap(places: Array, width: float, height: float) -> Array:
    """Return points whose boxes of this size do not cover each other, spread ones first."""
    candidates = spread_out(places, min(len(places), 1000))
    taken: list[int] = []
    for i in candidates:
        gaps = np.abs(places[taken] - places[i])
        if not ((gaps[:, 0] < width) & (gaps[:, 1] < height)).any():
            taken.append(int(i))
    return np.array(taken, dtype=np.intp)


def _checked_images(images: Any, shape: tuple[int, int] | None, n_points: int) -> Array:
    pictures = np.asarray(images)
    if pictures.ndim == 2 and shape is not None and pictures.shape[1] == shape[0] * shape[1]:
        pictures = pictures.reshape(len(pictures), *shape)
    if pictures.ndim != 3 or len(pictures) != n_points:
        raise ValueError(
            f"images are (n, h, w), or rows of pixels with shape=(h, w), one per point "
            f"({n_points}); got {np.shape(images)} and shape={shape}"
        )
    return pictures
