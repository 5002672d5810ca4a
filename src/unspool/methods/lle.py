"""Locally linear embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import barycentric, problem
from ..extension import Chart
from ..problem.patches import reconstruction_weights
from ..spectrum import solve
from ..values import Array, NeighborGraph
from ._graph import GraphMethod, local_block
from ._parameters import method, parameter


@method
class LLE(GraphMethod):
    """Locally linear embedding: the map where each point is rebuilt by the same weights (S0 4.2.3).

    Each point is written as the affine combination of its neighbours; the coordinates are those
    that the same weights rebuild best, with mean 0 and covariance I (S1; S3 15.3.3; S4 16.6.4). New
    points are combined by their own weights.

    Attributes: ``eigenvalues_`` of M = (I - W)'(I - W), whose sum is the embedding cost per
    point; ``reconstruction_error_`` of the weights.

    >>> from unspool import LLE, datasets
    >>> LLE(2, n_neighbors=12).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    symmetrize: str = parameter(
        "directed", choices=("directed", "union", "mutual"), help="whose neighbours rebuild a point"
    )
    regularization: float = parameter(
        1e-3,
        kind=float,
        at_least=0,
        help="added to the local Gram matrices, relative to their trace",
    )

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        weights = self._weights(given, given, members, members, neighbors)
        count = min(self.n_components, len(members) - 1)
        spectrum = solve(problem.reconstruction(weights), count, seed=self.random_state)
        coordinates = spectrum.vectors * np.sqrt(len(members))
        return Chart(members, coordinates, spectrum.values, np.ones(count), weights)

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        everyone = np.arange(towards.n_points)
        return self._weights(new, self._given, everyone, chart.members, towards), chart.multipliers

    def _weights(
        self, new: Any, old: Any, rows: Array, columns: Array, towards: NeighborGraph
    ) -> sp.csr_array:
        """Return the weights that rebuild ``new[rows]`` from neighbours in ``old[columns]``."""

        def from_points(points: Array, neighbors: Array, distances: Array) -> Array:
            return barycentric.grams_of_points(new[rows[points]], old[columns[neighbors]])

        def from_distances(points: Array, neighbors: Array, distances: Array) -> Array:
            ids = columns[neighbors]
            among = local_block(old, ids[:, :, None], ids[:, None, :])
            return barycentric.grams_of_distances(distances, among)

        local_grams = from_points if self._points is not None else from_distances
        width = new.shape[1] if self._points is not None else 1
        return reconstruction_weights(towards, local_grams, self.regularization, width)

    @property
    def reconstruction_error_(self) -> float:
        """Sum of squared distances between the points and their reconstructions (S0 4.43)."""
        if self._points is None:
            raise ValueError("the reconstruction error needs points, not a precomputed table")
        misfits = (
            self._points[chart.members] - chart.relation @ self._points[chart.members]
            for chart in self.charts_
            if chart.relation is not None
        )
        return float(sum(np.square(misfit).sum() for misfit in misfits))

    def kernel_(self) -> Array:
        """Return lambda_max I - M of the largest piece: kernel PCA of it is this map (S4 16.55)."""
        weights = self.charts_[0].relation
        misfit = np.eye(weights.shape[0]) - weights.toarray()
        alignment = misfit.T @ misfit
        top = solve(problem.gram(alignment, centered=False), 1).values[0]
        return np.asarray(top * np.eye(len(alignment)) - alignment)
