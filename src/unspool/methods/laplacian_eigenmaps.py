"""Laplacian eigenmaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import problem
from ..problem import Normalization
from ..relation import Component, LaplacianRelation
from ..spectrum import solve
from ..values import Array, Spectrum
from .graph_estimator import WeightedEstimator
from .parameters import method, parameter

NORMALIZATIONS: tuple[Normalization, ...] = ("random-walk", "symmetric", "unnormalized")
WHICH = "L y = value D y, D^-1/2 L D^-1/2, or L itself"


@method
class LaplacianEigenmaps(WeightedEstimator):
    """Laplacian eigenmaps: the map that keeps neighbours together (Belkin and Niyogi 2001).

    Minimises sum_ij w_ij |y_i - y_j|^2 under Y'DY = I, which L y = value D y solves (Vidal, Ma,
    Sastry 2016, section 4.2.2). Weights are the heat kernel of the edge lengths, its width given by
    exactly one of ``gamma``, ``sigma``, ``t`` (default: t = mean squared edge length), or 1, or
    given. A query point is the average of its neighbours by the transition probabilities of a
    random walk, divided by 1 - value.

    Examples
    --------
    >>> from unspool import LaplacianEigenmaps, datasets
    >>> LaplacianEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    laplacian: Normalization = parameter(default="random-walk", choices=NORMALIZATIONS, help=WHICH)

    def _relate(self, component: Component, n_coordinates: int) -> LaplacianRelation:
        return LaplacianRelation.of(component.graph, self._weighting, self.laplacian)

    def _scale(
        self, spectrum: Spectrum, relation: Any, component: Component
    ) -> tuple[Array, Array]:
        return spectrum.values, spectrum.vectors

    def kernel_(self) -> Array:
        """Return the pseudo-inverse of the largest component's Laplacian.

        Kernel PCA of it gives the map up to a factor per coordinate; for
        ``laplacian="random-walk"`` it is that of D^-1/2 L D^-1/2, whose vectors are sqrt(D) times
        the map (Izenman 2013, eq. 16.58).

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of Laplacian eigenmaps.
        """
        relation: Any = self.charts_[0].relation
        kind: Normalization = "unnormalized" if self.laplacian == "unnormalized" else "symmetric"
        eigenproblem = problem.laplacian(relation.weights, kind)
        spectrum = solve(eigenproblem, eigenproblem.size - 1, seed=self.random_state)
        return np.asarray((spectrum.vectors / spectrum.values) @ spectrum.vectors.T)
