"""What is done to the numbers of a table before they are mapped, kept for new rows.

First a curve (log, arcsinh), then gaps are filled, then columns are centred and scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..values import Array

NA_CHOICES = ("error", "drop", "mean")
CURVES = ("none", "log", "arcsinh")
ALL = slice(None)
COFACTOR = 5.0  # of arcsinh: 5 for mass cytometry, 150 for fluorescence


def _nonzero(spread: Array) -> Array:
    return np.where(spread > 0, spread, 1.0)  # a constant column stays constant


# name -> (what is subtracted, what is divided by), one number per column
SCALES: dict[str, Callable[[Array], tuple[Array, Array]]] = {
    "none": lambda X: (np.zeros(X.shape[1]), np.ones(X.shape[1])),
    "standard": lambda X: (X.mean(axis=0), _nonzero(X.std(axis=0))),
    "range": lambda X: (X.min(axis=0), _nonzero(np.ptp(X, axis=0))),
    "robust": lambda X: (
        np.median(X, axis=0),
        _nonzero(np.subtract(*np.quantile(X, [0.75, 0.25], axis=0))),
    ),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What was done to a table before it was mapped, so that new rows get the same.

    Attributes
    ----------
    columns : tuple of str
        The columns that were mapped.
    named : bool
        Whether these names are the user's.
    na : {"error", "drop", "mean"}
        What happened to rows with missing values.
    fill : ndarray
        The mean of each column (after the curve), which stands for a missing value.
    scale : {"none", "standard", "range", "robust"}
        The name of the scale.
    center, spread : ndarray
        What is subtracted from each column, and what it is then divided by.
    curve : {"none", "log", "arcsinh"}
        What every value went through first: nothing, log(1 + x), or arcsinh(x / cofactor).
    cofactor : float
        That of arcsinh.
    """

    columns: tuple[str, ...]
    named: bool
    na: str
    fill: Array
    scale: str
    center: Array
    spread: Array
    curve: str = "none"
    cofactor: float = COFACTOR

    @classmethod
    def as_it_comes(cls, columns: Sequence[str], *, named: bool) -> Recipe:
        """Return the recipe that takes columns as they come: nothing filled, nothing scaled."""
        width = len(columns)
        fill, center, spread = np.full(width, np.nan), np.zeros(width), np.ones(width)
        return cls(tuple(columns), named, "error", fill, "none", center, spread)

    def learn(self, bent: Array) -> Recipe:
        """Return the recipe with the means and the scale of these numbers, already on its curve."""
        known = np.ma.masked_invalid(bent) if np.isnan(bent).any() else bent
        fill = np.asarray(known.mean(axis=0, dtype=np.float64))
        full = np.where(np.isnan(bent), fill, bent) if known is not bent else bent
        center, spread = SCALES[self.scale](np.asarray(full, dtype=np.float64))
        return replace(self, fill=fill, center=center, spread=spread)

    def bend(self, numbers: Array) -> Array:
        """Return numbers, gaps among them, on the curve; ValueError where it does not lead."""
        if self.curve == "none":
            return numbers
        if self.curve == "arcsinh":
            bent: Array = np.arcsinh(numbers / self.cofactor)
        else:
            self._check_log(numbers)
            bent = np.log1p(numbers)
        return bent.astype(numbers.dtype, copy=False)

    def _check_log(self, numbers: Array) -> None:
        wrong = np.argwhere(numbers <= -1.0)
        if len(wrong):
            row, column = (int(place) for place in wrong[0])
            raise ValueError(
                f"log(1 + x) needs values above -1, and column {self.columns[column]!r} is "
                f"{numbers[row, column]:g} in row {row + 1}; leave the column out, or use arcsinh"
            )

    def apply_scale(self, bent: Array) -> Array:
        """Return rows without gaps in the scale of the fit."""
        if self.scale == "none":
            return bent
        return ((bent - self.center) / self.spread).astype(bent.dtype, copy=False)

    def undo(self, points: Array, columns: slice | int = ALL) -> Array:
        """Return points, or some of their columns, in the units of the table."""
        bent = points * self.spread[columns] + self.center[columns]
        if self.curve == "arcsinh":
            return np.asarray(self.cofactor * np.sinh(bent))
        return np.asarray(np.expm1(bent) if self.curve == "log" else bent)
