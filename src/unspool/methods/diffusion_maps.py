"""Diffusion maps."""

from __future__ import annotations

import numpy as np

from ..relation import AdaptiveGaussianWeights, Component, DiffusionRelation, settle_faint_points
from ..values import Array, Spectrum
from .laplacian_eigenmaps import WeightedEstimator
from .parameters import VectorChoice, method, parameter


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
        return DiffusionRelation.of(component, self._weighting, loops, self.alpha)

    def _scale(
        self, spectrum: Spectrum, relation: DiffusionRelation, component: Component
    ) -> tuple[Array, Array]:
        eigenvalues = spectrum.values
        psi = settle_faint_points(relation.kernel, spectrum) * np.sqrt(relation.volume)
        return eigenvalues, psi * (np.sign(eigenvalues) * np.abs(eigenvalues) ** self.steps)
