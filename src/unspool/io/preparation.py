"""From a table to points, and back to the rows they came from.

Columns are chosen; then comes a curve (log, arcsinh), gaps are filled or dropped, and columns are
centred and scaled. The recipe of all that goes with a model, so that new rows are treated in the
same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import distances
from ..values import Array
from .table import (
    Table,
    days_of,
    default_columns,
    find_column,
    is_date,
    join_names,
    note_likely_ids,
    select_columns,
    to_numbers,
    treat_gaps,
)

NA_CHOICES = ("error", "drop", "mean")
CURVES = ("none", "log", "arcsinh")
ALL = slice(None)
COFACTOR = 5.0  # of arcsinh: 5 for mass cytometry, 150 for fluorescence
BLOCK = 2**16  # rows that are looked at together
UNEVEN = 1e3  # ratio of spreads from which on one column decides all distances
COMPANY = 5  # an outlier is far from its fifth neighbour, or else it is one of a small group
ALONE = 6.0  # spreads of that distance's logarithm (Tukey's fences have 1.5) beyond the quartile
TOLD = 8  # rows that are named
DAYS_PER_YEAR = 365.2425


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
    member : str
        Which table of an AnnData was mapped, as ``"obsm/X_pca"``; empty for ``X``, and for others.
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
    member: str = ""

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
    curve : {"none", "log", "arcsinh"}
        Take log(1 + x), or arcsinh(x / cofactor), of every value before anything else.
    cofactor : float
        That of arcsinh: 5 suits mass cytometry, 150 fluorescence.
    drop_outliers : bool
        Leave out rows that are far from all others; notes tell how many and which.
    """

    columns: str | None = None
    color: str | None = None
    id: str | None = None
    na: str | None = None
    scale: str = "none"
    sample: int | None = None
    seed: int = 0
    curve: str = "none"
    cofactor: float = COFACTOR
    drop_outliers: bool = False

    def __post_init__(self) -> None:
        if self.curve not in CURVES:
            raise ValueError(f"curve must be one of {', '.join(CURVES)}; got {self.curve!r}")
        if not (np.isfinite(self.cofactor) and self.cofactor > 0):
            raise ValueError(f"the cofactor of arcsinh must be above 0; got {self.cofactor!r}")


EVERYTHING = Selection()


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
        mapped = set() if keep == "all" else set(self.names)
        frame = self.table.frame
        names = [name for name in frame.columns if name not in mapped and keep != "none"]
        if self.id is not None:
            names = [self.id, *(name for name in names if name != self.id)]
        return frame[names].iloc[self.rows].reset_index(drop=True)

    def file_rows(self) -> list[int]:
        """Return which row of the file each point is, counted from 1 as in all messages."""
        return [int(row) + 1 for row in self.rows]

    def raw_numbers(self) -> Array:
        """Return the mapped columns of the drawn rows as they were read: NaN in gaps, unscaled."""
        return to_numbers(self.names, _take_rows(self.table, self.drawn))

    def truth(self) -> Array | None:
        """Return the coordinates that a map should find, where they are known."""
        return None if self.table.truth is None else self.table.truth[self.rows]

    def colors(self) -> Any:
        """Return the column that colours the map, or None; dates become years and their parts."""
        if self.color is None:
            return None
        column = self.table.frame[self.color].iloc[self.rows]
        if is_date(column):
            return years_of(column.reset_index(drop=True))
        return column.to_numpy()

    def images(self) -> Array | None:
        """Return the image behind each point, where the rows are images."""
        shape = self.table.image_shape
        if shape is None or len(self.names) != shape[0] * shape[1]:
            return None
        pixels = to_numbers(self.names, _take_rows(self.table, self.rows))
        return pixels.reshape(-1, *shape)


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
        notes += note_likely_ids(table, names) if table.features is None else []
    else:
        names, notes = select_columns(selection.columns, table), []
    drawn = _draw_rows(len(table.frame), selection)
    plain = Recipe.as_it_comes(names, named=table.named)
    na, scale = selection.na or "error", selection.scale
    recipe = replace(plain, na=na, scale=scale, curve=selection.curve, cofactor=selection.cofactor)
    recipe = replace(recipe, member=table.member)
    bent = recipe.bend(to_numbers(names, _take_rows(table, drawn)))
    numbers, rows, told = treat_gaps(bent, names, na, None)
    if len(numbers) < 2:
        raise ValueError(f"{table.source} has one row to map, and a map needs at least two")
    notes += told
    recipe = recipe.learn(numbers)
    if selection.drop_outliers:
        kept, told = _without_outliers(recipe.apply_scale(numbers), drawn[rows])
        numbers, rows, notes = numbers[kept], rows[kept], [*notes, *told]
        recipe = recipe.learn(numbers)  # the scale is that of the rows that are mapped
    notes += _warn_of_uneven(names, numbers, scale, table)
    if len(drawn) < len(table.frame):
        notes.append(f"{len(drawn)} of {len(table.frame)} rows were drawn at random")
    points = recipe.apply_scale(numbers)
    notes = [*table.notes, *notes]
    return PreparedTable(points, drawn[rows], drawn, table, recipe, color, ident, tuple(notes))


def years_of(dates: Any) -> Array:
    """Return a column of dates as years and their parts."""
    return np.asarray(1970.0 + days_of(dates) / DAYS_PER_YEAR)


def _without_outliers(points: Array, rows: Array) -> tuple[Array, list[str]]:
    """Return which points have company, and what to tell of the others.

    A point is an outlier if the distance to its fifth neighbour is far beyond those of the others:
    by factors, so that neither units nor the density of the bulk matter.
    """
    if len(points) < 4 * COMPANY:
        return np.arange(len(points)), ["too few rows to tell outliers; none was left out"]
    found = distances.neighbor_graph(np.asarray(points, dtype=np.float64), COMPANY)
    reach = np.asarray(found.distances).reshape(len(points), -1).max(axis=1)
    positive = reach[reach > 0]
    if not len(positive):
        return np.arange(len(points)), ["no rows are outliers; none was left out"]
    spread = np.log(np.maximum(reach, positive.min()))
    low, high = np.quantile(spread, [0.25, 0.75])
    alone = spread > high + ALONE * max(high - low, 0.1)
    if not alone.any():
        return np.arange(len(points)), ["no rows are outliers; none was left out"]
    order = np.flatnonzero(alone)[np.argsort(-spread[alone])]
    which = join_names((rows[order] + 1).tolist(), TOLD)
    told = f"{len(order)} of {len(points)} rows lie far from all others and were left out: {which}"
    return np.flatnonzero(~alone), [told]


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
    recipe = replace(recipe, columns=tuple(names))
    bent = recipe.bend(to_numbers(names, table))
    numbers, rows, told = treat_gaps(bent, names, na, recipe.fill)
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
    if len(rows) == len(table.frame):  # all of them, in order: a copy would be a whole table more
        return table
    return replace(table, frame=table.frame.iloc[rows])


def _draw_rows(n: int, selection: Selection) -> Array:
    if selection.sample is None or selection.sample >= n:
        return np.arange(n)
    generator = np.random.default_rng(selection.seed)
    return np.sort(generator.choice(n, selection.sample, replace=False))


def _spread(numbers: Array) -> Array:
    """Return the standard deviation of each column, without another table of their size."""
    mean, squares = numbers.mean(axis=0, dtype=np.float64), np.zeros(numbers.shape[1])
    for first in range(0, len(numbers), BLOCK):
        squares += np.square(numbers[first : first + BLOCK] - mean).sum(axis=0)
    return np.asarray(np.sqrt(squares / len(numbers)))


def _warn_of_uneven(names: list[str], numbers: Array, scale: str, table: Table) -> list[str]:
    """Tell of columns in different units; those of an array or of images have one."""
    spread = _spread(numbers)
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
