"""Neighbours by differences of coordinates, leaf by leaf: what a box rules out is not looked at.

The points are put in order by median cuts, so that those of a leaf lie near each other, and each
leaf has its bounding box. Rounding is monotone, and a box is no farther from a query, coordinate by
coordinate, than any point in it. Summed in the same order, the distance to the box as computed is
at most that to each of its points as computed: nothing is ever missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..runtime import run_chunks, tell_progress, thread_count
from ..values import Array
from .exact import Nearest, Within
from .sketch import coherent_order, halves

LEAF = 64  # points; a box is tested at the cost of two
STRIP = 4  # leaves that a thread takes at a time


class Leaves(NamedTuple):
    """Points in the order of their leaves, one column per point, and the boxes of the leaves.

    ``ids`` tells which of the given points each is.
    """

    columns: Array
    ids: Array
    starts: Array
    low: Array
    high: Array

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return len(self.starts) - 1


def arrange(points: Array) -> Leaves:
    """Return the leaves of some points."""
    points = np.asarray(points, np.float64)
    ids = coherent_order(points, LEAF)
    cuts = [middle for _, middle, _ in halves(len(points), LEAF)]
    starts = np.array(sorted({0, *cuts, len(points)}))
    points = points[ids]
    low, high = (bound.reduceat(points, starts[:-1]) for bound in (np.minimum, np.maximum))
    return Leaves(np.ascontiguousarray(points.T), ids, starts, low, high)


def nearest(leaves: Leaves, queries: Array, k: int, power: float) -> Nearest:
    """Return the ``k`` nearest points of each query, for the Minkowski metric of this power.

    The power is 1, 2 or infinity.
    """
    from . import leaves_kernels as kernels

    asked = arrange(queries)
    found = Nearest(np.empty((len(queries), k), np.int64), np.empty((len(queries), k)))

    def work(strip: Array, _: None) -> None:
        kernels.nearest(strip[0], strip[-1] + 1, asked, leaves, power, *found)

    _run(work, asked, 1)
    return found


def within(
    leaves: Leaves, queries: Array, radius: float, power: float, *, others: bool = False
) -> Within:
    """Return all points at most ``radius`` from each query, nearest first, ties by index.

    ``others`` says that the queries are the points, and that none is to list itself.
    """
    from . import leaves_kernels as kernels

    asked = leaves if others else arrange(queries)
    ball, counts = (radius, power, others), np.zeros(len(queries), np.int64)
    _run(
        lambda strip, _: kernels.count(strip[0], strip[-1] + 1, asked, leaves, ball, counts), asked
    )
    starts = np.concatenate([[0], np.cumsum(counts)])
    found = Within(starts, np.empty(starts[-1], np.int64), np.empty(starts[-1]))

    def write(strip: Array, _: None) -> None:
        kernels.write(strip[0], strip[-1] + 1, asked, leaves, ball, *found)

    _run(write, asked)
    return found


def _run(work: Callable[[Array, None], None], asked: Leaves, step: int = STRIP) -> None:
    """Do the leaves of the queries, several at a time."""
    strips = [
        np.arange(first, min(first + step, asked.n_leaves))
        for first in range(0, asked.n_leaves, step)
    ]
    done = 0

    def tell(n_leaves: int) -> None:
        nonlocal done
        done += n_leaves
        tell_progress(done, asked.n_leaves)

    run_chunks(work, strips, [None] * thread_count(), tell)
