"""How fast this machine is: three rates, measured once a process in a fifth of a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

SIDE = 500  # of the matrices that are multiplied
STREAMED = 4_000_000  # numbers that are added: 32 MB, more than any cache
SORTED = 200_000  # numbers that are sorted


@dataclass(frozen=True, slots=True)
class Machine:
    """Products (flop/s), memory (bytes/s), branching work (sorted numbers/s)."""

    flops: float
    bandwidth: float
    sorting: float


# The machine whose seconds the cost formulas are written in.
REFERENCE = Machine(flops=4.1e10, bandwidth=1.2e10, sorting=8.2e6)


@cache
def this_machine() -> Machine:
    """Return the rates of this machine, measured when first asked."""
    rng = np.random.default_rng(0)
    square = rng.normal(size=(SIDE, SIDE))
    long, short = rng.normal(size=STREAMED), rng.normal(size=SORTED)
    out = np.empty_like(long)
    return Machine(
        flops=2.0 * SIDE**3 / _seconds(lambda: square @ square),
        bandwidth=16.0 * STREAMED / _seconds(lambda: np.add(long, 1.0, out=out)),
        sorting=SORTED / _seconds(lambda: np.argsort(short, kind="stable")),
    )


def _seconds(work: Callable[[], Any], times: int = 3) -> float:
    """Return the seconds that the fastest of some runs takes."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return max(min(taken), 1e-9)
