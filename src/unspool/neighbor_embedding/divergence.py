"""Affinities of neighbours, and descent to the map whose probabilities diverge least from them.

Point i picks j as its neighbour with p_j|i proportional to exp(-b_i d_ij^2), with the bandwidth
that gives the row the wanted perplexity: exp of its entropy, a smooth count of neighbours (van der
Maaten and Hinton 2008, eq. 1). The loss of a map is sum p log(p / q), with q_ij proportional to
w_ij = 1 / (1 + |y_i - y_j|^2). Its gradient is attraction along the affinities, times an
exaggeration, less the repulsion of all pairs. Momentum with a gain for each coordinate (Jacobs
1988) follows it, with steps of n / exaggeration (Belkina et al. 2019).

A query point goes where its own divergence from the fixed map is least. With p_j its affinities to
the fitted points, that is the least of

    exaggeration * sum_j p_j log(1 + |z - y_j|^2) + log phi(z),

phi the potential of the fixed map. Query points do not know of each other, so that batches do not
matter. All descend at once, each with steps of its own length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..extension import nearness
from ..optimize import Outcome, iterate, relative_change_below
from ..runtime import check_cancelled, run_kernel, stage
from ..values import Array, EigenProblem, NeighborGraph
from .repulsion import Potential, Repulsion, strip

PER_PERPLEXITY = 3  # neighbours looked at per unit of perplexity: beyond, affinities vanish
FITTED_AT_ONCE = 512  # bandwidths of one call

EARLY_MOMENTUM = 0.8
# Late, where gradients are small and alike for hundreds of updates: on 10,000 digits of MNIST 0.8
# has come to a divergence of 1.728 after 500 updates, 0.9 to 1.706, 0.95 to 1.705 after 350
# (scikit-learn's 750: 1.710).
LATE_MOMENTUM = 0.95
ROUND = 25  # updates between two looks at the loss, and at who wants to cancel, at most
UPDATED_AT_ONCE = 250_000  # points: about half a second
SMALLEST_GAIN = 0.01


@dataclass(frozen=True, slots=True)
class Affinities:
    """Symmetric affinities of all pairs, which sum to one: of point i, ``starts[i]`` and on."""

    starts: Array
    neighbors: Array
    values: Array
    counts: Array  # how many equal points each place stands for

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.starts) - 1

    @property
    def negative_entropy(self) -> float:
        """Sum of p log p over pairs of points: the part of the divergence that no map changes."""
        rows = np.repeat(np.arange(self.n_points), np.diff(self.starts))
        held = self.values > 0.0
        each = self.values[held] / (self.counts[rows] * self.counts[self.neighbors])[held]
        return float(self.values[held] @ np.log(each))


def attraction_problem(affinities: Affinities) -> EigenProblem:
    """Return the eigenproblem of the attraction on a map much smaller than 1: a graph Laplacian.

    There the pull on a point is sum_j p_ij (y_i - y_j), and repulsion pushes it by y_i / (n - 1).
    So a coordinate along an eigenvector grows only while the exaggeration is less than
    1 / ((n - 1) value); beyond, nothing but the first eigenvectors is left of the map's shape.

    Parameters
    ----------
    affinities : Affinities
        Affinities of all pairs.

    Returns
    -------
    EigenProblem
        L y = value C y, C the number of points at each place; the constant is left out.

    Examples
    --------
    >>> from unspool import datasets, distances, neighbor_embedding, spectrum
    >>> graph = distances.neighbor_graph(datasets.circle(50).points, 15)
    >>> affinities = neighbor_embedding.symmetric_affinities(graph, 5.0)
    >>> problem = neighbor_embedding.attraction_problem(affinities)
    >>> spectrum.solve(problem, 2).values.min() > 0.0
    True
    """
    shape = (affinities.n_points, affinities.n_points)
    arrays = affinities.values, affinities.neighbors, affinities.starts
    weights = sp.csr_array(arrays, shape=shape)
    degree, counts = np.asarray(weights.sum(axis=1)).ravel(), affinities.counts
    matrix = sp.csr_array(sp.diags_array(degree) - weights)
    constant, ceiling = np.ones((len(degree), 1)), 2.0 * float((degree / counts).max())
    return EigenProblem(matrix, "smallest", constant, mass=counts, ceiling=ceiling)


def conditional_affinities(
    neighbors: NeighborGraph, perplexity: float, counts: Array | None = None
) -> Array:
    """Return p_j|i for the edges of a neighbour graph: every row sums to one.

    Parameters
    ----------
    neighbors : NeighborGraph
        The points that each point sees.
    perplexity : float
        Wanted perplexity of each row, less than its number of neighbours.
    counts : ndarray or None, default=None
        How many equal points each neighbour stands for; None is one.

    Returns
    -------
    ndarray of shape (n_edges,)
        The conditional affinities, in the order of the edges.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, neighbor_embedding
    >>> graph = distances.neighbor_graph(np.array([[0.0], [1.0], [2.0], [4.0]]), 3)
    >>> p = neighbor_embedding.conditional_affinities(graph, 2.0)[:3]
    >>> round(float(np.exp(-np.sum(p * np.log(p)))), 6)
    2.0
    """
    from .neighbor_embedding_kernels import fit_bandwidths

    values = np.empty(neighbors.n_edges)
    often = np.ones(neighbors.n_edges) if counts is None else counts[neighbors.neighbors]
    entropy = float(np.log(perplexity))
    given = neighbors.starts, neighbors.distances, often, entropy, values
    run_kernel(fit_bandwidths, given, neighbors.n_points, FITTED_AT_ONCE)
    return values


def symmetric_affinities(
    neighbors: NeighborGraph, perplexity: float, counts: Array | None = None
) -> Affinities:
    """Return p_ij = (p_j|i + p_i|j) / 2n, so that no point is without influence, outliers neither.

    Parameters
    ----------
    neighbors : NeighborGraph
        The neighbours of every point among the others.
    perplexity : float
        Wanted perplexity of each point.
    counts : ndarray or None, default=None
        How many equal points each one stands for; None is one. Equal points add their affinities.

    Returns
    -------
    Affinities
        The symmetric affinities.

    Examples
    --------
    >>> from unspool import datasets, distances, neighbor_embedding
    >>> graph = distances.neighbor_graph(datasets.circle(50).points, 15)
    >>> round(float(neighbor_embedding.symmetric_affinities(graph, 5.0).values.sum()), 6)
    1.0
    """
    with stage("affinities") as running:
        n = neighbors.n_points
        often = np.ones(n) if counts is None else np.asarray(counts, dtype=np.float64)
        values = conditional_affinities(neighbors, perplexity, often) * often[neighbors.rows]
        one_way = sp.csr_array((values, neighbors.neighbors, neighbors.starts), shape=(n, n))
        both = sp.csr_array(one_way + one_way.T)
        both.sort_indices()
        running.note(pairs=both.nnz)
    starts, ends = both.indptr.astype(np.int64), both.indices.astype(np.int64)
    return Affinities(starts, ends, both.data / both.data.sum(), often)


class Loss(NamedTuple):
    """The two parts of the loss of a map: sum p log(1 + d^2), and log of the sum of all w."""

    attraction: float
    log_normalizer: float

    def divergence(self, affinities: Affinities) -> float:
        """Return the Kullback-Leibler divergence of the map from the affinities."""
        return affinities.negative_entropy + self.attraction + self.log_normalizer


@dataclass(frozen=True, slots=True)
class Moving:
    """A map, how it moves, and the gain of every coordinate."""

    places: Array
    velocity: Array
    gains: Array

    @classmethod
    def at_rest(cls, places: Array) -> Moving:
        """Return a map that does not move yet."""
        return cls(places, np.zeros_like(places), np.ones_like(places))


@dataclass(frozen=True, slots=True)
class Objective:
    """Affinities against the repulsion of all pairs; equal points share a place."""

    affinities: Affinities
    repulsion: Repulsion

    def gradient(self, places: Array, exaggeration: float) -> Array:
        """Return a quarter of the gradient of the loss, for one of the points of each place."""
        from .neighbor_embedding_kernels import attract

        pulls = np.empty(places.shape)
        run_kernel(attract, (*self._edges, places, pulls), len(places), strip(len(places)))
        found = self.repulsion.of(places).at(places)
        pulls *= exaggeration / self.affinities.counts[:, None]
        pulls -= found.forces / self._normalizer(found.potentials)
        return pulls

    def loss(self, places: Array) -> Loss:
        """Return the loss of a map."""
        from .neighbor_embedding_kernels import attract_queries

        pulls, losses = np.empty(places.shape), np.empty(len(places))
        given = *self._edges, places, places, pulls, losses
        run_kernel(attract_queries, given, len(places), strip(len(places)))
        potentials = self.repulsion.of(places).at(places).potentials
        return Loss(float(losses.sum()), float(np.log(self._normalizer(potentials))))

    def _normalizer(self, potentials: Array) -> float:
        """Return the sum of w over all pairs, those of a point with itself left out."""
        counts = self.affinities.counts
        return max(float(counts @ potentials - counts.sum()), 1e-300)

    @property
    def _edges(self) -> tuple[Array, Array, Array]:
        return self.affinities.starts, self.affinities.neighbors, self.affinities.values


@dataclass(frozen=True, slots=True)
class Phase:
    """Part of a descent: how much attraction is exaggerated, how long the steps are, how many."""

    name: str
    exaggeration: float
    learning_rate: float
    max_iter: int
    tolerance: float = 0.0
    momentum: float = LATE_MOMENTUM

    def descend(self, objective: Objective, places: Array, trace: list[float]) -> Outcome[Moving]:
        """Descend from ``places``; append the divergence after every round to the trace."""
        at_once = max(1, min(ROUND, self.max_iter, UPDATED_AT_ONCE // len(places)))

        def step(state: Moving) -> tuple[Moving, float]:
            for _ in range(at_once):
                state = self._update(state, objective.gradient(state.places, self.exaggeration))
            return state, loss_of(state.places)

        def loss_of(places: Array) -> float:
            loss = objective.loss(places)
            trace.append(loss.divergence(objective.affinities))
            return self.exaggeration * loss.attraction + loss.log_normalizer

        return iterate(
            Moving.at_rest(places),
            loss_of(places),
            step,
            relative_change_below(self.tolerance),
            name=self.name,
            max_steps=-(-self.max_iter // at_once),
        )

    def _update(self, state: Moving, gradient: Array) -> Moving:
        """Return the map after one update: gains grow while a coordinate keeps its direction."""
        from .neighbor_embedding_kernels import move

        now = state.places, state.velocity, state.gains
        places, velocity, gains = moved = tuple(np.empty_like(given) for given in now)
        given = now, gradient, self.momentum, self.learning_rate, SMALLEST_GAIN, moved
        run_kernel(move, given, len(places), strip(len(places)))
        places -= [axis.mean() for axis in places.T]  # by columns: rows take ten times as long
        return Moving(places, velocity, gains)


STARTS = 5  # nearest fitted points whose places are tried as a start
STEPS = 100  # of descent
PLACED_AT_ONCE = 10_000  # query points: a step of 400,000 took 5 s, in which nobody was heard
HALVINGS = 30  # of a step that does not lead down, before a point stays where it is


class _Slope(NamedTuple):
    losses: Array
    gradients: Array


@dataclass(frozen=True, slots=True)
class FixedMap:
    """The places of the fitted points, how many share each, and their potential."""

    places: Array
    counts: Array
    potential: Potential
    exaggeration: float

    def place(self, seen: NeighborGraph, perplexity: float) -> Array:
        """Return where each query point goes, given the fitted points that it sees, nearest first.

        A point very near to a fitted one goes to its place, gradually, so that placing is
        continuous there: nearer than a tenth of the way to the next one.
        """
        points = np.empty((seen.n_points, self.places.shape[1]))
        with stage("placing", total=seen.n_points) as running:
            for first in range(0, seen.n_points, PLACED_AT_ONCE):
                some = seen.some_rows(first, min(first + PLACED_AT_ONCE, seen.n_points))
                affinities = conditional_affinities(some, perplexity, self.counts)
                points[first : first + some.n_points] = self._descend(some, affinities)
                running.advance(some.n_points)
        nearest = self.places[seen.neighbors[seen.starts[:-1]]]
        return np.asarray(points + nearness(seen)[:, None] * (nearest - points))

    def _descend(self, seen: NeighborGraph, affinities: Array) -> Array:
        """Return where the losses of query points are least."""
        points = self._start(seen, affinities)
        now = self._slope(points, seen, affinities)
        lengths = np.full(len(points), 1.0)
        moving = np.ones(len(points), dtype=bool)
        for _ in range(STEPS):
            check_cancelled()
            trial = points - lengths[:, None] * now.gradients
            then = self._slope(trial, seen, affinities)
            lower = moving & (then.losses < now.losses)
            points = np.where(lower[:, None], trial, points)
            now = _Slope(
                np.where(lower, then.losses, now.losses),
                np.where(lower[:, None], then.gradients, now.gradients),
            )
            lengths = np.where(lower, 1.5 * lengths, 0.5 * lengths)
            moving &= lengths > 2.0**-HALVINGS
            if not moving.any():
                break
        return points

    def _start(self, seen: NeighborGraph, affinities: Array) -> Array:
        """Return the best of the places of the nearest fitted points."""
        best = self.places[seen.neighbors[seen.starts[:-1]]]
        losses = self._slope(best, seen, affinities).losses
        for rank in range(1, STARTS):
            at = np.minimum(seen.starts[:-1] + rank, seen.starts[1:] - 1)
            other = self.places[seen.neighbors[at]]
            others = self._slope(other, seen, affinities).losses
            better = others < losses
            best = np.where(better[:, None], other, best)
            losses = np.where(better, others, losses)
        return best

    def _slope(self, points: Array, seen: NeighborGraph, affinities: Array) -> _Slope:
        from .neighbor_embedding_kernels import attract_queries

        points = np.ascontiguousarray(points)
        pulls, losses = np.empty(points.shape), np.empty(len(points))
        given = seen.starts, seen.neighbors, affinities, self.places, points, pulls, losses
        run_kernel(attract_queries, given, len(points), strip(len(points)))
        forces, potentials = self.potential.at(points)
        level = np.maximum(potentials, 1e-300)
        gradients = self.exaggeration * pulls - forces / level[:, None]
        return _Slope(self.exaggeration * losses + np.log(level), 2.0 * gradients)
