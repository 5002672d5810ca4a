"""The two ways to shortest paths: sweeps over the eliminated graph, and Dijkstra's algorithm.

Both are exact. An engine has its own numbering of the points, in which neighbours are near each
other in memory (``position``), and answers chunks of sources, each in a work space of its own, so
that several threads can ask it at once.

Which engine answers for the shortest paths: the one whose predicted time is shorter.

Dijkstra's algorithm costs about edges x log2(points) for each source. A sweep costs one step for
each arc of the filled graph and source, ten times cheaper since it runs over contiguous sources;
but first the vertices must be ordered and eliminated, and the fill depends on the graph. It is
counted before any arc is computed, so that a wrong turn costs the ordering only. The constants and
what they predicted are in docs/decisions/009-geodesics-by-elimination.md.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

import numpy as np

from ..ordering import Elimination, plan_elimination
from ..runtime import Running, available_bytes, claim, thread_count
from ..values import Array, NeighborGraph
from .dijkstra import near_each_other, searched
from .elimination import eliminated


class Engine(Protocol):
    """Answers chunks of sources."""

    @property
    def name(self) -> str: ...  # noqa: D102 (a protocol's fields speak for themselves)
    @property
    def position(self) -> Array: ...  # noqa: D102
    @property
    def chunk(self) -> int: ...  # noqa: D102
    def rounded(self, dtype: Any) -> Engine: ...  # noqa: D102
    def space_bytes(self, n_sources: int) -> int: ...  # noqa: D102
    def space(self, n_sources: int) -> Any: ...  # noqa: D102
    def solve(self, sources: Array, rows: Array, out: Array, space: Any) -> None: ...  # noqa: D102


Wanted = Literal["auto", "elimination", "dijkstra"]

# Seconds on one core; only their ratios decide anything.
ORDERING = 5e-8  # to order the vertices, an edge and doubling of the number of points
DISSECTING = 1.5e-6  # to order them by nested dissection, an edge
FILLING = 5e-8  # to find the filled pattern, an arc
SHORTENING = 1.5e-10  # to shorten the arcs, a pair of arcs that meet
SWEEPING = 2e-10  # to sweep, an arc and source
SEARCHING = 6e-10  # Dijkstra, an edge, source and doubling of the number of points
TOGETHER = 3e-10  # the same where near sources share a search

WORTH_DISSECTING = 64  # arcs a vertex: below, minimum degree fills in no more (Swiss roll: 24-40)
SAVED = 1 / 3  # of the elimination by nested dissection above that, about
LEAST_SAVED = 3.0  # seconds: its kernels take longer than that to compile when first used
ARC_BYTES = 4 + 8 + 4  # the end of an arc, its length, and a rounded copy


def choose(graph: NeighborGraph, n_sources: int, wanted: Wanted, running: Running) -> Engine:
    """Return the engine for ``n_sources``: the wanted one, or the one that is done first."""
    if wanted not in ("auto", "elimination", "dijkstra"):
        raise ValueError(f"engine must be 'auto', 'elimination' or 'dijkstra'; got {wanted!r}")
    turns, work = _turns(n_sources), graph.n_edges * np.log2(max(graph.n_points, 2))
    by_search = (TOGETHER if near_each_other(graph, n_sources) else SEARCHING) * work * turns
    without_fill = ORDERING * work + SWEEPING * graph.n_edges / 2 * turns
    if wanted == "elimination" or (wanted == "auto" and without_fill < by_search):
        plan = _planned(graph, n_sources)
        needed = ARC_BYTES * plan.fill
        running.note(fill=round(plan.fill / graph.n_points, 1))
        pays = _elimination_seconds(plan, n_sources) < by_search and needed < available_bytes()
        if pays or wanted == "elimination":
            claim(needed, f"the eliminated graph of {graph.n_points} points", "use 'dijkstra'")
            running.note(engine="elimination", holds=needed)
            return eliminated(graph, plan)
    running.note(engine="dijkstra", holds=16 * graph.n_edges)
    return searched(graph, n_sources)


def _planned(graph: NeighborGraph, n_sources: int) -> Elimination:
    """Return a plan by minimum degree, or by nested dissection where that is worth its time."""
    pattern = graph.with_weights(np.ones(graph.n_edges, dtype=np.int8))
    plan = plan_elimination(pattern)
    seconds = _elimination_seconds(plan, n_sources)
    filled = plan.fill > WORTH_DISSECTING * graph.n_points
    if not filled or SAVED * seconds < DISSECTING * graph.n_edges + LEAST_SAVED:
        return plan
    other = plan_elimination(pattern, nested=True)
    return other if _elimination_seconds(other, n_sources) < seconds else plan


def _elimination_seconds(plan: Elimination, n_sources: int) -> float:
    once = FILLING * plan.fill + SHORTENING * plan.flops
    return once + SWEEPING * plan.fill * _turns(n_sources)


def _turns(n_sources: int) -> float:
    """Return the sources that each thread has to answer."""
    return n_sources / max(1, min(thread_count(), n_sources))
