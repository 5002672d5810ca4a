"""Isomap."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ..centering import double_centered
from ..relation import (
    Chart,
    Component,
    GeodesicOperator,
    GeodesicTable,
    least_geodesic_bytes,
    relate_by_geodesics,
    scale_geodesics,
)
from ..runtime import claim
from ..scale.geodesics import relate_on_workers, without_workers
from ..scale.sources import Source
from ..spectrum import negative_mass
from ..values import Array, Spectrum
from .door import check_kernel
from .graph_estimator import POLICIES, SEVERAL, GraphEstimator, Policy
from .parameters import method, parameter


@method
class Isomap(GraphEstimator):
    """Isomap: classical scaling of the distances along the manifold.

    Neighbours are joined, shortest paths through the graph stand for geodesic distances, and
    -1/2 H G^2 H is decomposed as in classical scaling (Tenenbaum, de Silva, Langford 2000; Izenman
    2013, section 16.6.3). With all points as neighbours it is classical scaling. A query point is
    placed by its geodesic distances to the fitted points.

    From 4,000 points on, geodesics are kept in single precision; where even that table does not
    fit, none is kept and every product makes them anew, so that memory stays proportional to n.

    Examples
    --------
    >>> from unspool import Isomap, datasets
    >>> roll = datasets.swiss_roll(400)
    >>> Isomap(2, n_neighbors=8).fit(roll.points).embedding_.shape
    (400, 2)
    """

    components: Policy = parameter(default="bridge", choices=POLICIES, help=SEVERAL)

    _MEETS_KNOWN = True
    _INSTEAD = "diffusion maps"

    def _claim_memory(self, n_points: int, n_neighbors: float) -> None:
        if self.components in ("bridge", "error") and not isinstance(self._X, Source):
            claim(  # else each component has its own geodesics, or they are workers' files
                least_geodesic_bytes(n_points),
                f"the geodesics of {n_points} points, a block of rows at a time,",
                "map fewer points, use LandmarkIsomap, or a method that keeps only neighbours "
                "(LLE, LaplacianEigenmaps)",
            )

    def _relate(self, component: Component, n_coordinates: int) -> GeodesicTable | GeodesicOperator:
        if isinstance(self._X, Source):
            return relate_on_workers(component, self._seed, n_coordinates)
        return relate_by_geodesics(component, self._seed)

    def _map_component(self, component: Component, n_coordinates: int) -> Chart:
        chart = super()._map_component(component, n_coordinates)
        return without_workers(chart) if isinstance(self._X, Source) else chart

    def _scale(
        self, spectrum: Spectrum, relation: GeodesicTable, component: Component
    ) -> tuple[Array, Array]:
        return scale_geodesics(spectrum, relation)

    def _anchors(self, coordinates: Array, masses: Array) -> Array:
        return coordinates * masses[:, None]  # a similarity counts for every copy of the point

    @property
    def geodesics_(self) -> Array:
        """Geodesic distances between the points of the largest component."""
        chart: Any = self.charts_[0]
        lengths = chart.relation.lengths_from(np.arange(len(chart.members)))
        if not self._copies.exist:
            return np.asarray(lengths)
        shown = self._copies.positions(chart.members)
        return np.asarray(lengths[np.ix_(shown, shown)])

    @property
    def dist_matrix_(self) -> Array:
        """Geodesic distances: ``geodesics_``, as scikit-learn calls them."""
        return self.geodesics_

    def kernel_(self) -> Array:
        """Return -1/2 H G^2 H of the largest component, whose kernel PCA is this map.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of Isomap (Izenman 2013, eq. 16.54).
        """
        with np.errstate(over="ignore", invalid="ignore"):
            return check_kernel(double_centered(-0.5 * self.geodesics_**2))

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        chart: Any = self.charts_[0]
        return self._spread_operator(chart.relation.centered_product)

    def negative_mass(self) -> float:
        """Return the share of the spectrum that is negative: how far geodesics are from flat.

        Returns
        -------
        float
            Sum of the sizes of negative eigenvalues over that of all.
        """
        return negative_mass(self.kernel_())
