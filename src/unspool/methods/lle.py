"""Locally linear embedding."""

from __future__ import annotations

import numpy as np

from .. import problem
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph
from .lle_family import Cloud, LocalMethod
from .parameters import method


@method
class LLE(LocalMethod):
    """Locally linear embedding: the map where each point is rebuilt by the same weights (S0 4.2.3).

    Each point is written as the affine combination of its neighbours; the coordinates are those
    that the same weights rebuild best, with mean 0 and covariance I (S1; S3 15.3.3; S4 16.6.4).
    New points are combined by their own weights.

    Attributes: ``eigenvalues_`` of M = (I - W)'(I - W), whose sum is the embedding cost per
    point; ``reconstruction_error_`` of the weights, ``matrix_`` I - W.

    >>> from unspool import LLE, datasets
    >>> LLE(2, n_neighbors=12).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _problem(self, cloud: Cloud, neighbors: NeighborGraph, count: int) -> EigenProblem:
        return problem.reconstruction(self._weights(cloud, neighbors))

    @property
    def reconstruction_error_(self) -> float:
        """Sum of squared distances between the points and their reconstructions (S0 4.43)."""
        if self._points is None:
            raise ValueError("the reconstruction error needs points, not a precomputed table")
        misfits = (
            chart.relation.matrix @ self._points[chart.members]
            for chart in self.charts_
            if chart.relation is not None
        )
        return float(sum(np.square(misfit).sum() for misfit in misfits))

    def kernel_(self) -> Array:
        """Return lambda_max I - M of the largest piece: kernel PCA of it is this map (S4 16.55)."""
        misfit = self.matrix_.toarray()
        alignment = misfit.T @ misfit
        top = solve(problem.gram(alignment, centered=False), 1).values[0]
        return np.asarray(top * np.eye(len(alignment)) - alignment)
