"""A method beyond its limits: a spread-out sample is fitted, everything else is placed on its map.

How far that can be trusted is measured, never assumed: rows that were held out are placed, and
fitted too, together with the sample; where the two maps disagree about them is the placing error.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..runtime import recording, stage, warn
from ..values import Array, Report
from .cells import split
from .placing import place_rows
from .sources import Source, check_rows, is_lazy, open_source

CANDIDATES = 4  # rows looked at for each row of the sample
HELD_OUT = 1_000  # rows by which the placing is judged
LOOKED_AT = 65_536  # rows whose numbers are looked at together
LARGE = 0.1  # of the map's size: a placing error that a warning tells
SKETCHED = 32  # random directions in which sparse points are spread out: cells have dense axes


@dataclass(frozen=True)
class GivenRows(Source):
    """Rows of what is in memory, each in the kind of table that it came in.

    Frames keep their names and sparse points their layout, for the method's own door to look at.
    """

    table: Any
    at_random = True

    @classmethod
    def of(cls, X: Any) -> GivenRows:
        """Return the rows of a table, or of a list of lists."""
        if sp.issparse(X):
            return cls(sp.csr_array(X))
        return cls(X if hasattr(X, "shape") else np.asarray(X))

    @property
    def shape(self) -> tuple[int, int]:  # type: ignore[override]  # of the table
        """Rows and columns."""
        return int(self.table.shape[0]), int(self.table.shape[1])

    def read(self, start: int, stop: int) -> Any:
        """Return the rows of a range."""
        return _some(self.table, slice(start, stop))

    def __getitem__(self, rows: Any) -> Any:
        return _some(self.table, rows)

    def check_numbers(self) -> None:
        """Raise ValueError, with the row of the table, for a number that no method would take."""
        for start in range(0, len(self), LOOKED_AT):
            rows = self.read(start, start + LOOKED_AT)
            values = rows.data if sp.issparse(rows) else np.asarray(rows)
            if values.dtype.kind in "fiu":  # of others the method's own door tells
                check_rows(np.ascontiguousarray(values, dtype=np.float64), start)


@dataclass
class BySample:
    """A method that is fitted on a sample and places all other rows, as ``by_sample`` makes it.

    Parameters
    ----------
    method : estimator
        A method with its parameters, not fitted.
    n : int
        Rows of the sample.
    held_out : int, default=1000
        Rows by which the placing is judged.
    seed : int, default=0
        Seed of the sample.

    Attributes
    ----------
    model_ : object
        The method, fitted on the sample.
    sample_ : ndarray
        The rows that it was fitted on.
    embedding_ : ndarray
        Coordinates of all rows.
    placing_error_ : float
        Distance between where held-out rows are placed and where a fit with them puts them: the
        root of its mean square, over that of the map's spread.
    placing_errors_ : ndarray
        The same, row by row, for the rows of ``held_out_``.
    held_out_ : ndarray
        The rows that were held out.
    report_ : Report
        What was done, stage by stage.

    Examples
    --------
    >>> from unspool import PCA, datasets, scale
    >>> scale.BySample(PCA(2), 50, 10).fit(datasets.s_curve(200).points).placing_error_ < 0.2
    True
    """

    method: Any
    n: int
    held_out: int = HELD_OUT
    seed: int = 0
    model_: Any = field(init=False, repr=False)
    sample_: Array = field(init=False, repr=False)
    held_out_: Array = field(init=False, repr=False)
    embedding_: Array = field(init=False, repr=False)
    placing_error_: float = field(init=False)
    placing_errors_: Array = field(init=False, repr=False)
    report_: Report = field(init=False, repr=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the sample, measure how others are placed, and place all rows of ``X``.

        Parameters
        ----------
        X : array-like, path, dask or zarr array, parquet files
            Points, one per row, in memory or not.
        y : None
            Ignored.

        Returns
        -------
        Self
            The fitted object.
        """
        source = self._open(X)
        n = len(source)
        if n < self.n + self.held_out:
            raise ValueError(
                f"{n} rows are no more than a sample of {self.n} and {self.held_out} held out; fit "
                "the method itself, or ask for a smaller sample"
            )
        with recording() as record:
            self.sample_, self.held_out_ = choose_rows(
                source, self.n, self.held_out, self.seed, self._checked
            )
            both = source[np.concatenate([self.sample_, self.held_out_])]
            self.model_ = deepcopy(self.method).fit(_some(both, slice(0, self.n)))
            self.placing_errors_ = self._measure(both)
            self.placing_error_ = float(np.sqrt(np.mean(np.square(self.placing_errors_))))
            if self.placing_error_ > LARGE:
                warn(
                    f"rows outside the sample are placed {100 * self.placing_error_:.0f} % of the "
                    "map's size from where a fit with them puts them; use a larger sample, or "
                    "another method"
                )
            self.embedding_ = self._place(source)
        self.report_ = record.report()
        return self

    def _place(self, source: Source) -> Array:
        """Return the coordinates of all rows; from then on, the model knows columns by name."""
        width, kind = self.model_.embedding_.shape[1], self.model_.embedding_.dtype
        if not isinstance(source, GivenRows) and source.dtype == np.float32:
            kind = np.float32
        held = 8.0 * 12 * source.shape[1] + 8.0 * 200
        placed = place_rows(source, self.model_.transform, width, held, kind)
        if source.columns:  # of files, whose blocks come without
            self.model_.feature_names_in_ = np.array(source.columns, dtype=object)
        return placed

    def _open(self, X: Any) -> Source:
        """Return the rows of points; what the method would not take is refused at once."""
        if self.method._input_kind() != "points":
            raise ValueError(
                "a sample is drawn of points, and a precomputed table has none; fit "
                f"{type(self.method).__name__} on the table, or pass the points"
            )
        if is_lazy(X):
            return open_source(X)
        rows = GivenRows.of(X)
        self._checked(rows.read(0, 2))
        rows.check_numbers()
        return rows

    def _checked(self, rows: Any) -> Any:
        """Return rows as the method looks at them: numbers, dense or sparse."""
        return deepcopy(self.method)._check_input(rows, reset=True)

    def _measure(self, both: Any) -> Array:
        """Return how far each held-out row is placed from where a fit with it puts it.

        ``both`` are the sample and the rows held out, in this order. The second map is laid on the
        first by the affine map that fits the sample best: axes may be turned, mirrored or scaled
        without harm.
        """
        with stage("placing error") as running:
            others = _some(both, slice(self.n, None))
            placed = np.asarray(self.model_.transform(others), dtype=np.float64)
            fitted = deepcopy(self.method).fit(both).embedding_
            known = self.model_.embedding_.astype(np.float64)
            here = np.column_stack([fitted.astype(np.float64), np.ones(len(fitted))])
            laid = np.linalg.lstsq(here[: self.n], known, rcond=None)[0]
            gaps = np.linalg.norm(placed - here[self.n :] @ laid, axis=1)
            size = float(np.sqrt(np.square(known - known.mean(axis=0)).sum(axis=1).mean()))
            errors = np.asarray(gaps / (size or 1.0))
            running.note(rows=len(placed), error=round(float(np.sqrt(np.mean(errors**2))), 4))
        return errors

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Fit, and return the coordinates of all rows.

        Parameters
        ----------
        X : array-like, path, dask or zarr array, parquet files
            As for ``fit``.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            A copy of ``embedding_``.
        """
        return np.array(self.fit(X, y).embedding_)

    def transform(self, X: Any) -> Any:
        """Return the coordinates of rows by the map of the sample.

        Parameters
        ----------
        X : array-like, path, dask or zarr array, parquet files
            Points.

        Returns
        -------
        ndarray or dask array
            Their coordinates; lazily, where the points are not in memory.
        """
        return self.model_.transform(X)

    def inverse_transform(self, Y: Any) -> Any:
        """Return the points that places on the map stand for.

        Parameters
        ----------
        Y : array-like or dask array
            Places.

        Returns
        -------
        ndarray or dask array
            Points.
        """
        return self.model_.inverse_transform(Y)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the coordinates.

        Parameters
        ----------
        input_features : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        ndarray of str
            As of the method.
        """
        return np.asarray(self.model_.get_feature_names_out(input_features))


def by_sample(method: Any, n: int, *, held_out: int = HELD_OUT, seed: int = 0) -> BySample:
    """Return a method that is fitted on ``n`` rows and places all others by ``transform``.

    The rows are spread out evenly over the data. What the placing costs is measured on rows that
    were held out, and stands in ``placing_error_`` and in the report.

    Parameters
    ----------
    method : estimator
        A method of unspool with its parameters, not fitted.
    n : int
        Rows of the sample.
    held_out : int, default=1000
        Rows by which the placing is judged.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    BySample
        What is fitted like the method.

    Examples
    --------
    >>> from unspool import Isomap, datasets, scale
    >>> roll = datasets.swiss_roll(2000).points
    >>> model = scale.by_sample(Isomap(2), 600, held_out=100).fit(roll)
    >>> model.embedding_.shape, model.placing_error_ < 0.1
    ((2000, 2), True)
    """
    if n < 2 or held_out < 1:
        raise ValueError(f"a sample needs 2 rows and 1 held out; got n={n}, held_out={held_out}")
    return BySample(method, n, held_out, seed)


def choose_rows(
    source: Source, n: int, held_out: int, seed: int, checked: Callable[[Any], Any]
) -> tuple[Array, Array]:
    """Return the rows of a spread-out sample, and others drawn at random to be held out.

    Of some random rows one is taken from each of n cells that hold equally many of them;
    ``checked`` turns rows into numbers.
    """
    rng = np.random.default_rng(seed)
    with stage("sample") as running:
        drawn = rng.choice(len(source), min(len(source), CANDIDATES * n + held_out), replace=False)
        others, candidates = np.sort(drawn[:held_out]), np.sort(drawn[held_out:])
        points = _dense(checked(source[candidates]), rng)
        splits, count = split(points, n)
        cells = splits.cells_of(points)
        order = np.argsort(cells, kind="stable")
        first = order[np.searchsorted(cells[order], np.arange(count))]
        rest = np.setdiff1d(np.arange(len(candidates)), first)  # where cells were too few
        more = rng.permutation(rest)[: n - len(first)]
        chosen = np.sort(candidates[np.concatenate([first, more])])
        running.note(rows=n, candidates=len(candidates))
    return chosen, others


def _dense(points: Any, rng: np.random.Generator) -> Array:
    """Return points by which to spread out a sample: of sparse ones, some random directions."""
    if not sp.issparse(points):
        return np.asarray(points)
    return np.asarray(points @ rng.normal(size=(points.shape[1], SKETCHED)))


def _some(table: Any, rows: Any) -> Any:
    """Return some rows of a table in memory, in its own kind."""
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]
