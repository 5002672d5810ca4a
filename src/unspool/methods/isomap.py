"""Isomap."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import extension
from ..extension import Chart
from ..relation import edges_of, geodesic_gram
from ..runtime import reuse
from ..spectrum import negative_mass, solve
from ..values import Array, NeighborGraph
from .gram_family import advise_if_not_euclidean, scaled_coordinates
from .graph_family import COMPONENTS, GraphMethod
from .parameters import method, parameter

ROWS_BYTES = 128 * 2**20  # of new points' rows held at a time


@method
class Isomap(GraphMethod):
    """Isomap: classical scaling of the distances along the manifold (S1; S3 15.3.1; S4 16.6.3).

    Neighbours are joined, shortest paths through the graph stand for geodesic distances, and
    -1/2 H G^2 H is decomposed as in classical scaling. With all points as neighbours it is
    classical scaling.

    From 4,000 points on, geodesics are kept in single precision; where even that table does not
    fit, none is kept and every product makes them anew, so that memory stays proportional to n.

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
        edges = edges_of(neighbors)
        similarity = reuse("geodesics", edges, "gram", lambda: geodesic_gram(neighbors))
        eigenproblem = similarity.problem(self._count_in(members), self.random_state)
        spectrum = solve(eigenproblem, self._count_in(members), seed=self.random_state)
        values, coordinates = scaled_coordinates(spectrum)
        advise_if_not_euclidean(values, similarity.centering, np.zeros(len(members)))
        return Chart(members, coordinates, values, values, similarity)

    def _place(self, chart: Chart, new: Any) -> Array:
        """Place new points a few at a time: their rows are as long as there are old points."""
        step = max(1, ROWS_BYTES // (8 * len(chart.members)))
        starts = range(0, new.shape[0], step)
        return np.vstack([super(Isomap, self)._place(chart, new[i : i + step]) for i in starts])

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Array, Array]:
        similarity = chart.relation
        lengths = extension.geodesic_rows(towards, similarity.lengths_from, len(chart.members))
        return similarity.centering.rows(-0.5 * lengths**2), chart.multipliers

    @property
    def geodesics_(self) -> Array:
        """Path lengths between the points of the largest piece."""
        chart = self.charts_[0]
        return np.asarray(chart.relation.lengths_from(np.arange(len(chart.members))))

    def kernel_(self) -> Array:
        """Return -1/2 H G^2 H of the largest piece: kernel PCA of it is this map (S4 16.54)."""
        return np.asarray(self.charts_[0].relation.centering.rows(-0.5 * self.geodesics_**2))

    def negative_mass(self) -> float:
        """Return the share of the spectrum that is negative: how far geodesics are from flat."""
        return negative_mass(self.kernel_())
