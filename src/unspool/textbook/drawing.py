"""The few drawings that the items share; matplotlib is imported when the first one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import plot
from ..plot import figure

DOT = 6.0


def canvas(rows: int = 1, columns: int = 1, *, size: float = 3.2, space: bool = False) -> Any:
    """Return a figure that needs no screen and its panels as a flat list."""
    made = figure(size * columns, 0.94 * size * rows)
    kind = {"projection": "3d"} if space else {}
    places = range(1, rows * columns + 1)
    return made, [made.add_subplot(rows, columns, place, **kind) for place in places]


def scatter(axes: Any, points: Any, color: Any = None, title: str = "", dot: float = DOT) -> None:
    """Draw points in the plane or in space, painted by a column."""
    columns = np.asarray(points).T
    if len(columns) == 1:
        columns = np.vstack([columns, np.zeros(columns.shape[1])])
    axes.scatter(*columns, c=color, s=dot, cmap="viridis", linewidths=0)
    _finish(axes, title)


def panels(maps: Mapping[str, Any], color: Any = None, *, columns: int = 3) -> Any:
    """Return a figure with one map a panel, all painted by the same column."""
    return plot.comparison(maps, color, columns=columns)


def in_space(clouds: Mapping[str, Any], color: Any, *, elevation: float = 12.0) -> Any:
    """Return a figure of points in three dimensions, side by side; rolls are seen from above."""
    made, places = canvas(1, len(clouds), space=True)
    for axes, (title, points) in zip(places, clouds.items(), strict=True):
        scatter(axes, points, color, title, dot=4.0)
        axes.view_init(elevation, -72)
    return made


def groups(axes: Any, places: Any, labels: Any, title: str = "", *, numbers: bool = True) -> None:
    """Draw points by group: one colour each, and their names in a legend."""
    for label in np.unique(labels):
        own = np.asarray(places)[np.asarray(labels) == label]
        axes.scatter(own[:, 0], own[:, 1], s=DOT, linewidths=0, label=str(label))
    if numbers:
        axes.legend(fontsize=6, markerscale=1.6, frameon=False)
    _finish(axes, title)


def named(axes: Any, places: Any, names: Sequence[str], title: str = "") -> None:
    """Draw the names of points where the points are."""
    axes.scatter(places[:, 0], places[:, 1], s=2, color="0.6")
    for (x, y), name in zip(places, names, strict=True):
        axes.annotate(str(name), (x, y), fontsize=5, ha="center")
    _finish(axes, title)


def lines(axes: Any, at: Any, curves: Mapping[str, Any], title: str, across: str, up: str) -> None:
    """Draw one or more curves over the same numbers, with dots and a legend."""
    for name, values in curves.items():
        axes.plot(at, values, marker="o", markersize=3, linewidth=1, label=name)
    if len(curves) > 1:
        axes.legend(fontsize=7, frameon=False)
    axes.set_xlabel(across, fontsize=8)
    axes.set_ylabel(up, fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=7)


def _finish(axes: Any, title: str) -> None:
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=6)
