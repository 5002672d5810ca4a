"""What methods of neighbour graphs share: neighbours, relations, and the charts they make.

A relation says how the points of a connected component relate. It states their eigenproblem and
tells what a query point looks like to them; a chart then places query points by the one formula for
all methods, ``rows @ anchors / divisors`` (Bengio et al. 2004). Charts of several components are
laid side by side, and a coordinate that a few points carry is found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from .. import distances, graph
from ..extension import place
from ..runtime import advise, reuse
from ..values import Array, EigenProblem, Metric, NeighborGraph
from .geodesic_rows import GeodesicRows
from .independent import Mixture, choose_independent

Rows: TypeAlias = Array | sp.csr_array | GeodesicRows  # what coordinates are multiplied by
GAP = 0.1  # between charts, of the longest side of any
Symmetrize = Literal["union", "mutual", "directed"]
SHARE = 0.95  # of the points that
WIDTH = 0.05  # of a coordinate's width hold: then the others carry it
SHOWN = 5  # rows that a sentence names
NAMED_ROWS = re.compile(r"(?<=\(rows )\d+(?:, \d+)*")  # in what describe_localized says
ASKED = 100  # points that are asked for ties among their neighbours
LOOKED_AT = 10  # coordinates: nobody looks at pictures of later ones


@dataclass(frozen=True, slots=True)
class NeighborSearch:
    """How neighbours are searched; the seed matters to an approximate search only."""

    metric: Metric
    search: distances.Search = "exact"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Neighborhood:
    """Who is a neighbour: the nearest ones, or all within a radius; and whose word counts."""

    n_neighbors: int | Sequence[int] | Array | None = None
    radius: float | None = None
    squared_radius: bool = False
    symmetrize: Symmetrize = "union"
    strict_radius: bool = False


def relate_neighbors(
    space: Any, search: NeighborSearch, hood: Neighborhood
) -> tuple[distances.NeighborIndex, NeighborGraph]:
    """Return the search structure over ``space`` (points, or distances) and its neighbour graph."""
    arrays = (space.data, space.indices, space.indptr) if sp.issparse(space) else (space,)
    kind, seed = search.search, 0 if search.search == "exact" else search.seed
    build = partial(distances.build_index, space, search.metric, kind, search.seed)
    index = reuse("index", arrays, (search.metric, kind, seed), build)
    found_by = (index.name, index.seed)  # what "auto" has turned out to be
    wanted = hood.n_neighbors
    is_graph = sp.issparse(space) and index.name == distances.GivenDistances.name
    if wanted is None and not is_graph:
        wanted = min(distances.DEFAULT_NEIGHBORS, space.shape[0] - 1)
    counts = b"" if wanted is None else np.asarray(wanted).tobytes()
    ball = (hood.radius, hood.squared_radius, hood.strict_radius)
    find = partial(distances.find_neighbors, index, space, wanted, *ball)
    setting = (search.metric, found_by, counts, *ball)
    directed = reuse("neighbours", arrays, setting, find)
    if hood.radius is None and not is_graph:
        _tell_of_ties(index, space, directed)
    if hood.symmetrize == "directed":
        return index, directed
    join = partial(graph.symmetrize, directed, hood.symmetrize)
    return index, reuse("undirected", directed.edges, hood.symmetrize, join)


def _tell_of_ties(index: distances.NeighborIndex, space: Any, found: NeighborGraph) -> None:
    """Advise if points not among the nearest are as near as the last of them, as on a grid.

    Some points are asked for one more neighbour, but only if any has two that are equally far.
    """
    equal = found.distances[1:] == found.distances[:-1]
    begins = found.starts[1:-1]
    equal[begins[(begins > 0) & (begins < found.n_edges)] - 1] = False  # of two points
    if not equal.any():
        return
    asked = np.unique(np.linspace(0, found.n_points - 1, ASKED).astype(int))
    asked = asked[found.counts[asked] + 1 < found.n_points]
    if len(asked) == 0:
        return
    last = found.counts[asked]  # itself is the first
    seen = distances.find_query_neighbors(index, space[asked], int(last.max()) + 2)
    ordered, place = np.sort(seen.distances.reshape(len(asked), -1), axis=1), np.arange(len(asked))
    tied = float(np.mean(ordered[place, last] == ordered[place, last + 1]))
    if tied > 0.0:
        advise(
            f"about {max(1.0, 100 * tied):.0f} % of the points have more points as near as their "
            "last neighbour, as on a grid or among copies; which of these count was decided by the "
            "order of the rows; another number of neighbours, or a radius, avoids such ties"
        )


@dataclass(frozen=True, slots=True)
class Component:
    """The points of one connected component of a neighbour graph, and the graph among them.

    ``masses`` are the numbers of rows that show each of the points, where some are copies.
    """

    members: Array
    graph: NeighborGraph
    masses: Array | None = None


@dataclass(frozen=True, slots=True)
class Queries:
    """Query points (or their rows of distances), and the points of a component that they see."""

    points: Array | sp.csr_array
    neighbors: NeighborGraph


class Relation(Protocol):
    """How the points of one component relate."""

    def problem(self) -> EigenProblem:
        """State the eigenproblem whose vectors become the coordinates."""
        ...

    def rows(self, queries: Queries) -> Rows:
        """Return what each query point looks like to the points of the component, or landmarks."""
        ...

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return what each coordinate of the rows' image is divided by; zero carries nothing."""
        ...


@dataclass(frozen=True, slots=True)
class Isolated:
    """The relation of a component that has no coordinates of its own, such as a single point."""

    @property
    def landmarks(self) -> Array:
        """The point that stands for the component: its first."""
        return np.zeros(1, dtype=np.intp)

    def problem(self) -> EigenProblem:
        """State nothing: there is no pair of points to relate."""
        raise ValueError("a component without coordinates has no eigenproblem")

    def rows(self, queries: Queries) -> Rows:
        """Return the rows that lead to the place of the component's first point."""
        return sp.csr_array(
            (
                np.ones(queries.neighbors.n_points),
                np.zeros(queries.neighbors.n_points, dtype=np.int32),
                np.arange(queries.neighbors.n_points + 1),
            ),
            shape=(queries.neighbors.n_points, queries.neighbors.n_columns),
        )

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return ones."""
        return np.ones(len(eigenvalues))


@dataclass(frozen=True, slots=True)
class Chart:
    """The map of one connected component: its points, their coordinates, and their relation.

    ``anchors`` are the coordinates that the relation's rows refer to: those of all points, or of
    the landmarks. Where coordinates were chosen among more vectors, anchors are all of those, and
    ``mixture`` says what each coordinate takes of them.
    """

    members: Array
    coordinates: Array
    eigenvalues: Array
    relation: Relation
    anchors: Array
    mixture: Mixture | None = None

    @classmethod
    def isolated(cls, members: Array, n_coordinates: int) -> Chart:
        """Return the chart of a component that nothing tells the coordinates of: all are zero."""
        nowhere = np.zeros((len(members), n_coordinates))
        return cls(members, nowhere, np.zeros(n_coordinates), Isolated(), nowhere)

    def place(self, queries: Queries) -> Array:
        """Return the coordinates of query points."""
        rows, mixture = self.relation.rows(queries), self.mixture
        values = self.eigenvalues if mixture is None else mixture.eigenvalues
        placed = place(rows, self.anchors, self.relation.divisors(values, queries))
        return placed if mixture is None else np.asarray(placed @ mixture.weights)

    @property
    def selected(self) -> Array:
        """The vector that each coordinate is, or that counts most for it; 0 is the first."""
        if self.mixture is not None:
            return self.mixture.leading
        return np.arange(self.coordinates.shape[1])

    def independent(self, graph: NeighborGraph, n_coordinates: int, seed: int) -> Chart:
        """Return the chart of the coordinates, of all that it has, that are independent."""
        chosen = choose_independent(self.coordinates, self.eigenvalues, graph, n_coordinates, seed)
        return replace(
            self,
            coordinates=self.coordinates @ chosen.weights,
            eigenvalues=chosen.values(),
            mixture=chosen,
        )

    def with_coordinates(self, n_coordinates: int) -> Chart:
        """Return the chart with empty coordinates added, up to this many."""
        missing = n_coordinates - self.coordinates.shape[1]
        if missing == 0:
            return self
        coordinates = np.pad(self.coordinates, ((0, 0), (0, missing)))
        if self.mixture is not None:
            weights = np.pad(self.mixture.weights, ((0, 0), (0, missing)))
            eigenvalues = np.pad(self.eigenvalues, (0, missing))
            mixture = replace(self.mixture, weights=weights)
            return replace(self, coordinates=coordinates, eigenvalues=eigenvalues, mixture=mixture)
        same = self.anchors is self.coordinates
        anchors = coordinates if same else np.pad(self.anchors, ((0, 0), (0, missing)))
        eigenvalues = np.pad(self.eigenvalues, (0, missing))
        return replace(self, coordinates=coordinates, eigenvalues=eigenvalues, anchors=anchors)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the charts of all components lie on one map, so that none overlap.

    ``offsets`` moves each chart to its place; ``low`` and ``high`` are the corners of its box
    there, in the plane of the first two coordinates. Query points stay within ``margin`` of the
    box of their own component, so that every place on the map belongs to one component.
    """

    offsets: Array
    low: Array
    high: Array
    margin: float

    @classmethod
    def of(cls, charts: Sequence[Array]) -> Layout:
        """Lay charts side by side, given by the coordinates of their points.

        The first chart, the largest, stays where it is. The others stand to its right in columns
        about as high as the first is; with one coordinate they stand in a row. Each keeps its own
        shape and scale; coordinates after the second are not moved. A single chart needs no box.
        """
        width = charts[0].shape[1]
        if len(charts) == 1:
            corner = np.zeros((1, min(2, width)))
            return cls(np.zeros((1, width)), corner, corner, 0.0)
        low = np.array([coordinates.min(axis=0)[:2] for coordinates in charts])
        high = np.array([coordinates.max(axis=0)[:2] for coordinates in charts])
        offsets = np.zeros((len(charts), width))
        gap = GAP * float((high - low).max()) or 1.0
        offsets[:, :2] = _columns_beside_first(low, high, gap)
        moved = offsets[:, :2]
        return cls(offsets, low + moved, high + moved, 0.45 * gap)

    def place(self, number: int, coordinates: Array) -> Array:
        """Return the places of points with these coordinates on a chart, within its margin."""
        places: Array = coordinates + self.offsets[number]
        if len(self.offsets) > 1:
            low, high = self.low[number] - self.margin, self.high[number] + self.margin
            places[:, :2] = np.clip(places[:, :2], low, high)
        return places

    def owner(self, places: Array) -> Array:
        """Return the chart that each place belongs to: the one whose box it is nearest to."""
        nearest = np.full(len(places), np.inf)
        owner = np.zeros(len(places), dtype=np.intp)
        plane = places[:, :2]
        for number, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            # the larger of both: beyond a corner the margin is no farther than beyond a side
            distance = np.maximum(np.maximum(low - plane, plane - high), 0.0).max(axis=1)
            closer = distance < nearest
            owner[closer], nearest[closer] = number, distance[closer]
        return owner


def _columns_beside_first(low: Array, high: Array, gap: float) -> Array:
    """Return how far each box is moved: the first not, the others into columns to its right."""
    moves = np.zeros(low.shape)
    sides, in_plane = high - low, low.shape[1] > 1
    left, bottom, width = high[0, 0] + gap, 0.0, 0.0
    for number in range(1, len(low)):
        side = float(sides[number, 1]) if in_plane else 0.0
        if number > 1 and (not in_plane or (bottom > 0.0 and bottom + side > sides[0, 1])):
            left, bottom, width = left + width + gap, 0.0, 0.0
        moves[number, 0] = left - low[number, 0]
        width = max(width, float(sides[number, 0]))
        if in_plane:
            moves[number, 1] = low[0, 1] + bottom - low[number, 1]
            bottom += side + gap
    return moves


@dataclass(frozen=True, slots=True)
class Localized:
    """A coordinate (counted from 1) and the points that carry it, farthest from the rest first."""

    coordinate: int
    carriers: Array


def find_localized(coordinates: Array) -> list[Localized]:
    """Return the coordinates within 5 % of whose width 95 % of the points lie.

    Parameters
    ----------
    coordinates : ndarray of shape (n_samples, n_components)
        A map.

    Returns
    -------
    list of Localized
        One for each such coordinate, with the points outside.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool.relation import find_localized
    >>> column = np.r_[np.linspace(-1.0, 1.0, 99), 80.0]
    >>> find_localized(column[:, None])[0].carriers
    array([99])
    """
    found = [_carriers(column) for column in coordinates.T[:LOOKED_AT]]
    return [Localized(i + 1, rows) for i, rows in enumerate(found) if len(rows)]


def _carriers(column: Array) -> Array:
    if _is_spread(column):
        return np.empty(0, dtype=np.intp)
    order = np.argsort(column, kind="stable")
    ordered = column[order]
    held = int(np.ceil(SHARE * len(column)))  # of fewer than 20 points, all
    widths = ordered[held - 1 :] - ordered[: len(column) - held + 1]
    first, width = int(np.argmin(widths)), float(ordered[-1] - ordered[0])
    if width == 0.0 or widths[first] > WIDTH * width:
        return np.empty(0, dtype=np.intp)
    middle = 0.5 * (ordered[first] + ordered[first + held - 1])
    away = np.abs(column - middle)
    outside = np.flatnonzero(away > 0.5 * WIDTH * width)
    return np.asarray(outside[np.argsort(-away[outside], kind="stable")])


def _is_spread(column: Array) -> bool:
    """Tell, without sorting, if no 5 % of the width can hold 95 % of the points: most columns.

    Bins are half as wide, so that three in a row cover any such stretch.
    """
    low, width = float(column.min()), float(np.ptp(column))
    if width == 0.0:
        return False
    count = round(2.0 / WIDTH)
    places = np.minimum(((column - low) * (count / width)).astype(np.intp), count - 1)
    held = np.bincount(places, minlength=count)
    return bool(np.convolve(held, np.ones(3, dtype=np.intp)).max() < SHARE * len(column))


def describe_localized(found: list[Localized], members: Array) -> str:
    """Return a sentence that names the coordinates and the points, by their rows."""
    parts = []
    for localized in found:
        rows = members[localized.carriers]
        shown = ", ".join(str(int(row)) for row in rows[:SHOWN])
        more = ", ..." if len(rows) > SHOWN else ""
        parts.append(
            f"coordinate {localized.coordinate} is carried by {len(rows)} of {len(members)} points "
            f"(rows {shown}{more})"
        )
    return "; ".join(parts)


def rename_rows(sentence: str, names: Sequence[Any]) -> str:
    """Return a sentence of ``describe_localized`` with other names for the rows, such as a file's.

    Parameters
    ----------
    sentence : str
        What a method advises; one that names no rows is returned as it is.
    names : sequence
        What each row of the points is called.

    Returns
    -------
    str
        The sentence for those who know the rows by these names.

    Examples
    --------
    >>> from unspool.relation import rename_rows
    >>> rename_rows("coordinate 1 is carried by 2 of 9 points (rows 0, 4)", range(1, 10))
    'coordinate 1 is carried by 2 of 9 points (rows 1, 5)'
    """

    def renamed(found: re.Match[str]) -> str:
        return ", ".join(str(names[int(row)]) for row in found[0].split(", "))

    return NAMED_ROWS.sub(renamed, sentence)
