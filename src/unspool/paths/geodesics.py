"""Shortest paths through a neighbour graph, from few sources or all, stored or block by block.

A graph is prepared once and then asked as often as wanted:

    >>> import numpy as np
    >>> from unspool import datasets, distances, graph, paths
    >>> roll = graph.symmetrize(distances.neighbor_graph(datasets.swiss_roll(500).points, 8))
    >>> prepared = paths.prepare_paths(roll)
    >>> prepared.rows(np.array([0, 7])).shape
    (2, 500)
    >>> [len(sources) for sources, lengths in prepared.blocks(size=200)]
    [200, 200, 100]

Two engines answer (``sweeping``, ``searching``): the one that is predicted to be done first
(``choice``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..runtime import available_bytes, claim, run_chunks, stage, thread_count
from ..values import Array, NeighborGraph
from .choice import Engine, Wanted, choose

Precision = Literal["float32", "float64"]

WORTH_ROUNDING = 500  # sources that pay for trying a few in both precisions


def geodesic_distances(
    graph: NeighborGraph, sources: Array | None = None, *, precision: Precision = "float64"
) -> Array:
    """Return the lengths of the shortest paths from some points to every point.

    Points that cannot be reached are infinitely far.

    Parameters
    ----------
    graph : NeighborGraph
        An undirected graph, as ``graph.symmetrize`` makes it.
    sources : ndarray of int or None, default=None
        The points that the paths begin in; None is all points.
    precision : {"float64", "float32"}, default="float64"
        Precision of the table.

    Returns
    -------
    ndarray of shape (n_sources, n_samples)
        The lengths.

    Examples
    --------
    >>> from unspool import distances, graph, paths
    >>> line = graph.symmetrize(distances.neighbor_graph([[0.0], [1.0], [3.0]], 1))
    >>> paths.geodesic_distances(line)
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """
    n_sources = graph.n_points if sources is None else np.size(sources)
    _claim_table(n_sources, graph.n_points, precision)
    return prepare_paths(graph, n_sources=n_sources).rows(sources, precision=precision)


def prepare_paths(
    graph: NeighborGraph,
    *,
    n_sources: int | None = None,
    engine: Wanted = "auto",
) -> ShortestPaths:
    """Return an undirected graph made ready to be asked for shortest paths.

    Parameters
    ----------
    graph : NeighborGraph
        An undirected graph, as ``graph.symmetrize`` makes it.
    n_sources : int or None, default=None
        About how many sources it will be asked for in all; None is every point. For few, the
        elimination is not worth its while.
    engine : {"auto", "dijkstra", "elimination"}, default="auto"
        How paths are found; "auto" chooses by an estimate of the cost.

    Returns
    -------
    ShortestPaths
        What answers for the shortest paths from any source.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import distances, graph, paths
    >>> line = graph.symmetrize(distances.neighbor_graph([[0.0], [1.0], [3.0]], 1))
    >>> paths.prepare_paths(line).rows(np.array([2]))
    array([[3., 2., 0.]])
    """
    _check_undirected(graph)
    expected = graph.n_points if n_sources is None else n_sources
    with stage("shortest paths") as running:
        return ShortestPaths(choose(graph, expected, engine, running))


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """A prepared graph: asked for any sources, as often as wanted, from any thread."""

    engine: Engine

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.engine.position)

    def rows(
        self,
        sources: Array | None = None,
        *,
        precision: Precision = "float64",
        out: Array | None = None,
    ) -> Array:
        """Return the path lengths from each source (default: all) to every point, a row a source.

        Lengths are right to 1e-12 of themselves, in single precision to 1e-6. ``out`` is a table to
        write to, of the shape and precision of the answer.
        """
        starts = self._checked(sources)
        if out is None:
            _claim_table(len(starts), self.n_points, precision)
            out = np.empty((len(starts), self.n_points), dtype=precision)
        _check_table(out, (len(starts), self.n_points), precision)
        with stage("geodesics", total=len(starts)) as running:
            _write(self._engine(len(starts), precision), starts, out, running.advance)
            running.note(engine=self.engine.name, holds=out.nbytes)
        return out

    def blocks(
        self, sources: Array | None = None, *, size: int = 512, precision: Precision = "float64"
    ) -> Iterator[tuple[Array, Array]]:
        """Yield (sources, path lengths) in blocks of ``size`` sources: nothing of size n x n.

        Sources come in the order in which they are fastest. A block is used again for the next
        one: copy what is to be kept.
        """
        if size < 1:
            raise ValueError(f"a block needs a size of at least 1 source; got size={size}")
        starts = self._checked(sources)
        starts = starts[np.argsort(self.engine.position[starts], kind="stable")]
        _claim_table(min(size, len(starts)), self.n_points, precision)
        return self._blocks(starts, size, precision)

    def _blocks(
        self, starts: Array, size: int, precision: Precision
    ) -> Iterator[tuple[Array, Array]]:
        table = np.empty((min(size, len(starts)), self.n_points), dtype=precision)
        with stage("geodesics", total=len(starts)) as running:
            engine = self._engine(len(starts), precision)
            running.note(engine=engine.name, holds=table.nbytes)
            for first in range(0, len(starts), size):
                block = starts[first : first + size]
                _write(engine, block, table[: len(block)], running.advance)
                yield block, table[: len(block)]

    def _engine(self, n_sources: int, precision: Precision) -> Engine:
        """Return the engine, rounded if there are sources to pay for finding out whether to."""
        few = n_sources < WORTH_ROUNDING
        return self.engine if few else self.engine.rounded(precision)

    def _checked(self, sources: Any) -> Array:
        if sources is None:
            return np.arange(self.n_points)
        starts = np.asarray(sources)
        if starts.ndim != 1 or not (len(starts) == 0 or np.issubdtype(starts.dtype, np.integer)):
            raise ValueError(f"sources must be a list of indices of points; got {sources!r}")
        if len(starts) and (starts.min() < 0 or starts.max() >= self.n_points):
            raise ValueError(
                f"sources must be between 0 and {self.n_points - 1}; "
                f"got {starts.min()} to {starts.max()}"
            )
        return starts.astype(np.int64)


def _write(engine: Engine, sources: Array, out: Array, done: Callable[[int], None]) -> None:
    """Fill ``out``, chunk by chunk: neighbours in the engine's own order share a chunk."""
    threads = thread_count()
    share = max(1, min(engine.chunk, -(-len(sources) // threads)))
    order = np.argsort(engine.position[sources], kind="stable")
    chunks = [order[first : first + share] for first in range(0, len(order), share)]
    each = engine.space_bytes(share)
    claim(each, f"the work space for {share} sources", "ask for fewer sources at a time")
    count = max(1, min(threads, len(chunks), available_bytes() // max(each, 1)))

    def solve(rows: Array, space: Any) -> None:
        engine.solve(sources[rows], rows, out, space)

    run_chunks(solve, chunks, [engine.space(share) for _ in range(count)], done)


def _claim_table(n_sources: int, n_points: int, precision: Precision) -> None:
    if precision not in ("float32", "float64"):
        raise ValueError(f"precision must be 'float32' or 'float64'; got {precision!r}")
    claim(
        n_sources * n_points * np.dtype(precision).itemsize,
        f"the geodesics between {n_sources} and {n_points} points",
        "map fewer points, or use a method that keeps only neighbours (LLE, LaplacianEigenmaps)",
    )


def _check_table(out: Array, shape: tuple[int, int], precision: Precision) -> None:
    if out.shape != shape or out.dtype != precision or not out.flags.c_contiguous:
        raise ValueError(
            f"out must be a C-contiguous {precision} array of shape {shape}; "
            f"got {out.dtype} of shape {out.shape}"
        )


def _check_undirected(graph: NeighborGraph) -> None:
    """Raise ValueError unless each edge is there in both directions, equally long.

    Compares the graph and its transpose as they act on random whole numbers, bit by bit and modulo
    2^64: two different ones agree by accident once in 10^19 times, and nothing has to be sorted.
    """
    random = np.random.default_rng(0).integers(2**63, size=(graph.n_columns, 1), dtype=np.int64)
    edges = graph.with_weights(graph.distances.astype(np.float64).view(np.int64) + 1)
    if graph.n_points != graph.n_columns or not np.array_equal(edges @ random, edges.T @ random):
        raise ValueError(
            "shortest paths need an undirected graph, and this one has edges in one direction "
            "only, or longer in one than in the other; pass it through graph.symmetrize first"
        )
