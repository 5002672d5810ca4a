"""Laplacian eigenmaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import extension, problem
from ..extension import Chart
from ..kernel import edge_gamma, gamma_from
from ..spectrum import solve
from ..values import Array, NeighborGraph
from ._graph import GraphMethod
from ._parameters import learned, method, parameter


@method
class LaplacianEigenmaps(GraphMethod):
    """Laplacian eigenmaps: the map that keeps neighbours together (S0 4.2.2; S2; S3 15.3.2).

    Minimises sum_ij w_ij |y_i - y_j|^2 under Y'DY = I, which L y = value D y solves. Weights are
    the heat kernel of the edge lengths, its width given by exactly one of ``gamma``, ``sigma``,
    ``t`` (default: t = mean squared edge length), or 1. A new point is the walk average of its
    neighbours, divided by 1 - value.

    Attributes: ``eigenvalues_``, ``gamma_``.

    >>> from unspool import LaplacianEigenmaps, datasets
    >>> LaplacianEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    weights: str = parameter(
        "heat", choices=("heat", "binary"), help="edge weights: exp(-gamma d^2), or 1"
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
    laplacian: str = parameter(
        "random-walk",
        choices=("random-walk", "symmetric", "unnormalized"),
        help="L y = value D y, D^-1/2 L D^-1/2, or L itself",
    )

    gamma_: float | None = learned()

    def _neighbors(self, given: Any) -> NeighborGraph:
        neighbors = super()._neighbors(given)
        gamma = gamma_from(self.gamma, self.sigma, self.t)
        if self.weights == "heat":
            self.gamma_ = edge_gamma(neighbors.distances) if gamma is None else gamma
        elif gamma is not None:
            raise ValueError("weights='binary' has no width; leave gamma, sigma and t out")
        else:
            self.gamma_ = None
        return neighbors

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        weights = neighbors.with_weights(self._edge_weights(neighbors.distances))
        eigenproblem = problem.laplacian(weights, self.laplacian)  # type: ignore[arg-type]
        count = min(self.n_components, len(members) - 1)
        spectrum = solve(eigenproblem, count, seed=self.random_state)
        return Chart(members, spectrum.vectors, spectrum.values, 1.0 - spectrum.values, weights)

    def _edge_weights(self, distances: Array) -> Array:
        if self.gamma_ is None:
            return np.ones(len(distances))
        # far edges keep a positive weight: a weight that underflows would cut the graph in silence
        return np.maximum(np.exp(-self.gamma_ * distances**2), 1e-100)

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        weights = self._edge_weights(towards.distances)
        rows = extension.walk_rows(towards, weights)
        if self.laplacian == "random-walk":
            return rows, chart.multipliers
        degree = np.bincount(towards.rows, weights=weights, minlength=towards.n_points)
        if self.laplacian == "symmetric":
            # u = sqrt(D) y: the walk average of y = u / sqrt(D), scaled back by the new degree
            old_degree = np.asarray(chart.relation.sum(axis=1)).ravel()
            rows.data *= np.sqrt(degree[towards.rows] / old_degree[towards.neighbors])
            return rows, chart.multipliers
        divisors = 1.0 - chart.values / degree[:, None]
        return rows, np.where(divisors > 1e-3, divisors, 1.0)

    def kernel_(self) -> Array:
        """Return the pseudo-inverse of the largest piece's Laplacian (S4 16.58; S3 15.3.2).

        Kernel PCA of it gives the map up to a factor a coordinate; for ``laplacian="random-walk"``
        it is that of D^-1/2 L D^-1/2, whose vectors are sqrt(D) times the map.
        """
        kind = "symmetric" if self.laplacian == "random-walk" else self.laplacian
        eigenproblem = problem.laplacian(self.charts_[0].relation, kind)  # type: ignore[arg-type]
        spectrum = solve(eigenproblem, eigenproblem.size - 1)
        return np.asarray((spectrum.vectors / spectrum.values) @ spectrum.vectors.T)
