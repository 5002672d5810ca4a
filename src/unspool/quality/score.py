"""What a score is: one number, the same point by point, and how sure both are.

Scores that compare every point with every other cost n^2. They are exact as long as that is a
matter of seconds; beyond, a random sample of the points is scored, each still against *all*
others. The sample is part of the answer, and so is the standard error it brings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from ..runtime import limit_blas_threads, run_strips, stage
from ..values import Array

PAIRS = 25_000_000  # distances looked at before a sample is drawn: all of 5,000 points
FEWEST = 200  # points in a sample, however many points there are to compare them with
CHUNK_BYTES = 32 * 2**20
STRIP = 128  # rows that a thread holds: 5 MB of distances to 5,000 points


@dataclass(frozen=True, slots=True)
class Chosen:
    """The points that are scored: all of them, or a random sample in increasing order."""

    points: Array
    n_points: int

    @property
    def exact(self) -> bool:
        """Whether every point is scored."""
        return len(self.points) == self.n_points

    @property
    def correction(self) -> float:
        """Factor of a standard error for a sample drawn without replacement from n points."""
        return float(np.sqrt(1.0 - len(self.points) / self.n_points))

    def blocks(self, width: int) -> Iterator[slice]:
        """Yield slices of the chosen points whose tables of ``width`` columns fit the cache."""
        step = max(1, CHUNK_BYTES // (8 * max(1, width)))
        for first in range(0, len(self.points), step):
            yield slice(first, min(first + step, len(self.points)))


def work_on_strips(name: str, chosen: Chosen, work: Callable[[slice], None]) -> None:
    """Call ``work`` for all strips of the chosen points, several at a time, as a stage.

    Progress is reported between blocks, where the work can be cancelled.
    """
    with stage(name, total=len(chosen.points)) as running, limit_blas_threads():
        for part in chosen.blocks(chosen.n_points):
            run_strips(partial(_shifted, work, part.start), part.stop - part.start, STRIP)
            running.advance(part.stop - part.start)


def _shifted(work: Callable[[slice], None], first: int, strip: slice) -> None:
    work(slice(first + strip.start, first + strip.stop))


def choose(n_points: int, sample: int | None, seed: int, cost: float = 1.0) -> Chosen:
    """Return the points to score: ``sample`` of them, by default as many as are affordable.

    ``cost`` is the price of one comparison, in units of a distance between points of a plane.
    """
    if sample is None:
        sample = max(FEWEST, int(PAIRS / (cost * n_points)))
    elif isinstance(sample, bool) or not isinstance(sample, Integral) or sample < 2:
        raise ValueError(f"sample must be None or a whole number of at least 2; got {sample!r}")
    if sample >= n_points:
        return Chosen(np.arange(n_points), n_points)
    drawn = np.random.default_rng(seed).choice(n_points, int(sample), replace=False)
    return Chosen(np.sort(drawn), n_points)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Score:
    """One number for a map, and the same for every point that was scored.

    ``per_point[i]`` belongs to point ``sample[i]``; ``exact`` says that no point was left out and
    nothing was drawn at random, else ``standard_error`` tells how far ``value`` may be off. A
    score is printed, formatted and compared like the number it is.
    """

    name: str
    value: float
    per_point: Array
    sample: Array
    n_points: int
    exact: bool = True
    standard_error: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __lt__(self, other: Any) -> bool:
        return self.value < float(other)

    def __le__(self, other: Any) -> bool:
        return self.value <= float(other)

    def __gt__(self, other: Any) -> bool:
        return self.value > float(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= float(other)

    def __str__(self) -> str:
        """Return the number, how sure it is, and of how many points."""
        return f"{self.name} {with_error(self.value, self.standard_error)} ({stated(self)})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Curve:
    """A score as a function of a whole number (neighbours, coordinates).

    It is ``values[i]`` at ``at[i]``. Works wherever an array of its values does. ``per_point`` has
    one row per scored point where that is small enough to keep, and no columns elsewhere.
    """

    name: str
    at: Array
    values: Array
    standard_errors: Array
    sample: Array
    n_points: int
    exact: bool
    per_point: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)

    def __str__(self) -> str:
        """Return one line per value (ten of them, where the curve is long)."""
        shown = np.unique(np.linspace(0, len(self) - 1, min(len(self), 10)).round().astype(int))
        lines = [
            f"{self.at[i]:>8d}  {with_error(self.values[i], self.standard_errors[i])}"
            for i in shown
        ]
        return "\n".join([f"{self.name} ({stated(self)})", *lines])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


def stated(score: Score | Curve) -> str:
    """Return a phrase that says which points were scored."""
    if len(score.sample) == score.n_points:
        return f"all {score.n_points} points"
    return f"a sample of {len(score.sample)} of {score.n_points} points"


def with_error(value: float, error: float) -> str:
    """Return a number and, if it is not exact, its standard error."""
    return f"{value:.4g}" if error == 0.0 else f"{value:.4g} +- {error:.1g}"


def mean_score(name: str, per_point: Array, chosen: Chosen) -> Score:
    """Return the score that is the mean of what each point has."""
    return Score(
        name=name,
        value=float(per_point.mean()),
        per_point=per_point,
        sample=chosen.points,
        n_points=chosen.n_points,
        exact=chosen.exact,
        standard_error=error_of_mean(per_point, chosen),
    )


def error_of_mean(per_point: Array, chosen: Chosen) -> float:
    """Return the standard error of a mean over the chosen points: 0 if these are all."""
    if chosen.exact:
        return 0.0
    return float(per_point.std(ddof=1) / np.sqrt(len(per_point)) * chosen.correction)


def jackknife(sums: Array, value_of: Callable[[Array], Array], chosen: Chosen) -> Array:
    """Return the standard error of a function of totals, from leaving out one point at a time.

    ``sums`` (m, ...) is what each point adds to the totals; ``value_of`` maps totals (b, ...) to
    values (b, ...).
    """
    if chosen.exact:
        return np.zeros(np.shape(value_of(sums.sum(axis=0)[None])[0]))
    values = value_of(sums.sum(axis=0) - sums)
    scatter = np.square(values - values.mean(axis=0)).sum(axis=0)
    count = len(sums)
    return np.asarray(np.sqrt((count - 1) / count * scatter) * chosen.correction)
