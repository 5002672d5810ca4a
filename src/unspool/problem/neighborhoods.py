"""Neighbourhoods as local methods look at them: through points, or through distances alone.

A neighbourhood is seen from its point as the Gram matrix of the differences to the neighbours, and
from its own center as tangent coordinates, its local PCA.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..centering import double_centered
from ..values import Array, NeighborGraph

LocalGrams = Callable[[Array, Array, Array], Array]
CHUNK_BYTES = 32 * 2**20
THIN = 1e-7  # of its longest extent: shorter ones are rounding (the root of that of squares)


@dataclass(frozen=True, slots=True)
class LocalFrames:
    """Tangent coordinates (b, m, d) of neighbourhoods, and how far each extends along them (b, d).

    A neighbourhood of lower rank than d gets directions that are orthogonal to the others and to
    the constant, along which it does not extend.
    """

    coordinates: Array
    extents: Array

    @property
    def is_thin(self) -> Array:
        """Whether each neighbourhood has fewer dimensions than coordinates."""
        return np.asarray(self.extents[:, -1] <= THIN * self.extents[:, 0])


class LocalGeometry(Protocol):
    """The neighbourhoods of one component as local methods look at them."""

    @property
    def width(self) -> int:
        """Number of floats that a look at one neighbour takes."""
        ...

    def frames(self, neighborhoods: Array, n_components: int) -> LocalFrames:
        """Return the tangent coordinates of neighbourhoods (b, m) of the component."""
        ...

    def own_grams(self) -> LocalGrams:
        """Return the function that gives the Gram matrices of the component's own points."""
        ...

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the function that gives the Gram matrices of query points."""
        ...


@dataclass(frozen=True, slots=True)
class LocalPoints:
    """Neighbourhoods known by the points themselves."""

    points: Array
    members: Array

    @property
    def width(self) -> int:
        """Number of features."""
        return int(self.points.shape[1])

    def frames(self, neighborhoods: Array, n_components: int) -> LocalFrames:
        """Return the local PCA of neighbourhoods."""
        return _frames_of_clouds(self.points[self.members[neighborhoods]], n_components)

    def own_grams(self) -> LocalGrams:
        """Return the Gram matrices of differences between points and their neighbours."""
        return self._grams(self.points[self.members])

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the Gram matrices of differences between query points and their neighbours."""
        return self._grams(np.asarray(points))

    def _grams(self, centers: Array) -> LocalGrams:
        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            return grams_of_points(centers[rows], self.points[self.members[neighbors]])

        return grams


@dataclass(frozen=True, slots=True)
class LocalDistances:
    """Neighbourhoods known by a dense table of distances alone."""

    table: Array
    members: Array

    @property
    def width(self) -> int:
        """One float, the distance."""
        return 1

    def frames(self, neighborhoods: Array, n_components: int) -> LocalFrames:
        """Return classical scaling of neighbourhoods."""
        grams = double_centered(-0.5 * self._among(neighborhoods) ** 2)
        return _frames_of_grams(grams, n_components)

    def own_grams(self) -> LocalGrams:
        """Return the Gram matrices by the law of cosines."""

        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            return grams_of_distances(distances, self._among(neighbors))

        return grams

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the same of query points, whose distances their graph holds."""
        return self.own_grams()

    def _among(self, neighbors: Array) -> Array:
        ids = self.members[neighbors]
        return np.asarray(self.table[ids[:, :, None], ids[:, None, :]])


def look_at(space: Array | sp.csr_array, members: Array, *, is_table: bool) -> LocalGeometry:
    """Return the neighbourhoods of a component of points, or of a table of distances.

    Parameters
    ----------
    space : ndarray or sparse matrix
        All points, or the distances between them.
    members : ndarray of int
        The points of the component.
    is_table : bool
        Whether ``space`` are distances; sparse ones are refused, since the distances between
        neighbours are needed.

    Returns
    -------
    LocalGeometry
        What gives tangent coordinates and Gram matrices of neighbourhoods.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import datasets, problem
    >>> points = datasets.circle(20).points
    >>> type(problem.look_at(points, np.arange(20), is_table=False)).__name__
    'LocalPoints'
    """
    if not is_table:
        return LocalPoints(np.asarray(space), members)
    if sp.issparse(space):
        raise ValueError(
            "the distances between neighbours are needed, and a sparse graph does not hold them; "
            "pass dense distances or points"
        )
    return LocalDistances(np.asarray(space), members)


def batch_neighborhoods(graph: NeighborGraph, width: int) -> Iterator[Array]:
    """Yield tables of neighbourhoods: in each row a point, first, and its neighbours.

    The point belongs to its own neighbourhood: otherwise one that nobody lists would be in no
    patch at all, and the eigenproblem would have a solution that moves it alone.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours of every point.
    width : int
        Number of floats that will be held for each member, which bounds the batch in memory.

    Yields
    ------
    ndarray of shape (b, k + 1)
        Indices of points; those with equally many neighbours come together.

    Examples
    --------
    >>> from unspool import distances, problem
    >>> line = distances.neighbor_graph([[0.0], [1.0], [3.0]], 1)
    >>> next(problem.batch_neighborhoods(line, 1)).tolist()
    [[0, 1], [1, 0], [2, 1]]
    """
    most = int(graph.counts.max(initial=1)) + 1
    chunk = max(1, CHUNK_BYTES // (8 * most * (width + most)))
    for points, neighbors, _ in graph.by_count(chunk):
        yield np.column_stack([points, neighbors])


def tangent_coordinates(clouds: Array, count: int) -> Array:
    """Return orthonormal tangent coordinates of clouds of points: their local PCA.

    The smaller of the D x D covariance and the m x m Gram matrix is decomposed.

    Parameters
    ----------
    clouds : ndarray of shape (b, m, D)
        The members of each neighbourhood.
    count : int
        Number of coordinates.

    Returns
    -------
    ndarray of shape (b, m, count)
        The coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.tangent_coordinates(np.array([[[0.0, 0.0], [3.0, 4.0]]]), 1).round(3).tolist()
    [[[-0.707], [0.707]]]
    """
    return _frames_of_clouds(clouds, count).coordinates


def _frames_of_clouds(clouds: Array, count: int) -> LocalFrames:
    centered = clouds - clouds.mean(axis=1, keepdims=True)
    if clouds.shape[2] >= clouds.shape[1]:
        return _frames_of_grams(centered @ centered.transpose(0, 2, 1), count)
    _, axes = np.linalg.eigh(centered.transpose(0, 2, 1) @ centered)
    projected = centered @ axes[:, :, ::-1][:, :, :count]
    if projected.shape[2] < count:
        raise ValueError(
            f"{count} tangent coordinates were asked for in {clouds.shape[2]} dimensions"
        )
    # beside the constant: a cloud of lower rank gets directions that are orthogonal to it as well
    constant = np.ones((*projected.shape[:2], 1))
    frame = np.linalg.qr(np.concatenate([constant, projected], axis=2))[0][:, :, 1:]
    return LocalFrames(frame, np.linalg.norm(projected, axis=1))


def tangents_of_grams(grams: Array, count: int) -> Array:
    """Return orthonormal tangent coordinates from centred local Gram matrices.

    Parameters
    ----------
    grams : ndarray of shape (b, m, m)
        The Gram matrices.
    count : int
        Number of coordinates.

    Returns
    -------
    ndarray of shape (b, m, count)
        The coordinates.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> grams = np.array([[[1.0, -1.0], [-1.0, 1.0]]])
    >>> abs(problem.tangents_of_grams(grams, 1)).round(3).tolist()
    [[[0.707], [0.707]]]
    """
    return _frames_of_grams(grams, count).coordinates


def _frames_of_grams(grams: Array, count: int) -> LocalFrames:
    # the constant goes past the unwanted end: a cloud of lower rank may not take it for a tangent
    sizes = np.linalg.norm(grams, axis=(1, 2), keepdims=True)
    lowered = grams - np.where(sizes > 0.0, 2.0 * sizes, 1.0) / grams.shape[1]
    values, vectors = np.linalg.eigh(lowered)
    extents = np.sqrt(np.maximum(values[:, ::-1][:, :count], 0.0))
    return LocalFrames(vectors[:, :, ::-1][:, :, :count], extents)


def grams_of_points(centers: Array, neighbors: Array) -> Array:
    """Return the Gram matrices of neighbours as seen from their points.

    Parameters
    ----------
    centers : ndarray of shape (b, D)
        The points.
    neighbors : ndarray of shape (b, k, D)
        The neighbours of each.

    Returns
    -------
    ndarray of shape (b, k, k)
        The Gram matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.grams_of_points(np.array([[1.0]]), np.array([[[0.0], [3.0]]]))
    array([[[ 1., -2.],
            [-2.,  4.]]])
    """
    differences = neighbors - centers[:, None, :]
    grams: Array = differences @ differences.transpose(0, 2, 1)
    return grams


def grams_of_distances(to_neighbors: Array, among_neighbors: Array) -> Array:
    """Return local Gram matrices from distances alone: 2 G_jk = d_j^2 + d_k^2 - d_jk^2.

    Parameters
    ----------
    to_neighbors : ndarray of shape (b, k)
        Distances of the points to their neighbours.
    among_neighbors : ndarray of shape (b, k, k)
        Distances between the neighbours.

    Returns
    -------
    ndarray of shape (b, k, k)
        The Gram matrices of the neighbours, seen from the point.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.grams_of_distances(np.array([[1.0]]), np.zeros((1, 1, 1)))
    array([[[1.]]])
    """
    squares = to_neighbors**2
    return np.asarray(0.5 * (squares[:, :, None] + squares[:, None, :] - among_neighbors**2))
