"""From a table to points, and back to the rows they came from.

Columns are chosen, gaps filled or dropped, and columns scaled; the recipe of all that goes with a
model, so that new rows are treated in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..values import Array
from .table import (
    Table,
    default_columns,
    find_column,
    join_names,
    select_columns,
    to_numbers,
    treat_gaps,
)

NA_CHOICES = ("error", "drop", "mean")
UNEVEN = 1e3  # ratio of spreads from which on one column decides all distances


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
class Selection:
    """Which rows and columns of a table are mapped, and how they are treated.

    Attributes
    ----------
    columns : str or None
        The columns to map: ``"a,b"``, ``"first:last"`` or ``"pixel*"``; None for all that hold
        numbers, except one that merely numbers the rows.
    color, id : str or None
        Columns that colour the map and name the rows; neither is mapped.
    na : {"error", "drop", "mean"} or None
        What happens to rows with missing values; None for ``"error"``, or for new rows for what the
        recipe says.
    scale : {"none", "standard", "range", "robust"}
        How columns are brought to one scale.
    sample : int or None
        How many rows are drawn at random; None for all.
    seed : int
        The seed of that sample.
    """

    columns: str | None = None
    color: str | None = None
    id: str | None = None
    na: str | None = None
    scale: str = "none"
    sample: int | None = None
    seed: int = 0


EVERYTHING = Selection()


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
        The mean of each column, which stands for a missing value.
    scale : {"none", "standard", "range", "robust"}
        The name of the scale.
    center, spread : ndarray
        What is subtracted from each column, and what it is then divided by.
    """

    columns: tuple[str, ...]
    named: bool
    na: str
    fill: Array
    scale: str
    center: Array
    spread: Array

    @classmethod
    def as_it_comes(cls, columns: Sequence[str], *, named: bool) -> Recipe:
        """Return the recipe that takes columns as they come: nothing filled, nothing scaled."""
        width = len(columns)
        fill, center, spread = np.full(width, np.nan), np.zeros(width), np.ones(width)
        return cls(tuple(columns), named, "error", fill, "none", center, spread)

    @classmethod
    def learn(
        cls, columns: Sequence[str], numbers: Array, *, named: bool, na: str, scale: str
    ) -> Recipe:
        """Return the recipe that suits these numbers; gaps are left out of the means."""
        known = np.ma.masked_invalid(numbers) if np.isnan(numbers).any() else numbers
        fill = np.asarray(known.mean(axis=0, dtype=np.float64))
        full = np.where(np.isnan(numbers), fill, numbers) if known is not numbers else numbers
        center, spread = SCALES[scale](np.asarray(full, dtype=np.float64))
        return cls(tuple(columns), named, na, fill, scale, center, spread)

    def apply_scale(self, numbers: Array) -> Array:
        """Return rows without gaps in the scale of the fit."""
        if self.scale == "none":
            return numbers
        return ((numbers - self.center) / self.spread).astype(numbers.dtype, copy=False)

    def to_notes(self) -> dict[str, Any]:
        """Return the recipe as plain values, to be saved with a model."""
        return {**asdict(self), "columns": list(self.columns)}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Recipe:
        """Return the recipe that was saved with a model."""
        return cls(**{**notes, "columns": tuple(notes["columns"])})


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """Points, and where they come from: row ``rows[i]`` of the table is point i.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_columns)
        The numbers to be mapped, without gaps, scaled as asked.
    rows : ndarray of shape (n_points,)
        The row of the table that each point is.
    drawn : ndarray
        The rows that were looked at, also those left out for missing values.
    table : Table
        The table as it was read.
    recipe : Recipe
        What was done to it.
    color, id : str or None
        The columns that colour the map and name its rows.
    notes : tuple of str
        What a user should know: what was inferred, left out or filled in.
    """

    points: Array
    rows: Array
    drawn: Array
    table: Table
    recipe: Recipe
    color: str | None = None
    id: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of ``points``."""
        return self.recipe.columns

    def other_columns(self, keep: str = "others") -> Any:
        """Return a frame of the columns to write beside the coordinates.

        Parameters
        ----------
        keep : {"others", "all", "none"}, default "others"
            Those that were not mapped, all, or none.

        Returns
        -------
        pandas.DataFrame
            One row per point, the column that names them first.
        """
        frame = self.table.frame.iloc[self.rows].reset_index(drop=True)
        mapped = () if keep == "all" else self.names
        names = [name for name in frame.columns if name not in mapped and keep != "none"]
        if self.id is not None:
            names = [self.id, *(name for name in names if name != self.id)]
        return frame[names]

    def raw_numbers(self) -> Array:
        """Return the mapped columns of the drawn rows as they were read: NaN in gaps, unscaled."""
        return to_numbers(self.names, _take_rows(self.table, self.drawn))

    def truth(self) -> Array | None:
        """Return the coordinates that a map should find, where they are known."""
        return None if self.table.truth is None else self.table.truth[self.rows]

    def colors(self) -> Any:
        """Return the column that colours the map, or None."""
        if self.color is None:
            return None
        return self.table.frame[self.color].iloc[self.rows].to_numpy()


def prepare(table: Table, selection: Selection = EVERYTHING) -> PreparedTable:
    """Return the points that a table holds, chosen, filled and scaled as asked.

    Parameters
    ----------
    table : Table
        What ``read_table`` returns.
    selection : Selection, optional
        Which rows and columns, and how they are treated.

    Returns
    -------
    PreparedTable
        The points, and the recipe by which ``apply_recipe`` treats new rows.

    Raises
    ------
    ValueError
        If a column is not there or holds no numbers, if values are missing or infinite, or if
        fewer than two rows are left.

    Examples
    --------
    >>> from unspool.io import Selection, prepare, read_table
    >>> made = prepare(read_table("demo:helix:50"), Selection(columns="x1,x3", scale="range"))
    >>> made.names, float(made.points.min()), float(made.points.max())
    (('x1', 'x3'), 0.0, 1.0)
    """
    color, ident = _columns_apart(table, selection)
    if selection.columns is None:
        names, notes = default_columns(table, [n for n in (color, ident) if n is not None])
    else:
        names, notes = select_columns(selection.columns, table), []
    drawn = _draw_rows(len(table.frame), selection)
    numbers, na = to_numbers(names, _take_rows(table, drawn)), selection.na or "error"
    numbers, rows, told = treat_gaps(numbers, names, na, None)
    if len(numbers) < 2:
        raise ValueError(f"{table.source} has one row to map, and a map needs at least two")
    recipe = Recipe.learn(names, numbers, named=table.named, na=na, scale=selection.scale)
    notes += [*told, *_warn_of_uneven(names, numbers, selection.scale, table)]
    if len(drawn) < len(table.frame):
        notes.append(f"{len(drawn)} of {len(table.frame)} rows were drawn at random")
    points = recipe.apply_scale(numbers)
    notes = [*table.notes, *notes]
    return PreparedTable(points, drawn[rows], drawn, table, recipe, color, ident, tuple(notes))


def apply_recipe(recipe: Recipe, table: Table, selection: Selection = EVERYTHING) -> PreparedTable:
    """Return new rows, treated as those of the fit were.

    Parameters
    ----------
    recipe : Recipe
        That of the ``PreparedTable`` that was fitted.
    table : Table
        The new rows. Columns are matched by name, or by position where either has no names.
    selection : Selection, optional
        Its ``color``, ``id`` and ``na`` are heeded; ``na`` None treats gaps as for the fit.

    Returns
    -------
    PreparedTable
        Points for ``transform``.

    Examples
    --------
    >>> from unspool.io import Selection, apply_recipe, prepare, read_table
    >>> old = prepare(read_table("demo:helix:50"), Selection(scale="standard"))
    >>> apply_recipe(old.recipe, read_table("demo:helix:9", seed=1)).points.shape
    (9, 3)
    """
    color, ident = _columns_apart(table, selection)
    names = _match_fit(recipe, table, [name for name in (color, ident) if name is not None])
    na = selection.na or recipe.na
    numbers, rows, told = treat_gaps(to_numbers(names, table), names, na, recipe.fill)
    recipe = replace(recipe, columns=tuple(names))
    points, drawn = recipe.apply_scale(numbers), np.arange(len(table.frame))
    notes = (*table.notes, *told)
    return PreparedTable(points, rows, drawn, table, recipe, color, ident, notes)


def _columns_apart(table: Table, selection: Selection) -> tuple[str | None, str | None]:
    """Return the columns of colours and of ids."""
    color = table.color if selection.color is None else find_column(selection.color, table)
    return color, None if selection.id is None else find_column(selection.id, table)


def _match_fit(recipe: Recipe, table: Table, apart: list[str]) -> list[str]:
    """Return the columns of a new table that are those of the fit: by name, else by position."""
    wanted = list(recipe.columns)
    missing = [name for name in wanted if name not in table.frame.columns]
    if not missing:
        return wanted
    if recipe.named and table.named:
        raise ValueError(
            f"{table.source} lacks columns that the model was fitted on: {join_names(missing)}"
        )
    names = default_columns(table, apart)[0]
    if len(names) != len(wanted):
        raise ValueError(
            f"{table.source} has {len(names)} columns to map, but the model was fitted on "
            f"{len(wanted)}"
        )
    return names


def _take_rows(table: Table, rows: Array) -> Table:
    return replace(table, frame=table.frame.iloc[rows])


def _draw_rows(n: int, selection: Selection) -> Array:
    if selection.sample is None or selection.sample >= n:
        return np.arange(n)
    generator = np.random.default_rng(selection.seed)
    return np.sort(generator.choice(n, selection.sample, replace=False))


def _warn_of_uneven(names: list[str], numbers: Array, scale: str, table: Table) -> list[str]:
    """Tell of columns in different units; those of an array or of images have one."""
    spread = numbers.std(axis=0, dtype=np.float64)
    if scale != "none" or table.features is not None or not (spread > 0).any():
        return []
    low, high = int(np.argmin(np.where(spread > 0, spread, np.inf))), int(spread.argmax())
    if spread[high] < UNEVEN * spread[low]:
        return []
    return [
        f"column {names[high]!r} spreads {spread[high] / spread[low]:.0f} times as far as "
        f"{names[low]!r} and decides all distances; scale='standard' (--scale standard) evens "
        "them out"
    ]
