"""Approximate search: a query looks into the few lists of points that are nearest to it.

k-means cuts the cloud into lists (an inverted file, faiss). How many of them a query must look into
is measured, not guessed: a sample of the points is searched exactly as well, and the number grows
until the share of true neighbours that are found, the recall, is at least 0.99. The graph carries
the recall, the report tells it, and where it cannot be reached the search is exact and says so.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, replace
from functools import cached_property
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ..progress import advise
from ..values import Array, NeighborGraph
from .searchers import SPARE, BlockSearch
from .tables import blocks, from_edges, from_table, joined

RECALL = 0.99
SAMPLE = 500  # points: the recall of ten neighbours is then known to about 0.002
WIDER = 1.25  # each further try looks into so many times more lists
TRAINING = 64  # points a list that k-means sees; more move the centres, not the recall
ROUNDS = 10  # of k-means
SOME, FEW = (
    100,
    20,
)  # new points that are searched exactly as well; fewer than the latter tell little


class Effort(NamedTuple):
    """How many lists are looked into, and the recall that this gave on the sample."""

    probes: int
    recall: float


@dataclass(frozen=True)
class ApproximateSearch:
    """Euclidean neighbours by inverted lists; exact distances, and a recall that was measured.

    Everything follows from the fields: lists and effort are found on first use, by one thread and
    one seed, and do not depend on the queries.
    """

    points: Array
    centre: Array
    seed: int = 0
    name = "inverted lists"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Array, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query, but for a few."""
        return self._answer("nearest", queries, count)

    def within(self, queries: Array, radius: float) -> NeighborGraph:
        """Return the points within ``radius`` of each query, border included, but for a few."""
        return self._answer("within", queries, radius)

    def among(self, points: Array) -> BlockSearch:
        """Return the search over ``points`` alone, which is exact: it has no lists to build."""
        return self._exact.among(points)

    @property
    def _exact(self) -> BlockSearch:
        return BlockSearch(self.points, self.centre)

    @cached_property
    def _lists(self) -> Lists:
        # a sample that k-means has not seen is as hard to find as a new point
        seen = self._shuffled[SAMPLE:] if self.n_points >= 2 * SAMPLE else self._shuffled
        return Lists(self.points, self.centre, seen, self.seed)

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
            found = self._found(question, some, size, effort.probes)
            recall, error = _recall(found, self._true(question, some, size))
            if recall + 2 * error < RECALL:
                _warn(
                    f"{recall:.3f} of the true neighbours of new points, which lie elsewhere "
                    "than the fitted ones; pass search='exact' to find all"
                )
        found = self._found(question, queries, size, effort.probes)
        return replace(found, recall=effort.recall)

    def _true(self, question: str, queries: Array, size: float) -> NeighborGraph:
        if question == "nearest":
            return self._exact.nearest(queries, int(size))
        return self._exact.within(queries, size)

    def _found(self, question: str, queries: Array, size: float, probes: int) -> NeighborGraph:
        if question == "nearest":
            return self._nearest(queries, int(size), probes)
        return self._within(queries, size, probes)

    def _nearest(self, queries: Array, count: int, probes: int) -> NeighborGraph:
        width = min(count + SPARE, self.n_points)
        columns = np.empty((len(queries), count), dtype=np.intp)
        distances = np.empty((len(queries), count))
        for rows in blocks(len(queries), self._lists.count + width):
            candidates = self._lists.nearest(queries[rows], width, probes)
            exact = self._exact.distances_to(queries[rows], candidates)
            exact[candidates < 0] = np.inf  # the lists held too few
            order = np.lexsort((candidates, exact), axis=1)[:, :count]
            columns[rows] = np.take_along_axis(candidates, order, axis=1)
            distances[rows] = np.take_along_axis(exact, order, axis=1)
        short = np.flatnonzero(np.isinf(distances[:, -1]))
        if len(short):
            whole = self._exact.nearest(queries[short], count)
            columns[short] = whole.neighbors.reshape(-1, count)
            distances[short] = whole.distances.reshape(-1, count)
        return from_table(columns, distances, self)

    def _within(self, queries: Array, radius: float, probes: int) -> NeighborGraph:
        none = np.zeros(0, np.intp)
        edges = [(none, none, np.zeros(0))]
        for rows in blocks(len(queries), self.n_points):
            near_rows, near = self._lists.within(queries[rows], radius, probes)
            exact = np.empty(len(near))
            for part in blocks(len(near), self.points.shape[1]):
                gaps = queries[rows][near_rows[part]] - self.points[near[part]]
                exact[part] = np.linalg.norm(gaps, axis=1)
            inside = exact <= radius
            edges.append((near_rows[inside] + rows.start, near[inside], exact[inside]))
        return from_edges(*joined(edges), len(queries), self)

    def _effort(self, question: str, size: float) -> Effort:
        """Return the least effort whose recall on the sample is high enough, and not by luck."""
        known = self._efforts.get((question, size))
        if known is not None:
            return known
        effort = self._measured(question, size)
        if effort.recall < RECALL:
            _warn(
                f"{effort.recall:.3f} of the true neighbours even in all lists, since single "
                "precision cannot tell near points apart beside the spread of all; the search was "
                "exact instead, as with search='exact'"
            )
        self._efforts[question, size] = effort
        return effort

    def _measured(self, question: str, size: float) -> Effort:
        chosen = self._shuffled[:SAMPLE]
        sample = self.points[chosen]
        if question == "nearest":  # a point finds itself at once: that is no success
            size = min(int(size) + 1, self.n_points)
        truth = self._true(question, sample, size)
        probes = 1
        while True:
            found = self._found(question, sample, size, probes)
            recall, error = _recall(found, truth, chosen)
            # two standard errors more, so that the recall of all points is there as well
            if recall - 2 * error >= RECALL or probes == self._lists.count:
                return Effort(probes, recall)
            probes = min(self._lists.count, int(np.ceil(probes * WIDER)))


class Lists:
    """Points in lists around the centres of k-means, in single precision around ``centre``.

    The centres are those of the points ``seen``, or of as many of the first as are enough.
    """

    def __init__(self, points: Array, centre: Array, seen: Array, seed: int) -> None:
        faiss = _faiss()
        from threadpoolctl import threadpool_limits

        self.centre, self.count = centre, max(1, int(np.sqrt(len(points))))
        self.scale = float(np.abs(points - centre).max()) or 1.0  # squares stay in range
        single = self._single(points)
        index = faiss.IndexIVFFlat(faiss.IndexFlatL2(single.shape[1]), single.shape[1], self.count)
        index.cp.seed, index.cp.niter = seed % 2**31, ROUNDS
        index.cp.min_points_per_centroid, index.cp.max_points_per_centroid = 1, TRAINING
        seen = seen[: TRAINING * self.count]
        with threadpool_limits(1):  # the same sums, hence the same lists, on any machine's cores
            index.train(single[seen])
            index.add(single)
        self.centres = index.quantizer.reconstruct_n(0, self.count).astype(np.float64)
        self._index, self._busy = index, Lock()

    def nearest(self, queries: Array, width: int, probes: int) -> Array:
        """Return the ``width`` nearest points in each query's lists; -1 where they hold fewer."""
        with self._busy:  # the number of probes is a field of the index
            self._index.nprobe = probes
            nearest_lists = self._nearest_lists(queries, probes)
            _, found = self._index.search_preassigned(
                self._single(queries), width, nearest_lists, None
            )
        return np.asarray(found, dtype=np.intp)

    def within(self, queries: Array, radius: float, probes: int) -> tuple[Array, Array]:
        """Return (query, point) of all pairs in each query's lists that may be within a radius."""
        single = self._single(queries)
        square = (radius / self.scale) ** 2 * (1 + 1e-5)
        square += 1e-6 * float(np.square(single).sum(axis=1).max())  # rounding, and then some
        with self._busy:
            self._index.nprobe = probes
            nearest_lists = self._nearest_lists(queries, probes)
            starts, _, found = self._index.range_search_preassigned(
                single, min(square, float(np.finfo(np.float32).max)), nearest_lists, None
            )
        rows = np.repeat(np.arange(len(queries)), np.diff(starts.astype(np.intp)))
        return rows, np.asarray(found, dtype=np.intp)

    def _nearest_lists(self, queries: Array, probes: int) -> Array:
        # in double precision: the choice would otherwise depend on how many queries come at once
        gaps = ((queries - self.centre) / self.scale) @ (-2.0 * self.centres.T)
        gaps += np.einsum("ij,ij->i", self.centres, self.centres)
        chosen = np.argpartition(gaps, probes - 1, axis=1)[:, :probes]
        order = np.argsort(np.take_along_axis(gaps, chosen, axis=1), axis=1)
        return np.take_along_axis(chosen, order, axis=1)

    def _single(self, points: Array) -> Array:
        with np.errstate(over="ignore"):  # far beyond all points: found in no list, then exactly
            return ((points - self.centre) / self.scale).astype(np.float32, order="C")


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


def _warn(found: str) -> None:
    sentence = f"the approximate search found only {found}"
    advise(sentence)
    warnings.warn(sentence, UserWarning, stacklevel=5)


def _faiss() -> Any:
    try:
        import faiss
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "search='approximate' needs faiss: pip install 'unspool[ann]', or pass search='exact'"
        ) from None
    return faiss
