"""Gaussian similarities of many points in single precision: in half the time, a quarter the memory.

Exponents -gamma |x - y|^2 come from products of centred points. Some pairs, those farthest from the
center among them, are computed in both precisions first: where single errs by more than its own
rounding, it is not used. Of the symmetric table only the tiles on and above
the diagonal are made and kept. A product with vectors reads each tile once, for both its places,
and adds up in double precision, in an order that does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..runtime import limit_blas_threads, run_strips
from ..values import Array

FEWEST = 4_000  # points; of so many Isomap too keeps its table in single precision
FEW_COLUMNS = 8  # up to which a product takes no time in either precision
ERROR = float(np.finfo(np.float32).eps)  # of a similarity: the root mean square of those tried
TRIED = 96  # points spread over all, and as many of the farthest ones, whose pairs are tried
SIDE = 512  # rows and columns of a tile
PANEL = 256  # columns of a tile whose vectors and products the nearest cache holds,
FEW = 8  # of so many vectors


def is_single(n_points: int, n_columns: int) -> bool:
    """Tell whether Gaussian similarities are in single precision, unless that loses digits.

    Parameters
    ----------
    n_points : int
        Number of points.
    n_columns : int
        Number of columns.

    Returns
    -------
    bool
        Whether they are.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.is_single(10_000, 16), kernel.is_single(10_000, 3)
    (True, False)
    """
    return n_points >= FEWEST and n_columns > FEW_COLUMNS


def single_table_bytes(n_points: int) -> float:
    """Return the bytes of a symmetric table in single precision: each pair once, in whole tiles.

    Parameters
    ----------
    n_points : int
        Number of points.

    Returns
    -------
    float
        The bytes.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.single_table_bytes(10_000) / 10_000**2
    2.2020096
    """
    strips = -(-n_points // SIDE)
    return 4.0 * SIDE**2 * strips * (strips + 1) / 2


@dataclass(frozen=True, slots=True)
class SingleGaussian:
    """Points prepared for Gaussian similarities to them.

    ``columns`` are the points about their center times sqrt(2 gamma), without the features in which
    all are equal, filled up to whole tiles; the exponent of a pair is its product less the
    ``halves`` of both squared norms.
    """

    center: Array
    gamma: float
    varying: Array
    columns: Array
    halves: Array
    n_points: int

    @classmethod
    def of(cls, points: Array, gamma: float) -> SingleGaussian | None:
        """Return the preparation; None for few points, and where too many digits would be lost."""
        n = len(points)
        if not is_single(n, points.shape[1]):
            return None
        low, center = points.min(axis=0), np.asarray(points.mean(axis=0, dtype=np.float64))
        is_constant = low == points.max(axis=0)
        center[is_constant] = low[is_constant]
        bare = cls(center, gamma, np.flatnonzero(~is_constant), points[:0], points[:0], n)
        columns = np.zeros((-(-n // SIDE) * SIDE, len(bare.varying)), np.float32)
        halves = np.full(len(columns), np.inf, np.float32)  # what only fills up is like nothing

        def work(rows: slice) -> None:
            columns[rows], halves[rows] = bare.prepared(points[rows])

        with np.errstate(over="ignore"):  # an infinite norm shows as an error below
            run_strips(work, n, SIDE)
        prepared = cls(center, gamma, bare.varying, columns, halves, n)
        return prepared if prepared._error(points) <= ERROR else None

    def prepared(self, points: Array) -> tuple[Array, Array]:
        """Return what a product is made of, and half of the squared norms."""
        moved = points - self.center
        halves = self.gamma * np.einsum("ij,ij->i", moved, moved)
        kept = np.take(moved, self.varying, axis=1) * np.sqrt(2.0 * self.gamma)
        return kept.astype(np.float32), halves.astype(np.float32)

    def fill(self, rows: Array, halves: Array, place: slice, out: Array) -> None:
        """Write the similarities of prepared rows to the points of ``place``."""
        np.matmul(rows, self.columns[place].T, out=out)
        out -= halves[:, None]
        out -= self.halves[place]
        np.minimum(out, 0.0, out=out)
        np.exp(out, out=out)

    def rows(self, queries: Array) -> Array:
        """Return the similarities of some queries to all points, by the calling thread."""
        table = np.empty((len(queries), len(self.columns)))
        for place, tile in self._tiles(queries):
            table[:, place] = tile
        return table[:, : self.n_points]

    def _tiles(self, queries: Array) -> Iterator[tuple[slice, Array]]:
        """Yield the similarities of some queries to the points, a tile at a time, in one room."""
        rows, halves = self.prepared(np.asarray(queries))
        tile = np.empty((len(rows), SIDE), np.float32)
        for place in _places(len(self.columns)):
            self.fill(rows, halves, place, tile)
            yield place, tile

    def _error(self, points: Array) -> float:
        """Return by how much similarities of some pairs are wrong, in the mean square."""
        from scipy.spatial.distance import cdist

        spread = np.linspace(0, len(points) - 1, TRIED).astype(np.intp)
        farthest = np.argsort(self.halves[: len(points)])[-TRIED:]
        chosen = np.concatenate([spread, farthest])
        exact = np.exp(-self.gamma * cdist(points[chosen], points[chosen], "sqeuclidean"))
        found = np.empty(exact.shape, np.float32)
        some = replace(self, columns=self.columns[chosen], halves=self.halves[chosen])
        with np.errstate(invalid="ignore"):
            some.fill(some.columns, some.halves, slice(None), found)
        return float(np.nan_to_num(np.sqrt(np.square(found - exact).mean()), nan=np.inf))


@dataclass(frozen=True, slots=True)
class SingleRows:
    """The similarities of some queries to all points, by their products alone."""

    prepared: SingleGaussian
    queries: Array

    def __matmul__(self, block: Array) -> Array:
        """Return the product with a block of vectors, made while a tile is in the cache."""
        padded = np.zeros((len(self.prepared.columns), block.shape[1]))
        padded[: len(block)] = block
        image = np.zeros((len(self.queries), block.shape[1]))
        for place, tile in self.prepared._tiles(self.queries):
            image += tile.astype(np.float64) @ padded[place]
        return image


@dataclass(frozen=True)
class SymmetricTable:
    """A symmetric table by strips of tiles: strip i has the tiles of its rows from i to the last.

    A tile has ``SIDE`` columns, of which those beyond the table are zero.
    """

    strips: tuple[Array, ...]
    size: int

    is_dear = False  # a product reads what is stored

    @classmethod
    def of(cls, prepared: SingleGaussian) -> SymmetricTable:
        """Return the similarities of the prepared points among each other."""
        places = list(_places(len(prepared.columns)))
        shapes = [(len(places) - i, SIDE, SIDE) for i in range(len(places))]
        strips = tuple(np.empty(shape, np.float32) for shape in shapes)

        def work(numbers: slice) -> None:
            for number in range(numbers.start, numbers.stop):
                _fill_strip(prepared, places[number:], strips[number])

        with limit_blas_threads():
            run_strips(work, len(places), 1)
        return cls(strips, prepared.n_points)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.size, self.size

    @property
    def nbytes(self) -> int:
        """Bytes of the tiles."""
        return sum(strip.nbytes for strip in self.strips)

    @cached_property
    def row_sums(self) -> Array:
        """Sums of the rows."""
        return np.asarray((self @ np.ones((self.size, 1)))[:, 0])

    @property
    def norm_bound(self) -> float:
        """The largest row sum: similarities are not negative."""
        return float(self.row_sums.max())

    def sum(self, axis: int, dtype: Any = np.float64) -> Array:
        """Return the sums of the rows, which are those of the columns."""
        return self.row_sums.astype(dtype, copy=False)

    def diagonal(self) -> Array:
        """Return the diagonal."""
        corners = [strip[0].diagonal() for strip in self.strips]
        return np.concatenate(corners)[: self.size].astype(np.float64)

    def toarray(self) -> Array:
        """Return the whole table."""
        padded = len(self.strips) * SIDE
        table = np.empty((padded, padded))
        for own, strip in zip(_places(padded), self.strips, strict=True):
            rows = np.concatenate(list(strip), axis=1)
            table[own, own.start :], table[own.start :, own] = rows, rows.T
        return table[: self.size, : self.size]

    def __matmul__(self, block: Array) -> Array:
        """Return the product with a block of vectors."""
        padded = np.zeros((len(self.strips) * SIDE, block.shape[1]))
        padded[: self.size] = block
        right = np.ascontiguousarray(padded.reshape(-1, PANEL, block.shape[1]).transpose(0, 2, 1))
        direct, step = np.zeros_like(right), SIDE // PANEL
        across = [np.zeros_like(right[i * step :]) for i in range(len(self.strips))]

        def work(numbers: slice) -> None:
            for i in range(numbers.start, numbers.stop):
                own = slice(i * step, (i + 1) * step)
                _multiply(self.strips[i], right[i * step :], direct[own], across[i])

        with limit_blas_threads():
            run_strips(work, len(self.strips), 1)
        for i, part in enumerate(across):
            direct[i * step :] += part
        return direct.transpose(0, 2, 1).reshape(padded.shape)[: self.size]


def _places(n: int) -> Iterator[slice]:
    for first in range(0, n, SIDE):
        yield slice(first, first + SIDE)


def _fill_strip(prepared: SingleGaussian, places: list[slice], strip: Array) -> None:
    rows, halves = prepared.columns[places[0]], prepared.halves[places[0]]
    for tile, place in zip(strip, places, strict=True):
        prepared.fill(rows, halves, place, tile)
    # products need not round alike on both sides of the diagonal, and a point is like itself
    above = np.triu(strip[0], 1)
    np.add(above, above.T, out=strip[0])
    np.fill_diagonal(strip[0], np.isfinite(halves).astype(np.float32))


def _multiply(strip: Array, right: Array, direct: Array, across: Array) -> None:
    """Add a strip of tiles times vectors to ``direct``, and the turned tiles' to ``across``."""
    from .single_precision_kernels import add_both_products

    for first in range(0, right.shape[1], FEW):  # as many as the nearest cache holds
        few = slice(first, first + FEW)
        parts = [np.ascontiguousarray(table[:, few]) for table in (right, direct, across)]
        add_both_products(strip, *parts)
        direct[:, few], across[:, few] = parts[1:]
