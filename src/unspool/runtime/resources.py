"""What this machine gives: memory, and the refusal to start what does not fit."""

from __future__ import annotations

import os
from pathlib import Path


def available_bytes() -> int:
    """Return the bytes this process may still take on this machine and in its container.

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
    free = _machine_free()
    limit, used = _container()
    return free if limit is None else max(0, min(free, limit - used))


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


def _container() -> tuple[int | None, int]:
    """Return the (limit, use) of the control group, where one is set."""
    root = Path("/sys/fs/cgroup")
    for limit_file, use_file in (
        (root / "memory.max", root / "memory.current"),
        (root / "memory/memory.limit_in_bytes", root / "memory/memory.usage_in_bytes"),
    ):
        try:
            return int(limit_file.read_text()), int(use_file.read_text())
        except (OSError, ValueError):  # no such group, or the word "max"
            continue
    return None, 0
