"""Laplacian eigenmaps."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import problem
from ..extension import Chart
from ..spectrum import solve
from ..values import Array, NeighborGraph
from .heat_family import LaplacianMethod
from .parameters import method


@method
class LaplacianEigenmaps(LaplacianMethod):
    """Laplacian eigenmaps: the map that keeps neighbours together (S0 4.2.2; S2; S3 15.3.2).

    Minimises sum_ij w_ij |y_i - y_j|^2 under Y'DY = I, which L y = value D y solves. Weights are
    the heat kernel of the edge lengths, its width given by exactly one of ``gamma``, ``sigma``,
    ``t`` (default: t = mean squared edge length), or 1, or given. A new point is the walk average
    of its neighbours, divided by 1 - value.

    Attributes: ``eigenvalues_``, ``gamma_``.

    >>> from unspool import LaplacianEigenmaps, datasets
    >>> LaplacianEigenmaps(2).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        eigenproblem, weights = self._problem(neighbors)
        count = self._count_in(members)
        spectrum = solve(eigenproblem, count, seed=self.random_state)
        return Chart(members, spectrum.vectors, spectrum.values, 1.0 - spectrum.values, weights)

    def kernel_(self) -> Array:
        """Return the pseudo-inverse of the largest piece's Laplacian (S4 16.58; S3 15.3.2).

        Kernel PCA of it gives the map up to a factor a coordinate; for ``laplacian="random-walk"``
        it is that of D^-1/2 L D^-1/2, whose vectors are sqrt(D) times the map.
        """
        kind = "symmetric" if self.laplacian == "random-walk" else self.laplacian
        eigenproblem = problem.laplacian(self.charts_[0].relation, kind)  # type: ignore[arg-type]
        spectrum = solve(eigenproblem, eigenproblem.size - 1)
        return np.asarray((spectrum.vectors / spectrum.values) @ spectrum.vectors.T)
