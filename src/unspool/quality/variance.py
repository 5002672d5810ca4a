"""How much of the distances a map with t coordinates leaves unexplained."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import cross
from ..values import Array


def residual_variance(distances: Any, Y: Any, columns: Array | None = None) -> Array:
    """Return 1 - R_t^2 for t = 1 .. width of ``Y`` (S4 16.6.3).

    R_t is the correlation of the distances on the map, using its first t coordinates, with the
    given ones. ``columns`` are the points (landmarks) that the columns of ``distances`` belong to.
    """
    table, places = np.asarray(distances, np.float64), np.asarray(Y, np.float64)
    others = places if columns is None else places[columns]
    given = table.ravel() - table.mean()
    answer = []
    for width in range(1, places.shape[1] + 1):
        found = cross(places[:, :width], others[:, :width]).ravel()
        found -= found.mean()
        correlation = given @ found / np.sqrt((given @ given) * (found @ found))
        answer.append(1.0 - correlation**2)
    return np.array(answer)
