"""What this machine gives: memory, and the refusal to start what does not fit; threads.

Compiled loops run on plain threads rather than numba's parallel loops: those compile several times
longer, abort the process where two Python threads enter them at once (the layer that needs no
further library), hang in a process that was forked after them, differ in the last digits between
the run that compiles and later ones, and say nothing until they are done. Here the caller hears of
each chunk and may stop between two.
"""

from __future__ import annotations

import os
import sys
from _thread import start_new_thread
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import PurePosixPath
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from ..values import Array
from .progress import check_cancelled

_most_bytes: ContextVar[float | None] = ContextVar("most_bytes", default=None)
Workspace = TypeVar("Workspace")
Answer = TypeVar("Answer")
HEARD = 0.1  # seconds after which one who waits looks whether the work was cancelled
_most_threads: ContextVar[int | None] = ContextVar("most_threads", default=None)


def available_bytes() -> int:
    """Return the bytes this process may still take on this machine and in its container.

    The least of what the machine has, what every control group above the process leaves, and what
    the limit of its address space leaves. Cached files that can be dropped count as free.

    Returns
    -------
    int
        The number of bytes.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.available_bytes() > 0
    True
    """
    others = (_address_space_free(), _limit_free())
    free = min([_machine_free(), *(free for free in others if free is not None)])
    return min([free, *_groups_free(free)])


@contextmanager
def limit_memory(most: float | None) -> Iterator[None]:
    """Let the work inside the block count on a process of at most so many bytes.

    Parameters
    ----------
    most : float or None
        Bytes that the process may hold in all, as a worker of a cluster may; None for no limit.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.limit_memory(1e6):
    ...     runtime.available_bytes()
    0
    """
    token = _most_bytes.set(most)
    try:
        yield
    finally:
        _most_bytes.reset(token)


def resident_bytes() -> int:
    """Return the bytes of memory that this process holds.

    Returns
    -------
    int
        The number of bytes; 0 where the system does not say.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.resident_bytes() >= 0
    True
    """
    try:
        pages = int(_read("/proc/self/statm").split()[1])
    except (OSError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _limit_free() -> int | None:
    """Return what ``limit_memory`` leaves; None without a limit."""
    most = _most_bytes.get()
    return None if most is None else max(0, int(most) - resident_bytes())


def claim(needed: int | float, what: str, instead: str) -> None:
    """Raise MemoryError, before any work, if something needs more bytes than there are.

    Parameters
    ----------
    needed : int or float
        Number of bytes.
    what : str
        What needs them, for the message.
    instead : str
        What would fit.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.claim(1000, "a small table", "use a sample")
    """
    free = available_bytes()
    if needed > free:
        raise MemoryError(
            f"{what} would take {format_bytes(needed)} but {format_bytes(free)} are free; {instead}"
        )


def format_bytes(n_bytes: int | float) -> str:
    """Return a number of bytes as a person writes it.

    Parameters
    ----------
    n_bytes : int or float
        The number of bytes.

    Returns
    -------
    str
        The number with a unit.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.format_bytes(3.2e9)
    '3.2 GB'
    """
    size = float(n_bytes)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError("unreachable")


def in_words(seconds: float) -> str:
    """Return a duration as a person says it.

    Parameters
    ----------
    seconds : float
        The number of seconds.

    Returns
    -------
    str
        The number with a unit, to the digit that an estimate has.

    Examples
    --------
    >>> from unspool import runtime
    >>> [runtime.in_words(seconds) for seconds in (0.2, 7.4, 100, 4200, 3e5)]
    ['less than a second', '7 seconds', '2 minutes', '70 minutes', '3 days']
    """
    if seconds < 1:
        return "less than a second"
    for unit, length, most in (
        ("second", 1, 90),
        ("minute", 60, 100),
        ("hour", 3600, 48),
        ("day", 86400, 1000),
    ):
        if seconds < most * length or unit == "day":
            break
    number = round(seconds / length)
    digits = max(0, len(str(number)) - 2)
    number = round(number, -digits)
    return f"{number:,} {unit}{'' if number == 1 else 's'}"


def _read(place: str) -> str:
    """Return a file of the kernel's: every fit asks for several, and a Path takes twice as long."""
    with open(place, "rb", buffering=0) as file:
        return file.read().decode()


def _machine_free() -> int:
    try:
        for line in _read("/proc/meminfo").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30  # neither Linux nor POSIX says: assume a laptop


def _groups_free(enough: int) -> list[int]:
    """Return what each control group that this process is in leaves, if that is not ``enough``.

    A limit may stand at any level, from its own group to the root (a slice of systemd, a job of
    SLURM). Pages of files that were read count as used, but are given back when memory is wanted.
    """
    try:
        lines = _read("/proc/self/cgroup").splitlines()
    except OSError:
        lines = ["0::/", "0:memory:/"]
    free = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        names = ("limit_in_bytes", "usage_in_bytes") if controllers else ("max", "current")
        base = "/sys/fs/cgroup/memory" if controllers else "/sys/fs/cgroup"
        # inside a container the path may be the host's, and its own group the root
        for level in {
            str(above) for above in (PurePosixPath(group), *PurePosixPath(group).parents)
        }:
            left = _group_free(f"{base}{level.rstrip('/')}/memory", *names, enough)
            free += [] if left is None else [left]
    return free


def _group_free(group: str, limit: str, use: str, enough: int) -> int | None:
    """Return what one control group leaves; None if it has no limit, or leaves enough."""
    try:
        most = int(_read(f"{group}.{limit}"))
        used = int(_read(f"{group}.{use}"))
    except (OSError, ValueError):  # no such group, or the word "max"
        return None
    if most - used >= enough:
        return None
    return max(0, most - used + min(used, _reclaimable(group)))


def _reclaimable(group: str) -> int:
    """Return the bytes of files that a control group holds in memory only to spare reading."""
    try:
        lines = _read(f"{group}.stat").splitlines()
        stat = {word: int(number) for word, number in (line.split() for line in lines)}
    except (OSError, ValueError):
        return 0
    prefix = "total_" if "total_inactive_file" in stat else ""  # v1: with the groups below
    pages = sum(stat.get(f"{prefix}{kind}_file", 0) for kind in ("inactive", "active"))
    return max(0, pages - stat.get(f"{prefix}{'dirty' if prefix else 'file_dirty'}", 0))


def _address_space_free() -> int | None:
    """Return what RLIMIT_AS (``ulimit -v``) leaves of the address space; None without a limit."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(_read("/proc/self/statm").split()[0])
    except (ImportError, OSError, ValueError):  # Windows has no such limit, others no such file
        return None
    return max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))


def thread_count() -> int:
    """Return how many threads may work at once: NUMBA_NUM_THREADS, else one per core.

    Returns
    -------
    int
        The number of threads.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.thread_count() >= 1
    True
    """
    wanted = os.environ.get("NUMBA_NUM_THREADS", "")
    count = int(wanted) if wanted.isdecimal() and int(wanted) > 0 else _cores()
    return min(count, _most_threads.get() or count)


@contextmanager
def limit_threads(most: int) -> Iterator[None]:
    """Let the work inside the block use at most so many threads, where others share the machine.

    Parameters
    ----------
    most : int
        Number of threads.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.limit_threads(1):
    ...     runtime.thread_count()
    1
    """
    token = _most_threads.set(max(1, most))
    try:
        yield
    finally:
        _most_threads.reset(token)


def _cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_chunks(
    work: Callable[[Array, Workspace], None],
    chunks: Sequence[Array],
    workspaces: Sequence[Workspace],
    done: Callable[[int], None],
) -> None:
    """Call ``work(chunk, workspace)`` for all chunks, in as many threads as there are workspaces.

    Parameters
    ----------
    work : callable
        Does one chunk.
    chunks : sequence of ndarray
        What is to be done.
    workspaces : sequence
        A workspace for each thread.
    done : callable
        ``done(len(chunk))`` is called in the calling thread after each chunk; what it raises stops
        the rest, once the chunks under way are finished.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import runtime
    >>> seen = []
    >>> chunks, workspaces = [np.arange(3)], [None]
    >>> runtime.run_chunks(lambda chunk, _: seen.extend(chunk), chunks, workspaces, lambda n: None)
    >>> [int(number) for number in seen]
    [0, 1, 2]
    """
    if len(workspaces) == 1 or len(chunks) == 1:
        for chunk in chunks:
            work(chunk, workspaces[0])
            done(len(chunk))
        return
    free: SimpleQueue[Workspace] = SimpleQueue()
    for workspace in workspaces:
        free.put(workspace)

    def run(chunk: Array) -> int:
        workspace = free.get()
        try:
            work(chunk, workspace)
        finally:
            free.put(workspace)
        return len(chunk)

    with ThreadPoolExecutor(len(workspaces)) as pool:
        running = [pool.submit(run, chunk) for chunk in chunks]
        try:
            for finished in as_completed(running):
                done(finished.result())
        finally:
            for future in running:
                future.cancel()


def run_strips(work: Callable[[slice], None], n_rows: int, step: int) -> None:
    """Call ``work`` for all strips of ``step`` rows, several at a time.

    Parameters
    ----------
    work : callable
        Called with the slice of each strip.
    n_rows : int
        Number of rows.
    step : int
        Rows of a strip.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import runtime
    >>> out = np.zeros(10)
    >>> runtime.run_strips(lambda rows: out[rows].__iadd__(1.0), 10, 4)
    >>> float(out.sum())
    10.0
    """
    starts = range(0, n_rows, step)
    strips = [slice(first, min(first + step, n_rows)) for first in starts]
    threads = min(thread_count(), len(strips))
    if threads <= 1:
        for strip in strips:
            work(strip)
    else:
        _Share(work, strips).run(threads)


def run_kernel(
    kernel: Callable[..., Any], arguments: tuple[Any, ...], n_rows: int, step: int
) -> None:
    """Call ``kernel(*arguments, begin, end)`` for all strips of rows, several at a time.

    Parameters
    ----------
    kernel : callable
        A compiled loop over rows ``begin`` to ``end``, which lets other threads run.
    arguments : tuple
        What it is called with besides.
    n_rows : int
        Number of rows.
    step : int
        Rows of a strip.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import runtime
    >>> out = np.zeros(10)
    >>> def fill(out, begin, end):
    ...     out[begin:end] = 1.0
    >>> runtime.run_kernel(fill, (out,), 10, 4)
    >>> float(out.sum())
    10.0
    """
    run_strips(lambda strip: kernel(*arguments, strip.start, strip.stop), n_rows, step)


def run_apart(work: Callable[[], Answer], *, is_finished: bool = False) -> Answer:
    """Return what one long call into a library gives; Ctrl-C and cancelling are heard meanwhile.

    Python hears neither inside of a decomposition that takes minutes. So that runs in a thread of
    its own, and this one waits. After an interrupt nobody waits for it any more: it ends by itself,
    and then gives back what it holds.

    Parameters
    ----------
    work : callable
        The call; it must not change what others see.
    is_finished : bool, default=False
        Whether the process waits for the call before it ends: one into a compiler may not be cut.

    Returns
    -------
    object
        What ``work`` returns; what it raises is raised here.

    Examples
    --------
    >>> from unspool import runtime
    >>> runtime.run_apart(lambda: sum(range(10)))
    45
    """
    answers: SimpleQueue[Answer] = SimpleQueue()
    errors: list[BaseException] = []

    def run() -> None:
        try:
            answers.put(work())
        except BaseException as error:  # raised where it is waited for
            errors.append(error)

    thread = Thread(target=run, daemon=not is_finished)
    thread.start()
    while thread.is_alive() or not answers.empty():
        try:
            return answers.get(timeout=HEARD)
        except Empty:
            check_cancelled()
    raise errors[0]


class _Share:
    """Strips that several threads take one by one, the calling one among them."""

    def __init__(self, work: Callable[[slice], None], strips: list[slice]) -> None:
        self._work, self._left = work, strips[::-1]
        self._failed: list[BaseException] = []

    def run(self, threads: int) -> None:
        """Do all strips; what one raises stops the rest and is raised here.

        Thread.start waits until the new thread runs, half a millisecond where cores are busy. Here
        nobody waits for a thread that has not begun: it will find nothing left.
        """
        at_work = [Lock() for _ in range(threads - 1)]
        try:
            for lock in at_work:
                start_new_thread(self._help, (lock,))
            self._take()
        finally:  # also after Ctrl-C: nothing works on once this has returned
            self._left.clear()
            for lock in at_work:
                with lock:
                    pass
        if self._failed:
            raise self._failed[0]

    def _help(self, at_work: Any) -> None:
        with at_work:
            try:
                self._take()
            except BaseException as error:
                self._left.clear()
                self._failed.append(error)

    def _take(self) -> None:
        while True:
            try:
                strip = self._left.pop()  # one step of Python: no two threads get the same
            except IndexError:
                return
            self._work(strip)


class _BlasLimit:
    """One thread for BLAS, from the first that asks for it until the last has done.

    The limit is the process's. Were each caller to set and restore it, two that overlap would leave
    it set. (OpenBLAS may not heed one that is set outside the main thread: that costs time only.)
    """

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._limits: Any = None
        self._libraries: Any = None
        self._modules = 0

    def enter(self) -> None:
        """Set the limit, unless it is set."""
        with self._lock:
            if self._users == 0:
                self._limits = self._known_libraries().limit(limits=1, user_api="blas")
            self._users += 1

    def _known_libraries(self) -> Any:
        """Return what sets the limit. To look for libraries takes 5 ms; imports bring new ones."""
        from threadpoolctl import ThreadpoolController

        if self._libraries is None or self._modules != len(sys.modules):
            self._libraries, self._modules = ThreadpoolController(), len(sys.modules)
        return self._libraries

    def leave(self) -> None:
        """Take it back, unless somebody else still wants it."""
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._limits.restore_original_limits()


_BLAS_LIMIT = _BlasLimit()


@contextmanager
def limit_blas_threads() -> Iterator[None]:
    """Keep BLAS to the calling thread inside the block.

    Its own threads wait for more work by spinning, some 20 ms after each product, on the cores that
    ours would work on: a pass over a table took 93 ms beside them, and 70 ms without.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import runtime
    >>> with runtime.limit_blas_threads():
    ...     product = np.eye(3) @ np.eye(3)
    """
    _BLAS_LIMIT.enter()
    try:
        yield
    finally:
        _BLAS_LIMIT.leave()
