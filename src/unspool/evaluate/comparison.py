"""What maps are held against, and what a comparison found: one row per method.

A yardstick scores maps of the same data, the same way for every comparison and diagnosis. What else
is known of the data and the maps (Shepard diagrams, elbows, the intrinsic dimension) is computed
when first asked for, from the neighbour graph and the geodesics of the comparison.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import graph, paths, quality
from ..dimension import Dimension, intrinsic_dimension
from ..distances import pairwise_distances
from ..methods import PCA
from ..quality import Curve, Score, Shepard
from ..relation import (
    Neighborhood,
    NeighborSearch,
    describe_localized,
    find_localized,
    relate_neighbors,
    triangulate,
)
from ..values import Array, Metric, NeighborGraph, columns_of_text, html_table

PAIRED = 400  # points whose pairs a Shepard diagram shows
GUIDES = 200  # points whose geodesics to all others stand for all geodesics
MOST_COORDINATES = 10  # of an elbow

Scores = dict[str, Score]


@dataclass(frozen=True, slots=True)
class Column:
    """A score in a table: its name, its heading, whether more is better, and what it asks."""

    name: str
    heading: str
    more_is_better: bool
    meaning: str


COLUMNS = (
    Column("trustworthiness", "trust", True, "are neighbours on the map neighbours in the data?"),
    Column("continuity", "continuity", True, "do neighbours in the data stay neighbours?"),
    Column("neighbours kept", "kept", True, "share of the nearest neighbours that are the same"),
    Column(
        "area under R_NX",
        "R_NX",
        True,
        "neighbours kept beyond chance, over all sizes of neighbourhoods",
    ),
    Column("stress", "stress", False, "error of straight distances"),
    Column(
        "residual variance",
        "residual",
        False,
        "share of the distances along the manifold that is not on the map",
    ),
    Column("Procrustes error", "Procrustes", False, "share of the truth that the map misses"),
)


@dataclass(frozen=True, slots=True)
class Geodesics:
    """Path lengths (n, m) from all points to some guides through a neighbour graph."""

    lengths: Array
    guides: Array


@dataclass(frozen=True, slots=True)
class Elbow:
    """The curve 1 - R_t^2 of a method over t = 1, 2, ... coordinates, and what it explains."""

    method: str
    explains: str
    curve: Curve


@dataclass(frozen=True, slots=True)
class Yardstick:
    """The data that maps are held against: points or distances, their geodesics, the truth."""

    data: Any
    metric: Metric
    n_neighbors: int
    sample: int | None = None
    seed: int = 0
    geodesics: Geodesics | None = None
    truth: Array | None = None

    @property
    def is_sparse(self) -> bool:
        """Whether the data are a sparse graph, which knows near distances only."""
        return bool(sp.issparse(self.data))

    def scores(self, places: Array) -> Scores:
        """Return all scores of a map that make sense for these data."""
        answer: Scores = {}
        if not self.is_sparse:
            answer.update(self._of_all_pairs(places))
        else:
            k = self.n_neighbors
            answer["neighbours kept"] = quality.neighbors_kept(
                self.data, places, k, metric="precomputed", sample=self.sample, seed=self.seed
            )
        if self.geodesics is not None:
            answer["residual variance"] = self._unexplained(places, self.geodesics)
        if self.truth is not None:
            answer["Procrustes error"] = quality.procrustes(places, self.truth)
        return answer

    def _of_all_pairs(self, places: Array) -> Scores:
        options: dict[str, Any] = {
            "metric": self.metric,
            "sample": self.sample,
            "seed": self.seed,
        }
        near = quality.neighborhoods(self.data, places, self.n_neighbors, **options)
        return {
            "trustworthiness": near.trustworthiness,
            "continuity": near.continuity,
            "neighbours kept": near.kept,
            "area under R_NX": near.area,
            "stress": quality.stress(self.data, places, **options),
        }

    def _unexplained(self, places: Array, geodesics: Geodesics) -> Score:
        curve = quality.residual_variance(geodesics.lengths, places, geodesics.guides)
        return Score(
            name="residual variance",
            value=float(curve.values[-1]),
            per_point=curve.per_point[:, -1],
            sample=curve.sample,
            n_points=curve.n_points,
            exact=len(geodesics.guides) == len(places),
            standard_error=float(curve.standard_errors[-1]),
        )

    def elbows(self) -> tuple[Elbow, ...]:
        """Return what 1, 2, ... coordinates leave unexplained of straight distances and geodesics.

        Both are to the guides. The map of Isomap is that of landmarks, placed by the geodesics
        that are there already.
        """
        if self.geodesics is None:
            return ()
        guides, most = self.geodesics.guides, min(MOST_COORDINATES, len(self.geodesics.guides) - 1)
        answer = []
        if self.metric != "precomputed":
            width = min(most, self.data.shape[1], len(self.data) - 1)
            straight = pairwise_distances(self.data, self.data[guides], self.metric)
            places = _quietly(lambda: PCA(width).fit(self.data).embedding_)
            curve = quality.residual_variance(straight, places, guides)
            answer.append(Elbow("PCA", "straight distances", curve))
        similarities = -0.5 * np.square(self.geodesics.lengths)
        fitted = _quietly(lambda: triangulate(similarities, guides, most, self.seed, "distance"))
        places = fitted.place(similarities)
        curve = quality.residual_variance(self.geodesics.lengths, places, guides)
        return (*answer, Elbow("Isomap", "distances along the manifold", curve))


def _quietly(fit: Callable[[], Any]) -> Any:
    """Fit without warnings of coordinates that nobody looks at: those without content, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit()


def geodesics_to_guides(
    data: Any, metric: Metric, n_neighbors: int | None, seed: int
) -> Geodesics | None:
    """Return geodesics from all points to guides; None if all points coincide.

    Connected components of the graph are joined by their shortest links.
    """
    neighbors = joined_graph(data, metric, n_neighbors)
    n = neighbors.n_points
    guides = graph.choose_uniform(n, min(GUIDES, n), seed)
    lengths = paths.geodesic_distances(neighbors, guides).T
    return Geodesics(lengths, guides) if lengths.max() > lengths.min() else None


def joined_graph(data: Any, metric: Metric, n_neighbors: int | None) -> NeighborGraph:
    """Return the undirected neighbour graph of the data, its components joined."""
    index, neighbors = relate_neighbors(data, NeighborSearch(metric), Neighborhood(n_neighbors))
    found = graph.find_components(neighbors)
    return neighbors if found.count == 1 else graph.bridge_components(neighbors, found, index, data)


def aligned(places: Array, target: Array) -> Array:
    """Return a map laid on another by the best rotation, reflection, shift and scale."""
    if not np.ptp(target, axis=0).any():
        return places
    return quality.align(places, target).aligned


@dataclass(frozen=True, slots=True)
class Settings:
    """What methods given by name or class are made with, where they have such a parameter."""

    n_components: int
    n_neighbors: int | None
    metric: Any
    seed: int

    @property
    def chosen(self) -> dict[str, Any]:
        """The parameters that were asked for, by name."""
        asked = {
            "n_components": self.n_components,
            "random_state": self.seed,
            "metric": self.metric,
            "n_neighbors": self.n_neighbors,
        }
        return {name: value for name, value in asked.items() if value is not None}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """One method in a comparison: its map and scores, or why it has none.

    ``seconds`` is what the fit takes alone: stages that were shared count in every row.
    """

    label: str
    model: Any
    embedding: Array | None
    scores: Scores
    seconds: float
    failure: str = ""
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is no map."""
        return self.embedding is None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Several maps of the same data, and how far each can be trusted. Prints as a table.

    ``outcomes`` has a row for each method, failed ones too; everything else speaks of those that
    have a map, by label. ``seconds`` is what the comparison took in all, ``searches`` and
    ``geodesics`` how often neighbours were searched and geodesics computed for the maps.
    """

    outcomes: tuple[Outcome, ...]
    yardstick: Yardstick
    settings: Settings
    color: Any = None
    columns: tuple[str, ...] = ()
    seconds: float = 0.0
    searches: int = 0
    geodesics: int = 0

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.yardstick.data.shape[0])

    @property
    def embeddings(self) -> dict[str, Array]:
        """The maps, as the methods gave them."""
        return {o.label: o.embedding for o in self.outcomes if o.embedding is not None}

    @property
    def models(self) -> dict[str, Any]:
        """The fitted models."""
        return {o.label: o.model for o in self.outcomes if not o.failed}

    @property
    def scores(self) -> dict[str, Scores]:
        """The scores of each map, by name; each a number that also knows its points."""
        return {o.label: o.scores for o in self.outcomes if not o.failed}

    @property
    def failures(self) -> dict[str, str]:
        """Why some methods have no map."""
        return {o.label: o.failure for o in self.outcomes if o.failed}

    @cached_property
    def aligned(self) -> dict[str, Array]:
        """The maps, each laid on the truth, or on the first map where there is none."""
        maps = self.embeddings
        if not maps:
            return {}
        truth = self.yardstick.truth
        target = next(iter(maps.values())) if truth is None else truth
        return {label: aligned(places, target) for label, places in maps.items()}

    @cached_property
    def shepard(self) -> dict[str, Shepard]:
        """Distances on each map against those in the data; of a sparse graph these are unknown."""
        yardstick = self.yardstick
        if yardstick.is_sparse:
            return {}
        return {
            label: quality.shepard(
                yardstick.data,
                places,
                metric=yardstick.metric,
                sample=min(PAIRED, len(places)),
                seed=yardstick.seed,
            )
            for label, places in self.embeddings.items()
        }

    @cached_property
    def elbows(self) -> tuple[Elbow, ...]:
        """What PCA and Isomap leave unexplained of the distances with 1, 2, ... coordinates."""
        return self.yardstick.elbows()

    @cached_property
    def dimension(self) -> Dimension | None:
        """How many coordinates the data need; None if they are too few, or a sparse graph."""
        yardstick = self.yardstick
        if yardstick.is_sparse:
            return None
        try:
            return intrinsic_dimension(yardstick.data, metric=yardstick.metric, seed=yardstick.seed)
        except ValueError:  # too few distinct points
            return None

    @property
    def scored(self) -> tuple[Column, ...]:
        """The columns of the table: scores that at least one map has."""
        present = {name for outcome in self.outcomes for name in outcome.scores}
        return tuple(column for column in COLUMNS if column.name in present)

    @cached_property
    def ruined(self) -> dict[str, str]:
        """What ruins the picture of some maps: a coordinate that a few points carry alone."""
        found = {label: find_localized(places) for label, places in self.embeddings.items()}
        every = np.arange(self.n_points)
        return {label: describe_localized(c, every) for label, c in found.items() if c}

    def best(self, score: str) -> str:
        """Return the label of the map with the best value of a score.

        A map whose points lie in a dot beside a few strays is not the best, if there is another.
        """
        column = next((c for c in self.scored if score in (c.name, c.heading)), None)
        if column is None:
            known = ", ".join(c.name for c in self.scored)
            raise ValueError(f"no score {score!r} here; there are: {known}")
        sign = 1.0 if column.more_is_better else -1.0
        having = {label: s[column.name] for label, s in self.scores.items() if column.name in s}
        shown = [label for label in having if label not in self.ruined] or list(having)
        return max(shown, key=lambda label: sign * having[label].value)

    def records(self) -> list[dict[str, Any]]:
        """Return one dict per method: plain numbers, None where there is no score."""
        return [
            {
                "method": outcome.label,
                **{c.name: _plain(outcome.scores.get(c.name)) for c in self.scored},
                "seconds": outcome.seconds,
                "failure": outcome.failure or None,
                "notes": list(outcome.notes),
            }
            for outcome in self.outcomes
        ]

    def table(self) -> str:
        """Return the scores as text, one line per method, and what is to be said about them."""
        heads = ["method", *(c.heading for c in self.scored), "seconds"]
        lines = [
            [o.label, *(_cell(o.scores.get(c.name)) for c in self.scored), f"{o.seconds:.2f}"]
            for o in self.outcomes
        ]
        return "\n".join([columns_of_text(heads, lines), *self._remarks()])

    def _remarks(self) -> list[str]:
        said = [f"{label}: no map: {reason}" for label, reason in self.failures.items()]
        said += [f"{o.label}: {note}" for o in self.outcomes for note in o.notes]
        said += [f"{label}: not the best of any score: {why}" for label, why in self.ruined.items()]
        return ["", self.basis(), *said]

    def basis(self) -> str:
        """Say which points were scored, and how certain the scores are."""
        near = f"scores with {self.yardstick.n_neighbors} neighbours"
        shown = [s[name] for s in self.scores.values() for name in s if name in _RANKED]
        if not shown:
            return near
        count = min(len(score.sample) for score in shown)
        if count == self.n_points:
            return f"{near}, of all {count} points"
        error = max(score.standard_error for score in shown)
        return (
            f"{near}, of a sample of {count} of {self.n_points} points; standard errors at most "
            f"{error:.1g}"
        )

    def figure(self, color: Any = None) -> Any:
        """Return the maps side by side, laid on each other, painted by ``color``."""
        from .. import plot

        paint = self.color if color is None else color
        truth = self.yardstick.truth
        titles = {
            label: f"{label}\ntrust {s['trustworthiness'].value:.3f}"
            for label, s in self.scores.items()
            if "trustworthiness" in s
        }
        maps = {titles.get(label, label): places for label, places in self.aligned.items()}
        if truth is not None and truth.shape[1] <= 2:
            maps = {"truth": truth, **maps}
        solid = all(places.shape[1] == 3 for places in maps.values())
        return plot.comparison(maps, color=paint, dimensions=3 if solid else 2)

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """Return the table of scores for a notebook."""
        heads = ["method", *(c.heading for c in self.scored), "seconds"]
        lines = [
            [o.label, *(_cell(o.scores.get(c.name)) for c in self.scored), f"{o.seconds:.2f}"]
            for o in self.outcomes
        ]
        return html_table(heads, lines, self._remarks())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self.outcomes)} methods:\n{self}>"


_RANKED = ("trustworthiness", "continuity", "neighbours kept", "area under R_NX", "stress")


def _cell(score: Score | None) -> str:
    return "-" if score is None else f"{score.value:.3f}"


def _plain(score: Score | None) -> float | None:
    return None if score is None else float(np.float64(score.value))
