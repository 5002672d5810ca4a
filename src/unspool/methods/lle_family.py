"""Methods of the LLE family: neighbourhoods -> alignment -> sqrt(n) v; new points by weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..extension import Chart
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph
from .graph_family import GraphMethod, local_block
from .parameters import method, parameter


@method
class LocalMethod(GraphMethod):
    """Coordinates with mean 0 and covariance I that the alignment of neighbourhoods changes least.

    A new point is the combination of its neighbours with the weights that rebuild it in the data.
    """

    symmetrize: str = parameter(
        "directed",
        choices=("directed", "union", "mutual"),
        help="whose neighbours make up a neighbourhood",
    )
    regularization: float = parameter(
        1e-3,
        kind=float,
        at_least=0,
        help="of the weights, relative to the trace of the local Gram matrices",
    )

    def _problem(self, cloud: Cloud, neighbors: NeighborGraph, count: int) -> EigenProblem:
        """Return the alignment of one connected piece that is to get ``count`` coordinates."""
        raise NotImplementedError

    def _least_members(self, count: int) -> int:
        """Return how many points a neighbourhood (the point included) must have."""
        return 2

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        count = self._affordable(members, neighbors)
        if count == 0:
            return Chart(members, np.zeros((len(members), 0)), np.zeros(0), np.zeros(0))
        eigenproblem = self._problem(Cloud(given, members, self._sees_points()), neighbors, count)
        spectrum = solve(eigenproblem, count, seed=self.random_state)
        coordinates = spectrum.vectors * np.sqrt(len(members))
        return Chart(members, coordinates, spectrum.values, np.ones(count), eigenproblem)

    @property
    def matrix_(self) -> sp.csr_array:
        """The matrix of the largest piece: I - W for LLE and kernel LLE, else a sum of patches."""
        return self.charts_[0].relation.matrix

    def _sees_points(self) -> bool:
        """Tell whether neighbourhoods are known as points, or only by their distances."""
        return self._related_metric() != "precomputed"

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        cloud = Cloud(self._related, chart.members, self._sees_points())
        return self._weights(cloud, towards, new), chart.multipliers

    def _weights(self, cloud: Cloud, towards: NeighborGraph, new: Any = None) -> sp.csr_array:
        """Return the weights that rebuild new points (default: the cloud's own) from neighbours."""
        grams = cloud.grams_towards(new)
        return problem.reconstruction_weights(towards, grams, self.regularization, cloud.width)

    def _affordable(self, members: Array, neighbors: NeighborGraph) -> int:
        """Return how many coordinates the neighbourhoods of a piece can tell.

        A small piece beside others gets fewer than asked for; too few neighbours in a piece that
        has the points are the user's to change.
        """
        fewest = int(neighbors.counts.min()) + 1
        count = self._count_in(members)
        if self._least_members(self.n_components) <= fewest:
            return count
        if len(members) < min(self._index.n_points, self._least_members(self.n_components)):
            enough = (c for c in range(1, count + 1) if self._least_members(c) <= fewest)
            return max(enough, default=0)
        raise ValueError(
            f"{type(self).__name__} with n_components={self.n_components} needs at least "
            f"{self._least_members(self.n_components) - 1} neighbours of every point, but one has "
            f"{fewest - 1} in its piece; raise n_neighbors or radius, pass symmetrize='union', or "
            "lower n_components"
        )


class Cloud:
    """The points of a piece, or the distances between them, as local methods look at them."""

    def __init__(self, given: Any, members: Array, has_points: bool) -> None:
        self.given, self.members, self.has_points = given, members, has_points

    @property
    def width(self) -> int:
        """Number of floats that a look at one neighbour takes."""
        return int(self.given.shape[1]) if self.has_points else 1

    def tangents(self, table: Array, count: int) -> Array:
        """Return the tangent coordinates of neighbourhoods (b, m) of the piece."""
        ids = self.members[table]
        if self.has_points:
            return problem.tangent_coordinates(self.given[ids], count)
        among = local_block(self.given, ids[:, :, None], ids[:, None, :])
        return problem.tangents_of_grams(problem.centred_grams(among), count)

    def grams_towards(self, new: Any = None) -> problem.LocalGrams:
        """Return the function that gives the Gram matrices of points seen from their neighbours."""
        centres = self.given[self.members] if new is None else new

        def from_points(points: Array, neighbors: Array, distances: Array) -> Array:
            around = self.given[self.members[neighbors]]
            return problem.grams_of_points(centres[points], around)

        def from_distances(points: Array, neighbors: Array, distances: Array) -> Array:
            ids = self.members[neighbors]
            among = local_block(self.given, ids[:, :, None], ids[:, None, :])
            return problem.grams_of_distances(distances, among)

        return from_points if self.has_points else from_distances


@method
class TangentMethod(LocalMethod):
    """A local method whose patches are made of tangent coordinates alone."""

    def _patches(self, tangents: Array) -> Array:
        """Return the blocks (b, m, m) of neighbourhoods with these tangent coordinates."""
        raise NotImplementedError

    def _least_members(self, count: int) -> int:
        return count + 1

    def _problem(self, cloud: Cloud, neighbors: NeighborGraph, count: int) -> EigenProblem:
        if cloud.has_points and self.n_components > cloud.width:
            raise ValueError(
                f"n_components={self.n_components} is more than the {cloud.width} features that "
                "tangent planes lie in; lower n_components"
            )

        def batches() -> Iterator[tuple[Array, Array]]:
            for table in problem.neighborhoods(neighbors, cloud.width):
                yield table, self._patches(cloud.tangents(table, count))

        return problem.alignment(batches(), neighbors.n_points)
