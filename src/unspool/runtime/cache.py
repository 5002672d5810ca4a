"""Work that several fits have in common, done once.

Inside ``with share_work():`` a fit that needs a neighbour graph or geodesics which an earlier one
computed from the same data with the same settings reuses them; outside, every fit does its own
work. What is reused is the very object, so the maps equal those of separate fits bit by bit.

    >>> from unspool import LLE, Isomap, datasets
    >>> from unspool.runtime import share_work
    >>> X = datasets.swiss_roll(300).points
    >>> with share_work():
    ...     models = [Isomap(2).fit(X), LLE(2).fit(X)]
    >>> [model.report_.stage("neighbours").facts.get("reused", False) for model in models]
    [False, True]

Data are the same if their values are, so a copy of the points will do.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

from ..values import Array, Stage
from .progress import recording, replay
from .resources import run_strips

T = TypeVar("T")
DIGESTED = 1 << 20  # bytes that a thread takes at a time


@dataclass(frozen=True, slots=True, eq=False)
class CachedResult:
    """One result: what it is, of which arrays and settings, and the stages that led to it.

    Arrays are remembered by what was in them (``digests``) too: whoever changes one in place and
    fits again has other data.
    """

    name: str
    arrays: tuple[Array, ...]
    digests: tuple[bytes, ...]
    setting: Hashable
    value: Any
    stages: tuple[Stage, ...]
    advice: tuple[str, ...]

    def matches(self, name: str, arrays: Sequence[Array], setting: Hashable) -> bool:
        """Tell whether this is the result that is asked for."""
        return (
            self.name == name
            and self.setting == setting
            # the result may look into these arrays, so they must still be what they were
            and all(map(_is_same, self.arrays, self.digests, arrays))
        )


@dataclass(eq=False)
class Cache:
    """What the fits inside one block have computed so far."""

    results: list[CachedResult] = field(default_factory=list)

    def count(self, name: str) -> int:
        """Return how many different results of this name were computed.

        Parameters
        ----------
        name : str
            What was computed: ``"neighbours"``, ``"geodesics"``, ``"index"``, ``"undirected"``.

        Returns
        -------
        int
            The number of results, one for each distinct combination of data and settings.
        """
        return sum(result.name == name for result in self.results)


_cache: ContextVar[Cache | None] = ContextVar("cache", default=None)


@contextmanager
def share_work() -> Iterator[Cache]:
    """Let the fits inside the block share what they have in common; it is dropped at the end.

    Yields
    ------
    Cache
        What has been computed so far; ``count("neighbours")`` tells how many searches there were.

    Examples
    --------
    >>> from unspool import LLE, Isomap, datasets
    >>> from unspool.runtime import share_work
    >>> X = datasets.swiss_roll(300).points
    >>> with share_work() as cache:
    ...     models = [Isomap(2).fit(X), LLE(2).fit(X)]
    >>> cache.count("neighbours")
    1
    """
    cache = Cache()
    token = _cache.set(cache)
    try:
        yield cache
    finally:
        _cache.reset(token)


def reuse(name: str, arrays: Sequence[Array], setting: Hashable, compute: Callable[[], T]) -> T:
    """Return what ``compute()`` returned before for the same arrays and setting, else call it.

    The stages of reused work appear in the report with 0 seconds, marked ``reused``;
    ``saved_seconds`` tells what they took the first time.

    Parameters
    ----------
    name : str
        What is computed.
    arrays : sequence of ndarray
        The arrays that it is computed from.
    setting : hashable
        Everything else that it depends on.
    compute : callable
        Computes it, from the arrays and the setting alone.

    Returns
    -------
    object
        What ``compute`` returns.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import runtime
    >>> ones = np.ones(3)
    >>> with runtime.share_work():
    ...     first = runtime.reuse("sum", [ones], None, lambda: ones.sum())
    >>> float(first)
    3.0
    """
    cache = _cache.get()
    if cache is None:
        return compute()
    for result in cache.results:
        if result.matches(name, arrays, setting):
            replay([_mark_reused(stage) for stage in result.stages], result.advice)
            value: T = result.value
            return value
    digests = tuple(b"" if _is_fixed(array) else _digest(array) for array in arrays)
    with recording() as record:
        value = compute()
    report = record.report()
    replay(report.stages, report.advice)
    cache.results.append(
        CachedResult(name, tuple(arrays), digests, setting, value, report.stages, report.advice)
    )
    return value


def is_sharing() -> bool:
    """Tell whether what is computed now will be kept for others, so that large tables pay.

    Returns
    -------
    bool
        Whether this is inside ``share_work``.

    Examples
    --------
    >>> from unspool import runtime
    >>> with runtime.share_work():
    ...     inside = runtime.is_sharing()
    >>> inside, runtime.is_sharing()
    (True, False)
    """
    return _cache.get() is not None


def _is_fixed(array: Array) -> bool:
    """Tell whether nobody can write to an array: it need not be looked at again."""
    return array.base is None and not array.flags.writeable


def _mark_reused(stage: Stage) -> Stage:
    facts = {**stage.facts, "reused": True, "saved_seconds": stage.seconds}
    return replace(stage, seconds=0.0, facts=facts)


def _is_same(stored: Array, digest: bytes, asked: Array) -> bool:
    """Tell whether an array that was stored is the one asked for, and as it was."""
    if stored is asked and _is_fixed(stored):
        return True
    return np.array_equal(stored, asked) and (_is_fixed(stored) or _digest(asked) == digest)


def _digest(array: Array) -> bytes:
    """Return what tells arrays apart by type, shape and values: a second for each GB and thread."""
    parts: dict[int, bytes] = {}
    values = np.ascontiguousarray(array).data.cast("B") if array.size else memoryview(b"")

    def work(part: slice) -> None:
        parts[part.start] = blake2b(values[part], digest_size=16).digest()

    run_strips(work, len(values), DIGESTED)
    kind = f"{array.dtype.str} {array.shape}".encode()
    return blake2b(kind + b"".join(parts[first] for first in sorted(parts))).digest()
