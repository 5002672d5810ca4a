"""Kernel principal component analysis, and kernels in their own eigenfunctions.

Mercer's expansion and Karhunen and Loeve's are kernel PCA of all points of a region; widths are
swept, and components drawn by their contours.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from .. import extension, graph, problem
from ..kernel import ALIASES, Kernel, SingleRows, SymmetricTable, double_centered
from ..relation import (
    GivenKernel,
    GramMap,
    NystroemMap,
    begin_nystroem,
    center_landmarks,
    draw_landmarks,
    finish_nystroem,
    fit_gram,
    fit_nystroem,
    operator_by_rows,
    regress_points,
)
from ..runtime import check_cancelled, claim, stage
from ..scale.files import at_random
from ..scale.placing import place_rows
from ..scale.reduction import find_moments
from ..scale.sources import Source
from ..spectrum import products_pay, solve
from ..values import Array
from .door import KERNEL_MATRIX
from .estimator import SpectralEstimator
from .parameters import KernelChoice, check_n_components, learned, method, parameter

RULES = ("cholesky", "uniform", "kmeans")
SOLVED = ("linear", "gaussian", "laplacian", "polynomial", "homogeneous")  # for a pre-image
KernelFunction = Callable[[Array, Array], float] | Kernel
NOTHING = 1e-12  # of the largest eigenvalue: less is rounding


@method
class KernelPCA(KernelChoice, SpectralEstimator):
    """Kernel PCA: PCA in the feature space of a kernel (Schölkopf, Smola, Müller 1998).

    With ``kernel="linear"`` it is PCA. The Gaussian's width is given by exactly one of ``gamma``,
    ``sigma`` (exp(-d^2 / 2 sigma^2)) and ``t`` (exp(-d^2 / t)); by default sigma is the median
    distance between the points. With landmarks the n x n kernel matrix is never formed: all points
    are seen through the landmarks' columns (Nystroem; Mohri et al. 2012, exercise 15.4).
    ``eigenvalues_`` are those of the (centred) kernel matrix. From 4,000 points on, the Gaussian's
    similarities are in single precision, unless it is so narrow that those lose more digits.

    Examples
    --------
    >>> from unspool import KernelPCA, datasets
    >>> clusters = datasets.three_clusters().points
    >>> KernelPCA(3, kernel="gaussian", sigma=0.3).fit(clusters).embedding_.shape
    (90, 3)
    """

    center: bool = parameter(default=True, kind=bool, help="centre in feature space")
    n_landmarks: int | None = parameter(
        default=None,
        kind=int,
        at_least=1,
        optional=True,
        help="number of landmarks that all points are seen through; None for all pairs",
    )
    landmarks: Literal["cholesky", "uniform", "kmeans"] | Sequence[int] | Array = parameter(
        default="cholesky",
        help="'cholesky' (randomly pivoted), 'uniform', 'kmeans', or the indices of the landmarks "
        "(then n_landmarks is moot)",
    )

    scaling: Literal["distance", "variance", "kernlab"] = parameter(
        default="distance",
        choices=("distance", "variance", "kernlab"),
        help="coordinates are sqrt(value) v, which keep distances in feature space; of unit "
        "variance, sqrt(n) v; or sqrt(n value) v, as kernlab of R has them",
    )

    eigenvalues_: Array = learned(
        help="eigenvalues of the (centered) kernel matrix, one per coordinate"
    )
    landmarks_: Array = learned(
        help="indices of the landmarks among the fitted points; empty without landmarks, and for "
        "'kmeans', whose landmarks are no data points"
    )
    _map: GramMap | NystroemMap = learned()
    _seen: Array = learned()  # what similarities are taken to: all points, or the landmarks

    _TABLES = KERNEL_MATRIX
    _SPARSE_POINTS = True
    _REMEDY = "widen the kernel, or leave these rows out"

    @property
    def covariance_eigenvalues_(self) -> Array:
        """Eigenvalues of the covariance in feature space: those of the kernel matrix over n."""
        return np.asarray(self.eigenvalues_ / len(self.embedding_))

    @property
    def landmark_points_(self) -> Array:
        """Landmarks as points, one per row; of a kernel matrix, their row numbers."""
        return self._X[:0] if self._has_all_pairs() else self._seen

    def _keeps_single(self, n_columns: int) -> bool:
        is_gaussian = ALIASES.get(str(self.kernel), str(self.kernel)) == "gaussian"
        return is_gaussian and self._has_all_pairs()

    def _fit(self, X: Array) -> None:
        self._check_layout(X)
        self._choose_kernel(X, centered=self.center)
        if self._has_all_pairs():
            self._check_rule()
            self._fit_all_pairs(X)
        else:
            self._fit_through_landmarks(X)
        if self.scaling != "distance":
            self.embedding_ = self.embedding_ * self._factors(len(self.embedding_))

    def _factors(self, n_points: int) -> Array:
        """Return what coordinates sqrt(value) v are multiplied by."""
        roots = np.sqrt(np.maximum(self.eigenvalues_, 0.0))
        if self.scaling == "variance":
            return np.asarray(np.sqrt(n_points) / np.where(roots > 0.0, roots, 1.0))
        return np.full(len(roots), np.sqrt(n_points) if self.scaling == "kernlab" else 1.0)

    def _has_all_pairs(self) -> bool:
        return self.n_landmarks is None and isinstance(self.landmarks, str)

    def _check_layout(self, X: Any) -> None:
        """Refuse sparse points where something else than their products or distances is needed."""
        if sp.issparse(X) and (callable(self.kernel) or self.kernel == "laplacian"):
            raise ValueError(
                f"kernel={self.kernel!r} needs dense points; pass X.toarray(), if that fits into "
                "memory, or use kernel='gaussian', 'linear' or 'polynomial'"
            )
        if sp.issparse(X) and not self._has_all_pairs():
            raise ValueError(
                "landmarks are chosen among dense points; pass X.toarray(), or leave n_landmarks "
                "and landmarks out"
            )

    def _check_rule(self) -> None:
        if self.landmarks not in RULES:
            raise ValueError(
                f"landmarks must be indices or one of {', '.join(RULES)}; got {self.landmarks!r}"
            )

    def _fit_all_pairs(self, X: Array) -> None:
        n = X.shape[0]
        check_n_components(self._n_wanted, n - 1 if self.center else n, n)
        self._seen = np.arange(n)[:, None] if self._input_kind() == "kernel" else X
        pays = products_pay(n, self._n_wanted)
        single = self._kernel.in_single_precision(X) if pays else None
        claim(
            (24 if single is None else 3) * n * n,
            f"the {n} x {n} similarities of KernelPCA",
            "use n_landmarks=1000 to see all points through 1,000 of them",
        )
        with stage("similarity") as running:
            similarities = self._similarities(X) if single is None else SymmetricTable.of(single)
            running.note(holds=similarities.nbytes)
        fitted = fit_gram(similarities, self._n_wanted, centered=self.center, seed=self._seed)
        self._map, self.landmarks_ = fitted, np.empty(0, dtype=np.intp)
        self.eigenvalues_, self.embedding_ = fitted.eigenvalues, fitted.anchors

    def _fit_through_landmarks(self, X: Array) -> None:
        n, is_table = len(X), self._input_kind() == "kernel"
        kernel = GivenKernel(X) if is_table else self._kernel
        rows = np.arange(n)[:, None] if is_table else X
        self._seen = self._choose_landmarks(kernel, rows)
        fitted, self.embedding_ = fit_nystroem(
            kernel,
            rows,
            self._seen,
            self._n_wanted,
            centered=self.center,
            seed=self._seed,
        )
        self._map, self.eigenvalues_ = fitted, fitted.eigenvalues

    def _fit_source(self, source: Source) -> None:
        """Find the axes by the moments of the rows' features through the landmarks."""
        if self._has_all_pairs():
            super()._fit_source(source)
            return
        if isinstance(self.landmarks, str) and self.landmarks == "kmeans":
            raise ValueError("k-means holds all rows in memory; use landmarks='cholesky'")
        self._X = at_random(source)
        self._choose_kernel(self._X, centered=self.center)
        self._seen = self._choose_landmarks(self._kernel, self._X)
        begun = begin_nystroem(self._kernel, self._seen, self._seed)
        self._map, rank = begun, begun.inverse_root.shape[1]
        found = find_moments(self._X, self._projected, rank)
        mean, factor = found.mean, found.factor
        if not self.center:
            mean, factor = np.zeros(rank), np.vstack([factor, np.sqrt(found.count) * mean])
        count = self._n_wanted
        self._map = finish_nystroem(begun, mean, factor, count, self._seed)
        self.eigenvalues_ = self._map.eigenvalues
        held = 8.0 * 4 * (source.shape[1] + rank)
        placed = place_rows(self._X, self._projected, count, held, self._dtype)
        self.embedding_ = placed * self._factors(len(placed))

    def _choose_landmarks(self, kernel: GivenKernel | Kernel, rows: Array) -> Array:
        """Return the landmarks as rows, and remember their indices."""
        rule, seed, n = self.landmarks, self._seed, len(rows)
        if isinstance(rule, str):
            self._check_rule()
            count = min(int(self.n_landmarks or n), n)
        else:
            self.landmarks_ = graph.check_landmarks(rule, n)
            count = len(self.landmarks_)
        if not isinstance(rows, Source):
            claim(3 * n * count * 8, f"{n} x {count} similarities", "use fewer landmarks")
        if not isinstance(rule, str):
            return np.asarray(rows[self.landmarks_])
        if rule != "kmeans":
            self.landmarks_ = draw_landmarks(kernel, rows, count, rule, seed)
            return np.asarray(rows[self.landmarks_])
        if self._input_kind() == "kernel":
            raise ValueError("k-means needs points; use landmarks='cholesky' or 'uniform'")
        self.landmarks_ = np.empty(0, dtype=np.intp)
        return center_landmarks(rows, count, seed)

    def _similarities(self, X: Array) -> Array:
        """Return the similarities of points (rows) to those that are seen (columns)."""
        if self._input_kind() == "points":
            return self._kernel(X, self._seen)
        return X if self._has_all_pairs() else X[:, self._seen[:, 0]]

    def _transform(self, X: Array) -> Array:
        return self._projected(X) * self._factors(len(self.embedding_))

    def _projected(self, X: Array) -> Array:
        """Return the coordinates sqrt(value) v of query points."""
        if self._kernel.name != "gaussian" or sp.issparse(X) or not isinstance(self._map, GramMap):
            return self._map.place(self._similarities(X))
        single = self._kernel.in_single_precision(self._seen)
        if single is not None:
            return self._map.place_strips(lambda rows: SingleRows(single, X[rows]), len(X))
        similarities_of = self._kernel.rows_to(self._seen)
        return self._map.place_strips(lambda rows: similarities_of(X[rows]), len(X))

    def kernel_(self) -> Array:
        """Return the (centred) kernel matrix of all pairs.

        Returns
        -------
        ndarray of shape (n, n)
            The matrix that is decomposed, or that landmarks stand for.
        """
        similarities = self._rows(slice(None))
        return double_centered(similarities) if self.center else similarities

    def kernel_operator_(self) -> LinearOperator:
        """Return the kernel matrix by its products alone: nothing of size n x n is made.

        Returns
        -------
        LinearOperator of shape (n, n)
            The same as ``kernel_()``, to be multiplied with vectors, one per row.
        """
        return operator_by_rows(self._X.shape[0], self._rows, centered=self.center)

    def _rows(self, rows: slice) -> Array:
        """Return some rows of the kernel matrix of all pairs, as it is without centring."""
        is_table = self._input_kind() == "kernel"
        return self._X[rows] if is_table else self._kernel(self._X[rows], self._X)

    def _inverse_transform(self, places: Array) -> Array:
        """Return pre-images: points whose features are nearest to those that places stand for.

        Exact for the linear kernel; fixed points for the Gaussian and for polynomials, medians for
        the Laplacian kernel. Others, which may be indefinite, have a regression only.
        """
        self._dense_points()
        scaled = places / self._factors(len(self.embedding_))
        points = self._first_preimages(places, scaled)
        if self._kernel.name not in SOLVED:
            return points
        for first in range(0, len(places), extension.PREIMAGES):
            check_cancelled()  # and no table of all places and all points
            rows = slice(first, first + extension.PREIMAGES)
            points[rows] = self._nearest_preimages(self._map.combine(scaled[rows]), points[rows])
        return points

    def _first_preimages(self, places: Array, scaled: Array) -> Array:
        """Return points to begin with: an average of neighbours on the map, or a regression."""
        name = self._kernel.name
        if name == "linear":
            return np.zeros((len(places), self._seen.shape[1]))
        if name == "gaussian":
            return np.array(super()._inverse_transform(places), dtype=np.float64)
        mapped = self.embedding_.astype(np.float64) / self._factors(len(self.embedding_))
        return np.array(regress_points(scaled, mapped, self._X, self._seed), dtype=np.float64)

    def _nearest_preimages(self, coefficients: Array, start: Array) -> Array:
        """Return the points whose features are nearest to combinations of the fitted ones."""
        kernel, known = self._kernel, np.asarray(self._seen, dtype=np.float64)
        if kernel.name == "linear":
            origin = 0.0 if kernel.origin is None else kernel.origin
            return np.asarray(origin + coefficients @ (known - origin))
        if kernel.name == "gaussian":
            return extension.gaussian_preimage(coefficients, kernel, known, start)
        is_laplacian = kernel.name == "laplacian"
        step = (
            extension.median_step(kernel, known)
            if is_laplacian
            else extension.product_step(kernel.slope, known)
        )
        return extension.nearest_preimage(coefficients, kernel, known, start, step)


@dataclass(frozen=True, slots=True)
class KernelExpansion:
    """Eigenfunctions of an integral operator: the integral of k(x, y) f(y) is value times f(x).

    ``functions`` are their values at the nodes, one column each, orthonormal by the weights.
    """

    kernel: Kernel
    nodes: Array
    weights: Array
    values: Array
    functions: Array

    def at(self, X: Any) -> Array:
        """Return the eigenfunctions at any points: the integral of k(x, y) f(y), over the value.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_terms)
            One column per eigenfunction.
        """
        weighted = self.weights[:, None] * self.functions
        return np.asarray(self.kernel(_columns(X), self.nodes) @ weighted / self.values)

    def features(self, X: Any) -> Array:
        """Return Mercer's features, sqrt(value) f(x): their inner products are the kernel.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Points.

        Returns
        -------
        ndarray of shape (n_samples, n_terms)
            The features.
        """
        return np.asarray(self.at(X) * np.sqrt(self.values))

    def coefficients(self, paths: Any) -> Array:
        """Return what functions, given at the nodes, have of each eigenfunction.

        Parameters
        ----------
        paths : array-like of shape (n_paths, n_nodes)
            Values at the nodes, one function per row: paths of a process.

        Returns
        -------
        ndarray of shape (n_paths, n_terms)
            Coefficients; of a process with this covariance, uncorrelated with variances ``values``.
        """
        return np.asarray((np.asarray(paths, dtype=np.float64) * self.weights) @ self.functions)

    def compose(self, coefficients: Any) -> Array:
        """Return the functions with these coefficients, at the nodes.

        Parameters
        ----------
        coefficients : array-like of shape (n_paths, n_terms)
            Coefficients of the eigenfunctions.

        Returns
        -------
        ndarray of shape (n_paths, n_nodes)
            Sums of eigenfunctions.
        """
        return np.asarray(np.asarray(coefficients, dtype=np.float64) @ self.functions.T)


def mercer_expansion(
    kernel: KernelFunction, nodes: Any, weights: Any = None, n_terms: int = 10
) -> KernelExpansion:
    """Return the leading eigenfunctions of a kernel over a bounded set (Mercer's theorem).

    The integral is a sum over nodes (Nystroem 1930): weights of a quadrature give the operator of
    Vidal, Ma, Sastry 2016, eq. 4.53; equal weights 1 / n that of a sample.

    Parameters
    ----------
    kernel : Kernel or callable
        The kernel function k(x, y).
    nodes : array-like of shape (n_nodes, n_features)
        Points of the set; one column may be given as a list.
    weights : array-like of shape (n_nodes,) or None, default=None
        What the nodes count for in an integral; None is 1 / n each.
    n_terms : int, default=10
        Number of eigenfunctions, at most that of the nodes.

    Returns
    -------
    KernelExpansion
        Eigenvalues and eigenfunctions, largest first; fewer where the kernel has no more.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import mercer_expansion
    >>> points, weights = np.polynomial.legendre.leggauss(20)
    >>> found = mercer_expansion(lambda x, y: float((x @ y) ** 2), points, weights, n_terms=3)
    >>> found.values.round(9)  # x^2 y^2 over [-1, 1]: the integral of x^4
    array([0.4])
    """
    places = _columns(nodes)
    n = len(places)
    shares = np.full(n, 1.0 / n) if weights is None else np.asarray(weights, dtype=np.float64)
    if shares.shape != (n,) or not (shares > 0.0).all():
        raise ValueError(f"weights must be {n} positive numbers, one per node; got {weights!r}")
    function = kernel if isinstance(kernel, Kernel) else Kernel(kernel)
    roots = np.sqrt(shares)
    table = function(places, places) * np.outer(roots, roots)
    found = solve(problem.gram(0.5 * (table + table.T), centered=False), min(n_terms, n))
    kept = found.values > NOTHING * max(float(found.values.max()), 0.0)
    functions = found.vectors[:, kept] / roots[:, None]
    return KernelExpansion(function, places, shares, found.values[kept], functions)


def karhunen_loeve(covariance: KernelFunction, times: Any, n_terms: int = 10) -> KernelExpansion:
    """Return the expansion of a random process in the eigenfunctions of its covariance.

    Its paths are sums of these functions with uncorrelated coefficients (Vidal, Ma, Sastry 2016,
    exercise 4.3). Integrals over time are by the trapezoidal rule.

    Parameters
    ----------
    covariance : Kernel or callable
        K(t, s), the covariance of the process at two times; called with arrays of one number.
    times : array-like of shape (n_times,)
        Increasing times, at which paths are given.
    n_terms : int, default=10
        Number of eigenfunctions.

    Returns
    -------
    KernelExpansion
        The expansion; ``coefficients`` decomposes paths, ``compose`` puts them together.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import karhunen_loeve
    >>> found = karhunen_loeve(lambda t, s: float(min(t[0], s[0])), np.linspace(0, 1, 201), 2)
    >>> [round(float(v), 3) for v in found.values]  # of Brownian motion: 1 / ((k - 1/2) pi)^2
    [0.405, 0.045]
    """
    when = np.asarray(times, dtype=np.float64)
    steps = np.diff(when)
    if when.ndim != 1 or len(when) < 2 or not (steps > 0.0).all():
        raise ValueError("times must be an increasing list of at least two numbers")
    weights = 0.5 * (np.append(steps, 0.0) + np.append(0.0, steps))
    return mercer_expansion(covariance, when, weights, n_terms)


@dataclass(frozen=True, slots=True)
class WidthSweep:
    """Kernel PCA of the same points with several widths of a Gaussian."""

    sigmas: tuple[float, ...]
    models: tuple[KernelPCA, ...]

    @property
    def eigenvalues(self) -> Array:
        """Eigenvalues of each width, one row each."""
        return np.array([model.eigenvalues_ for model in self.models])

    @property
    def shares(self) -> Array:
        """Share of the variance in feature space that the coordinates have, width by width.

        Near 1 the kernel is all but linear; near 0 every point is alone.
        """
        return np.array(
            [model.eigenvalues_.sum() / np.trace(model.kernel_()) for model in self.models]
        )


def sweep_widths(X: Any, sigmas: Sequence[float], n_components: int = 2) -> WidthSweep:
    """Return kernel PCA with several widths: from points that are all alone to PCA.

    What figure 16.5 and exercises 16.3 to 16.5 of Izenman 2013 do by hand.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Points.
    sigmas : sequence of float
        Widths of exp(-d^2 / (2 sigma^2)).
    n_components : int, default=2
        Coordinates of each map.

    Returns
    -------
    WidthSweep
        A fitted KernelPCA for each width.

    Examples
    --------
    >>> from unspool import datasets, sweep_widths
    >>> found = sweep_widths(datasets.three_clusters().points, [0.01, 10.0])
    >>> [round(float(share), 1) for share in found.shares]
    [0.0, 1.0]
    """
    if len(sigmas) == 0:
        raise ValueError("sigmas must name at least one width")
    with warnings.catch_warnings():  # of widths at which points are alone, which are asked for
        warnings.filterwarnings("ignore", ".* is carried by", UserWarning)
        models = tuple(KernelPCA(n_components, sigma=float(sigma)).fit(X) for sigma in sigmas)
    return WidthSweep(tuple(float(sigma) for sigma in sigmas), models)


@dataclass(frozen=True, slots=True)
class Contours:
    """Coordinates of a map over a grid of the plane: ``values[k]`` is that of coordinate k."""

    x: Array
    y: Array
    values: Array


def component_contours(model: Any, margin: float = 0.1, resolution: int = 50) -> Contours:
    """Return the coordinates of a fitted map over the plane that its points lie in.

    Lines of equal coordinate show what a kernel makes of the plane (Vidal, Ma, Sastry 2016,
    exercise 4.6); ``matplotlib`` draws them by ``contour(c.x, c.y, c.values[k])``.

    Parameters
    ----------
    model : estimator
        A method that was fitted on points with two features.
    margin : float, default=0.1
        How far the grid reaches beyond the points, as a share of their range.
    resolution : int, default=50
        Places of the grid along each side.

    Returns
    -------
    Contours
        The grid, and each coordinate on it.

    Examples
    --------
    >>> from unspool import KernelPCA, component_contours, datasets
    >>> model = KernelPCA(3, sigma=0.3).fit(datasets.three_clusters().points)
    >>> component_contours(model, resolution=20).values.shape
    (3, 20, 20)
    """
    points = getattr(model, "_X", None)
    if points is None or np.ndim(points) != 2 or np.shape(points)[1] != 2:
        raise ValueError("contours need a model that was fitted on points with two features")
    low, high = points.min(axis=0), points.max(axis=0)
    reach = margin * (high - low)
    sides = [np.linspace(low[k] - reach[k], high[k] + reach[k], resolution) for k in (0, 1)]
    x, y = np.meshgrid(*sides)
    placed = model.transform(np.column_stack([x.ravel(), y.ravel()]))
    return Contours(x, y, placed.T.reshape(-1, *x.shape))


def _columns(points: Any) -> Array:
    table = np.asarray(points, dtype=np.float64)
    return table[:, None] if table.ndim == 1 else table
