"""What a fit by blocks takes: its tasks, the bytes they read and move, and their seconds.

Nothing is run: blocks and cells are counted by the functions that lay out a real fit, for workers
that need not be there. Unit costs are seconds of one core, and rough: they tell minutes from
hours. What a point reaches beyond its own cell depends on the data, and is taken to be that of a
surface; beside it stands what an exact search takes at most, where all pairs are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log2
from typing import Any

from ..distances import TREE_DIMENSIONS, exact_seconds
from ..runtime import format_bytes, in_words
from .cells import count_cells
from .executor import block_ranges, current_executor, imagined
from .landmark_geodesics import landmarks_each, rows_together
from .settings import IN_MEMORY, room_of

TASK = 4e-3  # seconds that a task takes on a worker beside its work
DISPATCH = 3e-3  # and one after the other, on the client and the scheduler
READ = 1.2e-9  # a byte read, and checked, in double precision
FLOP = 5e-10  # of a factorisation or a product, by one core
TREE = 1.4e-7  # a neighbour found by a tree, and doubling of the points of a cell
TREE_COLUMN = 0.03  # of that, for each column
PATH = 1.5e-9  # an edge, source and doubling of the number of points
ARC = 8e-9  # a pair of points whose geodesic is swept by elimination, on a surface
KEY = 2e-8  # a number that goes into the key of its row
CLIENT_EDGE = 6e-7  # an edge that is made undirected, and looked at for components, on the client
CLIENT_HELD = 26.0  # bytes of an edge while the graph is made undirected, on the client
CLIENT = 7e8  # and bytes of the client beside: its libraries, and edges that are sorted
REACHED = 9  # cells that a cell looks into: itself and those around, on a surface
PRODUCTS = 4  # with the table of geodesics, for the vectors of exact Isomap
STORED = 4  # bytes of a number on disk

REDUCED = {"pca", "random-projection", "feature-map-pca", "polynomial-pca"}
LANDMARKS = {"landmark-mds", "landmark-isomap", "kernel-pca"}


@dataclass(frozen=True, slots=True)
class Imagined:
    """Workers that are not there."""

    n_workers: int
    task_bytes: float

    def results(self, function: Any, items: Any, shared: Any) -> Any:
        """Refuse to work."""
        raise RuntimeError("these workers are imagined, to count the tasks they would have")

    def computed(self, blocks: Any) -> Any:
        """Refuse to work."""
        return self.results(None, blocks, ())


@dataclass(frozen=True, slots=True)
class BlockStage:
    """A stage of a fit by blocks: its tasks, bytes read, bytes moved between machines, seconds.

    ``held`` are the most bytes that one task takes; ``at_most`` the seconds where the points have
    no structure that a search could use.
    """

    name: str
    tasks: int
    read: float
    moved: float
    seconds: float
    held: float = 0.0
    at_most: float = 0.0


@dataclass(frozen=True, slots=True)
class Layout:
    """How large a fit is: rows, columns, neighbours, coordinates, landmarks; and its workers."""

    n: int
    d: int
    k: int
    q: int
    m: int
    workers: int
    memory: float

    @property
    def table(self) -> float:
        """Bytes of the rows on disk."""
        return float(STORED * self.n * self.d)

    def blocks(self, row_bytes: float) -> int:
        """Number of blocks of a pass over the rows."""
        return len(block_ranges(self.n, row_bytes))

    def spread(self, seconds: float, tasks: int) -> float:
        """Return the seconds of work that is shared out over the workers, and handed out here."""
        shared = (seconds + TASK * tasks) / min(self.workers, max(1, tasks))
        return max(shared, DISPATCH * tasks)


def foresee(name: str, size: Layout) -> tuple[BlockStage, ...]:
    """Return the stages of fitting a method by blocks on so many workers of so much memory."""
    with imagined(Imagined(size.workers, room_of(size.memory))):
        if name in REDUCED:
            return tuple(_reduced(size, size.d))
        if name == "kernel-pca":
            return tuple(_reduced(size, size.m))
        if name == "landmark-mds":
            return (_passes(size), _placing(size, size.m))
        return tuple(_graph(name, size))


def _reduced(s: Layout, width: int) -> Iterator[BlockStage]:
    held = 8.0 * 6 * (width + s.d)
    tasks = s.blocks(held)
    work = READ * 2 * s.table + FLOP * 2.0 * s.n * width * (width + (0 if width == s.d else s.d))
    moved = 8.0 * tasks * width * (width + 1)
    each = held * s.n / tasks
    yield BlockStage("moments", tasks, s.table, moved, s.spread(work, tasks), each)
    yield _placing(s, width)


def _placing(s: Layout, width: int) -> BlockStage:
    held = 8.0 * 3 * (s.d + width)
    tasks = s.blocks(held)
    seen = 0 if width == s.d else s.d  # columns by which rows are compared with landmarks
    work = READ * 2 * s.table + FLOP * 2.0 * s.n * width * (s.q + seen)
    moved = float(STORED * s.n * s.q)
    return BlockStage("placing", tasks, s.table, moved, s.spread(work, tasks), held * s.n / tasks)


def _passes(s: Layout) -> BlockStage:
    """Landmarks, each the row farthest from those before: a pass over all rows for each."""
    tasks = s.blocks(8.0 * 4 * s.d)
    seconds = s.m * s.spread(READ * 2 * s.table, tasks)
    moved = 8.0 * s.n * s.m
    held = 8.0 * 4 * s.d * s.n / tasks
    return BlockStage("landmarks", s.m * tasks, s.m * s.table, moved, seconds, held)


def _graph(name: str, s: Layout) -> Iterator[BlockStage]:
    tasks = s.blocks(8.0 * 4 * s.d)
    held = 8.0 * 4 * s.d * s.n / tasks
    work = 2 * (READ * s.table + KEY * s.n * s.d)
    yield BlockStage("copies", tasks, s.table, 16.0 * s.n, s.spread(work, tasks), held)
    tasks, cells = s.blocks(8.0 * 6 * s.d), count_cells(s.n, s.d)
    work = READ * 5 * s.table
    moved = 8.0 * tasks * cells * (2 * s.d + 1)
    held = 8.0 * 6 * s.d * s.n / tasks
    yield BlockStage("boxes", tasks, s.table, moved, s.spread(work, tasks), held)
    moved = 8.0 * tasks * cells
    yield BlockStage("arranging", tasks, s.table, moved, s.spread(work, tasks), held)
    yield _searching(s, cells)
    edges = 1.4 * s.n * s.k
    yield BlockStage("graph", 0, 0.0, 0.0, CLIENT_EDGE * edges, CLIENT + CLIENT_HELD * edges)
    if name == "landmark-isomap":
        yield _passes(s)
        yield from _geodesics(s, edges)
    elif name == "isomap":
        moved = 8.0 * PRODUCTS * s.n * (s.q + 14) * 2
        work, tasks = ARC * float(s.n) ** 2, 2 * s.workers * PRODUCTS
        held = 24.0 * edges + 4.0 * float(s.n) ** 2 / (2 * s.workers)
        yield BlockStage("products", tasks, 0.0, moved, s.spread(work, tasks), held)
    else:
        yield BlockStage("spectrum", 0, 0.0, 0.0, 2e-5 * s.n * log2(max(s.n, 2)), 3000.0 * s.n)


def _geodesics(s: Layout, edges: float) -> Iterator[BlockStage]:
    """Shortest paths from the landmarks: by workers that have room for the graph, else here.

    A large table is not moved: a second pass returns what landmarks give to each point's place.
    """
    work, held, where = PATH * edges * log2(max(s.n, 2)) * s.m, 24.0 * edges, current_executor()
    if held > where.task_bytes:
        yield BlockStage("geodesics", 0, 0.0, 0.0, work, held)
        return
    if 8.0 * s.m * s.n <= IN_MEMORY:
        tasks = -(-s.m // rows_together((s.m, s.n), where))
        yield BlockStage("geodesics", tasks, 0.0, 8.0 * s.m * s.n, s.spread(work, tasks), held)
        return
    tasks = -(-s.m // landmarks_each(s.m, where))
    yield BlockStage("geodesics", tasks, 0.0, 8.0 * s.m**2, s.spread(work, tasks), held)
    moved, held = 8.0 * tasks * s.n * s.q, held + 32.0 * s.n * s.q
    yield BlockStage("placing", tasks, 0.0, moved, s.spread(work, tasks), held)


def _searching(s: Layout, cells: int) -> BlockStage:
    """Each cell is read by those around it; where no box is far enough, all pairs of cells meet."""
    reached, each = min(cells, REACHED), s.n / cells
    work = TREE * (1 + TREE_COLUMN * s.d) * s.n * s.k * log2(max(each, 2))
    work += READ * 3 * s.table * reached
    held = each * (8.0 * 8 * s.d + 2_500)
    moved, seconds = 24.0 * s.n * s.k, s.spread(work, cells)
    if s.d > TREE_DIMENSIONS:  # by products, each pair of cells from both sides
        pairs = 2 * exact_seconds(s.n, s.d) + READ * 3 * s.table * cells
        at_most = max(seconds, s.spread(pairs, cells))
        return BlockStage("searching", cells, s.table * reached, moved, seconds, held, at_most)
    return BlockStage("searching", cells, s.table * reached, moved, seconds, held)


def as_table(stages: tuple[BlockStage, ...]) -> str:
    """Return the stages as lines of text."""
    lines = [f"{'stage':<12}{'tasks':>9}{'read':>12}{'moved':>12}{'a task holds':>14}  seconds"]
    for s in stages:
        sizes = (format_bytes(s.read), format_bytes(s.moved), format_bytes(s.held))
        tasks = f"{s.tasks:,}" if s.tasks else "client"
        lines.append(
            f"{s.name:<12}{tasks:>9}{sizes[0]:>12}{sizes[1]:>12}{sizes[2]:>14}"
            f"  {s.seconds:,.0f} ({in_words(s.seconds)})"
        )
        if s.at_most > s.seconds:
            lines[-1] += f", at most {in_words(s.at_most)}"
    here = max((s.held for s in stages if not s.tasks), default=0.0)
    if here:
        lines.append(f"the client holds {format_bytes(here)}, whatever the workers have")
    return "\n".join(lines)
