"""Who does the blocks: this process, one after the other, or the workers of a Dask cluster.

A task is a function of an item and of what all items share; it returns a tuple of arrays. Tasks are
pure, so that a block whose worker was lost is done again by another, with the same result. No more
blocks are under way than the workers can begin soon: results are taken as they come.
"""

from __future__ import annotations

import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..runtime import (
    available_bytes,
    check_cancelled,
    limit_blas_threads,
    limit_memory,
    limit_threads,
    stage,
    thread_count,
)
from .settings import (
    LARGEST,
    TIGHT,
    BlockSize,
    Kept,
    Result,
    current_settings,
    describe_loss,
    remembered,
    room_of,
    share,
    spare_of,
    warn_if_tight,
)

Task = Callable[..., Result]
AHEAD = 3  # blocks under way for each thread of a worker
PATIENCE = 30.0  # seconds that a cluster may be without any worker, or without a result
POLLING = 0.01  # seconds between two looks at the cluster


_imagined: ContextVar[Executor | None] = ContextVar("imagined", default=None)


class Executor(Protocol):
    """Does blocks of work."""

    @property
    def n_workers(self) -> int:
        """How many blocks are done at once."""
        ...

    @property
    def task_bytes(self) -> float:
        """Bytes that one block may take."""
        ...

    def results(self, function: Task, items: Sequence[Any], shared: tuple[Any, ...]) -> Any:
        """Yield (number of the item, result) in the order in which they are done."""
        ...

    def computed(self, blocks: Sequence[Any]) -> Any:
        """Yield (number, result) of lazy Dask blocks, computed together."""
        ...


@dataclass(frozen=True, slots=True)
class InProcess:
    """This process: as many blocks at once as there are threads, each by one."""

    @property
    def n_workers(self) -> int:
        """Threads of this process."""
        return thread_count()

    @property
    def task_bytes(self) -> float:
        """What is free, shared out; half of it stays for what the blocks leave behind."""
        return available_bytes() / (2 * self.n_workers)

    def results(
        self, function: Task, items: Sequence[Any], shared: tuple[Any, ...]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the results in order; a single item has all threads."""
        if len(items) == 1 or self.n_workers == 1:
            for number, item in enumerate(items):
                yield number, function(item, *shared)
            return

        def run(item: Any) -> Result:
            with limit_threads(1), limit_blas_threads():
                return function(item, *shared)

        with ThreadPoolExecutor(self.n_workers) as pool:
            under_way: deque[Future[Result]] = deque()
            try:
                for number in range(len(items)):
                    for later in items[number + len(under_way) : number + AHEAD * self.n_workers]:
                        under_way.append(pool.submit(run, later))
                    yield number, under_way.popleft().result()
            finally:
                for future in under_way:
                    future.cancel()

    def computed(self, blocks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield what Dask's own threads make of lazy blocks, all of them together."""
        from dask import base

        local: Any = base  # which is not typed
        with _stopping_at_cancel(), limit_blas_threads():
            found: Any = local.compute(*blocks, scheduler="threads", num_workers=self.n_workers)
        yield from enumerate(found)


@contextmanager
def _stopping_at_cancel() -> Iterator[None]:
    """Look after each task of a local computation whether somebody cancelled it."""
    from dask.callbacks import Callback

    callback: Any = Callback
    with callback(posttask=lambda *_: check_cancelled()):
        yield


@dataclass(frozen=True, slots=True)
class Cluster:
    """The workers of a ``distributed.Client``: each thread of a worker does a block of its own."""

    client: Any

    @property
    def _workers(self) -> dict[str, dict[str, Any]]:
        with suppress(TimeoutError):  # a worker that was lost comes back; full ones count as none
            self.client.wait_for_workers(1, timeout=PATIENCE)
        workers = dict(self.client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise ValueError("the cluster has no workers; start some, then fit again")
        return workers

    @property
    def n_workers(self) -> int:
        """Threads of all workers together."""
        return sum(int(worker["nthreads"]) for worker in self._workers.values())

    @property
    def _limits(self) -> dict[str, float]:
        """Memory of each worker: its limit, or its share of what its machine or container has."""
        workers = self._workers
        limits = {address: float(w["memory_limit"] or 0) for address, w in workers.items()}
        free = [address for address, limit in limits.items() if not limit]
        if free:
            beside = Counter(workers[address]["host"] for address in free)
            for address, found in self.client.run(available_bytes, workers=free).items():
                limits[address] = float(found) / beside[workers[address]["host"]]
        return limits

    @property
    def worker_bytes(self) -> float:
        """Memory of the smallest worker."""
        return min(self._limits.values())

    @property
    def task_bytes(self) -> float:
        """What the smallest worker has for each of its threads, beside what it is itself."""
        most = max(int(worker["nthreads"]) for worker in self._workers.values())
        return room_of(self.worker_bytes) / most

    @property
    def roomiest(self) -> tuple[str, float]:
        """The address of the worker with the most memory, and the bytes that it has for work."""
        limits = self._limits
        address = max(limits, key=limits.__getitem__)
        return address, spare_of(limits[address])

    def check_room(self) -> None:
        """Warn where Dask soon hands no more work to workers that libraries fill nearly alone."""
        limit = self.worker_bytes
        if limit < TIGHT:
            pauses = self.client.run(_pause_fraction).values()
            warn_if_tight(limit, min(float(pause or 1.0) for pause in pauses))

    def run_on(self, address: str, function: Callable[..., Any], *given: Any) -> Any:
        """Return what a function makes of something on one worker, or on another if that is lost.

        It has all threads of the machine there.
        """
        future = self.client.submit(
            function, *given, workers=[address], allow_other_workers=True, pure=False
        )
        try:
            while not future.done():
                check_cancelled()
                time.sleep(POLLING)
            return self._result(future)
        finally:
            if not future.done():
                self.client.cancel([future], force=True)

    def results(
        self, function: Task, items: Sequence[Any], shared: tuple[Any, ...]
    ) -> Iterator[tuple[int, Result]]:
        """Yield the results as they are done; what is left is cancelled if nobody wants it."""
        handles = tuple(share(value) for value in shared)

        def begin(number: int) -> Any:
            return self.client.submit(
                run_task, function, items[number], handles, pure=False, retries=0
            )

        return self._as_done(begin, len(items), AHEAD * self.n_workers)

    def computed(self, blocks: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """Yield what the workers make of lazy blocks: one graph, which the scheduler orders."""
        futures: Any = self.client.compute(list(blocks), retries=0)
        return self._as_done(lambda number: futures[number], len(futures), len(futures))

    def _as_done(
        self, begin: Callable[[int], Any], count: int, ahead: int
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number, result) of futures as they are done, with so many of them under way."""
        from distributed import as_completed

        waiting, under_way = iter(range(count)), {}
        done: Any = as_completed()  # type: ignore[no-untyped-call]  # Dask's is not typed

        def begin_next() -> None:
            number = next(waiting, None)
            if number is not None:
                future = begin(number)
                under_way[future.key] = (number, future)
                done.add(future)

        try:
            for _ in range(min(count, ahead)):
                begin_next()
            heard = time.monotonic()
            while under_way:
                ready = done.next_batch(block=False)
                if ready:
                    heard = time.monotonic()
                else:
                    check_cancelled()
                    time.sleep(POLLING)
                if time.monotonic() - heard > PATIENCE:
                    self._check_working()
                    heard = time.monotonic()
                for future in ready:
                    number, _ = under_way.pop(future.key)
                    result = self._result(future)
                    begin_next()
                    yield number, result
        finally:
            left = [future for _, future in under_way.values()]
            if left:
                self.client.cancel(left, force=True)

    def _check_working(self) -> None:
        """Raise WorkerLost if no worker takes work any more: Dask pauses one that is full."""
        workers = self._workers.values()
        if all(worker.get("status") == "paused" for worker in workers):
            raise WorkerLost("all workers are full, and Dask has paused them")

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker

        try:
            result = future.result()
        except KilledWorker:
            raise WorkerLost("several workers were lost over it") from None
        except MemoryError as error:
            if type(error) is MemoryError and error.args:
                raise  # refused before the work, with what would fit
            raise WorkerLost("a worker ran out of memory over it") from None
        return result


def _pause_fraction(dask_worker: Any) -> Any:
    """Return the share of its limit from which on a worker is given no work; False for none."""
    return dask_worker.memory_manager.memory_pause_fraction


def check_workers() -> None:
    """Warn, before any work, of workers that are too small to be given much."""
    work = current_executor()
    if isinstance(work, Cluster):
        work.check_room()


class WorkerLost(MemoryError):
    """Workers were lost over one block, most likely for lack of memory."""


def run_task(function: Task, item: Any, handles: tuple[Any, ...]) -> Result:
    """Do one block on a worker, with one thread and the memory that the worker has."""
    limit = worker_limit()
    with limit_threads(1), limit_blas_threads(), limit_memory(limit):
        return function(item, *(handle.open() for handle in handles))


def worker_limit() -> float | None:
    """Return the memory of the worker that asks; None elsewhere, and where it has no limit."""
    from distributed import get_worker

    try:
        limit = get_worker().memory_manager.memory_limit
    except ValueError:  # on no worker
        return None
    return float(limit) if limit else None


def current_executor() -> Executor:
    """Return the workers of the current Dask client, or this process where there is none.

    Returns
    -------
    Executor
        What does blocks of work.

    Examples
    --------
    >>> from unspool import scale
    >>> scale.current_executor().n_workers
    1
    """
    wanted = _imagined.get()
    if wanted is not None:
        return wanted
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return InProcess()
    try:
        distributed.get_worker()
        return InProcess()  # inside of a task: its worker does the work
    except ValueError:
        pass
    try:
        return Cluster(distributed.Client.current())
    except ValueError:
        return InProcess()


@contextmanager
def imagined(workers: Executor) -> Iterator[None]:
    """Lay out the work inside the block for other workers than there are: to count its tasks."""
    token = _imagined.set(workers)
    try:
        yield
    finally:
        _imagined.reset(token)


def run_blocks(
    name: str,
    function: Task,
    items: Sequence[Any],
    *shared: Any,
    key: str = "",
    where: Executor | None = None,
    size: BlockSize | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield (number, result) of all items as they are done, as a stage of the work.

    With a checkpoint, results are kept in it under ``key``, which says what they depend on, and
    those that are there are not computed again. ``size`` tells what to do about a block that no
    worker has room for.
    """
    work = where or current_executor()

    def begin(left: list[int]) -> Iterator[tuple[int, Result]]:
        yield from work.results(function, [items[number] for number in left], shared)

    yield from _run(name, begin, len(items), work, Kept.of(name, key), size)


def run_lazily(
    name: str, blocks: Sequence[Any], *, key: str = "", size: BlockSize | None = None
) -> Iterator[tuple[int, Result]]:
    """Yield (number, (result,)) of lazy Dask blocks as they are done, as ``run_blocks`` does.

    They are one computation: what several of them need, such as the mean of all, is done once.
    """
    work = current_executor()

    def begin(left: list[int]) -> Iterator[tuple[int, Result]]:
        done = work.computed([blocks[number] for number in left])
        for place, found in done:
            yield place, (np.asarray(found),)

    yield from _run(name, begin, len(blocks), work, Kept.of(name, key), size)


def _run(
    name: str,
    begin: Callable[[list[int]], Iterator[tuple[int, Result]]],
    count: int,
    work: Executor,
    kept: Kept | None,
    size: BlockSize | None,
) -> Iterator[tuple[int, Result]]:
    """Yield what is kept, then what is left as it is done, and keep that too."""
    known = {n for n in range(count) if kept is not None and kept.has(n)}
    left = [number for number in range(count) if number not in known]
    with stage(name, total=count) as running:
        running.note(blocks=count, workers=work.n_workers)
        for number in sorted(known):
            assert kept is not None
            yield number, kept.read(number)
            running.advance()
        try:
            for place, result in begin(left) if left else ():
                if kept is not None:
                    kept.write(left[place], result)
                yield left[place], result
                running.advance()
        except WorkerLost as lost:
            has = getattr(work, "worker_bytes", work.task_bytes)
            told = describe_loss(f"{name} needs", str(lost), (has, work.task_bytes), size)
            raise WorkerLost(told) from None


def in_order(results: Iterator[tuple[int, Result]]) -> Iterator[Result]:
    """Yield results in the order of their items; those that come early wait."""
    early: dict[int, Result] = {}
    wanted = 0
    for number, result in results:
        early[number] = result
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def block_ranges(n_rows: int, row_bytes: float) -> list[tuple[int, int]]:
    """Return the ranges of rows that blocks are made of: as many rows as a block has room for.

    ``row_bytes`` is what the work holds for each row at its peak. There are at least as many blocks
    as workers, so that all have something to do, but none of less than a thousand rows. What is
    streamed through one process with much memory does not fill it.
    """
    given, work = current_settings().chunk_rows, current_executor()
    step = given
    if step is None:
        room = int(min(work.task_bytes, LARGEST) // max(1.0, row_bytes))
        even = -(-n_rows // max(1, work.n_workers))
        step = max(1, min(room, max(even, 1_000)))
        step = remembered(f"rows {n_rows} {row_bytes}", step)
    return [(first, min(first + step, n_rows)) for first in range(0, n_rows, step)]
