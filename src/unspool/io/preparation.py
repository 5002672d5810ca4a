"""What was done to a table before it was mapped, so that new rows get the same.

From a table to points, and back to the rows that they came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..values import Array
from .table import Table, asked_for, checked_name, listed, numbers_of, numeric_by_default

NA_CHOICES = ("error", "drop", "mean")


def _spread(values: Array) -> Array:
    return np.where(values > 0, values, 1.0)  # a constant column stays constant


# name -> (what is subtracted, what is divided by), a number a column
SCALES: dict[str, Callable[[Array], tuple[Array, Array]]] = {
    "none": lambda X: (np.zeros(X.shape[1]), np.ones(X.shape[1])),
    "standard": lambda X: (X.mean(axis=0), _spread(X.std(axis=0))),
    "range": lambda X: (X.min(axis=0), _spread(np.ptp(X, axis=0))),
    "robust": lambda X: (
        np.median(X, axis=0),
        _spread(np.subtract(*np.quantile(X, [0.75, 0.25], axis=0))),
    ),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """Columns, what stands for missing values, and a scale a column, as learned from a table."""

    columns: tuple[str, ...]
    named: bool
    na: str
    fill: Array
    scale: str
    centre: Array
    spread: Array

    def scaled(self, numbers: Array) -> Array:
        """Return rows without gaps in the scale of the fit."""
        if self.scale == "none":
            return numbers
        return ((numbers - self.centre) / self.spread).astype(numbers.dtype, copy=False)

    def notes(self) -> dict[str, Any]:
        """Return the recipe as plain values, to be saved with a model."""
        return {**asdict(self), "columns": list(self.columns)}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Recipe:
        """Return the recipe that was saved with a model."""
        return cls(**{**notes, "columns": tuple(notes["columns"])})


def learned(columns: Sequence[str], named: bool, numbers: Array, na: str, scale: str) -> Recipe:
    """Return the recipe that suits these numbers; gaps are left out of the means."""
    known = np.ma.masked_invalid(numbers) if np.isnan(numbers).any() else numbers
    fill = np.asarray(known.mean(axis=0, dtype=np.float64))
    full = np.where(np.isnan(numbers), fill, numbers) if known is not numbers else numbers
    centre, spread = SCALES[scale](np.asarray(full, dtype=np.float64))
    return Recipe(tuple(columns), named, na, fill, scale, centre, spread)


def without_gaps(
    numbers: Array, columns: Sequence[str], na: str, fill: Array | None
) -> tuple[Array, Array, str | None]:
    """Return numbers without missing values, the rows they are of, and what to tell about it."""
    _check_infinite(numbers, columns)
    gaps = np.isnan(numbers)
    rows = np.arange(len(numbers))
    bad = np.asarray(gaps.any(axis=1))
    if not bad.any():
        return numbers, rows, None
    where = [name for name, column in zip(columns, gaps.T, strict=True) if column.any()]
    told = f"{int(bad.sum())} of {len(bad)} rows miss a value in {', '.join(where[:4])}" + (
        f" and {len(where) - 4} more columns" if len(where) > 4 else ""
    )
    if na == "error":
        raise ValueError(
            f"{told} (the first is row {int(bad.argmax()) + 1}); pass --na drop to leave such rows "
            "out, or --na mean to fill in the mean of the column"
        )
    if na == "drop":
        if bad.all():
            raise ValueError(f"every row misses a value (in {', '.join(where[:4])}); none is left")
        return numbers[~bad], rows[~bad], f"{told}; they were left out"
    empty = [name for name, column in zip(columns, gaps.T, strict=True) if column.all()]
    if empty and fill is None:
        raise ValueError(f"column {empty[0]!r} has no values at all, so it has no mean")
    means = np.nanmean(numbers, axis=0, dtype=np.float64) if fill is None else fill
    return np.where(gaps, means, numbers).astype(numbers.dtype), rows, f"{told}; filled with means"


def _check_infinite(numbers: Array, columns: Sequence[str]) -> None:
    wrong = np.argwhere(np.isinf(numbers))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(f"column {columns[column]!r} is infinite in row {row + 1}; mend the file")


UNEVEN = 1e3  # ratio of spreads from which on one column decides all distances


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asks of the rows and columns of a table."""

    columns: str | None = None
    color: str | None = None
    id: str | None = None
    na: str | None = None  # "error", or for new rows what the map used
    scale: str = "none"
    sample: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Prepared:
    """Points, and where they come from: row ``rows[i]`` of the table is point i.

    ``drawn`` are the rows that were looked at, also those that were left out for missing values.
    """

    points: Array
    rows: Array
    drawn: Array
    table: Table
    recipe: Recipe
    color: str | None
    id: str | None
    notes: tuple[str, ...]

    def others(self, keep: str = "others") -> Any:
        """Return the columns to write beside the coordinates: those not mapped, "all" or "none"."""
        frame = self.table.frame.iloc[self.rows].reset_index(drop=True)
        mapped = () if keep == "all" else self.recipe.columns
        names = [name for name in frame.columns if name not in mapped and keep != "none"]
        if self.id is not None:
            names = [self.id, *(name for name in names if name != self.id)]
        return frame[names]

    def raw(self) -> Array:
        """Return the mapped columns of the drawn rows as they were read: NaN in gaps, unscaled."""
        return numbers_of(self.recipe.columns, _narrowed(self.table, self.drawn))

    def truth(self) -> Array | None:
        """Return the coordinates that a map should find, where they are known."""
        return None if self.table.truth is None else self.table.truth[self.rows]

    def colors(self) -> Any:
        """Return the column that colours the map, or None."""
        if self.color is None:
            return None
        return self.table.frame[self.color].iloc[self.rows].to_numpy()


def prepared(table: Table, wishes: Wishes) -> Prepared:
    """Return the points that a table holds, as wished."""
    color = table.color if wishes.color is None else checked_name(wishes.color, table)
    ident = None if wishes.id is None else checked_name(wishes.id, table)
    apart = [name for name in (color, ident) if name is not None]
    if wishes.columns is None:
        names, notes = numeric_by_default(table, apart)
    else:
        names, notes = asked_for(wishes.columns, table), []
    drawn = _sampled(len(table.frame), wishes)
    numbers, na = numbers_of(names, _narrowed(table, drawn)), wishes.na or "error"
    numbers, rows, told = without_gaps(numbers, names, na, None)
    if len(numbers) < 2:
        raise ValueError(f"{table.source} has one row to map, and a map needs at least two")
    recipe = learned(names, table.named, numbers, na, wishes.scale)
    notes += [*([told] if told else []), *_uneven(names, numbers, wishes.scale, table)]
    if len(drawn) < len(table.frame):
        notes.append(f"{len(drawn)} of {len(table.frame)} rows were drawn at random")
    return Prepared(
        recipe.scaled(numbers),
        drawn[rows],
        drawn,
        table,
        recipe,
        color,
        ident,
        (*table.notes, *notes),
    )


def placed_by(recipe: Recipe, table: Table, wishes: Wishes) -> Prepared:
    """Return new rows, treated as those of the fit were."""
    color = table.color if wishes.color is None else checked_name(wishes.color, table)
    ident = None if wishes.id is None else checked_name(wishes.id, table)
    names = _matched(recipe, table, [name for name in (color, ident) if name is not None])
    numbers = numbers_of(names, table)
    numbers, rows, told = without_gaps(numbers, names, wishes.na or recipe.na, recipe.fill)
    notes = (*table.notes, *([told] if told else []))
    recipe = replace(recipe, columns=tuple(names))
    every = np.arange(len(table.frame))
    return Prepared(recipe.scaled(numbers), rows, every, table, recipe, color, ident, notes)


def _matched(recipe: Recipe, table: Table, apart: list[str]) -> list[str]:
    """Return the columns of a new table that are those of the fit: by name, else by position."""
    wanted = list(recipe.columns)
    missing = [name for name in wanted if name not in table.frame.columns]
    if not missing:
        return wanted
    if recipe.named and table.named:
        raise ValueError(
            f"{table.source} lacks columns that the model was fitted on: {listed(missing)}"
        )
    names = numeric_by_default(table, apart)[0]
    if len(names) != len(wanted):
        raise ValueError(
            f"{table.source} has {len(names)} columns to map, but the model was fitted on "
            f"{len(wanted)}"
        )
    return names


def _narrowed(table: Table, rows: Array) -> Table:
    return replace(table, frame=table.frame.iloc[rows])


def _sampled(n: int, wishes: Wishes) -> Array:
    if wishes.sample is None or wishes.sample >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(wishes.seed).choice(n, wishes.sample, replace=False))


def _uneven(names: list[str], numbers: Array, scale: str, table: Table) -> list[str]:
    """Tell of columns in different units; those of an array or of images have one."""
    spread = numbers.std(axis=0, dtype=np.float64)
    if scale != "none" or table.features is not None or not (spread > 0).any():
        return []
    low, high = int(np.argmin(np.where(spread > 0, spread, np.inf))), int(spread.argmax())
    if spread[high] < UNEVEN * spread[low]:
        return []
    return [
        f"column {names[high]!r} spreads {spread[high] / spread[low]:.0f} times as far as "
        f"{names[low]!r} and decides all distances; --scale standard evens them out"
    ]
