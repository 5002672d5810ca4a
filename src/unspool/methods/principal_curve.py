"""Principal curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import principal
from ..principal import Normalization
from ..values import Array
from .parameters import learned, method, parameter
from .principal_family import PrincipalMethod, checked_start

SPAN = 0.5  # at which corners of a polygon cost what Kegl et al. propose


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
