"""Charting."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..relation import (
    Chart,
    ChartRule,
    Component,
    GaussianCharts,
    find_localized,
    relate_by_charts,
)
from ..runtime import advise
from ..spectrum import solve
from ..values import Array
from .graph_estimator import GraphEstimator
from .parameters import learned, method, parameter

MOST_CHARTS = 400  # by default: the eigenproblem has a row per chart and coordinate
POINTS = 3  # for each chart, by default
PLAIN = 0.01  # of the variance of a coordinate: where charts disagree on more, they are bent


@method
class Charting(GraphEstimator):
    """Charting: local Gaussians that agree where they overlap (Brand 2003).

    The points are covered by Gaussians, each with a covariance that is fitted to those around it as
    well. The leading axes of each are local coordinates, and its probability says how far it speaks
    for a point. Affine maps that merge all charts come from one generalized eigenproblem, which
    asks for agreement where charts overlap (Izenman 2013, section 16.6); of these the one is taken
    that changes lengths within the charts least. A query point is placed by the charts that speak
    for it, and a place on the map leads back through the charts that lie there.

    Examples
    --------
    >>> from unspool import Charting, datasets
    >>> Charting(2).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    metric: Literal["euclidean"] = parameter(
        default="euclidean",
        choices=("euclidean",),
        help="always Euclidean: charts are described by covariances",
    )
    n_charts: int | None = parameter(
        default=None,
        kind=int,
        at_least=1,
        optional=True,
        help="number of Gaussians; default: one for every three points, up to 400",
    )
    consistency: float = parameter(
        default=1.0,
        kind=float,
        at_least=0,
        help="weight of the charts around it in a chart's covariance, relative to its own points",
    )
    overlap: float = parameter(
        default=2.0,
        kind=float,
        above=1,
        help="charts that speak for a point (the exponential of the entropy): more join "
        "them better, fewer let them follow a bend",
    )
    regularization: float = parameter(
        default=1e-2,
        kind=float,
        at_least=0,
        help="share of a chart's variance along its axes that is added in all directions",
    )

    n_charts_: int = learned(help="number of Gaussians in the largest component")
    overlap_: float = learned(
        help="charts that speak for a point of the largest component, on average"
    )

    _SPARSE_TABLES = False
    _SPARSE_POINTS = False
    _ON_DISK = False
    _MEETS_KNOWN = True

    def _fit(self, X: Any) -> None:
        self.n_charts_, self.overlap_ = 1, 1.0
        super()._fit(X)

    def _n_charts(self, component: Component) -> int:
        n = len(component.members)
        if self.n_charts is not None:
            return min(self.n_charts, n)
        return max(1, min(MOST_CHARTS, n // POINTS))

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        points = np.asarray(self._space[component.members], dtype=np.float64)
        n_local = min(n_coordinates, points.shape[1])
        rule = ChartRule(
            self._n_charts(component),
            self.consistency,
            self.regularization,
            self.overlap,
            self._seed,
        )
        agreement = relate_by_charts(points, component, n_local, rule)
        spectrum = solve(agreement.charts.problem(), n_local, seed=self._seed)
        features, vectors = agreement.charts.features(points), spectrum.vectors
        # what a few points carry says nothing of lengths within the other charts
        ruined = find_localized(features @ agreement.coefficients(vectors))
        vectors = agreement.similar(vectors) if ruined else agreement.isometric(vectors)
        anchors = agreement.coefficients(vectors)
        coordinates, denied = features @ anchors, agreement.disagreement(vectors)
        self._tell(component, features[:, n_local :: n_local + 1], denied)
        return Chart(component.members, coordinates, denied, agreement.charts, anchors)

    def _tell(self, component: Component, shares: Array, denied: Array) -> None:
        """Keep what is known of the largest component, and say if its charts disagree."""
        if (self.component_labels_[self._copies.first[component.members]] == 0).any():
            entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
            self.n_charts_, self.overlap_ = shares.shape[1], float(np.exp(entropy.mean()))
        bad = np.flatnonzero(denied > PLAIN)
        if len(bad):
            advise(
                f"charts disagree on {denied[bad[0]]:.2f} of coordinate {bad[0] + 1} where they "
                "overlap: the data may be curved within them, or have more dimensions; raise "
                "n_charts or n_components"
            )

    def _inverse_transform(self, places: Array) -> Array:
        """Return what the charts that lie at each place say of it."""
        owner = self._layout.owner(places)
        points = np.empty((len(places), self._X.shape[1]))
        for number in np.unique(owner):
            here, chart = owner == number, self.charts_[number]
            if isinstance(chart.relation, GaussianCharts):
                inner = places[here] - self._layout.offsets[number]
                points[here] = chart.relation.back(inner, chart.anchors)
            else:
                points[here] = self._space[chart.members[0]]
        return points
