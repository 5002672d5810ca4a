"""Methods whose graph carries weights: the heat kernel of its edges, ones, or given weights."""

from __future__ import annotations

from typing import Any, Literal

import scipy.sparse as sp

from ..kernel import edge_gamma, gamma_from
from ..relation import EdgeWeighting
from ..values import Metric, NeighborGraph
from .graph_estimator import GraphEstimator
from .parameters import learned, method, parameter


@method
class WeightedEstimator(GraphEstimator):
    """Methods of weighted graphs: edges weigh exp(-gamma d^2), 1, or what was given."""

    weights: Literal["heat", "binary", "given"] = parameter(
        default="heat",
        choices=("heat", "binary", "given"),
        help="edge weights: exp(-gamma d^2), 1, or 'given' by a precomputed table of weights",
    )
    gamma: float | None = parameter(
        default=None, kind=float, above=0, optional=True, help="heat kernel exp(-gamma d^2)"
    )
    sigma: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="heat kernel exp(-d^2 / (2 sigma^2))",
    )
    t: float | None = parameter(
        default=None, kind=float, above=0, optional=True, help="heat kernel exp(-d^2 / t)"
    )

    gamma_: float | None = learned(help="gamma of the heat kernel, None where there is none")
    _weighting: EdgeWeighting = learned()

    def _check_input(self, X: Any, *, reset: bool) -> Any:
        if self.weights != "given":
            return super()._check_input(X, reset=reset)
        if self.metric != "precomputed" or self.n_neighbors is not None or self.radius is not None:
            raise ValueError(
                "weights='given' takes a table of weights as it is: pass metric='precomputed' and "
                "neither n_neighbors nor radius"
            )
        table = sp.csr_array(super()._check_input(X, reset=reset))
        table.eliminate_zeros()  # no weight, no edge
        if reset:
            self._X = table
        return table

    def _neighbor_graph(self, metric: Metric) -> NeighborGraph:
        """Return the graph, and choose how its edges weigh by their lengths."""
        neighbors = super()._neighbor_graph(metric)
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if self.weights != "heat" and gamma is not None:
            raise ValueError(f"weights={self.weights!r} has no width: leave gamma, sigma, t out")
        if self.weights == "heat" and gamma is None:
            gamma = edge_gamma(neighbors.distances)
        self.gamma_ = gamma
        self._weighting = EdgeWeighting(self.weights, 0.0 if gamma is None else gamma)
        return neighbors
