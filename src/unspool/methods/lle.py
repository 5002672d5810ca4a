"""Locally linear embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import problem
from ..relation import Component, LocalRelation, relate_by_reconstruction
from ..spectrum import solve
from ..values import Array
from .graph_estimator import LocalEstimator
from .parameters import method


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
        geometry = self._geometry(component)
        return relate_by_reconstruction(geometry, component.graph, self.regularization)

    @property
    def reconstruction_error_(self) -> float:
        """Sum of squared distances between the points and their reconstructions."""
        if self._input_kind() != "points":
            raise ValueError("the reconstruction error needs points, not a precomputed table")
        charts: Any = self.charts_
        misfits = (
            chart.relation.matrix @ self._X[chart.members]
            for chart in charts
            if len(chart.members) > 1
        )
        return float(sum(np.square(misfit).sum() for misfit in misfits))

    def kernel_(self) -> Array:
        """Return lambda_max I - M of the largest component, whose kernel PCA is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of LLE (Izenman 2013, eq. 16.55).
        """
        misfit = self.matrix_.toarray()
        alignment = misfit.T @ misfit
        whole = problem.gram(alignment, centered=False)
        top = solve(whole, 1, seed=self.random_state).values[0]
        return np.asarray(top * np.eye(len(alignment)) - alignment)
