"""Neighbourhoods as local methods look at them: through points, or through distances alone.

A neighbourhood is seen from its point as the Gram matrix of the differences to the neighbours, and
from its own center as tangent coordinates, its local PCA.

Reconstruction weights rebuild a point from its neighbours: they sum to one and err the least. Solve
G w = 1 and normalise, with G that Gram matrix (Vidal, Ma, Sastry 2016, eq. 4.46; Mohri et al. 2012,
eq. 15.9). LLE asks for coordinates that the same weights rebuild; the placing of query points uses
their own weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from ..centering import double_centered
from ..runtime import limit_blas_threads, run_strips, stage
from ..values import Array, EigenProblem, NeighborGraph

LocalGrams = Callable[[Array, Array, Array], Array]
Batch = tuple[Array, Array]  # neighbourhoods, a row of points for each, and what was made of them
Look = Callable[["LocalGeometry", NeighborGraph], Iterator[Batch]]
CHUNK_BYTES = 32 * 2**20
THIN = 1e-7  # of its longest extent: shorter ones are rounding (the root of that of squares)
LOOKED_AT = 1000  # neighbourhoods that stand for all where only a share is asked for
IN_CACHE = 4 * 2**20  # bytes of neighbours that a thread looks at at a time
NEGLIGIBLE = 1e-12  # of the trace: a hundred times what rounding leaves of a zero eigenvalue


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

    def go_through(self, what: str, look: Look, graph: NeighborGraph) -> Iterator[Batch]:
        """Yield what a look at all neighbourhoods of a graph gives, batch by batch."""
        ...

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the function that gives the Gram matrices of query points."""
        ...


class AllAtOnce:
    """Neighbourhoods that this process looks at, one batch after the other."""

    __slots__ = ()

    def go_through(self, what: str, look: Look, graph: NeighborGraph) -> Iterator[Batch]:
        """Yield what a look at all neighbourhoods of a graph gives, batch by batch."""
        return look(self, graph)  # type: ignore[arg-type]  # whoever inherits is a geometry


@dataclass(frozen=True, slots=True)
class LocalPoints(AllAtOnce):
    """Neighbourhoods known by the points themselves; of sparse ones a few are dense at a time."""

    points: Array | sp.csr_array
    members: Array

    @property
    def width(self) -> int:
        """Number of features."""
        return int(self.points.shape[1])

    def frames(self, neighborhoods: Array, n_components: int) -> LocalFrames:
        """Return the local PCA of neighbourhoods."""
        return _frames_of_clouds(_rows(self.points, self.members[neighborhoods]), n_components)

    def own_grams(self) -> LocalGrams:
        """Return the Gram matrices of differences between points and their neighbours."""
        return self._grams(self.points, self.members)

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the Gram matrices of differences between query points and their neighbours."""
        return self._grams(points, None)

    def _grams(self, centers: Array | sp.csr_array, numbers: Array | None) -> LocalGrams:
        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            near = _rows(self.points, self.members[neighbors])
            return grams_of_points(_rows(centers, rows if numbers is None else numbers[rows]), near)

        return grams


def _rows(points: Any, chosen: Array) -> Array:
    """Return chosen rows of points, in the shape in which they are chosen, in float64."""
    if not sp.issparse(points):
        return np.asarray(points[chosen], dtype=np.float64)
    return np.asarray(points[chosen.ravel()].toarray().reshape(*chosen.shape, -1))


@dataclass(frozen=True, slots=True)
class LocalDistances(AllAtOnce):
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


@dataclass(frozen=True)
class LocalPaths(AllAtOnce):
    """Neighbourhoods known by a sparse graph of distances: what it lacks is filled in by paths.

    The distance between two members is that of their edge, where the graph has one, and else the
    length of the shortest path within the neighbourhood. ``starts``, ``ends`` and ``lengths`` are
    the edges among the points of a component, the ends in each row in increasing order.
    """

    starts: Array
    ends: Array
    lengths: Array

    @classmethod
    def of(cls, table: sp.csr_array, members: Array, graph: NeighborGraph) -> LocalPaths:
        """Return the edges among ``members``: those given, and those of their own graph.

        That may have more, such as bridges; of an edge that both have the shorter counts.
        """
        number = np.full(table.shape[0], -1, dtype=np.int64)
        number[members] = np.arange(len(members))
        rows = number[np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))]
        ends, kept = number[table.indices], (rows >= 0) & (number[table.indices] >= 0)
        rows = np.concatenate([rows[kept], graph.rows])
        ends = np.concatenate([ends[kept], graph.neighbors])
        lengths = np.concatenate([table.data[kept], graph.distances])
        order = np.lexsort((lengths, ends, rows))
        rows, ends = rows[order], ends[order]
        is_first = np.append(True, (rows[1:] != rows[:-1]) | (ends[1:] != ends[:-1]))[: len(rows)]
        counts = np.bincount(rows[is_first], minlength=len(members))
        starts = np.concatenate([[0], np.cumsum(counts)])
        return cls(starts, ends[is_first], lengths[order][is_first])

    @property
    def width(self) -> int:
        """One float, the distance."""
        return 1

    def frames(self, neighborhoods: Array, n_components: int) -> LocalFrames:
        """Return classical scaling of neighbourhoods."""
        among = self._complete(self._edges_among(neighborhoods))
        return _frames_of_grams(double_centered(-0.5 * among**2), n_components)

    def own_grams(self) -> LocalGrams:
        """Return the Gram matrices by the law of cosines; paths may lead through the point."""

        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            b, k = neighbors.shape
            among = np.zeros((b, k + 1, k + 1))
            among[:, 1:, 1:] = self._edges_among(neighbors)
            among[:, 0, 1:] = among[:, 1:, 0] = distances
            among = self._complete(among)
            return grams_of_distances(among[:, 0, 1:], among[:, 1:, 1:])

        return grams

    def query_grams(self, points: Any) -> LocalGrams:
        """Return the same of query points, whose distances their graph holds."""
        return self.own_grams()

    def share_of_paths(self, graph: NeighborGraph) -> float:
        """Return the share of pairs of neighbours without an edge, in at most LOOKED_AT places."""
        step, pairs, missing = -(-graph.n_points // LOOKED_AT), 0, 0
        for neighborhoods in batch_neighborhoods(graph, self.width):
            looked_at = neighborhoods[::step]
            pairs += looked_at.size * (looked_at.shape[1] - 1)
            missing += int(np.isinf(self._edges_among(looked_at)).sum())
        return missing / max(1, pairs)

    @cached_property
    def _keys(self) -> Array:
        """The edges as numbers, in increasing order."""
        n = len(self.starts) - 1
        return np.repeat(np.arange(n, dtype=np.int64), np.diff(self.starts)) * n + self.ends

    def _edges_among(self, neighbors: Array) -> Array:
        """Return the lengths of edges between members (b, m, m), infinite where there is none."""
        ids = neighbors.astype(np.int64)
        wanted = ids[:, :, None] * (len(self.starts) - 1) + ids[:, None, :]
        slots = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        lengths = np.where(self._keys[slots] == wanted, self.lengths[slots], np.inf)
        lengths = np.minimum(lengths, lengths.transpose(0, 2, 1))
        same = np.arange(neighbors.shape[1])
        lengths[:, same, same] = 0.0
        return np.asarray(lengths)

    def _complete(self, lengths: Array) -> Array:
        """Return the lengths with paths for the pairs that have no edge (Floyd, Warshall 1962)."""
        missing, paths = np.isinf(lengths), lengths.copy()
        for via in range(lengths.shape[1]):
            np.minimum(paths, paths[:, :, via, None] + paths[:, None, via, :], out=paths)
        return np.where(missing, paths, lengths)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def look_at(
    space: Array | sp.csr_array, members: Array, graph: NeighborGraph, *, is_table: bool
) -> LocalGeometry:
    """Return the neighbourhoods of a component of points, or of a table of distances.

    Parameters
    ----------
    space : ndarray or sparse matrix
        All points, or the distances between them.
    members : ndarray of int
        The points of the component.
    graph : NeighborGraph
        The neighbour graph among them, whose edges a sparse graph of distances may lack.
    is_table : bool
        Whether ``space`` are distances; between neighbours that a sparse graph does not join the
        shortest path within the neighbourhood counts.

    Returns
    -------
    LocalGeometry
        What gives tangent coordinates and Gram matrices of neighbourhoods.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import datasets, distances, problem
    >>> points = datasets.circle(20).points
    >>> near = distances.neighbor_graph(points, 4)
    >>> type(problem.look_at(points, np.arange(20), near, is_table=False)).__name__
    'LocalPoints'
    """
    if not is_table:
        return LocalPoints(space, members)
    if sp.issparse(space):
        return LocalPaths.of(sp.csr_array(space), members, graph)
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


def look_bytes(n: int, members: float, width: int) -> float:
    """Return the bytes that looking at all neighbourhoods takes: a batch of them, and it centred.

    Parameters
    ----------
    n : int
        Number of points.
    members : float
        Points of a neighbourhood, the point itself included.
    width : int
        Number of features.

    Returns
    -------
    float
        Bytes at the peak.

    Examples
    --------
    >>> from unspool import problem
    >>> problem.look_bytes(10, 11, 784) / (10 * 11 * 784 * 8) > 2
    True
    """
    return 2.2 * min(8.0 * n * members * (width + members), CHUNK_BYTES)


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


def reconstruction(weights: sp.csr_array, masses: Array | None = None) -> EigenProblem:
    """Return the problem of M = (I - W)'(I - W): coordinates rebuilt by the same weights.

    Rows of W sum to one, so the constant vector is a solution with value 0 (Vidal, Ma, Sastry 2016,
    eq. 4.48-4.49). M is given by its factor I - W: its wanted values are so small that squaring
    would lose them.

    Parameters
    ----------
    weights : sparse matrix of shape (n_samples, n_samples)
        Reconstruction weights, one row per point.
    masses : ndarray of shape (n_samples,), optional
        How often each point counts, where some have copies: in the cost and in the scale.

    Returns
    -------
    EigenProblem
        The smallest end of M, the constant vector left out.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from unspool import problem
    >>> problem.reconstruction(sp.csr_array([[0.0, 1.0], [1.0, 0.0]])).end
    'smallest'
    """
    n = weights.shape[0]
    misfit = sp.csr_array(sp.eye_array(n, format="csr") - weights)
    if masses is not None:
        misfit = sp.csr_array(sp.diags_array(np.sqrt(masses)) @ misfit)
    return EigenProblem(misfit, "smallest", trivial=np.ones((n, 1)), mass=masses, is_factor=True)


def weights(grams: Array, regularization: float) -> Array:
    """Return the reconstruction weights for a batch of Gram matrices.

    The trace is added to the diagonal because G is singular as soon as there are more neighbours
    than dimensions. Neighbours that all coincide with the point share the weight evenly.

    Parameters
    ----------
    grams : ndarray of shape (b, k, k)
        Gram matrices of the neighbours, seen from their points.
    regularization : float
        Share of the trace that is added to the diagonal; with 0, the least of the weights that
        rebuild the point exactly are taken.

    Returns
    -------
    ndarray of shape (b, k)
        The weights; every row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import problem
    >>> problem.weights(np.array([[[1.0, -1.0], [-1.0, 1.0]]]), 1e-3).round(12)
    array([[0.5, 0.5]])
    """
    n_neighbors = grams.shape[1]
    trace = np.trace(grams, axis1=1, axis2=2)
    trace = np.where(trace > 0.0, trace, 1.0)
    scaled = grams / trace[:, None, None] + regularization * np.eye(n_neighbors)
    flat = ~grams.any(axis=(1, 2))
    scaled[flat] = np.eye(n_neighbors)
    if regularization < NEGLIGIBLE:
        solution = _limit(scaled)
    else:
        solution = np.linalg.solve(scaled, np.ones((len(grams), n_neighbors, 1)))[:, :, 0]
    return np.asarray(solution / solution.sum(axis=1, keepdims=True))


def _limit(systems: Array) -> Array:
    """Return what the solutions tend to as the regularization goes to zero.

    Directions that G does not see cost nothing, so all of them count alike, and far more than the
    others. (The pseudo-inverse would leave out just these.)
    """
    values, vectors = np.linalg.eigh(systems)
    shares = vectors.sum(axis=1) / np.maximum(values, NEGLIGIBLE)
    return np.asarray(np.einsum("bij,bj->bi", vectors, shares))


def reconstruction_weights(
    graph: NeighborGraph, local_grams: LocalGrams, regularization: float, width: int
) -> sp.csr_array:
    """Return the sparse W whose row i rebuilds point i from its neighbours.

    Parameters
    ----------
    graph : NeighborGraph
        The neighbours of every point.
    local_grams : callable
        ``local_grams(points, neighbours, distances)`` gives the Gram matrices of a batch.
    regularization : float
        Share of the trace that is added to the diagonal.
    width : int
        Number of floats it handles for one neighbour, which bounds the batch in memory.

    Returns
    -------
    sparse matrix of shape (n_samples, n_columns)
        The weights; every row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, problem
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> def grams(points, neighbors, distances):
    ...     return problem.grams_of_points(X[points], X[neighbors])
    >>> W = problem.reconstruction_weights(distances.neighbor_graph(X, 2), grams, 1e-3, 1)
    >>> W.sum(axis=1).round(12)
    array([1., 1., 1.])
    """
    values, most = np.empty(graph.n_edges), max(1, int(graph.counts.max(initial=1)))
    per_point = 8 * most * (width + most)
    with stage("weights", total=graph.n_points) as running:
        for points, neighbors, distances in graph.by_count(max(1, CHUNK_BYTES // per_point)):

            def work(
                some: slice, batch: tuple[Array, ...] = (points, neighbors, distances)
            ) -> None:
                points, neighbors, distances = (part[some] for part in batch)
                grams = local_grams(points, neighbors, distances)
                slots = graph.starts[points][:, None] + np.arange(neighbors.shape[1])
                values[slots] = weights(grams, regularization)

            _run(work, len(points), max(1, IN_CACHE // per_point))
            running.advance(len(points))
        running.note(holds=values.nbytes)
    return graph.with_weights(values)


def _run(work: Callable[[slice], None], n_points: int, step: int) -> None:
    """Call ``work`` for all points, a few at a time in each thread; few are not worth a thread."""
    if n_points <= step:
        work(slice(0, n_points))
        return
    with limit_blas_threads():
        run_strips(work, n_points, step)
