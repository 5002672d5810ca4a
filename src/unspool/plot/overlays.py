"""What a map does to its points: distortion ellipses, trust point by point, the images behind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..values import Array
from .paint import Marks, bar, key_width, paint, usual_look
from .style import (
    FAINT,
    INK,
    TRUST,
    bare,
    dot_size,
    extent_of,
    figure_of,
    first_axes,
    panel,
    places_of,
    show_extent,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ELLIPSES = 120
ELLIPSE_SIZE = 0.4  # of the spacing of ellipses: half-axis of one with the typical stretch


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
