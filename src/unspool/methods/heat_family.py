"""Methods whose graph carries weights: heat kernel of the edge lengths, ones, or the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import extension, problem
from ..extension import Chart
from ..kernel import edge_gamma, gamma_from
from ..values import Array, EigenProblem, NeighborGraph
from .graph_family import GraphMethod
from .parameters import learned, method, parameter

FORGOTTEN = 1e-6  # of 1 - value: after one step of the walk such a coordinate is rounding only
FAINTEST = 1e-100  # a weight that underflows to zero would cut the graph in silence


@method
class HeatMethod(GraphMethod):
    """Edges weigh exp(-gamma d^2), 1, or what a precomputed table of weights says."""

    weights: str = parameter(
        "heat",
        choices=("heat", "binary", "given"),
        help="edge weights: exp(-gamma d^2), 1, or 'given' by a precomputed table of weights",
    )
    gamma: float | None = parameter(
        None, kind=float, above=0, optional=True, help="heat kernel exp(-gamma d^2)"
    )
    sigma: float | None = parameter(
        None, kind=float, above=0, optional=True, help="heat kernel exp(-d^2 / (2 sigma^2))"
    )
    t: float | None = parameter(
        None, kind=float, above=0, optional=True, help="heat kernel exp(-d^2 / t)"
    )

    gamma_: float | None = learned()

    def _checked(self, X: Any, *, reset: bool) -> Any:
        if self.weights != "given":
            return super()._checked(X, reset=reset)
        if self.metric != "precomputed" or self.n_neighbors is not None or self.radius is not None:
            raise ValueError(
                "weights='given' takes a table of weights as it is: pass metric='precomputed' and "
                "neither n_neighbors nor radius"
            )
        table = super()._checked(X, reset=reset)
        table = sp.csr_array(table)
        table.eliminate_zeros()  # no weight, no edge
        if reset:
            self._given = table
        return table

    def _neighbors(self, given: Any) -> NeighborGraph:
        neighbors = super()._neighbors(given)
        gamma = self._given_gamma()
        if self.weights != "heat" and gamma is not None:
            raise ValueError(f"weights={self.weights!r} has no width: leave gamma, sigma, t out")
        if self.weights == "heat" and gamma is None:
            gamma = edge_gamma(neighbors.distances)
        self.gamma_ = gamma
        return neighbors

    def _given_gamma(self) -> float | None:
        return gamma_from(self.gamma, self.sigma, self.t)

    def _edge_weights(self, distances: Array) -> Array:
        if self.weights == "given":
            return distances
        if self.gamma_ is None:
            return np.ones(len(distances))
        return np.maximum(np.exp(-self.gamma_ * distances**2), FAINTEST)


@method
class LaplacianMethod(HeatMethod):
    """Weighted graph -> D - W -> its smooth vectors; new points by walk averages."""

    laplacian: str = parameter(
        "random-walk",
        choices=("random-walk", "symmetric", "unnormalized"),
        help="L y = value D y, D^-1/2 L D^-1/2, or L itself",
    )

    def _problem(self, neighbors: NeighborGraph) -> tuple[EigenProblem, sp.csr_array]:
        weights = neighbors.with_weights(self._edge_weights(neighbors.distances))
        return problem.laplacian(weights, self.laplacian), weights  # type: ignore[arg-type]

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        weights = self._edge_weights(towards.distances)
        rows = extension.walk_rows(towards, weights)
        lasting = np.where(np.abs(chart.multipliers) > FORGOTTEN, chart.multipliers, 0.0)
        if self.laplacian == "random-walk":
            return rows, lasting
        degree = np.bincount(towards.rows, weights=weights, minlength=towards.n_points)
        if self.laplacian == "symmetric":
            # u = sqrt(D) y: the walk average of y = u / sqrt(D), scaled back by the new degree
            old_degree = np.asarray(chart.relation.sum(axis=1)).ravel()
            rows.data *= np.sqrt(degree[towards.rows] / old_degree[towards.neighbors])
            return rows, lasting
        divisors = 1.0 - chart.values / degree[:, None]
        # a point so loosely tied that L's own scale exceeds its degree gets the plain average
        return rows, np.where(divisors > 1e-3, divisors, 1.0)
