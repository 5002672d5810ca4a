"""The evidence of a diagnosis: a fitted model and its data, and what is measured of both.

Everything is measured when first asked for, and once for all checks.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import distances, graph, paths, quality
from ..catalog import Keeps, entry_of, is_catalogued
from ..dimension import QUICK, intrinsic_dimension
from ..edges import graph_from_edges
from ..quality import Distortion, Shepard, ShortCircuits, suspicious_edges
from ..relation import find_localized
from ..values import Array, Metric, NeighborGraph
from .comparison import Scores, Yardstick, geodesics_to_guides

SHORTENED = 0.08  # of the path lengths
SPARSE, FELT = 9, 0.02  # neighbours; of the path lengths, an edge
PICTURED = 3  # coordinates that can be seen
TRIED = 1_000  # points on which advice is tried before it is given
CONFIRMED = 5_000  # points, up to which what helps so many is tried on all before it is advised
OTHERS = (
    *("pca", "mds", "isomap", "laplacian-eigenmaps", "diffusion-maps", "lle", "ltsa"),
    "tsne",
)
# What a fit may raise: everything but a cancellation and mistakes in this package.
FAILURES = (ValueError, TypeError, MemoryError, ArithmeticError, RuntimeError, ImportError)
GUIDES = 50  # points from which geodesics are measured with and without an edge


@dataclass(frozen=True, slots=True)
class Measure:
    """A number that was measured, what it should be, and what to change if it is not.

    ``parameter`` and ``suggestion`` say it for programs; ``advice`` is the same as a sentence.
    ``remark`` says why nothing is advised although the number is not what it should be.
    """

    name: str
    value: float
    sound: str
    ok: bool
    advice: str = ""
    parameter: str = ""
    suggestion: Any = None
    remark: str = ""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A fitted model, the data that it maps, and what was measured of them so far."""

    model: Any
    data: Any
    metric: Metric
    embedding: Array
    n_neighbors: int
    sample: int | None = None
    seed: int = 0
    _trials: dict[tuple[str, str], Evidence | None] = field(default_factory=dict)

    @property
    def keeps(self) -> Keeps:
        """What the method promises to keep."""
        return entry_of(self.model).keeps if self.is_catalogued else "none"

    @property
    def is_catalogued(self) -> bool:
        """Whether the model is one of ours."""
        return is_catalogued(self.model)

    @property
    def width(self) -> int:
        """Number of coordinates of the map."""
        return int(self.embedding.shape[1])

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.embedding)

    @property
    def has_graph(self) -> bool:
        """Whether the method joins neighbours, and maps connected components by a policy."""
        return hasattr(self.model, "component_labels_") and self.model.components != "whole"

    @cached_property
    def scores(self) -> Scores:
        """The scores of the map, residual variance against geodesics included."""
        geodesics = None
        if self.has_graph:
            geodesics = geodesics_to_guides(self.data, self.metric, self.count, self.seed)
        yardstick = Yardstick(
            self.data, self.metric, self.n_neighbors, self.sample, self.seed, geodesics
        )
        return yardstick.scores(self.embedding)

    @cached_property
    def near(self) -> float:
        """How well neighbours are kept: the mean of trustworthiness and continuity."""
        if "trustworthiness" not in self.scores:
            return self.scores["neighbours kept"].value
        return 0.5 * (self.scores["trustworthiness"].value + self.scores["continuity"].value)

    @cached_property
    def dimension(self) -> int:
        """How many coordinates the data need: the median of the quick estimators."""
        said = []
        for way in QUICK:
            try:
                found = intrinsic_dimension(self.data, way, metric=self.metric, seed=self.seed)
            except ValueError:  # too few distinct points, or no points at all, for this one
                continue
            said.append(found.value)
        return max(1, round(float(np.median(said)))) if said else self.width

    @cached_property
    def distortion(self) -> Distortion | None:
        """How the map stretches neighbourhoods; unknown where there are no points."""
        if self.metric == "precomputed":
            return None
        return quality.local_distortion(self.data, self.embedding)

    @cached_property
    def shepard(self) -> Shepard:
        """Pairs of distances, in the data and on the map."""
        return quality.shepard(self.data, self.embedding, metric=self.metric, seed=self.seed)

    @cached_property
    def few(self) -> Evidence | None:
        """The same model on few enough points to try others beside it; None if it cannot be.

        A table of kernel values or a sparse graph has no part that tells the same story.
        """
        if sp.issparse(self.data) or getattr(self.model, "kernel", None) == "precomputed":
            return None
        if self.n_points <= TRIED:
            return self
        chosen = graph.choose_uniform(self.n_points, TRIED, self.seed)
        table = self.metric == "precomputed"
        part = self.data[np.ix_(chosen, chosen)] if table else self.data[chosen]
        return self._of(self.model, part)

    def trial(self, parameter: str, value: Any) -> Evidence | None:
        """Return the evidence after following a piece of advice; None if it cannot be followed."""
        if self.few is None:
            return None
        key = parameter, str(value)
        if key not in self._trials:
            self._trials[key] = self.few._changed(parameter, value)
        return self._trials[key]

    def confirmation(self, parameter: str, value: Any) -> Evidence | None:
        """Return the evidence of all points after following advice, where there are not too many.

        What helps 1,000 points need not help twice as many: their neighbours are nearer.
        """
        if self.few is self or self.n_points > CONFIRMED:
            return self.trial(parameter, value)
        key = parameter, f"all: {value}"
        if key not in self._trials:
            self._trials[key] = self._changed(parameter, value)
        return self._trials[key]

    @property
    def confirmed_on(self) -> Evidence | None:
        """What a confirmation is compared with: all points, or the few."""
        return self.few if self.n_points > CONFIRMED else self

    def _changed(self, parameter: str, value: Any) -> Evidence | None:
        if parameter == "X":
            kept = np.setdiff1d(np.arange(self.n_points), value)
            return self._of(self.model, self.data[kept])
        if parameter == "method":
            return self._of(self._made(value), self.data)
        from sklearn.base import clone

        try:
            return self._of(clone(self.model).set_params(**{parameter: value}), self.data)
        except (ValueError, TypeError):  # of another package: no such parameter, or no copies
            return None

    def _made(self, name: str) -> Any:
        """Return a model of another method with the same number of coordinates and neighbours."""
        cls = entry_of(name).load()
        known = cls().get_params()
        asked = {"n_components": self.width, "metric": self.metric, "random_state": self.seed}
        if self.count is not None and hasattr(self.model, "n_neighbors"):
            asked["n_neighbors"] = self.count
        return cls(**{key: given for key, given in asked.items() if key in known})

    def _of(self, model: Any, data: Any) -> Evidence | None:
        """Return the evidence of a copy of a model, fitted to these data; None if it will not."""
        from sklearn.base import clone

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitted = clone(model).fit(data)
                places = np.asarray(fitted.embedding_, dtype=np.float64)
            except FAILURES:
                return None
        if len(places) != data.shape[0] or not np.isfinite(places).all():
            return None
        counted = min(self.n_neighbors, len(places) - 1)
        return Evidence(fitted, data, self.metric, places, counted, None, self.seed)

    @cached_property
    def shown_best_by(self) -> str:
        """The method that keeps most neighbours in as many coordinates, of those tried.

        A map whose points lie in a dot is none; the model's own method may be the answer.
        """
        own = entry_of(self.model).name if self.is_catalogued else ""
        tried: dict[str, Evidence | None] = {own: self.few}
        tried |= {name: self.trial("method", name) for name in OTHERS if name != own}
        kept = {
            name: found.near
            for name, found in tried.items()
            if found is not None and not find_localized(found.embedding)
        }
        return max(kept, key=lambda name: kept[name]) if kept else own

    @property
    def count(self) -> int | None:
        """Number of neighbours that the method asks for, if it does."""
        given = getattr(self.model, "n_neighbors", None)
        if given is None:
            whole = getattr(self.model, "radius", None) is not None or sp.issparse(self.data)
            return None if whole else min(distances.DEFAULT_NEIGHBORS, self.n_points - 1)
        return int(np.median(given))

    def graph_with(self, parameter: str = "", value: float = 0.0) -> NeighborGraph:
        """Return the neighbours that points list, as the model would with another ``parameter``.

        A model with neither number nor radius, on a sparse graph, has all of the graph's edges.
        Where only mutual neighbours are joined, the others are not listed.
        """
        count, radius = self.count, getattr(self.model, "radius", None)
        if parameter == "radius":
            radius = value
        elif parameter == "n_neighbors":
            count = int(value)
        found = distances.neighbor_graph(
            self.data,
            count if radius is None else None,
            radius=radius,
            metric=self.metric,
            squared_radius=bool(getattr(self.model, "squared_radius", False)),
            strict_radius=bool(getattr(self.model, "strict_radius", False)),
            search=getattr(self.model, "search", "exact"),
            seed=getattr(self.model, "_seed", 0),
        )
        return graph.symmetrize(found, "mutual") if self.rule == "mutual" else found

    @property
    def rule(self) -> str:
        """Whether the model joins points if either or both list the other; LLE's are directed."""
        return str(getattr(self.model, "symmetrize", "union"))

    def is_connected(self, listed: NeighborGraph) -> bool:
        """Tell whether the model would find these neighbours to be connected."""
        joined = listed if self.rule == "directed" else graph.symmetrize(listed)
        return graph.find_components(joined).count == 1

    @cached_property
    def listed(self) -> NeighborGraph:
        """The neighbours that points list, as the model saw them."""
        return self.graph_with()

    @cached_property
    def suspicious(self) -> ShortCircuits:
        """Edges that the rest of the graph does not confirm."""
        return suspicious_edges(self.listed)

    @cached_property
    def shortening(self) -> float:
        """Share of the path lengths that is lost to suspicious edges."""
        return shortening(self.listed, self.suspicious, self.seed)


def is_short_circuited(listed: NeighborGraph, found: ShortCircuits, lost: float) -> bool:
    """Tell whether edges that shorten paths by the share ``lost`` are short circuits.

    Measured on six surfaces of 300 to 2,000 points: sound graphs of 10 neighbours or more lose at
    most 0.03 to false alarms, rolls with a single short circuit 0.12 and more. Sparser graphs have
    so few ways around that leaving out any edge is felt, but none by more than 0.018 per edge.
    """
    sparse = np.median(listed.counts) < SPARSE
    return lost >= SHORTENED and not (sparse and lost < FELT * len(found.edges))


def shortening(listed: NeighborGraph, found: ShortCircuits, seed: int) -> float:
    """Return by which share suspicious edges shorten the paths between points.

    A sound edge that was suspected lies beside others like it, and hardly shortens anything; one
    short circuit between two sheets shortens half of all paths.
    """
    whole = graph.symmetrize(listed)
    if len(found.edges) == 0:
        return 0.0
    guides = graph.choose_uniform(whole.n_points, min(GUIDES, whole.n_points), seed)
    before = paths.geodesic_distances(whole, guides)
    after = paths.geodesic_distances(_without(whole, found.edges), guides)
    reached = np.isfinite(before) & np.isfinite(after)
    total = float(after[reached].sum())
    return float((after[reached] - before[reached]).sum() / total) if total > 0 else 0.0


def _without(whole: NeighborGraph, edges: Array) -> NeighborGraph:
    n = whole.n_points
    ends = np.sort(np.column_stack([whole.rows, whole.neighbors]).astype(np.int64), axis=1)
    gone = np.sort(np.asarray(edges, dtype=np.int64), axis=1)
    kept = ~np.isin(ends[:, 0] * n + ends[:, 1], gone[:, 0] * n + gone[:, 1])
    return graph_from_edges(
        whole.rows[kept],
        whole.neighbors[kept],
        whole.distances[kept],
        shape=(n, n),
        search=whole.search,
    )
