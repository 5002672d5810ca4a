"""Run items one after the other: every one ends as agreeing, failing or skipped, never unseen."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from .data import Absent, load
from .outcome import Outcome
from .registry import Item

Status = Literal["agrees", "fails", "skipped"]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of an item: its outcome, or the reason why there is none, and the seconds."""

    item: Item
    status: Status
    seconds: float
    outcome: Outcome | None = None
    reason: str = ""
    figure: Any = field(default=None, repr=False)

    @property
    def n_errata(self) -> int:
        """Number of checks where the text is wrong and the corrected statement came out."""
        checks = self.outcome.checks if self.outcome else ()
        return sum(1 for check in checks if check.erratum and check.holds)


def run(one: Item, *, download: bool = False, figures: bool = False) -> Result:
    """Run an item; ``figures`` draws its figure too.

    Advice that the methods give as warnings is not shown: the items are about where methods fail,
    and say so in their checks. Errors are not caught: an item that cannot run is a defect.
    """
    try:
        tables = [load(name, download=download) for name in one.needs]
    except Absent as absent:
        return Result(one, "skipped", 0.0, reason=str(absent))
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        outcome = one.function(*tables)
        figure = outcome.draw() if figures and outcome.draw is not None else None
    seconds = time.perf_counter() - began
    return Result(one, "agrees" if outcome.holds else "fails", seconds, outcome, figure=figure)


def run_all(
    wanted: Iterable[Item], *, download: bool = False, figures: bool = False
) -> Iterator[Result]:
    """Yield the result of each item as soon as it is there."""
    for one in wanted:
        yield run(one, download=download, figures=figures)
