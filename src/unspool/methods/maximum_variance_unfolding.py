"""Maximum variance unfolding."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import problem
from ..problem import LocalGeometry, look_at
from ..relation import (
    Component,
    DistanceBounds,
    LocalRelation,
    Unfolding,
    kernel_operator,
    maximize_variance,
    relate_by_reconstruction,
    scale_by_roots,
    unfold_smoothly,
)
from ..runtime import advise, limit_blas_threads, warn
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph, Spectrum
from .door import check_kernel
from .graph_estimator import GraphEstimator
from .parameters import learned, method, parameter

EXACT = 500  # points up to which "auto" solves the whole program
EXACT_PAIRS = 4_000  # and pairs: a step takes time with their third power, half a second for these
STIFF = {"laplacian": 3.0, "lle": 200.0}  # of the bounds at first: those of LLE begin close
AT_ONCE = 2**20  # pairs of neighbours that are looked at together


@method
class MaximumVarianceUnfolding(GraphEstimator):
    """Maximum variance unfolding: pull all points apart, but keep neighbours as far as they are.

    Of all kernel matrices that keep the distances between neighbours, the one of largest trace is
    found by semidefinite programming, and its leading eigenvectors are the map (Weinberger and
    Saul 2004; Vidal, Ma, Sastry 2016, section 4.4). Up to 500 points and 4,000 pairs the program is
    solved as it is, with the gap to its dual; of more points the kernel matrix is combined of the
    bottom eigenvectors of LLE or of the graph Laplacian by a small program, and refined by descent
    (Weinberger, Sha, Zhu, Saul 2007). A query point is rebuilt from its neighbours by
    reconstruction weights.

    Examples
    --------
    >>> from unspool import MaximumVarianceUnfolding, datasets
    >>> roll = datasets.swiss_roll(100)
    >>> MaximumVarianceUnfolding(2, n_neighbors=5).fit(roll.points).embedding_.shape
    (100, 2)
    """

    isometry: Literal["equality", "inequality"] = parameter(
        default="equality",
        choices=("equality", "inequality"),
        help="distances between neighbours stay the same, up to slack, or may only become shorter",
    )
    slack: float = parameter(
        default=0.01,
        kind=float,
        above=0,
        at_most=0.5,
        help="share by which a distance may change where isometry='equality'; a curved sheet is "
        "flat only up to some",
    )
    angles: bool = parameter(
        default=False,
        kind=bool,
        help="keep also the distances between neighbours of the same point, and so all angles",
    )
    program: Literal["auto", "exact", "reduced"] = parameter(
        default="auto",
        choices=("auto", "exact", "reduced"),
        help="over all kernel matrices, or over combinations of n_vectors smooth vectors; "
        "'auto' is 'exact' up to 500 points and 4,000 pairs",
    )
    basis: Literal["laplacian", "lle"] = parameter(
        default="laplacian",
        choices=("laplacian", "lle"),
        help="'reduced': eigenvectors to combine, of the graph Laplacian, or of LLE, which nearly "
        "hold the coordinates of a smooth sheet",
    )
    n_vectors: int = parameter(
        default=30, kind=int, at_least=1, help="'reduced': number of eigenvectors to combine"
    )
    tol: float = parameter(
        default=1e-5,
        kind=float,
        above=0,
        help="'exact': relative gap to the dual program; 'reduced': root mean square share by "
        "which squared distances may overstep their bounds, in thousandths of 1 at least",
    )
    max_iter: int = parameter(
        default=1_000,
        kind=int,
        at_least=1,
        help="steps of the interior-point method, or of descent",
    )
    regularization: float = parameter(
        default=1e-3,
        kind=float,
        at_least=0,
        help="regularization of the weights that rebuild query points from their neighbours",
    )

    gap_: float | None = learned(
        help="share by which another kernel matrix could at most have more variance, of the "
        "largest component; None for program='reduced', which does not know"
    )
    broken_: float = learned(
        help="share of a squared distance by which its bounds are overstepped in the largest "
        "component: the largest such, for program='reduced' the root mean square"
    )
    n_pairs_: int = learned(help="pairs of neighbours whose distances bind the largest component")

    n_iter_: int = learned(help="steps taken for the largest component, in all")

    _INSTEAD = "Isomap"

    def _fit(self, X: Any) -> None:
        self.gap_, self.broken_, self.n_pairs_, self.n_iter_ = 0.0, 0.0, 0, 0
        super()._fit(X)

    def _relate(self, component: Component, n_coordinates: int) -> LocalRelation:
        is_table = self._input_kind() == "distances"
        geometry = look_at(self._space, component.members, component.graph, is_table=is_table)
        masses = component.masses
        mass = np.ones(len(component.members)) if masses is None else masses
        found = self._unfold(self._bounds(component, geometry), component, geometry, mass)
        if (self.component_labels_[self._copies.first[component.members]] == 0).any():
            self.gap_, self.broken_, self.n_pairs_ = found.gap, found.broken, found.n_pairs
            self.n_iter_ = found.steps
        root = np.sqrt(mass)[:, None]
        learned_kernel = EigenProblem(
            np.ascontiguousarray((root * found.coordinates).T),
            "largest",
            trivial=root,
            is_factor=True,
        )
        return LocalRelation(geometry, self.regularization, learned_kernel)

    def _scale(
        self, spectrum: Spectrum, relation: LocalRelation, component: Component
    ) -> tuple[Array, Array]:
        eigenvalues, coordinates = scale_by_roots(spectrum)
        if component.masses is not None:
            coordinates = coordinates / np.sqrt(component.masses)[:, None]
        return eigenvalues, coordinates

    def _is_exact(self, bounds: DistanceBounds) -> bool:
        small = bounds.n_points <= EXACT and len(bounds.first) <= EXACT_PAIRS
        return self.program == "exact" or (self.program == "auto" and small)

    def _unfold(
        self, bounds: DistanceBounds, component: Component, geometry: LocalGeometry, mass: Array
    ) -> Unfolding:
        """Return the coordinates of largest variance within the bounds, and tell if they broke."""
        if not bounds.upper.any():  # differ as they may, by this metric all are in one place
            return Unfolding(np.zeros((bounds.n_points, 1)), 0.0, 0.0, True, bounds.count, 0)
        if self._is_exact(bounds):
            found = maximize_variance(bounds, mass, self.tol, self.max_iter)
            if not found.converged or found.broken > max(self.tol, 1e-4):
                warn(
                    f"the semidefinite program did not converge (relative gap {found.gap:.1e}, "
                    f"distances beyond their bounds by {found.broken:.1e}): are there points with "
                    "these distances? raise slack or max_iter, or use isometry='inequality'"
                )
            return found
        count = min(self.n_vectors, bounds.n_points - 1)
        stiffness, tolerance = STIFF[self.basis], max(self.tol, 1e-3)
        # what two threads of BLAS round otherwise, hundreds of steps carry to 5e-4 of the map
        with limit_blas_threads():
            vectors = self._smoothest(component, geometry, count)
            found = unfold_smoothly(
                bounds, vectors, mass, tolerance, self.max_iter, self._n_wanted, stiffness
            )
        if not found.converged:
            advise(
                f"squared distances overstep their bounds by {found.broken:.1e} (root mean "
                "square); raise max_iter, n_vectors or slack to keep them better"
            )
        return found

    def _smoothest(self, component: Component, geometry: LocalGeometry, count: int) -> Array:
        """Return the bottom eigenvectors of LLE, or of the Laplacian of edges that weigh alike."""
        if self.basis == "lle":
            relation = relate_by_reconstruction(geometry, component, self.regularization)
            return solve(relation.problem(), count, seed=self._seed).vectors
        neighbors = component.graph
        weights = neighbors.with_weights(np.ones(neighbors.n_edges))
        stated = problem.laplacian(weights, "unnormalized")
        return solve(stated, count, seed=self._seed).vectors

    def _bounds(self, component: Component, geometry: LocalGeometry) -> DistanceBounds:
        """Return the bounds of the squared distances between neighbours."""
        first, second, squared = self._pairs(component.graph, geometry)
        lower, upper = np.zeros(len(squared)), squared
        if self.isometry == "equality":
            lower, upper = (1.0 - self.slack) ** 2 * squared, (1.0 + self.slack) ** 2 * squared
        return DistanceBounds(first, second, lower, upper, component.graph.n_points)

    def _pairs(
        self, neighbors: NeighborGraph, geometry: LocalGeometry
    ) -> tuple[Array, Array, Array]:
        """Return the neighbours i < j, each pair once, and their squared distances."""
        rows = [neighbors.rows]
        columns, squares = [neighbors.neighbors], [neighbors.distances**2]
        if self.angles:
            grams_of = geometry.own_grams()
            chunk = max(1, AT_ONCE // (int(neighbors.counts.max()) ** 2 + geometry.width))
            for points, around, distances in neighbors.by_count(chunk):
                grams = grams_of(points, around, distances)
                own = np.diagonal(grams, axis1=1, axis2=2)
                squares.append((own[:, :, None] + own[:, None, :] - 2.0 * grams).ravel())
                k = around.shape[1]
                rows.append(np.repeat(around, k, axis=1).ravel())
                columns.append(np.tile(around, (1, k)).ravel())
        first, second, squared = map(np.concatenate, (rows, columns, squares))
        once = first < second
        first, second, squared = first[once], second[once], squared[once]
        order = np.lexsort((squared, second, first))  # of what is said twice the shorter counts
        first, second, squared = first[order], second[order], squared[order]
        new = np.append(True, (first[1:] != first[:-1]) | (second[1:] != second[:-1]))
        return first[new], second[new], np.maximum(squared[new], 0.0)

    def kernel_(self) -> Array:
        """Return the kernel matrix that was learned for the largest component.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of largest trace; its kernel PCA is this map.
        """
        places = self._unfolded_places()
        with np.errstate(over="ignore", invalid="ignore"):
            return check_kernel(places @ places.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        places = self._unfolded_places()
        return kernel_operator(len(places), lambda columns: places @ (places.T @ columns))

    def _unfolded_places(self) -> Array:
        """Return the rows of the largest component in all coordinates of the kernel matrix."""
        chart: Any = self.charts_[0]
        shown = self._copies.positions(chart.members)
        stated: EigenProblem = chart.relation.problem()
        factor: Any = stated.matrix
        root: Any = stated.trivial
        return np.asarray((factor.T / root)[shown])
