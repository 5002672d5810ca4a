"""Where the items take their random numbers from, so that all of them can be drawn anew.

An item names a seed for each of its draws, as ``shifted(43)``. Within ``shifting(n)`` every one of
them becomes another, and all random data of a run are new: what is said about random data has to
hold for any draw, not for the one that was looked at when the bound was set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

STEP = 1_000  # larger than any seed that the items name, so that shifted draws never meet others

_SHIFT: ContextVar[int] = ContextVar("shift", default=0)


def shifted(seed: int) -> int:
    """Return the seed of a draw, moved by the shift that is in force.

    Parameters
    ----------
    seed : int
        The seed without a shift, from 0 to 999.

    Returns
    -------
    int
        ``seed + 1000 * shift``.

    Examples
    --------
    >>> from unspool.textbook import shifted
    >>> shifted(43)
    43
    """
    if not 0 <= seed < STEP:
        raise ValueError(f"a draw is named by a seed from 0 to {STEP - 1}, got {seed}")
    return seed + STEP * _SHIFT.get()


@contextmanager
def shifting(shift: int) -> Iterator[None]:
    """Draw all random data of the items anew within the block.

    Parameters
    ----------
    shift : int
        Which draw: 0 is the one that a run without a shift has.

    Yields
    ------
    None
        Nothing; the shift holds until the block ends.

    Examples
    --------
    >>> from unspool.textbook import shifted, shifting
    >>> with shifting(2):
    ...     shifted(43)
    2043
    """
    if shift < 0:
        raise ValueError(f"a shift is 0 or more, got {shift}")
    token = _SHIFT.set(int(shift))
    try:
        yield
    finally:
        _SHIFT.reset(token)
