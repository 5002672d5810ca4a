"""Relations by the weights of edges: graph Laplacians, diffusion, and commute times.

Near points are joined by heavy edges, and a random walk steps along them; smooth functions on the
graph become the coordinates. A query point is a step of the walk from it: its transition
probabilities to the points it sees.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import MatrixRankWarning, spsolve

from .. import problem
from ..extension import walk_rows
from ..runtime import advise, claim
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph, Spectrum
from .chart import Component, Queries

FORGOTTEN = 1e-6  # of 1 - value: after one step of the walk such a coordinate is rounding only
FAINTEST = 1e-100  # a weight that underflows to zero would cut the graph in silence
FAINT = 1e-10  # of the median degree: below, rounding is larger than what a solver finds
WIDEST = 200.0  # logarithm of a density's power: products of two are then 1e-174 to 1e174
ROUNDED = 1e-8  # of a vector's largest entry: below, more than half of the digits are rounding
RANK = 7  # the neighbour whose distance is a point's own bandwidth


class EdgeWeighting(Protocol):
    """What an edge weighs."""

    def among(self, members: Array) -> EdgeWeighting:
        """Return the weighting of the edges among some of the points, renumbered."""
        ...

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return the weight of each edge between fitted points."""
        ...

    def weigh_queries(self, seen: NeighborGraph) -> Array:
        """Return the weight of each edge from a query point to a fitted one."""
        ...


@dataclass(frozen=True, slots=True)
class PlainWeights:
    """Every edge weighs 1."""

    def among(self, members: Array) -> PlainWeights:
        """Return the same."""
        return self

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return ones."""
        return np.ones(graph.n_edges)

    def weigh_queries(self, seen: NeighborGraph) -> Array:
        """Return ones."""
        return np.ones(seen.n_edges)


@dataclass(frozen=True, slots=True)
class GivenWeights:
    """What was given as the length of an edge is its weight."""

    def among(self, members: Array) -> GivenWeights:
        """Return the same."""
        return self

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return the lengths."""
        return graph.distances

    def weigh_queries(self, seen: NeighborGraph) -> Array:
        """Return the lengths."""
        return seen.distances


@dataclass(frozen=True, slots=True)
class HeatWeights:
    """exp(-gamma d^2): one bandwidth for all edges."""

    gamma: float

    def among(self, members: Array) -> HeatWeights:
        """Return the same."""
        return self

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return the heat kernel of the lengths."""
        return _keep_joined(np.exp(-self.gamma * graph.distances**2))

    def weigh_queries(self, seen: NeighborGraph) -> Array:
        """Return the heat kernel of the lengths."""
        return self.weigh(seen)


@dataclass(frozen=True, slots=True)
class SelfTuningWeights:
    """exp(-d^2 / (s_i s_j)), s the distance to the 7th neighbour (Zelnik-Manor and Perona 2004).

    Where points lie thin their bandwidth is wide: one width for all would leave them unattached.
    """

    scales: Array

    @classmethod
    def of(cls, graph: NeighborGraph) -> SelfTuningWeights:
        """Return the weighting by the scales of a graph, whose rows are sorted by distance."""
        scales = _local_scales(graph)
        positive = scales[scales > 0.0]
        usual = float(np.median(positive)) if len(positive) else 1.0
        return cls(np.where(scales > 0.0, scales, usual))

    def among(self, members: Array) -> SelfTuningWeights:
        """Return the weighting with the scales of these points."""
        return SelfTuningWeights(self.scales[members])

    def weigh(self, graph: NeighborGraph) -> Array:
        """Return the weights of edges between fitted points."""
        return self._weights(graph, self.scales)

    def weigh_queries(self, seen: NeighborGraph) -> Array:
        """Return the weights of query points, each by a scale of its own."""
        scales = _local_scales(seen)
        return self._weights(seen, np.where(scales > 0.0, scales, float(self.scales.min())))

    def _weights(self, graph: NeighborGraph, row_scales: Array) -> Array:
        # one division after the other: the product of two scales may leave the range of numbers
        ratio = graph.distances / row_scales[graph.rows]
        ratio *= graph.distances / self.scales[graph.neighbors]
        return _keep_joined(np.exp(-ratio))


@dataclass(frozen=True, slots=True)
class AdaptiveGaussianWeights(SelfTuningWeights):
    """sqrt(2 s_i s_j / (s_i^2 + s_j^2)) exp(-d^2 / (s_i^2 + s_j^2)) (Haghverdi et al. 2016).

    The overlap of two Gaussians, each as wide as the points lie thin around its center: even a
    point far from all others stays attached to them.
    """

    def among(self, members: Array) -> AdaptiveGaussianWeights:
        """Return the weighting with the scales of these points."""
        return AdaptiveGaussianWeights(self.scales[members])

    def _weights(self, graph: NeighborGraph, row_scales: Array) -> Array:
        here, there = row_scales[graph.rows], self.scales[graph.neighbors]
        wide = np.hypot(here, there)
        overlap = np.sqrt(2.0 * (here / wide) * (there / wide))
        weights = overlap * np.exp(-np.square(graph.distances / wide))
        return _keep_joined(weights)


def _keep_joined(weights: Array) -> Array:
    """Return the weights, none of them zero; tell of edges that thereby all count alike."""
    faint = int(np.count_nonzero(weights < FAINTEST))
    if faint == 0:
        return weights
    advise(
        f"{faint} of {len(weights)} edges are so long for the heat kernel that they weigh less "
        f"than {FAINTEST:g}; they keep the graph joined with that weight, whatever their length: "
        "widen the bandwidth, or leave points far from all others out"
    )
    return np.asarray(np.maximum(weights, FAINTEST))


def _local_scales(graph: NeighborGraph) -> Array:
    """Return the distance of each point to its 7th neighbour, or its last if it has fewer.

    Zero for a point without any other place among those; copies of it are passed over.
    """
    scales = np.zeros(graph.n_points)
    last = np.minimum(graph.counts, RANK) - 1
    has = last >= 0
    scales[has] = graph.distances[graph.starts[:-1][has] + last[has]]
    crowded = has & (scales == 0.0)
    scales[crowded] = graph.distances[graph.starts[1:][crowded] - 1]
    return scales


def settle_faint_points(weights: sp.csr_array, spectrum: Spectrum) -> Array:
    """Return the vectors of L y = value D y with exact entries where the degree is next to nothing.

    A solver finds sqrt(D) y to rounding; where D is some 1e-30 that says nothing of y. But there
    y obeys (1 - value) y = P y, with P the transition probabilities, as everywhere, and the few
    such points follow from the others.
    """
    degree = np.asarray(weights.sum(axis=1)).ravel()
    is_faint = degree < FAINT * np.median(degree)
    vectors = np.array(spectrum.vectors)
    for column, value in enumerate(spectrum.values if is_faint.any() else ()):
        found = np.sqrt(degree) * np.abs(vectors[:, column])
        # a vector may live on faint points themselves: what is large there is no rounding
        faint = np.flatnonzero(is_faint & (found < ROUNDED * found.max()))
        steps = sp.csr_array(sp.diags_array(1.0 / degree[faint]) @ weights[faint])
        vectors[faint, column] = 0.0
        outside = steps @ vectors[:, column]
        system = sp.csc_array((1.0 - value) * sp.eye_array(len(faint)) - steps[:, faint])
        vectors[faint, column] = _solved(system, outside)
    return np.where(np.isfinite(vectors), vectors, 0.0)


def _solved(system: sp.csc_array, right: Array) -> Array:
    """Return the solution; what is not finite where there is none: points see only each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatrixRankWarning)
        return np.asarray(spsolve(system, right)) if len(right) else right


def _with_loops(weights: sp.csr_array, loops: Array, masses: Array | None) -> sp.csr_array:
    """Return the weights with those of points to themselves, of all copies together."""
    whole = sp.csr_array(weights + sp.diags_array(loops)) if loops.any() else weights
    if masses is None:
        return whole
    return sp.csr_array(sp.diags_array(masses) @ whole @ sp.diags_array(masses))


def _copies_of(weights: Array, seen: NeighborGraph, masses: Array | None) -> Array:
    """Return the weights of edges from query points with all copies of the points they lead to."""
    return weights if masses is None else weights * masses[seen.neighbors]


@dataclass(frozen=True, slots=True)
class LaplacianRelation:
    """Weights W of a graph, whose Laplacian D - W penalises what differs along heavy edges.

    Where points have copies (``masses``) the weight of an edge is that between all copies of both.
    """

    weighting: EdgeWeighting
    weights: sp.csr_array
    normalization: problem.Normalization
    masses: Array | None = None

    @classmethod
    def of(
        cls,
        component: Component,
        weighting: EdgeWeighting,
        loops: Array,
        normalization: problem.Normalization,
    ) -> LaplacianRelation:
        """Return the relation of a component; ``loops`` are weights of points to themselves."""
        own, graph, masses = weighting.among(component.members), component.graph, component.masses
        weights = _with_loops(graph.with_weights(own.weigh(graph)), loops, masses)
        return cls(own, weights, normalization, masses)

    def problem(self) -> EigenProblem:
        """State L y = value D y, or the variant that the normalization names."""
        return problem.laplacian(self.weights, self.normalization, self.masses)

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the transition probabilities of query points; "symmetric" scales by degrees."""
        seen = queries.neighbors
        weights = _copies_of(self.weighting.weigh_queries(seen), seen, self.masses)
        rows = walk_rows(seen, weights)
        if self.normalization == "symmetric":
            # u = sqrt(D) y: the walk average of y = u / sqrt(D), scaled back by the query's degree
            degree = np.asarray(self.weights.sum(axis=1)).ravel()
            degree = degree if self.masses is None else degree / self.masses
            own = np.bincount(seen.rows, weights=weights, minlength=seen.n_points)
            rows.data *= np.sqrt(own[seen.rows] / degree[seen.neighbors])
        return rows

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return 1 - value: what a step of the walk leaves of each coordinate."""
        if self.normalization != "unnormalized":
            left = 1.0 - eigenvalues
            return np.where(np.abs(left) > FORGOTTEN, left, 0.0)
        seen = queries.neighbors
        weights = _copies_of(self.weighting.weigh_queries(seen), seen, self.masses)
        degree = np.bincount(seen.rows, weights=weights, minlength=seen.n_points)
        left = 1.0 - eigenvalues / degree[:, None]
        # a point so loosely tied that L's own scale exceeds its degree gets the plain average
        return np.where(left > 1e-3, left, 1.0)


def _divided_density(degree: Array, alpha: float) -> Array:
    """Return degree^-alpha, up to a factor, which no walk sees; ValueError where that overflows."""
    logs = np.log(degree)
    logs -= logs.mean()
    most = float(np.abs(logs).max())
    if alpha * most > WIDEST:
        raise ValueError(
            f"alpha={alpha:g} divides out densities that reach over {np.exp(most):.1e} times their "
            f"mean, and powers of that overflow; use alpha below {WIDEST / most:.3g}"
        )
    return np.asarray(np.exp(-alpha * logs))


@dataclass(frozen=True, slots=True)
class DiffusionRelation:
    """A heat kernel from which a power of the sampling density is divided out.

    ``density`` holds that factor for each point; ``kernel`` is what is left, symmetric, and its
    rows over their sums are the transition probabilities of the walk. Where points have copies
    (``masses``) it is that between all copies of both.
    """

    weighting: EdgeWeighting
    density: Array
    kernel: sp.csr_array
    masses: Array | None = None

    @classmethod
    def of(
        cls, component: Component, weighting: EdgeWeighting, loops: Array, alpha: float
    ) -> DiffusionRelation:
        """Return the relation of a component; ``loops`` let the walk stay where it is."""
        own, graph, masses = weighting.among(component.members), component.graph, component.masses
        heat = _with_loops(graph.with_weights(own.weigh(graph)), loops, masses)
        degree = np.asarray(heat.sum(axis=1)).ravel()
        density = _divided_density(degree if masses is None else degree / masses, alpha)
        kernel = sp.csr_array(sp.diags_array(density) @ heat @ sp.diags_array(density))
        return cls(own, density, kernel, masses)

    @property
    def visits(self) -> Array:
        """How much time the walk spends at each point, up to a factor: the sums of the rows."""
        return np.asarray(self.kernel.sum(axis=1)).ravel()

    @property
    def volume(self) -> float:
        """Sum of all entries of the kernel."""
        return float(self.kernel.sum())

    def problem(self) -> EigenProblem:
        """State D - K, mass D: the walk's values crowd near 1, and here they are found fast."""
        return replace(problem.laplacian(self.kernel), unit="complement")

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the transition probabilities of query points."""
        seen = queries.neighbors
        weights = self.weighting.weigh_queries(seen) * self.density[seen.neighbors]
        return walk_rows(seen, _copies_of(weights, seen, self.masses))

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return the eigenvalues of the walk."""
        return eigenvalues


def commute_time_distances(weights: Any) -> Array:
    """Return the expected number of steps of a walk from i to j and back, for all pairs.

    c(i, j) = vol (L+_ii + L+_jj - 2 L+_ij) with L+ the pseudo-inverse of D - W and vol the sum of
    all weights (Mohri et al. 2012, section 15.3.2; Izenman 2013, eq. 16.58).

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric, non-negative weights of a connected graph.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        The commute times.

    Examples
    --------
    >>> from unspool import commute_time_distances
    >>> commute_time_distances([[0.0, 1.0], [1.0, 0.0]]).round(12)
    array([[0., 2.],
           [2., 0.]])
    """
    table = sp.csr_array(weights, dtype=np.float64)
    n = table.shape[0]
    if table.shape[0] != table.shape[1] or abs(table - table.T).max() > 1e-10 * abs(table).max():
        raise ValueError("weights must be a square symmetric table")
    if table.nnz and table.data.min() < 0.0:
        raise ValueError(f"weights must not be negative; the smallest is {table.data.min():.6g}")
    claim(3 * n * n * 8, f"the {n} x {n} commute times", "take a sample of the points")
    spectrum = solve(problem.laplacian(table, "unnormalized"), n - 1)
    if spectrum.values[0] <= 1e-12 * spectrum.values[-1]:
        raise ValueError("the graph is not connected, so some commute times are infinite")
    scaled = spectrum.vectors / np.sqrt(spectrum.values)
    own = np.square(scaled).sum(axis=1)
    times = own[:, None] + own[None, :] - 2.0 * (scaled @ scaled.T)
    np.fill_diagonal(times, 0.0)
    return np.asarray(np.maximum(times, 0.0) * table.sum())
