"""Approximate search: coarse codes of all points tell candidates, exact distances the neighbours.

Each point is kept as a short code, four bits for a few columns (product quantisation, faiss), and a
query is compared with all codes at once in the processor's registers. How many candidates must then
be looked at closely is measured: a sample of the points is searched exactly as well,
and the number grows until the share of true neighbours that are found, the recall, is at least
0.99. The graph carries the recall, the report tells it, and where it cannot be reached the search
is exact and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..edges import graph_from_table, without_self
from ..runtime import warn
from ..values import Array, NeighborGraph
from .blocks import SPARE, BlockSearch, blocks, from_edges, joined

RECALL = 0.99
SAMPLE = 500  # points: the recall of ten neighbours is then known to about 0.002
SOME, FEW = 100, 20  # query points searched exactly as well; fewer than the latter tell little
WIDER = 1.5  # each further try looks at so many times more candidates
MOST = 64.0  # candidates for each neighbour, before the search gives up and is exact
TRAINING = 20_000  # points at most that the codes are made for
COLUMNS, PARTS = 2, 96  # columns a part has at least, and parts a code has at most
FIRST = 64  # neighbours that a search within a radius asks for first


class Effort(NamedTuple):
    """How many candidates are looked at for each neighbour, and the recall on the sample."""

    factor: float
    recall: float


@dataclass(frozen=True)
class ApproximateSearch:
    """Euclidean neighbours by product codes; exact distances, and a recall that was measured.

    Everything follows from the fields: codes and effort are found on first use, by one thread and
    one seed, and do not depend on the queries.
    """

    points: Array
    center: Array
    seed: int = 0
    name = "product codes"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query, but for a few."""
        return self._answer("nearest", queries, count)

    def within(self, queries: Array, radius: float, *, others: bool = False) -> NeighborGraph:
        """Return the points within ``radius`` of each query, border included, but for a few."""
        return without_self(self._answer("within", queries, radius), others)

    def among(self, points: Array) -> BlockSearch:
        """Return the search over ``points`` alone, which is exact: it has no codes to make."""
        return self._exact.among(points)

    @cached_property
    def _exact(self) -> BlockSearch:
        return BlockSearch(self.points, self.center)

    @cached_property
    def _codes(self) -> Codes:
        # a sample that the codes were not made for is as hard to find as a query point
        seen = self._shuffled[SAMPLE:] if self.n_points >= 2 * SAMPLE else self._shuffled
        return Codes(self.points, self.center, seen[:TRAINING], self.seed)

    @cached_property
    def _shuffled(self) -> Array:
        return np.random.default_rng(self.seed).permutation(self.n_points)

    @cached_property
    def _efforts(self) -> dict[tuple[str, float], Effort]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _answer(self, question: str, queries: Array, size: float) -> NeighborGraph:
        effort = self._effort(question, size)
        if effort.recall < RECALL:
            return self._true(question, queries, size)
        if queries is not self.points and len(queries) >= FEW:
            some = queries[:: -(-len(queries) // SOME)]
            found = self._found(question, some, size, effort.factor)
            recall, error = _recall(found, self._true(question, some, size))
            if recall + 2 * error < RECALL:
                warn(
                    f"the approximate search found only {recall:.3f} of the true neighbours of "
                    "query points, which lie elsewhere than the fitted ones; pass search='exact' "
                    "to find all"
                )
        found = self._found(question, queries, size, effort.factor)
        return replace(found, recall=effort.recall)

    def _true(self, question: str, queries: Array, size: float) -> NeighborGraph:
        if question == "nearest":
            return self._exact.nearest(queries, int(size))
        return self._exact.within(queries, size)

    def _found(self, question: str, queries: Array, size: float, factor: float) -> NeighborGraph:
        if question == "nearest":
            return self._nearest(queries, int(size), factor)
        return self._within(queries, size, factor)

    def _nearest(self, queries: Array, count: int, factor: float) -> NeighborGraph:
        width = min(count + SPARE, self.n_points)
        columns = np.empty((len(queries), count), dtype=np.intp)
        distances = np.empty((len(queries), count))
        for rows in blocks(len(queries), int(width * factor) + self.points.shape[1]):
            candidates = self._codes.nearest(queries[rows], width, factor)
            exact = self._exact.distances_to(queries[rows], candidates)
            exact[candidates < 0] = np.inf  # far beyond all points: no candidates
            order = np.lexsort((candidates, exact), axis=1)[:, :count]
            columns[rows] = np.take_along_axis(candidates, order, axis=1)
            distances[rows] = np.take_along_axis(exact, order, axis=1)
        short = np.flatnonzero(np.isinf(distances[:, -1]))
        if len(short):
            whole = self._exact.nearest(queries[short], count)
            columns[short] = whole.neighbors.reshape(-1, count)
            distances[short] = whole.distances.reshape(-1, count)
        return graph_from_table(columns, distances, n_columns=self.n_points, search=self.name)

    def _within(self, queries: Array, radius: float, factor: float) -> NeighborGraph:
        """Ask for more and more neighbours where all that were found are within the radius."""
        edges, asking, count = [], np.arange(len(queries)), FIRST
        while len(asking) and count * factor < self.n_points / 4:
            found = self._nearest(queries[asking], count, factor)
            whole = found.distances.reshape(-1, count)[:, -1] > radius
            kept = whole[found.rows] & (found.distances <= radius)
            rows, columns = asking[found.rows[kept]], found.neighbors[kept]
            edges.append((rows, columns, found.distances[kept]))
            asking, count = asking[~whole], 4 * count
        if len(asking):
            found = self._exact.within(queries[asking], radius)
            edges.append((asking[found.rows], found.neighbors, found.distances))
        return from_edges(*joined(edges), len(queries), self)

    def _effort(self, question: str, size: float) -> Effort:
        """Return the least effort whose recall on the sample is high enough, and not by luck."""
        known = self._efforts.get((question, size))
        if known is not None:
            return known
        effort = self._measured(question, size)
        if effort.recall < RECALL:
            warn(
                f"the approximate search found only {effort.recall:.3f} of the true neighbours "
                f"with {MOST:g} candidates for each, since the codes cannot tell near points apart "
                "beside the spread of all; the search was exact instead, as with search='exact'"
            )
        self._efforts[question, size] = effort
        return effort

    def _measured(self, question: str, size: float) -> Effort:
        chosen = self._shuffled[:SAMPLE]
        sample = self.points[chosen]
        if question == "nearest":  # a point finds itself at once: that is no success
            size = min(int(size) + 1, self.n_points)
        truth = self._true(question, sample, size)
        factor = 1.0
        while True:
            found = self._found(question, sample, size, factor)
            recall, error = _recall(found, truth, chosen)
            # two standard errors more, so that the recall of all points is there as well
            if recall - 2 * error >= RECALL or factor == MOST:
                return Effort(factor, recall)
            factor = min(MOST, WIDER * factor)


class Codes:
    """Points as codes, and in single precision around ``center`` to sort the candidates by.

    The codes are made for the points ``seen``: k-means of each part of their columns.
    """

    def __init__(self, points: Array, center: Array, seen: Array, seed: int) -> None:
        faiss = _faiss()
        from threadpoolctl import threadpool_limits

        n_columns = points.shape[1]
        columns = max(COLUMNS, -(-n_columns // PARTS))
        parts = -(-n_columns // columns)
        self.center, self.empty = center, parts * columns - n_columns
        farthest = max(np.ptp(points, axis=0).max(), np.finfo(float).tiny)
        self.scale = float(farthest)  # squares stay in range
        single = self._single(points)
        coded = faiss.IndexPQFastScan(parts * columns, parts, 4)
        coded.pq.cp.seed = seed % 2**31
        coded.pq.cp.min_points_per_centroid = 1
        index = faiss.IndexRefineFlat(coded)
        with threadpool_limits(1):  # the same sums, hence the same codes, on any number of cores
            index.train(single[seen])
            index.add(single)
        self._index, self._faiss = index, faiss

    def nearest(self, queries: Array, width: int, factor: float) -> Array:
        """Return the nearest ``width`` of ``factor`` times as many candidates, -1 for none."""
        most = self._index.ntotal / width
        options = self._faiss.IndexRefineSearchParameters(k_factor=min(factor, most))
        _, found = self._index.search(self._single(queries), width, params=options)
        return np.asarray(found, dtype=np.intp)

    def _single(self, points: Array) -> Array:
        single = np.zeros((len(points), points.shape[1] + self.empty), dtype=np.float32)
        with np.errstate(over="ignore"):  # far beyond all points: searched exactly
            for rows in blocks(*points.shape):
                single[rows, : points.shape[1]] = (points[rows] - self.center) / self.scale
        return single


def _recall(
    found: NeighborGraph, truth: NeighborGraph, own: Array | None = None
) -> tuple[float, float]:
    """Return the share of true neighbours found, and its standard error.

    Equally near ones count; points that ask, and are among the searched ones (``own``), do not.
    """
    own = np.full(truth.n_points, -1) if own is None else own
    others = truth.neighbors != own[truth.rows]
    asked = np.bincount(truth.rows[others], minlength=truth.n_points)
    farthest = np.zeros(truth.n_points)
    np.maximum.at(farthest, truth.rows, truth.distances)
    good = found.distances <= farthest[found.rows] * (1 + 1e-12)
    good &= found.neighbors != own[found.rows]
    hits = np.bincount(found.rows[good], minlength=truth.n_points)
    if asked.sum() == 0:
        return 1.0, 0.0
    hits = np.minimum(hits, asked)
    recall = hits.sum() / asked.sum()
    error = (hits - recall * asked).std() / (asked.mean() * np.sqrt(len(asked)))
    return float(recall), float(error)


def _faiss() -> Any:
    try:
        import faiss
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "search='approximate' needs faiss: pip install 'unspool[ann]', or pass search='exact'"
        ) from None
    return faiss
