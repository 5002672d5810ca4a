"""What a relation is, and the chart that it makes of one connected component.

A relation says how the points of a component relate. It states their eigenproblem and tells what a
query point looks like to them; a chart then places query points by the one formula for all methods,
``rows @ anchors / divisors`` (Bengio et al. 2004).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp

from ..extension import place
from ..values import Array, EigenProblem, NeighborGraph

Rows: TypeAlias = Array | sp.csr_array


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
