"""Locally linear embedding, and what its family shares: local weights, sums of patches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from ..distances import DEFAULT_NEIGHBORS
from ..edges import graph_from_edges
from ..problem import (
    LocalGeometry,
    LocalPaths,
    alignment_bytes,
    look_at,
)
from ..relation import (
    Component,
    LocalRelation,
    relate_by_reconstruction,
)
from ..runtime import advise, claim, warn
from ..scale.patches import SpreadPoints, claim_room
from ..scale.sources import Source
from ..spectrum import solve
from ..values import Array, Spectrum
from .graph_estimator import GraphEstimator
from .parameters import VectorChoice, method, parameter

SHARED = 2.5  # patches that speak of the same pair of neighbours
# Share of pairs of neighbours without a distance. With 1 to 2 % of them LTSA and modified LLE lose
# rolls of 500 and 1,000 points (R^2 with the truth 0.01), with 0.4 % modified LLE does so still.
FEW_PATHS = 1e-3


@method
class LocalEstimator(VectorChoice, GraphEstimator):
    """The LLE family: coordinates with mean 0 and covariance I that keep neighbourhoods alike."""

    symmetrize: Literal["directed", "union", "mutual"] = parameter(  # type: ignore[assignment]  # wider than the base
        default="directed",
        choices=("directed", "union", "mutual"),
        help="whose neighbours make up a neighbourhood",
    )
    regularization: float = parameter(
        default=1e-3,
        kind=float,
        at_least=0,
        help="regularization of the weights, relative to the trace of the local Gram matrices",
    )

    def _claim_memory(self, n_points: int, n_neighbors: float) -> None:
        if isinstance(self._X, Source) and n_neighbors > 0.0:
            claim_room(n_points, n_neighbors + 1.0)

    def _least_members(self, n_coordinates: int) -> int:
        """Return how many points a neighbourhood (the point included) must have."""
        return 2

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        masses = component.masses
        n_rows = len(component.members) if masses is None else masses.sum()
        return spectrum.values, spectrum.vectors * np.sqrt(n_rows)

    def _geometry(self, component: Component) -> LocalGeometry:
        if isinstance(self._space, Source):
            return SpreadPoints(self._space, component.members)
        is_table = isinstance(self.metric, str) and self.metric in ("precomputed", "kernel")
        geometry = look_at(self._space, component.members, component.graph, is_table=is_table)
        if isinstance(geometry, LocalPaths) and (share := geometry.share_of_paths(component.graph)):
            told = (
                "paths stand for the distances between neighbours that the graph does not hold",
                "they are longer, and a few of 100 are enough to spoil the map",
                "a graph of five times as many neighbours as n_neighbors uses holds almost all",
            )
            (advise if share < FEW_PATHS else warn)("; ".join(told))
        return geometry

    def _check_tangents(self) -> None:
        """Refuse more tangent coordinates than the points have features."""
        if self._input_kind() == "points" and self._n_wanted > self._X.shape[1]:
            raise ValueError(
                f"n_components={self._n_wanted} is more than the {self._X.shape[1]} features "
                "that tangent planes lie in; lower n_components"
            )

    @property
    def matrix_(self) -> sp.csr_array:
        """Matrix of the largest component: I - W for LLE and kernel LLE, else a sum of patches.

        It is that of the distinct points; one with m copies counts m times, in I - W by sqrt(m).
        """
        chart: Any = self.charts_[0]
        return chart.relation.matrix

    def kernel_(self) -> Array:
        """Return lambda_max I - M of the largest component, whose kernel PCA is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix: for LLE with M = (I - W)'(I - W) (Izenman 2013, eq. 16.55), else
            with the sum of the patches.
        """
        chart: Any = self.charts_[0]
        shown = self._copies.positions(chart.members)
        kernel = self._kernel_product()(np.eye(len(chart.members)))
        return np.asarray(kernel[np.ix_(shown, shown)])

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return self._spread_operator(self._kernel_product())

    def _kernel_product(self) -> Callable[[Array], Array]:
        """Return what multiplies lambda_max I - M by vectors, given their sums over copies."""
        stated, matrix = self.charts_[0].relation.problem(), self.matrix_
        whole = replace(stated, end="largest", trivial=None)
        top = solve(whole, 1, seed=self._seed).values[0]
        mass = (np.ones(stated.size) if stated.mass is None else stated.mass)[:, None]

        def product(sums: Array) -> Array:
            shares = sums / mass
            image = matrix @ shares
            image = matrix.T @ image if stated.is_factor else image
            return np.asarray(top * shares - image / mass)

        return product

    def _complete(self, component: Component) -> Component:
        """Give points whose neighbours lie in other components their nearest within their own.

        A directed graph falls apart by closed classes: on its way into one, a point may see few
        others of its own component.
        """
        graph, members = component.graph, component.members
        thin = np.flatnonzero(graph.counts + 1 < self._least_members(self._n_wanted))
        wanted = DEFAULT_NEIGHBORS if self.n_neighbors is None else int(np.median(self.n_neighbors))
        count = min(max(wanted, int(graph.counts.max())), len(members) - 1)
        if len(thin) == 0 or self.radius is not None:
            return component
        seen = self._index.among(members).nearest(self._space[members[thin]], count + 1)
        others = thin[seen.rows] != seen.neighbors
        kept = ~np.isin(graph.rows, thin)
        ends = (thin[seen.rows][others], seen.neighbors[others], seen.distances[others])
        old = (graph.rows[kept], graph.neighbors[kept], graph.distances[kept])
        edges = (np.concatenate(pair) for pair in zip(old, ends, strict=True))
        shape = (graph.n_points, graph.n_columns)
        advise(
            f"{len(thin)} of {len(members)} points of a connected component see too few others of "
            "it, and got their nearest there as neighbours; raise n_neighbors to join components"
        )
        joined = graph_from_edges(*edges, shape=shape, search=graph.search, recall=graph.recall)
        return replace(component, graph=joined)

    def _determined(self, component: Component, most: int) -> int:
        """Return how many coordinates the neighbourhoods of a component determine.

        A small component beside others gets fewer than asked for, and so do few points with many
        copies; too few neighbours in a component that has the points are the user's to change.
        """
        fewest = int(component.graph.counts.min()) + 1
        needed = self._least_members(self._n_wanted)
        if needed <= fewest:
            return most
        n_rows = len(self._copies.point_of)
        if len(component.members) < min(n_rows, needed):
            enough = (c for c in range(1, most + 1) if self._least_members(c) <= fewest)
            return max(enough, default=0)
        raise ValueError(
            f"{type(self).__name__} with n_components={self._n_wanted} needs at least "
            f"{needed - 1} neighbours of every point, but one has {fewest - 1} in its connected "
            "component; raise n_neighbors or radius, pass symmetrize='union', or lower n_components"
        )


@method
class LLE(LocalEstimator):
    """Locally linear embedding: the map where each point is rebuilt by the same weights.

    Each point is written as the affine combination of its neighbours; the coordinates are those
    that the same weights rebuild best, with mean 0 and covariance I (Roweis and Saul 2000; Vidal,
    Ma, Sastry 2016, section 4.2.3). Query points are combined by their own weights. The
    eigenvalues of M = (I - W)'(I - W) sum to the embedding cost per point.

    Examples
    --------
    >>> from unspool import LLE, datasets
    >>> LLE(2, n_neighbors=12).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _relate(self, component: Component, n_coordinates: int) -> LocalRelation:
        if self.n_neighbors is not None and np.min(self.n_neighbors) < n_coordinates:
            warn(
                f"{np.min(self.n_neighbors)} neighbours span no tangent space of {n_coordinates} "
                f"dimensions; raise n_neighbors to at least {n_coordinates}, or lower n_components"
            )
        geometry = self._geometry(component)
        return relate_by_reconstruction(geometry, component, self.regularization)

    @property
    def reconstruction_error_(self) -> float:
        """Half the sum of squared distances between the points and their reconstructions."""
        if self._input_kind() != "points":
            raise ValueError("the reconstruction error needs points, not a precomputed table")
        charts: Any = self.charts_
        misfits = (
            chart.relation.matrix @ self._space[chart.members]
            for chart in charts
            if len(chart.members) > 1
        )
        return 0.5 * float(sum(np.square(misfit).sum() for misfit in misfits))


@method
class AlignedEstimator(LocalEstimator):
    """Methods whose matrix is a sum of patches, one per neighbourhood."""

    def _claim_memory(self, n_points: int, n_neighbors: float) -> None:
        if n_neighbors == 0.0:
            return
        members = n_neighbors + 1.0
        if isinstance(self._X, Source):
            claim_room(n_points, members**2 / SHARED)
        claim(
            alignment_bytes(n_points, members),
            f"aligning {n_points} neighbourhoods of {members:.0f} points",
            "fit a sample and transform the rest, or lower n_neighbors",
        )

    def _least_members(self, n_coordinates: int) -> int:
        return n_coordinates + 2
