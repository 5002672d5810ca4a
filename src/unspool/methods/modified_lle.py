"""Modified locally linear embedding."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import problem
from ..values import Array, EigenProblem, NeighborGraph
from .lle_family import Cloud, LocalMethod
from .parameters import method


@method
class ModifiedLLE(LocalMethod):
    """Modified LLE: several weight vectors for each point (Zhang and Wang 2007).

    With more neighbours than dimensions many weights rebuild a point equally well, and LLE's
    choice of one distorts the map. Here each neighbourhood contributes all of its well-determined
    weight vectors, as many as its local spectrum is flat.

    Attributes: ``eigenvalues_`` of the alignment matrix.

    >>> from unspool import ModifiedLLE, datasets
    >>> ModifiedLLE(2, n_neighbors=12).fit(datasets.swiss_roll(400).points).embedding_.shape
    (400, 2)
    """

    def _least_members(self, count: int) -> int:
        return count + 2

    def _problem(self, cloud: Cloud, neighbors: NeighborGraph, count: int) -> EigenProblem:
        grams_of = cloud.grams_towards()
        chunk = max(1, 2**22 // (cloud.width + int(neighbors.counts.max())))
        typical = _typical_flatness(grams_of, neighbors, count, chunk)

        def batches() -> Iterator[tuple[Array, Array]]:
            for points, around, distances in neighbors.by_count(chunk):
                table = np.column_stack([points, around])
                grams = grams_of(points, around, distances)
                for here, blocks in problem.modified_patches(
                    grams, count, typical, self.regularization
                ):
                    yield table[here], blocks

        return problem.alignment(batches(), neighbors.n_points)


def _typical_flatness(
    grams_of: problem.LocalGrams, neighbors: NeighborGraph, count: int, chunk: int
) -> float:
    ratios = [
        problem.flatness(problem.local_spectra(grams_of(*batch)), count)
        for batch in neighbors.by_count(chunk)
    ]
    return float(np.median(np.concatenate(ratios)))
