"""Isomap."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import extension, graph, problem
from ..extension import Chart
from ..kernel import Centering
from ..spectrum import solve
from ..values import Array, NeighborGraph
from ._graph import COMPONENTS, GraphMethod
from ._parameters import method, parameter
from ._similarity import scaled_coordinates


@method
class Isomap(GraphMethod):
    """Isomap: classical scaling of the distances along the manifold (S1; S3 15.3.1; S4 16.6.3).

    Neighbours are joined, shortest paths through the graph stand for geodesic distances, and
    -1/2 H G^2 H is decomposed as in classical scaling. With all points as neighbours it is
    classical scaling.

    Attributes: ``eigenvalues_`` of -1/2 H G^2 H, ``geodesics_`` (of the largest piece).

    >>> from unspool import Isomap, datasets
    >>> roll = datasets.swiss_roll(400)
    >>> Isomap(2, n_neighbors=8).fit(roll.points).embedding_.shape
    (400, 2)
    """

    components: str = parameter(
        "bridge", choices=COMPONENTS, help="what to do when the graph is in several pieces"
    )

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        geodesics = graph.geodesic(neighbors)
        similarity = -0.5 * geodesics**2
        count = min(self.n_components, len(members) - 1)
        spectrum = solve(problem.gram(similarity), count, seed=self.random_state)
        values, coordinates = scaled_coordinates(spectrum)
        relation = geodesics, Centering.of(similarity)
        return Chart(members, coordinates, values, values, relation)

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Array, Array]:
        geodesics, centering = chart.relation
        lengths = extension.geodesic_rows(towards, geodesics)
        return centering.rows(-0.5 * lengths**2), chart.multipliers

    @property
    def geodesics_(self) -> Array:
        """Path lengths between the points of the largest piece."""
        return np.asarray(self.charts_[0].relation[0])

    def kernel_(self) -> Array:
        """Return -1/2 H G^2 H of the largest piece: kernel PCA of it is this map (S4 16.54)."""
        geodesics, centering = self.charts_[0].relation
        return np.asarray(centering.rows(-0.5 * geodesics**2))
