"""Relations within neighbourhoods: reconstruction weights, and patches that are aligned.

The LLE family looks at one neighbourhood at a time, through the points themselves or through the
distances between them, and asks for coordinates in which each neighbourhood looks alike. A query
point is rebuilt from its neighbours by its own reconstruction weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..values import Array, EigenProblem, NeighborGraph
from .chart import Component, Queries

MODIFIED_FLOATS = 2**22  # held at a time for the neighbourhoods of modified LLE


class LocalGeometry(Protocol):
    """The neighbourhoods of one component as local methods look at them."""

    @property
    def width(self) -> int:
        """Number of floats that a look at one neighbour takes."""
        ...

    def tangents(self, neighborhoods: Array, n_components: int) -> Array:
        """Return the tangent coordinates of neighbourhoods (b, m) of the component."""
        ...

    def own_grams(self) -> problem.LocalGrams:
        """Return the function that gives the Gram matrices of the component's own points."""
        ...

    def query_grams(self, queries: Queries) -> problem.LocalGrams:
        """Return the function that gives the Gram matrices of query points."""
        ...


@dataclass(frozen=True, slots=True)
class LocalPoints:
    """Neighbourhoods known by the points themselves."""

    points: Array
    members: Array

    @property
    def width(self) -> int:
        """Number of features."""
        return int(self.points.shape[1])

    def tangents(self, neighborhoods: Array, n_components: int) -> Array:
        """Return the local PCA of neighbourhoods."""
        return problem.tangent_coordinates(self.points[self.members[neighborhoods]], n_components)

    def own_grams(self) -> problem.LocalGrams:
        """Return the Gram matrices of differences between points and their neighbours."""
        return self._grams(self.points[self.members])

    def query_grams(self, queries: Queries) -> problem.LocalGrams:
        """Return the Gram matrices of differences between query points and their neighbours."""
        return self._grams(np.asarray(queries.points))

    def _grams(self, centers: Array) -> problem.LocalGrams:
        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            return problem.grams_of_points(centers[rows], self.points[self.members[neighbors]])

        return grams


@dataclass(frozen=True, slots=True)
class LocalDistances:
    """Neighbourhoods known by a dense table of distances alone."""

    table: Array
    members: Array

    @property
    def width(self) -> int:
        """One float, the distance."""
        return 1

    def tangents(self, neighborhoods: Array, n_components: int) -> Array:
        """Return classical scaling of neighbourhoods."""
        grams = problem.centred_grams(self._among(neighborhoods))
        return problem.tangents_of_grams(grams, n_components)

    def own_grams(self) -> problem.LocalGrams:
        """Return the Gram matrices by the law of cosines."""

        def grams(rows: Array, neighbors: Array, distances: Array) -> Array:
            return problem.grams_of_distances(distances, self._among(neighbors))

        return grams

    def query_grams(self, queries: Queries) -> problem.LocalGrams:
        """Return the same of query points, whose distances their graph holds."""
        return self.own_grams()

    def _among(self, neighbors: Array) -> Array:
        ids = self.members[neighbors]
        return np.asarray(self.table[ids[:, :, None], ids[:, None, :]])


@dataclass(frozen=True, slots=True)
class LocalRelation:
    """An eigenproblem that aligns neighbourhoods, and the weights that rebuild query points."""

    geometry: LocalGeometry
    regularization: float
    eigenproblem: EigenProblem

    @property
    def matrix(self) -> sp.csr_array:
        """I - W, or the sum of the patches."""
        return self.eigenproblem.matrix

    def problem(self) -> EigenProblem:
        """State the alignment of the neighbourhoods."""
        return self.eigenproblem

    def rows(self, queries: Queries) -> sp.csr_array:
        """Return the reconstruction weights of query points."""
        return problem.reconstruction_weights(
            queries.neighbors,
            self.geometry.query_grams(queries),
            self.regularization,
            self.geometry.width,
        )

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return ones: the weights sum to one."""
        return np.ones(len(eigenvalues))


def look_at(space: Array | sp.csr_array, members: Array, *, is_table: bool) -> LocalGeometry:
    """Return the neighbourhoods of a component of points, or of a table of distances."""
    if not is_table:
        return LocalPoints(np.asarray(space), members)
    if sp.issparse(space):
        raise ValueError(
            "the distances between neighbours are needed, and a sparse graph does not hold them; "
            "pass dense distances or points"
        )
    return LocalDistances(np.asarray(space), members)


def relate_by_reconstruction(
    geometry: LocalGeometry, graph: NeighborGraph, regularization: float
) -> LocalRelation:
    """Return the relation of LLE: each point as the affine combination of its neighbours."""
    weights = problem.reconstruction_weights(
        graph, geometry.own_grams(), regularization, geometry.width
    )
    return LocalRelation(geometry, regularization, problem.reconstruction(weights))


def relate_by_tangents(
    geometry: LocalGeometry,
    component: Component,
    n_components: int,
    regularization: float,
    patches: Callable[[Array], Array],
) -> LocalRelation:
    """Return the relation of LTSA and Hessian LLE: patches made of tangent coordinates."""
    graph = component.graph

    def batches() -> Iterator[tuple[Array, Array]]:
        for neighborhoods in problem.neighborhoods(graph, geometry.width):
            yield neighborhoods, patches(geometry.tangents(neighborhoods, n_components))

    aligned = problem.alignment(batches(), graph.n_points)
    return LocalRelation(geometry, regularization, aligned)


def relate_by_modified_weights(
    geometry: LocalGeometry, graph: NeighborGraph, n_components: int, regularization: float
) -> LocalRelation:
    """Return the relation of modified LLE: several reconstruction weights for each point."""
    grams_of = geometry.own_grams()
    chunk = max(1, MODIFIED_FLOATS // (geometry.width + int(graph.counts.max())))
    ratios = [
        problem.flatness(problem.local_spectra(grams_of(*batch)), n_components)
        for batch in graph.by_count(chunk)
    ]
    typical = float(np.median(np.concatenate(ratios)))

    def batches() -> Iterator[tuple[Array, Array]]:
        for points, around, distances in graph.by_count(chunk):
            table = np.column_stack([points, around])
            grams = grams_of(points, around, distances)
            for here, blocks in problem.modified_patches(
                grams, n_components, typical, regularization
            ):
                yield table[here], blocks

    aligned = problem.alignment(batches(), graph.n_points)
    return LocalRelation(geometry, regularization, aligned)
