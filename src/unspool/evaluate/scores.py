"""The scores of a map, as every comparison and every diagnosis reads them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import graph, paths, quality
from ..distances import pairwise_distances
from ..methods import PCA
from ..quality import Curve, Score
from ..relation import Neighborhood, NeighborSearch, relate_neighbors, triangulate
from ..values import Array, Metric, NeighborGraph

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
            places = PCA(width).fit(self.data).embedding_
            curve = quality.residual_variance(straight, places, guides)
            answer.append(Elbow("PCA", "straight distances", curve))
        similarities = -0.5 * np.square(self.geodesics.lengths)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # coordinates without content
            fitted = triangulate(similarities, guides, most, self.seed, "distance")
        places = fitted.place(similarities)
        curve = quality.residual_variance(self.geodesics.lengths, places, guides)
        return (*answer, Elbow("Isomap", "distances along the manifold", curve))


def geodesics_to_guides(
    data: Any, metric: Metric, n_neighbors: int | None, seed: int
) -> Geodesics | None:
    """Return geodesics from all points to guides; None if all points are in one place.

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
