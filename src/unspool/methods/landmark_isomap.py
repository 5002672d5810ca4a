"""Landmark Isomap."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances, extension, graph, paths
from ..extension import Chart
from ..relation import edges_of
from ..runtime import reuse
from ..values import Array, NeighborGraph
from .gram_family import check_count
from .graph_family import COMPONENTS, GraphMethod
from .landmark_parameters import LandmarkChoice
from .parameters import method, parameter


@method
class LandmarkIsomap(LandmarkChoice, GraphMethod):
    """Landmark Isomap: geodesics to m landmarks only, the rest by triangulation (S4 16.6.3).

    Isomap for many points: m shortest-path trees instead of n, and nothing of size n x n.
    Landmarks are spread by maxmin (in the data, or along the graph for a sparse one), drawn at
    random, or named.

    Attributes: ``landmarks_`` (indices), ``eigenvalues_``, ``geodesics_`` (m x n, largest piece).

    >>> from unspool import LandmarkIsomap, datasets
    >>> LandmarkIsomap(2, n_landmarks=30).fit(datasets.swiss_roll(800).points).embedding_.shape
    (800, 2)
    """

    components: str = parameter(
        "bridge", choices=COMPONENTS, help="what to do when the graph is in several pieces"
    )

    def _learn(self, given: Any) -> None:
        check_count(self.n_components, min(self.n_landmarks, given.shape[0]) - 1)
        super()._learn(given)
        self.landmarks_ = np.concatenate([self._landmarks_of(chart) for chart in self.charts_])

    def _landmarks_of(self, chart: Chart) -> Array:
        return chart.members if chart.relation is None else chart.members[chart.relation[0]]

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        chosen = self._chosen_in(given, members, neighbors)
        of = *edges_of(neighbors), chosen
        geodesics = reuse(
            "geodesics", of, "rows", lambda: paths.geodesic_distances(neighbors, chosen)
        )
        count = min(self._count_in(members), len(chosen) - 1)
        squares = geodesics.T**2
        fitted = self._fit_landmarks(squares, chosen, count, self.random_state)
        coordinates = extension.place(fitted.rows(squares), fitted.anchors, fitted.values)
        relation = chosen, geodesics, fitted
        values = fitted.values
        return Chart(members, coordinates, values, values, relation, fitted.anchors)

    def _chosen_in(self, given: Any, members: Array, neighbors: NeighborGraph) -> Array:
        """Return the landmarks of a piece, numbered within it."""
        if not isinstance(self.landmarks, str):
            named = np.flatnonzero(
                np.isin(members, graph.check_landmarks(self.landmarks, given.shape[0]))
            )
            if len(named) < 2:
                raise ValueError(
                    f"a piece of {len(members)} points has {len(named)} landmarks and needs 2; "
                    "name more of them, or use landmarks='maxmin'"
                )
            order = {point: place for place, point in enumerate(self.landmarks)}
            return np.array(sorted(named, key=lambda local: order[members[local]]))

        def along_graph(point: int) -> Array:
            return np.asarray(paths.geodesic_distances(neighbors, np.array([point]))[0])

        def in_data(point: int) -> Array:
            return distances.pairwise_distances(
                given[members], given[members[point]][None, :], self.metric
            )[:, 0]

        def in_table(point: int) -> Array:
            return np.asarray(given[members[point]][members])

        far = in_data if self._points is not None else in_table
        if sp.issparse(given):  # only the graph knows how far apart its points are
            far = along_graph
        return self._choose(len(members), far, self._count_in(members) + 1, self.random_state)

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Array, Array]:
        _, geodesics, fitted = chart.relation
        lengths = extension.geodesic_rows(
            towards, lambda points: geodesics.T[points], len(geodesics)
        )
        return fitted.rows(lengths**2), chart.multipliers

    @property
    def geodesics_(self) -> Array:
        """Path lengths from the landmarks to the points of the largest piece."""
        return np.asarray(self.charts_[0].relation[1])
