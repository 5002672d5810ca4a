"""What every method promises: the scikit-learn contract, one report, all or nothing.

Callbacks of scikit-learn (from 1.9 on) hear of each stage of a fit as a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .. import distances, extension
from ..relation import describe_localized, find_localized
from ..runtime import (
    Event,
    limit_threads,
    listen,
    recording,
    show_progress,
    thread_count,
    warn,
)
from ..scale.sources import is_lazy
from ..values import Array, Report
from .door import Door, check_points, dtype_of
from .parameters import check_parameters, learned, method, parameter

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

        def set_callbacks(self, *callbacks: Any) -> Self:
            """Say who hears of the stages of a fit: callbacks of scikit-learn 1.9."""
            ...

        def get_feature_names_out(self, input_features: Any = None) -> Array:
            """Return the names of the coordinates."""
            ...

        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin

    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:  # before 1.9

        class CallbackSupportMixin:
            """No callbacks."""

    class ScikitLearn(
        CallbackSupportMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator
    ):
        """The base classes of scikit-learn."""


class StageTasks:
    """Turns what stages announce into tasks, stages within stages into tasks of theirs."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator = estimator
        self._open: list[tuple[str, Any]] = [("", root)]

    def __call__(self, event: Event) -> None:
        """Begin the task of a stage that is new, and end that of one that is done."""
        if event.name not in [name for name, _ in self._open]:
            task = self._open[-1][1].subcontext(event.name, max_subtasks=None)
            task.call_on_fit_task_begin(estimator=self._estimator)
            self._open.append((event.name, task))
        while event.done >= event.total and event.name in [name for name, _ in self._open]:
            _, task = self._open.pop()
            task.call_on_fit_task_end(estimator=self._estimator)


def fit_with_callbacks(estimator: Any, X: Any, fit: Callable[[Any], None]) -> None:
    """Fit while the callbacks of an estimator listen; they are closed even if the fit fails."""
    from sklearn.callback import with_callbacks

    def heard(estimator: Any) -> None:
        root = estimator._init_callback_context(max_subtasks=None)
        root.call_on_fit_task_begin(estimator=estimator, X=X)
        with listen(StageTasks(estimator, root)):
            fit(X)
        root.call_on_fit_task_end(estimator=estimator, X=X)

    with_callbacks(heard)(estimator)


@method
class Estimator(Door, ScikitLearn):
    """Base of all methods: declared parameters in, ``embedding_`` and ``report_`` out.

    Subclasses say how to ``_fit`` points and how to ``_transform`` query points, both computed in
    float64; what goes in as float32 comes out as float32.
    """

    n_components: int | Literal["auto"] = parameter(
        default=2,
        kw_only=False,
        kind=int,
        at_least=1,
        words=("auto",),
        help="number of coordinates of the map; 'auto' is the dimension that the data have, "
        "by local estimates, which are in the report",
    )
    random_state: int | np.random.RandomState | np.random.Generator | None = parameter(
        default=0,
        kind=int,
        at_least=0,
        optional=True,
        also=(np.random.RandomState, np.random.Generator),
        help="seed of everything random: the same seed, the same map; None draws a new "
        "seed for each fit, and so does a RandomState or a Generator, from its own state",
    )
    n_jobs: int | None = parameter(
        default=None,
        kind=int,
        at_least=-1024,
        optional=True,
        help="number of threads, as in scikit-learn: None or -1 is one per core, -2 all but one; "
        "the map is the same",
    )
    verbose: bool = parameter(default=False, kind=bool, help="show progress on stderr")

    report_: Report = learned(help="what the fit did, stage by stage, and what it advises")
    embedding_: Array = learned(help="coordinates of the fitted points, one row per point")
    n_features_in_: int = learned(help="number of features of the fitted points")
    feature_names_in_: Array = learned(
        help="names of the features, where a table with names was fitted"
    )
    _dtype: type[np.floating[Any]] = learned()
    _n_wanted: int = learned()  # coordinates, given or found
    _seed: int = learned()  # given, or drawn for this fit
    _X: Any = learned()  # what the method was fitted on: points, or a table

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
        if getattr(self, "_skl_callbacks", None):
            fit_with_callbacks(self, X, self._fit_whole)
        else:
            self._fit_whole(X)
        return self

    def _fit_whole(self, X: Any) -> None:
        with self._all_or_nothing(), recording() as record, self._threads():
            self._seed = draw_seed(self.random_state)
            with show_progress(type(self).__name__) if self.verbose else nullcontext():
                if not isinstance(X, np.ndarray) and is_lazy(X):
                    self._fit_lazily(X)
                else:
                    checked = self._check_input(X, reset=True)
                    self._n_wanted = self._count_coordinates(checked)
                    self._fit(checked)
            self.embedding_ = _checked_map(self.embedding_, self._dtype)
            self._look_at_map()
            self.report_ = record.report()

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
        if not isinstance(X, np.ndarray) and is_lazy(X):
            return self._map_lazily("transform", X, self.n_features_in_, self._n_features_out)
        return _answer(self._transform(self._check_input(X, reset=False)), dtype_of(X))

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
        if not isinstance(Y, np.ndarray) and is_lazy(Y):
            width, features = self._n_features_out, self.n_features_in_
            return self._map_lazily("inverse_transform", Y, width, features)
        places = check_points(Y, min_samples=1)
        width = self.embedding_.shape[1]
        if places.shape[1] != width:
            raise ValueError(f"Y has {places.shape[1]} columns, but this map has {width}")
        if self._input_kind() != "points":
            raise ValueError(
                f"this {type(self).__name__} was fitted on a precomputed table, so there are no "
                "points to return; fit it on points to use inverse_transform"
            )
        return _answer(self._inverse_transform(places), dtype_of(Y))

    def _threads(self) -> AbstractContextManager[None]:
        """Limit the threads of the block to ``n_jobs``."""
        if self.n_jobs is None or self.n_jobs == -1:
            return nullcontext()
        if self.n_jobs == 0:
            raise ValueError("n_jobs=0 would be no thread at all; None or -1 is one per core")
        n_jobs = int(self.n_jobs)
        return limit_threads(n_jobs if n_jobs > 0 else max(1, thread_count() + 1 + n_jobs))

    def _look_at_map(self) -> None:
        """Tell what a map does not show, where a method knows."""

    def _transform(self, X: Any) -> Array:
        raise NotImplementedError

    def _inverse_transform(self, places: Array) -> Array:
        """Interpolate between the known points around each place (exact inverses override this)."""
        known, points = self.embedding_.astype(np.float64), self._dense_points()
        count = min(extension.neighbors_needed(known.shape[1]), len(known))
        seen = distances.find_query_neighbors(distances.build_index(known), places, count)
        return extension.interpolate(places, seen, known, points)

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


class SpectralEstimator(Estimator):
    """Methods of one eigenproblem of all points: coordinates that few of them carry are told."""

    _REMEDY: ClassVar[str] = "scale columns that reach far, or leave these rows out"

    def _look_at_map(self) -> None:
        found = find_localized(self.embedding_)
        if found:
            warn(
                f"{describe_localized(found, np.arange(len(self.embedding_)))}: all others lie "
                f"within 5 % of its width; {self._REMEDY}"
            )


class ClusteringEstimator(Estimator):
    """Methods that find groups of points, and label them as scikit-learn's clusterers do."""

    labels_: Array

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Find the groups of the rows of ``X`` and return which each is in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for ``fit``.
        y : None
            Ignored: scikit-learn passes it.

        Returns
        -------
        ndarray of shape (n_samples,)
            A copy of ``labels_``.
        """
        return np.array(self.fit(X, y).labels_)


def draw_seed(random_state: Any) -> int:
    """Return the seed of one fit: the one that is given, or one that a generator draws."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int(check_random_state(random_state).randint(2**31 - 1))
    return int(random_state)


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
        f"the coordinates of row {row} are not finite: these parameters make the numbers "
        "overflow; bring them nearer to their defaults, or scale the data"
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
