"""Principal curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import principal
from ..principal import Frame
from ..values import Array
from .parameters import learned, method, parameter
from .principal_family import PrincipalMethod, checked_start


@method
class PrincipalCurve(PrincipalMethod):
    """A smooth curve through the middle of the data (Hastie and Stuetzle 1989; S4 16.3).

    Each point of the curve is the mean of the data that project onto it: project, smooth against
    arc length, project again. The one coordinate is the arc length from the beginning.

    Attributes: ``vertices_`` (corners of the polygon; a closed one ends where it begins),
    ``length_``, ``weights_`` (of the points; 1 unless ``robust``), ``distances_``, ``n_iter_``.

    >>> from unspool import PrincipalCurve, datasets
    >>> ring = PrincipalCurve(closed=True, bias_correction=True).fit(datasets.circle(300).points)
    >>> round(ring.length_, 1)
    6.3
    """

    n_components: int = parameter(
        1, positional=True, kind=int, at_least=1, at_most=1, help="1; use PrincipalSurface for more"
    )
    start: str | Array | None = parameter(
        None,
        optional=True,
        help="'pca', 'circle' or corners in order; default a circle for closed curves, else 'pca'",
    )
    smoother: str | Callable[..., Any] = parameter(
        "spline",
        help="'spline', 'lowess' (running line), 'kernel' (mean), or a function of (places, values"
        "[, weights if robust]) that returns smooth values",
    )
    closed: bool = parameter(False, kind=bool, help="the curve ends where it begins")
    bias_correction: bool = parameter(
        False, kind=bool, help="undo what smoothing cuts off at bends (Banfield and Raftery 1992)"
    )
    robust: bool = parameter(False, kind=bool, help="give outliers little or no weight")

    vertices_: Array = learned()
    length_: float = learned()
    weights_: Array = learned()
    _drawn: principal.Draft = learned()  # in the frame

    def _fit(self, points: Array) -> None:
        settings = principal.CurveSettings(
            principal.smoother(self.smoother, self.span, self.robust),
            self._spans(),
            self.bias_correction,
            self.robust,
            self.tol,
            self.max_iter,
        )
        self._frame = Frame.of(points)
        framed = self._frame.inside(points)
        outcome = principal.fit_curve(framed, self._started(framed), settings)
        self._remember(outcome, settings.n_counted(len(points)), len(points))
        self._drawn = outcome.state
        self.weights_ = self._drawn.weights
        self.vertices_ = self._frame.outside(self._drawn.curve.vertices)
        self.length_ = self._drawn.curve.length * self._frame.unit
        self.embedding_ = self._drawn.projection.places[:, None] * self._frame.unit

    def _started(self, framed: Array) -> principal.Polygon:
        width = framed.shape[1]
        if self._start_is_given:
            corners = checked_start(self.start, None, width)
            return principal.polygon(self._frame.inside(corners), self.closed)
        start = self.start or ("circle" if self.closed else "pca")
        if start == "pca" and not self.closed:
            return principal.line_start(framed, self._axes(framed, 1)[0])
        if start == "circle" and width >= 2:
            return principal.circle_start(framed, self._axes(framed, 2), self.closed)
        raise ValueError(
            f"start={start!r} does not do for these {width} features: use 'pca' (open curves "
            "only), 'circle' (at least 2 features) or an array of corners in order"
        )

    def _transform(self, points: Array) -> Array:
        projection = self._drawn.curve.project(self._frame.inside(points))
        return projection.places[:, None] * self._frame.unit

    def _inverse_transform(self, places: Array) -> Array:
        return self._frame.outside(self._drawn.curve.at(places[:, 0] / self._frame.unit))

    def curve(self) -> principal.Curve:
        """Return the smooth curve through the corners: a function of arc length, differentiable.

        Returns
        -------
        Curve
            The curve.
        """
        check_is_fitted(self)
        detail = principal.smoother(self.smoother, self.span, self.robust).detail
        marks = self._drawn.curve.marks * self._frame.unit
        return principal.Curve.smooth(self.vertices_, marks, closed=self.closed, detail=detail)

    def speed(self, places: Any = None) -> Array:
        """Return the speed of the smooth curve.

        Parameters
        ----------
        places : array-like or None, default=None
            Arc lengths; None is those of the points.

        Returns
        -------
        ndarray
            The speed at each.
        """
        return self.curve().speed(np.ravel(self.embedding_ if places is None else places))

    def curvature(self, places: Any = None) -> Array:
        """Return the curvature, 1 / radius, of the smooth curve.

        Parameters
        ----------
        places : array-like or None, default=None
            Arc lengths; None is those of the points.

        Returns
        -------
        ndarray
            The curvature at each.
        """
        return self.curve().curvature(np.ravel(self.embedding_ if places is None else places))

    def self_consistency(self, n_bins: int = 10) -> Array:
        """Return, for runs of points along the curve, how far their mean is from it.

        Each point of a principal curve is the mean of the data that project onto it (Izenman 2013,
        eq. 16.7).

        Parameters
        ----------
        n_bins : int, default=10
            Number of runs.

        Returns
        -------
        ndarray of shape (n_bins,)
            The distances.
        """
        check_is_fitted(self)
        points = self._frame.inside(self._X)
        return principal.self_consistency(points, self._drawn.projection, n_bins) * self._frame.unit
