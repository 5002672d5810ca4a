"""Conformal eigenmaps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from ..problem import LocalGeometry, look_at
from ..relation import (
    Chart,
    Component,
    ConformalMap,
    LaplacianRelation,
    LocalRelation,
    Mixture,
    SelfTuningWeights,
    keep_angles,
    relate_by_reconstruction,
)
from ..runtime import advise
from ..values import Array, NeighborGraph
from .graph_estimator import GraphEstimator
from .parameters import learned, method, parameter

AT_ONCE = 2**20  # squared distances within neighbourhoods that are held at a time
PLAIN = 0.2  # of the squared distances: with more unexplained, angles are not kept


@method
class ConformalEigenmaps(GraphEstimator):
    """Conformal eigenmaps: the combination of smooth vectors that keeps angles (Sha and Saul 2005).

    The bottom eigenvectors of LLE or of the graph Laplacian know the shape of the data up to
    smooth distortions. Of their linear combinations, a small semidefinite program finds the one
    that is nearest to a similarity in every neighbourhood, each scaled by a factor of its own
    (Vidal, Ma, Sastry 2016, section 4.4). The eigenvalues of the combination, which sum to one,
    tell how many coordinates the data need. A query point is placed on the vectors by the formula
    of their own method, and combined alike.

    Examples
    --------
    >>> from unspool import ConformalEigenmaps, datasets
    >>> roll = datasets.swiss_roll(300)
    >>> ConformalEigenmaps(2, n_neighbors=8).fit(roll.points).embedding_.shape
    (300, 2)
    """

    basis: Literal["lle", "laplacian"] = parameter(
        default="lle",
        choices=("lle", "laplacian"),
        help="eigenvectors that are combined: of LLE, or of Laplacian eigenmaps",
    )
    n_vectors: int = parameter(
        default=20, kind=int, at_least=1, help="number of eigenvectors that are combined"
    )
    regularization: float = parameter(
        default=1e-3,
        kind=float,
        at_least=0,
        help="basis='lle': regularization of the reconstruction weights",
    )
    tol: float = parameter(
        default=1e-7, kind=float, above=0, help="relative gap of the semidefinite program"
    )
    max_iter: int = parameter(
        default=100, kind=int, at_least=1, help="steps of the interior-point method"
    )

    spectrum_: Array = learned(
        help="eigenvalues of the combination, which sum to one: as many as are not small are the "
        "dimensions of the data, in the largest component"
    )
    misfit_: float = learned(
        help="share of the squared distances within neighbourhoods that no similarity explains, in "
        "the largest component: 0 where all angles are kept"
    )

    n_iter_: int = learned(help="steps of the interior-point method, for the largest component")

    def _fit(self, X: Any) -> None:
        self.spectrum_, self.misfit_, self.n_iter_ = np.zeros(0), 0.0, 0
        super()._fit(X)

    def _relate(
        self, component: Component, n_coordinates: int
    ) -> LocalRelation | LaplacianRelation:
        if self.basis == "lle":
            geometry = self._geometry(component)
            return relate_by_reconstruction(geometry, component, self.regularization)
        weighting = SelfTuningWeights.of(component.graph)
        everyone = Component(np.arange(len(component.members)), component.graph, component.masses)
        loops = np.zeros(len(component.members))
        return LaplacianRelation.of(everyone, weighting, loops, "random-walk")

    def _geometry(self, component: Component) -> LocalGeometry:
        is_table = self._input_kind() == "distances"
        return look_at(self._space, component.members, component.graph, is_table=is_table)

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        relation = self._relate(component, n_coordinates)
        count = min(max(self.n_vectors, n_coordinates), len(component.members) - 1)
        spectrum = self._solve(relation.problem(), count)
        masses = component.masses
        share = np.ones(len(component.members)) if masses is None else masses
        vectors = spectrum.vectors - share @ spectrum.vectors / share.sum()
        spread = np.sqrt(share @ np.square(vectors) / share.sum())
        anchors = spectrum.vectors / np.maximum(spread, 1e-300)
        found = keep_angles(anchors, self._neighborhoods(component), self.tol, self.max_iter)
        self._tell(component, found)
        weights = found.weights[:, :n_coordinates]
        return Chart(
            component.members,
            anchors @ weights,
            found.values[:n_coordinates],
            relation,
            anchors,
            Mixture(spectrum.values, weights),
        )

    def _tell(self, component: Component, found: ConformalMap) -> None:
        """Keep what is known of the largest component, and say if angles are not kept."""
        if (self.component_labels_[self._copies.first[component.members]] == 0).any():
            self.spectrum_, self.misfit_ = found.values, found.misfit
            self.n_iter_ = found.steps
        if found.misfit > PLAIN:
            advise(
                f"no combination of these vectors keeps angles: {found.misfit:.2f} of the squared "
                "distances within neighbourhoods are not explained; raise n_vectors, or change "
                "n_neighbors"
            )

    def _neighborhoods(self, component: Component) -> Iterator[tuple[Array, Array]]:
        """Yield batches of neighbourhoods, each point first, and their squared distances."""
        graph: NeighborGraph = component.graph
        geometry = self._geometry(component)
        grams_of = geometry.own_grams()
        chunk = max(1, AT_ONCE // (int(graph.counts.max()) ** 2 + geometry.width))
        for points, around, distances in graph.by_count(chunk):
            grams = grams_of(points, around, distances)
            own = np.diagonal(grams, axis1=1, axis2=2)
            squared = np.zeros((len(points), around.shape[1] + 1, around.shape[1] + 1))
            squared[:, 1:, 1:] = own[:, :, None] + own[:, None, :] - 2.0 * grams
            squared[:, 0, 1:] = squared[:, 1:, 0] = own
            yield np.column_stack([points, around]), np.maximum(squared, 0.0)
