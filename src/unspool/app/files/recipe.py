"""What was done to a table before it was mapped, so that new rows get the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ...values import Array

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
