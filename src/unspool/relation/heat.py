"""Relations by the weights of edges: graph Laplacians, diffusion, and commute times.

Near points are joined by heavy edges, and a random walk steps along them; smooth functions on the
graph become the coordinates. A query point is a step of the walk from it: its transition
probabilities to the points it sees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..extension import walk_rows
from ..runtime import claim
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph
from .chart import Queries

FORGOTTEN = 1e-6  # of 1 - value: after one step of the walk such a coordinate is rounding only
FAINTEST = 1e-100  # a weight that underflows to zero would cut the graph in silence


@dataclass(frozen=True, slots=True)
class EdgeWeighting:
    """What an edge weighs: exp(-gamma d^2) of its length, 1, or what was given as its length."""

    kind: Literal["heat", "binary", "given"]
    gamma: float

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return the weight of each edge."""
        if self.kind == "given":
            return graph.distances
        if self.kind == "binary":
            return np.ones(graph.n_edges)
        return np.maximum(np.exp(-self.gamma * graph.distances**2), FAINTEST)


@dataclass(frozen=True, slots=True)
class LaplacianRelation:
    """Weights W of a graph, whose Laplacian D - W penalises what differs along heavy edges."""

    weighting: EdgeWeighting
    weights: sp.csr_array
    normalization: problem.Normalization

    @classmethod
    def of(
        cls, graph: NeighborGraph, weighting: EdgeWeighting, normalization: problem.Normalization
    ) -> LaplacianRelation:
        """Return the relation of a connected graph."""
        return cls(weighting, graph.with_weights(weighting.weigh(graph)), normalization)

    def problem(self) -> EigenProblem:
        """State L y = value D y, or the variant that the normalization names."""
        return problem.laplacian(self.weights, self.normalization)

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the transition probabilities of query points; "symmetric" scales by degrees."""
        seen = queries.neighbors
        weights = self.weighting.weigh(seen)
        rows = walk_rows(seen, weights)
        if self.normalization == "symmetric":
            # u = sqrt(D) y: the walk average of y = u / sqrt(D), scaled back by the query's degree
            degree = np.asarray(self.weights.sum(axis=1)).ravel()
            own = np.bincount(seen.rows, weights=weights, minlength=seen.n_points)
            rows.data *= np.sqrt(own[seen.rows] / degree[seen.neighbors])
        return rows

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return 1 - value: what a step of the walk leaves of each coordinate."""
        if self.normalization != "unnormalized":
            left = 1.0 - eigenvalues
            return np.where(np.abs(left) > FORGOTTEN, left, 0.0)
        seen = queries.neighbors
        weights = self.weighting.weigh(seen)
        degree = np.bincount(seen.rows, weights=weights, minlength=seen.n_points)
        left = 1.0 - eigenvalues / degree[:, None]
        # a point so loosely tied that L's own scale exceeds its degree gets the plain average
        return np.where(left > 1e-3, left, 1.0)


@dataclass(frozen=True, slots=True)
class DiffusionRelation:
    """A heat kernel from which a power of the sampling density is divided out.

    ``density`` holds that factor for each point; ``kernel`` is what is left, symmetric, and its
    rows over their sums are the transition probabilities of the walk.
    """

    weighting: EdgeWeighting
    density: Array
    kernel: sp.csr_array

    @classmethod
    def of(
        cls, graph: NeighborGraph, weighting: EdgeWeighting, alpha: float, loops: bool
    ) -> DiffusionRelation:
        """Return the relation of a connected graph; ``loops`` let the walk stay where it is."""
        heat = graph.with_weights(weighting.weigh(graph))
        if loops:
            heat = sp.csr_array(heat + sp.eye_array(graph.n_points))
        density = np.asarray(heat.sum(axis=1)).ravel() ** -alpha
        kernel = sp.csr_array(sp.diags_array(density) @ heat @ sp.diags_array(density))
        return cls(weighting, density, kernel)

    @property
    def volume(self) -> float:
        """Sum of all entries of the kernel."""
        return float(self.kernel.sum())

    def problem(self) -> EigenProblem:
        """State D - K, mass D: the walk's values crowd near 1, and here they are found fast."""
        return replace(problem.laplacian(self.kernel), unit=lambda values: 1.0 - values)

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the transition probabilities of query points."""
        seen = queries.neighbors
        return walk_rows(seen, self.weighting.weigh(seen) * self.density[seen.neighbors])

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return the eigenvalues of the walk."""
        return eigenvalues


def commute_time_distances(weights: Any) -> Array:
    """Return the expected number of steps of a walk from i to j and back, for all pairs.

    c(i, j) = vol (L+_ii + L+_jj - 2 L+_ij) with L+ the pseudo-inverse of D - W and vol the sum of
    all weights (Mohri et al. 2012, section 15.3.2; Izenman 2013, eq. 16.58).

    Parameters
    ----------
    weights : array or sparse matrix of shape (n, n)
        Symmetric, non-negative weights of a connected graph.

    Returns
    -------
    ndarray of shape (n, n)
        Commute times, zero on the diagonal.

    Examples
    --------
    >>> from unspool import commute_time_distances
    >>> commute_time_distances([[0.0, 1.0], [1.0, 0.0]])
    array([[0., 2.],
           [2., 0.]])
    """
    table = sp.csr_array(weights, dtype=np.float64)
    n = table.shape[0]
    if table.shape[0] != table.shape[1] or abs(table - table.T).max() > 1e-10 * abs(table).max():
        raise ValueError("weights must be a square symmetric table")
    claim(3 * n * n * 8, f"the {n} x {n} commute times", "take a sample of the points")
    spectrum = solve(problem.laplacian(table, "unnormalized"), n - 1)
    if spectrum.values[0] <= 1e-12 * spectrum.values[-1]:
        raise ValueError("the graph is not connected, so some commute times are infinite")
    scaled = spectrum.vectors / np.sqrt(spectrum.values)
    own = np.square(scaled).sum(axis=1)
    times = own[:, None] + own[None, :] - 2.0 * (scaled @ scaled.T)
    np.fill_diagonal(times, 0.0)
    return np.asarray(np.maximum(times, 0.0) * table.sum())
