"""Products with all geodesic distances on the workers: blocks of sources, each with the graph.

The prepared graph goes to each worker once, as a file. A product with the table of all geodesics is
spread over blocks of sources; the blocks stay on the workers where there is room for them, and are
made anew for each product where there is none. A checkpoint keeps what each block gave to each
product: a run that resumes makes no block before the first product that was not finished.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, overload

import numpy as np

from ..paths import Precision, ShortestPaths, prepare_paths
from ..relation import (
    DOUBLE_POINTS,
    INITIAL,
    Chart,
    Component,
    GeodesicOperator,
    GeodesicTable,
    relate_by_geodesics,
    turn_into_similarities,
)
from ..runtime import format_bytes, limit_blas_threads
from ..spectrum import double_product
from ..values import Array, NeighborGraph
from .executor import Cluster, current_executor, run_blocks
from .settings import BlockSize, Result, checkpoint_key, current_settings, remembered, share

FURTHER = 4  # vectors beside the coordinates, where a product is a pass over a table that is held
EACH = 2  # blocks of sources for each thread of a worker
HELD = 0.5  # of what tasks may take, for blocks that stay on a worker
GRAPH_EDGE = 24.0  # bytes that a prepared graph takes for an edge, with its workspace
GRAPH_POINT = 8.0 * 64  # and for a point
BLOCK_HELD = 2.0  # blocks of a table in memory while one is made


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
    key = checkpoint_key(*component.graph.edges, precision)
    spread = SpreadPaths.over(paths, work, precision, graph_bytes(component.graph), key)
    narrow = min(INITIAL, n_coordinates + FURTHER) if spread.held is not None else INITIAL
    narrow = remembered(f"initial vectors {key} {n_coordinates}", narrow)
    with limit_blas_threads():  # workers on this machine have its cores
        return GeodesicOperator.of(spread, seed, component.masses, narrow)


def graph_bytes(graph: NeighborGraph) -> float:
    """Return the bytes that a worker needs to answer for geodesics."""
    return GRAPH_EDGE * graph.n_edges + GRAPH_POINT * graph.n_points


def _check_fits(work: Cluster, graph: NeighborGraph, what: str) -> None:
    """Refuse, before the work, a graph that no worker has room for."""
    needed = graph_bytes(graph)
    if needed > work.task_bytes:
        raise MemoryError(
            f"{what} needs the graph of {graph.n_points} points on each worker, about "
            f"{format_bytes(needed)}, and a worker has {format_bytes(work.task_bytes)} for it; "
            "use workers with more memory, LandmarkIsomap, or scale.by_sample"
        )


class HeldBlocks(Sequence[Any]):
    """Blocks of the table as futures, each begun when it is first asked for, let go with this."""

    def __init__(self, begin: Callable[[Array], Any], blocks_of: tuple[Array, ...]) -> None:
        self._begin, self._blocks_of = begin, blocks_of
        self._begun: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._blocks_of)

    @overload
    def __getitem__(self, number: int) -> Any: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Any]: ...

    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if number not in self._begun:
            self._begun[number] = self._begin(self._blocks_of[number])
        return self._begun[number]

    def cancel(self) -> None:
        """Let the workers stop with what they make."""
        for future in self._begun.values():
            future.cancel(force=True)
        self._begun.clear()


@dataclass(frozen=True)
class SpreadPaths:
    """A prepared graph whose table of geodesics is multiplied by the workers.

    ``held`` are the blocks of the table, where the workers have room for them. ``key`` tells the
    graph from others in a checkpoint.
    """

    paths: ShortestPaths
    handle: Any = field(repr=False)  # the same as tasks take it along
    precision: Precision
    blocks_of: tuple[Array, ...] = field(repr=False)
    held: HeldBlocks | None = field(repr=False)
    size: BlockSize
    key: str = field(repr=False)

    @classmethod
    def over(
        cls, paths: ShortestPaths, work: Cluster, precision: Precision, beside: float, key: str
    ) -> SpreadPaths:
        """Return the graph, laid out in blocks of sources; ``beside`` is what it takes itself."""
        n, row_bytes = paths.n_points, float(np.dtype(precision).itemsize * paths.n_points)
        most = max(1, int(work.task_bytes / 2 // row_bytes))
        step = max(1, min(most, -(-n // (EACH * work.n_workers))))
        step = remembered(f"sources {key}", min(step, current_settings().chunk_rows or step))
        order = np.argsort(paths.solver.position, kind="stable")
        blocks = tuple(order[first : first + step] for first in range(0, n, step))
        handle, held = share(paths), None
        if n * row_bytes <= HELD * work.task_bytes * work.n_workers:
            submit = partial(work.client.submit, _held_block, pure=False)
            held = HeldBlocks(lambda block: submit(block, handle, precision), blocks)
            beside += n * row_bytes / work.n_workers
        size = BlockSize(step, BLOCK_HELD * row_bytes, beside=beside)
        return cls(paths, handle, precision, blocks, held, size, key)

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
        key = self.key and checkpoint_key(self.key, len(self.blocks_of), vectors)
        known: Any = {"key": key, "size": self.size}
        if self.held is not None:
            found = run_blocks("products", _multiply_held, self.held, vectors, **known)
        else:
            options = (self.handle, self.precision, vectors)
            found = run_blocks("products", _multiply, self.blocks_of, *options, **known)
        try:
            for number, (rows,) in found:
                product[self.blocks_of[number]] = rows
        except BaseException:  # of which a notebook keeps the frames, and the blocks with them
            if self.held is not None:
                self.held.cancel()
            raise
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
