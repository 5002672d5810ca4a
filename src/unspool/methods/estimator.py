"""What every method promises: the scikit-learn contract, one report, all or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import distances, extension
from ..runtime import recording, show_progress
from ..values import Array, Report
from .input import checked_points, checked_table
from .parameters import check_parameters, learned, method, parameter


@method
class Method(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base of all methods: declared parameters in, ``embedding_`` and ``report_`` out.

    Subclasses say how to ``_learn`` from points and how to ``_map`` new ones, both in float64; what
    goes in as float32 comes out as float32.
    """

    n_components: int = parameter(
        2, positional=True, kind=int, at_least=1, help="number of coordinates of the map"
    )
    random_state: int = parameter(
        0, kind=int, at_least=0, help="seed of everything random; the same seed, the same map"
    )
    verbose: bool = parameter(False, kind=bool, help="show progress on stderr")

    report_: Report = learned()
    embedding_: Array = learned()
    eigenvalues_: Array = learned()
    n_features_in_: int = learned()

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the map of the rows of ``X``."""
        check_parameters(self)
        with self._all_or_nothing(), recording() as record:
            with show_progress(type(self).__name__) if self.verbose else nullcontext():
                points = self._checked(X, reset=True)
                self._learn(points)
            self.embedding_ = self.embedding_.astype(self._dtype, copy=False)
            self.report_ = record.report()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Learn the map of the rows of ``X`` and return their coordinates."""
        return np.array(self.fit(X, y).embedding_)

    def transform(self, X: Any) -> Array:
        """Return the coordinates of new points; of known points, the coordinates they have."""
        check_is_fitted(self)
        points = self._checked(X, reset=False)
        return self._map(points).astype(_dtype_of(X), copy=False)

    def inverse_transform(self, Y: Any) -> Array:
        """Return the points of the data space that places on the map stand for."""
        check_is_fitted(self)
        places = checked_points(Y, min_samples=1)
        width = self.embedding_.shape[1]
        if places.shape[1] != width:
            raise ValueError(f"Y has {places.shape[1]} columns, but this map has {width}")
        if self._points is None:
            raise ValueError(
                f"this {type(self).__name__} was fitted on a precomputed table, so there are no "
                "points to return; fit it on points to use inverse_transform"
            )
        return self._unmap(places).astype(_dtype_of(Y), copy=False)

    _SPARSE_TABLES = False  # whether a precomputed table may be sparse

    _dtype: Any = learned()
    _given: Any = learned()  # what the method was fitted on, as float64

    @property
    def _points(self) -> Array | None:
        """The points the method was fitted on, unless it was fitted on a table."""
        return None if self._table() else self._given

    def _table(self) -> Literal["distances", "kernel"] | None:
        """Say whether the input is a precomputed table, and of what."""
        return None

    def _checked(self, X: Any, *, reset: bool) -> Any:
        table = self._table()
        if table is None:
            given: Any = checked_points(X, self, reset=reset, min_samples=2 if reset else 1)
        else:
            given = checked_table(X, self, reset, table == "distances", self._SPARSE_TABLES)
        if reset:
            self._dtype, self._given = _dtype_of(X), given
        return given

    def _learn(self, points: Any) -> None:
        raise NotImplementedError

    def _map(self, points: Any) -> Array:
        raise NotImplementedError

    def _unmap(self, places: Array) -> Array:
        """Interpolate between the known points around each place (exact inverses override this)."""
        assert self._points is not None
        known = self.embedding_.astype(np.float64)
        index = distances.build_index(known)
        count = min(extension.neighbors_needed(known.shape[1]), len(known))
        towards = distances.find_query_neighbors(index, places, count)
        return extension.interpolate(places, towards, known, self._points)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Put everything back as it was if the block fails or is cancelled."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = self._table() is not None
        tags.input_tags.sparse = self._table() is not None and self._SPARSE_TABLES
        return tags


def _dtype_of(X: Any) -> Any:
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64
