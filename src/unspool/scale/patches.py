"""Neighbourhoods of points that are not in memory: looked at block by block, by whoever works.

A block of points reads its own rows and those of its neighbours, and what it makes of them
(weights, patches) goes back. The sparse eigenproblem that they add up to is solved by the worker
with the most memory, or by this process; what fits neither is refused before the work.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..problem import Batch, LocalPoints, Look
from ..runtime import available_bytes, format_bytes, limit_blas_threads, recording, replay, warn
from ..spectrum import solve
from ..values import Array, EigenProblem, NeighborGraph, Spectrum, Stage
from .executor import Cluster, block_ranges, current_executor, in_order, run_blocks
from .settings import BlockSize, Result, share

HELD = 4.0  # tables of its patch and of its members that a neighbourhood takes at the peak
SOLVED = 2000.0  # bytes of a point that the small end of a sparse matrix takes, by its factor
SOLVED_ENTRY = 90.0  # and of an entry of the matrix: on a surface the factor has two for each


@dataclass(frozen=True, slots=True)
class SpreadPoints(LocalPoints):
    """Neighbourhoods known by points that stay on disk."""

    def go_through(self, what: str, look: Look, graph: NeighborGraph) -> Iterator[Batch]:
        """Yield what a look at all neighbourhoods of a graph gives, in their order."""
        most = int(graph.counts.max(initial=1)) + 1
        each = 8.0 * HELD * most * (self.width + most)
        ranges = block_ranges(graph.n_points, each)
        options, size = (self.points, self.members, graph, look), BlockSize.of(ranges, each)
        for arrays in in_order(run_blocks(what, look_at_block, ranges, *options, size=size)):
            yield from zip(arrays[::2], arrays[1::2], strict=True)


def look_at_block(
    rows: tuple[int, int], points: Any, members: Array, graph: NeighborGraph, look: Look
) -> Result:
    """Return the batches of some points, one after the other, numbered as in the component."""
    part, needed = cut_out(graph, *rows)
    near = LocalPoints(points[members[needed]], np.arange(len(needed)))
    found: list[Array] = []
    for neighborhoods, values in look(near, part):
        found += [needed[neighborhoods], values]
    return tuple(found)


def cut_out(graph: NeighborGraph, start: int, stop: int) -> tuple[NeighborGraph, Array]:
    """Return the rows of a graph with its points numbered anew, and who they were.

    The rows themselves come first, so that row i is still point i; then their neighbours.
    """
    span = slice(int(graph.starts[start]), int(graph.starts[stop]))
    own, seen = np.arange(start, stop), np.unique(graph.neighbors[span])
    needed = np.concatenate([own, seen[(seen < start) | (seen >= stop)]])
    order = np.argsort(needed, kind="stable")
    places = order[np.searchsorted(needed[order], graph.neighbors[span])]
    starts = graph.starts[start : stop + 1] - span.start
    return NeighborGraph(starts, places, np.array(graph.distances[span]), len(needed)), needed


def solving_bytes(n_points: int, entries: float) -> float:
    """Return what the small end of a sparse matrix takes, with so many entries of each point."""
    return n_points * (SOLVED + SOLVED_ENTRY * entries)


def claim_room(n_points: int, entries: float) -> None:
    """Refuse, before the work, an eigenproblem that neither a worker nor this process can hold."""
    work, needed = current_executor(), solving_bytes(n_points, entries)
    room = work.roomiest[1] if isinstance(work, Cluster) else 0.0
    free = available_bytes()
    if needed > max(room, free):
        told = f"a worker has {format_bytes(room)} and " if isinstance(work, Cluster) else ""
        raise MemoryError(
            f"the sparse eigenproblem of {n_points} points takes about {format_bytes(needed)} in "
            f"one place, and {told}{format_bytes(free)} are free here; start one worker with more "
            "memory, lower n_neighbors, or use LandmarkIsomap or scale.by_sample, which have none"
        )


def solve_with_room(stated: EigenProblem, count: int, seed: int) -> Spectrum:
    """Solve a sparse eigenproblem on the worker with the most memory, or here if that is too small.

    Other problems are operators that ask the workers for their products, from here.
    """
    work = current_executor()
    if not isinstance(work, Cluster):
        return solve(stated, count, seed=seed)
    if not sp.issparse(stated.matrix):
        with limit_blas_threads():  # workers on this machine have its cores
            return solve(stated, count, seed=seed)
    matrix: Any = stated.matrix
    entries = matrix.nnz / stated.size
    claim_room(stated.size, entries)
    address, room = work.roomiest
    if room < solving_bytes(stated.size, entries):
        return solve(stated, count, seed=seed)
    found: Told = work.run_on(address, _solved, share(stated), count, seed)
    spectrum, stages, advice, warned = found
    replay(stages, [sentence for sentence in advice if sentence not in warned])
    for sentence in warned:
        warn(sentence)
    return spectrum


Told = tuple[Spectrum, tuple[Stage, ...], tuple[str, ...], tuple[str, ...]]


def _solved(handle: Any, count: int, seed: int) -> Told:
    """Solve on a worker; return what was told meanwhile too, which would stay there."""
    opened: Any = handle.open()
    own = replace(opened, matrix=opened.matrix.copy())  # SciPy sorts in place; the file is not ours
    with warnings.catch_warnings(record=True) as caught, recording() as record:
        warnings.simplefilter("always")
        spectrum = solve(own, count, seed=seed)
    report = record.report()
    return spectrum, report.stages, report.advice, tuple(str(w.message) for w in caught)
