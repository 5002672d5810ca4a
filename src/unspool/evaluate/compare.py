"""Several methods on the same data: the neighbour graph and the geodesics are computed once.

Methods are names, classes or models; each becomes a model under a label of its own.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..catalog import METHODS, entry_of, is_catalogued
from ..distances import check_metric
from ..quality import check_neighbors, checked, checked_table
from ..runtime import available_bytes, share_work, show_progress, stage
from ..values import Array, Metric, refuse_cells
from .comparison import Comparison, Outcome, Settings, Yardstick, geodesics_to_guides
from .evidence import FAILURES

# Quick ones that look at the data in six different ways; a comparison should not take all day.
USUAL = ("pca", "isomap", "lle", "laplacian-eigenmaps", "ltsa", "diffusion-maps")
EXACT_ISOMAP = 10_000  # points up to which it takes seconds; beyond, landmarks stand in
ROOM = 3 * 4  # bytes per pair that exact Isomap should find free: thrice a table of floats
FEWEST = 5  # points: with fewer there is nothing to compare


@dataclass(frozen=True, slots=True, eq=False)
class ReadyMap:
    """Coordinates that somebody else made: there is a map, and no model that made it."""

    embedding_: Array
    label: str

    @classmethod
    def of(cls, given: Any, label: str | None) -> ReadyMap:
        """Return coordinates as a map; a list of numbers is one coordinate."""
        places = np.asarray(given, dtype=np.float64)
        places = places[:, None] if places.ndim == 1 else places
        name = label or "coordinates"
        if places.ndim != 2 or not places.size:
            raise ValueError(f"{name}: coordinates have a row per point; got {places.shape}")
        if not np.isfinite(places).all():
            row = int((~np.isfinite(places)).any(axis=1).argmax())
            raise ValueError(f"{name}: row {row} has no place; leave such rows out of both")
        return cls(places, name)

    def __repr__(self) -> str:
        return f"<{self.label}: {self.embedding_.shape[0]} ready rows>"


def is_ready(given: Any) -> bool:
    """Tell whether something is coordinates, rather than a method or a list of methods."""
    if hasattr(given, "fit") or isinstance(given, str | type):
        return False
    if isinstance(given, list | tuple):
        return bool(given) and all(isinstance(row, list | tuple) for row in given)
    return hasattr(given, "__array__") or hasattr(given, "to_numpy")


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A model to be compared, and what it is called; ``fitted`` ones are used as they are."""

    label: str
    model: Any
    fitted: bool = False
    trouble: str = ""


def compare(
    X: Any,
    methods: Any = None,
    n_components: int = 2,
    *,
    n_neighbors: int | None = None,
    metric: Metric = "euclidean",
    truth: Any = None,
    color: Any = None,
    sample: int | None = None,
    seed: int = 0,
    verbose: bool = False,
) -> Comparison:
    """Map data by several methods, score every map, and return it all as one table.

    A method that fails has the reason in its row and does not stop the others. Scores are with 10
    neighbours, or ``n_neighbors``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    methods : sequence, dict of str to method or None, default=None
        Names of the catalogue, classes, models (unfitted ones are copied, fitted ones used as they
        are), or ready coordinates of the rows of X that another program made; a dict says what to
        call them: ``{"PCA": "pca", "UMAP": array}``. None is six quick ones that suit the size of
        the data.
    n_components : int, default=2
        Number of coordinates of methods given by name or class; models keep their own parameters.
    n_neighbors : int or None, default=None
        Number of neighbours, of the same methods and of the scores.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    truth : array-like of shape (n_samples, n_coordinates) or None, default=None
        The true coordinates, if known: maps are then laid on them and scored by Procrustes.
    color : array-like of shape (n_samples,) or None, default=None
        One value per point for the pictures.
    sample : int or None, default=None
        Number of points to score; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the methods and of the sample.
    verbose : bool, default=False
        Show progress on stderr.

    Returns
    -------
    Comparison
        The table: a row per method with its scores, seconds and map.

    Examples
    --------
    >>> from unspool import compare, datasets
    >>> roll = datasets.swiss_roll(300)
    >>> both = compare(roll.points, ["pca", "isomap"], truth=roll.coordinates)
    >>> both.best("Procrustes error")
    'Isomap'
    """
    data = checked_data(X, metric)
    n = data.shape[0]
    settings = Settings(n_components, n_neighbors, metric, seed)
    asked = usual_methods(n, metric) if methods is None else methods
    entrants = make_candidates(asked, settings)
    _check_lengths(entrants, n)
    counted = check_neighbors(min(n_neighbors or 10, n - 1), n)
    true = _checked_truth(truth, n)
    began = time.perf_counter()
    with show_progress("compare") if verbose else nullcontext(), share_work() as cache:
        geodesics = geodesics_to_guides(data, metric, n_neighbors, seed)
        yardstick = Yardstick(data, metric, counted, sample, seed, geodesics, true)
        outcomes = _all_of(entrants, yardstick)
    return Comparison(
        outcomes=outcomes,
        yardstick=yardstick,
        settings=settings,
        color=color,
        columns=_column_names(X),
        seconds=time.perf_counter() - began,
        searches=cache.count("neighbours"),
        geodesics=cache.count("geodesics"),
    )


def _check_lengths(entrants: list[Candidate], n_points: int) -> None:
    """Refuse ready coordinates of other rows, before any work."""
    for one in entrants:
        if isinstance(one.model, ReadyMap) and len(one.model.embedding_) != n_points:
            raise ValueError(
                f"{one.label} has coordinates of {len(one.model.embedding_)} rows and X has "
                f"{n_points}; they must be of the same rows, in the same order"
            )


def _all_of(entrants: list[Candidate], yardstick: Yardstick) -> tuple[Outcome, ...]:
    outcomes = []
    with stage("compare", total=2 * len(entrants)) as running:
        for entrant in entrants:
            outcome = _fitted(entrant, yardstick.data)
            running.advance()
            outcomes.append(_scored(outcome, yardstick))
            running.advance()
    return tuple(outcomes)


def checked_data(X: Any, metric: Metric) -> Any:
    """Return the data as an array of finite numbers (or a sparse table of distances)."""
    check_metric(metric)
    refuse_cells(X)
    if sp.issparse(X) and metric == "precomputed":
        data: Any = sp.csr_array(X)
    elif metric == "precomputed":
        data = checked_table(X, "X")
    else:
        data = checked(X, "X")
        given = np.asarray(X)
        data = given if given.dtype == np.float32 else data
    if data.shape[0] < FEWEST:
        raise ValueError(f"X has {data.shape[0]} points; at least {FEWEST} are needed to compare")
    if not sp.issparse(data) and (data == data[0]).all():
        raise ValueError("all points of X coincide, so there is nothing to map")
    return data


def _checked_truth(truth: Any, n_points: int) -> Array | None:
    if truth is None:
        return None
    refuse_cells(truth)
    given = np.asarray(truth)
    true = checked(given[:, None] if given.ndim == 1 else given, "truth")
    if len(true) != n_points:
        raise ValueError(f"truth has {len(true)} rows and X has {n_points}; need one row per point")
    return true


def _fitted(entrant: Candidate, data: Any) -> Outcome:
    """Return the map of one method, or the reason that there is none."""
    if entrant.trouble:
        return _without_map(entrant, entrant.trouble, 0.0)
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            model, places = _mapped(entrant, data)
        except FAILURES as reason:
            return _without_map(entrant, str(reason) or type(reason).__name__, began)
    taken = time.perf_counter() - began
    report = getattr(model, "report_", None)
    stages = report.stages if report is not None else ()
    saved = sum(stage.facts.get("saved_seconds", 0.0) for stage in stages)
    seconds = report.seconds if entrant.fitted and report is not None else taken + saved
    notes = dict.fromkeys(str(warning.message) for warning in heard)
    if report is not None:
        notes |= dict.fromkeys(report.advice)
    seconds = 0.0 if isinstance(model, ReadyMap) else seconds
    return Outcome(entrant.label, model, places, {}, seconds, notes=tuple(notes))


def _mapped(entrant: Candidate, data: Any) -> tuple[Any, Array]:
    if not entrant.fitted:
        from sklearn.base import clone

        model = clone(entrant.model)
        places = np.asarray(model.fit_transform(data))
        return model, places
    model = entrant.model
    if was_fitted_on(model, data) or not hasattr(model, "transform"):
        places = np.asarray(model.embedding_)
        if len(places) != data.shape[0]:
            raise ValueError(f"it maps {len(places)} points and X has {data.shape[0]}")
        return model, places
    return model, np.asarray(model.transform(data))


def was_fitted_on(model: Any, data: Any) -> bool:
    """Tell whether these are the data of the fit, value by value; of other packages, nobody knows.

    A sparse table has no entry where another has an explicit zero: they are the same.
    """
    known = getattr(model, "_X", None)
    if known is None or tuple(known.shape) != tuple(np.shape(data)):
        return False
    if sp.issparse(known) or sp.issparse(data):
        return bool((sp.csr_array(known) != sp.csr_array(data)).nnz == 0)
    return np.array_equal(known, np.asarray(data))


def _without_map(entrant: Candidate, reason: str, began: float) -> Outcome:
    seconds = time.perf_counter() - began if began else 0.0
    return Outcome(entrant.label, entrant.model, None, {}, seconds, failure=reason)


def _scored(outcome: Outcome, yardstick: Yardstick) -> Outcome:
    if outcome.embedding is None:
        return outcome
    if not np.isfinite(outcome.embedding).all():
        return Outcome(
            outcome.label, outcome.model, None, {}, outcome.seconds, failure="the map is not finite"
        )
    scores = yardstick.scores(outcome.embedding.astype(np.float64, copy=False))
    return Outcome(
        outcome.label,
        outcome.model,
        outcome.embedding,
        scores,
        outcome.seconds,
        notes=outcome.notes,
    )


def _column_names(X: Any) -> tuple[str, ...]:
    names = getattr(X, "columns", None)
    return () if names is None else tuple(str(name) for name in names)


def usual_methods(n_points: int, metric: Any = "euclidean") -> tuple[str, ...]:
    """Return the names of the methods that are compared by default, for data of this size.

    Exact Isomap gives way to landmarks where it would take minutes or most of the memory, and PCA
    to classical scaling where there are distances only.

    Parameters
    ----------
    n_points : int
        Number of points.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".

    Returns
    -------
    tuple of str
        Names of the catalogue.

    Examples
    --------
    >>> from unspool import evaluate
    >>> "isomap" in evaluate.usual_methods(1000)
    True
    """
    fits = ROOM * n_points**2 < available_bytes()
    instead = {} if n_points <= EXACT_ISOMAP and fits else {"isomap": "landmark-isomap"}
    if metric == "precomputed":
        instead["pca"] = "classical-mds" if n_points <= EXACT_ISOMAP and fits else "landmark-mds"
    return tuple(instead.get(name, name) for name in USUAL)


def make_candidates(methods: Any, settings: Settings) -> list[Candidate]:
    """Return the models to compare, labelled so that no label comes twice."""
    named = methods.items() if isinstance(methods, Mapping) else _unnamed(methods)
    found = [_candidate(label, given, settings) for label, given in named]
    if not found:
        raise ValueError("no methods to compare; leave `methods` out for the usual ones")
    seen: dict[str, int] = {}
    answer = []
    for one in found:
        seen[one.label] = count = seen.get(one.label, 0) + 1
        label = one.label if count == 1 else f"{one.label} ({count})"
        answer.append(Candidate(label, one.model, one.fitted, one.trouble))
    return answer


def _unnamed(methods: Any) -> list[tuple[None, Any]]:
    several = isinstance(methods, Iterable) and not isinstance(methods, str)
    several = several and not is_ready(methods)
    return [(None, given) for given in (methods if several else [methods])]


def _candidate(label: str | None, given: Any, settings: Settings) -> Candidate:
    if isinstance(given, str):
        given = entry_of(given).load()
    if isinstance(given, type):
        return _made(label or title_of(given), given, settings)
    if is_ready(given):
        ready = ReadyMap.of(given, label)
        return Candidate(ready.label, ready, fitted=True)
    if not hasattr(given, "fit"):
        raise ValueError(
            f"methods are names ({', '.join(METHODS)}), classes, models with fit, or ready "
            f"coordinates; got {given!r}"
        )
    fitted = hasattr(given, "embedding_")
    return Candidate(label or title_of(type(given)), given, fitted)


def _made(label: str, cls: Any, settings: Settings) -> Candidate:
    known = cls().get_params()
    if known.get("metric") != "euclidean":  # none at all, or one of its own that cannot be changed
        known.pop("metric", None)
    trouble = ""
    if settings.metric == "precomputed" and "metric" not in known:
        trouble = "needs points, and these data are a table of distances"
    asked = {name: value for name, value in settings.chosen.items() if name in known}
    return Candidate(label, cls(**asked), trouble=trouble)


def title_of(cls: type) -> str:
    """Return what a method is called in tables: as the catalogue says, else by its class."""
    return entry_of(cls).title if is_catalogued(cls) else cls.__name__
