"""What a map by stress knows once it is fitted: its stress, its disparities, and new points.

Multidimensional scaling by stress.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import problem
from ..distances import pairwise_distances
from ..optimize import Outcome
from ..runtime import advise, claim
from ..spectrum import solve
from ..stress import (
    FLOOR,
    MonotoneCurve,
    Objective,
    OrdinalStress,
    Pairs,
    PairStress,
    TableStress,
    Wanted,
    check_start,
    checked_dissimilarities,
    first_of_same,
    has_empty_axis,
    known_points,
    known_rows,
    lifted,
    minimize_stress,
    place_by_stress,
    power_of,
    rows_with_gaps,
    starting_places,
    wanted_from,
)
from ..values import Array, Metric
from .estimator import Estimator, InputKind, input_kind
from .input import check_n_components
from .parameters import learned, method, parameter

CHUNK = 1024  # new points whose dissimilarities to all fitted ones are held together


@dataclass(frozen=True, slots=True)
class Shepard:
    """The known pairs in increasing order of dissimilarity: what was wanted and what came out.

    ``disparities`` are the dissimilarities themselves, or in ordinal scaling the monotone
    sequence nearest to the ``distances`` on the map.
    """

    dissimilarities: Array
    distances: Array
    disparities: Array


@method
class StressMethod(Estimator):
    """Keeps what a descent of stress found, and places new points on its map."""

    metric: Metric = parameter(
        "euclidean", help="name, callable, or 'precomputed' (a table, dense with gaps or sparse)"
    )
    ordinal: bool = parameter(
        False, kind=bool, help="keep the order of the dissimilarities only (non-metric)"
    )
    weights: Any = parameter(
        None,
        optional=True,
        help="of the pairs: a table, 'inverse_square' (1 / delta^2), or a power of delta",
    )

    stress_: float = learned()
    normalized_stress_: float = learned()
    stress_per_point_: Array = learned()
    stress_trace_: Array = learned()
    n_iter_: int = learned()
    _ordered: Pairs | None = learned()  # ordinal: the pairs by increasing dissimilarity,
    _disparities: Array = learned()  # and what the map makes of them

    def _input_kind(self) -> InputKind:
        return input_kind(self.metric)

    def _check_input(self, X: Any, *, reset: bool) -> Any:
        if self._input_kind() == "points":
            return super()._check_input(X, reset=reset)
        given = checked_dissimilarities(X, self, reset)
        if reset:
            single = getattr(X, "dtype", None) == np.float32
            self._dtype, self._X = np.float32 if single else np.float64, given
        return given

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        table = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse = tags.input_tags.allow_nan = table
        tags.input_tags.positive_only = table
        return tags

    def _wanted(self, dtype: Any = np.float64) -> Wanted:
        return wanted_from(self._X, self.metric, self.weights, dtype)

    def _keep(self, run: Outcome[Array], objective: Objective, wanted: Wanted) -> None:
        """Keep a configuration and its stress, in the units of the data."""
        fit, factor = objective.fit(run.state), wanted.heft * wanted.unit**2
        loss, size = float(fit.of_points.sum()), fit.size
        self.embedding_ = run.state * wanted.unit
        self.stress_, self.stress_per_point_ = factor * loss, factor * fit.of_points
        self.normalized_stress_ = float(np.sqrt(loss / size)) if size > 0.0 else float(loss > 0.0)
        self.stress_trace_, self.n_iter_ = factor * np.array(run.losses), run.steps
        if not run.settled:
            fell = 1.0 - run.losses[-1] / run.losses[-2]
            advise(f"the last of {run.steps} steps lowered stress by {fell:.1e}; raise max_iter")

    def _keep_order(self, ordinal: OrdinalStress | None, places: Array, unit: float) -> None:
        """Keep the pairs in their order, with their disparities, in the units of the data."""
        self._ordered = None
        if ordinal is not None:
            pairs = ordinal.pairs
            self._ordered = replace(pairs, dissimilarities=pairs.dissimilarities * np.float64(unit))
            self._disparities = ordinal.disparities(pairs.distances(places)) * np.float64(unit)

    @property
    def disparities_(self) -> Array:
        """What the distances on the map were fitted to: a table, NaN for pairs not known."""
        if self._ordered is not None:
            return self._ordered.table(self._disparities)
        wanted = self._wanted()
        pairs = wanted.sparse
        return np.array(wanted.table) if pairs is None else pairs.table(pairs.dissimilarities)

    def shepard(self) -> Shepard:
        """Return the known pairs with their distances and disparities, for a Shepard diagram."""
        check_is_fitted(self)
        pairs = self._ordered
        if pairs is None:
            pairs = self._wanted().pairs()
            pairs = pairs.take(np.argsort(pairs.dissimilarities, kind="stable"))
        wanted = pairs.dissimilarities if self._ordered is None else self._disparities
        return Shepard(pairs.dissimilarities, pairs.distances(self.embedding_), wanted)

    def _transform(self, points: Any) -> Array:
        """Place each point where its own stress is least; a known one keeps its place."""
        answer = np.empty((points.shape[0], self.embedding_.shape[1]))
        for first in range(0, len(answer), CHUNK):
            chunk = points[first : first + CHUNK]
            if self._input_kind() == "distances":
                rows, known = rows_with_gaps(chunk), known_rows(chunk, self._X)
            else:
                rows = pairwise_distances(chunk, self._X, self.metric)
                known = known_points(chunk, self._X, rows)
            answer[first : first + CHUNK] = self._placed(rows, known)
        return answer

    def _placed(self, rows: Array, known: Array) -> Array:
        places = self.embedding_.astype(np.float64)
        answer, new = places[known], known < 0
        rows = rows[new]
        weights = _powers_of_rows(rows, power_of(self.weights))
        if self._ordered is not None:
            rows = MonotoneCurve.of(self._ordered.dissimilarities, self._disparities)(rows)
        answer[new] = place_by_stress(rows, weights, places)
        return np.asarray(answer)


def on_principal_axes(places: Array) -> Array:
    """Return the configuration centred and turned to its principal axes, signs by the one rule."""
    centred = places - places.mean(axis=0)
    axes = solve(problem.covariance(centred.T), centred.shape[1])  # of inner products, not features
    return np.asarray(axes.vectors * np.sqrt(axes.values))


def _powers_of_rows(rows: Array, power: float | None) -> Array | None:
    """Return the weights of new points: powers of their dissimilarities, else all equal."""
    if power is None or power == 0.0 or len(rows) == 0:
        return None
    relative = rows / np.nanmax(rows, axis=1, keepdims=True)
    return np.asarray(np.maximum(relative, FLOOR) ** power)


@method
class MDS(StressMethod):
    """Multidimensional scaling by stress (S0 4.30; S1; Kruskal 1964; de Leeuw 1977).

    Points are placed so that their distances d miss the dissimilarities delta by the least raw
    stress, the sum over pairs of w (d - delta)^2. Pairs may be missing (NaN, weight 0, or not
    listed in a sparse table) or weigh differently. With ``ordinal`` only the order of the
    dissimilarities counts. A new point goes where its own stress against the fixed map is least.

    Attributes: ``stress_`` (raw), ``normalized_stress_`` (stress-1: the root of raw stress over
    sum w d^2), ``stress_per_point_`` (sums to ``stress_``), ``stress_trace_`` (from the start on),
    ``disparities_`` and ``n_iter_``. There are no ``eigenvalues_``: nothing is decomposed.

    >>> from unspool import MDS, datasets
    >>> MDS(3).fit(datasets.s_curve(100).points).stress_ < 1e-6
    True
    """

    ties: Literal["primary", "secondary"] = parameter(
        "primary",
        choices=("primary", "secondary"),
        help="ordinal: equal dissimilarities may get different disparities, or may not",
    )
    start: Any = parameter(
        "classical", help="'classical', 'landmarks', 'random', or an array of coordinates"
    )
    n_init: int = parameter(
        1, kind=int, at_least=1, help="starts: the first as start says, the others at random"
    )
    max_iter: int = parameter(300, kind=int, at_least=1, help="most steps from each start")
    tol: float = parameter(
        1e-7, kind=float, at_least=0, help="settled when a step changes stress by this share"
    )
    precision: str = parameter(
        "double",
        choices=("double", "single"),
        help="of the table: single needs half the memory, less time, and keeps six digits",
    )

    def _fit(self, given: Any) -> None:
        check_n_components(self.n_components, given.shape[0] - 1)
        check_start(self.start, (given.shape[0], self.n_components))
        wanted = self._wanted(np.float32 if self.precision == "single" else np.float64)
        ordinal = _ordinal_stress(wanted, self.ties) if self.ordinal else None
        objective = ordinal or _metric_stress(wanted)
        same = first_of_same(given, table=self._input_kind() == "distances")
        runs = [
            minimize_stress(objective, start[same], tolerance=self.tol, max_steps=self.max_iter)
            for start in self._starts(wanted, objective)
        ]
        best = min(runs, key=lambda run: run.loss)
        places = best.state if ordinal is None else ordinal.scaled(best.state)
        places = on_principal_axes(places)[same]
        self._keep(replace(best, state=places), objective, wanted)
        self._keep_order(ordinal, places, wanted.unit)

    def _starts(self, wanted: Wanted, objective: Objective) -> Iterator[Array]:
        rng = np.random.default_rng(self.random_state)
        euclidean = isinstance(self.metric, str) and self.metric in ("euclidean", "l2")
        points = self._X if euclidean else None
        for run in range(self.n_init):
            start = self.start if run == 0 else "random"
            places = starting_places(start, wanted, points, self.n_components, rng)
            yield lifted(places, objective, rng) if has_empty_axis(places) else places


def _metric_stress(wanted: Wanted) -> Objective:
    if wanted.sparse is not None:
        return PairStress.of(wanted.sparse)
    return TableStress.of(wanted.table, wanted.weights)


def _ordinal_stress(wanted: Wanted, ties: Any) -> OrdinalStress:
    n, item = wanted.n_points, wanted.dtype.itemsize
    pairs = n * (n - 1) // 2 if wanted.sparse is None else len(wanted.sparse.first)
    claim(pairs * (40 + 5 * item), f"the order of {pairs} pairs", "map a sample of the points")
    return OrdinalStress.of(wanted.pairs(), ties)
