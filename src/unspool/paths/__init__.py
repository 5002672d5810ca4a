"""NeighborGraph -> geodesic distances: shortest paths by elimination or by Dijkstra's algorithm.

A graph is prepared once and then asked as often as wanted:

    >>> import numpy as np
    >>> from unspool import datasets, distances, graph, paths
    >>> roll = graph.symmetrize(distances.neighbor_graph(datasets.swiss_roll(500).points, 8))
    >>> prepared = paths.prepare_paths(roll)
    >>> prepared.rows(np.array([0, 7])).shape
    (2, 500)
    >>> [len(sources) for sources, lengths in prepared.blocks(size=200)]
    [200, 200, 100]

Two algorithms answer, both exact, and the one that is predicted to be done first is chosen.
Dijkstra's costs about edges x log2(points) for each source. A sweep over the eliminated graph costs
one step for each arc and source, ten times cheaper since it runs over contiguous sources; but first
the vertices must be ordered and eliminated, and the fill depends on the graph. It is counted before
any arc is computed, so that a wrong turn costs the ordering only. The constants and what they
predicted are in docs/decisions/009-geodesics-by-elimination.md.

A third is there to be asked for by name, the algorithm of Floyd (1962) and Warshall: a path from i
to j over the first k points is the shorter of the one over the first k - 1 and the one that passes
point k (Izenman 2013, section 16.6.3). SciPy runs it on a dense table: where most pairs are joined,
nothing is searched and nothing sorted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np

from ..elimination_order import Elimination, plan_elimination
from ..runtime import Running, available_bytes, claim, run_chunks, stage, thread_count
from ..values import Array, NeighborGraph
from .dijkstra import MOST_BUCKETS, lengths_between, near_each_other, prepare_dijkstra
from .elimination import prepare_elimination

__all__ = [
    "MOST_BUCKETS",
    "Algorithm",
    "PathSolver",
    "Precision",
    "ShortestPaths",
    "geodesic_distances",
    "lengths_between",
    "prepare_paths",
    "shortest_path",
]
Precision = Literal["float32", "float64"]
Algorithm = Literal["auto", "elimination", "dijkstra", "floyd-warshall"]
Layout = list[tuple[tuple[int, ...], Any]]  # shape and type of each array of a workspace
Workspace = list[Array]

WORTH_ROUNDING = 500  # sources that pay for trying a few in both precisions

# Seconds on one core; only their ratios decide anything.
ORDERING = 5e-8  # to order the vertices, an edge and doubling of the number of points
DISSECTING = 1.5e-6  # to order them by nested dissection, an edge
FILLING = 5e-8  # to find the filled pattern, an arc
SHORTENING = 1.5e-10  # to shorten the arcs, a pair of arcs that meet
SWEEPING = 2e-10  # to sweep, an arc and source
SEARCHING = 6e-10  # Dijkstra, an edge, source and doubling of the number of points
TOGETHER = 3e-10  # the same where near sources share a search

WORTH_DISSECTING = 64  # arcs per vertex: below, minimum degree fills in no more (Swiss roll: 24-40)
SAVED = 1 / 3  # of the elimination by nested dissection above that, about
LEAST_SAVED = 3.0  # seconds: its kernels take longer than that to compile when first used
ARC_BYTES = 4 + 8 + 4  # the end of an arc, its length, and a rounded copy


@dataclass(frozen=True, slots=True)
class TableSolver:
    """All path lengths, ready to be copied."""

    table: Array
    name = "floyd-warshall"

    @property
    def position(self) -> Array:
        """Place of each point: its own number."""
        return np.arange(len(self.table))

    @property
    def chunk(self) -> int:
        """How many sources are answered at once."""
        return 1024

    def rounded(self, dtype: Any) -> TableSolver:
        """Return this solver: only its answers are rounded."""
        return self

    def workspace(self, n_sources: int) -> Layout:
        """Return an empty layout: nothing is needed."""
        return []

    def solve(self, sources: Array, rows: Array, out: Array, workspace: Workspace) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        out[rows] = self.table[sources]


def prepare_floyd_warshall(graph: NeighborGraph) -> TableSolver:
    """Return all shortest paths of an undirected graph, at once."""
    from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

    n = graph.n_points
    lengths = np.full((n, n), np.inf)
    np.minimum.at(lengths, (graph.rows, graph.neighbors), graph.distances)
    np.fill_diagonal(lengths, 0.0)
    edges = csgraph_from_dense(lengths, null_value=np.inf)  # zero is a length, not a missing edge
    return TableSolver(np.asarray(floyd_warshall(edges, directed=False)))


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


def shortest_path(graph: NeighborGraph, first: int, last: int) -> Array:
    """Return the points of a shortest path, both ends included; none if there is no path.

    Parameters
    ----------
    graph : NeighborGraph
        An undirected graph, as ``graph.symmetrize`` makes it.
    first : int
        The point that the path begins in.
    last : int
        The point that it leads to.

    Returns
    -------
    ndarray of int
        The points, from the first to the last.

    Examples
    --------
    >>> from unspool import distances, graph, paths
    >>> line = graph.symmetrize(distances.neighbor_graph([[0.0], [1.0], [3.0]], 1))
    >>> paths.shortest_path(line, 0, 2)
    array([0, 1, 2])
    """
    lengths = geodesic_distances(graph, np.array([first]))[0]
    if not np.isfinite(lengths[last]):
        return np.empty(0, dtype=np.int64)
    slack = 1e-9 * lengths[last]  # sums of edges in another order
    way, seen = [int(last)], {int(last)}
    while way[-1] != first:  # edges of length 0 may lead into a dead end, which is left again
        point = way[-1]
        edges = slice(graph.starts[point], graph.starts[point + 1])
        near = graph.neighbors[edges]
        on_path = lengths[near] + graph.distances[edges] <= lengths[point] + slack
        ahead = [int(p) for p in near[on_path] if int(p) not in seen]
        if ahead:
            way.append(min(ahead, key=lambda p: lengths[p]))
            seen.add(way[-1])
        else:
            way.pop()
    return np.array(way[::-1], dtype=np.int64)


def prepare_paths(
    graph: NeighborGraph,
    *,
    n_sources: int | None = None,
    algorithm: Algorithm = "auto",
) -> ShortestPaths:
    """Return an undirected graph made ready to be asked for shortest paths.

    Parameters
    ----------
    graph : NeighborGraph
        An undirected graph, as ``graph.symmetrize`` makes it.
    n_sources : int or None, default=None
        About how many sources it will be asked for in all; None is every point. For few, the
        elimination is not worth its while.
    algorithm : {"auto", "dijkstra", "elimination", "floyd-warshall"}, default="auto"
        How paths are found; "auto" chooses by an estimate of the cost. Floyd's algorithm looks at
        every triple of points, and is for small graphs in which most pairs are joined.

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
        return ShortestPaths(_choose(graph, expected, algorithm, running))


class PathSolver(Protocol):
    """Answers chunks of sources, each in a workspace of its own, so that threads can share it.

    It has its own numbering of the points, in which neighbours are near each other in memory.
    """

    @property
    def name(self) -> str:
        """Name of the algorithm."""
        ...

    @property
    def position(self) -> Array:
        """Place of each point in its own numbering."""
        ...

    @property
    def chunk(self) -> int:
        """How many sources it answers at once."""
        ...

    def rounded(self, dtype: Any) -> PathSolver:
        """Return the solver that fills tables of ``dtype``."""
        ...

    def workspace(self, n_sources: int) -> Layout:
        """Return the arrays that a chunk of sources is worked out in."""
        ...

    def solve(self, sources: Array, rows: Array, out: Array, workspace: Workspace) -> None:
        """Write the distances from ``sources`` to ``out[rows]``."""
        ...


@dataclass(frozen=True, slots=True)
class ShortestPaths:
    """A prepared graph: asked for any sources, as often as wanted, from any thread."""

    solver: PathSolver

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.solver.position)

    def rows(
        self,
        sources: Array | None = None,
        *,
        precision: Precision = "float64",
        out: Array | None = None,
    ) -> Array:
        """Return the path lengths from sources (default: all) to every point, one row per source.

        Lengths are right to 1e-12 of themselves, in single precision to 1e-6. ``out`` is a table to
        write to, of the shape and precision of the answer.
        """
        starts = self._checked(sources)
        if out is None:
            _claim_table(len(starts), self.n_points, precision)
            out = np.empty((len(starts), self.n_points), dtype=precision)
        _check_table(out, (len(starts), self.n_points), precision)
        with stage("geodesics", total=len(starts)) as running:
            _write(self._rounded(len(starts), precision), starts, out, running.advance)
            running.note(algorithm=self.solver.name, holds=out.nbytes)
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
        starts = starts[np.argsort(self.solver.position[starts], kind="stable")]
        _claim_table(min(size, len(starts)), self.n_points, precision)
        return self._blocks(starts, size, precision)

    def _blocks(
        self, starts: Array, size: int, precision: Precision
    ) -> Iterator[tuple[Array, Array]]:
        table = np.empty((min(size, len(starts)), self.n_points), dtype=precision)
        with stage("geodesics", total=len(starts)) as running:
            solver = self._rounded(len(starts), precision)
            running.note(algorithm=solver.name, holds=table.nbytes)
            for first in range(0, len(starts), size):
                block = starts[first : first + size]
                _write(solver, block, table[: len(block)], running.advance)
                yield block, table[: len(block)]

    def _rounded(self, n_sources: int, precision: Precision) -> PathSolver:
        """Return the solver, rounded if there are sources to pay for finding out whether to."""
        few = n_sources < WORTH_ROUNDING
        return self.solver if few else self.solver.rounded(precision)

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


def _write(solver: PathSolver, sources: Array, out: Array, done: Callable[[int], None]) -> None:
    """Fill ``out``, chunk by chunk: neighbours in the solver's own order share a chunk."""
    threads = thread_count()
    share = max(1, min(solver.chunk, -(-len(sources) // threads)))
    order = np.argsort(solver.position[sources], kind="stable")
    chunks = [order[first : first + share] for first in range(0, len(order), share)]
    layout = solver.workspace(share)
    each = sum(math.prod(shape) * np.dtype(kind).itemsize for shape, kind in layout)
    claim(each, f"the workspace for {share} sources", "ask for fewer sources at a time")
    count = max(1, min(threads, len(chunks), available_bytes() // max(each, 1)))

    def solve(rows: Array, workspace: Workspace) -> None:
        solver.solve(sources[rows], rows, out, workspace)

    workspaces = [[np.empty(shape, kind) for shape, kind in layout] for _ in range(count)]
    run_chunks(solve, chunks, workspaces, done)


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
    random = np.random.default_rng(0).integers(2**63, size=graph.n_columns, dtype=np.int64)
    there, back = np.zeros(graph.n_points, np.int64), np.zeros(graph.n_columns, np.int64)
    square = graph.n_points == graph.n_columns
    for first, last in graph.strips() if square else ():
        some = graph.some_rows(first, last)
        edges = some.with_weights(some.distances.astype(np.float64).view(np.int64) + 1)
        there[first:last] = edges @ random
        back += edges.T @ random[first:last]
    if not square or not np.array_equal(there, back):
        raise ValueError(
            "shortest paths need an undirected graph, and this one has edges in one direction "
            "only, or longer in one than in the other; pass it through graph.symmetrize first"
        )


def _choose(
    graph: NeighborGraph, n_sources: int, wanted: Algorithm, running: Running
) -> PathSolver:
    """Return the solver for ``n_sources``: the wanted one, or the one that is done first."""
    if wanted not in get_args(Algorithm):
        raise ValueError(
            f"algorithm must be one of {', '.join(map(repr, get_args(Algorithm)))}; got {wanted!r}"
        )
    if wanted == "floyd-warshall":
        needed = 8 * graph.n_points**2
        claim(2 * needed, f"all paths between {graph.n_points} points", "use 'dijkstra'")
        running.note(algorithm=wanted, holds=needed)
        return prepare_floyd_warshall(graph)
    turns, work = _turns(n_sources), graph.n_edges * np.log2(max(graph.n_points, 2))
    by_search = (TOGETHER if near_each_other(graph, n_sources) else SEARCHING) * work * turns
    without_fill = ORDERING * work + SWEEPING * graph.n_edges / 2 * turns
    if wanted == "elimination" or (wanted == "auto" and without_fill < by_search):
        plan = _planned(graph, n_sources)
        needed = ARC_BYTES * plan.fill
        running.note(fill=round(plan.fill / graph.n_points, 1))
        pays = _elimination_seconds(plan, n_sources) < by_search and needed < available_bytes()
        if pays or wanted == "elimination":
            claim(needed, f"the eliminated graph of {graph.n_points} points", "use 'dijkstra'")
            running.note(algorithm="elimination", holds=needed)
            return prepare_elimination(graph, plan)
    running.note(algorithm="dijkstra", holds=16 * graph.n_edges)
    return prepare_dijkstra(graph, n_sources)


def _planned(graph: NeighborGraph, n_sources: int) -> Elimination:
    """Return a plan by minimum degree, or by nested dissection where that is worth its time."""
    pattern = graph.with_weights(np.ones(graph.n_edges, dtype=np.int8))
    plan = plan_elimination(pattern)
    seconds = _elimination_seconds(plan, n_sources)
    filled = plan.fill > WORTH_DISSECTING * graph.n_points
    if not filled or SAVED * seconds < DISSECTING * graph.n_edges + LEAST_SAVED:
        return plan
    other = plan_elimination(pattern, nested=True)
    return other if _elimination_seconds(other, n_sources) < seconds else plan


def _elimination_seconds(plan: Elimination, n_sources: int) -> float:
    once = FILLING * plan.fill + SHORTENING * plan.flops
    return once + SWEEPING * plan.fill * _turns(n_sources)


def _turns(n_sources: int) -> float:
    """Return the sources that each thread has to answer."""
    return n_sources / max(1, min(thread_count(), n_sources))
