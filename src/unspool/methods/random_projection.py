"""Random projection, and the lemma behind it: how many directions keep all distances, how surely.

By how much a map did stretch and shrink the distances between points is told pair by pair (Mohri et
al. 2012, section 15.4).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, exp, log
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from ..distances import pairwise_squared_distances
from ..runtime import claim, limit_blas_threads, run_strips, stage
from ..scale.placing import place_rows
from ..scale.reduction import find_means
from ..scale.sources import Source
from ..values import Array
from .door import check_points
from .estimator import Estimator
from .parameters import learned, method, parameter

PROJECTED = 1 << 18  # entries of points that are projected at a time
MOST_DRAWS = 100  # at the dimension of the lemma a draw fails less often than 2 in sqrt(n)


@method
class RandomProjection(Estimator):
    """Random projection: a few random directions nearly keep all distances.

    f(x) = A x / sqrt(k) with k rows of independent entries, drawn by scikit-learn: standard normal,
    or mostly zero (``kind="sparse"``; Mohri et al. 2012, section 15.4). Nothing is learned but the
    number of features. Give the
    number of coordinates, or ``eps`` for as many as the Johnson-Lindenstrauss lemma asks for;
    ``guarantee=True`` draws again until all pairs keep their squared distance to 1 +- eps.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import RandomProjection
    >>> points = np.random.default_rng(0).normal(size=(50, 2000))
    >>> RandomProjection(eps=0.5).fit(points).embedding_.shape
    (50, 188)
    """

    n_components: int | None = parameter(  # type: ignore[assignment]  # wider than the base
        default=None,
        kw_only=False,
        kind=int,
        at_least=1,
        optional=True,
        help="number of coordinates; None is what eps asks for, or 2",
    )
    eps: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        optional=True,
        help="relative error of squared distances",
    )
    bound: Literal["dasgupta-gupta", "mohri"] = parameter(
        default="dasgupta-gupta",
        choices=("dasgupta-gupta", "mohri"),
        help="bound that turns eps into n_components",
    )
    kind: Literal["gaussian", "sparse"] = parameter(
        default="gaussian",
        choices=("gaussian", "sparse"),
        help="entries: normal, or mostly zero",
    )
    density: float | None = parameter(
        default=None,
        kind=float,
        above=0,
        at_most=1,
        optional=True,
        help="share of the entries that are not zero if kind='sparse'; None is 1 / sqrt(D)",
    )
    guarantee: bool = parameter(
        default=False,
        kind=bool,
        help="draw again until all pairs of the fitted points are within eps",
    )

    components_: Array | sp.csr_array = learned(
        help="the random directions, one per row; sparse if most entries are zero"
    )
    n_draws_: int = learned(help="number of draws that it took")
    _mean: Array = learned()

    _SPARSE_POINTS = True
    _SPARSE_BLOCKS = True
    _KEEPS_INPUT = False  # the directions and the mean are all that a map is made of

    def _keeps_single(self, n_columns: int) -> bool:
        return True

    def _fit_source(self, source: Source) -> None:
        """Draw the directions, which depend on no point, and place the rows block by block."""
        n, width = source.shape
        if self.guarantee:
            raise ValueError(
                "guarantee=True compares all pairs of rows, which must be in memory; leave it out, "
                "or fit a sample"
            )
        count = self._count(n, width)
        self.components_ = self._engine(count).fit(np.zeros((1, width))).components_
        self.n_draws_, self._mean = 1, find_means(source)
        self.embedding_ = place_rows(
            source, self._transform, count, 8.0 * (3 * width + 2 * count), self._dtype
        )

    def _fit(self, X: Any) -> None:
        n, width = X.shape
        count = self._count(n, width)
        claim(16 * count * (n + width), f"a map to {count} coordinates", "take fewer")
        engine, eps = self._engine(count), self.eps or 0.0
        with stage("projection", total=MOST_DRAWS if self.guarantee else 1) as running:
            for draw in range(1, MOST_DRAWS + 1):
                self.components_ = engine.fit(np.zeros((1, width))).components_
                self.embedding_, self.n_draws_ = self._transform(X), draw
                if not self.guarantee or all_within(X, self.embedding_, eps):
                    break
                running.advance()
            else:
                raise ValueError(
                    f"none of {MOST_DRAWS} draws kept all pairs within eps={self.eps}; raise "
                    "n_components or eps"
                )
            running.note(kind=self.kind, coordinates=self.embedding_.shape[1], draws=draw)
        self._mean = np.asarray(X.mean(axis=0, dtype=np.float64)).ravel()

    def _count(self, n: int, width: int) -> int:
        if self.eps is None and self.guarantee:
            raise ValueError("guarantee=True needs eps, the relative error to keep to")
        if self.eps is not None and self.n_components is not None and not self.guarantee:
            raise ValueError(
                "give n_components or eps, not both; with guarantee=True both are used"
            )
        if self.n_components is not None or self.eps is None:
            count, what = self.n_components or 2, "n_components"
        else:
            count = johnson_lindenstrauss_dimension(n, self.eps, self.bound)
            what = f"the dimension that keeps {n} points within eps={self.eps}"
        if count > width:
            raise ValueError(
                f"{what} is {count}, more than the {width} features the points have: nothing would "
                f"be reduced; {'lower it' if what == 'n_components' else 'raise eps'}"
            )
        return int(count)

    def _engine(self, count: int) -> Any:
        from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

        source = np.random.RandomState(self._seed)  # goes on from draw to draw
        if self.kind == "sparse":
            density = "auto" if self.density is None else self.density
            return SparseRandomProjection(count, density=density, random_state=source)
        if self.density is not None:
            raise ValueError("density is for kind='sparse'; a Gaussian has no zero entries")
        return GaussianRandomProjection(count, random_state=source)

    def _transform(self, X: Any) -> Array:
        if sp.issparse(X):
            places = (self.components_ @ X.T).T
            return np.asarray(places.toarray() if sp.issparse(places) else places)
        answer = np.empty((len(X), self.components_.shape[0]))

        def work(rows: slice) -> None:
            answer[rows] = (self.components_ @ X[rows].T).T

        with limit_blas_threads():
            run_strips(work, len(X), max(1, PROJECTED // X.shape[1]))
        return answer

    def _inverse_transform(self, places: Array) -> Array:
        """Return the point nearest to the data's mean among those that the map takes there."""
        matrix = self.components_
        if not isinstance(matrix, np.ndarray):
            matrix = matrix.toarray()
        missing = places - self._transform(self._mean[None, :])
        return np.asarray(self._mean + np.linalg.lstsq(matrix, missing.T, rcond=None)[0].T)


def johnson_lindenstrauss_dimension(
    n: int, eps: float, bound: Literal["mohri", "dasgupta-gupta"] = "dasgupta-gupta"
) -> int:
    """Return in how many dimensions ``n`` points fit with squared distances within 1 +- ``eps``.

    Neither bound depends on the dimension of the points.

    Parameters
    ----------
    n : int
        Number of points.
    eps : float
        Relative error of squared distances.
    bound : {"dasgupta-gupta", "mohri"}, default="dasgupta-gupta"
        "mohri" is k = 20 log n / eps^2 (Mohri et al. 2012, lemma 15.4; eps below 1/2, more than 4
        points), rounded up. "dasgupta-gupta" is k = 4 log n / (eps^2 / 2 - eps^3 / 3) (2003; eps
        below 1), rounded up: scikit-learn rounds down, to one too few.

    Returns
    -------
    int
        The number of dimensions.

    Examples
    --------
    >>> from unspool import johnson_lindenstrauss_dimension
    >>> johnson_lindenstrauss_dimension(10_000, 0.1, "mohri")
    18421
    >>> johnson_lindenstrauss_dimension(10_000, 0.1, "dasgupta-gupta")
    7895
    """
    if bound == "mohri":
        _check_lemma(eps, n)
        return ceil(20.0 * log(n) / eps**2)
    if bound != "dasgupta-gupta":
        raise ValueError(f"unknown bound {bound!r}; use 'mohri' or 'dasgupta-gupta'")
    _check_eps(eps, 1.0, "the bound of Dasgupta and Gupta")
    _check_whole(n, "n", 2)
    return ceil(4.0 * log(n) / (eps**2 / 2.0 - eps**3 / 3.0))


def projection_tail_probability(n_components: int, eps: float) -> float:
    """Bound the probability that one squared length leaves 1 +- ``eps``.

    2 e^(-(eps^2 - eps^3)k/4) for k Gaussian directions divided by sqrt(k), whatever the vector
    (Mohri et al. 2012, lemma 15.3); the same bounds a chi-square variable with k degrees of freedom
    leaving k (1 +- eps) (lemma 15.2).

    Parameters
    ----------
    n_components : int
        Number k of directions.
    eps : float
        Relative error of squared lengths.

    Returns
    -------
    float
        The bound; at most 1, where the formula says nothing.

    Examples
    --------
    >>> from unspool import projection_tail_probability
    >>> round(projection_tail_probability(1000, 0.2), 6)
    0.000671
    """
    _check_lemma(eps)
    _check_whole(n_components, "n_components", 1)
    return min(1.0, 2.0 * exp(-(eps**2 - eps**3) * n_components / 4.0))


def projection_success_probability(n: int, eps: float, n_components: int | None = None) -> float:
    """Bound from below the probability that a random map keeps all pairs of ``n`` points.

    To 1 +- ``eps`` of their squared distance: 1 - 2 n^2 e^(-(eps^2 - eps^3)k/4) (Mohri et al. 2012,
    lemma 15.4). With k = 20 log n / eps^2 that is 1 - 2 n^(5 eps - 3), above 1 - 2 / sqrt(n).

    Parameters
    ----------
    n : int
        Number of points.
    eps : float
        Relative error of squared distances.
    n_components : int or None, default=None
        Number k of coordinates; None is 20 log n / eps^2.

    Returns
    -------
    float
        The bound; at least 0, where the formula says nothing.

    Examples
    --------
    >>> from unspool import projection_success_probability
    >>> projection_success_probability(10_000, 0.1) > 0.98
    True
    """
    _check_lemma(eps, n)
    if n_components is None:
        return float(1.0 - 2.0 * n ** (5.0 * eps - 3.0))
    _check_whole(n_components, "n_components", 1)
    exponent = 2.0 * log(n) - (eps**2 - eps**3) * n_components / 4.0
    return max(0.0, 1.0 - 2.0 * exp(min(exponent, 0.0)))


def _check_lemma(eps: float, n: int | None = None) -> None:
    _check_eps(eps, 0.5, "the Johnson-Lindenstrauss lemma of Mohri et al. 2012, 15.4")
    if n is not None:
        _check_whole(n, "n", 5)


def _check_eps(eps: float, below: float, what: str) -> None:
    if not 0.0 < eps < below:
        raise ValueError(f"{what} holds for eps between 0 and {below:g}, both excluded; got {eps}")


def _check_whole(value: int, name: str, at_least: int) -> None:
    if isinstance(value, bool) or int(value) != value or value < at_least:
        raise ValueError(f"{name} must be a whole number of at least {at_least}; got {value!r}")


ROUNDED = 1e-24  # of the largest squared distance: rounding, squared
BLOCK = 2**20  # pairs held at a time
MANY_PAIRS = 2_000_000  # all pairs of 2,000 points: a second or two, 16 MB


@dataclass(frozen=True, slots=True)
class Distortions:
    """Squared distances on a map divided by those of the data, pair by pair.

    The ratios of Mohri et al. 2012, eq. 15.13. ``is_sample`` says that not all pairs were taken;
    ``n_coincident`` pairs that are one point both in the data and on the map have no ratio and are
    left out.
    """

    ratios: Array
    is_sample: bool
    n_coincident: int

    @property
    def smallest(self) -> float:
        """The ratio of the pair that came closest together; 1 if there are no pairs."""
        return float(self.ratios.min()) if self.ratios.size else 1.0

    @property
    def largest(self) -> float:
        """The ratio of the pair that moved furthest apart; 1 if there are no pairs."""
        return float(self.ratios.max()) if self.ratios.size else 1.0

    @property
    def eps(self) -> float:
        """The least eps with (1 - eps) d^2 <= d'^2 <= (1 + eps) d^2 for all these pairs."""
        return max(1.0 - self.smallest, self.largest - 1.0)

    def __str__(self) -> str:
        pairs = f"{self.ratios.size:,} {'sampled' if self.is_sample else ''} pairs"
        share = f"median {np.median(self.ratios):.4g}, " if self.ratios.size else ""
        return (
            f"squared distances times {self.smallest:.4g} to {self.largest:.4g}, {share}"
            f"eps = {self.eps:.4g}, over {' '.join(pairs.split())}"
        )


def distortions(X: Any, Y: Any, *, max_pairs: int = MANY_PAIRS, seed: int = 0) -> Distortions:
    """Return the squared distances of ``Y`` divided by those of ``X``, pair by pair.

    These are the ratios of Mohri et al. 2012, eq. 15.13. A pair that is one point in ``X`` and two
    in ``Y`` has the ratio inf.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    max_pairs : int, default=2000000
        All pairs if there are at most so many, else that many drawn at random.
    seed : int, default=0
        Seed of the pairs.

    Returns
    -------
    Distortions
        The ratios, and the relative error eps that they stay within.

    Examples
    --------
    >>> from unspool import datasets, distortions
    >>> points = datasets.circle(50).points
    >>> float(distortions(points, 2.0 * points).ratios.round(9).max())
    4.0
    """
    points, places = check_points(X), check_points(Y)
    if len(points) != len(places):
        raise ValueError(f"X has {len(points)} rows and Y has {len(places)}; they must be the same")
    if max_pairs < 1:
        raise ValueError(f"max_pairs must be at least 1; got {max_pairs}")
    n_pairs = len(points) * (len(points) - 1) // 2
    is_sample = n_pairs > max_pairs
    drawn = _sampled(points, places, max_pairs, seed) if is_sample else _all(points, places)
    ratios = np.concatenate(list(drawn))
    return Distortions(ratios, is_sample, min(n_pairs, max_pairs) - len(ratios))


def all_within(points: Array, places: Array, eps: float) -> bool:
    """Tell whether all pairs keep their squared distance to 1 +- ``eps``; ends at the first not."""
    return all((np.abs(ratios - 1.0) <= eps).all() for ratios in _all(points, places))


def _all(points: Array, places: Array) -> Iterator[Array]:
    """Yield the ratios of all pairs, block of rows by block of rows."""
    n = len(places)
    rows = max(1, BLOCK // n)
    for first in range(0, n - 1, rows):
        last = min(first + rows, n - 1)
        later = np.arange(n - first)[None, :] > np.arange(last - first)[:, None]
        before = pairwise_squared_distances(points[first:last], points[first:])[later]
        yield _ratios(before, pairwise_squared_distances(places[first:last], places[first:])[later])


def _sampled(points: Array, places: Array, count: int, seed: int) -> Iterator[Array]:
    source = np.random.default_rng(seed)
    rows = max(1, BLOCK // 8 // (points.shape[1] + places.shape[1]))  # 1 MB: stays in cache
    for first in range(0, count, rows):
        some = min(rows, count - first)
        one = source.integers(len(points), size=some)
        other = (one + source.integers(1, len(points), size=some)) % len(points)
        before = np.square(points[one] - points[other]).sum(axis=1)
        yield _ratios(before, np.square(places[one] - places[other]).sum(axis=1))


def _ratios(before: Array, after: Array) -> Array:
    largest = max(before.max(initial=0.0), after.max(initial=0.0))
    after = np.where(after <= ROUNDED * largest, 0.0, after)  # copies that products round apart
    apart = (before > 0.0) | (after > 0.0)
    before, after = before[apart], after[apart]
    ratios = np.full(len(before), np.inf)
    np.divide(after, before, out=ratios, where=before > 0.0)
    return ratios
