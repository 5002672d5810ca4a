"""The door: what comes in is checked once, before any work, and answered like a colleague would.

Tables in memory are checked and copied; points that are not in memory (a path, a dask or a zarr
array) are read a block at a time, or as a whole where the method asks for that and they fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, validate_data

from ..distances import DEFAULT_NEIGHBORS
from ..edges import (
    are_connectivities,
    are_neighbor_lengths,
    weight_of_alike_rows,
    weight_of_shared_neighbors,
)
from ..kernel import check_symmetric
from ..runtime import warn
from ..scale.executor import check_workers
from ..scale.files import at_random
from ..scale.patches import solve_with_room
from ..scale.placing import map_rows
from ..scale.sources import Source, match_columns, open_source, read_whole, with_names
from ..spectrum import solve
from ..values import Array, EigenProblem, Spectrum, WrongInput, refuse_cells

InputKind = Literal["points", "distances", "kernel", "weights"]
Tables = Mapping[InputKind, Mapping[str, str]]  # the first kind whose parameters have these values
DISTANCES: Tables = {"distances": {"metric": "precomputed"}}
WEIGHTS: Tables = {"weights": {"metric": "precomputed", "weights": "given"}}
WEIGHTS_OR_DISTANCES: Tables = {**WEIGHTS, **DISTANCES}
KERNEL_MATRIX: Tables = {"kernel": {"kernel": "precomputed"}}
TABLES = {
    "distances": "table of distances",
    "kernel": "kernel table",
    "weights": "table of weights",
    "points": "table",
}
LARGEST = 1e70  # fourth powers (norms of squared distances) of anything larger overflow
AS_SIMILARITIES = "as if these were similarities; if they are, pass weights='given', or distances"
SMALLEST = 1e-70  # fourth powers of anything smaller vanish
# finiteness is checked here: scikit-learn's message does not say where
NUMBERS = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}
# lengths of 14 real and made tables lie below -0.1, weights above, but for some sparse graphs: a
# trend beyond this is worth a warning, none a refusal
DISTINCT = 0.1
# over this many rows, what a dense table needs more: of 2,400 tables of a few random points, in up
# to 3,000 dimensions, the trend goes up to 0.29 for 12 and 0.15 for 20 of them; 218 tables of
# distances between 15 to 700 real and made points are below 0.01
FEW_ROWS = 4.0
ASKED = 10_000  # rows by which the number of coordinates is found, where not all are in memory


def foreseen_neighbors(given: Any, radius: float | None, n_points: int) -> float:
    """Return how many neighbours a point has on average; 0 where only the search can tell."""
    count = np.asarray(DEFAULT_NEIGHBORS if given is None else given)
    if radius is not None or count.dtype.kind not in "iu":
        return 0.0
    return min(float(count.mean()), n_points - 1.0)


def without_mask(X: Any) -> Any:
    """Return X with NaN for masked cells: those are not known, whatever lies under the mask."""
    return np.ma.filled(X.astype(np.float64), np.nan) if np.ma.isMaskedArray(X) else X


def _validate(X: Any, estimator: Any, reset: bool, **options: Any) -> Any:
    """Return what scikit-learn accepts; errors name the row and column they come from."""
    options = {**NUMBERS, **options}
    if not isinstance(X, np.ndarray):
        refuse_cells(X)
        X = with_names(X)
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


def check_points(
    X: Any, estimator: Any = None, *, reset: bool = True, min_samples: int = 2
) -> Array:
    """Return the rows of ``X`` as points, none too large or all too small to be squared.

    Those that come after the fit (``min_samples`` of 1) may be as near to the origin as they like.
    They are float64, or float32 as given where the estimator keeps it.
    """
    checked = _validate(X, estimator, reset, ensure_min_samples=min_samples)
    is_single = estimator is not None and checked.dtype == np.float32
    stays = is_single and estimator._keeps_single(checked.shape[1])
    points = np.asarray(checked, dtype=np.float32 if stays else np.float64)
    if not _is_ordinary(points):
        _check_finite(points)
        check_magnitude(points, fitting=min_samples > 1)
    return points


def check_sparse_points(X: Any, estimator: Any, *, reset: bool, min_samples: int) -> sp.csr_array:
    """Return sparse points as float64 rows, each entry once, in order, and none that is zero."""
    accept = ["csr", "csc", "coo"]
    checked = _validate(X, estimator, reset, accept_sparse=accept, ensure_min_samples=min_samples)
    points = sp.csr_array(checked, dtype=np.float64, copy=True)
    points.sum_duplicates()
    points.eliminate_zeros()
    _check_finite(points)
    check_magnitude(points.data, fitting=min_samples > 1)
    return points


def own_copy(checked: Any, X: Any) -> Any:
    """Return what was checked, copied if it looks into the caller's array."""
    if sp.issparse(checked):
        return checked.copy() if sp.issparse(X) else checked
    given = X if isinstance(X, np.ndarray) else getattr(X, "values", None)
    looks_in = isinstance(given, np.ndarray) and np.may_share_memory(checked, given)
    return checked.copy() if looks_in else checked


def check_table(
    X: Any, estimator: Any, *, reset: bool, kind: InputKind, sparse: bool, square: bool = True
) -> Any:
    """Return a precomputed table (distances, a kernel matrix, weights) checked for what it must be.

    When fitting it is square and symmetric, unless it need not be; later its columns are the points
    of the fit. Distances and weights are not negative, and distances zero on the diagonal.
    """
    options = {"ensure_min_samples": 2 if reset else 1}
    accept = ["csr", "coo", "csc"] if sparse else False
    table = _validate(X, estimator, reset, accept_sparse=accept, **options)
    square = square and reset
    if square and table.shape[0] != table.shape[1]:
        columns = (
            "; distances to landmarks alone, one column each, are for LandmarkMDS(landmarks=...)"
        )
        raise ValueError(
            f"a precomputed {TABLES[kind]} must be square; got shape {table.shape}: are these "
            f"points? then leave 'precomputed' out{columns if kind == 'distances' else ''}"
        )
    is_sparse = bool(sp.issparse(table))
    tolerance = 1e-5 if table.dtype == np.float32 else 1e-8
    table = sp.csr_array(table, dtype=np.float64) if is_sparse else np.asarray(table, np.float64)
    values = np.asarray(table.data if is_sparse else table)
    _check_finite(table)
    if kind != "kernel" and values.size and values.min() < 0:
        raise ValueError(f"{kind} must not be negative; the smallest is {values.min():.6g}")
    if square and not is_sparse:  # a sparse graph may be directed: symmetrize decides
        check_symmetric(table, f"a {TABLES[kind]}", tolerance)
        if kind == "distances":
            _check_zero_diagonal(table, tolerance)
    if square and kind != "kernel" and (is_sparse or 2 * np.count_nonzero(table) < table.size):
        _tell_lengths_from_weights(sp.csr_array(table), kind)
    elif square and kind == "distances":
        tell_similarities(table)
    check_magnitude(values, fitting=reset)
    rounded = square and not is_sparse and not np.array_equal(table, table.T)
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


def _tell_lengths_from_weights(graph: sp.csr_array, kind: InputKind) -> None:
    """Refuse connectivities as distances, and lengths as weights; tell what is less clear."""
    if kind == "weights" and are_neighbor_lengths(graph):
        raise ValueError(
            "these are distances to neighbours, as scanpy keeps them, and no weights: as many for "
            "each point, one way, and smallest where most neighbours are shared. Leave "
            "weights='given' out, and weights are made of them; or take the connectivities "
            "(scanpy's obsp['connectivities'])"
        )
    if kind == "distances" and are_connectivities(graph):
        raise ValueError(
            "these are connectivities, as UMAP and scanpy keep them, and no distances: symmetric, "
            "1 for the nearest neighbour of each point, and smaller for those farther away. "
            "Laplacian eigenmaps, diffusion maps and spectral clustering take them with "
            "weights='given'; other methods take the distances (scanpy's obsp['distances'])"
        )
    trend = weight_of_shared_neighbors(graph)
    if kind == "weights" and trend < -DISTINCT:
        warn(
            "points with many neighbours in common have the smallest of the given weights, as if "
            "these were distances; if they are, leave weights='given' out"
        )
    elif kind == "distances" and trend > DISTINCT and graph.data.max() <= 1.0:
        warn(
            "points with many neighbours in common have the largest of the given distances, "
            f"{AS_SIMILARITIES}"
        )


def tell_similarities(table: Array) -> None:
    """Tell if a dense table of distances, none above 1, looks like one of similarities."""
    is_small = bool(table.max(initial=0.0) <= 1.0)  # not where one is not known
    if is_small and weight_of_alike_rows(table) > DISTINCT + FEW_ROWS / len(table):
        warn(
            "points whose rows are alike have the largest of the given distances, "
            f"{AS_SIMILARITIES}"
        )


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

    One pass at the speed of memory, not by BLAS, whose threads would then spin on the cores that
    the fit is about to work on; False where that does not tell.
    """
    values = points.reshape(-1) if points.flags.c_contiguous else np.full(1, np.inf)
    return SMALLEST**2 * points.size < float(np.einsum("i,i", values, values)) < LARGEST**2


def check_kernel(table: Array) -> Array:
    """Return a kernel matrix; ValueError if it is not finite, as that of a forged model may be."""
    if not np.isfinite(table).all():
        raise ValueError("the kernel matrix of this model is not finite; fit the model again")
    return table


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


def dtype_of(X: Any) -> type[np.floating[Any]]:
    """Return the precision of the input: single for arrays, and tables, of single precision."""
    kinds = {str(kind).lower() for kind in [*getattr(X, "dtypes", [getattr(X, "dtype", None)])]}
    return np.float32 if kinds == {"float32"} else np.float64


class Door:
    """What every method accepts: points or a table, dense or sparse, in memory or not.

    A method that has a way for points that are not in memory overrides ``_fit_source``; others take
    them into memory, if they fit.
    """

    n_components: float | str | None
    _seed: int
    n_features_in_: int
    feature_names_in_: Array
    _dtype: type[np.floating[Any]]
    _n_wanted: int
    _X: Any
    _SPARSE_TABLES = False  # whether a precomputed table may be sparse
    _SPARSE_POINTS = False  # whether points may be
    _KEEPS_INPUT = True  # whether anything is asked of the fitted points later
    _SPARSE_BLOCKS = False  # whether blocks of sparse rows are read one after the other
    _ON_DISK = False  # whether the method reads the rows it wants by itself, wherever they are
    _TABLES: ClassVar[Tables] = {}  # which parameters say that the input is a table, and of what

    def _input_kind(self) -> InputKind:
        """Return what the input is by the parameters: points, or a precomputed table of a kind."""
        for kind, settings in self._TABLES.items():
            if all(_is_word(getattr(self, name), word) for name, word in settings.items()):
                return kind
        return "points"

    def _check_input(self, X: Any, *, reset: bool) -> Any:
        kind = self._input_kind()
        if kind == "points":
            fewest = 2 if reset else 1
            if self._SPARSE_POINTS and sp.issparse(X):
                checked: Any = check_sparse_points(X, self, reset=reset, min_samples=fewest)
            else:
                checked = check_points(X, self, reset=reset, min_samples=fewest)
            if not reset:
                checked = self._as_fitted(checked)
        else:
            checked = check_table(
                X,
                self,
                reset=reset,
                kind=kind,
                sparse=self._SPARSE_TABLES,
                square=self._is_square(X),
            )
        if reset:
            self._dtype = dtype_of(X)
        if reset and self._KEEPS_INPUT:
            # a copy of its own: what the caller does to X later does not change the model
            self._X = checked = own_copy(checked, X)
        return checked

    def _keeps_single(self, n_columns: int) -> bool:
        """Tell whether float32 points stay as they are: no copy of all of them in float64."""
        return False

    def _is_square(self, X: Any) -> bool:
        """Say whether a table to be fitted is of all points: of some methods it may be of a few."""
        return True

    def _as_fitted(self, points: Any) -> Any:
        """Return query points in the layout of the fitted ones, sparse or dense, if these are kept.

        The answer does not depend on the layout.
        """
        fitted = getattr(self, "_X", None)
        if fitted is None or sp.issparse(points) == sp.issparse(fitted):
            return points
        return points.toarray() if sp.issparse(points) else sp.csr_array(points)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # scikit-learn's, beside it
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        is_table = self._input_kind() != "points"
        tags.input_tags.pairwise = is_table
        tags.input_tags.sparse = self._SPARSE_TABLES if is_table else self._SPARSE_POINTS
        return tags

    def _count_coordinates(self, X: Any) -> int:
        """Return how many coordinates are asked for: 0 where the method finds that by itself."""
        if self.n_components != "auto":
            return int(self.n_components or 0)
        from ..dimension import count_coordinates

        kind, metric = self._input_kind(), getattr(self, "metric", "euclidean")
        metric = kind if kind != "points" else "euclidean" if metric == "kernel" else metric
        return count_coordinates(X, metric, self._seed)

    def _fit(self, X: Any) -> None:
        """Learn the map of what was checked: points, or a table, as float64 if not kept single."""
        raise NotImplementedError

    def _fit_lazily(self, X: Any) -> None:
        """Fit points that are not in memory: a dask or zarr array, parquet files, a path."""
        if self._input_kind() != "points":
            raise ValueError(
                "a precomputed table must be in memory; give the points themselves as a path, a "
                "dask or a zarr array"
            )
        check_workers()
        source = open_source(X)
        n, self.n_features_in_ = source.shape
        if n < 2:
            raise ValueError(f"there must be at least 2 rows; got n_samples={n}")
        self.__dict__.pop("feature_names_in_", None)
        if source.columns:
            self.feature_names_in_ = np.array(source.columns, dtype=object)
        self._dtype = np.float32 if source.dtype == np.float32 else np.float64
        asked = _some_rows(source, self._seed) if self.n_components == "auto" else source
        self._n_wanted = self._count_coordinates(asked)
        if source.sparse and not self._SPARSE_BLOCKS:
            self._fit_in_memory(source)
        else:
            self._fit_source(source)

    def _fit_source(self, source: Source) -> None:
        """Fit the rows of a source: in memory, where the method has no other way and they fit."""
        if self._ON_DISK:
            self._X = at_random(source)
            self._fit(self._X)
            return
        self._fit_in_memory(source)

    def _fit_in_memory(self, source: Source) -> None:
        """Fit the rows of a source as those of an array, dense or sparse."""
        X = read_whole(source, type(self).__name__, sparse=self._SPARSE_POINTS)
        if self._KEEPS_INPUT:
            self._X = X
        self._fit(X)

    def _solve(self, stated: EigenProblem, count: int) -> Spectrum:
        """Solve the eigenproblem; of points that are not in memory, where there is room for it."""
        if isinstance(self._X, Source):
            return solve_with_room(stated, count, self._seed)
        return solve(stated, count, seed=self._seed)

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
        X = match_columns(X, getattr(self, "feature_names_in_", ()) if way == "transform" else ())
        if len(X.shape) != 2 or int(X.shape[1]) != width:
            raise ValueError(f"X has {X.shape[-1]} columns, but {way} of this map expects {width}")
        rows: Array = map_rows(self, way, X, n_out)
        return rows


def _is_word(value: Any, word: str) -> bool:
    """Tell whether a parameter, which may be an array or a callable, is a certain word."""
    return isinstance(value, str) and value == word


def _some_rows(source: Source, seed: int) -> Array:
    """Return a random sample of the rows, in their order."""
    if len(source) <= ASKED:
        return np.asarray(source[:])
    rows = np.random.default_rng(seed).choice(len(source), ASKED, replace=False)
    return np.asarray(source[np.sort(rows)])
