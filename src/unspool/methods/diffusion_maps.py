"""Diffusion maps."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from .. import problem
from ..relation import AdaptiveGaussianWeights, Component, DiffusionRelation, settle_faint_points
from ..runtime import warn
from ..spectrum import solve
from ..values import Array, EigenProblem, Spectrum
from .laplacian_eigenmaps import WeightedEstimator
from .parameters import VectorChoice, method, parameter

# on 11 real and made tables, coordinates beyond 1,000 (alpha from 10 on) are always told by these,
# and no alpha up to 3 with local bandwidths
MOST = 0.9  # of the walk's time
FEW = 0.05  # of the points
SPAN = 12.0  # powers of ten from point to point: coordinates may span the root of that


@method
class DiffusionMaps(VectorChoice, WeightedEstimator):
    """Diffusion maps: distances between the futures of random walks (Coifman and Lafon 2006).

    A walk steps along the edges of the neighbour graph with probabilities given by the heat
    kernel, from which a power ``alpha`` of the sampling density is divided out (1: the geometry
    alone; 0: the graph as it is). Coordinates value^steps psi make straight-line distances equal to
    the diffusion distance after ``steps`` steps. ``eigenvalues_`` are those of the walk (1 is
    trivial and left out). With alpha = 0 and no loops the vectors are those of Laplacian eigenmaps,
    read from the other end of the spectrum.

    Examples
    --------
    >>> from unspool import DiffusionMaps, datasets
    >>> DiffusionMaps(2, alpha=1.0, steps=3).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    alpha: float = parameter(
        default=1.0, kind=float, at_least=0, help="power of the sampling density divided out"
    )
    steps: float = parameter(
        default=1.0, kind=float, at_least=0, help="diffusion time: coordinates are value^steps psi"
    )
    loops: bool = parameter(
        default=True, kind=bool, help="the walk may stay where it is: k(x, x) = 1 on the diagonal"
    )

    _SELF_TUNING = AdaptiveGaussianWeights

    def _relate(self, component: Component, n_coordinates: int) -> DiffusionRelation:
        loops = self._loops(component.members) + float(self.loops)
        relation = DiffusionRelation.of(component, self._weighting, loops, self.alpha)
        if self.alpha > 1.0:  # the density itself, and more
            self._tell_if_few_rule(relation.visits)
        return relation

    def _tell_if_few_rule(self, visits: Array) -> None:
        """Tell if so much is divided out that the walk hardly leaves a few points."""
        shares = np.cumsum(np.sort(visits)[::-1] / visits.sum())
        n, few = len(visits), int(np.searchsorted(shares, MOST)) + 1
        span = float(np.log10(visits.max()) - np.log10(visits.min()))
        if few <= max(1.0, FEW * n) or span > SPAN:
            warn(
                f"alpha={self.alpha:g} divides out so much of the density that the walk spends "
                f"{MOST:.0%} of its time at {few} of {n} points, and at one point 1e{span:.0f} "
                "times as much as at another, so a few points rule the map; alpha=1 divides out "
                "all of the density"
            )

    def _scale(
        self, spectrum: Spectrum, relation: DiffusionRelation, component: Component
    ) -> tuple[Array, Array]:
        eigenvalues = spectrum.values
        psi = settle_faint_points(relation.kernel, spectrum) * np.sqrt(relation.volume)
        return eigenvalues, psi * (np.sign(eigenvalues) * np.abs(eigenvalues) ** self.steps)

    def kernel_(self) -> Array:
        """Return the kernel matrix of the largest component: its distances are those of diffusion.

        With S = D^-1/2 K D^-1/2 the symmetric form of the walk it is |S|^(2 steps) without its
        trivial part. Kernel PCA of it, without centring, is sqrt(D / volume) times the map.

        Returns
        -------
        ndarray of shape (n, n)
            The kernel matrix of diffusion maps.
        """
        chart: Any = self.charts_[0]
        factor = self._kernel_factor()[self._copies.positions(chart.members)]
        return np.asarray(factor @ factor.T)

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: each is 2 ``steps`` steps of the walk.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row. Where ``steps``
            is no whole number, all eigenvectors are computed for it.
        """
        if self.steps != int(self.steps):
            factor = self._kernel_factor()
            return self._spread_operator(lambda sums: np.asarray(factor @ (factor.T @ sums)))
        stated: Any = self._kernel_problem()
        mass = np.ones(stated.size) if stated.mass is None else stated.mass
        trivial = stated.trivial / np.sqrt(mass @ stated.trivial**2)

        def product(sums: Array) -> Array:
            future = sums / mass[:, None]
            for _ in range(2 * int(self.steps)):
                future = future - (stated.matrix @ future) / mass[:, None]
            return np.asarray(future - trivial * (trivial.T @ (mass[:, None] * future)))

        return self._spread_operator(product)

    def _kernel_problem(self) -> EigenProblem:
        """State the problem of I - S, S the symmetric form of the walk."""
        relation: Any = self.charts_[0].relation
        return problem.laplacian(relation.kernel, "symmetric", relation.masses)

    def _kernel_factor(self) -> Array:
        stated = self._kernel_problem()
        spectrum = solve(stated, stated.size - 1, seed=self._seed)
        return np.asarray(spectrum.vectors * np.abs(1.0 - spectrum.values) ** self.steps)
