"""Local tangent space alignment."""

from __future__ import annotations

from .. import problem
from ..values import Array
from .lle_family import TangentMethod
from .parameters import method


@method
class LTSA(TangentMethod):
    """Local tangent space alignment: tangent planes laid out side by side (Zhang and Zha 2004).

    Each neighbourhood has tangent coordinates, its local PCA; the map is the one that is closest
    to an affine function of them in every neighbourhood, with mean 0 and covariance I. Holes and
    non-convex outlines do no harm.

    Attributes: ``eigenvalues_`` of the alignment matrix.

    >>> from unspool import LTSA, datasets
    >>> LTSA(2, n_neighbors=10).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _least_members(self, count: int) -> int:
        return count + 2

    def _patches(self, tangents: Array) -> Array:
        return problem.tangent_patches(tangents)
