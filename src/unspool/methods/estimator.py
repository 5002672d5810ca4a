"""What every method promises: the scikit-learn contract, one report, all or nothing.

And the door: what comes in is checked once, before any work, and answered like a colleague would.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from .. import distances, extension
from ..kernel import check_symmetric
from ..runtime import recording, show_progress
from ..values import Array, Report
from .parameters import check_parameters, learned, method, parameter

InputKind = Literal["points", "distances", "kernel", "weights"]
TABLES = {
    "distances": "table of distances",
    "kernel": "kernel table",
    "weights": "table of weights",
    "points": "table",
}
LARGEST = 1e70  # fourth powers (norms of squared distances) of anything larger overflow
ZERO = 1e-14  # a distance that may be zero, rounded: by angle, or in a feature space
SMALLEST = 1e-70  # fourth powers of anything smaller vanish
# finiteness is checked here: scikit-learn's message does not say where
NUMBERS = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}


if TYPE_CHECKING:

    class ScikitLearn:
        """What the base classes of scikit-learn give to every method.

        They carry no types: with one of them among the bases, a checker would believe that a
        constructor takes any argument, and that a method has any attribute.
        """

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""
            ...

        def set_params(self, **params: Any) -> Self:
            """Set parameters by name."""
            ...

        def set_output(
            self, *, transform: Literal["default", "pandas", "polars"] | None = None
        ) -> Self:
            """Say in what kind of table ``transform`` and ``fit_transform`` answer."""
            ...

        def get_feature_names_out(self, input_features: Any = None) -> Array:
            """Return the names of the coordinates."""
            ...

        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

    class ScikitLearn(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
        """The base classes of scikit-learn."""


@method
class Estimator(ScikitLearn):
    """Base of all methods: declared parameters in, ``embedding_`` and ``report_`` out.

    Subclasses say how to ``_fit`` points and how to ``_transform`` query points, both in float64;
    what goes in as float32 comes out as float32.
    """

    n_components: int = parameter(
        default=2, kw_only=False, kind=int, at_least=1, help="number of coordinates of the map"
    )
    random_state: int = parameter(
        default=0,
        kind=int,
        at_least=0,
        help="seed of everything random; the same seed, the same map",
    )
    verbose: bool = parameter(default=False, kind=bool, help="show progress on stderr")

    report_: Report = learned(help="what the fit did, stage by stage, and what it advises")
    embedding_: Array = learned(help="coordinates of the fitted points, one row per point")
    n_features_in_: int = learned(help="number of features of the fitted points")
    feature_names_in_: Array = learned(
        help="names of the features, where a table with names was fitted"
    )
    _dtype: type[np.floating[Any]] = learned()
    _X: Any = learned()  # what the method was fitted on, as float64: points, or a table

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the map of the rows of ``X``.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points, one per row; or, where the method takes it, a precomputed table.
        y : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        Self
            The fitted method.
        """
        check_parameters(self)
        with self._all_or_nothing(), recording() as record:
            with show_progress(type(self).__name__) if self.verbose else nullcontext():
                self._fit(self._check_input(X, reset=True))
            self.embedding_ = _checked_map(self.embedding_, self._dtype)
            self.report_ = record.report()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Learn the map of the rows of ``X`` and return their coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for ``fit``.
        y : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            A copy of ``embedding_``.
        """
        return np.array(self.fit(X, y).embedding_)

    def transform(self, X: Any) -> Array:
        """Return the coordinates of query points; of known points, the coordinates they have.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points, or their rows of a precomputed table (one column per fitted point).

        Returns
        -------
        ndarray of shape (n_queries, n_components)
            Coordinates, the same for a point on its own and among others.
        """
        check_is_fitted(self)
        return _answer(self._transform(self._check_input(X, reset=False)), _dtype_of(X))

    def inverse_transform(self, Y: Any) -> Array:
        """Return the points of the data space that places on the map stand for.

        Parameters
        ----------
        Y : array-like of shape (n_places, n_components)
            Places on the map.

        Returns
        -------
        ndarray of shape (n_places, n_features)
            Points whose coordinates are about these.
        """
        check_is_fitted(self)
        places = check_points(Y, min_samples=1)
        width = self.embedding_.shape[1]
        if places.shape[1] != width:
            raise ValueError(f"Y has {places.shape[1]} columns, but this map has {width}")
        if self._input_kind() != "points":
            raise ValueError(
                f"this {type(self).__name__} was fitted on a precomputed table, so there are no "
                "points to return; fit it on points to use inverse_transform"
            )
        return _answer(self._inverse_transform(places), _dtype_of(Y))

    _SPARSE_TABLES = False  # whether a precomputed table may be sparse
    _KEEPS_INPUT = True  # whether anything is asked of the fitted points later

    def _input_kind(self) -> InputKind:
        """Say what the rows of the input are: points, or a precomputed table, and of what."""
        return "points"

    def _check_input(self, X: Any, *, reset: bool) -> Any:
        kind = self._input_kind()
        if kind == "points":
            checked: Any = check_points(X, self, reset=reset, min_samples=2 if reset else 1)
        else:
            checked = check_table(X, self, reset=reset, kind=kind, sparse=self._SPARSE_TABLES)
        if reset:
            self._dtype = _dtype_of(X)
        if reset and self._KEEPS_INPUT:
            # a copy of its own: what the caller does to X later does not change the model
            self._X = checked = _own_copy(checked, X)
        return checked

    def _fit(self, X: Any) -> None:
        raise NotImplementedError

    def _transform(self, X: Any) -> Array:
        raise NotImplementedError

    def _inverse_transform(self, places: Array) -> Array:
        """Interpolate between the known points around each place (exact inverses override this)."""
        known = self.embedding_.astype(np.float64)
        count = min(extension.neighbors_needed(known.shape[1]), len(known))
        seen = distances.find_query_neighbors(distances.build_index(known), places, count)
        return extension.interpolate(places, seen, known, self._X)

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
        is_table = self._input_kind() != "points"
        tags.input_tags.pairwise = is_table
        tags.input_tags.sparse = is_table and self._SPARSE_TABLES
        return tags


def input_kind(metric: Any) -> InputKind:
    """Return what a metric says of the input: points, or precomputed distances between them."""
    return "distances" if isinstance(metric, str) and metric == "precomputed" else "points"


def _dtype_of(X: Any) -> type[np.floating[Any]]:
    """Return the precision of the input: single for arrays, and tables, of single precision."""
    kinds = {str(kind).lower() for kind in [*getattr(X, "dtypes", [getattr(X, "dtype", None)])]}
    return np.float32 if kinds == {"float32"} else np.float64


class WrongInput(ValueError, TypeError):
    """What was given is no table of numbers; an error of its value, and of its type."""


def without_mask(X: Any) -> Any:
    """Return X with NaN for masked cells: those are not known, whatever lies under the mask."""
    return np.ma.filled(X.astype(np.float64), np.nan) if np.ma.isMaskedArray(X) else X


def _validate(X: Any, estimator: Any, reset: bool, **options: Any) -> Any:
    """Return what scikit-learn accepts; what it refuses is told with the place where it is."""
    options = {**NUMBERS, **options}
    X = without_mask(X)
    try:
        if estimator is None:
            return check_array(X, **options)
        return validate_data(estimator, X, reset=reset, **options)
    except TypeError as error:
        raise WrongInput(str(error)) from None
    except ValueError as error:
        place = _find_word(X) if "could not convert string" in str(error) else ""
        if not place:
            raise
        raise WrongInput(
            f"could not convert string to float: {place}; leave that column out, or turn its "
            "words into numbers"
        ) from None


def _find_word(X: Any) -> str:
    """Return the first cell of a table that is no number, with its row and its column."""
    names, table = getattr(X, "columns", None), np.asarray(X, dtype=object)
    for column in range(table.shape[1] if table.ndim == 2 else 0):
        for row, cell in enumerate(table[:, column]):
            try:
                float(cell)
            except (TypeError, ValueError):
                name = column if names is None else repr(names[column])
                return f"{str(cell)[:40]!r} in row {row}, column {name}"
    return ""


def _checked_map(coordinates: Array, dtype: Any) -> Array:
    """Return the coordinates in the caller's precision; ValueError if one is not finite."""
    with np.errstate(over="ignore"):
        answer = coordinates.astype(dtype, copy=False)
    if np.isfinite(answer).all():
        return answer
    if np.isfinite(coordinates).all():
        raise ValueError(
            f"the map reaches {np.abs(coordinates).max():.1e}, which single precision cannot hold; "
            "pass the data as float64"
        )
    row = int((~np.isfinite(coordinates)).any(axis=1).argmax())
    raise ValueError(
        f"the coordinates of row {row} are not finite: these parameters lead beyond what numbers "
        "can hold; bring them nearer to their defaults, or scale the data"
    )


def _answer(rows: Array, dtype: Any) -> Array:
    """Return rows of coordinates in the caller's precision; ValueError if one is not finite."""
    with np.errstate(over="ignore"):
        answer = rows.astype(dtype, copy=False)
    if not np.isfinite(answer).all():
        row = int((~np.isfinite(answer)).any(axis=1).argmax())
        raise ValueError(
            f"row {row} is so far from the fitted points that its coordinates overflow; leave it "
            "out, or fit on data that reach as far"
        )
    return answer


def check_points(
    X: Any, estimator: Any = None, *, reset: bool = True, min_samples: int = 2
) -> Array:
    """Return the rows of ``X`` as float64 points, none too large or all too small to be squared.

    Points that come after the fit (``min_samples`` of 1) may be as near to the origin as they like.
    """
    checked = _validate(X, estimator, reset, ensure_min_samples=min_samples)
    points = np.asarray(checked, dtype=np.float64)
    if not _is_ordinary(points):
        _check_finite(points)
        check_magnitude(points, fitting=min_samples > 1)
    return points


def _own_copy(checked: Any, X: Any) -> Any:
    """Return what was checked, copied if it looks into the caller's array."""
    if sp.issparse(checked):
        return checked.copy() if sp.issparse(X) else checked
    given = X if isinstance(X, np.ndarray) else getattr(X, "values", None)
    looks_in = isinstance(given, np.ndarray) and np.may_share_memory(checked, given)
    return checked.copy() if looks_in else checked


def check_table(X: Any, estimator: Any, *, reset: bool, kind: InputKind, sparse: bool) -> Any:
    """Return a precomputed table (distances, a kernel matrix, weights) checked for what it must be.

    When fitting it is square and symmetric; later its columns are the points of the fit. Distances
    and weights are not negative, and distances zero on the diagonal.
    """
    options = {"ensure_min_samples": 2 if reset else 1}
    accept = ["csr", "coo", "csc"] if sparse else False
    table = _validate(X, estimator, reset, accept_sparse=accept, **options)
    if reset and table.shape[0] != table.shape[1]:
        raise ValueError(
            f"a precomputed {TABLES[kind]} must be square; got shape {table.shape}: are these "
            "points? then leave 'precomputed' out"
        )
    is_sparse = bool(sp.issparse(table))
    tolerance = 1e-5 if table.dtype == np.float32 else 1e-8
    table = sp.csr_array(table, dtype=np.float64) if is_sparse else np.asarray(table, np.float64)
    values = np.asarray(table.data if is_sparse else table)
    _check_finite(table)
    if kind != "kernel" and values.size and values.min() < 0:
        raise ValueError(f"{kind} must not be negative; the smallest is {values.min():.6g}")
    if reset and not is_sparse:  # a sparse graph may be directed: symmetrize decides
        check_symmetric(table, f"a {TABLES[kind]}", tolerance)
        if kind == "distances":
            _check_zero_diagonal(table, tolerance)
    check_magnitude(values, fitting=reset)
    rounded = reset and not is_sparse and not np.array_equal(table, table.T)
    return 0.5 * (table + table.T) if rounded else table


def _check_zero_diagonal(table: Array, tolerance: float) -> None:
    own = np.diag(table)
    if np.abs(own).max() <= tolerance * max(1e-300, float(table.max())):
        return
    worst = int(np.abs(own).argmax())
    told = f"the distance of a point to itself must be 0, but entry ({worst}, {worst}) is "
    told += f"{table[worst, worst]:.6g}"
    if (own >= table.max(axis=1)).all():
        raise ValueError(
            f"{told}: each row is largest on the diagonal, so this is a table of similarities; "
            "Laplacian eigenmaps, diffusion maps and spectral clustering take it with "
            "weights='given', kernel PCA with kernel='precomputed'"
        )
    raise ValueError(f"{told}; did you pass similarities?")


def _check_finite(table: Any) -> None:
    values = table.data if sp.issparse(table) else table
    if np.isfinite(values).all():
        return
    cells = sp.coo_array(table) if sp.issparse(table) else None
    wrong = np.argwhere(~np.isfinite(values))
    first = wrong[0] if cells is None else (cells.row[wrong[0, 0]], cells.col[wrong[0, 0]])
    row, column = int(first[0]), int(first[1])
    kind = "NaN" if np.isnan(table[row, column]) else "infinity (inf)"
    raise ValueError(
        f"X contains {kind} in row {row}, column {column} ({len(wrong)} such entries in all); drop "
        "those rows or fill them in first"
    )


def _is_ordinary(points: Array) -> bool:
    """Tell from the sum of squares that all values are finite, none too large nor all too small.

    One pass at the speed of memory; False where that does not tell.
    """
    square = float(np.vdot(points, points)) if points.flags.c_contiguous else np.inf
    return SMALLEST**2 * points.size < square < LARGEST**2


def check_kernel(table: Array) -> Array:
    """Return a kernel matrix; ValueError if it is not finite, as that of a forged model may be."""
    if not np.isfinite(table).all():
        raise ValueError("the kernel matrix of this model is not finite; fit the model again")
    return table


def recognize(X: Array, fitted: Array, nearest: Array, gap: Array) -> tuple[Array, Array]:
    """Return the fitted points that queries are, or are nearest to, and which of them are one.

    Angles round the distance of a point to itself above zero; and where a metric or a kernel puts
    unlike points at no distance, each is still itself.
    """
    nearest, equal = np.array(nearest), (fitted[nearest] == X).all(axis=1)
    for row in np.flatnonzero(~equal & (gap <= ZERO)):
        same = np.flatnonzero((X[row] == fitted).all(axis=1))
        if len(same):
            nearest[row], equal[row] = same[0], True
    return nearest, np.asarray(equal | (gap == 0.0))


def check_magnitude(values: Array, *, fitting: bool) -> None:
    """Raise ValueError if powers of the values would overflow or, when fitting, vanish; NaN may."""
    highest, lowest = np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)
    largest = float(max(highest, -lowest)) if values.size else 0.0
    if largest > LARGEST:
        raise ValueError(
            f"values reach {largest:.1e}, and powers of that overflow; divide the data by "
            f"{largest:.0e}"
        )
    if fitting and 0.0 < largest < SMALLEST:
        raise ValueError(
            f"no value exceeds {largest:.1e}, and powers of that vanish; divide the data by "
            f"{largest:.0e}"
        )


def check_n_components(n_components: int, most: int, n_points: int | None = None) -> None:
    """Raise ValueError if more coordinates are asked for than points have, one fewer if centred."""
    if n_components > most:
        points = most + 1 if n_points is None else n_points
        raise ValueError(
            f"n_components={n_components} is more than {points} points have; use at most {most}"
        )


def check_axes(n_components: int, n_points: int, n_features: int, most: int) -> None:
    """Raise ValueError if more axes are asked for than points in so many features have."""
    if n_components > most:
        raise ValueError(
            f"n_components={n_components} is more than these {n_points} points with {n_features} "
            f"features have; use at most {most}"
        )
