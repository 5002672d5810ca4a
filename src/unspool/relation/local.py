"""Relations within neighbourhoods: reconstruction weights, and patches that are aligned.

The LLE family looks at one neighbourhood at a time, through the points themselves or through the
distances between them, and asks for coordinates in which each neighbourhood looks alike. A query
point is rebuilt from its neighbours by its own reconstruction weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..problem import LocalGeometry
from ..runtime import advise, warn
from ..values import Array, EigenProblem
from .chart import Component, Queries

THIN_SHARE = 0.05  # of the neighbourhoods: where more have too few dimensions a warning tells
MODIFIED_FLOATS = 2**22  # held at a time for the neighbourhoods of modified LLE


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
    weights = problem.reconstruction_weights(
        component.graph, geometry.own_grams(), regularization, geometry.width
    )
    eigenproblem = problem.reconstruction(weights, component.masses)
    return LocalRelation(geometry, regularization, eigenproblem)


def relate_by_tangents(
    geometry: LocalGeometry,
    component: Component,
    n_components: int,
    regularization: float,
    patches: Callable[[Array], Array],
) -> LocalRelation:
    """Return the relation of LTSA and Hessian LLE: patches made of tangent coordinates."""
    graph, n_thin = component.graph, 0

    def batches() -> Iterator[tuple[Array, Array]]:
        nonlocal n_thin
        for neighborhoods in problem.batch_neighborhoods(graph, geometry.width):
            frames = geometry.frames(neighborhoods, n_components)
            n_thin += int(frames.is_thin.sum())
            yield neighborhoods, patches(frames.coordinates)

    aligned = problem.alignment(batches(), graph.n_points, component.masses)
    if n_thin:
        tell = warn if n_thin > THIN_SHARE * graph.n_points else advise
        tell(
            f"{n_thin} of {graph.n_points} neighbourhoods have fewer than {n_components} "
            "dimensions (points on a line, a column that is constant), and say nothing about the "
            "coordinates beyond; lower n_components, or raise n_neighbors"
        )
    return LocalRelation(geometry, regularization, aligned)


def relate_by_modified_weights(
    geometry: LocalGeometry, component: Component, n_components: int, regularization: float
) -> LocalRelation:
    """Return the relation of modified LLE: several reconstruction weights for each point."""
    grams_of, graph = geometry.own_grams(), component.graph
    most = int(graph.counts.max())
    chunk = max(1, MODIFIED_FLOATS // (most * (geometry.width + most)))
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

    aligned = problem.alignment(batches(), graph.n_points, component.masses)
    return LocalRelation(geometry, regularization, aligned)
