"""Sums over all rows, block by block: moments for PCA, keys that tell copies, distances.

The moments of two blocks are merged exactly: each block is centred by its own mean before anything
is squared, and the R of a QR factorisation stands for its scatter (TSQR), so that nothing is
squared at all. What is merged is associative up to rounding; blocks are merged in their order, two
and two, so that the result is the same whoever computed them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import graph
from ..graph import Copies
from ..runtime import claim
from ..values import Array
from .executor import InProcess, block_ranges, in_order, run_blocks
from .settings import BlockSize, Result, empty_table
from .sources import Source

COPIES_HELD = 6.0  # tables of a block's size that a decomposition holds
BRIEF = 5e7  # numbers that a pass over takes a tenth of a second
Features = Callable[[Any], Any]  # points -> features, block by block


@dataclass(frozen=True, slots=True)
class Moments:
    """Number, mean and centred scatter R'R of some rows."""

    count: int
    mean: Array
    factor: Array  # R, with at most as many rows as columns

    @classmethod
    def of(cls, rows: Any) -> Moments:
        """Return the moments of some rows, dense or sparse."""
        mean = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
        centered = (rows.toarray() if sp.issparse(rows) else rows) - mean
        return cls(rows.shape[0], mean, _triangle(centered))

    def merged(self, other: Moments) -> Moments:
        """Return the moments of both sets of rows together."""
        count = self.count + other.count
        shift = other.mean - self.mean
        between = np.sqrt(self.count / count * other.count) * shift
        stacked = np.vstack([self.factor, other.factor, between[None, :]])
        mean = self.mean + shift * (other.count / count)
        return Moments(count, mean, _triangle(stacked))

    def deviations(self, ddof: int) -> Array:
        """Return the standard deviation of each column."""
        return np.asarray(np.sqrt(np.square(self.factor).sum(axis=0) / (self.count - ddof)))


def _triangle(rows: Array) -> Array:
    """Return R of a QR factorisation; of few rows, these themselves."""
    if rows.shape[0] <= rows.shape[1]:
        return rows
    return np.asarray(np.linalg.qr(rows, mode="r"))


def merge_all(parts: Iterable[Moments]) -> Moments:
    """Return the moments of all parts, merged two and two in their order."""
    stack: list[tuple[int, Moments]] = []
    for part in parts:
        level = 0
        while stack and stack[-1][0] == level:
            part = stack.pop()[1].merged(part)
            level += 1
        stack.append((level, part))
    whole = stack.pop()[1]
    while stack:
        whole = stack.pop()[1].merged(whole)
    return whole


def find_moments(source: Source, features: Features | None = None, width: int = 0) -> Moments:
    """Return the moments of all rows, or of their features (``width`` of them)."""
    width = width or source.shape[1]
    claim(24.0 * width * width, f"the scatter of {width} columns", "reduce them first, at random")
    held = 8.0 * COPIES_HELD * (width + source.shape[1])
    ranges = block_ranges(len(source), held)
    key = f"{source.fingerprint} {ranges} {width}" if features is None else ""
    found = run_blocks(
        "moments", _moments_of, ranges, source, features, key=key, size=BlockSize.of(ranges, held)
    )
    return merge_all(
        Moments(int(count[0]), mean, factor) for count, mean, factor in in_order(found)
    )


def _moments_of(rows: tuple[int, int], source: Source, features: Features | None) -> Result:
    block = source.read(*rows)
    found = Moments.of(block if features is None else features(block))
    return np.array([found.count]), found.mean, found.factor


def find_means(source: Source) -> Array:
    """Return the mean of each column."""
    ranges = block_ranges(len(source), 8.0 * 3 * source.shape[1])
    found = run_blocks("means", _sums_of, ranges, source)
    parts = [total for (total,) in in_order(found)]
    return np.asarray(np.sum(parts, axis=0) / len(source))


def _sums_of(rows: tuple[int, int], source: Source) -> Result:
    return (np.asarray(source.read(*rows).sum(axis=0)).ravel(),)


def find_copies(source: Source) -> Copies:
    """Return which rows are equal: told by two keys of 64 bits, which unlike rows do not share.

    Among 10^9 rows two unlike ones share both once in 10^20 times.
    """
    n = len(source)
    held = 8.0 * 4 * source.shape[1]
    ranges = block_ranges(n, held)
    claim(56 * n, f"the keys of {n} rows", "take a sample of them")
    keys = np.empty((2, n), dtype=np.uint64)
    known = f"{source.fingerprint} {ranges}"
    size = BlockSize.of(ranges, held)
    for number, found in run_blocks("copies", _keys_of, ranges, source, key=known, size=size):
        keys[:, slice(*ranges[number])] = found
    ordered = np.sort(keys[0])
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(repeated) == 0:
        return Copies.none(n)
    suspects = np.flatnonzero(np.isin(keys[0], repeated))
    pairs = np.ascontiguousarray(keys[:, suspects].T)
    _, first, group = np.unique(pairs, axis=0, return_index=True, return_inverse=True)
    equal_to = np.arange(n)
    equal_to[suspects] = suspects[first[group.ravel()]]
    kept = np.flatnonzero(equal_to == np.arange(n))
    if len(kept) == n:
        return Copies.none(n)
    point_of = np.searchsorted(kept, equal_to)
    return Copies(kept, point_of, np.bincount(point_of).astype(np.float64))


def _keys_of(rows: tuple[int, int], source: Source) -> Result:
    block = source.read(*rows)
    return graph.row_keys(block, 0), graph.row_keys(block, 1)


def distances_to_all(source: Source, rows: Array, metric: Any) -> Any:
    """Return the distances from some rows to all, (m, n): one pass, in a file where it is large."""
    m, n = len(rows), len(source)
    held = 8.0 * (4 * source.shape[1] + 4 * m)
    ranges = block_ranges(n, held)
    options, size = (source, source[rows], metric), BlockSize.of(ranges, held)
    out = empty_table((m, n), "distances")
    for number, (found,) in run_blocks("distances", _distances_of, ranges, *options, size=size):
        out[:, slice(*ranges[number])] = found.T
    return out


def _distances_of(rows: tuple[int, int], source: Source, points: Any, metric: Any) -> Result:
    from ..distances import pairwise_distances

    return (pairwise_distances(source.read(*rows), points, metric),)


def distances_from(source: Source, point: Array, metric: Any) -> Array:
    """Return the distance of every row to one point."""
    ranges = block_ranges(len(source), 8.0 * 4 * source.shape[1])
    out = np.empty(len(source))
    # a pass over so little takes less than asking the workers for it
    where = InProcess() if source.shape[0] * source.shape[1] <= BRIEF else None
    options = (source, point, metric)
    for number, (found,) in run_blocks("distances", _distances_to, ranges, *options, where=where):
        out[slice(*ranges[number])] = found
    return out


def _distances_to(rows: tuple[int, int], source: Source, point: Array, metric: Any) -> Result:
    return (_distances_of(rows, source, point[None, :], metric)[0][:, 0],)
