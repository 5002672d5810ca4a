"""What this machine gives: memory, and the refusal to start what does not fit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path, PurePosixPath

_most_bytes: ContextVar[float | None] = ContextVar("most_bytes", default=None)


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
    return min([_machine_free(), *_groups_free(), *(free for free in others if free is not None)])


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
        pages = int(Path("/proc/self/statm").read_text().split()[1])
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


def _machine_free() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30  # neither Linux nor POSIX says: assume a laptop


def _groups_free() -> list[int]:
    """Return what each control group that this process is in leaves, from its own to the root.

    A limit may stand at any level (a slice of systemd, a job of SLURM). Pages of files that were
    read count as used, but are given back when memory is wanted.
    """
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
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
            left = _group_free(Path(f"{base}{level.rstrip('/')}"), *names)
            free += [] if left is None else [left]
    return free


def _group_free(folder: Path, limit: str, use: str) -> int | None:
    """Return what one control group leaves; None if it has no limit."""
    try:
        most = int((folder / f"memory.{limit}").read_text())
        used = int((folder / f"memory.{use}").read_text())
    except (OSError, ValueError):  # no such group, or the word "max"
        return None
    return max(0, most - used + min(used, _reclaimable(folder)))


def _reclaimable(folder: Path) -> int:
    """Return the bytes of files that a control group holds in memory only to spare reading."""
    try:
        lines = (folder / "memory.stat").read_text().splitlines()
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
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError, ValueError):  # Windows has no such limit, others no such file
        return None
    return max(0, limit - pages * os.sysconf("SC_PAGE_SIZE"))
