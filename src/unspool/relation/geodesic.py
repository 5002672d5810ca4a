"""-1/2 G^2 of a graph's geodesics: as a table where it fits, else as products block by block."""

from __future__ import annotations

import numpy as np

from .. import graph
from ..kernel import Centering
from ..paths import Precision, ShortestPaths, geodesic_distances, prepare_paths
from ..problem import gram
from ..runtime import available_bytes, run_strips
from ..spectrum import double_product, solve
from ..values import Array, EigenProblem, NeighborGraph

SINGLE = 4_000  # points from which on the table is kept in single precision: 128 MB in double
ROOM = 1.3  # tables' worth of memory that must be free for one of them to be held
GUESSED = 16  # vectors that a block-by-block solution starts from
GUIDES = 400  # landmarks that the guess is made with
BLOCK_BYTES = 256 * 2**20
STRIP = 32  # rows worked on at a time


def geodesic_gram(neighbors: NeighborGraph) -> GeodesicTable | GeodesicBlocks:
    """Return -1/2 G^2 of the geodesics, as a table if there is room for one."""
    n = neighbors.n_points
    in_double = n <= SINGLE
    if ROOM * n * n * (8 if in_double else 4) < available_bytes():
        precision: Precision = "float64" if in_double else "float32"
        return GeodesicTable(geodesic_distances(neighbors, precision=precision))
    return GeodesicBlocks(prepare_paths(neighbors))


class GeodesicTable:
    """The whole table, squared in place: geodesics are read back by a root."""

    def __init__(self, lengths: Array) -> None:
        self.table = lengths
        means = _turn_into_similarity(lengths)
        self.centering = Centering(means, float(means.mean()))

    def problem(self, count: int, seed: int) -> EigenProblem:
        """Return the centred eigenproblem."""
        return gram(self.table)

    def lengths_from(self, points: Array) -> Array:
        """Return the path lengths from some points to all."""
        return np.asarray(np.sqrt(-2.0 * self.table[points].astype(np.float64)))


class GeodesicBlocks:
    """Products with the table, each made of all geodesics anew: nothing of size n x n is held."""

    def __init__(self, paths: ShortestPaths) -> None:
        self.paths = paths
        self.shape = (paths.n_points, paths.n_points)
        self.largest_row_sum = 0.0
        self._row_means = np.zeros(paths.n_points)

    @property
    def centering(self) -> Centering:
        """The means of the table, which its first product found."""
        return Centering(self._row_means, float(self._row_means.mean()))

    def __matmul__(self, block: Array) -> Array:
        """Return the table times a block of vectors."""
        product = np.empty((self.shape[0], block.shape[1]))
        size = max(64, BLOCK_BYTES // (4 * self.shape[0]))
        for sources, lengths in self.paths.blocks(size=size, precision="float32"):
            means = _turn_into_similarity(lengths)
            self._row_means[sources] = means
            self.largest_row_sum = max(self.largest_row_sum, float(-means.min()) * len(product))
            product[sources] = double_product(lengths, block)
        return product

    def problem(self, count: int, seed: int) -> EigenProblem:
        """Return the centred eigenproblem, with a guess from landmarks."""
        constant = np.ones((self.shape[0], 1))
        guess = self._guess(max(GUESSED, count + 8), seed)
        return EigenProblem(self, "largest", trivial=constant, guess=guess)

    def lengths_from(self, points: Array) -> Array:
        """Return the path lengths from some points to all."""
        return self.paths.rows(points)

    def _guess(self, width: int, seed: int) -> Array:
        """Return the leading vectors as landmarks see them (Nystroem)."""
        guides = graph.choose_uniform(self.shape[0], min(GUIDES, self.shape[0]), seed)
        similarity = -0.5 * np.square(self.paths.rows(guides)).T
        among = similarity[guides]
        spectrum = solve(gram(among), min(width, len(guides) - 1), seed=seed)
        return np.asarray(Centering.of(among).rows(similarity) @ spectrum.vectors)


def _turn_into_similarity(lengths: Array) -> Array:
    """Replace path lengths by -1/2 of their squares, and return the means of the rows.

    A strip at a time, while it is in the cache.
    """
    means = np.empty(len(lengths))

    def work(rows: slice) -> None:
        strip = lengths[rows]
        np.square(strip, out=strip)
        strip *= -0.5
        means[rows] = strip.mean(axis=1, dtype=np.float64)

    run_strips(work, len(lengths), STRIP)
    return means
