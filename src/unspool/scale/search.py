"""Neighbours of points in cells: each cell asks itself, then the cells that its balls reach.

The k-th distance found so far bounds what another cell can add: a cell whose box lies beyond it is
not read. In few dimensions that leaves the cells around, in many all of them; the merge is the same
and associative, so that neither the cells nor the workers change the answer. Distances of more than
three columns are computed by one compiled sum, as on a single machine.

The approximate search looks at the nearest few cells only. How many is found by a sample of points
whose neighbours are searched in all cells: the share that the few cells hold is the recall.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..distances import FEW_POINTS, TREE_DIMENSIONS, build_index, choose_search, pair_distances
from ..edges import graph_from_edges, without_self
from ..runtime import claim, stage, warn
from ..values import Array, Metric, NeighborGraph, NeighborIndex, Search
from .cells import Cells, arrange, point_bytes
from .executor import run_blocks
from .settings import BlockSize, Result
from .sources import Source

BOXED = {"euclidean", "l2"}  # metrics that the gap between boxes bounds
MARGIN = 1 + 1e-9  # of squared distances: rounding hides no cell
ASKED = 500  # points by which the recall is measured
WANTED = 0.99  # recall of an approximate search
BORDER = 1 << 22  # numbers of points looked at together when those near a border are chosen


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of each cell: the nearest, or all within a radius; of how many cells."""

    metric: Metric
    count: int = 0
    radius: float = np.inf
    probes: int = 0  # nearest cells looked at; 0 is all that the ball reaches


@dataclass(frozen=True)
class CellIndex:
    """The search over points in cells.

    ``number_of`` are the numbers of the points that are searched among, -1 for others, where these
    are not all.
    """

    cells: Cells
    metric: Metric
    fingerprint: str
    n_points: int
    number_of: Array | None = None
    probes: int = 0
    recall: float | None = None
    name: str = field(default="cells")
    seed = None

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query."""
        question = Question(self.metric, count=count, probes=self.probes)
        n = queries.shape[0]
        claim(40 * n * count, f"{count} neighbours of {n} points", "use fewer neighbours")
        columns = np.empty((n, count), dtype=np.int64)
        distances = np.empty((n, count))
        for rows, found, lengths, _ in self._ask(queries, question):
            columns[rows] = found.reshape(len(rows), count)
            distances[rows] = lengths.reshape(len(rows), count)
        starts = np.arange(n + 1) * count
        found_by = self.name if self.recall is None else "cells, nearest few"
        return NeighborGraph(
            starts, columns.ravel(), distances.ravel(), self.n_points, found_by, self.recall
        )

    def within(self, queries: Any, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return all points within ``radius`` of each query, the border included."""
        edges = [
            (np.repeat(rows, counts), found, lengths)
            for rows, found, lengths, counts in self._ask(queries, Question(self.metric, 0, radius))
        ]
        rows, columns, lengths = (np.concatenate(part) for part in zip(*edges, strict=True))
        shape = (queries.shape[0], self.n_points)
        graph = graph_from_edges(rows, columns, lengths, shape=shape, search=self.name)
        return without_self(graph, others)

    def among(self, points: Array) -> CellIndex:
        """Return the search over ``points`` alone."""
        number_of = np.full(self.cells.n_points, -1, dtype=np.int64)
        known = np.arange(self.cells.n_points)
        if self.number_of is not None:
            known = np.empty(self.n_points, dtype=np.int64)
            inside = self.number_of >= 0
            known[self.number_of[inside]] = np.flatnonzero(inside)
        number_of[known[points]] = np.arange(len(points))
        return replace(self, number_of=number_of, n_points=len(points), probes=0, recall=None)

    def _ask(self, queries: Any, question: Question) -> Any:
        """Yield (rows of queries, neighbours, distances, neighbours of each), cell by cell."""
        if isinstance(queries, Source):
            items: list[Any] = [(cell, None, None) for cell in range(self.cells.count)]
            key = f"{queries.fingerprint} {self.cells.folder.path} {question}"
        else:
            points = np.ascontiguousarray(queries, dtype=np.float64)
            items, key = self._by_home(points), ""
        if self.number_of is not None:
            key = ""
        options = (self.cells, question, self.number_of)
        size = BlockSize(self.cells.largest, point_bytes(self.cells.n_columns))
        for _, result in run_blocks("searching", search_cell, items, *options, key=key, size=size):
            yield result

    def _by_home(self, queries: Array) -> list[tuple[int, Array, Array]]:
        """Return the queries of each cell: their cell, their rows and themselves."""
        home = self.cells.splits.cells_of(queries)
        rows = [np.flatnonzero(home == cell) for cell in np.unique(home)]
        return [(int(home[few[0]]), few, queries[few]) for few in rows]


def build_cell_index(source: Source, metric: Metric, search: Search, seed: int) -> NeighborIndex:
    """Return the search over the rows of a source; of few rows, that of a single machine."""
    n, width = source.shape
    if n < FEW_POINTS:
        return build_index(source[:], metric, search, seed)
    wanted = choose_search(source, metric, search)
    known = source.__dict__.setdefault("_cells", {})
    if seed not in known:
        known[seed] = arrange(source, seed)
    exact = CellIndex(known[seed], metric, source.fingerprint, n)
    if wanted == "exact" or width <= TREE_DIMENSIONS or metric not in BOXED:
        return exact
    return _with_probes(exact, source, seed)


def _with_probes(exact: CellIndex, source: Source, seed: int) -> CellIndex:
    """Return the search among the fewest cells that find 0.99 of the neighbours of a sample."""
    cells, n = exact.cells, len(source)
    asked = np.sort(np.random.default_rng(seed).choice(n, min(ASKED, n), replace=False))
    points, count = source[asked], min(NEIGHBORS, n)
    with stage("recall") as running:
        truth = exact.nearest(points, count).neighbors.reshape(len(asked), count)
        homes = cell_of_numbers(cells, truth)
        gaps = np.stack([cells.squared_gaps(points, cell) for cell in range(cells.count)], axis=1)
        rank = np.argsort(np.argsort(gaps, axis=1, kind="stable"), axis=1)
        needed = np.take_along_axis(rank, homes, axis=1).ravel() + 1
        probes = int(np.sort(needed)[int(np.ceil(WANTED * len(needed))) - 1])
        recall = float(np.mean(needed <= probes))
        running.note(probes=probes, cells=cells.count, recall=round(recall, 4))
    if probes >= cells.count:
        warn(f"0.99 of the neighbours lie in all {cells.count} cells: the search is exact")
        return exact
    return replace(exact, probes=probes, recall=recall)


NEIGHBORS = 11  # of a point, by which the recall is measured


def cell_of_numbers(cells: Cells, numbers: Array) -> Array:
    """Return the cells of some points, found by their numbers."""
    wanted, back = np.unique(numbers, return_inverse=True)
    home = np.empty(len(wanted), dtype=np.int64)
    for cell in range(cells.count):
        _, inside = cells.read(cell)
        places = np.searchsorted(wanted, inside)
        places = np.minimum(places, len(wanted) - 1)
        home[places[wanted[places] == inside]] = cell
    return np.asarray(home[back].reshape(numbers.shape))


def search_cell(
    item: tuple[int, Array | None, Array | None],
    cells: Cells,
    question: Question,
    number_of: Array | None,
) -> Result:
    """Return (rows, neighbours, distances, counts) of the queries at home in a cell.

    Without queries, the points of the cell are asked about, and their numbers are their rows.
    """
    home, rows, queries = item
    own, numbers = _searched(cells, home, number_of)
    if queries is None or rows is None:
        whole, rows = (own, numbers) if number_of is None else cells.read(home)
        queries = whole
    held = _Held.none(len(queries), question)
    held.consider(np.arange(len(queries)), queries, own, numbers)
    between = cells.squared_gaps_to_box(queries)
    for cell in np.argsort(between, kind="stable"):
        if cell == home:
            continue
        # a point of the cell is no nearer than its box, nor this than to the box of all queries
        asking = np.flatnonzero(between[cell] <= held.squared_reach() * MARGIN)
        if len(asking) == 0:
            break  # all other boxes are farther still, and a reach only shrinks
        gaps = cells.squared_gaps(queries[asking], int(cell))
        reached = asking[gaps <= held.squared_reach()[asking] * MARGIN]
        reached = held.allowed(reached, queries, cells, int(cell))
        if len(reached):
            points, ids = _searched(cells, int(cell), number_of)
            near = _near_border(points, queries[reached], held.squared_reach()[reached])
            held.consider(reached, queries[reached], points[near], ids[near])
    return rows, *held.answer()


def _searched(cells: Cells, cell: int, number_of: Array | None) -> tuple[Array, Array]:
    """Return the points of a cell that are searched, and their numbers among these."""
    points, numbers = cells.read(cell)
    if number_of is None:
        return points, numbers
    numbers = number_of[numbers]
    return points[numbers >= 0], numbers[numbers >= 0]


def _near_border(points: Array, queries: Array, squared_reach: Array) -> Array:
    """Return which points lie in the box around the balls of some queries."""
    reach = np.sqrt(squared_reach * MARGIN)[:, None]
    if not np.isfinite(reach).all():
        return np.arange(len(points))
    low, high = (queries - reach).min(axis=0), (queries + reach).max(axis=0)
    return np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))


class _Held:
    """What queries have found so far."""

    def __init__(self, question: Question, columns: Array, lengths: Array) -> None:
        self._question, self._columns, self._lengths = question, columns, lengths
        self._lists: list[tuple[Array, Array, Array]] = []
        self._ranks: Array | None = None

    @classmethod
    def none(cls, n: int, question: Question) -> _Held:
        shape = (n, question.count)
        return cls(question, np.full(shape, np.iinfo(np.int64).max), np.full(shape, np.inf))

    def squared_reach(self) -> Array:
        """Return how far a point may be that a query still wants, squared."""
        if self._question.metric not in BOXED:
            return np.full(len(self._columns), np.inf)
        if self._question.count == 0:
            return np.full(len(self._columns), self._question.radius**2)
        return np.asarray(np.square(self._lengths[:, -1]))

    def allowed(self, reached: Array, queries: Array, cells: Cells, cell: int) -> Array:
        """Return the queries that look into a cell, if they look at their nearest few only."""
        if self._question.probes == 0 or len(reached) == 0:
            return reached
        if self._ranks is None:
            gaps = [cells.squared_gaps(queries, other) for other in range(cells.count)]
            order = np.argsort(np.stack(gaps, axis=1), axis=1, kind="stable")
            self._ranks = np.argsort(order, axis=1).astype(np.int32)
        return np.asarray(reached[self._ranks[reached, cell] < self._question.probes])

    def consider(self, rows: Array, queries: Array, points: Array, numbers: Array) -> None:
        """Look for neighbours of some queries among some points."""
        if len(points) == 0 or len(rows) == 0:
            return
        index = build_index(points, self._question.metric)
        if self._question.count == 0:
            found = index.within(queries, self._question.radius * MARGIN)
            ends, lengths = found.neighbors, found.distances
            if self._question.metric in BOXED and points.shape[1] > 3:
                lengths = pair_distances(queries[found.rows], points, ends[:, None])[:, 0]
            inside = lengths <= self._question.radius
            self._lists.append((rows[found.rows][inside], numbers[ends[inside]], lengths[inside]))
            return
        count = min(self._question.count, len(points))
        found = index.nearest(queries, count)
        columns, lengths = _measured(found, queries, points, self._question.metric)
        columns = numbers[columns]
        both = np.concatenate([self._columns[rows], columns], axis=1)
        lengths = np.concatenate([self._lengths[rows], lengths], axis=1)
        order = np.lexsort((both, lengths), axis=1)[:, : self._question.count]
        self._columns[rows] = np.take_along_axis(both, order, axis=1)
        self._lengths[rows] = np.take_along_axis(lengths, order, axis=1)

    def answer(self) -> tuple[Array, Array, Array]:
        """Return neighbours and distances, row after row, and how many each has."""
        if self._question.count:
            counts = np.full(len(self._columns), self._question.count)
            return self._columns.ravel(), self._lengths.ravel(), counts
        nothing = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
        parts = zip(nothing, *self._lists, strict=True)
        rows, columns, lengths = (np.concatenate(part) for part in parts)
        order = np.lexsort((columns, lengths, rows))
        counts = np.bincount(rows, minlength=len(self._columns))
        return columns[order], lengths[order], counts


def _measured(
    found: NeighborGraph, queries: Array, points: Array, metric: Metric
) -> tuple[Array, Array]:
    """Return tables of neighbours and their distances, the latter by the one compiled sum."""
    shape = (len(queries), found.n_edges // max(1, len(queries)))
    columns, lengths = found.neighbors.reshape(shape), found.distances.reshape(shape)
    if metric not in BOXED or points.shape[1] <= 3:
        return columns, lengths
    return columns, pair_distances(queries, points, columns)
