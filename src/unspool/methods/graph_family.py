"""Methods whose relation is a neighbour graph: pieces, charts, and the routing of new points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from .. import distances, extension, graph
from ..edges import subgraph
from ..extension import Chart
from ..relation import listed, searched, undirected
from ..runtime import warn
from ..values import Array, Metric, NeighborGraph
from .estimator import Method
from .gram_family import check_count
from .parameters import learned, method, parameter

COMPONENTS = ("separate", "bridge", "largest", "error")


@method
class GraphMethod(Method):
    """Neighbour graph -> pieces -> a chart for each; new points go to the chart of their nearest.

    Subclasses turn one connected piece into a chart (``_chart``) and the neighbours that new
    points see into rows (``_rows``).

    Attributes: ``component_labels_`` (0 is the largest piece), ``charts_`` (one a mapped piece).
    """

    n_neighbors: int | Array | None = parameter(
        None,
        optional=True,
        help="neighbours of each point, or one number a point; default 10, and all edges of a "
        "sparse precomputed graph",
    )
    radius: float | None = parameter(
        None, kind=float, above=0, optional=True, help="neighbours within this distance instead"
    )
    squared_radius: bool = parameter(
        False, kind=bool, help="compare the squared distance with the radius, strictly (S2)"
    )
    metric: Metric = parameter(
        "euclidean", help="name, callable, or 'precomputed' distances (dense, or a sparse graph)"
    )
    search: distances.Search = parameter(
        "exact",
        choices=("exact", "approximate"),
        help="'approximate' finds at least 0.99 of the Euclidean neighbours and reports the "
        "measured recall; faster for many points of many features (the [ann] extra)",
    )
    symmetrize: str = parameter(
        "union", choices=("union", "mutual"), help="join i and j if either, or both, list the other"
    )
    components: str = parameter(
        "separate", choices=COMPONENTS, help="what to do when the graph is in several pieces"
    )

    _SPARSE_TABLES = True

    component_labels_: Array = learned()
    charts_: tuple[Chart, ...] = learned()
    _index: distances.NeighborIndex = learned()
    _related: Any = learned()

    def _table(self) -> Literal["distances"] | None:
        distances.check_metric(self.metric)
        return "distances" if self.metric == "precomputed" else None

    def _width(self, n_points: int) -> int:
        """Return the number of coordinates asked for, for this many points."""
        return self.n_components

    def _relate(self, given: Any) -> Any:
        """Return what neighbours are sought in: the points, or a table of distances."""
        return given

    def _related_metric(self) -> Metric:
        return self.metric

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        """Return the map of one connected piece: all of its points, seen through their graph."""
        raise NotImplementedError

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        """Return the rows of new points and the multipliers they are divided by."""
        raise NotImplementedError

    def _learn(self, given: Any) -> None:
        check_count(self._width(given.shape[0]), given.shape[0] - 1)
        if self.radius is not None and self.n_neighbors is not None:
            raise ValueError("give n_neighbors or radius, not both")
        related = self._related = self._relate(given)
        metric = self._related_metric()
        self._index = searched(related, metric, self.search, self.random_state)
        neighbors = self._neighbors(related)
        found = graph.find_components(neighbors)
        self.component_labels_ = found.labels
        if found.count > 1:
            neighbors, found = self._one_piece_or_several(neighbors, found, related)
        charted = range(1 if self.components == "largest" else found.count)
        self.charts_ = tuple(self._charted(related, neighbors, found.members(p)) for p in charted)
        self._home = (
            found.labels if self.components != "largest" else np.zeros(len(found.labels), int)
        )
        self.eigenvalues_ = self.charts_[0].values
        self.embedding_ = self._assembled(related)

    def _neighbors(self, given: Any) -> NeighborGraph:
        metric = self._related_metric()
        directed = listed(
            self._index, given, metric, self.n_neighbors, self.radius, self.squared_radius
        )
        return directed if self.symmetrize == "directed" else undirected(directed, self.symmetrize)

    def _one_piece_or_several(
        self, neighbors: NeighborGraph, found: graph.Components, given: Any
    ) -> tuple[NeighborGraph, graph.Components]:
        """Apply the policy for graphs in several pieces, and say so."""
        remedy = "raise n_neighbors or radius to join them"
        if self.components == "whole":
            return neighbors, graph.Components(np.zeros_like(found.labels))
        if self.components == "error":
            raise ValueError(
                f"{found.describe()}; {remedy}, or pass components='largest' to embed "
                f"{found.sizes[0]} points, 'separate' for one map a piece, 'bridge' to join them "
                "by their shortest links"
            )
        done = {
            "separate": "each is mapped on its own, in its own frame",
            "bridge": "they were joined by the shortest links between them",
            "largest": "only the largest is mapped; the other "
            f"{len(found.labels) - found.sizes[0]} points are placed on its map like new points",
        }[self.components]
        sentence = f"{found.describe()}: {done}; {remedy}"
        warn(sentence)
        if self.components != "bridge":
            return neighbors, found
        exact = searched(given, self._related_metric())  # the shortest link is one pair
        joined = graph.bridge_components(neighbors, found, exact, given)
        return joined, graph.find_components(joined)

    def _charted(self, given: Any, neighbors: NeighborGraph, members: Array) -> Chart:
        """Return the chart of a piece, with as many coordinates as asked for even if it is tiny."""
        whole = len(members) == neighbors.n_points
        if len(members) == 1:
            blank = np.zeros((1, 0))
            chart = Chart(members, blank, np.zeros(0), np.zeros(0))
        else:
            among = neighbors if whole else subgraph(neighbors, members)
            chart = self._chart(given, members, among)
        return _padded(chart, self.n_components or chart.coordinates.shape[1])

    def _count_in(self, members: Array) -> int:
        """Return how many coordinates a piece gets: at most one fewer than it has points."""
        return min(self.n_components, len(members) - 1)

    def _assembled(self, given: Any) -> Array:
        coordinates = np.zeros((given.shape[0], self.charts_[0].coordinates.shape[1]))
        placed = np.zeros(given.shape[0], dtype=bool)
        for chart in self.charts_:
            coordinates[chart.members] = chart.coordinates
            placed[chart.members] = True
        if not placed.all():
            rest = np.flatnonzero(~placed)
            coordinates[rest] = self._place(self.charts_[0], given[rest])
        return coordinates

    def _map(self, points: Any) -> Array:
        """Send each new point to the piece of its nearest old one; old points keep their place."""
        related = self._relate(points)
        nearest = distances.find_query_neighbors(self._index, related, 1)
        _check_seen(nearest)
        home, gap = nearest.neighbors, nearest.distances
        coordinates = np.empty((len(home), self.embedding_.shape[1]))
        for piece, chart in enumerate(self.charts_):
            here = np.flatnonzero(self._home[home] == piece)
            if len(here):
                coordinates[here] = self._place(chart, related[here])
        known = gap == 0.0
        if self._points is not None:  # cosine rounds a point's distance to itself to above zero
            known |= (points == self._points[home]).all(axis=1)
        coordinates[known] = self.embedding_[home[known]]
        return coordinates

    def _place(self, chart: Chart, new: Any) -> Array:
        whole = len(chart.members) == self._index.n_points
        index = self._index if whole else self._index.among(chart.members)
        count = None if self.n_neighbors is None else int(np.median(self.n_neighbors))
        towards = distances.find_query_neighbors(
            index, new, count, self.radius, self.squared_radius
        )
        _check_seen(towards)
        if chart.relation is None:
            return np.repeat(chart.coordinates[:1], towards.n_points, axis=0)
        rows, multipliers = self._rows(chart, new, towards)
        anchors = chart.coordinates if chart.anchors is None else chart.anchors
        return extension.place(rows, anchors, multipliers)

    def _unmap(self, places: Array) -> Array:
        """Interpolate between known points of one piece at a time."""
        assert self._points is not None
        known = self.embedding_.astype(np.float64)
        index = distances.build_index(known)
        home = self.component_labels_[distances.find_query_neighbors(index, places, 1).neighbors]
        points = np.empty((len(places), self._points.shape[1]))
        for piece in np.unique(home):
            here, members = home == piece, np.flatnonzero(self.component_labels_ == piece)
            count = min(extension.neighbors_needed(known.shape[1]), len(members))
            towards = distances.find_query_neighbors(index.among(members), places[here], count)
            points[here] = extension.interpolate(
                places[here], towards, known[members], self._points[members]
            )
        return points


def _padded(chart: Chart, width: int) -> Chart:
    """Return the chart with empty columns added up to ``width``."""
    missing = width - chart.coordinates.shape[1]
    if missing == 0:
        return chart
    return replace(
        chart,
        coordinates=np.pad(chart.coordinates, ((0, 0), (0, missing))),
        values=np.pad(chart.values, (0, missing)),
        multipliers=np.pad(chart.multipliers, (0, missing)),
        anchors=None if chart.anchors is None else np.pad(chart.anchors, ((0, 0), (0, missing))),
    )


def _check_seen(towards: NeighborGraph) -> None:
    if towards.n_points and towards.counts.min() == 0:
        row = int(towards.counts.argmin())
        raise ValueError(
            f"row {row} has no stored distance to any fitted point, so it has no place"
        )


def local_block(table: Any, rows: Array, columns: Array) -> Array:
    """Return the dense blocks table[rows[b], columns[b]] of a batch; ``table`` must be dense."""
    if sp.issparse(table):
        raise ValueError(
            "the distances between neighbours are needed, and a sparse graph does not hold them; "
            "pass dense distances or points"
        )
    return np.asarray(table[rows, columns])
