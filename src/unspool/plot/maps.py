"""Maps side by side, painted by one column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..values import Array
from ._backend import figure


def maps(points: Array, embeddings: Mapping[str, Array], color: Array, *, columns: int = 4) -> Any:
    """Return a figure with the data first and then each map, all painted by ``color``."""
    rows = -(-(len(embeddings) + 1) // columns)
    fig = figure(3.2 * columns, 3.1 * rows)
    _data_panel(fig, points, color, (rows, columns, 1))
    for place, (title, coordinates) in enumerate(embeddings.items(), start=2):
        axes = fig.add_subplot(rows, columns, place)
        _scatter(axes, coordinates, color)
        axes.set_title(title, fontsize=10)
    return fig


def _data_panel(fig: Any, points: Array, color: Array, place: tuple[int, int, int]) -> None:
    if points.shape[1] == 3:
        axes = fig.add_subplot(*place, projection="3d")
        axes.scatter(*points.T, c=color, s=4, cmap="viridis", linewidths=0)
        axes.view_init(12, -72)
    else:
        axes = fig.add_subplot(*place)
        _scatter(axes, points, color)
    axes.set_title("data", fontsize=10)
    axes.set(xticks=[], yticks=[], **({"zticks": []} if points.shape[1] == 3 else {}))


def _scatter(axes: Any, coordinates: Array, color: Array) -> None:
    second = coordinates[:, 1] if coordinates.shape[1] > 1 else np.zeros(len(coordinates))
    axes.scatter(coordinates[:, 0], second, c=color, s=5, cmap="viridis", linewidths=0)
    axes.set(xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_color("0.8")
