"""What a relation is, and the chart that it makes of one connected component.

A relation says how the points of a component relate. It states their eigenproblem and tells what a
query point looks like to them; a chart then places query points by the one formula for all methods,
``rows @ anchors / divisors`` (Bengio et al. 2004).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from ..extension import place
from ..values import Array, EigenProblem, NeighborGraph

Rows: TypeAlias = Array | sp.csr_array
GAP = 0.1  # between charts, of the longest side of any


@dataclass(frozen=True, slots=True)
class Component:
    """The points of one connected component of a neighbour graph, and the graph among them."""

    members: Array
    graph: NeighborGraph


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
    the landmarks.
    """

    members: Array
    coordinates: Array
    eigenvalues: Array
    relation: Relation
    anchors: Array

    @classmethod
    def isolated(cls, members: Array, n_coordinates: int) -> Chart:
        """Return the chart of a component that nothing tells the coordinates of: all are zero."""
        nowhere = np.zeros((len(members), n_coordinates))
        return cls(members, nowhere, np.zeros(n_coordinates), Isolated(), nowhere)

    def place(self, queries: Queries) -> Array:
        """Return the coordinates of query points."""
        rows = self.relation.rows(queries)
        return place(rows, self.anchors, self.relation.divisors(self.eigenvalues, queries))

    def with_coordinates(self, n_coordinates: int) -> Chart:
        """Return the chart with empty coordinates added, up to this many."""
        missing = n_coordinates - self.coordinates.shape[1]
        if missing == 0:
            return self
        coordinates = np.pad(self.coordinates, ((0, 0), (0, missing)))
        same = self.anchors is self.coordinates
        anchors = coordinates if same else np.pad(self.anchors, ((0, 0), (0, missing)))
        eigenvalues = np.pad(self.eigenvalues, (0, missing))
        return replace(self, coordinates=coordinates, eigenvalues=eigenvalues, anchors=anchors)


def lay_out(charts: Sequence[Chart]) -> Array:
    """Return where each chart is laid on the map (n_charts, n_coordinates), so that none overlap.

    The first chart, the largest, stays where it is. The others stand to its right in columns about
    as high as the first is, in the plane of the first two coordinates; with one coordinate they
    stand in a row. Each keeps its own shape and scale; coordinates after the second are not moved.
    """
    n_coordinates = charts[0].coordinates.shape[1]
    offsets = np.zeros((len(charts), n_coordinates))
    if len(charts) == 1:
        return offsets
    low = np.array([chart.coordinates.min(axis=0) for chart in charts])
    high = np.array([chart.coordinates.max(axis=0) for chart in charts])
    sides = (high - low)[:, :2]
    gap = GAP * float(sides.max()) or 1.0
    height = sides[0, 1] if n_coordinates > 1 else 0.0
    left, bottom, width = high[0, 0] + gap, 0.0, 0.0
    for number in range(1, len(charts)):
        if n_coordinates > 1 and bottom > 0.0 and bottom + sides[number, 1] > height:
            left, bottom, width = left + width + gap, 0.0, 0.0
        offsets[number, 0] = left - low[number, 0]
        width = max(width, float(sides[number, 0]))
        if n_coordinates == 1:
            left, width = left + width + gap, 0.0
            continue
        offsets[number, 1] = low[0, 1] + bottom - low[number, 1]
        bottom += float(sides[number, 1]) + gap
    return offsets


def owner_of(places: Array, charts: Sequence[Chart], offsets: Array) -> Array:
    """Return the chart that each place belongs to: the one whose box it is in, or nearest to."""
    nearest = np.full(len(places), np.inf)
    owner = np.zeros(len(places), dtype=np.intp)
    for number, (chart, offset) in enumerate(zip(charts, offsets, strict=True)):
        low, high = chart.coordinates.min(axis=0) + offset, chart.coordinates.max(axis=0) + offset
        beyond = np.maximum(np.maximum(low - places, places - high), 0.0)[:, :2]
        distance = np.square(beyond).sum(axis=1)
        closer = distance < nearest
        owner[closer], nearest[closer] = number, distance[closer]
    return owner
