"""Exact Euclidean neighbours of many columns: those of brute force by differences.

A matrix product bounds all squared distances from below (``sketch``). Pairs whose bound is above
the k-th best so far are never looked at; the others are evaluated in double precision, by
differences of the coordinates as given. Limits are of evaluated distances, so the answer does not
depend on the order of the work or the number of threads. Neighbours are chosen by (squared
distance, index).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Condition
from typing import Any, NamedTuple

import numpy as np

from ..runtime import limit_blas_threads, run_chunks, run_strips, tell_progress, thread_count
from ..values import Array
from .sketch import (
    FARTHEST,
    Sketch,
    choose_map,
    coherent_order,
    factor_of,
    inflation,
    nested_factors,
    reach_of,
)

BLOCK = 1_024  # rows that one thread holds at a time
TALL, WIDE = 256, 512  # a tile of single precision: 512 KiB, within a core's second cache
SHORT, ROOM = 128, 1 << 20  # queries that other points are searched for at a time; their bounds
BUFFER = 128  # candidates that a query may hold before they are evaluated
LEAF = 128  # points that stay together when the points are put in order
PILOTS = 64  # queries by which is guessed how many neighbours there are
MANY = 0.02  # of the points, from which on counting them first costs less than moving them
BATCH = 32_768  # queries whose buffers exist at a time


class _State(NamedTuple):
    """What the search knows of each query so far; the kernels take it as one tuple."""

    bound: Array
    who: Array
    held: Array
    limit: Array
    dist: Array
    neighbors: Array
    inflate: float


class Nearest(NamedTuple):
    """Tables of neighbours and of their distances, one row per query, nearest first."""

    columns: Array
    distances: Array


class Within(NamedTuple):
    """Neighbours within a radius and their distances, one row after the other (CSR)."""

    starts: Array
    columns: Array
    distances: Array


@dataclass(frozen=True)
class PreparedPoints:
    """Points as queries meet them: as given, and as the right factor of the bounds."""

    points: Array
    sketch: Sketch
    finer: Sketch | None
    right: Array
    fine_right: Array  # without columns, where there is no finer map
    ids: Array  # the points that the rows of both are of

    def reaches(self, queries: Array) -> bool:
        """Say whether the bounds hold for these queries: they are not far beyond all points."""
        with np.errstate(over="ignore", invalid="ignore"):
            reach = reach_of(queries, self.sketch.center)
            return bool(reach * self.sketch.scale <= FARTHEST)


def prepare(
    points: Array, queries: Array, k: int, radius: float | None = None
) -> PreparedPoints | None:
    """Return the points ready for the queries; None where squares leave double precision."""
    with limit_blas_threads():
        sketch = choose_map(points, queries, k, radius)
        if sketch is None:
            return None
        finer = sketch.finer()
        tables = nested_factors(points, sketch, finer, left=False)
        ids = np.arange(len(points))
        if radius is None:
            ids = coherent_order(tables[0][:, : sketch.width() - 2], LEAF)
            tables = _rearranged(tables[0], ids), _rearranged(tables[1], ids)
        return PreparedPoints(points, sketch, finer, *tables, ids)


def nearest_of_all(points: Array, k: int) -> Nearest | None:
    """Return the ``k`` nearest of each point, itself among them: each pair is computed once.

    None where squares leave double precision.
    """
    with limit_blas_threads():
        sketch = choose_map(points, None, k)
        if sketch is None:
            return None
        left, right = (factor_of(points, sketch, left=side) for side in (True, False))
        ids = coherent_order(left[:, : sketch.width() - 2], LEAF)
        points, left, right = (_rearranged(table, ids) for table in (points, left, right))
        state = _state(len(points), k, sketch)
        _sweep_pairs(points, ids, left, right, state)
    back = np.empty_like(ids)
    back[ids] = np.arange(len(ids))
    index, dist = _rearranged(state.neighbors, back), _rearranged(state.dist, back)
    return Nearest(index, np.sqrt(dist, out=dist))


def nearest(prepared: PreparedPoints, queries: Array, k: int) -> Nearest:
    """Return the ``k`` nearest points of each query."""
    shape = len(queries), k
    found = Nearest(np.full(shape, np.iinfo(np.int64).max), np.full(shape, np.inf))
    with limit_blas_threads():
        for first in range(0, len(queries), BATCH):
            batch = slice(first, min(first + BATCH, len(queries)))
            _search_rows(prepared, queries, batch, found)
    return Nearest(found.columns, np.sqrt(found.distances, out=found.distances))


def within(
    prepared: PreparedPoints, queries: Array, radius: float, *, others: bool = False
) -> Within:
    """Return all points at most ``radius`` from each query, nearest first, ties by index.

    ``others`` says that the queries are the points, and that none is to list itself.
    """
    sketch = prepared.sketch
    # a hair above: the test is of the distance, the limit of its square
    limit = radius * radius * inflation(sketch) * (1 + 1e-15)
    limit = sketch.dtype.type(min(limit, float(np.finfo(sketch.dtype).max)))
    ball = _Ball(prepared, radius, limit, others)
    with limit_blas_threads():
        some = queries[:: max(1, len(queries) // PILOTS)]
        pilots = np.zeros(len(some), np.int64)
        ball.count(some, pilots, _spaces(sketch)[0])
        if pilots.mean() > MANY * len(prepared.points):
            return _within_by_counts(ball, queries)
        return _within_by_lists(ball, queries)


def _within_by_lists(ball: _Ball, queries: Array) -> Within:
    """Collect the edges in lists that grow: for few neighbours, each bound is computed once."""
    parts: dict[int, Within] = {}

    def work(rows: Array, space: _Edges) -> None:
        parts[int(rows[0])] = ball.listed(queries[rows[0] : rows[-1] + 1], int(rows[0]), space)

    spaces = [_Edges.of(tile) for tile in _spaces(ball.prepared.sketch)]
    run_chunks(work, _strips(len(queries)), spaces, _progress(len(queries)))
    return _join_rows([parts[first] for first in sorted(parts)])


def _within_by_counts(ball: _Ball, queries: Array) -> Within:
    """Count the candidates, then write the edges where they belong: of many none is moved twice."""
    from . import search_kernels as kernels

    n, tiles = len(queries), _spaces(ball.prepared.sketch)
    room = np.zeros(n, np.int64)

    def count(rows: Array, tile: Array) -> None:
        ball.count(queries[rows[0] : rows[-1] + 1], room[rows[0] : rows[-1] + 1], tile)

    run_chunks(count, _strips(n), tiles, _progress(2 * n))
    starts = np.concatenate([[0], np.cumsum(room)])
    found = starts[:-1].copy(), np.empty(starts[-1], np.int64), np.empty(starts[-1])
    ball.write(queries, found, tiles)
    run_strips(lambda s: kernels.sort_rows(starts[s], *(found[0][s], *found[1:])), n, TALL)
    kernels.close_gaps(starts, *found)
    return Within(starts, found[1][: starts[-1]], found[2][: starts[-1]])


def _join_rows(parts: list[Within]) -> Within:
    """Return the edges of consecutive queries as one."""
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.starts) for part in parts)])
    starts = np.cumsum(counts)
    ends = np.cumsum([len(part.columns) for part in parts])
    whole = Within(starts, np.empty(starts[-1], np.int64), np.empty(starts[-1]))

    def copy(strip: slice) -> None:
        part, last = parts[strip.start], ends[strip.start]
        place = slice(last - len(part.columns), last)
        whole.columns[place], whole.distances[place] = part.columns, part.distances

    run_strips(copy, len(parts), 1)
    return whole


@dataclass
class _Edges:
    """What a thread works in: a tile, and lists of edges that grow."""

    tile: Array
    row: Array
    index: Array
    dist: Array

    @classmethod
    def of(cls, tile: Array) -> _Edges:
        """Return room for the edges of one tile."""
        size = TALL * WIDE
        return cls(tile, np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size))

    def grow(self, used: int, wanted: int) -> None:
        """Make room for ``wanted`` edges, of which some are there."""
        if wanted > len(self.row):
            more = max(wanted, 2 * len(self.row)) - used
            held = (column[:used] for column in (self.row, self.index, self.dist))
            self.row, self.index, self.dist = (np.append(c, np.empty(more, c.dtype)) for c in held)


@dataclass(frozen=True)
class _Ball:
    """The points that queries look among, and how far."""

    prepared: PreparedPoints
    radius: float
    limit: Any
    others: bool

    def _tiles(self, queries: Array) -> Iterator[tuple[Array, Array, tuple[int, int]]]:
        """Yield the two sides of each tile of some queries, and which points it has."""
        left = factor_of(queries, self.prepared.sketch, left=True)
        for first in range(0, len(self.prepared.points), WIDE):
            columns = (first, min(first + WIDE, len(self.prepared.points)))
            yield left, self.prepared.right, columns

    def count(self, queries: Array, counts: Array, tile: Array) -> None:
        """Add up how many points may be within the radius of each query."""
        from . import search_kernels as kernels

        for left, right, columns in self._tiles(queries):
            kernels.count_within(left, right, columns, self.limit, tile, counts)

    def write(self, queries: Array, found: tuple[Array, Array, Array], tiles: list[Array]) -> None:
        """Write all edges, each row's from its end on; of points among themselves each pair once.

        ``found`` are the ends of the rows, which move, and the edges.
        """
        from . import search_kernels as kernels

        n, n_points, right = len(queries), len(self.prepared.points), self.prepared.right
        left = factor_of(queries, self.prepared.sketch, left=True)
        pairs = queries, self.prepared.points, self.radius, self.others

        def work(one: int, other: int, tile: Array) -> None:
            rows, columns = ((b * TALL, min((b + 1) * TALL, n)) for b in (one, other))
            kernels.write_within(rows, columns, left, right, self.limit, tile, pairs, *found)

        def strip(rows: Array, tile: Array) -> None:
            mine = (int(rows[0]), int(rows[-1]) + 1)
            for first in range(0, n_points, WIDE):
                columns = (first, min(first + WIDE, n_points))
                kernels.write_within(mine, columns, left, right, self.limit, tile, pairs, *found)

        if self.others:
            run_pairs(work, -(-n // TALL), tiles, begun=1)
        else:
            run_chunks(strip, _strips(n), tiles, _progress(2 * n, n))

    def listed(self, queries: Array, first: int, space: _Edges) -> Within:
        """Return the edges of some queries."""
        from . import search_kernels as kernels

        own = first if self.others else -(2**40)  # the point that the first query is, or none
        pairs, size = (queries, self.prepared.points, self.radius, own), 0
        for left, right, columns in self._tiles(queries):
            space.grow(size, size + len(queries) * (columns[1] - columns[0]))
            found = space.row, space.index, space.dist
            size = kernels.collect_within(
                left, right, columns, self.limit, space.tile, pairs, *found, size
            )
        row, index, dist = (column[:size] for column in (space.row, space.index, space.dist))
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(queries)))])
        part = Within(starts, np.empty(size, np.int64), np.empty(size))
        kernels.group_edges(row, index, dist, part.starts, part.columns, part.distances)
        return part


def _rearranged(table: Array, order: Array) -> Array:
    """Return the table with its rows in the order given."""
    new = np.empty_like(table)

    def work(strip: slice) -> None:
        np.take(table, order[strip], axis=0, out=new[strip], mode="clip")

    run_strips(work, len(order), 1_024)
    return new


def _state(n_queries: int, k: int, sketch: Sketch) -> _State:
    room = max(2 * k, BUFFER)
    return _State(
        bound=np.empty((n_queries, room), sketch.dtype),
        who=np.empty((n_queries, room), np.int32),
        held=np.zeros(n_queries, np.int64),
        limit=np.full(n_queries, np.inf, sketch.dtype),
        dist=np.full((n_queries, k), np.inf),
        neighbors=np.full((n_queries, k), np.iinfo(np.int64).max),
        inflate=inflation(sketch),
    )


def _spaces(sketch: Sketch) -> list[Array]:
    """Return one tile a thread."""
    return [np.empty(TALL * WIDE, sketch.dtype) for _ in range(thread_count())]


def _strips(n_rows: int) -> list[Array]:
    """Return the rows of each strip."""
    return [np.arange(first, min(first + TALL, n_rows)) for first in range(0, n_rows, TALL)]


def _progress(total: int, before: int = 0) -> Callable[[int], None]:
    """Return what tells the listeners of each chunk that is done."""
    done = before

    def tell(units: int) -> None:
        nonlocal done
        done += units
        tell_progress(done, total)

    return tell


def _search_rows(prepared: PreparedPoints, queries: Array, batch: slice, found: Nearest) -> None:
    """Search the points for the neighbours of a batch of other points."""
    from . import exact_kernels as kernels

    sketch, finer = prepared.sketch, prepared.finer
    tables = nested_factors(queries[batch], sketch, finer, left=True)
    asked = coherent_order(tables[0][:, : sketch.width() - 2], LEAF)
    left, fine_left = (_rearranged(table, asked) for table in tables)
    rough = left, prepared.right, inflation(sketch)
    fine = fine_left, prepared.fine_right, inflation(finer or sketch)
    index, dist = found.columns[batch], found.distances[batch]

    def work(rows: Array, space: Array) -> None:
        strip = int(rows[0]), int(rows[-1]) + 1
        place = queries[batch], prepared.points, (asked, prepared.ids), rough, fine, space
        kernels.find_nearest(strip, *place, index, dist)

    spaces = [np.empty(ROOM, left.dtype) for _ in range(thread_count())]
    strips = [np.arange(at, min(at + SHORT, len(index))) for at in range(0, len(index), SHORT)]
    run_chunks(work, strips, spaces, _progress(len(queries), batch.start))


def _sweep_pairs(points: Array, ids: Array, left: Array, right: Array, state: _State) -> None:
    """Search the points for each other: each pair of blocks once."""
    from . import exact_kernels as kernels

    n = len(points)
    block = max(1, min(BLOCK, -(-n // (2 * thread_count()))))

    def work(one: int, other: int, space: Array) -> None:
        rows, columns = ((b * block, min((b + 1) * block, n)) for b in (one, other))
        place = (rows, columns, left, right, points, ids, state, space)
        if one == other:
            kernels.sweep(*place, (LEAF, LEAF), kernels.OWN)
        else:
            kernels.sweep(*place, (TALL, WIDE), kernels.BOTH)

    spaces = [np.empty(TALL * WIDE, left.dtype) for _ in range(thread_count())]
    run_pairs(work, -(-n // block), spaces)
    run_strips(lambda s: kernels.finish_rows(s.start, s.stop, points, points, ids, state), n, 256)


class _PairsOfBlocks:
    """All pairs of blocks, handed out so that no two threads hold the same block.

    Each block meets itself first; then in the rounds of a tournament, whose pairs are disjoint.
    """

    def __init__(self, n_blocks: int) -> None:
        self._waiting = [(b, b) for b in range(n_blocks)] + _tournament(n_blocks)
        self._waiting.reverse()
        self._busy: set[int] = set()
        self._change = Condition()

    def __len__(self) -> int:
        return len(self._waiting)

    def take(self) -> tuple[int, int]:
        """Return a pair both of whose blocks are free, once there is one."""
        with self._change:
            while True:
                for at in range(len(self._waiting) - 1, -1, -1):
                    pair = self._waiting[at]
                    if self._busy.isdisjoint(pair):
                        self._busy.update(pair)
                        del self._waiting[at]
                        return pair
                self._change.wait()

    def give_back(self, pair: tuple[int, int]) -> None:
        """Free the blocks of a pair."""
        with self._change:
            self._busy.difference_update(pair)
            self._change.notify_all()


def _tournament(n_blocks: int) -> list[tuple[int, int]]:
    """Return all pairs of different blocks, in rounds of disjoint ones (circle method)."""
    ring = list(range(n_blocks + n_blocks % 2))
    pairs = []
    for _ in range(len(ring) - 1):
        half = len(ring) // 2
        meeting = zip(ring[:half], reversed(ring[half:]), strict=True)
        pairs += [(min(p), max(p)) for p in meeting if max(p) < n_blocks]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return pairs


def run_pairs(
    work: Callable[[int, int, Array], None], n_blocks: int, workspaces: list[Array], begun: int = 0
) -> None:
    """Call ``work(block, other, workspace)`` for all pairs; no block is in two threads at once.

    ``begun`` passes of equal length came before, for those who hear how far the work is.
    """
    pairs = _PairsOfBlocks(n_blocks)

    def run(_: Array, space: Array) -> None:
        pair = pairs.take()
        try:
            work(*pair, space)
        finally:
            pairs.give_back(pair)

    turns = [np.arange(1)] * len(pairs)
    done = _progress((begun + 1) * len(turns), begun * len(turns))
    run_chunks(run, turns, workspaces[: max(1, n_blocks // 2)], done)
