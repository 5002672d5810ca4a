"""Distances row by row, of the data and of the map alike: from points, or from a given table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from ..distances import check_metric, pairwise_distances, squared_norms
from ..runtime import is_sharing, limit_blas_threads, reuse, run_strips
from ..scale.files import at_random
from ..scale.reduction import distances_to_all
from ..scale.sources import Source, in_memory, is_lazy, open_source
from ..values import Array, Metric, refuse_cells
from .score import CHUNK_BYTES, PAIRS, STRIP, Chosen

WIDE = 24  # columns from which a matrix product beats differences (784 columns: 12 times)
SAMPLE = 1_000  # rows that tell how wide the points are spread
NEAR = 1e-6  # of the squared norms: below, |x|^2 + |y|^2 - 2 x.y has lost too many digits


class DistanceRows(Protocol):
    """Distances between points, some rows at a time; ``arrays`` and ``setting`` define them."""

    @property
    def n_points(self) -> int: ...  # noqa: D102 (a protocol's fields speak for themselves)
    @property
    def arrays(self) -> tuple[Array, ...]: ...  # noqa: D102
    @property
    def setting(self) -> Metric: ...  # noqa: D102
    def distances(self, rows: Array) -> Array: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class PointRows:
    """Points and a metric."""

    points: Array
    metric: Metric

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What the distances are computed from."""
        return (self.points,)

    @property
    def setting(self) -> Metric:
        """How they are computed."""
        return self.metric

    def distances(self, rows: Array) -> Array:
        """Return the distances from some points to all, as a fresh table."""
        return pairwise_distances(self.points[rows], self.points, self.metric)


@dataclass(frozen=True, slots=True)
class WidePointRows:
    """Points of many columns, centred: distances by matrix products, close pairs once more."""

    centred: Array
    norms: Array

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.centred)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What the distances are computed from."""
        return (self.centred,)

    @property
    def setting(self) -> Metric:
        """How they are computed."""
        return "euclidean"

    def distances(self, rows: Array) -> Array:
        """Return the distances from some points to all, as a fresh table."""
        squares = self.centred[rows] @ self.centred.T
        squares *= -2.0
        reach = self.norms[rows][:, None] + self.norms
        squares += reach
        close_rows, close = np.nonzero(squares <= NEAR * reach)
        step = max(1, CHUNK_BYTES // (8 * self.centred.shape[1]))
        for first in range(0, len(close), step):
            i, j = close_rows[first : first + step], close[first : first + step]
            differences = self.centred[rows[i]] - self.centred[j]
            squares[i, j] = squared_norms(differences)
        return np.asarray(np.sqrt(squares, out=squares))


@dataclass(frozen=True, slots=True)
class SourceRows:
    """Points that are not in memory: whoever wants distances reads them all, block by block."""

    source: Source
    metric: Metric

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.source)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Nothing: the points are on disk."""
        return ()

    @property
    def setting(self) -> Metric:
        """How they are computed."""
        return self.metric

    def distances(self, rows: Array) -> Array:
        """Return the distances from some points to all."""
        return np.array(distances_to_all(self.source, rows, self.metric)[:])


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """The distances from some points, in increasing order, to all: in memory, or in a file."""

    points: Array
    table: Any

    @property
    def n_points(self) -> int:
        """Number of points."""
        return int(self.table.shape[1])

    @property
    def arrays(self) -> tuple[Array, ...]:
        """Which points were measured from."""
        return (self.points,)

    @property
    def setting(self) -> Metric:
        """How they are computed."""
        return "precomputed"

    def distances(self, rows: Array) -> Array:
        """Return the distances from some of these points to all, as a fresh table."""
        return np.array(self.table[np.searchsorted(self.points, rows)])


def measured(data: DistanceRows, chosen: Chosen) -> DistanceRows:
    """Return one side of a comparison with what the chosen points ask of it at hand.

    Points that are not in memory are read once for all of them, block by block.
    """
    if not isinstance(data, SourceRows):
        return data
    table = distances_to_all(data.source, chosen.points, data.metric)
    return MeasuredRows(chosen.points, table)


@dataclass(frozen=True, slots=True)
class TableRows:
    """A table of distances that somebody computed."""

    table: Array

    @property
    def n_points(self) -> int:
        """Number of points."""
        return len(self.table)

    @property
    def arrays(self) -> tuple[Array, ...]:
        """What the distances are computed from."""
        return (self.table,)

    @property
    def setting(self) -> Metric:
        """How they are computed."""
        return "precomputed"

    def distances(self, rows: Array) -> Array:
        """Return rows of the table, as a copy."""
        return np.array(self.table[rows], dtype=np.float64)


def distance_rows(X: Any, metric: Metric = "euclidean", name: str = "X") -> DistanceRows:
    """Return points (or a square table of distances) as one side of a comparison, once checked.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    name : str, default="X"
        What the data are called in messages.

    Returns
    -------
    Side
        The side, which gives distances and neighbours in blocks of rows.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> quality.distance_rows(datasets.circle(50).points).n_points
    50
    """
    check_metric(metric)
    refuse_cells(X)
    if is_lazy(X) and metric != "precomputed" and name == "X":
        return SourceRows(open_source(X), metric)
    given = np.asarray(in_memory(X, f"the score of {name}, which compares all points,"))
    return reuse("distance rows", (given,), (metric, name), partial(_rows_of, given, metric, name))


def _rows_of(X: Array, metric: Metric, name: str) -> DistanceRows:
    if metric == "precomputed":
        return TableRows(checked_table(X, name))
    values = _finite(X, name)
    if metric in ("euclidean", "l2") and values.shape[1] >= WIDE:
        centred = values - _coarse_mean(values)  # in float64, the only copy of them all
        centred.flags.writeable = False  # ranks and distances of it are looked up without a look
        return WidePointRows(centred, squared_norms(centred))
    return PointRows(values.astype(np.float64, copy=False), metric)


def _coarse_mean(values: Array) -> Array:
    """Return the mean of the columns, rounded to a power of two below the spread of the points.

    That near is as good, and whole numbers less it are few bits: their squared distances are then
    exact, and those that are equal rank by index.
    """
    mean = values.mean(axis=0, dtype=np.float64)
    spread = float(np.abs(values[:: 1 + len(values) // SAMPLE] - mean).max())
    unit = 2.0 ** np.floor(np.log2(spread) - 3) if spread > 0.0 else 1.0
    return np.asarray(np.round(mean / unit) * unit)


def kept_distances(data: DistanceRows, chosen: Chosen) -> Array | None:
    """Return the distances from the chosen points to all, where several maps share them.

    None where nobody shares anything, or where they are too many to be kept.
    """
    if (
        not is_sharing()
        or isinstance(data, MeasuredRows)
        or len(chosen.points) * data.n_points > PAIRS
    ):
        return None
    measure = partial(all_distances, data, chosen.points)
    return reuse("distances", (*data.arrays, chosen.points), data.setting, measure)


def all_distances(data: DistanceRows, rows: Array) -> Array:
    """Return the distances from some points to all, a strip by each thread."""
    table = np.empty((len(rows), data.n_points))

    def work(strip: slice) -> None:
        table[strip] = data.distances(rows[strip])

    with limit_blas_threads():
        run_strips(work, len(rows), STRIP)
    table.flags.writeable = False
    return table


def rows_of_both(
    X: Any, Y: Any, metric: Metric, at_least: int = 3
) -> tuple[DistanceRows, DistanceRows]:
    """Return the rows of the data and of their map, which must be of the same points."""
    data, places = distance_rows(X, metric), distance_rows(Y, name="Y")
    check_same_points(data.n_points, places.n_points, at_least)
    return data, places


def points_of(X: Any, name: str) -> Any:
    """Return points, checked; those that are not in memory stay where they are.

    Rows of these are gathered by indexing, as of an array, and checked when they are read.
    """
    return at_random(open_source(X)) if is_lazy(X) else checked(X, name)


def checked(X: Any, name: str) -> Array:
    """Return ``X`` as a matrix of finite float64, or say what is wrong with it and where.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
    name : str
        What the matrix is called in the message.

    Returns
    -------
    ndarray of shape (n_samples, n_features)
        The matrix.

    Examples
    --------
    >>> from unspool import quality
    >>> quality.checked([[1, 2], [3, 4]], "X").dtype
    dtype('float64')
    """
    return _finite(X, name).astype(np.float64, copy=False)


def checked_table(distances: Any, name: str, shape: tuple[int, int] | None = None) -> Array:
    """Return a table of distances as it is, large as it may be, once its entries are checked.

    They may be infinite, between points that no path joins.

    Parameters
    ----------
    distances : array-like
        The table.
    name : str
        What the table is called in the message.
    shape : tuple of int or None, default=None
        Its shape; None is square.

    Returns
    -------
    ndarray
        The table.

    Examples
    --------
    >>> from unspool import quality
    >>> quality.checked_table([[0.0, 1.0], [1.0, 0.0]], "distances").shape
    (2, 2)
    """
    table = _matrix(distances, name)
    wanted = (len(table), len(table)) if shape is None else shape
    if table.shape != wanted:
        raise ValueError(
            f"{name} must be a table of {wanted[0]} x {wanted[1]} distances; got {table.shape}"
        )
    _check_entries(table, lambda part: part >= 0, name)
    return table


def _finite(X: Any, name: str) -> Array:
    """Return ``X`` as a matrix of finite numbers of any type."""
    values = _matrix(X, name)
    _check_entries(values, np.isfinite, name)
    return values


def _matrix(X: Any, name: str) -> Array:
    refuse_cells(X)
    values = np.asarray(in_memory(X, f"the score of {name}, which compares all points,"))
    if values.ndim != 2 or values.size == 0:
        raise ValueError(
            f"{name} must be a matrix with one row per point; got shape {values.shape}"
        )
    if values.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers; got {values.dtype}")
    return values


def _check_entries(values: Array, good: Callable[[Array], Array], name: str) -> None:
    step = max(1, CHUNK_BYTES // (8 * values.shape[1]))
    for first in range(0, len(values), step):
        right = good(values[first : first + step])
        if not right.all():
            row, column = np.argwhere(~right)[0]
            entry = values[first + row, column]
            raise ValueError(
                f"{name} is {entry} at row {first + row}, column {column}; drop or fill it"
            )


def check_finite(distances: Array, rows: Array) -> None:
    """Raise ValueError if one of these rows of distances has an infinite entry."""
    if not np.isfinite(distances).all():
        row = rows[np.isinf(distances).any(axis=1).argmax()]
        raise ValueError(
            f"point {row} is infinitely far from others: the graph has several connected "
            "components; score the points of one at a time"
        )


def check_same_points(n_data: int, n_map: int, at_least: int) -> None:
    """Raise ValueError unless both sides have the same, large enough number of points."""
    if n_data != n_map:
        raise ValueError(f"X has {n_data} points and Y has {n_map}; they must be the same points")
    if n_data < at_least:
        raise ValueError(f"there are {n_data} points; this score needs at least {at_least}")


def check_neighbors(n_neighbors: Any, n_points: int, name: str = "n_neighbors") -> int:
    """Return a number of neighbours that there are, or say how many there could be.

    Parameters
    ----------
    n_neighbors : int
        Number of neighbours that is asked for.
    n_points : int
        Number of points that there are.
    name : str, default="n_neighbors"
        What the number is called in the message.

    Returns
    -------
    int
        The number of neighbours.

    Examples
    --------
    >>> from unspool import quality
    >>> quality.check_neighbors(5, 100)
    5
    """
    if isinstance(n_neighbors, bool) or not isinstance(n_neighbors, int | np.integer):
        raise ValueError(f"{name} must be a whole number; got {n_neighbors!r}")
    if not 1 <= n_neighbors < n_points:
        raise ValueError(
            f"{name}={n_neighbors} is not possible for {n_points} points; use 1 to {n_points - 1}"
        )
    return int(n_neighbors)
