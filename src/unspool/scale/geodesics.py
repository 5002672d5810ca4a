"""Geodesic distances on the workers: blocks of sources, each with the whole graph.

The prepared graph goes to each worker once, as a file. A product with the table of all geodesics is
spread over blocks of sources; the blocks stay on the workers where there is room for them, and are
made anew for each product where there is none. Rows of landmarks are written to a file as they
come: no table of landmarks and points is ever in one memory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..paths import Precision, ShortestPaths, prepare_paths
from ..relation import (
    DOUBLE_POINTS,
    INITIAL,
    Chart,
    Component,
    GeodesicOperator,
    GeodesicTable,
    GramMap,
    relate_by_geodesics,
    turn_into_similarities,
)
from ..runtime import claim, format_bytes, limit_blas_threads
from ..spectrum import double_product
from ..values import Array, NeighborGraph
from .executor import Cluster, Executor, InProcess, current_executor, run_blocks
from .settings import (
    IN_MEMORY,
    Folder,
    Result,
    create_table,
    make_folder,
    read_rows,
    share,
    write_rows,
)

FURTHER = 4  # vectors beside the coordinates, where a product is a pass over a table that is held
EACH = 2  # blocks of sources for each thread of a worker
HELD = 0.5  # of what tasks may take, for blocks that stay on a worker
GATHERED = 16_384  # rows of a file looked at together: pages of more would fill a worker
GRAPH_EDGE = 24.0  # bytes that a prepared graph takes for an edge, with its workspace
PLACED = 65_536  # points placed at a time
ROWS_TOGETHER = 64e6  # bytes of rows of geodesics that a task returns


def relate_on_workers(
    component: Component, seed: int, n_coordinates: int
) -> GeodesicTable | GeodesicOperator:
    """Return the relation by geodesic distances, with its products spread over the cluster."""
    work = current_executor()
    if not isinstance(work, Cluster):
        return relate_by_geodesics(component, seed)
    n = component.graph.n_points
    paths = prepare_paths(component.graph)
    _check_fits(work, component.graph, "each product of exact Isomap")
    precision: Precision = "float64" if n <= DOUBLE_POINTS else "float32"
    spread = SpreadPaths.over(paths, work, precision)
    narrow = min(INITIAL, n_coordinates + FURTHER) if spread.held else INITIAL
    with limit_blas_threads():  # workers on this machine have its cores
        return GeodesicOperator.of(spread, seed, component.masses, narrow)


def _check_fits(work: Cluster, graph: NeighborGraph, what: str) -> None:
    """Refuse, before the work, a graph that no worker has room for."""
    needed = GRAPH_EDGE * graph.n_edges + 8.0 * 64 * graph.n_points
    if needed > work.task_bytes:
        raise MemoryError(
            f"{what} needs the graph of {graph.n_points} points on each worker, about "
            f"{format_bytes(needed)}, and a worker has {format_bytes(work.task_bytes)} for it; "
            "use workers with more memory, LandmarkIsomap, or scale.by_sample"
        )


@dataclass(frozen=True)
class SpreadPaths:
    """A prepared graph whose table of geodesics is multiplied by the workers.

    ``held`` are the futures of blocks of the table, where the workers have room for them; they are
    let go with this object.
    """

    paths: ShortestPaths
    handle: Any = field(repr=False)  # the same as tasks take it along
    precision: Precision
    blocks_of: tuple[Array, ...] = field(repr=False)
    held: tuple[Any, ...] = field(repr=False)

    @classmethod
    def over(cls, paths: ShortestPaths, work: Cluster, precision: Precision) -> SpreadPaths:
        """Return the graph, with the blocks of its table under way where they fit."""
        n, size = paths.n_points, np.dtype(precision).itemsize
        most = max(1, int(work.task_bytes / 2 // (size * n)))
        step = max(1, min(most, -(-n // (EACH * work.n_workers))))
        order = np.argsort(paths.solver.position, kind="stable")
        blocks = tuple(order[first : first + step] for first in range(0, n, step))
        held: tuple[Any, ...] = ()
        handle = share(paths)
        if size * float(n) ** 2 <= HELD * work.task_bytes * work.n_workers:
            held = tuple(
                work.client.submit(_held_block, block, handle, precision, pure=False)
                for block in blocks
            )
        return cls(paths, handle, precision, blocks, held)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self.paths.n_points

    def rows(self, sources: Array | None = None, **options: Any) -> Array:
        """Return the path lengths from sources, worked out here."""
        return self.paths.rows(sources, **options)

    def table_product(self, vectors: Array) -> Array:
        """Return -1/2 of the squared geodesics times a block of vectors."""
        product = np.empty((self.n_points, vectors.shape[1]))
        if self.held:
            found = run_blocks("products", _multiply_held, list(self.held), vectors)
        else:
            options = (self.handle, self.precision, vectors)
            found = run_blocks("products", _multiply, list(self.blocks_of), *options)
        for number, (rows,) in found:
            product[self.blocks_of[number]] = rows
        return product


def _similarities(sources: Array, paths: ShortestPaths, precision: Precision) -> Array:
    lengths = paths.rows(sources, precision=precision)
    turn_into_similarities(lengths)
    return lengths


def _held_block(sources: Array, handle: Any, precision: Precision) -> Array:
    from .executor import run_task

    def work(sources: Array, paths: ShortestPaths) -> Result:
        return (_similarities(sources, paths, precision),)

    return run_task(work, sources, (handle,))[0]


def _multiply_held(block: Array, vectors: Array) -> Result:
    return (double_product(block, vectors),)


def _multiply(sources: Array, handle: Any, precision: Precision, vectors: Array) -> Result:
    return (double_product(_similarities(sources, handle.open(), precision), vectors),)


def without_workers(chart: Chart) -> Chart:
    """Return the chart of exact Isomap without what workers hold, which is then let go."""
    relation: Any = chart.relation
    paths = getattr(relation, "paths", None)
    if not isinstance(paths, SpreadPaths):
        return chart
    return replace(chart, relation=replace(relation, paths=paths.paths))


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


def landmark_geodesics(graph: NeighborGraph, landmarks: Array) -> Array | RowsInFile:
    """Return the geodesic distances from landmarks to all points, (m, n): in a file if large.

    Workers that have room for the graph share the landmarks; else they are worked out here.
    """
    m, n = len(landmarks), graph.n_points
    paths, work = prepare_paths(graph, n_sources=m), current_executor()
    needed = GRAPH_EDGE * graph.n_edges + 8.0 * 8 * n
    where: Executor = work
    if isinstance(work, Cluster) and needed > work.task_bytes:
        claim(2 * needed, f"the graph of {n} points", "use scale.by_sample")
        where = InProcess()
    step = max(1, min(8, -(-m // where.n_workers), int(ROWS_TOGETHER // (8 * n))))
    items = [landmarks[first : first + step] for first in range(0, m, step)]
    found = run_blocks("geodesics", _rows_from, items, paths, where=where)
    if 8.0 * m * n <= IN_MEMORY:
        table = np.empty((m, n))
        for number, (rows,) in found:
            table[number * step : number * step + len(rows)] = rows
        return table
    return _written(found, (m, n), step)


def _written(found: Any, shape: tuple[int, int], step: int) -> RowsInFile:
    """Write the rows as they come, then turn the table over, some points at a time."""
    folder = make_folder("geodesics", str(os.urandom(8)))
    as_rows, as_columns = (Path(folder.path) / name for name in ("rows.npy", "columns.npy"))
    rows = create_table(as_rows, shape, np.float64)
    for number, (lengths,) in found:
        write_rows(rows, lengths, [(number * step, slice(None))])
    columns = create_table(as_columns, shape[::-1], np.float64)
    for first in range(0, shape[1], PLACED):
        part = np.load(rows, mmap_mode="r")[:, first : first + PLACED].T
        write_rows(columns, part, [(first, slice(None))])
    as_rows.unlink()
    return RowsInFile(columns, shape, folder)


def _rows_from(sources: Array, paths: ShortestPaths) -> Result:
    return (paths.rows(sources),)


def place_by_landmarks(geodesics: Array | RowsInFile, fitted: GramMap) -> Array:
    """Return the coordinates of all points by their geodesics to the landmarks, block by block."""
    n = geodesics.shape[1]
    claim(8 * n * fitted.anchors.shape[1], f"the map of {n} points", "use scale.by_sample")
    out = np.empty((n, fitted.anchors.shape[1]))
    for first in range(0, n, PLACED):
        some = slice(first, min(first + PLACED, n))
        out[some] = fitted.place(-0.5 * np.square(geodesics[:, some].T))
    return out
