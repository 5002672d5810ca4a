"""Charting: a mixture of local Gaussians, and the affine maps that merge their coordinates.

Each Gaussian is a chart: its leading axes are local coordinates u, and its probability p(x) says
how far it speaks for a point. The map is y(x) = Σ p_k(x) (A_k u_k(x) + t_k). The affine maps of all
charts come from one generalized eigenproblem, which asks that charts agree where they overlap
(Brand 2003). With z(x) = [p_k (u_k, 1)] for all charts, Σ z z' = Z, and D its blocks of single
charts, Σ p_k (u_k, 1)(u_k, 1)', the disagreement of coefficients g is g'(D - Z)g, the variance of
their coordinate g'Zg: the largest eigenvalues θ of Z g = θ D g are wanted, and 1 - θ is the share
of a chart's variance that other charts deny.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.linalg import block_diag

from .. import distances, graph
from ..runtime import check_cancelled, stage
from ..spectrum import solve
from ..values import Array, EigenProblem
from .chart import Component, Queries

CHART_COLUMNS = 50  # principal ones that the Gaussians live in: covariances are squares of it
ROUNDS = 5  # in which centers and the points nearest to them are fitted in turn
RIDGE = 1e-12  # of the variance of a chart, so that every block can be inverted
BLOCK = 2**22  # numbers of points by charts by columns that are held at a time
HALVINGS = 25  # of the range of temperatures, and the powers of 2 it reaches to
WIDTH = 0.7  # of the root mean square distance of neighbours: the reach of a chart
FAR = 3.0  # reaches of a chart: points beyond count nothing for its covariance
LIKELY = 32  # charts of a point by which it is told how many speak
REACH = 3.0  # standard deviations that a chart extends from its center
FLAT = 1e-6  # of the largest: a direction with less has no length


@dataclass(frozen=True, slots=True)
class GaussianCharts:
    """Local Gaussians within the leading principal columns of the points.

    ``columns`` (p, w) turn points less ``mean`` into those columns. ``centers`` (K, w), ``axes``
    (K, d, w), one local coordinate a row, and ``spreads`` (K, d), their variances. ``whiteners``
    (K, w, w) turn a deviation from the center into one of unit variance in all directions, and
    ``log_volumes`` (K,) are the logarithms of their inverse determinants. Probabilities are powers
    of those of the Gaussians, the same for all charts of a point, so that ``overlap`` charts speak
    for it (the exponential of the entropy). ``matrix`` states the eigenproblem, with the
    coefficients of the constant as its ``trivial`` direction.
    """

    mean: Array
    columns: Array
    centers: Array
    axes: Array
    spreads: Array
    whiteners: Array
    log_volumes: Array
    overlap: float
    matrix: Array
    trivial: Array

    @property
    def count(self) -> int:
        """Number of charts."""
        return len(self.centers)

    def problem(self) -> EigenProblem:
        """State how far the charts agree."""
        return EigenProblem(self.matrix, "largest", trivial=self.trivial, unit="complement")

    def rows(self, queries: Queries) -> Array:
        """Return the local coordinates of query points in all charts, times probabilities."""
        return self.features(np.asarray(queries.points, dtype=np.float64))

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return ones: the coefficients of the affine maps say all."""
        return np.ones(len(eigenvalues))

    def project(self, points: Array) -> Array:
        """Return points in the principal columns."""
        return np.asarray((points - self.mean) @ self.columns)

    def features(self, points: Array) -> Array:
        """Return z(x) of each point, of length K (d + 1)."""
        inner = self.project(points)
        found = np.empty((len(inner), self.count * (self.axes.shape[1] + 1)))
        for rows in _blocks(len(inner), self.whiteners.size // max(1, inner.shape[1])):
            probabilities = self.probabilities(inner[rows])
            wide = np.append(self.local(inner[rows]), np.ones((*probabilities.shape, 1)), axis=2)
            found[rows] = (probabilities[:, :, None] * wide).reshape(len(wide), -1)
        return found

    def local(self, inner: Array) -> Array:
        """Return the local coordinates (n, K, d) of points in the principal columns."""
        return np.asarray(
            np.einsum("nw,kdw->nkd", inner, self.axes, optimize=True)
            - np.einsum("kw,kdw->kd", self.centers, self.axes)
        )

    def probabilities(self, inner: Array) -> Array:
        """Return how far each chart speaks for each point (n, K); they sum to one."""
        densities = self._log_densities(inner)
        return _softmax(densities / _temperatures(densities, self.overlap)[:, None])

    def _log_densities(self, inner: Array) -> Array:
        found = np.empty((len(inner), self.count))
        for chart, (center, whitener) in enumerate(zip(self.centers, self.whiteners, strict=True)):
            found[:, chart] = np.square((inner - center) @ whitener.T).sum(axis=1)
        return np.asarray(-0.5 * found - self.log_volumes)

    def affine_maps(self, coefficients: Array) -> tuple[Array, Array]:
        """Return the A (K, d, d) and t (K, d) of y = u A + t, of coefficients one per column."""
        d = self.axes.shape[1]
        each = coefficients.reshape(self.count, d + 1, -1)
        return each[:, :d], each[:, d]

    def back(self, places: Array, coefficients: Array) -> Array:
        """Return the points that places on the map stand for, by the charts that they lie on."""
        maps, shifts = self.affine_maps(coefficients)
        spread = np.einsum("kij,ki,kim->kjm", maps, self.spreads, maps)
        unit = np.trace(spread, axis1=1, axis2=2)[:, None, None] * np.eye(spread.shape[2])
        precisions = np.linalg.inv(spread + 1e-3 * unit)
        inverses = np.linalg.pinv(maps, rcond=FLAT)
        inner = np.empty((len(places), self.centers.shape[1]))
        for rows in _blocks(len(places), shifts.size):
            check_cancelled()  # many places take longer than Ctrl-C may wait
            inner[rows] = self._back(places[rows, None, :] - shifts, precisions, inverses)
        return np.asarray(inner @ self.columns.T + self.mean)

    def _back(self, away: Array, precisions: Array, inverses: Array) -> Array:
        """Return points in the principal columns, of places as seen from each chart (n, K, d)."""
        lengths = np.einsum("nki,kij,nkj->nk", away, precisions, away, optimize=True)
        local = np.einsum("nki,kij->nkj", away, inverses, optimize=True)
        # a chart that is thin on the map would lead far from its own points: others speak there
        spreads = np.maximum(self.spreads, FLAT * self.spreads.max())
        far = np.maximum(np.square(local / np.sqrt(spreads)).sum(axis=2) - REACH**2, 0.0)
        shares = _softmax(0.5 * (np.linalg.slogdet(precisions)[1] - lengths - far))
        along = np.einsum("nk,nkd,kdw->nw", shares, local, self.axes, optimize=True)
        return np.asarray(shares @ self.centers + along)


@dataclass(frozen=True, slots=True)
class ChartRule:
    """How charts are laid.

    ``consistency`` is how much the covariance of a chart heeds its neighbours, beside its own
    points; ``regularization`` the share of its variance along the axes that is added in all
    directions; ``overlap`` the number of charts that speak for a point.
    """

    n_charts: int
    consistency: float
    regularization: float
    overlap: float
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ChartAgreement:
    """Charts that state how far they agree, and what turns their vectors into affine maps."""

    charts: GaussianCharts
    inverse_root: Array  # of the blocks of single charts

    def coefficients(self, vectors: Array) -> Array:
        """Return the coefficients of the affine maps that eigenvectors stand for."""
        return np.asarray(self.inverse_root.T @ vectors)

    def isometric(self, vectors: Array) -> Array:
        """Return combinations of the vectors whose affine maps are most nearly rotations.

        Eigenvectors have unit variance, whatever the shape of the data. The metric M on the map for
        which all A M A' are nearest to the identity, by least squares, gives it back.
        """
        maps, _ = self.charts.affine_maps(self.coefficients(vectors))
        values, axes = np.linalg.eigh(_metric(maps, self._shares))
        if values[0] <= FLAT * values[-1]:  # no metric suits: the charts have other shapes
            return self.similar(vectors)
        scales = np.sqrt(values)
        stretched = vectors @ (axes * scales)
        # by decreasing variance, which is that of the eigenproblem's matrix
        variance = stretched.T @ self.charts.matrix @ stretched
        return np.asarray(stretched @ np.linalg.eigh(variance)[1][:, ::-1])

    def similar(self, vectors: Array) -> Array:
        """Return the vectors in the unit of the data, each as long as the others."""
        maps, _ = self.charts.affine_maps(self.coefficients(vectors))
        lengths = np.einsum("kij,kij,k->", maps, maps, self._shares) / maps.shape[1]
        return np.asarray(vectors / np.sqrt(max(float(lengths), 1e-300)))

    @property
    def _shares(self) -> Array:
        """The share of the points that each chart speaks for."""
        masses = np.square(self.charts.trivial[:, 0]).reshape(self.charts.count, -1).sum(axis=1)
        return np.asarray(masses / masses.sum())

    def disagreement(self, vectors: Array) -> Array:
        """Return the share of the charts' variance along each vector that other charts deny."""
        agreed = np.einsum("ij,ij->j", vectors, self.charts.matrix @ vectors)
        whole = np.square(vectors).sum(axis=0)
        return np.asarray(np.clip(1.0 - agreed / np.where(whole > 0.0, whole, 1.0), 0.0, 1.0))


def relate_by_charts(
    points: Array, component: Component, n_coordinates: int, rule: ChartRule
) -> ChartAgreement:
    """Return the charts of the points of a component.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_features)
        Points of the component.
    component : Component
        Its neighbour graph, whose distances say how far a chart reaches, and masses.
    n_coordinates : int
        Dimension of the charts.
    rule : ChartRule
        How many charts, and how they are laid.

    Returns
    -------
    ChartAgreement
        The charts, and how far they agree.
    """
    masses = np.ones(len(points)) if component.masses is None else component.masses
    masses = masses / masses.mean()
    mean, columns = _principal_columns(points, masses, rule.seed)
    inner = (points - mean) @ columns
    first = _spread_out(inner, rule)  # stages of their own: none begins within another
    with stage("charts", total=ROUNDS) as running:
        centers, nearest = _choose_centers(inner, masses, first, running.advance)
        reaches = _reaches(component, nearest, n_coordinates)
        covariances = _covariances(inner, masses, centers, reaches, rule.consistency)
        charts = _decompose(covariances, centers, n_coordinates, rule.regularization)
        charts = replace(charts, mean=mean, columns=columns, overlap=rule.overlap)
        running.note(charts=len(centers), columns=columns.shape[1])
    with stage("agreement"):
        return _compared(charts, points, masses)


def _blocks(n_rows: int, numbers: int) -> list[slice]:
    """Return slices of rows, each of which needs so many numbers, that fit into a block."""
    size = max(1, BLOCK // max(1, numbers))
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def _softmax(logarithms: Array) -> Array:
    grown = np.exp(logarithms - logarithms.max(axis=1, keepdims=True))
    return np.asarray(grown / grown.sum(axis=1, keepdims=True))


def _principal_columns(points: Array, masses: Array, seed: int) -> tuple[Array, Array]:
    """Return the mean, and all columns as they are, or the leading principal ones of many."""
    mean = masses @ points / masses.sum()
    if points.shape[1] <= CHART_COLUMNS:
        return mean, np.eye(points.shape[1])
    weighted = np.sqrt(masses)[:, None] * (points - mean)
    count = min(CHART_COLUMNS, max(1, len(points) - 1))
    stated = EigenProblem(weighted, "largest", is_factor=True)
    return mean, solve(stated, count, seed=seed).vectors


def _spread_out(inner: Array, rule: ChartRule) -> Array:
    """Return points that lie far from each other, one per chart."""

    def distances_from(point: int) -> Array:
        return np.asarray(np.linalg.norm(inner - inner[point], axis=1))

    return inner[graph.choose_maxmin(distances_from, len(inner), rule.n_charts, seed=rule.seed)]


def _choose_centers(
    inner: Array, masses: Array, centers: Array, advance: Callable[[], None]
) -> tuple[Array, Array]:
    """Return centers spread over the points, and the point nearest to each."""
    for _ in range(ROUNDS):
        advance()
        index = distances.build_index(centers)
        owner = distances.find_query_neighbors(index, inner, 1).neighbors
        held = np.bincount(owner, masses, len(centers))
        shares = sp.csr_array(
            (masses, owner, np.arange(len(inner) + 1)), shape=(len(inner), len(centers))
        )
        sums = shares.T @ inner
        centers = np.where(held[:, None] > 0.0, sums / np.maximum(held, 1e-300)[:, None], centers)
    index = distances.build_index(inner)
    return centers, distances.find_query_neighbors(index, centers, 1).neighbors


def _reaches(component: Component, nearest: Array, n_coordinates: int) -> Array:
    """Return the reach of each chart: as far as neighbours are, or as charts must, to overlap."""
    counts = component.graph.counts
    totals = np.bincount(component.graph.rows, component.graph.distances**2, len(counts))
    around = np.sqrt(totals / np.maximum(counts, 1))[nearest]
    share = len(counts) / (len(nearest) * float(counts.mean()))
    return np.asarray(WIDTH * around * max(1.0, share) ** (1.0 / n_coordinates))


def _covariances(
    inner: Array, masses: Array, centers: Array, reaches: Array, consistency: float
) -> Array:
    """Return the covariance of each chart, of its points and of its neighbours' (Brand 2003).

    A prior of small divergence between Gaussians that are near each other makes them agree: with
    w_kj the nearness of centers, which sums to one for each,

        (1 + c) S_k = own_k + c Σ_j w_kj (S_j + (m_j - m_k)(m_j - m_k)').
    """
    count, width = centers.shape
    own = np.empty((count, width, width))
    for chart, (center, reach) in enumerate(zip(centers, reaches, strict=True)):
        squared = np.square(inner - center).sum(axis=1) / reach**2
        near = np.flatnonzero(squared <= max(FAR**2, float(squared.min())))
        own[chart] = _moments(inner[near] - center, masses[near] * np.exp(-0.5 * squared[near]))
    if count == 1 or consistency == 0.0:
        return own
    gaps = distances.pairwise_squared_distances(centers, centers) / reaches[:, None] ** 2
    np.fill_diagonal(gaps, np.inf)
    shares = _softmax(-0.5 * gaps)
    between = np.array([_moments(centers - c, s) for c, s in zip(centers, shares, strict=True)])
    system = (1.0 + consistency) * np.eye(count) - consistency * shares
    wanted = (own + consistency * between).reshape(count, -1)
    return np.asarray(np.linalg.solve(system, wanted).reshape(own.shape))


def _moments(deviations: Array, weights: Array) -> Array:
    return np.asarray((deviations * weights[:, None]).T @ deviations / weights.sum())


def _decompose(
    covariances: Array, centers: Array, n_coordinates: int, regularization: float
) -> GaussianCharts:
    """Return the charts of Gaussians, with nothing known yet of columns and agreement."""
    values, turned = np.linalg.eigh(0.5 * (covariances + covariances.transpose(0, 2, 1)))
    values, axes = np.maximum(values[:, ::-1], 0.0), turned[:, :, ::-1].transpose(0, 2, 1)
    along = values[:, :n_coordinates].mean(axis=1)
    along = np.maximum(along, 1e-6 * max(float(along.mean()), 1e-300))
    spread = values + np.maximum(regularization, 1e-9) * along[:, None]
    nothing = np.zeros((0, 0))
    return GaussianCharts(
        nothing,
        nothing,
        centers,
        np.ascontiguousarray(axes[:, :n_coordinates]),
        np.ascontiguousarray(spread[:, :n_coordinates]),
        axes / np.sqrt(spread)[:, :, None],
        0.5 * np.log(spread).sum(axis=1),
        1.0,
        nothing,
        nothing,
    )


def _temperatures(densities: Array, overlap: float) -> Array:
    """Return the temperature of each row at which ``overlap`` charts speak for the point.

    In many columns Gaussians have hard borders: at most one chart would speak for any point, and
    nothing would say how they fit together. In few their skirts reach over many others, and affine
    maps that agree everywhere cannot follow a bend.
    """
    count = densities.shape[1]
    if count == 1:
        return np.ones(len(densities))
    seen = np.partition(densities, count - min(LIKELY, count), axis=1)[:, -LIKELY:]
    seen = seen - seen.max(axis=1, keepdims=True)
    second = -np.partition(seen, -2, axis=1)[:, -2]
    unit = np.maximum(second, 1e-12)  # how far the second chart is behind the first
    wanted = np.log(min(overlap, 0.9 * seen.shape[1]))
    cold, warm = np.full(len(seen), -HALVINGS), np.full(len(seen), HALVINGS)
    for _ in range(HALVINGS):
        middle = 0.5 * (cold + warm)
        shares = _softmax(seen / (unit * 2.0**middle)[:, None])
        entropy = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
        enough = entropy >= wanted
        cold, warm = np.where(enough, cold, middle), np.where(enough, middle, warm)
    return np.asarray(unit * 2.0**warm)


def _compared(charts: GaussianCharts, points: Array, masses: Array) -> ChartAgreement:
    """Return the charts with their eigenproblem: how far they agree on the points."""
    d, count = charts.axes.shape[1], charts.count
    together = np.zeros((count * (d + 1),) * 2)
    single = np.zeros((count, d + 1, d + 1))
    for rows in _blocks(len(points), charts.whiteners.size + 4 * len(together)):
        features = charts.features(points[rows])
        weighted = features * masses[rows, None]
        together += weighted.T @ features
        local = charts.local(charts.project(points[rows]))
        wide = np.append(local, np.ones((*local.shape[:2], 1)), axis=2)
        parts = weighted.reshape(len(features), count, d + 1)
        single += np.einsum("nki,nkj->kij", parts, wide, optimize=True)
    held = np.maximum(single[:, d, d], 1e-300)
    inside = np.arange(d)
    single[:, inside, inside] += RIDGE * (held * charts.spreads.mean(axis=1))[:, None]
    single[:, d, d] = np.maximum(held, RIDGE * held.max())
    roots = np.linalg.cholesky(single)
    inverse = block_diag(*np.linalg.inv(roots))
    matrix = inverse @ together @ inverse.T
    constant = roots.transpose(0, 2, 1)[:, :, d].reshape(-1, 1)
    trivial = constant / np.linalg.norm(constant)
    return ChartAgreement(
        replace(charts, matrix=0.5 * (matrix + matrix.T), trivial=trivial), inverse
    )


def _metric(maps: Array, shares: Array) -> Array:
    """Return the M for which the A M A' of all charts are nearest to the identity."""
    size = maps.shape[2]
    rows, columns = np.triu_indices(size)
    products = np.einsum("kia,kjb->kijab", maps, maps)[:, :, :, rows, columns]
    other = np.einsum("kia,kjb->kijab", maps, maps)[:, :, :, columns, rows]
    design = np.where(rows == columns, products, products + other)
    root = np.sqrt(shares)[:, None]
    wanted = (root * np.eye(maps.shape[1]).ravel()).ravel()
    design = (root[:, :, None] * design.reshape(len(maps), -1, len(rows))).reshape(-1, len(rows))
    found = np.linalg.lstsq(design, wanted, rcond=None)[0]
    metric = np.zeros((size, size))
    metric[rows, columns] = found
    return np.asarray(metric + np.triu(metric, 1).T)
