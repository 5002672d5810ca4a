"""Kernels in their own eigenfunctions: Mercer's expansion, Karhunen-Loeve, sweeps, contours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import problem
from ..kernel import Kernel
from ..spectrum import solve
from ..values import Array
from .kernel_pca import KernelPCA

KernelFunction = Callable[[Array, Array], float] | Kernel
NOTHING = 1e-12  # of the largest eigenvalue: less is rounding


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
        raise ValueError(f"weights must be {n} numbers above 0, one a node; got {weights!r}")
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
