"""Packed files that would fill the memory, told by their size before they are unpacked."""

from __future__ import annotations

from pathlib import Path

from ..runtime import available_bytes, claim, format_bytes

RATIO = 200  # of packed tables; zeros alone pack a thousand to one
ALLOWED = 2**30  # bytes that any file may unpack to


def most_unpacked(size: int, copies: int) -> int:
    """Return the bytes that a packed file of this size may unpack to, held ``copies`` times."""
    return int(min(max(ALLOWED, RATIO * size), available_bytes() // copies))


def check_unpacked(path: Path, unpacked: int, copies: int) -> None:
    """Refuse a file that says it would unpack to more than there is, or than its size explains."""
    size = path.stat().st_size
    claim(copies * unpacked, f"what {path} holds", "use fewer of its rows or columns")
    if unpacked > max(ALLOWED, RATIO * size):
        raise ValueError(
            f"{path} would unpack to {format_bytes(unpacked)}, too much for a file of "
            f"{format_bytes(size)}; unpack it first if this is meant"
        )
