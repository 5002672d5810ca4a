"""Diffusion maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import extension, problem
from ..extension import Chart
from ..spectrum import solve
from ..values import Array, NeighborGraph
from .heat_family import HeatMethod
from .parameters import method, parameter


@method
class DiffusionMaps(HeatMethod):
    """Diffusion maps: distances between the futures of random walks (Coifman and Lafon 2006).

    A walk steps along the edges of the neighbour graph with probabilities given by the heat
    kernel, from which a power ``alpha`` of the sampling density is divided out (1: the geometry
    alone; 0: the graph as it is). Coordinates value^t psi make straight-line distances equal to
    the diffusion distance after ``steps`` steps. With alpha = 0 and no loops the vectors are those
    of Laplacian eigenmaps, read from the other end of the spectrum.

    Attributes: ``eigenvalues_`` of the walk (1 is trivial and left out), ``gamma_``.

    >>> from unspool import DiffusionMaps, datasets
    >>> DiffusionMaps(2, alpha=1.0, steps=3).fit(datasets.s_curve(400).points).embedding_.shape
    (400, 2)
    """

    alpha: float = parameter(
        1.0, kind=float, at_least=0, help="power of the sampling density that is divided out"
    )
    steps: float = parameter(
        1.0, kind=float, at_least=0, help="diffusion time: coordinates are value^steps psi"
    )
    loops: bool = parameter(
        True, kind=bool, help="the walk may stay where it is: k(x, x) = 1 on the diagonal"
    )

    def _chart(self, given: Any, members: Array, neighbors: NeighborGraph) -> Chart:
        kernel = neighbors.with_weights(self._edge_weights(neighbors.distances))
        if self.loops:
            kernel = sp.csr_array(kernel + sp.eye_array(len(members)))
        density = np.asarray(kernel.sum(axis=1)).ravel() ** -self.alpha
        flattened = sp.csr_array(sp.diags_array(density) @ kernel @ sp.diags_array(density))
        # values crowd near 1; the same pairs are found fast at the small end of D - K
        count = self._count_in(members)
        spectrum = solve(problem.laplacian(flattened), count, seed=self.random_state)
        values = 1.0 - spectrum.values
        psi = spectrum.vectors * np.sqrt(flattened.sum())
        faded = np.sign(values) * np.abs(values) ** self.steps
        return Chart(members, psi * faded, values, values, density)

    def _rows(self, chart: Chart, new: Any, towards: NeighborGraph) -> tuple[Any, Array]:
        weights = self._edge_weights(towards.distances) * chart.relation[towards.neighbors]
        return extension.walk_rows(towards, weights), chart.multipliers
