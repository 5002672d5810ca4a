"""Cells: the points of a source put side by side, those of one cell in one place on disk.

A tree of median splits, made of a sample, says which cell a point is in. A first pass over the rows
counts them and finds the boxes of the cells; a second writes each row where it belongs, so that a
cell is a range of one file. The boxes are exact: they bound from below how far any point of a cell
is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..distances import exact_bytes
from ..runtime import stage
from ..values import Array
from .executor import block_ranges, current_executor, in_order, run_blocks
from .files import as_float
from .settings import (
    BlockSize,
    Folder,
    Result,
    create_table,
    current_settings,
    make_folder,
    read_rows,
    remembered,
    write_rows,
)
from .sources import Source

SAMPLED = 200  # points for each cell by which space is split
MOST_SAMPLED = 200_000
SMALLEST = 1_000  # points of a cell: fewer are searched before a task has begun
NEIGHBORS = 32  # neighbours of a point whose room is foreseen


@dataclass(frozen=True, slots=True)
class Splits:
    """A tree of splits: a point goes left where its coordinate ``axis`` is at most ``cut``.

    ``left`` and ``right`` are nodes; a leaf has its cell there, as -1 - cell.
    """

    axis: Array
    cut: Array
    left: Array
    right: Array

    def cells_of(self, points: Array) -> Array:
        """Return the cell of each point."""
        node = np.zeros(len(points), dtype=np.int64)
        if len(self.axis) == 0:
            return node
        while (inside := np.flatnonzero(node >= 0)).size:
            at = node[inside]
            goes_left = points[inside, self.axis[at]] <= self.cut[at]
            node[inside] = np.where(goes_left, self.left[at], self.right[at])
        return -1 - node


def split(sample: Array, n_cells: int) -> tuple[Splits, int]:
    """Return a tree of about ``n_cells`` cells with equally many points of a sample, and how many.

    Each split halves the longest side of a set, by its spread.
    """
    nodes: list[list[float]] = []
    cells = 0

    def grow(points: Array, wanted: int) -> int:
        nonlocal cells
        axis, cut = _halve(points) if wanted > 1 else (-1, 0.0)
        if axis < 0:
            cells += 1
            return -cells
        place = len(nodes)
        nodes.append([axis, cut, 0, 0])
        goes_left = points[:, axis] <= cut
        nodes[place][2] = grow(points[goes_left], wanted // 2)
        nodes[place][3] = grow(points[~goes_left], wanted - wanted // 2)
        return place

    grow(sample, n_cells)
    table = np.array(nodes).reshape(-1, 4)
    axis, left, right = (table[:, column].astype(np.int64) for column in (0, 2, 3))
    return Splits(axis, table[:, 1], left, right), cells


def _halve(points: Array) -> tuple[int, float]:
    """Return the column of most spread that can be cut, and where; -1 where none can."""
    if len(points) < 2:
        return -1, 0.0
    for axis in np.argsort(-points.var(axis=0), kind="stable")[:3]:
        values = np.unique(points[:, axis])
        if len(values) > 1:
            middle = np.median(points[:, axis])
            below = min(int(np.searchsorted(values, middle, side="right")), len(values) - 1)
            return int(axis), float(values[below - 1])
    return -1, 0.0


@dataclass(frozen=True, slots=True)
class Cells:
    """Points on disk in the order of their cells: ``starts[c]`` is where cell c begins."""

    folder: Folder
    splits: Splits
    starts: Array
    low: Array
    high: Array
    n_points: int

    @property
    def count(self) -> int:
        """Number of cells."""
        return len(self.low)

    @property
    def largest(self) -> int:
        """Points of the largest cell."""
        return int(np.diff(self.starts).max())

    @property
    def n_columns(self) -> int:
        """Number of columns of the points."""
        return int(self.low.shape[1])

    def read(self, cell: int) -> tuple[Array, Array]:
        """Return the points of a cell in float64 and their numbers, in increasing order."""
        span = slice(int(self.starts[cell]), int(self.starts[cell + 1]))
        rows, numbers = (np.load(path, mmap_mode="r") for path in _names(self.folder.path))
        points = np.asarray(read_rows(rows, span.start, span.stop), dtype=np.float64)
        return points, read_rows(numbers, span.start, span.stop)[:, 0]

    def squared_gaps(self, points: Array, cell: int) -> Array:
        """Return how far points are from the box of a cell, squared."""
        gaps = np.maximum(self.low[cell] - points, points - self.high[cell])
        return np.asarray(np.square(np.maximum(gaps, 0.0, out=gaps), out=gaps).sum(axis=1))

    def squared_gaps_to_box(self, points: Array) -> Array:
        """Return how far the boxes of all cells are from that of some points, squared."""
        least = np.minimum.reduce(points, axis=0, initial=np.inf)
        most = np.maximum.reduce(points, axis=0, initial=-np.inf)
        gaps = np.maximum(self.low - most, least - self.high)
        return np.asarray(np.square(np.maximum(gaps, 0.0)).sum(axis=1))

    @property
    def nbytes(self) -> int:
        """Bytes of the files."""
        return sum(file.stat().st_size for file in Path(self.folder.path).iterdir())


def _names(folder: str) -> tuple[str, str]:
    """Return the files of the points and of their numbers."""
    return os.path.join(folder, "points.npy"), os.path.join(folder, "numbers.npy")


def point_bytes(n_columns: int) -> float:
    """Return the bytes that a point of a cell is foreseen to take while the cell is searched."""
    return exact_bytes(1, n_columns, NEIGHBORS) + 8.0 * 6 * n_columns


def count_cells(n_points: int, n_columns: int) -> int:
    """Return how many cells there are: as few as fit the workers, at least one for each."""
    given, work = current_settings().chunk_rows, current_executor()
    room = given or max(SMALLEST, int(work.task_bytes // point_bytes(n_columns)))
    fewest = min(work.n_workers, n_points // SMALLEST) if given is None else 1
    count = int(max(1, fewest, -(-n_points // room)))
    return count if given else remembered(f"cells {n_points} {n_columns}", count)


def arrange(source: Source, seed: int) -> Cells:
    """Put the points of a source into cells on disk."""
    n, width = source.shape
    wanted = count_cells(n, width)
    rng = np.random.default_rng(seed)
    drawn = np.sort(rng.choice(n, min(n, MOST_SAMPLED, SAMPLED * wanted), replace=False))
    with stage("cells") as running:
        splits, count = split(source[drawn], wanted)
        running.note(cells=count)
    folder = make_folder("cells", f"{source.fingerprint} {wanted} {seed}")
    held = 8.0 * 6 * width
    ranges = block_ranges(n, held)
    key, size = f"{source.fingerprint} {wanted} {seed} {ranges}", BlockSize.of(ranges, held)
    found = run_blocks("boxes", _box_block, ranges, source, splits, count, key=key, size=size)
    counts = np.empty((len(ranges), count), dtype=np.int64)
    low, high = np.full((count, width), np.inf), np.full((count, width), -np.inf)
    for block, (inside, lowest, highest) in enumerate(in_order(found)):
        counts[block] = inside
        np.minimum(low, lowest, out=low)
        np.maximum(high, highest, out=high)
    starts = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    rows, numbers = (Path(name) for name in _names(folder.path))
    create_table(rows, source.shape, as_float(source.dtype))
    create_table(numbers, (n, 1), np.int64)
    places = starts[:-1] + np.cumsum(counts, axis=0) - counts  # of each block in each cell
    items = [*zip(ranges, places, strict=True)]
    options = (source, splits, folder)
    for _ in run_blocks("arranging", _arrange_block, items, *options, key=key, size=size):
        pass
    return Cells(folder, splits, starts, low, high, n)


def _box_block(rows: tuple[int, int], source: Source, splits: Splits, count: int) -> Result:
    """Return how many rows of a block are in each cell, and the boxes around them."""
    points = source.read(*rows)
    cells = splits.cells_of(points)
    order = np.argsort(cells, kind="stable")
    counts = np.bincount(cells, minlength=count)
    low = np.full((count, points.shape[1]), np.inf)
    high = -low
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    filled = counts > 0
    low[filled] = np.minimum.reduceat(points[order], starts[filled], axis=0)
    high[filled] = np.maximum.reduceat(points[order], starts[filled], axis=0)
    return counts, low, high


def _arrange_block(
    item: tuple[tuple[int, int], Array], source: Source, splits: Splits, folder: Folder
) -> Result:
    """Write the rows of a block into their cells, each after those of the blocks before."""
    (start, stop), places = item
    points = source.read_range(start, stop)
    cells = splits.cells_of(np.asarray(points, dtype=np.float64))
    order = np.argsort(cells, kind="stable")
    counts = np.bincount(cells, minlength=len(places))
    ends = np.cumsum(counts)
    filled = np.flatnonzero(counts)
    spans = [(int(places[c]), slice(int(ends[c] - counts[c]), int(ends[c]))) for c in filled]
    rows, numbers = _names(folder.path)
    write_rows(rows, points[order], spans)
    write_rows(numbers, (start + order)[:, None], spans)
    return (np.array([len(points)]),)
