"""Points that are not in memory: what every method does with a path, a dask or a zarr array."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import available_bytes, format_bytes
from ..scale.lazy import map_rows
from ..scale.sources import Source, open_source
from ..scale.spool import at_random
from ..values import Array

HELD = 4.0  # tables of the size of the points that most methods hold, at least
ASKED = 10_000  # rows by which the number of coordinates is found, where not all are in memory


class LargeInput:
    """The door of what is not in memory; the other door, and all that is asked, is the method's.

    A method that has a way for such points overrides ``_fit_source``; others take them into memory,
    if they fit.
    """

    n_components: Any
    _seed: int
    n_features_in_: int
    feature_names_in_: Array
    _dtype: Any
    _n_wanted: int
    _X: Any
    _KEEPS_INPUT: bool
    _ON_DISK = False  # whether the method reads the rows it wants by itself, wherever they are
    _input_kind: Any
    _count_coordinates: Any
    _fit: Any

    def _fit_lazily(self, X: Any) -> None:
        """Fit points that are not in memory: a dask or zarr array, parquet files, a path."""
        if self._input_kind() != "points":
            raise ValueError(
                "a precomputed table must be in memory; give the points themselves as a path, a "
                "dask or a zarr array"
            )
        source = open_source(X)
        n, self.n_features_in_ = source.shape
        if n < 2:
            raise ValueError(f"there must be at least 2 rows; got n_samples={n}")
        self.__dict__.pop("feature_names_in_", None)
        if source.columns:
            self.feature_names_in_ = np.array(source.columns, dtype=object)
        self._dtype = np.float32 if source.dtype == np.float32 else np.float64
        if self.n_components == "auto":
            self._n_wanted = self._count_coordinates(_some_rows(source, self._seed))
        else:
            self._n_wanted = self._count_coordinates(None)
        self._fit_source(source)

    def _fit_source(self, source: Source) -> None:
        """Fit the rows of a source: in memory, where the method has no other way and they fit."""
        if self._ON_DISK:
            self._X = at_random(source)
            self._fit(self._X)
            return
        n, width = source.shape
        needed, free = 8.0 * HELD * n * width, available_bytes()
        if needed > free:
            raise MemoryError(
                f"{type(self).__name__} holds all {n} rows in memory, about "
                f"{format_bytes(needed)}, and {format_bytes(free)} are free; "
                f"scale.by_sample({type(self).__name__}(...), 20_000) fits a sample and places "
                "the others, and tells how well"
            )
        X = source[:]
        if self._KEEPS_INPUT:
            self._X = X
        self._fit(X)

    def _dense_points(self) -> Array:
        """Return the fitted points where the way back leads between them."""
        if isinstance(self._X, Source):
            return self._X  # type: ignore[return-value]  # rows are gathered from it
        if sp.issparse(self._X):
            raise ValueError(
                f"this {type(self).__name__} was fitted on sparse points, and points between those "
                "would not be sparse; fit it on X.toarray(), if that fits into memory, to use "
                "inverse_transform"
            )
        return np.asarray(self._X)

    def _map_lazily(self, way: str, X: Any, width: int, n_out: int) -> Array:
        """Return rows that are not in memory transformed, a block at a time."""
        if not hasattr(X, "shape"):
            X = open_source(X)
            names = getattr(self, "feature_names_in_", ())
            X = X.select(tuple(names)) if way == "transform" and len(names) else X
        if len(X.shape) != 2 or int(X.shape[1]) != width:
            raise ValueError(f"X has {X.shape[-1]} columns, but {way} of this map expects {width}")
        rows: Array = map_rows(self, way, X, n_out)
        return rows


def _some_rows(source: Source, seed: int) -> Array:
    """Return a random sample of the rows, in their order."""
    if len(source) <= ASKED:
        return np.asarray(source[:])
    rows = np.random.default_rng(seed).choice(len(source), ASKED, replace=False)
    return np.asarray(source[np.sort(rows)])
