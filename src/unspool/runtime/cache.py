"""Work that several fits have in common, done once.

Inside ``with sharing():`` a fit that needs a neighbour graph or geodesics which an earlier one
computed from the same data with the same settings takes those; outside, every fit does its own
work. What is taken is the very object, so the maps are equal bit by bit to those of separate fits.

    >>> from unspool import LLE, Isomap, datasets
    >>> from unspool.sharing import sharing
    >>> X = datasets.swiss_roll(300).points
    >>> with sharing():
    ...     models = [Isomap(2).fit(X), LLE(2).fit(X)]
    >>> [model.report_.stage("neighbours").facts.get("shared", False) for model in models]
    [False, True]

Data are the same if their values are, so a copy of the points will do.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np

from ..values import Array, Stage
from .progress import recording, repeat

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """One result: what it is, of which arrays and settings, and how it came about.

    Arrays are remembered by what was in them (``digests``) too: whoever changes one in place and
    fits again has other data.
    """

    name: str
    of: tuple[Array, ...]
    digests: tuple[bytes, ...]
    setting: Hashable
    value: Any
    seconds: float
    stages: tuple[Stage, ...]
    advice: tuple[str, ...]

    def answers(
        self, name: str, of: Sequence[Array], digests: tuple[bytes, ...], setting: Hashable
    ) -> bool:
        """Tell whether this is the result that is asked for."""
        return (
            self.name == name
            and self.setting == setting
            and self.digests == digests
            # the result may look into these arrays, so they must still be what they were
            and all(_equal(a, b) for a, b in zip(self.of, of, strict=True))
        )


@dataclass(eq=False)
class Shelf:
    """What the fits inside one block have computed so far."""

    kept: list[Kept] = field(default_factory=list)

    def count(self, name: str) -> int:
        """Return how many different results of this name were computed."""
        return sum(entry.name == name for entry in self.kept)


_shelf: ContextVar[Shelf | None] = ContextVar("shelf", default=None)


@contextmanager
def sharing() -> Iterator[Shelf]:
    """Let the fits inside the block share what they have in common; it is dropped at the end."""
    shelf = Shelf()
    token = _shelf.set(shelf)
    try:
        yield shelf
    finally:
        _shelf.reset(token)


def once(name: str, of: Sequence[Array], setting: Hashable, make: Callable[[], T]) -> T:
    """Return ``make()``, or what it returned before for the same arrays and setting.

    ``make`` must be a function of these alone. The stages of taken work appear in the report with
    0 seconds, marked ``shared``; ``spared`` tells what they took the first time.
    """
    shelf = _shelf.get()
    if shelf is None:
        return make()
    digests = tuple(_digest(array) for array in of)
    for entry in shelf.kept:
        if entry.answers(name, of, digests, setting):
            repeat([_taken(stage) for stage in entry.stages], entry.advice)
            value: T = entry.value
            return value
    began = time.perf_counter()
    with recording() as record:
        value = make()
    seconds = time.perf_counter() - began
    report = record.report()
    repeat(report.stages, report.advice)
    shelf.kept.append(
        Kept(name, tuple(of), digests, setting, value, seconds, report.stages, report.advice)
    )
    return value


def _taken(stage: Stage) -> Stage:
    facts = {**stage.facts, "shared": True, "spared": stage.seconds}
    return replace(stage, seconds=0.0, facts=facts)


def _digest(array: Array) -> bytes:
    """Return what tells arrays apart by type, shape and values: a second for each GB."""
    found = blake2b(f"{array.dtype.str} {array.shape}".encode(), digest_size=16)
    found.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return found.digest()


def _equal(first: Array, second: Array) -> bool:
    return first is second or np.array_equal(first, second)
