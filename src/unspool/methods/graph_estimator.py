"""Methods of neighbour graphs (bases for weights and patches: laplacian_eigenmaps.py, lle.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .. import distances, extension, graph
from ..edges import subgraph
from ..relation import (
    Chart,
    Component,
    Layout,
    Neighborhood,
    NeighborSearch,
    Queries,
    Relation,
    describe_localized,
    find_localized,
    kernel_operator,
    relate_neighbors,
)
from ..runtime import warn
from ..scale.sources import Source, rows_of
from ..values import Array, Metric, NeighborGraph, Spectrum
from .door import DISTANCES, Tables, foreseen_neighbors
from .estimator import Estimator
from .parameters import check_n_components, learned, method, parameter

Policy = Literal["separate", "bridge", "largest", "error"]
POLICIES: tuple[Policy, ...] = ("separate", "bridge", "largest", "error")
ROUNDS = 5  # times that strays are set apart before the rest is taken as it is
SEVERAL = "what to do when the graph has several connected components"


@method
class GraphEstimator(Estimator):
    """Neighbour graph -> connected components -> a chart of each.

    Equal rows are copies of one point: it has one neighbourhood and one place, and the mass of its
    copies. Everything within is about these distinct points; what is public has a row for each row
    of the data.

    A method says how the points of one component relate (``_relate``) and how eigenvectors become
    coordinates (``_scale``). Query points go to the chart of their nearest fitted point.
    """

    n_neighbors: int | Sequence[int] | Array | None = parameter(
        default=None,
        optional=True,
        help="neighbours of each point, or one number per point; default 10, and all edges of a "
        "sparse precomputed graph",
    )
    radius: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="neighbours within this distance instead",
    )
    squared_radius: bool = parameter(
        default=False,
        kind=bool,
        help="compare the squared distance with the radius, strictly (Belkin and Niyogi 2001)",
    )
    strict_radius: bool = parameter(default=False, kind=bool, help="only those nearer than radius")
    metric: Metric = parameter(
        default="euclidean",
        help="name, callable, or 'precomputed' distances (dense, or a sparse graph)",
    )
    search: distances.Search = parameter(
        default="auto",
        choices=("auto", "exact", "approximate"),
        help="'approximate' finds at least 0.99 of the neighbours, and the report has "
        "the measured recall; 'auto' does so where all of them would take minutes",
    )
    symmetrize: Literal["union", "mutual"] = parameter(
        default="union",
        choices=("union", "mutual"),
        help="join i and j if either, or both, list the other",
    )
    components: Policy = parameter(default="separate", choices=POLICIES, help=SEVERAL)

    outliers: Literal["keep", "separate"] = parameter(
        default="keep",
        choices=("keep", "separate"),
        help="'separate' maps the others without the few points that would carry a coordinate "
        "alone, and places those on the map afterwards, as query points",
    )

    _TABLES: ClassVar[Tables] = DISTANCES
    _SPARSE_TABLES = True
    _SPARSE_POINTS = True
    _ON_DISK = True
    _MEETS_KNOWN = False  # whether query points that near a fitted one tend to its place anyway
    _INSTEAD: ClassVar[str] = "Isomap"  # what strays do less harm to

    eigenvalues_: Array = learned(
        help="eigenvalues of the largest connected component, one per coordinate"
    )
    component_labels_: Array = learned(
        help="connected component of each point, 0 for the largest one"
    )
    outliers_: Array = learned(help="points that were set apart, empty unless outliers='separate'")
    charts_: tuple[Chart, ...] = learned(help="one chart per mapped component, largest first")
    _copies: graph.Copies = learned()  # which rows are one and the same point
    _index: distances.NeighborIndex = learned()
    # what neighbours are searched in: points, or a table of distances
    _space: Array | sp.csr_array | Source = learned()
    _home: Array = learned()  # the chart of each distinct point
    _mapped: Array = learned()  # whether the component of each distinct point has a chart
    _layout: Layout = learned()  # where each chart lies on the map
    _n_seen: int | None = learned()  # neighbours of a query point, where it has so many

    def _relate(self, component: Component, n_coordinates: int) -> Relation:
        """Return how the points of one connected component relate."""
        raise NotImplementedError

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        """Return the eigenvalues and the coordinates that eigenvectors become."""
        raise NotImplementedError

    def _n_coordinates(self, n_points: int) -> int:
        """Return the number of coordinates asked for, for this many points."""
        return self._n_wanted

    def _search_space(self, X: Any) -> Any:
        """Return what the neighbours of fitted points are searched in."""
        return X

    def _query_space(self, X: Any) -> Any:
        """Return query points as they are searched for."""
        return X

    def _search_metric(self) -> Metric:
        return self.metric

    def _keeps_single(self, n_columns: int) -> bool:
        """Tell whether float32 points stay so: trees, and other metrics, have theirs in float64."""
        return n_columns > distances.TREE_MOST and self._search_metric() in ("euclidean", "l2")

    def _fit(self, X: Any) -> None:
        check_n_components(self._n_coordinates(X.shape[0]), X.shape[0] - 1)
        if self.radius is not None and self.n_neighbors is not None:
            raise ValueError("give n_neighbors or radius, not both")
        self._copies = self._find_copies(X)
        self._space = self._distinct(self._search_space(X))
        foreseen = foreseen_neighbors(self.n_neighbors, self.radius, self._space.shape[0])
        self._claim_memory(self._space.shape[0], foreseen)
        self._index, neighbors = self._relate_neighbors()
        self._n_seen = None if self.n_neighbors is None else int(np.median(self.n_neighbors))
        self._weigh(neighbors)
        found = graph.find_components(neighbors)
        self.component_labels_ = found.labels[self._copies.point_of]
        if found.labels.any():
            neighbors, found = self._apply_policy(neighbors, found)
        n_charts = 1 if self.components == "largest" else int(found.labels.max()) + 1
        members = [np.flatnonzero(found.labels == c) for c in range(n_charts)]
        self.charts_ = tuple(self._chart(neighbors, points) for points in members)
        self._mapped = found.labels < n_charts
        self._home = np.where(self._mapped, found.labels, 0)
        self._layout = Layout.of([chart.coordinates for chart in self.charts_])
        self.outliers_ = np.flatnonzero(np.isin(self._copies.point_of, self._set_apart()))
        self.eigenvalues_ = self.charts_[0].eigenvalues
        self.embedding_ = self._assemble(neighbors.n_points)[self._copies.point_of]
        if n_charts > 1:
            self._tell_of_components_in_a_dot()

    def _claim_memory(self, n_points: int, n_neighbors: float) -> None:
        """Refuse what will need more memory than there is, before neighbours are searched.

        ``n_neighbors`` is how many a point will have on average: 0 where only the search can tell.
        """

    def _find_copies(self, X: Any) -> graph.Copies:
        """Return which rows are one point; vertices of a given graph are taken as they are."""
        if self._is_given(X):
            return graph.Copies.none(X.shape[0])
        copies = graph.find_copies(X)
        n_points, wanted = len(copies.first), self._n_coordinates(X.shape[0])
        if n_points <= wanted:
            warn(
                f"only {n_points - 1} of {wanted} coordinates are nonzero: the other "
                f"{X.shape[0] - n_points} of {X.shape[0]} rows are copies; lower n_components"
            )
        return copies

    def _is_given(self, X: Any) -> bool:
        """Tell whether the vertices and edges of the graph are given, whatever their lengths."""
        kind = self._input_kind()
        return kind == "weights" or (kind == "distances" and bool(sp.issparse(X)))

    def _distinct(self, space: Any) -> Any:
        """Return what is searched in without the copies, in rows and in columns of a table."""
        if not self._copies.exist:
            return space
        first = self._copies.first
        is_table = self._search_metric() == "precomputed"
        return space[np.ix_(first, first)] if is_table else rows_of(space, first)

    def _relate_neighbors(self) -> tuple[distances.NeighborIndex, NeighborGraph]:
        """Return the search structure over the fitted points, and their neighbour graph."""
        search = NeighborSearch(self._search_metric(), self.search, self._seed)
        counts, reach = self._n_others(), self.radius
        if self._space.shape[0] == 1:  # nobody is near, and all within no distance are itself
            counts, reach = None, 0.0
        hood = Neighborhood(counts, reach, self.squared_radius, self.symmetrize, self.strict_radius)
        return relate_neighbors(self._space, search, hood)

    def _n_others(self) -> int | Sequence[int] | Array | None:
        """Return the neighbours asked for, of distinct points; there may be fewer than rows."""
        n_points, n_rows = len(self._copies.first), len(self._copies.point_of)
        if self.n_neighbors is None or not self._copies.exist:
            return self.n_neighbors
        wanted = np.asarray(self.n_neighbors)
        if wanted.shape == (n_rows,):
            wanted = wanted[self._copies.first]
        return np.where(wanted < n_rows, np.minimum(wanted, n_points - 1), wanted)

    def _weigh(self, neighbors: NeighborGraph) -> None:
        """Choose how the edges of the graph weigh, where they do."""

    def _apply_policy(
        self, neighbors: NeighborGraph, found: graph.Components
    ) -> tuple[NeighborGraph, graph.Components]:
        """Do what ``components`` says of a graph in several components, and tell."""
        remedy = "raise n_neighbors or radius to join them"
        if self.components == "error":
            raise ValueError(
                f"{found.describe()}; {remedy}, or pass components='largest' to embed "
                f"{found.sizes[0]} points, 'separate' for one map per component, 'bridge' to join "
                "them by their shortest links"
            )
        done = {
            "separate": "each is mapped on its own, and they are laid side by side",
            "bridge": "they were joined by the shortest links between them"
            + (", or from center to center by their radii" if self._is_given(self._space) else ""),
            "largest": "only the largest is mapped; the other "
            f"{len(found.labels) - found.sizes[0]} points are placed on its map as query points",
        }[self.components]
        warn(f"{found.describe()}: {done}; {remedy}")
        if self.components == "largest":
            self._check_links(found)
        if self.components != "bridge":
            return neighbors, found
        if self._input_kind() == "weights":
            raise ValueError("given weights have no lengths to bridge with; join the components")
        exact = distances.build_index(self._space, self._search_metric())  # a link is one pair
        joined = graph.bridge_components(neighbors, found, exact, self._space)
        return joined, graph.find_components(joined)

    def _check_links(self, found: graph.Components) -> None:
        """Refuse a given graph that holds no way to place some points on the largest component."""
        if not isinstance(self._space, sp.csr_array) or not self._is_given(self._space):
            return
        members, rest = np.flatnonzero(found.labels == 0), np.flatnonzero(found.labels)
        stored = np.diff(sp.csr_array(self._space[rest][:, members]).indptr)
        if not stored.all():
            row, count = rest[int(stored.argmin())], int(np.count_nonzero(stored == 0))
            raise ValueError(
                f"{count} of {len(rest)} points outside of the largest component, the first of "
                f"them row {row}, have no edge to a point of it, so they cannot be placed on its "
                "map; pass components='separate' for one map per component, or leave these rows out"
            )

    def _chart(self, neighbors: NeighborGraph, members: Array) -> Chart:
        """Return the chart of a component, with all coordinates asked for even if it is tiny."""
        if len(members) == 1:
            return Chart.isolated(members, self._n_coordinates(neighbors.n_points))
        whole = len(members) == neighbors.n_points
        masses = self._copies.masses
        component = Component(
            members,
            neighbors if whole else subgraph(neighbors, members),
            None if masses is None else masses[members],
        )
        if not whole and not self._is_given(self._space):
            component = self._complete(component)
        n_coordinates = self._affordable(component)
        if n_coordinates == 0:
            return Chart.isolated(members, self._n_wanted)
        chart = self._map_without_strays(component, n_coordinates)
        wanted = self._n_wanted or chart.coordinates.shape[1]
        enough = chart.coordinates.shape[1] == wanted
        return chart if enough else chart.with_coordinates(wanted)

    def _complete(self, component: Component) -> Component:
        """Return the component with all the neighbours that the method needs within it."""
        return component

    def _map_without_strays(self, component: Component, n_coordinates: int) -> Chart:
        """Map a component; tell of, or set apart, the few points that carry a coordinate alone."""
        chart = self._map_component(component, n_coordinates)
        found = find_localized(chart.coordinates)
        for _ in range(ROUNDS if self.outliers == "separate" else 0):
            if not found:
                return chart
            strays = np.unique(np.concatenate([localized.carriers for localized in found]))
            component = _largest_part(component, strays)
            chart = self._map_component(component, min(n_coordinates, self._affordable(component)))
            found = find_localized(chart.coordinates)
        if found:
            rows = self._copies.first[chart.members]
            warn(
                f"{describe_localized(found, rows)}: all others lie within 5 % of its "
                "width; pass outliers='separate' to set these apart, raise n_neighbors, or use "
                f"{self._INSTEAD}"
            )
        return chart

    def _affordable(self, component: Component) -> int:
        """Return how many coordinates a component gets: at most one fewer than it has points."""
        wanted = self._n_coordinates(self._space.shape[0])
        return self._determined(component, min(wanted, len(component.members) - 1))

    def _determined(self, component: Component, most: int) -> int:
        """Return how many coordinates, of so many at most, the graph of a component determines."""
        return most

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        relation = self._relate(component, n_coordinates)
        count = self._n_vectors(len(component.members), n_coordinates)
        spectrum = self._solve(relation.problem(), count)
        eigenvalues, coordinates = self._scale(spectrum, relation, component)
        masses, anchors = component.masses, coordinates
        if masses is not None:
            anchors = self._anchors(coordinates, masses)
        chart = Chart(component.members, coordinates, eigenvalues, relation, anchors)
        if count == n_coordinates:
            return chart
        return chart.independent(component.graph, n_coordinates, self._seed)

    def _n_vectors(self, n_points: int, n_coordinates: int) -> int:
        """Return how many vectors are solved for; of more than coordinates some are chosen."""
        return n_coordinates

    def _anchors(self, coordinates: Array, masses: Array) -> Array:
        """Return what the rows of query points refer to, where points have copies."""
        return coordinates

    def _set_apart(self) -> Array:
        """Return the points of mapped components that are on no chart."""
        left = np.array(self._mapped)
        for chart in self.charts_:
            left[chart.members] = False
        return np.flatnonzero(left)

    def _assemble(self, n_points: int) -> Array:
        """Return the coordinates of all points; those without a chart are placed as queries."""
        coordinates = np.zeros((n_points, self.charts_[0].coordinates.shape[1]))
        placed = np.zeros(n_points, dtype=bool)
        for number, chart in enumerate(self.charts_):
            coordinates[chart.members] = chart.coordinates + self._layout.offsets[number]
            placed[chart.members] = True
        for number in np.unique(self._home[~placed]):
            rest = np.flatnonzero(~placed & (self._home == number))
            found = self._place(self.charts_[number], self._space[rest])
            coordinates[rest] = self._layout.place(number, found)
        return coordinates

    def _tell_of_components_in_a_dot(self) -> None:
        """Tell if charts laid side by side leave most points in a dot; strays of one were told."""
        found = find_localized(self.embedding_)
        home = self._home[self._copies.point_of]
        found = [localized for localized in found if home[localized.carriers].any()]
        if found:
            warn(
                f"{describe_localized(found, np.arange(len(home)))}, most of them in smaller "
                "connected components: pass components='largest' to map the largest alone"
            )

    def _transform(self, X: Any) -> Array:
        """Send each query point to the chart of its nearest; known points keep their place.

        Right beside a known point the formula for query points gives way to that place.
        """
        queries = self._query_space(X)
        if self._copies.exist and self._search_metric() == "precomputed":
            queries = queries[:, self._copies.first]
        whole = len(self.charts_[0].members) == self._index.n_points
        seen = self._see(self._index, queries) if whole else None  # one search serves for both
        nearest = seen
        if nearest is None or nearest.counts.min(initial=2) < 2:
            nearest = distances.find_query_neighbors(self._index, queries, 2)
        _check_seen(nearest)
        closest, gap = (a[nearest.starts[:-1]] for a in (nearest.neighbors, nearest.distances))
        coordinates = np.empty((len(closest), self.embedding_.shape[1]))
        for number, chart in enumerate(self.charts_):
            here = np.flatnonzero(self._home[closest] == number)
            if len(here):
                mine = queries if len(here) == len(closest) else queries[here]  # no copy of all
                coordinates[here] = self._layout.place(number, self._place(chart, mine, seen))
        rows, known = self._copies.first[closest], gap == 0.0
        if self._input_kind() == "points":
            rows, known = graph.recognize(X, self._X, rows, gap)
        if not self._MEETS_KNOWN:
            beside = self._nearness(nearest)[:, None]
            coordinates += beside * (self.embedding_[rows] - coordinates)
        coordinates[known] = self.embedding_[rows[known]]
        return coordinates

    def _nearness(self, nearest: NeighborGraph) -> Array:
        """Return how far each query point counts as the fitted point that is nearest to it."""
        return extension.nearness(nearest)

    def _place(self, chart: Chart, queries: Any, seen: NeighborGraph | None = None) -> Array:
        """Place queries on a chart; ``seen`` are the points of it that they see, if known."""
        if seen is None:
            seen = self._see(self._index.among(chart.members), queries)
            _check_seen(seen)
        return chart.place(Queries(queries, seen))

    def _see(self, index: distances.NeighborIndex, queries: Any) -> NeighborGraph:
        return distances.find_query_neighbors(
            index, queries, self._n_seen, self.radius, self.squared_radius, self.strict_radius
        )

    def _spread_operator(self, apply: Callable[[Array], Array]) -> LinearOperator:
        """Return an operator on the rows of the largest component from one on its points.

        With E the table that says which point a row shows, E apply(E'v).
        """
        shown = self._copies.positions(self.charts_[0].members)
        n, n_points = len(shown), len(self.charts_[0].members)
        shows = sp.csr_array((np.ones(n), shown, np.arange(n + 1)), shape=(n, n_points))
        return kernel_operator(n, lambda columns: shows @ apply(shows.T @ columns))

    def _inverse_transform(self, places: Array) -> Array:
        """Interpolate between the points of the chart that each place belongs to."""
        first = self._copies.first
        known, fitted = self.embedding_[first].astype(np.float64), self._dense_points()
        index, owner = distances.build_index(known), self._layout.owner(places)
        points = np.empty((len(places), self._X.shape[1]))
        for number in np.unique(owner):
            here, members = owner == number, self.charts_[number].members
            count = min(extension.neighbors_needed(known.shape[1]), len(members))
            seen = distances.find_query_neighbors(index.among(members), places[here], count)
            corners = known[members], rows_of(fitted, first[members])
            points[here] = extension.interpolate(places[here], seen, *corners)
        return points


def _largest_part(component: Component, strays: Array) -> Component:
    """Return what is left of a component without some points: its largest connected part."""
    kept = np.setdiff1d(np.arange(len(component.members)), strays)
    rest = subgraph(component.graph, kept)
    labels = graph.find_components(rest).labels
    largest = np.flatnonzero(labels == 0)
    whole = rest if len(largest) == len(kept) else subgraph(rest, largest)
    left, masses = kept[largest], component.masses
    return Component(component.members[left], whole, None if masses is None else masses[left])


def _check_seen(seen: NeighborGraph) -> None:
    if seen.n_points and seen.counts.min() == 0:
        row = int(seen.counts.argmin())
        raise ValueError(
            f"row {row} has no stored distance to any fitted point, so it cannot be placed"
        )
