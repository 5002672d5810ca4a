"""The nearest of many points to a few: one pass over the points, and nothing made ready before.

An index of a million points takes longer to build, and more memory, than the clicks of a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import pairwise_distances
from ..distances.blocks import blocks, smallest
from ..edges import graph_from_table
from ..values import Array, Metric, NeighborGraph

STEP = 2**16  # points that are looked at together


@dataclass(frozen=True, slots=True)
class Scan:
    """Points and a metric, searched from the first to the last."""

    points: Array
    metric: Metric
    name = "scan"

    @property
    def n_points(self) -> int:
        """Number of points searched."""
        return len(self.points)

    def nearest(self, queries: Any, count: int) -> NeighborGraph:
        """Return the ``count`` nearest points of each query, nearest first."""
        rows = np.asarray(queries, dtype=np.float64)
        # however many ask, a table of distances fits into a chunk of memory
        found = [self._table(rows[part], count) for part in blocks(len(rows), self._step)]
        near, lengths = (np.concatenate(part) for part in zip(*found, strict=True))
        return graph_from_table(near, lengths, n_columns=self.n_points, search=self.name)

    @property
    def _step(self) -> int:
        return min(STEP, self.n_points)

    def _table(self, rows: Array, count: int) -> tuple[Array, Array]:
        """Return the nearest of a few rows, and how far they are."""
        near = np.empty((len(rows), 0), dtype=np.int64)
        lengths = np.empty((len(rows), 0))
        for first in range(0, self.n_points, self._step):
            block = pairwise_distances(rows, self.points[first : first + self._step], self.metric)
            columns, found = smallest(block, min(count, block.shape[1]))
            near = np.concatenate([near, columns + first], axis=1)
            lengths = np.concatenate([lengths, found], axis=1)
            kept, lengths = smallest(lengths, min(count, lengths.shape[1]))
            near = np.take_along_axis(near, kept, axis=1)
        return near, lengths
