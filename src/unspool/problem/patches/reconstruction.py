"""The patch of LLE: each point as the affine combination of its neighbours."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from ... import barycentric
from ...progress import stage
from ...values import Array, NeighborGraph

LocalGrams = Callable[[Array, Array, Array], Array]
CHUNK_BYTES = 32 * 2**20


def reconstruction_weights(
    graph: NeighborGraph, local_grams: LocalGrams, regularization: float, width: int
) -> sp.csr_array:
    """Return the sparse W whose row i rebuilds point i from its neighbours.

    ``local_grams(points, neighbours, distances)`` gives the Gram matrices of a batch; ``width`` is
    the number of floats it handles for one neighbour, which bounds the batch in memory.
    """
    values = np.empty(graph.n_edges)
    per_point = 8 * max(1, int(graph.counts.max(initial=1))) * (width + int(graph.counts.max()))
    with stage("weights", total=graph.n_points) as running:
        for points, neighbors, distances in graph.by_count(max(1, CHUNK_BYTES // per_point)):
            grams = local_grams(points, neighbors, distances)
            slots = graph.starts[points][:, None] + np.arange(neighbors.shape[1])
            values[slots] = barycentric.weights(grams, regularization)
            running.advance(len(points))
        running.note(holds=values.nbytes)
    return graph.with_weights(values)
