"""Relations within neighbourhoods: reconstruction weights, and patches that are aligned.

The LLE family looks at one neighbourhood at a time, through the points themselves or through the
distances between them, and asks for coordinates in which each neighbourhood looks alike. A query
point is rebuilt from its neighbours by its own reconstruction weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..problem import Batch, LocalGeometry
from ..runtime import advise, warn
from ..values import Array, EigenProblem, NeighborGraph
from .chart import Component, Queries

THIN_SHARE = 0.05  # of the neighbourhoods: where more have too few dimensions a warning tells
MODIFIED_FLOATS = 2**22  # held at a time for the neighbourhoods of modified LLE
_NO_POINTS = np.empty(0, dtype=np.int64)


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
            self.geometry.query_grams(queries.points),
            self.regularization,
            self.geometry.width,
        )

    def divisors(self, eigenvalues: Array, queries: Queries) -> Array:
        """Return ones: the weights sum to one."""
        return np.ones(len(eigenvalues))


def relate_by_reconstruction(
    geometry: LocalGeometry, component: Component, regularization: float
) -> LocalRelation:
    """Return the relation of LLE: each point as the affine combination of its neighbours."""
    look = partial(_weights, regularization=regularization)
    found = [values for _, values in geometry.go_through("weights", look, component.graph)]
    weights = component.graph.with_weights(np.concatenate(found))
    eigenproblem = problem.reconstruction(weights, component.masses)
    return LocalRelation(geometry, regularization, eigenproblem)


def _weights(
    geometry: LocalGeometry, graph: NeighborGraph, regularization: float
) -> Iterator[Batch]:
    """Yield no neighbourhoods and the weights of all edges."""
    found = problem.reconstruction_weights(
        graph, geometry.own_grams(), regularization, geometry.width
    )
    yield _NO_POINTS, found.data


def relate_by_tangents(
    geometry: LocalGeometry,
    component: Component,
    n_components: int,
    regularization: float,
    patches: Callable[[Array], Array],
) -> LocalRelation:
    """Return the relation of LTSA and Hessian LLE: patches made of tangent coordinates."""
    graph, n_thin = component.graph, 0
    look = partial(_tangents, n_components=n_components, patches=patches)

    def batches() -> Iterator[Batch]:
        nonlocal n_thin
        for neighborhoods, blocks in geometry.go_through("patches", look, graph):
            if neighborhoods.ndim == 1:  # those that are thin
                n_thin += len(neighborhoods)
            else:
                yield neighborhoods, blocks

    aligned = problem.alignment(batches(), graph.n_points, component.masses)
    if n_thin:
        tell = warn if n_thin > THIN_SHARE * graph.n_points else advise
        tell(
            f"{n_thin} of {graph.n_points} neighbourhoods have fewer than {n_components} "
            "dimensions (points on a line, a column that is constant), and say nothing about the "
            "coordinates beyond; lower n_components, or raise n_neighbors"
        )
    return LocalRelation(geometry, regularization, aligned)


def _tangents(
    geometry: LocalGeometry,
    graph: NeighborGraph,
    n_components: int,
    patches: Callable[[Array], Array],
) -> Iterator[Batch]:
    """Yield neighbourhoods with their patches, and the points of those that are thin."""
    for neighborhoods in problem.batch_neighborhoods(graph, geometry.width):
        frames = geometry.frames(neighborhoods, n_components)
        yield neighborhoods, patches(frames.coordinates)
        if frames.is_thin.any():
            yield neighborhoods[frames.is_thin, 0], np.empty(0)


def relate_by_modified_weights(
    geometry: LocalGeometry, component: Component, n_components: int, regularization: float
) -> LocalRelation:
    """Return the relation of modified LLE: several reconstruction weights for each point."""
    look = partial(_flatness, n_components=n_components)
    ratios = [found for _, found in geometry.go_through("flatness", look, component.graph)]
    typical = float(np.median(np.concatenate(ratios)))
    look_again = partial(
        _modified, n_components=n_components, typical=typical, regularization=regularization
    )
    batches = geometry.go_through("patches", look_again, component.graph)
    aligned = problem.alignment(batches, component.graph.n_points, component.masses)
    return LocalRelation(geometry, regularization, aligned)


def _modified_chunk(geometry: LocalGeometry, graph: NeighborGraph) -> int:
    """Return how many neighbourhoods modified LLE looks at together."""
    most = int(graph.counts.max())
    return max(1, MODIFIED_FLOATS // (most * (geometry.width + most)))


def _flatness(geometry: LocalGeometry, graph: NeighborGraph, n_components: int) -> Iterator[Batch]:
    """Yield no neighbourhoods and how flat they are."""
    grams_of = geometry.own_grams()
    for batch in graph.by_count(_modified_chunk(geometry, graph)):
        spectra = problem.local_spectra(grams_of(*batch))
        yield _NO_POINTS, problem.flatness(spectra, n_components)


def _modified(
    geometry: LocalGeometry,
    graph: NeighborGraph,
    n_components: int,
    typical: float,
    regularization: float,
) -> Iterator[Batch]:
    """Yield neighbourhoods with their patches."""
    grams_of = geometry.own_grams()
    for points, around, distances in graph.by_count(_modified_chunk(geometry, graph)):
        table = np.column_stack([points, around])
        grams = grams_of(points, around, distances)
        for here, blocks in problem.modified_patches(grams, n_components, typical, regularization):
            yield table[here], blocks
