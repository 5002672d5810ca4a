"""Neighbours -> affinities: how likely each point picks each other as its neighbour.

p_j|i is proportional to exp(-b_i d_ij^2), with the bandwidth that gives the row the wanted
perplexity: exp of its entropy, a smooth count of neighbours (van der Maaten, Hinton 2008, eq. 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ..runtime import run_kernel, stage
from ..values import Array, EigenProblem, NeighborGraph

PER_PERPLEXITY = 3  # neighbours looked at per unit of perplexity: beyond, affinities vanish
STRIP = 512  # points of one call


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
    run_kernel(fit_bandwidths, given, neighbors.n_points, STRIP)
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
