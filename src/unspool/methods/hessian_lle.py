"""Hessian LLE: functions without curvature."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..problem import hessian_patches, members_needed
from ..relation import Component, LocalRelation, relate_by_tangents
from ..values import Array, NeighborGraph, Spectrum
from .lle import AlignedEstimator
from .parameters import method, parameter


@method
class HessianLLE(AlignedEstimator):
    """Hessian LLE: functions without curvature are the coordinates (Donoho and Grimes 2003).

    On a manifold that is locally isometric to a connected region of R^t, convex or not, the
    functions whose tangent Hessian vanishes everywhere are the constants and the t coordinates
    (Izenman 2013, section 16.6.6). The Hessian is estimated in each neighbourhood, which needs at
    least t + t(t+1)/2 neighbours.

    Examples
    --------
    >>> from unspool import HessianLLE, datasets
    >>> HessianLLE(2, n_neighbors=10).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    orthonormalize: bool = parameter(
        default=False,
        kind=bool,
        help="orthonormal axes on one central neighbourhood (Donoho-Grimes) instead of overall",
    )
    plain: bool = parameter(
        default=False,
        kind=bool,
        help="the estimator of Donoho and Grimes alone, without the small residue that keeps "
        "further solutions out where neighbourhoods repeat",
    )

    def _least_members(self, n_coordinates: int) -> int:
        return members_needed(n_coordinates)

    def _relate(self, component: Component, n_coordinates: int) -> LocalRelation:
        self._check_tangents()
        geometry = self._geometry(component)
        return relate_by_tangents(
            geometry,
            component,
            n_coordinates,
            self.regularization,
            partial(hessian_patches, plain=self.plain),
        )

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        if self.orthonormalize and self.independent:
            raise ValueError(
                "orthonormalize=True turns all vectors together, independent=True chooses among "
                "them; pass only one of the two"
            )
        eigenvalues, coordinates = super()._scale(spectrum, relation, component)
        if self.orthonormalize:
            coordinates = coordinates @ _orthonormal_at_center(coordinates, component.graph)
        return eigenvalues, coordinates


def _orthonormal_at_center(coordinates: Array, neighbors: NeighborGraph) -> Array:
    """Return the matrix that makes the axes orthonormal on the most central neighbourhood."""
    center = int(np.argmin(np.square(coordinates).sum(axis=1)))
    around = neighbors.neighbors[neighbors.starts[center] : neighbors.starts[center + 1]]
    local = coordinates[np.append(around, center)]
    triangle = np.linalg.cholesky(local.T @ local)
    return np.asarray(np.linalg.inv(triangle).T)
