"""Parquet files as tables of numbers: which columns there are, and one row group at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..values import Array
from .sources import Source, file_fingerprint

Facts = tuple[tuple[str, ...], Array, list[tuple[str, int]], Any]


def _files() -> Any:
    try:
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise ImportError("parquet files need pyarrow; pip install 'unspool[dask]'") from None
    return parquet


def describe(paths: tuple[str, ...], chosen: tuple[str, ...] | None) -> Facts:
    """Return the columns, the rows at which row groups begin, where these are, and their type.

    Only the ends of the files are read. All files must have the columns of the first.
    """
    columns, dtype = _number_columns(paths[0], chosen)
    sizes, groups = [0], []
    for path in paths:
        with _files().ParquetFile(path) as file:
            names = set(file.schema_arrow.names)
            missing = [name for name in columns if name not in names]
            if missing:
                raise ValueError(f"{path} has no column {missing[0]!r}, which {paths[0]} has")
            for number in range(file.metadata.num_row_groups):
                sizes.append(file.metadata.row_group(number).num_rows)
                groups.append((path, number))
    return columns, np.cumsum(sizes), groups, dtype


def _number_columns(path: str, chosen: tuple[str, ...] | None) -> tuple[tuple[str, ...], Any]:
    """Return the columns that are mapped, and single precision if all of them are."""
    import pyarrow.types as kinds

    with _files().ParquetFile(path) as file:
        types = {field.name: field.type for field in file.schema_arrow}
    numbers = [
        name
        for name, kind in types.items()
        if kinds.is_floating(kind) or kinds.is_integer(kind) or kinds.is_boolean(kind)
    ]
    if chosen is not None:
        unknown = [name for name in chosen if name not in numbers]
        if unknown:
            raise ValueError(f"{path} has no column of numbers {unknown[0]!r}")
        numbers = list(chosen)
    if not numbers:
        raise ValueError(f"{path} has no column of numbers")
    single = all(kinds.is_float32(types[name]) for name in numbers)
    return tuple(numbers), np.dtype(np.float32 if single else np.float64)


def read_group(path: str, number: int, columns: tuple[str, ...], dtype: Any) -> Array:
    """Return the rows of one row group; what is missing is NaN."""
    with _files().ParquetFile(path) as file:
        table = file.read_row_group(number, columns=list(columns), use_threads=False)
    out = np.empty((table.num_rows, len(columns)), dtype=dtype)
    for place, name in enumerate(columns):
        out[:, place] = table.column(name).to_numpy()
    return out


@dataclass(frozen=True)
class ParquetFiles(Source):
    """The number columns of parquet files, one after the other; row groups are read apart."""

    paths: tuple[str, ...]
    chosen: tuple[str, ...] | None = None

    @cached_property
    def _facts(self) -> tuple[tuple[str, ...], Array, list[tuple[str, int]], Any]:
        """Return the columns, the first rows of row groups, where these are, and their type."""
        return describe(self.paths, self.chosen)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]  # of the files
        """Names of the columns."""
        return self._facts[0]

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the files
        """Rows and columns."""
        return int(self._facts[1][-1]), len(self.columns)

    @property
    def dtype(self) -> Any:
        """Single precision if all columns are; else double."""
        return self._facts[3]

    @property
    def fingerprint(self) -> str:
        """The paths, with sizes and times of change."""
        files = " ".join(file_fingerprint(path) for path in self.paths)
        return f"{files} {self.columns}"

    @property
    def bounds(self) -> Array:
        """The rows at which row groups begin."""
        return self._facts[1]

    def select(self, names: tuple[str, ...]) -> Source:
        """Return the columns of these names."""
        return ParquetFiles(self.paths, names)

    def read_range(self, start: int, stop: int) -> Array:
        """Return some rows; each row group that they are in is read once."""
        columns, bounds, groups, dtype = self._facts
        out = np.empty((stop - start, len(columns)), dtype=dtype)
        first = int(np.searchsorted(bounds, start, side="right")) - 1
        while first < len(groups) and bounds[first] < stop:
            rows = read_group(*groups[first], columns, dtype)
            low, high = max(start, int(bounds[first])), min(stop, int(bounds[first + 1]))
            out[low - start : high - start] = rows[low - bounds[first] : high - bounds[first]]
            first += 1
        return out

    def __getstate__(self) -> dict[str, Any]:
        return {"paths": self.paths, "chosen": self.chosen}
