"""Modified LLE: several weights for each point."""

from __future__ import annotations

from ..relation import Component, LocalRelation, relate_by_modified_weights
from .lle import AlignedEstimator
from .parameters import method


@method
class ModifiedLLE(AlignedEstimator):
    """Modified LLE: several weight vectors for each point (Zhang and Wang 2007).

    With more neighbours than dimensions many weights rebuild a point equally well, and LLE's
    choice of one distorts the map. Here each neighbourhood contributes all of its well-determined
    weight vectors, as many as its local spectrum is flat.

    Examples
    --------
    >>> from unspool import ModifiedLLE, datasets
    >>> ModifiedLLE(2, n_neighbors=12).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _relate(self, component: Component, n_coordinates: int) -> LocalRelation:
        geometry = self._geometry(component)
        return relate_by_modified_weights(geometry, component, n_coordinates, self.regularization)
