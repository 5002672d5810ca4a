"""Landmark Isomap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances, graph
from ..paths import geodesic_distances
from ..relation import Chart, Component, LandmarkGeodesics, kernel_factor, triangulate
from ..runtime import claim, reuse
from ..scale.landmark_geodesics import landmark_geodesics, lengths_among, place_by_landmarks
from ..scale.reduction import distances_from
from ..scale.sources import Source
from ..values import Array
from .graph_estimator import POLICIES, SEVERAL, GraphEstimator, Policy
from .parameters import LandmarkChoice, check_n_components, method, parameter


@method
class LandmarkIsomap(LandmarkChoice, GraphEstimator):
    """Landmark Isomap: geodesics to m landmarks only, the rest by triangulation.

    Isomap for many points: m shortest-path trees instead of n, and nothing of size n x n (de Silva
    and Tenenbaum 2003; Izenman 2013, section 16.6.3). Landmarks are spread by maxmin (in the data,
    or along the graph for a sparse one), drawn at random, or named.

    Examples
    --------
    >>> from unspool import LandmarkIsomap, datasets
    >>> LandmarkIsomap(2, n_landmarks=30).fit(datasets.swiss_roll(800).points).embedding_.shape
    (800, 2)
    """

    components: Policy = parameter(default="bridge", choices=POLICIES, help=SEVERAL)

    _MEETS_KNOWN = True
    _INSTEAD = "diffusion maps"

    def _fit(self, X: Any) -> None:
        check_n_components(self._n_wanted, min(self.n_landmarks, X.shape[0]) - 1)
        self._check_landmarks(X.shape[0])
        super()._fit(X)
        charts: Any = self.charts_
        chosen = np.concatenate([c.members[c.relation.landmarks] for c in charts])
        self.landmarks_ = self._copies.first[chosen]

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        chosen = self._landmarks_in(component)
        if isinstance(self._X, Source):
            return self._map_on_disk(component, chosen, min(n_coordinates, len(chosen) - 1))
        of = *component.graph.edges, chosen
        geodesics = reuse(
            "geodesics", of, "rows", lambda: geodesic_distances(component.graph, chosen)
        )
        count = min(n_coordinates, len(chosen) - 1)
        similarities = -0.5 * np.square(geodesics.T)
        fitted = triangulate(
            similarities, chosen, count, self._seed, self.scaling, component.masses
        )
        relation = LandmarkGeodesics(chosen, geodesics, fitted)
        coordinates = fitted.place(similarities)
        return Chart(component.members, coordinates, fitted.eigenvalues, relation, fitted.anchors)

    def _map_on_disk(self, component: Component, chosen: Array, count: int) -> Chart:
        """Map a component without a table of its points and the landmarks in memory."""
        geodesics = landmark_geodesics(component.graph, chosen)
        seed, scaling, masses = self._seed, self.scaling, component.masses
        if scaling == "distance":  # by the landmarks alone
            among = -0.5 * np.square(lengths_among(geodesics, chosen).T)
            here = np.arange(len(chosen))
            fitted = triangulate(among, here, count, seed, scaling)
        else:
            claim(
                24.0 * len(chosen) * geodesics.shape[1],
                "scaling='svd', which decomposes the table of all points and landmarks,",
                "use scaling='distance'",
            )
            similarities = -0.5 * np.square(geodesics[:, :].T)
            fitted = triangulate(similarities, chosen, count, seed, scaling, masses)
        relation = LandmarkGeodesics(chosen, geodesics, fitted)  # type: ignore[arg-type]  # or a file
        coordinates = place_by_landmarks(geodesics, fitted)
        return Chart(component.members, coordinates, fitted.eigenvalues, relation, fitted.anchors)

    def _landmarks_in(self, component: Component) -> Array:
        """Return the landmarks of a component, numbered within it."""
        members = component.members
        if not isinstance(self.landmarks, str):
            rows = graph.check_landmarks(self.landmarks, len(self._copies.point_of))
            points = self._copies.point_of[rows]
            named = np.flatnonzero(np.isin(members, points))
            if len(named) < 2:
                raise ValueError(
                    f"a connected component of {len(members)} points has {len(named)} landmarks "
                    "and needs 2; name more of them, or use landmarks='maxmin'"
                )
            order = {point: place for place, point in reversed([*enumerate(points)])}
            return np.array(sorted(named, key=lambda local: order[members[local]]))
        least = self._affordable(component) + 1
        return self._choose_landmarks(
            len(members), self._distances_within(component), least, self._seed
        )

    def _distances_within(self, component: Component) -> Callable[[int], Array]:
        """Return what gives the distances of a component's points to one of them."""
        members, space = component.members, self._space
        if isinstance(space, Source):
            return lambda point: np.asarray(
                distances_from(space, space[int(members[point])], self.metric)[members]
            )
        if self._input_kind() == "points":
            mine = space if len(members) == space.shape[0] else space[members]
            return lambda point: distances.pairwise_distances(
                mine, mine[point : point + 1], self.metric
            )[:, 0]
        if sp.issparse(space):  # only the graph knows how far apart its points are
            return lambda point: np.asarray(
                geodesic_distances(component.graph, np.array([point]))[0]
            )
        return lambda point: np.asarray(space[members[point]][members])

    @property
    def geodesics_(self) -> Array:
        """Geodesic distances from the landmarks to the points of the largest component."""
        chart: Any = self.charts_[0]
        return np.asarray(chart.relation.geodesics[:, self._copies.positions(chart.members)])

    def _kernel_factor(self) -> Array:
        chart: Any = self.charts_[0]
        relation, every = chart.relation, self._copies.masses
        masses = None if every is None else every[chart.members]
        similarities = -0.5 * np.square(relation.geodesics[:, :].T)
        factor = kernel_factor(similarities, relation.landmarks, self._seed, self.scaling, masses)
        return np.asarray(factor[self._copies.positions(chart.members)])
