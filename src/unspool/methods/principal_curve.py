"""Principal curves, and what they share with surfaces: span, stopping, distances, the start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import principal, problem
from ..optimize import Outcome
from ..principal import Distances, Normalization, narrowing_spans
from ..runtime import advise
from ..spectrum import solve
from ..values import Array
from .door import check_points
from .estimator import Estimator
from .parameters import learned, method, parameter

SPAN = 0.5  # at which corners of a polygon cost what Kegl et al. propose


@method
class PrincipalMethod(Estimator):
    """Alternates projection and smoothing, starting from principal components."""

    start: str | Array | None = parameter(default="pca", help="where to start")
    span: float = parameter(
        default=0.5,
        kind=float,
        above=0,
        at_most=1,
        help="share of the points that is averaged over",
    )
    tol: float = parameter(
        default=1e-3,
        kind=float,
        at_least=0,
        help="stop when the distance changes by less than this share",
    )
    max_iter: int = parameter(default=50, kind=int, at_least=1, help="most iterations")

    distances_: Distances = learned(
        help="squared distances of the points, at the start and after every iteration: sums, means"
    )
    n_iter_: int = learned(help="number of iterations")
    _normalization: Normalization = learned()

    @property
    def _start_is_given(self) -> bool:
        return self.start is not None and not isinstance(self.start, str)

    def _spans(self) -> tuple[float, ...]:
        """Return the spans to smooth with; a start that was given is trusted from the first on."""
        return (self.span,) if self._start_is_given else narrowing_spans(self.span, self.max_iter)

    def _axes(self, centered: Array, count: int) -> Array:
        """Return the first principal axes, one per row."""
        return solve(problem.covariance(centered), count, seed=self._seed).vectors.T

    def _remember(self, outcome: Outcome[Any], n_counted: int, n_points: int) -> None:
        self.distances_ = Distances.of(
            outcome.losses, self._normalization.scale, n_counted, n_points
        )
        self.n_iter_ = outcome.steps
        if not outcome.converged:
            advise(
                f"the distance still changed by more than tol={self.tol:g} after {self.n_iter_} "
                "iterations; the best of them is kept. Raise max_iter, tol or span"
            )


def checked_start(start: Any, n_rows: int | None, n_columns: int) -> Array:
    """Return a start that was given as an array, checked: one error that says what it must be."""
    rows = "any number of rows" if n_rows is None else f"{n_rows} rows, one per point,"
    wanted = f"start must have {rows} and {n_columns} columns"
    try:
        given = check_points(start)
    except ValueError as error:
        raise ValueError(f"{wanted}: {str(error).partition(chr(10))[0]}") from None
    if given.shape != (n_rows or len(given), n_columns):
        raise ValueError(f"{wanted}; got shape {given.shape}")
    return given


@method
class PrincipalCurve(PrincipalMethod):
    """A smooth curve through the middle of the data.

    Each point of the curve is the mean of the data that project onto it: project, smooth against
    arc length, project again (Hastie and Stuetzle 1989; Izenman 2013, section 16.3). The one
    coordinate is the arc length from the beginning.

    Examples
    --------
    >>> from unspool import PrincipalCurve, datasets
    >>> ring = PrincipalCurve(closed=True, bias_correction=True).fit(datasets.circle(300).points)
    >>> round(ring.length_, 1)
    6.3
    """

    n_components: int = parameter(
        default=1,
        kw_only=False,
        kind=int,
        at_least=1,
        at_most=1,
        help="1; use PrincipalSurface for more",
    )
    start: Literal["pca", "circle"] | Array | None = parameter(
        default=None,
        optional=True,
        help="'pca', 'circle' or corners in order; default a circle for closed curves, else 'pca'",
    )
    smoother: Literal["spline", "lowess", "kernel", "polygonal"] | Callable[..., Any] = parameter(
        default="spline",
        help="'spline', 'lowess' (running line), 'kernel' (mean), or a function of (arc lengths,"
        " values[, weights if robust]) that returns smooth values; 'polygonal' moves few corners"
        " instead, which are the stiffer the larger the span (Kegl et al. 2000)",
    )
    closed: bool = parameter(default=False, kind=bool, help="the curve ends where it begins")
    bias_correction: bool = parameter(
        default=False,
        kind=bool,
        help="undo what smoothing cuts off at bends (Banfield and Raftery 1992)",
    )
    robust: bool = parameter(default=False, kind=bool, help="give outliers little or no weight")

    vertices_: Array = learned(
        help="corners of the polygon, in order; a closed one ends where it begins"
    )
    length_: float = learned(help="arc length of the curve")
    weights_: Array = learned(help="weights of the points: 1 unless robust")
    _state: principal.CurveState = learned()  # of the normalized points

    def _fit(self, points: Array) -> None:
        if self.smoother == "polygonal":
            self._fit_polygonal(points)
            return
        settings = principal.CurveSettings(
            principal.smoother(self.smoother, self.span, self.robust),
            self._spans(),
            self.bias_correction,
            self.robust,
            self.tol,
            self.max_iter,
        )
        self._normalization = Normalization.of(points)
        normalized = self._normalization.apply(points)
        outcome = principal.fit_curve(normalized, self._initial(normalized), settings)
        self._remember(outcome, settings.n_counted(len(points)), len(points))
        self._keep(outcome.state)

    def _fit_polygonal(self, points: Array) -> None:
        """Fit a polygon of few corners."""
        if self.closed or self.bias_correction or self.robust:
            raise ValueError(
                "smoother='polygonal' is for open curves, and knows neither bias_correction nor "
                "robust weights: leave these out, or use smoother='spline'"
            )
        self._normalization = Normalization.of(points)
        normalized = self._normalization.apply(points)
        outcome = principal.fit_polygonal(
            normalized,
            self._initial(normalized),
            stiffness=self.span / SPAN,
            tolerance=self.tol,
            max_steps=self.max_iter,
        )
        self._remember(outcome, len(points), len(points))
        self._keep(outcome.state)

    def _keep(self, state: principal.CurveState) -> None:
        scale = self._normalization.scale
        self._state = state
        self.weights_ = self._state.weights
        self.vertices_ = self._normalization.undo(self._state.curve.vertices)
        self.length_ = self._state.curve.length * scale
        self.embedding_ = self._state.projection.arc_lengths[:, None] * scale

    def _initial(self, normalized: Array) -> principal.Polygon:
        """Return the curve to begin with."""
        width = normalized.shape[1]
        if self._start_is_given:
            corners = checked_start(self.start, None, width)
            return principal.polygon(self._normalization.apply(corners), self.closed)
        start = self.start or ("circle" if self.closed else "pca")
        if start == "pca" and not self.closed:
            return principal.initial_line(normalized, self._axes(normalized, 1)[0])
        if start == "circle" and width >= 2:
            return principal.initial_circle(normalized, self._axes(normalized, 2), self.closed)
        raise ValueError(
            f"start={start!r} does not do for these {width} features: use 'pca' (open curves "
            "only), 'circle' (at least 2 features) or an array of corners in order"
        )

    def _transform(self, points: Array) -> Array:
        projection = self._state.curve.project(self._normalization.apply(points))
        return projection.arc_lengths[:, None] * self._normalization.scale

    def _inverse_transform(self, places: Array) -> Array:
        arc_lengths = places[:, 0] / self._normalization.scale
        return self._normalization.undo(self._state.curve.at(arc_lengths))

    def curve(self) -> principal.Curve:
        """Return the smooth curve through the corners: a function of arc length, differentiable.

        Returns
        -------
        Curve
            With ``at``, ``velocity``, ``speed``, ``acceleration``, ``curvature`` and ``length``.
        """
        check_is_fitted(self)
        named = "spline" if self.smoother == "polygonal" else self.smoother
        detail = principal.smoother(named, self.span, self.robust).detail
        arc_lengths = self._state.curve.arc_lengths * self._normalization.scale
        return principal.Curve.smooth(
            self.vertices_, arc_lengths, closed=self.closed, detail=detail
        )

    def speed(self, places: Any = None) -> Array:
        """Return the speed of the smooth curve.

        Parameters
        ----------
        places : array-like, optional
            Arc lengths; by default those of the fitted points.

        Returns
        -------
        ndarray
            Lengths of the tangent vectors, about 1: the parameter is arc length.
        """
        return self.curve().speed(np.ravel(self.embedding_ if places is None else places))

    def curvature(self, places: Any = None) -> Array:
        """Return the curvature of the smooth curve.

        Parameters
        ----------
        places : array-like, optional
            Arc lengths; by default those of the fitted points.

        Returns
        -------
        ndarray
            One over the radius of the circle that touches best.
        """
        return self.curve().curvature(np.ravel(self.embedding_ if places is None else places))

    def ambiguity_points(self, tolerance: float = 0.05) -> Array:
        """Return the fitted points that two places of the curve, apart, are about equally near to.

        Their coordinate jumps where they move a little (Izenman 2013, section 16.3.1).

        Parameters
        ----------
        tolerance : float, default=0.05
            By what share the second place may be farther than the nearest.

        Returns
        -------
        ndarray of int
            Indices of the points.
        """
        check_is_fitted(self)
        points = self._normalization.apply(self._X)
        return principal.ambiguity_points(points, self._state.curve, tolerance)

    def self_consistency(self, n_bins: int = 10) -> Array:
        """Return how far the curve is from the mean of the points that project onto it.

        Zero for a self-consistent curve (Izenman 2013, eq. 16.7), up to the error of a mean.

        Parameters
        ----------
        n_bins : int, default=10
            Number of runs of equally many points along the curve.

        Returns
        -------
        ndarray
            One distance per run.
        """
        check_is_fitted(self)
        points, scale = self._normalization.apply(self._X), self._normalization.scale
        return principal.self_consistency(points, self._state.projection, n_bins) * scale
