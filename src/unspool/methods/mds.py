"""Multidimensional scaling by stress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from .. import extension, problem, stress
from ..distances import check_metric, pairwise_distances
from ..optimize import Outcome
from ..runtime import advise
from ..spectrum import solve
from ..stress import Disparities, Dissimilarities, ShepardDiagram, Stress
from ..values import Array, Metric
from .door import DISTANCES, check_magnitude, own_copy, tell_similarities, without_mask
from .estimator import Estimator
from .parameters import check_n_components, learned, method, parameter

CHUNK = 1024  # query points whose dissimilarities to all fitted ones are held together


@method
class MDS(Estimator):
    """Multidimensional scaling by stress.

    Points are placed so that their distances d miss the dissimilarities delta by the least raw
    stress, the sum over pairs of w (d - delta)^2 (Kruskal 1964; de Leeuw 1977; Vidal, Ma, Sastry
    2016, eq. 4.30). Pairs may be missing (NaN, weight 0, or not listed in a sparse table) or weigh
    differently. With ``ordinal`` only the order of the dissimilarities counts. A query point goes
    where its own stress against the fixed map is least.

    Examples
    --------
    >>> from unspool import MDS, datasets
    >>> MDS(3).fit(datasets.s_curve(100).points).stress_ < 1e-6
    True
    """

    metric: Metric = parameter(
        default="euclidean",
        help="name, callable, or 'precomputed' (a table, dense with gaps or sparse)",
    )
    ordinal: bool = parameter(
        default=False, kind=bool, help="keep the order of the dissimilarities only (non-metric)"
    )
    weights: Literal["inverse_square"] | float | Array | sp.sparray | None = parameter(
        default=None,
        optional=True,
        help="weights of the pairs: a table, 'inverse_square' (1 / delta^2), or a power of delta",
    )
    ties: Literal["primary", "secondary"] = parameter(
        default="primary",
        choices=("primary", "secondary"),
        help="ordinal: equal dissimilarities may get different disparities, or may not",
    )
    start: Literal["classical", "landmarks", "random"] | Array = parameter(
        default="classical", help="'classical', 'landmarks', 'random', or an array of coordinates"
    )
    output_metric: stress.OutputMetric = parameter(
        default="euclidean",
        choices=stress.OUTPUT_METRICS,
        help="distance between places on the map; 'sphere' is along great circles, coordinates are "
        "then lengths along the equator and meridians",
    )
    power: float = parameter(
        default=3.0, kind=float, at_least=1, help="exponent of the Minkowski distance on the map"
    )
    n_init: int = parameter(
        default=1,
        kind=int,
        at_least=1,
        help="number of starts: the first as start says, the others random",
    )
    max_iter: int = parameter(
        default=300, kind=int, at_least=1, help="largest number of steps from each start"
    )
    tol: float = parameter(
        default=1e-7,
        kind=float,
        at_least=0,
        help="converged when a step changes stress by this share",
    )
    precision: Literal["double", "single"] = parameter(
        default="double",
        choices=("double", "single"),
        help="of the table: single takes half the memory, less time, and keeps six digits",
    )

    stress_: float = learned(help="raw stress of the map, in the units of the data")
    normalized_stress_: float = learned(
        help="stress-1: the root of raw stress over the sum of w d^2"
    )
    stress_per_point_: Array = learned(
        help="half the stress of each point's pairs: they sum to stress_"
    )
    stress_trace_: Array = learned(help="raw stress at the start and after every step")
    n_iter_: int = learned(help="number of steps taken")
    radius_: float = learned(help="radius of the sphere, where the map is one; else 1")
    _disparities: Disparities = learned()
    _counted: Array | sp.csr_array | None = learned()  # pairs that a table of weights counts

    _TABLES = DISTANCES

    def _fit(self, given: Any) -> None:
        check_metric(self.metric)
        check_n_components(self._n_wanted, given.shape[0] - 1)
        stress.check_start(self.start, (given.shape[0], self._n_wanted))
        dtype = np.float32 if self.precision == "single" else np.float64
        known = stress.dissimilarities_of(self._X, self.metric, self.weights, dtype)
        self._counted = stress.counted_pairs(self.weights, given.shape[0])
        self.radius_ = 1.0
        if self.output_metric != "euclidean":
            self._fit_in_space(known, self._first_of_equal(given))
            return
        objective = known.ordinal_stress(self.ties) if self.ordinal else known.stress()
        first = self._first_of_equal(given)
        runs = [
            stress.minimize_stress(
                objective, initial[first], tolerance=self.tol, max_steps=self.max_iter
            )
            for initial in self._initial(known, objective)
        ]
        best = min(runs, key=lambda run: run.loss)
        configuration = self._on_principal_axes(best.state)[first]
        self._keep(best, configuration, objective, known)

    def _fit_in_space(self, known: Dissimilarities, first: Array) -> None:
        """Fit a map whose distances are not Euclidean, from Euclidean starts."""
        if self.ordinal:
            raise ValueError(
                f"output_metric={self.output_metric!r} fits dissimilarities themselves; pass "
                "ordinal=False, or output_metric='euclidean' for their order"
            )
        space = stress.OutputSpace.named(self.output_metric, self.power)
        objective = stress.SpaceStress(known.pairs(), space)
        runs = [
            objective.minimize(begin[first], tolerance=self.tol, max_steps=self.max_iter)
            for begin in self._initial_in_space(known, objective)
        ]
        best = min(runs, key=lambda run: run.loss)
        places = best.state[first]
        if space.on_sphere:
            places = stress.turn_to_equator(places, self._seed)
        else:
            places = places - places.mean(axis=0)
        unit = known.scale.length
        self.radius_ = objective.radius(space.distances(objective.pairs, places)) * unit
        placing = stress.SpaceDisparities(self.output_metric, self.power, self.radius_)
        self._keep_fit(best, objective.fit(places), known)
        self.embedding_ = placing.on_map(places if space.on_sphere else places * unit)
        self._disparities = placing

    def _initial_in_space(
        self, known: Dissimilarities, objective: stress.SpaceStress
    ) -> Iterator[Array]:
        """Yield starts: Euclidean ones, turned; of a sphere also one that surrounds its center."""
        rng = np.random.default_rng(self._seed)
        flat, is_sphere = known.stress(), objective.space.on_sphere
        for initial in self._initial(known, flat):
            begin = flat.rescale(initial)
            yield stress.on_sphere(begin) if is_sphere else objective.best_turn(begin, rng)
        if is_sphere and isinstance(self.start, str):
            yield stress.initial_configuration(self.start, known, self._n_wanted + 1, rng)

    def _known(self) -> Dissimilarities:
        """Return the dissimilarities of the pairs that counted in the fit."""
        return stress.dissimilarities_of(self._X, self.metric, self._counted, np.float64)

    def _first_of_equal(self, given: Any) -> Array:
        """Return for each point the first that is the same: they share a place on the map."""
        if self._input_kind() == "points":
            return stress.first_of_equal_points(given)
        return stress.first_of_equal_rows(given)

    def _initial(self, known: Dissimilarities, objective: Stress) -> Iterator[Array]:
        """Yield the configurations to descend from."""
        rng = np.random.default_rng(self._seed)
        euclidean = isinstance(self.metric, str) and self.metric in ("euclidean", "l2")
        for run in range(self.n_init):
            start = self.start if run == 0 else "random"
            if euclidean and known.complete and isinstance(start, str) and start == "classical":
                initial = stress.principal_configuration(self._X, self._n_wanted, rng)
            else:
                initial = stress.initial_configuration(start, known, self._n_wanted, rng)
            yield stress.perturb_empty_axes(initial, objective, rng)

    def _on_principal_axes(self, configuration: Array) -> Array:
        """Return the configuration centered and turned to its principal axes."""
        centered = configuration - configuration.mean(axis=0)
        inner_products = problem.covariance(centered.T)  # of the points, not of the coordinates
        axes = solve(inner_products, centered.shape[1], seed=self._seed)
        return np.asarray(axes.vectors * np.sqrt(axes.values))

    def _keep(
        self, run: Outcome[Array], configuration: Array, objective: Stress, known: Dissimilarities
    ) -> None:
        """Keep a configuration and its stress, in the units of the data."""
        unit = known.scale.length
        self._keep_fit(run, objective.fit(configuration), known)
        self.embedding_ = configuration * unit
        self._disparities = objective.disparities(configuration, unit)

    def _keep_fit(self, run: Outcome[Array], fit: stress.Fit, known: Dissimilarities) -> None:
        """Keep the stress of a map, in the units of the data."""
        factor = known.scale.stress
        loss, size = float(fit.stress_per_point.sum()), fit.squared_distances
        self.stress_, self.stress_per_point_ = factor * loss, factor * fit.stress_per_point
        self.normalized_stress_ = float(np.sqrt(loss / size)) if size > 0.0 else float(loss > 0.0)
        self.stress_trace_, self.n_iter_ = factor * np.array(run.losses), run.steps
        if not run.converged:
            fell = 1.0 - run.losses[-1] / run.losses[-2]
            advise(f"the last of {run.steps} steps lowered stress by {fell:.1e}; raise max_iter")

    @property
    def dissimilarity_matrix_(self) -> Array:
        """Dissimilarities that the map was fitted to; NaN where a table has gaps."""
        if self.metric == "precomputed":
            known = stress.dissimilarities_of(self._X, self.metric, None, np.float64)
            return np.asarray(known.as_table() * known.scale.length)
        return np.asarray(pairwise_distances(self._X, self._X, self.metric))

    @property
    def disparities_(self) -> Array:
        """What the distances on the map were fitted to: a table, NaN for pairs not known."""
        return self._disparities.table(self._known)

    def shepard(self) -> ShepardDiagram:
        """Return the known pairs with their distances and disparities, for a Shepard diagram.

        Returns
        -------
        ShepardDiagram
            ``dissimilarities`` in increasing order, and the ``distances`` and ``disparities`` of
            the same pairs.
        """
        check_is_fitted(self)
        return self._disparities.shepard(self._known, self.embedding_)

    def _transform(self, points: Any) -> Array:
        """Place each point where its own stress is least; a known one keeps its place."""
        answer = np.empty((points.shape[0], self.embedding_.shape[1]))
        is_table = self._input_kind() == "distances"
        known = None if is_table else stress.KnownPoints(self._X)
        for first in range(0, len(answer), CHUNK):
            chunk = points[first : first + CHUNK]
            if known is None:
                rows, fitted = stress.rows_with_gaps(chunk), stress.match_rows(chunk, self._X)
            else:
                rows = pairwise_distances(chunk, self._X, self.metric)
                fitted = known.match(chunk, rows)
            answer[first : first + CHUNK] = self._placed(rows, fitted)
        return answer

    def _placed(self, rows: Array, fitted: Array) -> Array:
        configuration = self.embedding_.astype(np.float64)
        answer, new = configuration[fitted], fitted < 0
        rows = rows[new]
        nearest = stress.nearest_two(rows)
        gaps = np.take_along_axis(rows, nearest, axis=1)
        weights = stress.weighting_of(self.weights).weigh_rows(rows)
        rows = self._disparities.of_rows(rows)
        if isinstance(self._disparities, stress.SpaceDisparities):
            answer[new] = self._placed_in_space(rows, weights, configuration, nearest, gaps)
            return np.asarray(answer)
        placed = stress.place_by_stress(rows, weights, configuration)
        # right beside a fitted point, to its place: a minimum is found up to its iterations only
        beside = np.nan_to_num(extension.nearness_of(gaps[:, 0], gaps[:, -1]))[:, None]
        answer[new] = placed + beside * (configuration[nearest[:, 0]] - placed)
        return np.asarray(answer)

    def _placed_in_space(
        self, rows: Array, weights: Array, configuration: Array, nearest: Array, gaps: Array
    ) -> Array:
        """Place query points by the distance of the map; right beside a fitted point, there."""
        space: Any = self._disparities
        places = space.ambient(configuration)
        placed = space.place(rows, weights, places)
        beside = np.nan_to_num(extension.nearness_of(gaps[:, 0], gaps[:, -1]))[:, None]
        return np.asarray(space.on_map(placed + beside * (places[nearest[:, 0]] - placed)))

    def _check_input(self, X: Any, *, reset: bool) -> Any:
        if self._input_kind() == "points":
            return super()._check_input(X, reset=reset)
        given = stress.checked_dissimilarities(without_mask(X), self, reset)
        check_magnitude(given.data if sp.issparse(given) else given, fitting=reset)
        if reset:
            single = getattr(X, "dtype", None) == np.float32
            self._dtype = np.float32 if single else np.float64
            self._X = given = own_copy(given, X)
            if not sp.issparse(given):
                tell_similarities(given)
        return given

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        table = tags.input_tags.pairwise
        tags.input_tags.sparse = tags.input_tags.allow_nan = table
        tags.input_tags.positive_only = table
        return tags
