"""Local tangent space alignment."""

from __future__ import annotations

from ..problem import tangent_patches
from ..relation import Component, LocalRelation, relate_by_tangents
from .lle import AlignedEstimator
from .parameters import method


@method
class LTSA(AlignedEstimator):
    """Local tangent space alignment: tangent planes laid out side by side (Zhang and Zha 2004).

    Each neighbourhood has tangent coordinates, its local PCA; the map is the one that is closest
    to an affine function of them in every neighbourhood, with mean 0 and covariance I. Holes and
    non-convex outlines do no harm.

    Examples
    --------
    >>> from unspool import LTSA, datasets
    >>> LTSA(2, n_neighbors=10).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _relate(self, component: Component, n_coordinates: int) -> LocalRelation:
        self._check_tangents()
        geometry = self._geometry(component)
        return relate_by_tangents(
            geometry, component, n_coordinates, self.regularization, tangent_patches
        )
