"""How the map stretches each neighbourhood: an ellipse per point.

Near a point the data look like their tangent plane and the map like a linear function on it. What
that function makes of the unit circle is an ellipse on the map: its half-axes are the stretches.
All circles of one size: an isometry up to scale. Circles of different sizes: angles are kept,
areas are not. Needles: the map tears or flattens here. (Perrault-Joncas & Meila 2013 estimate the
same ellipses through the Laplacian.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import neighbor_graph
from ..runtime import stage
from ..values import Array
from .distance_rows import check_neighbors, check_same_points, checked, points_of
from .score import CHUNK_BYTES, Score

FLAT = 1e-9  # of the longest direction: a neighbourhood that is thinner says nothing across it
COLLAPSED = 1e-12  # of the typical stretch: what a neighbourhood mapped to one place counts as


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Distortion(Score):
    """Stretches of the map around each point.

    ``stretches[i]`` (d, largest first) are the factors by which lengths grow around point i, and
    ``axes[i, :, j]`` is the half-axis j of its ellipse in coordinates of the map. ``typical`` is
    their median. Per point the score is the root mean square of log(stretch / typical): 0 where
    the map is an isometry up to its scale, 0.7 where lengths are off by a factor of 2.
    """

    stretches: Array
    axes: Array
    typical: float

    @property
    def areas(self) -> Array:
        """Factor by which areas (volumes) grow around each point, relative to typical stretches."""
        return np.asarray((self.stretches / self.typical).prod(axis=1))

    @property
    def elongations(self) -> Array:
        """Longest over shortest half-axis of each ellipse: 1 where angles are kept."""
        shortest = np.maximum(self.stretches[:, -1], COLLAPSED * self.typical)
        return np.asarray(self.stretches[:, 0] / shortest)


def local_distortion(
    X: Any, Y: Any, n_neighbors: int | None = None, *, dimension: int | None = None
) -> Distortion:
    """Return how the map ``Y`` stretches the neighbourhoods of the points ``X``.

    Directions in which a neighbourhood has no extent, as around duplicates, count as typical.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int or None, default=None
        Nearest points that a tangent plane comes from; None is 3 d + 4.
    dimension : int or None, default=None
        Directions d of a tangent plane; None is as many as the map has coordinates.

    Returns
    -------
    Distortion
        The stretch of every point in its principal directions.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> found = quality.local_distortion(roll.points, roll.coordinates)
    >>> len(found.stretches)
    300
    """
    points, places = points_of(X, "X"), checked(Y, "Y")
    check_same_points(len(points), len(places), 3)
    n = len(points)
    wanted = places.shape[1] if dimension is None else check_neighbors(dimension, n, "dimension")
    count = min(3 * wanted + 4, n - 1) if n_neighbors is None else n_neighbors
    count = check_neighbors(count, n)
    wanted = min(wanted, points.shape[1], places.shape[1], count)
    neighbors = neighbor_graph(points, count).neighbors.reshape(n, count)
    members = np.hstack([np.arange(n)[:, None], neighbors])
    return _scored(*_ellipses(points, places, members, wanted))


def _ellipses(points: Any, places: Array, members: Array, d: int) -> tuple[Array, Array]:
    """Return stretches (n, d), NaN where unknown, and axes (n, q, d) of all neighbourhoods."""
    n, q = len(points), places.shape[1]
    stretches, axes = np.empty((n, d)), np.empty((n, q, d))
    per_point = 8 * members.shape[1] * (points.shape[1] + members.shape[1])
    step = max(1, CHUNK_BYTES // per_point)
    with stage("distortion", total=n) as running:
        for first in range(0, n, step):
            part = slice(first, first + step)
            tangent, lengths = _tangent_frames(points[members[part]], d)
            known = lengths > FLAT * np.maximum(lengths[:, :1], 1e-300)
            inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=known)
            jacobians = inverse[:, :, None] * (tangent.transpose(0, 2, 1) @ places[members[part]])
            _, found, directions = np.linalg.svd(jacobians, full_matrices=False)
            found[~np.sort(known, axis=1)[:, ::-1]] = np.nan
            stretches[part], axes[part] = found, directions.transpose(0, 2, 1)
            running.advance(len(tangent))
    return stretches, axes


def _tangent_frames(neighborhoods: Array, d: int) -> tuple[Array, Array]:
    """Return orthonormal tangent coordinates (b, k, d) of each neighbourhood, and their lengths."""
    offsets = neighborhoods - neighborhoods[:, :1]  # of copies exactly zero, wherever they are
    centred = offsets - offsets.mean(axis=1, keepdims=True)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    return left[:, :, :d], lengths[:, :d]


def _scored(stretches: Array, axes: Array) -> Distortion:
    known = np.isfinite(stretches)
    positive = stretches[known & (stretches > 0)]
    if len(positive) == 0:
        raise ValueError("the map or the data is one single place, so nothing is stretched")
    typical = float(np.exp(np.median(np.log(positive))))
    stretches = np.where(known, stretches, typical)
    order = np.argsort(-stretches, axis=1, kind="stable")
    stretches = np.take_along_axis(stretches, order, axis=1)
    axes = np.take_along_axis(axes, order[:, None, :], axis=2)
    logs = np.log(np.maximum(stretches, COLLAPSED * typical) / typical)
    per_point = np.sqrt(np.square(logs).mean(axis=1))
    return Distortion(
        name="local distortion",
        value=float(per_point.mean()),
        per_point=per_point,
        sample=np.arange(len(per_point)),
        n_points=len(per_point),
        stretches=stretches,
        axes=axes * stretches[:, None, :],
        typical=typical,
    )
