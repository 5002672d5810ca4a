"""Principal surfaces."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import principal
from ..principal import Normalization
from ..runtime import advise, warn
from ..values import Array
from .parameters import learned, method, parameter
from .principal_curve import PrincipalMethod, checked_start


@method
class PrincipalSurface(PrincipalMethod):
    """A smooth surface through the middle of the data.

    Data are projected onto the surface, its parameters are brought near to lengths on it, and the
    data are smoothed over them, until the distance converges (Hastie 1984; Izenman 2013, section
    16.3.5). The coordinates are the parameters of the nearest point, centered and turned to their
    axes, in any number of dimensions. The surface does not fold: where it would, it is smoothed
    more, and the report says so.

    Examples
    --------
    >>> from unspool import PrincipalSurface, datasets
    >>> saddle = PrincipalSurface(2).fit(datasets.saddle(400).points)
    >>> bool(saddle.distances_.sums[-1] < 0.01 * saddle.distances_.sums[0])
    True
    """

    span: float = parameter(
        default=0.1,
        kind=float,
        above=0,
        at_most=1,
        help="share of the points that is averaged over",
    )
    start: Literal["pca"] | Array = parameter(
        default="pca", help="'pca', or parameters of the points, one row each (such as an Isomap)"
    )
    parametrization: principal.Parametrization = parameter(
        default="isometric",
        choices=principal.PARAMETRIZATIONS,
        help="parameters follow lengths on the surface locally, or only on average; or each is "
        "'uniform' over the data",
    )
    smoother: principal.SurfaceSmoother = parameter(
        default="spline",
        choices=("spline", "adaptive"),
        help="'spline' spreads the degrees of freedom evenly; 'adaptive' puts knots where they "
        "help, and at most as many as span allows",
    )

    robust: bool = parameter(default=False, kind=bool, help="give outliers little or no weight")

    weights_: Array = learned(help="weights of the points: 1 unless robust")
    freedom_: float = learned(
        help="degrees of freedom of the surface: 1 + (n_components + 1) / span, unless that folds; "
        "of an adaptive one the number of its terms"
    )
    surface_: principal.SplineSurface = learned(
        help="the smooth function from parameters to normalized points"
    )

    def _fit(self, points: Array) -> None:
        n, width = points.shape
        if self._n_wanted > min(n - 1, width):
            raise ValueError(
                f"n_components={self._n_wanted} is more than these {n} points with {width} "
                f"features have; use at most {min(n - 1, width)}"
            )
        self._normalization = Normalization.of(points)
        normalized = self._normalization.apply(points)
        initial = self._initial(normalized)
        freedoms = self._freedoms(*initial.shape)
        settings = principal.SurfaceSettings(
            freedoms, self.parametrization, self.tol, self.max_iter, self.robust, self.smoother
        )
        outcome = principal.fit_surface(normalized, initial, settings)
        self._remember(outcome, settings.n_counted(n), n)
        self.weights_ = principal.surface_weights(outcome.state) if self.robust else np.ones(n)
        parameters, found = outcome.state.projection.parameters, outcome.state.surface
        adaptive = self.smoother == "adaptive"
        self.freedom_ = found.n_terms if adaptive else outcome.state.freedom
        center = parameters.mean(axis=0)
        axes = self._axes(parameters - center, parameters.shape[1])
        self.surface_ = found.rotated(center, axes)
        self.embedding_ = self._transform(points)
        self._advise(outcome.state.eased, freedoms[-1])

    def _initial(self, normalized: Array) -> Array:
        """Return the parameters to begin with; directions without any extent are left out."""
        if self._start_is_given:
            given = checked_start(self.start, len(normalized), self._n_wanted)
            parameters = Normalization.of(given).apply(given)
        elif self.start == "pca":
            parameters = normalized @ self._axes(normalized, self._n_wanted).T
        else:
            raise ValueError(f"start must be 'pca' or an array; got {self.start!r}")
        extent = np.linalg.norm(parameters - parameters.mean(axis=0), axis=0)
        carried = extent > 1e-9 * extent.max()
        if not carried.all():
            sentence = (
                f"only {int(carried.sum())} of {len(carried)} coordinates are nonzero: the "
                "points are flat in the other directions; lower n_components"
            )
            warn(sentence)
        return np.ascontiguousarray(parameters[:, carried])

    def _freedoms(self, n: int, width: int) -> tuple[float, ...]:
        """Return the degrees of freedom at the start (flat unless given) and of the first steps."""
        plane = width + 1.0
        freedoms = [max(plane, min(1 + plane / span, n / 2)) for span in self._spans()]
        return tuple(freedoms) if self._start_is_given else (plane, *freedoms)

    def self_consistency(self, n_bins: int = 16) -> Array:
        """Return how far the surface is from the mean of the points that project onto it.

        Zero for a self-consistent surface (Izenman 2013, eq. 16.19), up to the error of a mean.

        Parameters
        ----------
        n_bins : int, default=16
            Number of regions of the parameters, with about equally many points.

        Returns
        -------
        ndarray
            One distance per region.
        """
        check_is_fitted(self)
        points = self._normalization.apply(self._X)
        found = principal.surface_self_consistency(
            points, self.surface_, self.surface_.project(points), n_bins
        )
        return found * self._normalization.scale

    def _advise(self, eased: bool, wanted: float) -> None:
        remedy = "raise span, or start from an unrolled map (start=Isomap(...).fit_transform(X))"
        if eased:
            advise(
                f"with span={self.span:g} the surface would fold, so it was smoothed to "
                f"{self.freedom_:.0f} instead of {wanted:.0f} degrees of freedom; {remedy}"
            )
        torn = principal.count_tears(self._X, self.embedding_)
        if torn:
            advise(
                f"{torn} points have a near neighbor with distant coordinates: the surface "
                f"crosses itself, or cuts across the data; {remedy}"
            )

    def _transform(self, points: Array) -> Array:
        parameters = self.surface_.project(self._normalization.apply(points)).parameters
        missing = self._n_wanted - parameters.shape[1]
        return np.pad(parameters * self._normalization.scale, ((0, 0), (0, missing)))

    def _inverse_transform(self, places: Array) -> Array:
        used = places[:, : self.surface_.knots.shape[1]] / self._normalization.scale
        return self._normalization.undo(self.surface_.at(used))
