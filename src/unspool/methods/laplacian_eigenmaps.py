"""Laplacian eigenmaps, and what methods of weighted graphs share.

How functions on data spread along such a graph (heat flow), and how much they bend (curviness).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, expm_multiply, spsolve

from .. import distances, problem
from ..kernel import edge_gamma, gamma_from
from ..problem import Normalization
from ..relation import (
    FAINTEST,
    Component,
    EdgeWeighting,
    GivenWeights,
    HeatWeights,
    LaplacianRelation,
    PlainWeights,
    SelfTuningWeights,
    settle_faint_points,
)
from ..runtime import warn
from ..scale.patches import claim_room
from ..scale.sources import Source
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph, Spectrum, refuse_cells
from .door import WEIGHTS_OR_DISTANCES, check_table
from .graph_estimator import GraphEstimator
from .parameters import VectorChoice, learned, method, parameter

NORMALIZATIONS: tuple[Normalization, ...] = ("random-walk", "symmetric", "unnormalized")
UNDIRECTED = 1.6  # edges of a point for each of its nearest neighbours
NARROW = 1e-8  # weight of half of the edges, below which a map is not worth looking at
WHICH = "L y = value D y, D^-1/2 L D^-1/2, or L itself"
BATCH = 2_000  # neighbourhoods whose quadratics are fitted together


@method
class WeightedEstimator(GraphEstimator):
    """Methods of weighted graphs: edges weigh exp(-gamma d^2), 1, or what was given."""

    weights: Literal["heat", "binary", "given"] = parameter(
        default="heat",
        choices=("heat", "binary", "given"),
        help="edge weights: exp(-gamma d^2), 1, or 'given' by a precomputed table of weights",
    )
    bandwidth: Literal["local", "global"] = parameter(
        default="local",
        choices=("local", "global"),
        help="of the heat kernel, unless gamma, sigma or t says it: 'local' is exp(-d^2 / s_i s_j) "
        "with s the distance to the 7th neighbour (Zelnik-Manor and Perona 2004), 'global' is "
        "exp(-d^2 / t) with t the mean squared edge length",
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

    gamma_: float | None = learned(
        help="gamma of the heat kernel, None where there is no single one"
    )
    _weighting: EdgeWeighting = learned()

    _TABLES = WEIGHTS_OR_DISTANCES
    _SELF_TUNING: ClassVar[type[SelfTuningWeights]] = SelfTuningWeights

    def _search_space(self, X: Any) -> Any:
        return self._without_zeros(X)

    def _loops(self, members: Array) -> Array:
        """Return the weights that points have to themselves, which count for their degree."""
        if self.weights != "given":
            return np.zeros(len(members))
        given: sp.csr_array = self._space
        return np.asarray(given.diagonal()[members])

    def _query_space(self, X: Any) -> Any:
        return self._without_zeros(X)

    def _without_zeros(self, X: Any) -> Any:
        """Return given weights as a sparse table: no weight, no edge."""
        if self.weights != "given":
            return X
        if self.metric != "precomputed" or self.n_neighbors is not None or self.radius is not None:
            raise ValueError(
                "weights='given' takes a table of weights as it is: pass metric='precomputed' and "
                "neither n_neighbors nor radius"
            )
        table = sp.csr_array(X, copy=True)
        table.eliminate_zeros()
        return table

    def _claim_memory(self, n_points: int, n_neighbors: float) -> None:
        if isinstance(self._X, Source) and n_neighbors > 0.0:
            claim_room(n_points, UNDIRECTED * n_neighbors)

    def _weigh(self, neighbors: NeighborGraph) -> None:
        self._weighting = self._choose_weighting(neighbors)

    def _affinities(self) -> sp.csr_array:
        """Return the weight of every pair of rows; copies have the weights of their point."""
        n = len(self._copies.first)
        whole = sp.csr_array((n, n))
        for chart in self.charts_:
            relation: Any = chart.relation
            part = sp.coo_array(relation.weights)
            rows, columns, weights = part.row, part.col, part.data
            if relation.masses is not None:  # one edge stands for those of all copies
                weights = weights / (relation.masses[rows] * relation.masses[columns])
            where = chart.members[rows], chart.members[columns]
            whole = whole + sp.coo_array((weights, where), shape=(n, n)).tocsr()
        shown = self._copies.point_of
        return sp.csr_array(whole[shown][:, shown] if self._copies.exist else whole)

    def _choose_weighting(self, neighbors: NeighborGraph) -> EdgeWeighting:
        """Return how edges weigh: by one bandwidth, by one per point, or not by their length."""
        self.gamma_ = gamma_from(self.gamma, self.sigma, self.t)
        if self.weights != "heat":
            if self.gamma_ is not None:
                raise ValueError(
                    f"weights={self.weights!r} has no width: leave gamma, sigma, t out"
                )
            return GivenWeights() if self.weights == "given" else PlainWeights()
        if self.gamma_ is None and self.bandwidth == "local":
            return self._SELF_TUNING.of(neighbors)
        if self.gamma_ is None:
            self.gamma_ = edge_gamma(neighbors.distances)
        weighting = HeatWeights(self.gamma_)
        _warn_if_narrow(weighting.weigh(neighbors), neighbors)
        return weighting


def _warn_if_narrow(weights: Array, neighbors: NeighborGraph) -> None:
    """Tell if the heat kernel hardly reaches along the edges: then nothing holds a map together."""
    if len(weights) and float(np.median(weights)) < NARROW:
        typical = float(np.median(neighbors.distances))
        warn(
            f"the heat kernel is so narrow that half of the edges weigh less than {NARROW:g}: what "
            f"holds the map together is rounding; choose sigma near the median edge length "
            f"{typical:.3g}, or leave the bandwidth to be found"
        )
    elif len(weights) and float(weights.min()) <= FAINTEST:
        warn(
            f"{int(np.count_nonzero(weights <= FAINTEST))} of {len(weights)} edges weigh less than "
            f"{FAINTEST:g} by this bandwidth and count as that, whatever their length; widen it, "
            "or leave the bandwidth to be found"
        )


@method
class LaplacianEigenmaps(VectorChoice, WeightedEstimator):
    """Laplacian eigenmaps: the map that keeps neighbours together (Belkin and Niyogi 2001).

    Minimises sum_ij w_ij |y_i - y_j|^2 under Y'DY = I, which L y = value D y solves (Vidal, Ma,
    Sastry 2016, section 4.2.2). Weights are the heat kernel of the edge lengths, by default with a
    bandwidth of each point's own, or of the one width that ``gamma``, ``sigma`` or ``t`` gives; or
    1, or given. A query point is the average of its neighbours by the transition probabilities of a
    random walk, divided by 1 - value.

    Examples
    --------
    >>> from unspool import LaplacianEigenmaps, datasets
    >>> LaplacianEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    laplacian: Normalization = parameter(default="random-walk", choices=NORMALIZATIONS, help=WHICH)

    @property
    def affinity_matrix_(self) -> sp.csr_array:
        """Weights of the edges between rows, as scikit-learn calls them."""
        return self._affinities()

    def _relate(self, component: Component, n_coordinates: int) -> LaplacianRelation:
        loops = self._loops(component.members)
        return LaplacianRelation.of(component, self._weighting, loops, self.laplacian)

    def _scale(
        self, spectrum: Spectrum, relation: LaplacianRelation, component: Component
    ) -> tuple[Array, Array]:
        width = self._width_beside_largest(component.members)
        if self.laplacian != "random-walk":
            return spectrum.values, width * spectrum.vectors
        return spectrum.values, width * settle_faint_points(relation.weights, spectrum)

    def _width_beside_largest(self, members: Array) -> float:
        """Return by how much a smaller component is drawn smaller, so that all are alike in width.

        Under Y'DY = I one of 12 points is 13 times as wide as one of 2,000, and that is then a dot
        on their map. Y'DY is the share of its points instead; of the largest it is I.
        """
        in_largest = self.component_labels_ == 0
        if in_largest[members].any():
            return 1.0
        return float(np.sqrt(len(members) / np.count_nonzero(in_largest)))

    def kernel_(self) -> Array:
        """Return the pseudo-inverse of the largest component's Laplacian.

        Kernel PCA of it gives the map up to a factor per coordinate; for
        ``laplacian="random-walk"`` it is that of D^-1/2 L D^-1/2, whose vectors are sqrt(D) times
        the map (Izenman 2013, eq. 16.58).

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of Laplacian eigenmaps.
        """
        chart: Any = self.charts_[0]
        eigenproblem = self._kernel_problem()
        spectrum = solve(eigenproblem, eigenproblem.size - 1, seed=self._seed)
        vectors = spectrum.vectors[self._copies.positions(chart.members)]
        return np.asarray((vectors / spectrum.values) @ vectors.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone, each the solution of a sparse system.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        stated: Any = self._kernel_problem()
        mass = np.ones(stated.size) if stated.mass is None else stated.mass
        constant = stated.trivial / np.sqrt(mass @ stated.trivial**2)
        # without one point the matrix is regular, and what it solves is right for that one too
        inner = sp.csc_array(stated.matrix[1:][:, 1:])

        def product(sums: Array) -> Array:
            solution = np.zeros(sums.shape)
            balanced = sums - mass[:, None] * constant * (constant.T @ sums)
            solution[1:] = spsolve(inner, balanced[1:]).reshape(len(sums) - 1, -1)
            return np.asarray(solution - constant * (constant.T @ (mass[:, None] * solution)))

        return self._spread_operator(product)

    def _kernel_problem(self) -> EigenProblem:
        """State the problem of the Laplacian whose pseudo-inverse is the kernel matrix."""
        relation: Any = self.charts_[0].relation
        kind: Normalization = "unnormalized" if self.laplacian == "unnormalized" else "symmetric"
        return problem.laplacian(relation.weights, kind, relation.masses)


def heat_flow(weights: Any, values: Any, t: float, *, normalized: bool = False) -> Array:
    """Return a function on a graph after heat has flowed along its edges for a time.

    Solves du/dt = -L u with L = D - W, or I - D^-1 W (Belkin and Niyogi 2001, eqs. 8-10): the
    solution is exp(-t L) u.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric weights of the edges, none negative.
    values : array-like of shape (n_samples,) or (n_samples, n_functions)
        The function at time 0.
    t : float
        Time.
    normalized : bool, default=False
        Whether heat flows as a random walk goes, by I - D^-1 W.

    Returns
    -------
    ndarray of the shape of ``values``
        The function at time t.

    Examples
    --------
    >>> from unspool import heat_flow
    >>> heat_flow([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], 100.0).round(6)
    array([0.5, 0.5])
    """
    given = check_table(weights, None, reset=True, kind="weights", sparse=True)
    table, heights = sp.csr_array(given), np.asarray(values, dtype=np.float64)
    if len(heights) != table.shape[0] or not np.isfinite(heights).all():
        raise ValueError(
            f"values must be finite, one row for each of the {table.shape[0]} points; got shape "
            f"{heights.shape}"
        )
    if not np.isfinite(t) or t < 0.0:
        raise ValueError(f"t must be a time of at least 0; got {t!r}")
    if abs(table - table.T).max() > 1e-8 * table.max():  # dense ones were looked at before
        raise ValueError("weights must be symmetric: heat flows both ways along an edge")
    degrees = np.asarray(table.sum(axis=1)).ravel()
    laplacian = sp.diags_array(degrees) - table
    if normalized:
        laplacian = sp.diags_array(1.0 / np.where(degrees > 0.0, degrees, 1.0)) @ laplacian
    flow = -float(t) * sp.csr_array(laplacian)
    return np.asarray(expm_multiply(flow, heights, traceA=float(flow.trace())))


def curviness(values: Any, X: Any, n_components: int = 2, n_neighbors: int = 15) -> float:
    """Return how much a function on a manifold bends: the mean squared size of its Hessian.

    In the neighbourhood of each point a quadratic of the tangent coordinates is fitted to the
    function; the squares of its second derivatives are added up, and averaged over the points
    (Izenman 2013, eqs. 16.51-16.52). Constants and coordinates that are isometric have none.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        The function at each point.
    X : array-like of shape (n_samples, n_features)
        The points.
    n_components : int, default=2
        Dimension of the manifold.
    n_neighbors : int, default=15
        Neighbours that a quadratic is fitted to.

    Returns
    -------
    float
        The average over the points of the sum of squared second derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import curviness
    >>> plane = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> round(curviness(plane[:, 0] ** 2 + plane[:, 1], plane), 6)
    4.0
    """
    refuse_cells(X)
    points, heights = np.asarray(X, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if points.ndim != 2 or heights.shape != (len(points),):
        raise ValueError(
            f"values must hold one number per point; got shapes {heights.shape} and {points.shape}"
        )
    needed = problem.members_needed(n_components) - 1
    if n_neighbors < needed:
        raise ValueError(f"n_neighbors={n_neighbors} fit no quadratic; use at least {needed}")
    near = distances.neighbor_graph(points, n_neighbors).neighbors.reshape(len(points), -1)
    members = np.column_stack([np.arange(len(points)), near])
    sums = [
        _squared_hessians(points[rows], heights[rows], n_components)
        for rows in np.array_split(members, max(1, len(members) // BATCH))
    ]
    return float(np.concatenate(sums).mean())


def _squared_hessians(clouds: Array, heights: Array, n_components: int) -> Array:
    """Return the sum of squared second derivatives of the quadratic of each neighbourhood."""
    clouds = clouds - clouds.mean(axis=1, keepdims=True)
    unit = problem.tangent_coordinates(clouds, n_components)
    lengths = np.linalg.norm(np.swapaxes(clouds, 1, 2) @ unit, axis=1)
    tangents = unit * lengths[:, None, :]
    size = np.maximum(np.abs(tangents).max(axis=(1, 2)), 1e-300)  # of each neighbourhood
    tangents = tangents / size[:, None, None]
    first, second = np.triu_indices(n_components)
    halves = np.where(first == second, 0.5, 1.0)
    quadratic = tangents[:, :, first] * tangents[:, :, second] * halves
    design = np.concatenate([np.ones((*heights.shape, 1)), tangents, quadratic], axis=2)
    found = (np.linalg.pinv(design) @ heights[:, :, None])[:, 1 + n_components :, 0]
    twice = np.where(first == second, 1.0, 2.0)  # a mixed derivative stands in two places
    return np.asarray((twice * found**2).sum(axis=1) / size**4)
