"""Hessian locally linear embedding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from .. import problem
from ..extension import Chart
from ..values import Array, NeighborGraph
from .lle_family import TangentMethod
from .parameters import method, parameter


@method
class HessianLLE(TangentMethod):
    """Hessian LLE: functions without curvature are the coordinates (Donoho, Grimes 2003; S4
    16.6.6).

    On a manifold that is locally isometric to a connected region of R^t, convex or not, the
    functions whose tangent Hessian vanishes everywhere are the constants and the t coordinates.
    The Hessian is estimated in each neighbourhood, which needs at least t + t(t+1)/2 neighbours.

    Attributes: ``eigenvalues_`` of the Hessian functional.

    >>> from unspool import HessianLLE, datasets
    >>> HessianLLE(2, n_neighbors=10).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    orthonormalize: bool = parameter(
        False,
        kind=bool,
        help="orthonormal axes on one central neighbourhood (Donoho-Grimes) instead of overall",
    )

    def _least_members(self, count: int) -> int:
        return problem.members_needed(count)

    def _patches(self, tangents: Array) -> Array:
        return problem.hessian_patches(tangents)

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        chart = super()._chart(given, members, neighbors)
        if not self.orthonormalize or chart.coordinates.shape[1] == 0:
            return chart
        turn = _orthonormal_around_centre(chart.coordinates, neighbors)
        return replace(chart, coordinates=chart.coordinates @ turn)


def _orthonormal_around_centre(coordinates: Array, neighbors: NeighborGraph) -> Array:
    """Return the matrix that makes the axes orthonormal on the most central neighbourhood."""
    centre = int(np.argmin(np.square(coordinates).sum(axis=1)))
    around = neighbors.neighbors[neighbors.starts[centre] : neighbors.starts[centre + 1]]
    local = coordinates[np.append(around, centre)]
    triangle = np.linalg.cholesky(local.T @ local)
    return np.asarray(np.linalg.inv(triangle).T)
