"""The two ways to shortest paths: sweeps over the eliminated graph, and Dijkstra's algorithm.

Both are exact. An engine has its own numbering of the points, in which neighbours are near each
other in memory (``position``), and answers chunks of sources, each in a work space of its own, so
that several threads can ask it at once.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..values import Array


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
