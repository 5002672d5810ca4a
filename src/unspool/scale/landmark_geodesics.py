"""Geodesic distances from landmarks to all points, and the map that they make.

Where the table of landmarks and points is small it is kept, as a single machine keeps it. A large
one is written to a file where one process does everything, if the disk has room. Workers make none:
a first pass gives the distances among the landmarks, which are all that their eigenproblem asks
for; a second makes the paths again and adds up what each landmark gives to each point's place. Only
who places other points later asks for the table, which is then written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..extension import divide
from ..paths import ShortestPaths, prepare_paths
from ..relation import GramMap
from ..runtime import claim
from ..values import Array, NeighborGraph
from .executor import Cluster, Executor, InProcess, current_executor, run_blocks
from .geodesics import GRAPH_EDGE
from .settings import (
    IN_MEMORY,
    BlockSize,
    Folder,
    Result,
    check_disk,
    checkpoint_key,
    create_table,
    current_settings,
    free_on_disk,
    make_folder,
    read_rows,
    remembered,
    share,
    write_rows,
)

GRAPH_POINT = (
    8.0 * 8
)  # bytes that a prepared graph takes for a point, with the workspace of few rows
GATHERED = 16_384  # rows of a file looked at together: pages of more would fill a worker
PLACED = 65_536  # points whose part of a table is read, or turned over, at a time
MOST_TOGETHER = 8  # landmarks of a task that returns rows
ROWS_TOGETHER = 64e6  # bytes of rows of geodesics that are held at once
EACH = 2  # tasks for each worker, where sums are returned
WHOLE = 2.0**62  # sums are counted in this part of the most that they can be


@dataclass(frozen=True)
class RowsInFile:
    """A table (m, n) in a file that holds it column by column; columns are gathered from it."""

    path: str
    shape: tuple[int, int]
    folder: Folder = field(repr=False)

    def __getitem__(self, place: tuple[slice, Any]) -> Array:
        if isinstance(place[1], slice):
            first, last, _ = place[1].indices(self.shape[1])
            found = read_rows(np.load(self.path, mmap_mode="r"), first, last)
            return np.asarray(found.T[place[0]])
        columns = np.asarray(place[1])
        out = np.empty((len(columns), self.shape[0]))
        for first in range(0, len(columns), GATHERED):
            some = slice(first, first + GATHERED)
            table = np.load(self.path, mmap_mode="r")  # anew: pages that were read are let go
            out[some] = table[columns[some]]
        return np.asarray(out.T[place[0]])


@dataclass(frozen=True)
class Survey:
    """What the first pass tells: the lengths among the landmarks, and how far each one sees."""

    among: Array
    farthest: Array


@dataclass(frozen=True, eq=False)
class LandmarkPaths:
    """Geodesics (m, n) from landmarks to all points, of which no table is made but on demand.

    Another process to which this is sent has the table, in its file.
    """

    handle: Any = field(repr=False)  # of the graph
    landmarks: Array
    n_points: int
    beside: float  # bytes of the graph, where paths are made
    key: str = field(repr=False)  # of graph and landmarks, in a checkpoint
    folder: Folder = field(repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Landmarks and points."""
        return len(self.landmarks), self.n_points

    def __reduce__(self) -> Any:
        return _same, (self.make_table(),)

    def __getitem__(self, place: tuple[slice, Any]) -> Array:
        return self.make_table()[place]

    @property
    def is_written(self) -> bool:
        """Whether the table is there."""
        return "_made" in vars(self)

    def make_table(self) -> RowsInFile:
        """Return the table, written when it is first asked for."""
        with self._lock:  # blocks of rows are placed by several threads
            if not self.is_written:
                object.__setattr__(self, "_made", self._write())
        made: RowsInFile = vars(self)["_made"]
        return made

    @property
    def file_bytes(self) -> float:
        """Bytes on disk while the table is turned over: of both ways round."""
        return 16.0 * len(self.landmarks) * self.n_points

    def _write(self) -> RowsInFile:
        """Write the rows as they come, then turn the table over, some points at a time."""
        m, n = self.shape
        check_disk(self.folder, self.file_bytes, f"a table of {m} x {n} geodesics, turned over,")
        folder = Path(self.folder.path)
        rows = create_table(folder / "rows.npy", (m, n), np.float64)
        for first, lengths in _rows(self.handle.open(), self.landmarks, self.beside):
            write_rows(rows, lengths, [(first, slice(None))])
        columns = create_table(folder / "columns.npy", (n, m), np.float64)
        for first in range(0, n, PLACED):
            part = np.load(rows, mmap_mode="r")[:, first : first + PLACED].T
            write_rows(columns, part, [(first, slice(None))])
        Path(rows).unlink()
        return RowsInFile(columns, (m, n), self.folder)

    @property
    def _parts(self) -> list[slice]:
        """Return which landmarks each task has."""
        where = executor_for(self.beside, self.n_points)
        step = landmarks_each(len(self.landmarks), where)
        step = remembered(f"landmarks summed {self.key}", step)
        return [slice(at, at + step) for at in range(0, len(self.landmarks), step)]

    def _pass(self, name: str, function: Any, items: list[Any], width: int = 0) -> Any:
        """Yield what tasks make of all geodesics, of which each holds few rows at a time."""
        where = executor_for(self.beside, self.n_points)
        together = rows_together(self.shape, where)
        key = self.key and checkpoint_key(self.key, *(part for item in items for part in item))
        size = block_size(self.n_points, together, self.beside, width)
        options: Any = {"key": key, "where": where, "size": size}
        return run_blocks(name, function, items, self.handle, together, **options)

    @cached_property
    def survey(self) -> Survey:
        """The lengths among the landmarks, and how far each is from the farthest point."""
        parts = self._parts
        items = [(self.landmarks[part], self.landmarks) for part in parts]
        survey = Survey(np.empty((self.shape[0],) * 2), np.empty(self.shape[0]))
        for number, found in self._pass("geodesics", _look_around, items):
            survey.among[parts[number]], survey.farthest[parts[number]] = found
        return survey

    def place(self, fitted: GramMap) -> Array:
        """Return the coordinates of all points: the sum of what each landmark gives to them.

        Rows of similarities s are placed at (s - c) (A - 1 a') / eigenvalues, with c the means of
        the columns and a that of the anchors A: landmark by landmark. Sums are whole numbers of a
        unit, so that they are the same in whatever order they come.
        """
        centering: Any = fitted.centering
        means, anchors = centering.column_means, fitted.anchors - fitted.anchors.mean(axis=0)
        most = (0.5 * np.square(self.survey.farthest) + np.abs(means)) @ np.abs(anchors)
        unit = np.where(most > 0, most, 1.0) / WHOLE
        items = [(self.landmarks[part], means[part], anchors[part], unit) for part in self._parts]
        total = np.zeros((self.n_points, anchors.shape[1]), dtype=np.int64)
        for _, (part,) in self._pass("placing", _add_up, items, anchors.shape[1]):
            total += part
        return divide(total * unit, fitted.eigenvalues)


def _same(value: Any) -> Any:
    return value


def landmark_geodesics(graph: NeighborGraph, landmarks: Array) -> Array | LandmarkPaths:
    """Return the geodesic distances from landmarks to all points, (m, n); if large, their paths.

    Workers that have room for the graph share the landmarks; else they are worked out here.
    """
    m, n = len(landmarks), graph.n_points
    paths = prepare_paths(graph, n_sources=m)
    beside = GRAPH_EDGE * graph.n_edges + GRAPH_POINT * n
    key = checkpoint_key(*graph.edges, landmarks)
    if 8.0 * m * n > IN_MEMORY:
        handle = replace(share(paths), lasting=None)  # the graph is in a file from here on
        large = LandmarkPaths(handle, landmarks, n, beside, key, make_folder("geodesics"))
        here = isinstance(executor_for(beside, n), InProcess)
        if here and large.file_bytes < free_on_disk(large.folder):
            large.make_table()  # a second pass takes longer than to write what the first one made
        return large
    table = np.empty((m, n))
    for first, rows in _rows(paths, landmarks, beside, key):
        table[first : first + len(rows)] = rows
    return table


def place_by_landmarks(geodesics: Array | LandmarkPaths, fitted: GramMap) -> Array:
    """Return the coordinates of all points by their geodesics to the landmarks."""
    n, width = geodesics.shape[1], fitted.anchors.shape[1]
    claim(24 * n * width, f"the map of {n} points", "use scale.by_sample")
    if isinstance(geodesics, LandmarkPaths) and not geodesics.is_written:
        return geodesics.place(fitted)
    out = np.empty((n, width))
    for first in range(0, n, PLACED):
        some = slice(first, min(first + PLACED, n))
        out[some] = fitted.place(-0.5 * np.square(geodesics[:, some].T))
    return out


def lengths_among(geodesics: Array | LandmarkPaths, landmarks: Array) -> Array:
    """Return the geodesic distances among the landmarks."""
    if isinstance(geodesics, LandmarkPaths) and not geodesics.is_written:
        return geodesics.survey.among
    return geodesics[:, landmarks]


def executor_for(beside: float, n_points: int) -> Executor:
    """Return the workers, if they have room for a graph of so many bytes; else this process."""
    work = current_executor()
    if isinstance(work, Cluster) and beside > work.task_bytes:
        claim(2 * beside, f"the graph of {n_points} points", "use scale.by_sample")
        return InProcess()
    return work


def rows_together(shape: tuple[int, int], where: Executor) -> int:
    """Return how many rows of geodesics a task holds at once."""
    given = current_settings().chunk_rows or MOST_TOGETHER
    even, room = -(-shape[0] // where.n_workers), int(ROWS_TOGETHER // (8 * shape[1]))
    return max(1, min(MOST_TOGETHER, given, even, room))


def landmarks_each(n_landmarks: int, where: Executor) -> int:
    """Return how many landmarks a task has that returns sums: few tasks, as each moves a map."""
    return -(-n_landmarks // (EACH * where.n_workers))


def block_size(n_points: int, together: int, beside: float, width: int = 0) -> BlockSize:
    """Return what a task takes: a graph, rows of geodesics, and sums for so many coordinates."""
    row = 8.0 * n_points
    return BlockSize(together, 2 * row, beside=beside + 4 * row * width)


def _rows(
    paths: ShortestPaths, landmarks: Array, beside: float, key: str = ""
) -> Iterator[tuple[int, Array]]:
    """Yield the number of a landmark, and rows of geodesics from there on."""
    n = paths.n_points
    where = executor_for(beside, n)
    step = remembered(f"landmarks {key}", rows_together((len(landmarks), n), where))
    items = [landmarks[first : first + step] for first in range(0, len(landmarks), step)]
    options: Any = {"where": where, "size": block_size(n, step, beside)}
    key = key and f"{key} {step}"
    for number, (rows,) in run_blocks("geodesics", _rows_from, items, paths, key=key, **options):
        yield number * step, rows


def _rows_from(sources: Array, paths: ShortestPaths) -> Result:
    return (paths.rows(sources),)


def _strips(paths: ShortestPaths, sources: Array, together: int) -> Iterator[tuple[slice, Array]]:
    """Yield some of the sources and their rows of geodesics."""
    for at in range(0, len(sources), together):
        some = slice(at, at + together)
        yield some, paths.rows(sources[some])


def _look_around(item: tuple[Array, Array], handle: Any, together: int) -> Result:
    """Return the lengths from some landmarks to all, and to the farthest point."""
    sources, landmarks = item
    among, farthest = np.empty((len(sources), len(landmarks))), np.empty(len(sources))
    for some, rows in _strips(handle.open(), sources, together):
        among[some], farthest[some] = rows[:, landmarks], rows.max(axis=1)
    return among, farthest


def _add_up(item: tuple[Array, Array, Array, Array], handle: Any, together: int) -> Result:
    """Return what some landmarks give to the place of each point, in whole numbers of a unit."""
    sources, means, anchors, unit = item
    paths: ShortestPaths = handle.open()
    total = np.zeros((paths.n_points, anchors.shape[1]))
    for some, rows in _strips(paths, sources, together):
        np.square(rows, out=rows)
        rows *= -0.5
        rows -= means[some, None]
        total += rows.T @ anchors[some]
    total /= unit
    return (np.rint(total, out=total).astype(np.int64),)
