"""Rows of query points by geodesic distances, which are multiplied and never held.

A query point's path to a fitted point is the shortest through the neighbours that it sees. Its row,
-1/2 of the squared lengths, centred, is only ever multiplied by coordinates, so that a few columns
of all rows are made at a time, while the lengths that they need are in the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..runtime import run_strips
from ..values import Array, NeighborGraph

WIDTH = 160  # columns made at a time: the lengths of 5,000 points to them are 3 MB, or twice that
PARTS = 16  # of the columns, added up apart whatever the number of threads: the same sums
SMALL = 10**6  # lengths that are not worth a thread

# Points -> a function that makes the geodesic distances from them to the columns of a slice.
LengthsFrom = Callable[[Array], Callable[[slice], Array]]


@dataclass(frozen=True, slots=True)
class GeodesicRows:
    """The centred similarities of query points, by their products alone.

    ``towards`` says which points each query sees and how far they are, ``lengths_from`` how far it
    is from there to the columns, and ``means`` are the means of the columns of similarities.
    ``at_once`` is the number of query points whose lengths are asked for together.
    """

    towards: NeighborGraph
    lengths_from: LengthsFrom
    means: Array
    at_once: int

    def __matmul__(self, anchors: Array) -> Array:
        """Return the rows times anchors; each row is summed by itself, in a fixed order."""
        image = np.empty((self.towards.n_points, anchors.shape[1]))
        for first in range(0, len(image), self.at_once):
            queries = slice(first, min(first + self.at_once, len(image)))
            image[queries] = self._image(queries, anchors)
        return image

    def _image(self, queries: slice, anchors: Array) -> Array:
        """Return the image of some rows.

        With m_j the mean of column j and g that of all, sum_j (s_j - mean(s) - m_j + g) a_j is
        sum_j (s_j - m_j) a_j less the mean of (s_j - m_j) times the sum of the anchors.
        """
        starts = self.towards.starts[queries.start : queries.stop + 1]
        edges = slice(int(starts[0]), int(starts[-1]))
        points, through = np.unique(self.towards.neighbors[edges], return_inverse=True)
        lengths_to = self.lengths_from(points)
        kind = lengths_to(slice(0, 0)).dtype
        gaps = self.towards.distances[edges].astype(kind, copy=False)
        graph = starts - edges.start, through, gaps
        images = np.zeros((PARTS, len(starts) - 1, anchors.shape[1]))
        sums = np.zeros(images.shape[:2])
        bounds = np.linspace(0, len(self.means), PARTS + 1).astype(np.intp)

        def work(parts: slice) -> None:
            for part in range(parts.start, parts.stop):
                for first in range(bounds[part], bounds[part + 1], WIDTH):
                    columns = slice(first, min(first + WIDTH, int(bounds[part + 1])))
                    few = lengths_to(columns), self.means[columns], anchors[columns]
                    _add_columns(graph, few, images[part], sums[part])

        is_small = len(through) * len(self.means) <= SMALL
        run_strips(work, PARTS, PARTS if is_small else 1)
        for part in range(1, PARTS):  # NumPy's sum of one row need not add as that of many
            images[0] += images[part]
            sums[0] += sums[part]
        return np.asarray(images[0] - np.outer(sums[0] / len(self.means), anchors.sum(axis=0)))


def _add_columns(
    graph: tuple[Array, Array, Array], few: tuple[Array, Array, Array], image: Array, sums: Array
) -> None:
    """Add what a few columns (lengths, means, anchors) contribute to the image."""
    from .geodesic_rows_kernels import add_image

    starts, through, gaps = graph
    lengths, means, anchors = few
    kind = lengths.dtype
    row, known = np.empty(len(means), kind), (means.astype(kind), anchors.T.astype(kind, order="C"))
    add_image(starts, through, gaps, lengths, *known, row, image, sums)
