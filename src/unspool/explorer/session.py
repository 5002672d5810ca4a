"""What one explorer looks at: the data, and the maps of them, each laid on the first of its width.

The page knows places in its own coordinates only; a map turns them back into those of its model.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances, graph, quality
from ..dimension import Dimension, intrinsic_dimension
from ..distances import pairwise_distances
from ..distances.blocks import blocks, smallest
from ..edges import graph_from_table
from ..evaluate import Comparison, Diagnosis, Evidence, diagnose
from ..evaluate.compare import title_of, was_fitted_on
from ..evaluate.comparison import Elbow, Scores, Yardstick, geodesics_to_guides
from ..quality import Alignment, Score
from ..values import Array, Metric, NeighborGraph, NeighborIndex
from .columns import Data

STEP = 2**16  # points that a scan looks at together
NEAR = 10  # neighbours that scores, graphs of other methods and a click look at
PICTURED = 3  # coordinates that the page draws
ALL_PATHS = 20_000  # points up to which geodesics of all of them are measured
MANY = 150_000  # points from which on the ranks of a few take long enough
RANKED = 50  # of them
ASKED_OF_FEW, ASKED_OF_MANY = 2_000, 200  # points whose gaps tell what is far
SAMPLED = 5_000  # points that stand for more, where geodesics are needed


@dataclass(frozen=True, slots=True)
class Scan:
    """Points and a metric, searched from the first to the last in one pass.

    An index of a million points takes longer to build, and more memory, than the clicks of a day.
    """

    points: Array
    metric: Metric
    name = "scan"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query, nearest first."""
        rows = np.asarray(queries, dtype=np.float64)
        # however many ask, a table of distances fits into a chunk of memory
        found = [self._table(rows[part], count) for part in blocks(len(rows), self._step)]
        near, lengths = (np.concatenate(part) for part in zip(*found, strict=True))
        return graph_from_table(near, lengths, n_columns=self.n_points, search=self.name)

    @property
    def _step(self) -> int:
        return min(STEP, self.n_points)

    def _table(self, rows: Array, count: int) -> tuple[Array, Array]:
        """Return the nearest of a few rows, and how far they are."""
        near = np.empty((len(rows), 0), dtype=np.int64)
        lengths = np.empty((len(rows), 0))
        for first in range(0, self.n_points, self._step):
            block = pairwise_distances(rows, self.points[first : first + self._step], self.metric)
            columns, found = smallest(block, min(count, block.shape[1]))
            near = np.concatenate([near, columns + first], axis=1)
            lengths = np.concatenate([lengths, found], axis=1)
            kept, lengths = smallest(lengths, min(count, lengths.shape[1]))
            near = np.take_along_axis(near, kept, axis=1)
        return near, lengths


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A map as it was fitted: the model, where it puts the points, its scores, what was said."""

    label: str
    model: Any
    embedding: Array
    scores: Scores
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(eq=False)
class View:
    """One map as the page sees it. What is measured of it is measured when first asked for."""

    id: str
    fitted: Fitted
    data: Data
    reference: View | None = None
    stability: Score | None = None
    _diagnosis: Diagnosis | None = None
    _lock: Any = field(default_factory=threading.RLock)
    _diagnosing: Any = field(default_factory=threading.Lock)

    @property
    def model(self) -> Any:
        """The fitted model."""
        return self.fitted.model

    @property
    def embedding(self) -> Array:
        """The places of the points as the model gave them."""
        return self.fitted.embedding

    @property
    def width(self) -> int:
        """Number of coordinates."""
        return int(self.embedding.shape[1])

    @cached_property
    def alignment(self) -> Alignment | None:
        """How the map is laid on the truth, or on the first one that has as many coordinates."""
        target = self._target()
        if target is None or self.width > PICTURED or not np.ptp(target, axis=0).any():
            return None
        return quality.align(self.embedding, target)

    def _target(self) -> Array | None:
        if self.laid_on == "truth":
            return self.data.truth
        return None if self.reference is None else self.reference.places.astype(np.float64)

    @property
    def laid_on(self) -> str | None:
        """What the map is laid on: the truth, another map, or nothing."""
        truth = self.data.truth
        if truth is not None and truth.shape[1] == self.width:
            return "truth"
        return None if self.reference is None else self.reference.id

    @cached_property
    def places(self) -> Array:
        """The places of the points in the coordinates of the page, single precision."""
        laid = self.embedding if self.alignment is None else self.alignment.aligned
        return np.ascontiguousarray(laid, dtype=np.float32)

    def to_page(self, coordinates: Array) -> Array:
        """Return coordinates of the model in those of the page."""
        moved = coordinates if self.alignment is None else self.alignment.apply(coordinates)
        return np.ascontiguousarray(moved, dtype=np.float32)

    def from_page(self, places: Array) -> Array:
        """Return coordinates of the page in those of the model."""
        found = self.alignment
        if found is None:
            return places
        if found.scale == 0.0:
            raise ValueError("this map is one single place")
        moved = (places - found.shift) @ found.rotation.T / found.scale
        return np.asarray(moved + found.centre)

    def turned(self, axes: Array) -> Array:
        """Return vectors (n, q, d) of the map as they lie on the page."""
        found = self.alignment
        if found is None:
            return axes
        return np.asarray(np.einsum("pq,npd->nqd", found.scale * found.rotation, axes))

    @cached_property
    def evidence(self) -> Evidence:
        """The map before the checks of a diagnosis."""
        metric = "euclidean" if self.data.metric == "kernel" else self.data.metric
        count = min(NEAR, self.data.n_points - 1)
        return Evidence(
            self.model,
            self.data.points,
            metric,
            np.asarray(self.embedding, dtype=np.float64),
            count,
        )

    def measured(self, name: str) -> Any:
        """Return something of the evidence, measured once however many ask."""
        with self._lock:
            return getattr(self.evidence, name)

    @property
    def diagnosis(self) -> Diagnosis:
        """What may be wrong with the map: found once, and no other question waits for it."""
        with self._diagnosing:
            if self._diagnosis is None:
                self._diagnosis = diagnose(self.model, self.data.points)
            return self._diagnosis

    @cached_property
    def joined(self) -> NeighborGraph:
        """The neighbour graph of the model, undirected; of other methods, that of 10 neighbours."""
        return graph.symmetrize(self.measured("listed"))

    @cached_property
    def walked(self) -> NeighborGraph:
        """The graph that geodesics go along: with the model's bridges, where it makes some."""
        graph_ = self.joined
        found = graph.find_components(graph_)
        if found.count == 1 or getattr(self.model, "components", None) != "bridge":
            return graph_
        with self._lock:
            points = self.data.points
            index = distances.build_index(points, self.evidence.metric)
            return graph.bridge_components(graph_, found, index, points)

    @cached_property
    def index(self) -> NeighborIndex:
        """The search for neighbours on the map."""
        with self._lock:
            return distances.build_index(self.places.astype(np.float64))


@dataclass(eq=False)
class Session:
    """The data and their maps. Maps are only ever added; all may ask from any thread."""

    data: Data
    views: dict[str, View] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)

    def add(self, fitted: Fitted) -> View:
        """Take in a map and return how it is seen."""
        _check_same(fitted.label, fitted.embedding, self.data)
        with self._lock:
            width = fitted.embedding.shape[1]
            first = next((v for v in self.views.values() if v.width == width), None)
            made = View(f"m{len(self.views)}", fitted, self.data, first)
            self.views[made.id] = made
        return made

    def view(self, name: str) -> View:
        """Return a map by its id."""
        if name not in self.views:
            raise KeyError(f"there is no map {name[:20]!r}")
        return self.views[name]

    @cached_property
    def index(self) -> NeighborIndex:
        """The search for true neighbours."""
        with self._lock:
            metric = "euclidean" if self.data.metric == "kernel" else self.data.metric
            return distances.build_index(self.data.points, metric)

    def near(self, queries: Any, count: int) -> NeighborGraph:
        """Return the true neighbours of a few points."""
        data = self.data
        if not data.is_points or sp.issparse(data.points):
            return self.index.nearest(queries, count)
        metric = "euclidean" if data.metric == "kernel" else data.metric
        return Scan(data.points, metric).nearest(queries, count)

    @cached_property
    def nearest(self) -> NeighborGraph:
        """The 10 true neighbours of every point: what files hold, whichever maps they show."""
        with self._lock:
            count = min(NEAR, self.data.n_points - 1)
            return distances.find_neighbors(self.index, self.data.points, count)

    @cached_property
    def spacing(self) -> Array:
        """Distances of some points to their nearest neighbour, to tell what is far."""
        n = self.data.n_points
        chosen = graph.choose_uniform(n, min(n, ASKED_OF_FEW if n < MANY else ASKED_OF_MANY), 0)
        found = self.near(self.data.points[chosen], min(3, n))
        others = found.neighbors != chosen[found.rows]
        far = found.distances.max(initial=0.0)
        nearest = np.full(len(chosen), far)
        np.minimum.at(nearest, found.rows[others], found.distances[others])
        return nearest

    @cached_property
    def yardstick(self) -> Yardstick:
        """The data, or a sample of many, with geodesics: what elbows are measured on."""
        with self._lock:
            data, metric = self.data.points, self.data.metric
            n = self.data.n_points
            if n > ALL_PATHS and not sp.issparse(data) and metric != "precomputed":
                data = data[graph.choose_uniform(n, SAMPLED, 0)]
            count = min(NEAR, data.shape[0] - 1)
            geodesics = geodesics_to_guides(data, metric, None, 0)
            return Yardstick(data, metric, count, geodesics=geodesics)

    @cached_property
    def elbows(self) -> tuple[Elbow, ...]:
        """What 1, 2, ... coordinates leave unexplained."""
        return self.yardstick.elbows()

    @cached_property
    def dimension(self) -> Dimension | None:
        """How many coordinates the data need."""
        if sp.issparse(self.data.points):
            return None
        try:
            return intrinsic_dimension(self.yardstick.data, metric=self.yardstick.metric)
        except ValueError:  # too few distinct points
            return None


def fit_map(model: Any, data: Any, metric: Any, label: str = "") -> Fitted:
    """Fit a model and score its map: by geodesics too, where the points are not too many."""
    import time
    import warnings

    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        embedding = np.asarray(model.fit_transform(data))
    seconds = time.perf_counter() - began
    report = getattr(model, "report_", None)
    notes = dict.fromkeys(str(warning.message) for warning in heard)
    notes |= dict.fromkeys(report.advice if report is not None else ())
    scores = score_map(embedding, data, metric)
    return Fitted(label or title_of(type(model)), model, embedding, scores, seconds, tuple(notes))


def score_map(embedding: Array, data: Any, metric: Any) -> Scores:
    """Return the scores of a map as a comparison has them."""
    n = data.shape[0]
    few = n <= ALL_PATHS and n > NEAR
    geodesics = geodesics_to_guides(data, metric, None, 0) if few else None
    sample = RANKED if n > MANY else None
    yardstick = Yardstick(data, metric, min(NEAR, n - 1), sample, geodesics=geodesics)
    return yardstick.scores(np.asarray(embedding, dtype=np.float64))


def taken_maps(given: Any, data: Data) -> list[Fitted]:
    """Return the maps of a model, of several by name, or of a comparison, with their scores."""
    if isinstance(given, Comparison):
        return [
            Fitted(o.label, o.model, o.embedding, o.scores, o.seconds, o.notes)
            for o in given.outcomes
            if o.embedding is not None
        ]
    several = given if isinstance(given, Mapping) else dict(_labelled(given))
    return [_taken(label, model, data) for label, model in several.items()]


def _labelled(given: Any) -> list[tuple[str, Any]]:
    models = list(given) if isinstance(given, list | tuple) else [given]
    names = [title_of(type(model)) for model in models]
    again = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return [
        (name if number == 1 else f"{name} ({number})", model)
        for name, number, model in zip(names, again, models, strict=True)
    ]


def _taken(label: str, model: Any, data: Data) -> Fitted:
    """Return the map of a fitted model; one that was not fitted yet is fitted now."""
    if not hasattr(model, "embedding_"):
        if not hasattr(model, "fit_transform"):
            raise ValueError(f"explore takes models, or a comparison; got {model!r}")
        from sklearn.base import clone

        return fit_map(clone(model), data.points, data.metric, label)
    places = np.asarray(model.embedding_)
    if len(places) != data.n_points and hasattr(model, "transform"):
        places = np.asarray(model.transform(data.points))
    elif len(places) == data.n_points and not was_fitted_on(model, data.points):
        places = _placed(model, data, places)
    _check_same(label, places, data)
    report = getattr(model, "report_", None)
    seconds = report.seconds if report is not None else 0.0
    scores = score_map(places, data.points, data.metric)
    notes = tuple(report.advice) if report is not None else ()
    return Fitted(label, model, places, scores, seconds, notes)


def _check_same(label: str, places: Array, data: Data) -> None:
    if len(places) != data.n_points:
        raise ValueError(
            f"{label} maps {len(places)} points and X has {data.n_points}; pass the data it was "
            "fitted on"
        )


def _placed(model: Any, data: Data, known: Array) -> Array:
    """Return where a model puts data that may not be those of its fit."""
    kept = getattr(model, "_X", None)
    if kept is None or not hasattr(model, "transform"):  # of such a model nobody can tell
        return known
    return np.asarray(model.transform(data.points))
