"""Approximate search: random trees tell the first candidates, neighbours of neighbours the rest.

Points are kept in single precision along their leading axes. A tree halves them at medians of
random directions until few are left in a leaf, and all points of a leaf are compared by one matrix
product (Dasgupta and Freund 2008). After some trees each point looks at the neighbours of its
neighbours, round after round (NN-descent; Dong, Charikar and Li 2011). Those that are kept are then
compared in double precision, as in the exact search.

How much work is enough is measured: a sample of the points is searched exactly as well, and rounds
and trees are added until the share of true neighbours that are found, the recall, is at least 0.99.
The graph carries the recall, the report tells it, and where it cannot be reached for less than the
exact search takes, the search is exact and says so. Query points are always searched exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..edges import graph_from_table
from ..runtime import (
    claim,
    limit_blas_threads,
    run_chunks,
    run_strips,
    tell_progress,
    thread_count,
    warn,
)
from ..values import Array, NeighborGraph
from .blocks import BlockSearch, exact_seconds
from .sketch import (
    DEPTHS,
    MOST_AXES,
    Sketch,
    Spread,
    coherent_order,
    coordinates,
    leading_axes,
    spread_of,
)

RECALL = 0.99
SAMPLE = 500  # points: the recall of ten neighbours is then known to about 0.002
LEAF = 512  # points of a leaf at most
TREES = 6  # before the first look at neighbours of neighbours, and again before looking wider
# Candidates of a point: with the 36 for ten neighbours the rounds on MNIST ended short of the
# recall, and wider ones took three times as long (8.7 s for 60,000 images, 2.6 s with these).
FEWEST = 52
ROUNDS = 5  # of looks at neighbours of neighbours; more find hardly anything
FEW_AXES = 64  # columns from which on fewer axes are worth finding
PILOTS, SEEN = 100, 8_000  # points, and others, by which the number of axes is chosen
ROOM = 0.998  # share of the true neighbours that must be among the candidates along these axes
SCOUTS, HARD = 3, 0.2  # trees after which a lower recall says that rounds will take long
SHARE = 0.05  # of the exact search's work: a round that takes more does not pay on hard data
LEAST = 0.1  # of what is missing: a round that finds less is the last
FRESH = 1 << 30  # bit of a candidate whose neighbours have not been looked at

# Processor seconds a point: a tree, by axis; the first, whose every pair is new; a look, by axis.
TREE, TREE_AXIS, FIRST, LOOK, LOOK_AXIS = 1.5e-6, 3e-8, 8e-6, 2.5e-8, 5e-10


class Found(NamedTuple):
    """Tables of neighbours and of their distances, one row per point, and the recall."""

    columns: Array
    distances: Array
    recall: float


def candidates_of(count: int) -> int:
    """Return how many candidates a point keeps for so many neighbours."""
    return max(2 * count + 16, FEWEST)


def approximate_seconds(n_points: int, n_columns: int, count: int) -> float:
    """Return the processor seconds that the approximate search takes, roughly; measuring included.

    Parameters
    ----------
    n_points : int
        Number of points.
    n_columns : int
        Number of columns.
    count : int
        Neighbours of each point.

    Returns
    -------
    float
        Seconds of one core.

    Examples
    --------
    >>> from unspool import distances
    >>> seconds = [distances.approximate_seconds(n, 50, 10) for n in (10**5, 10**6)]
    >>> seconds[0] < seconds[1]
    True
    """
    axes, looks = min(n_columns, FEW_AXES), 0.6 * candidates_of(count) ** 2
    trees = FIRST + TREES * (TREE + TREE_AXIS * axes)
    ready = 4e-9 * n_columns * (30 + candidates_of(count))
    return n_points * (trees + looks * (LOOK + LOOK_AXIS * axes) + ready)


@dataclass(frozen=True)
class ApproximateSearch:
    """Euclidean neighbours of all points by trees and rounds, with a recall that was measured.

    Distances are exact. Everything follows from the fields, on any number of threads.
    """

    points: Array
    center: Array
    seed: int = 0
    name = "random trees"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query: of the points themselves, nearly."""
        if candidates_of(count) <= LEAF // 2 and self._is_of_all(queries):
            found = self._nearest_of_all(count)
            if found is not None:
                graph = graph_from_table(
                    found.columns, found.distances, n_columns=self.n_points, search=self.name
                )
                return replace(graph, recall=found.recall)
        return self._exact.nearest(queries, count)

    def within(self, queries: Array, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query: few are far from the exact search."""
        return self._exact.within(queries, radius, others=others)

    def among(self, points: Array) -> BlockSearch:
        """Return the search over ``points`` alone, which is exact."""
        return self._exact.among(points)

    @cached_property
    def _exact(self) -> BlockSearch:
        return BlockSearch(self.points, self.center)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _is_of_all(self, queries: Array) -> bool:
        if queries is self.points:
            return True
        return len(queries) == self.n_points and np.array_equal(queries, self.points)

    def _nearest_of_all(self, count: int) -> Found | None:
        n, d = self.points.shape
        claim(
            workspace_bytes(n, d, count),
            f"the approximate search among {n} points",
            "take a sample of the points",
        )
        spread = spread_of(self.points, None)
        if spread is None:  # squares leave double precision
            return None
        random = np.random.default_rng(self.seed)
        rows = np.sort(random.choice(n, min(SAMPLE, n), replace=False))
        judge = _Judge(rows, self._exact.nearest(self.points[rows], count))
        with limit_blas_threads():
            table = _table(self.points, _choose_axes(self.points, spread, judge))
            search = _Candidates(self.points, table, candidates_of(count), random)
            recall = search.improve(judge, d)
            if recall >= RECALL:
                return Found(*search.best(count, None), recall)
        warn(
            f"random trees and {search.rounds} rounds found only {recall:.3f} of the true "
            "neighbours, which are hardly nearer than the other points; the search was exact "
            "instead, as with search='exact'"
        )
        return None


def workspace_bytes(n_points: int, n_columns: int, count: int) -> float:
    """Return the bytes that the approximate search takes beside the points.

    Parameters
    ----------
    n_points : int
        Number of points.
    n_columns : int
        Number of columns.
    count : int
        Neighbours of each point.

    Returns
    -------
    float
        Bytes at the peak.

    Examples
    --------
    >>> from unspool import distances
    >>> distances.workspace_bytes(1000, 50, 10) > 1000 * 50 * 4
    True
    """
    width = candidates_of(count)
    axes = min(n_columns, MOST_AXES) + 1
    # the table and its rearranged copy; candidates, their order, a copy, and who lists a point
    return float(n_points) * (8 * axes + width * (8 + 8 + 4 + 2) + 16 * count)


class Share(NamedTuple):
    """The recall of the sample, and its standard error."""

    recall: float
    error: float

    @property
    def is_enough(self) -> bool:
        """Whether the recall of all points is high enough, and not by luck of the sample."""
        return self.recall - 2 * self.error >= RECALL


class _Judge(NamedTuple):
    """The sample of points whose true neighbours are known."""

    rows: Array
    truth: NeighborGraph

    def share(self, columns: Array, distances: Array) -> Share:
        """Return the share of true neighbours found.

        Equally near ones count; a point finds itself at once, and that is no success.
        """
        count = int(self.truth.counts[0])
        if count == 1:  # oneself
            return Share(1.0, 0.0)
        farthest = self.truth.distances.reshape(-1, count)[:, -1:]
        good = (distances <= farthest * (1 + 1e-12)) & (columns != self.rows[:, None])
        hits = np.minimum(good.sum(axis=1) / (count - 1), 1.0)
        return Share(float(hits.mean()), float(hits.std() / np.sqrt(len(hits))))


class _Candidates:
    """What is known of each point's neighbours so far: a heap of candidates for each.

    Points are in an order in which near ones stand near each other; ``ids`` tells which they are.
    """

    def __init__(self, points: Array, table: Array, width: int, random: Any) -> None:
        self.points, self.random, self.rounds = points, random, 0
        self.ids = coherent_order(table, LEAF // 4)
        self.place = np.empty_like(self.ids)
        self.place[self.ids] = np.arange(len(self.ids))
        self.table = np.ascontiguousarray(table[self.ids])
        self.norms = np.einsum("ij,ij->i", self.table, self.table)
        self._dist = np.full((len(table), width), np.inf, np.float32)
        self._who = np.full((len(table), width), -1, np.int32)

    def improve(self, judge: _Judge, n_columns: int) -> float:
        """Add trees and rounds until the sample is found well enough; return its recall."""
        n, width = self._who.shape
        whole = exact_seconds(n, n_columns)
        for breadth in (width // 2, width):
            each = n * breadth**2 * (LOOK + LOOK_AXIS * self.table.shape[1])
            for number in range(1, TREES + 1):
                self._add_tree()
                if number == SCOUTS:
                    share = self._measure(judge)
                    if share.is_enough or (share.recall < HARD and each > SHARE * whole):
                        return share.recall
            share = self._measure(judge)
            for _ in range(ROUNDS):
                if share.is_enough:
                    return share.recall
                self._visit_neighbors(breadth)
                missed, share = 1 - share.recall, self._measure(judge)
                if 1 - share.recall > (1 - LEAST) * missed:
                    break
            if share.is_enough:
                return share.recall
            self._who[self._who >= 0] |= FRESH  # their farther neighbours were not looked at
        return min(share.recall, float(np.nextafter(RECALL, 0)))

    def best(self, count: int, rows: Array | None) -> tuple[Array, Array]:
        """Return the nearest of the candidates, of all points or of some, by exact distances."""
        from . import approximate_kernels as kernels

        asked = np.arange(len(self.ids)) if rows is None else self.place[rows]
        columns = np.empty((len(asked), count), np.int64)
        squares = np.empty((len(asked), count))
        run_strips(
            lambda strip: kernels.evaluate(
                self.points, self.ids, asked[strip], self._who, columns[strip], squares[strip]
            ),
            len(asked),
            500,
        )
        if rows is None:
            columns, squares = columns[self.place], squares[self.place]
        return columns, np.sqrt(squares)

    def _measure(self, judge: _Judge) -> Share:
        found = self.best(int(judge.truth.counts[0]), judge.rows)
        return judge.share(*found)

    def _add_tree(self) -> None:
        """Compare the points of each leaf of a random tree."""
        from . import approximate_kernels as kernels

        leaves = _leaves(self.table, self.random)
        axes = self.table.shape[1]
        spaces = [
            (np.empty(LEAF * axes, np.float32), np.empty(kernels.TALL * LEAF, np.float32))
            for _ in range(thread_count())
        ]

        def work(members: Array, space: tuple[Array, Array]) -> None:
            kernels.join_leaf(members, self.table, self.norms, self._dist, self._who, *space)

        run_chunks(work, leaves, spaces, _told(len(self.ids)))

    def _visit_neighbors(self, breadth: int) -> None:
        """Let each point look at the neighbours of its neighbours, the nearest of each."""
        from . import approximate_kernels as kernels

        n = len(self._who)
        order = np.argsort(self._dist, axis=1)
        before = np.take_along_axis(self._who, order, axis=1)
        counts, others = np.zeros(n, np.int32), np.empty((n, breadth), np.int32)
        kernels.reverse(before, breadth, counts, others)

        def work(rows: Array, seen: Array) -> None:
            strip = (int(rows[0]), int(rows[-1]) + 1)
            kernels.visit_neighbors(
                self.table, before, breadth, counts, others, self._dist, self._who, seen, *strip
            )

        chunks = [np.arange(first, min(first + LEAF, n)) for first in range(0, n, LEAF)]
        seen = [np.full(n, -1, np.int32) for _ in range(thread_count())]
        run_chunks(work, chunks, seen, _told(n))
        self.rounds += 1


def _leaves(table: Array, random: Any) -> list[Array]:
    """Return the leaves of a random tree: medians of one random direction a level."""
    n, axes = table.shape
    levels = max(1, int(np.ceil(np.log2(n / LEAF))))
    directions = random.standard_normal((axes, levels)).astype(np.float32)
    along = np.empty((levels, n), np.float32)

    def project(strip: slice) -> None:
        along[:, strip] = (table[strip] @ directions).T

    run_strips(project, n, 4096)  # of one length: the same products on any number of threads
    leaves = [np.arange(n)]
    for level in range(levels):
        halves: list[Array] = []
        for members in leaves:
            middle = len(members) // 2
            order = members[np.argpartition(along[level, members], middle)]
            halves += [order[:middle], order[middle:]]
        leaves = halves
    return leaves


def _choose_axes(points: Array, spread: Spread, judge: _Judge) -> Sketch:
    """Return the fewest axes along which the true neighbours of the sample are candidates."""
    single = np.dtype(np.float32)
    whole = Sketch(spread.center, spread.scale, None, single, 0.0)
    n, n_columns = points.shape
    count = int(judge.truth.counts[0])
    some = np.arange(0, n, max(1, n // SEEN))
    rank = candidates_of(count) * len(some) // n
    if n_columns <= FEW_AXES or not 0 < rank < len(some):
        return whole
    pilots = np.arange(0, len(judge.rows), max(1, len(judge.rows) // PILOTS))
    rows, near = judge.rows[pilots], judge.truth.neighbors.reshape(-1, count)[pilots]
    axes = np.linalg.qr(leading_axes(spread.sample, min(MOST_AXES, n_columns - 1)))[0].astype(float)
    along = replace(whole, axes=axes)
    others, mine = _table(points[some], along), _table(points[rows], along)
    own = _table(points[near.ravel()], along).reshape(*near.shape, -1)
    to_others, before = np.zeros((len(rows), len(some)), np.float32), 0
    to_own = np.zeros(near.shape, own.dtype)
    for depth in (depth for depth in DEPTHS if depth <= axes.shape[1]):
        part = slice(before, depth)
        to_others += _squared(mine[:, part], others[:, part])
        to_own += np.square(own[:, :, part] - mine[:, None, part]).sum(axis=2)
        limit = np.partition(to_others, rank, axis=1)[:, rank : rank + 1]
        if np.mean((to_own <= limit)[near != rows[:, None]]) >= ROOM:
            return replace(along, axes=np.ascontiguousarray(axes[:, :depth]))
        before = depth
    return whole


def _squared(a: Array, b: Array) -> Array:
    """Return squared distances, roughly."""
    norms = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)
    return np.asarray(norms - 2 * (a @ b.T))


def _table(points: Array, sketch: Sketch) -> Array:
    """Return the points along the axes, in single precision."""
    width = points.shape[1] if sketch.axes is None else sketch.axes.shape[1] + 1
    table = np.empty((len(points), width), np.float32)

    def work(strip: slice) -> None:
        table[strip] = coordinates(points[strip], sketch)[0]

    run_strips(work, len(points), max(1, 2**19 // points.shape[1]))
    return table


def _told(total: int) -> Callable[[int], None]:
    """Return what tells the listeners of each chunk that is done."""
    done = 0

    def tell(units: int) -> None:
        nonlocal done
        done += units
        tell_progress(done, total)

    return tell
