"""Generalized principal component analysis: several subspaces at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ..relation import (
    MOST_COLUMNS,
    MOST_MONOMIALS,
    Arrangement,
    Found,
    Layout,
    Subspace,
    find_subspaces,
    refine,
)
from ..relation import squared_distances as distances_to
from ..runtime import claim, warn
from ..values import Array
from .estimator import ClusteringEstimator
from .parameters import learned, method, parameter

MOST_SUBSPACES = 6  # that 'auto' looks for
SAMPLE = 2_000  # points that polynomials are fitted to: of more, a sample shows the subspaces
WORSE = 2  # numbers of subspaces in a row that describe the points no better, before it is enough


@method
class GPCA(ClusteringEstimator):
    """Generalized PCA: several subspaces that points lie in, of different dimensions.

    Polynomials of degree ``n_subspaces`` that vanish on all points are found by the Veronese map;
    their gradients at a point are normal to its subspace (Vidal, Ma, Sastry 2005; Vidal, Ma, Sastry
    2016, example 4.1). Points whose normals agree make a subspace, and noise is dealt with by
    fitting subspaces to points and points to subspaces in turn, at last as a mixture of normal
    distributions that shares out the points near an intersection (Tipping and Bishop 1999). Where
    dimensions or the number of subspaces are to be found, those that describe the points in fewest
    words are taken (Schwarz 1978).

    The map has the coordinates of each point along its own subspace; the subspaces are laid side by
    side. A query point goes to the nearest subspace.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import GPCA, datasets
    >>> sample = datasets.subspaces(300, dimensions=(1, 2))
    >>> GPCA(n_subspaces=2).fit(sample.points).dimensions_
    array([2, 1])
    """

    n_components: int | None = parameter(  # type: ignore[assignment]  # wider than the base
        default=None,
        kw_only=False,
        kind=int,
        at_least=1,
        optional=True,
        help="number of coordinates of the map; default: as many as the largest subspace has",
    )
    n_subspaces: int | Literal["auto"] = parameter(
        default=2,
        kind=int,
        at_least=1,
        words=("auto",),
        help="number of subspaces; 'auto' tries up to six",
    )
    dimensions: int | Sequence[int] | Literal["auto"] = parameter(
        default="auto",
        help="dimension of all subspaces, one number per subspace in any order, or 'auto'",
    )
    affine: bool = parameter(
        default=False, kind=bool, help="subspaces need not pass through the origin"
    )
    max_iter: int = parameter(
        default=100,
        kind=int,
        at_least=1,
        help="most rounds of fitting the mixture of subspaces",
    )

    labels_: Array = learned(help="subspace of each point, 0 for that of most points")
    n_subspaces_: int = learned(help="number of subspaces that have points")
    dimensions_: Array = learned(help="dimension of each subspace")
    centers_: Array = learned(
        help="a point of each subspace: the mean of its points, or the origin"
    )
    bases_: tuple[Array, ...] = learned(help="orthonormal axes of each subspace, one per row")
    distances_: Array = learned(help="distance of each point from its subspace")
    n_iter_: int = learned(help="rounds of fitting")
    _layout: Layout = learned()

    def predict(self, X: Any) -> Array:
        """Return the nearest subspace of query points.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Query points.

        Returns
        -------
        ndarray of shape (n_queries,)
            Number of the subspace of each.
        """
        self._check_fitted()
        return self._nearest(self._check_input(X, reset=False))

    def _check_fitted(self) -> None:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)

    def _fit(self, X: Array) -> None:
        n, width = X.shape
        self._check_choices(n, width)
        claim(
            8 * min(n, SAMPLE) * MOST_MONOMIALS * (MOST_COLUMNS + 3) + 16 * n * width,
            f"gradients of polynomials at {min(n, SAMPLE)} points",
            "reduce the variables with PCA first",
        )
        arrangement = self._whole(X) if width + self.affine == 1 else self._find(X)
        self._keep(arrangement, X)
        if self.n_subspaces != "auto" and self.n_subspaces_ < self.n_subspaces:
            warn(
                f"only {self.n_subspaces_} of {self.n_subspaces} subspaces have points; lower "
                "n_subspaces"
            )
        parts = self._own_coordinates(X)
        together = [parts[self.labels_ == number] for number in range(self.n_subspaces_)]
        self._layout = Layout.of(together)
        self.embedding_ = self._placed(parts, self.labels_)

    def _check_choices(self, n: int, width: int) -> None:
        """Raise ValueError for numbers that do not go together, before any work."""
        most, given = width - 1, self._given_dimensions()
        least = 0 if self.affine else 1
        if self.n_subspaces != "auto" and self.n_subspaces > n:
            raise ValueError(f"n_subspaces={self.n_subspaces} is more than the {n} points")
        if any(not least <= d <= most for d in given):
            raise ValueError(
                f"dimensions must be from {least} to {most} for points in {width} columns; got "
                f"{self.dimensions!r}"
            )
        if self.n_components is not None and self.n_components > width:
            raise ValueError(
                f"n_components={self.n_components} is more than the {width} columns there are; use "
                f"at most {width}"
            )

    def _given_dimensions(self) -> tuple[int, ...]:
        """Return one dimension per subspace, none where they are to be found."""
        given: Any = self.dimensions
        if isinstance(given, str) and given == "auto":
            return ()
        several = not isinstance(given, str) and np.ndim(given) == 1
        numbers = list(given) if several else [given]
        if any(isinstance(d, bool) or not isinstance(d, int | np.integer) for d in numbers):
            raise ValueError(
                f"dimensions must be a whole number, one per subspace, or 'auto'; got {given!r}"
            )
        if self.n_subspaces == "auto":
            if several:
                raise ValueError("n_subspaces='auto' takes one dimension for all, or 'auto'")
            return (int(given),)
        if several and len(numbers) != self.n_subspaces:
            raise ValueError(
                f"dimensions has {len(numbers)} entries, but n_subspaces={self.n_subspaces}"
            )
        return tuple(int(d) for d in (numbers if several else numbers * self.n_subspaces))

    def _whole(self, X: Array) -> Arrangement:
        """Return the line itself: points in one column have no subspace but that and the origin."""
        self.n_iter_ = 0
        warn("points in one column all lie in one subspace; pass affine=True to part them")
        return Arrangement.of(X, [Subspace(np.zeros(1), np.ones((1, 1)))])

    def _find(self, X: Array) -> Arrangement:
        rng = np.random.default_rng(self._seed)
        seen = X if len(X) <= SAMPLE else X[rng.choice(len(X), SAMPLE, replace=False)]
        found = self._count(seen) if self.n_subspaces == "auto" else self._subspaces(seen)
        start = Arrangement.of(X, found.arrangement.subspaces)
        refined = refine(X, start, affine=self.affine, max_iter=self.max_iter)
        self.n_iter_ = refined.steps
        return Arrangement.of(X, refined.state.subspaces).by_size()

    def _subspaces(self, seen: Array) -> Found:
        return self._some(seen, int(self.n_subspaces), self._given_dimensions())

    def _some(self, seen: Array, count: int, dimensions: tuple[int, ...]) -> Found:
        return find_subspaces(seen, count, dimensions, affine=self.affine, seed=self._seed)

    def _count(self, seen: Array) -> Found:
        """Return as many subspaces as describe the points in fewest words."""
        given, best, worse = self._given_dimensions(), None, 0
        for count in range(1, min(MOST_SUBSPACES, len(seen) - 1) + 1):
            found = self._some(seen, count, given * count)
            if best is None or found.length < best.length:
                best, worse = found, 0
            else:
                worse += 1
            if worse == WORSE:
                break
        assert best is not None  # one subspace is always tried
        return best

    def _keep(self, found: Arrangement, X: Array) -> None:
        self.n_subspaces_ = len(found.subspaces)
        self.dimensions_ = np.array([subspace.dimension for subspace in found.subspaces])
        self.centers_ = np.array([subspace.center for subspace in found.subspaces])
        self.bases_ = tuple(subspace.axes for subspace in found.subspaces)
        gaps = distances_to(X, found.subspaces)
        self.labels_ = gaps.argmin(axis=1)
        self.distances_ = np.sqrt(np.take_along_axis(gaps, self.labels_[:, None], axis=1)[:, 0])

    @property
    def _subspaces_found(self) -> list[Subspace]:
        return [Subspace(c, a) for c, a in zip(self.centers_, self.bases_, strict=True)]

    def _nearest(self, X: Array) -> Array:
        return np.asarray(distances_to(X, self._subspaces_found).argmin(axis=1))

    def _width(self) -> int:
        return self.n_components or max(1, int(self.dimensions_.max()))

    def _own_coordinates(self, X: Array, labels: Array | None = None) -> Array:
        """Return the coordinates of each point along its subspace; what lacks is zero."""
        labels = self.labels_ if labels is None else labels
        found = np.zeros((len(X), self._width()))
        for number, subspace in enumerate(self._subspaces_found):
            own = labels == number
            inner = subspace.coordinates(X[own])[:, : found.shape[1]]
            found[own, : inner.shape[1]] = inner
        return found

    def _placed(self, parts: Array, labels: Array) -> Array:
        places = np.empty(parts.shape)
        for number in range(self.n_subspaces_):
            own = labels == number
            places[own] = self._layout.place(number, parts[own])
        return places

    def _transform(self, X: Array) -> Array:
        labels = self._nearest(X)
        return self._placed(self._own_coordinates(X, labels), labels)

    def _inverse_transform(self, places: Array) -> Array:
        """Return the points of the subspaces that the places lie in."""
        owner = self._layout.owner(places)
        found = np.empty((len(places), self.n_features_in_))
        for number, subspace in enumerate(self._subspaces_found):
            own = owner == number
            found[own] = subspace.point(places[own] - self._layout.offsets[number])
        return found
