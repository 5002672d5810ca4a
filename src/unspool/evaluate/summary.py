"""The data in numbers, and what to know of them before any map is believed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..distances import neighbor_graph
from ..io import UNEVEN
from ..values import Array, Metric, refuse_cells

ISOLATED = 10.0  # typical deviations of the distance to the fifth neighbour: beyond, an outlier
NAMED = 5  # rows or columns that a warning names
LISTED = 24  # columns that are described one by one
SEARCHED = 20_000  # points whose neighbours are sought for outliers


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """One column: its range and how many of its entries are missing."""

    name: str
    low: float
    median: float
    high: float
    spread: float
    missing: int


@dataclass(frozen=True, slots=True)
class Summary:
    """What the data are, and the warnings: one sentence each."""

    n_points: int
    n_columns: int
    kind: str
    columns: tuple[ColumnSummary, ...]
    duplicates: int
    missing: int
    warnings: tuple[str, ...]


def summarize(
    points: Any,
    columns: Sequence[str] = (),
    metric: Metric = "euclidean",
    data: Any = None,
    rows: Sequence[Any] = (),
) -> Summary:
    """Return a summary of points, or of a table of distances.

    Parameters
    ----------
    points : array-like of shape (n_samples, n_features)
        The points; with ``metric="precomputed"`` the distances between them.
    columns : sequence of str, default=()
        Names of the columns; by default their numbers.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    data : array-like of shape (n_rows, n_features) or None, default=None
        The same columns before rows were dropped, gaps filled and columns scaled (NaN is a missing
        entry): columns are described as they are there.
    rows : sequence, default=()
        Names of the points; by default their numbers from 0 on.

    Returns
    -------
    Summary
        What the data are, and the warnings: one sentence each.

    Examples
    --------
    >>> from unspool import datasets, evaluate
    >>> evaluate.summarize(datasets.circle(50).points).n_points
    50
    """
    refuse_cells(points)
    if metric == "precomputed":
        return _of_distances(points)
    table = np.asarray(points, dtype=np.float64)
    names = [str(name) for name in columns] or [f"column {i}" for i in range(table.shape[1])]
    read = table if data is None else np.asarray(data, dtype=np.float64)
    raw = tuple(_described(name, read[:, i]) for i, name in enumerate(names))
    is_whole = np.isfinite(table).all(axis=1)
    called = np.asarray(rows) if len(rows) else np.arange(len(table))
    copies = int(is_whole.sum()) - len(np.unique(table[is_whole], axis=0))
    missing = sum(column.missing for column in raw)
    warnings = [
        *_about_missing(raw, missing, len(read)),
        *_about_copies(copies, len(table)),
        *_about_constants(raw),
        *_about_scales(raw, None if data is None else table),
        *_about_outliers(table[is_whole], called[is_whole], metric),
        *_about_size(len(table), table.shape[1]),
    ]
    return Summary(
        n_points=len(table),
        n_columns=table.shape[1],
        kind="points",
        columns=raw[:LISTED],
        duplicates=copies,
        missing=missing,
        warnings=tuple(warnings),
    )


def _of_distances(data: Any) -> Summary:
    if sp.issparse(data):
        kind, copies = "a sparse graph of distances", 0
    else:
        table = np.asarray(data)
        kind = "a table of distances"
        copies = int((np.triu(table == 0, 1)).any(axis=0).sum())
    n = int(data.shape[0])
    warnings = tuple(_about_copies(copies, n))
    return Summary(n, n, kind, (), copies, 0, warnings)


def _described(name: str, values: Array) -> ColumnSummary:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return ColumnSummary(name, np.nan, np.nan, np.nan, 0.0, len(values))
    return ColumnSummary(
        name=name,
        low=float(known.min()),
        median=float(np.median(known)),
        high=float(known.max()),
        spread=float(known.std()),
        missing=len(values) - len(known),
    )


def _about_missing(columns: Sequence[ColumnSummary], missing: int, n_points: int) -> list[str]:
    if missing == 0:
        return []
    where = [f"{c.name} ({c.missing})" for c in columns if c.missing]
    return [
        f"{_counted(missing, 'entry is', 'entries are')} missing, in {_some(where)}: such rows of "
        f"the {n_points} were dropped or filled in before the rest was mapped"
    ]


def _about_copies(copies: int, n_points: int) -> list[str]:
    if copies == 0:
        return []
    return [
        f"{copies} of {n_points} points repeat others ({copies / n_points:.1%}): copies crowd "
        "neighbourhoods; drop them if they carry no meaning"
    ]


def _about_constants(columns: Sequence[ColumnSummary]) -> list[str]:
    same = [c.name for c in columns if c.spread == 0.0 and c.missing == 0]
    if not same:
        return []
    told = _counted(len(same), "column has", "columns have")
    return [f"{told} one value only and cannot matter: {_some(same)}"]


def _about_scales(columns: Sequence[ColumnSummary], mapped: Array | None) -> list[str]:
    """Tell of columns in different units, and whether they still were when they were mapped."""
    varying = sorted((c for c in columns if c.spread > 0), key=lambda c: c.spread)
    if not _is_uneven([c.spread for c in varying]):
        return []
    narrow, *_, wide = varying
    told = (
        f"columns have very different scales: {wide.name} varies by {wide.spread:.3g}, "
        f"{narrow.name} by {narrow.spread:.3g}"
    )
    if mapped is not None and not _is_uneven(mapped[:, np.ptp(mapped, axis=0) > 0].std(axis=0)):
        return [f"{told}; they were brought to one scale before the points were mapped"]
    return [
        f"{told}; distances see the wide ones only unless columns are brought to one scale "
        "(--scale standard)"
    ]


def _is_uneven(spreads: Any) -> bool:
    return len(spreads) > 1 and bool(max(spreads) >= UNEVEN * min(spreads))


def _about_outliers(points: Array, names: Array, metric: Metric) -> list[str]:
    if len(points) < 20:
        return []
    kept = slice(None, None, max(1, -(-len(points) // SEARCHED)))
    called, some = names[kept], points[kept]
    far = neighbor_graph(some, 5, metric=metric).distances.reshape(-1, 5)[:, -1]
    center = float(np.median(far))
    deviation = float(np.median(np.abs(far - center)))
    if deviation == 0.0:
        return []
    alone = called[far > center + ISOLATED * 1.4826 * deviation]
    if len(alone) == 0:
        return []
    named = _some([str(name) for name in alone])
    return [
        f"{_counted(len(alone), 'point lies', 'points lie')} far from all others (row {named}): an "
        "outlier pulls the map towards itself, or ends as a connected component of its own"
    ]


def _about_size(n_points: int, n_columns: int) -> list[str]:
    if n_points > n_columns or n_points < 2:
        return []
    return [f"there are fewer points ({n_points}) than columns ({n_columns})"]


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{shown} and {len(names) - NAMED} more"
