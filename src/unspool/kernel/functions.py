"""Points -> similarity: the kernel functions of the texts as values that can be called.

The Gaussian has one width, ``gamma`` in exp(-gamma d^2), and three ways to say it, because the
texts use five: ``sigma`` means exp(-d^2 / (2 sigma^2)), ``t`` means exp(-d^2 / t). Without one, it
is taken from the distances. A table is a kernel matrix if it is symmetric and positive
semi-definite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..distances import pairwise_distances, pairwise_squared_distances, squared_distances_to
from ..runtime import run_strips
from ..values import Array, refuse_cells
from .single_precision import SingleGaussian

KERNELS = (
    "linear",
    "polynomial",
    "homogeneous",
    "gaussian",
    "laplacian",
    "sigmoid",
    "cosine",
    "thin-plate",
    "precomputed",
)
ALIASES = {"rbf": "gaussian", "poly": "polynomial"}  # as scikit-learn calls them
TILE = 64  # rows of a table worked on at a time: what the cache can hold
SAMPLE = 1000  # points; the median of their 500,000 distances moves by about 1 % between samples
RADIAL = ("gaussian", "laplacian")  # functions of x - y alone, between 0 and 1
OF_DIFFERENCES = (*RADIAL, "thin-plate")  # of x - y alone, with a width


@dataclass(frozen=True)
class Kernel:
    """A kernel function k(x, y) with its parameters; call it on two sets of points.

    ``origin`` is subtracted from the points first. That changes nothing in exact arithmetic for
    kernels of differences, nor for the centred linear kernel, and saves all digits of data far
    from zero.
    """

    name: str | Callable[[Array, Array], float]
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    origin: Array | None = None

    def __call__(self, A: Array, B: Array) -> Array:
        """Return the table k(a, b) of all pairs."""
        if callable(self.name):
            return self._by_callable(A, B)
        if self.origin is not None:
            moved = A - self.origin
            A, B = moved, moved if A is B else B - self.origin
        with np.errstate(over="ignore"):  # reported below, in words
            table = np.asarray(_FORMULAS[self.name](self, A, B))
        if self.name not in RADIAL:  # those lie between 0 and 1
            _check_finite(table, self.name)
        return table

    def rows_to(self, B: Array) -> Callable[[Array], Array]:
        """Return what gives the table k(a, b) of some points with all of B.

        Of a Gaussian B is prepared once, and a call works in the thread that makes it.
        """
        if self.name != "gaussian":
            return lambda A: self(A, B)
        single = self.in_single_precision(B)
        if single is not None:
            return single.rows
        gamma = float(self.gamma or 1.0)

        def finish(table: Array) -> None:
            table *= -gamma
            np.exp(table, out=table)

        return squared_distances_to(B, finish)  # which centers both by itself

    def in_single_precision(self, B: Array) -> SingleGaussian | None:
        """Return B prepared for a Gaussian in single precision, if it has digits enough."""
        if self.name != "gaussian" or sp.issparse(B):
            return None
        return SingleGaussian.of(B, float(self.gamma or 1.0))

    def diagonal(self, A: Array) -> Array:
        """Return k(a, a) of each point."""
        if callable(self.name):
            return np.array([float(self.name(a, a)) for a in A])
        if self.name in RADIAL:
            return np.ones(len(A))
        if self.name == "cosine":
            return np.asarray((_norms(A) > 0.0), dtype=np.float64)
        if self.name == "thin-plate":
            return np.zeros(len(A))
        if self.origin is not None:
            A = A - self.origin
        return np.asarray(_of_products(self, np.einsum("ij,ij->i", A, A)))

    def slope(self, products: Array) -> Array:
        """Return the derivative of a polynomial kernel by the inner product."""
        if self.name == "homogeneous":
            return np.asarray(self.degree * products ** (self.degree - 1))
        gamma = float(self.gamma or 1.0)
        inner = gamma * products + self.coef0
        return np.asarray(self.degree * gamma * inner ** (self.degree - 1))

    def about(self, origin: Array, *, centered: bool) -> Kernel:
        """Return the same kernel evaluated on differences from ``origin``, where that is exact."""
        exact = self.name in OF_DIFFERENCES or (self.name == "linear" and centered)
        return replace(self, origin=origin) if exact else self

    def _by_callable(self, A: Array, B: Array) -> Array:
        function: Any = self.name
        table = np.empty((len(A), len(B)))
        for i, a in enumerate(A):
            for j, b in enumerate(B):
                table[i, j] = function(a, b)
        _check_finite(table, function)
        if A is B:
            check_symmetric(table, "the table of a kernel function")
        return table


def _check_finite(table: Array, kernel: Any) -> None:
    if not np.isfinite(table).all():
        row, column = (int(index) for index in np.argwhere(~np.isfinite(table))[0])
        raise ValueError(
            f"kernel {kernel!r} gave {table[row, column]} for row {row} and point {column}; scale "
            "the data, or lower degree or gamma"
        )


def gamma_from(gamma: float | None, sigma: float | None, t: float | None) -> float | None:
    """Return the one width that was given, as gamma.

    Parameters
    ----------
    gamma : float or None
        Width of exp(-gamma d^2).
    sigma : float or None
        Width of exp(-d^2 / (2 sigma^2)).
    t : float or None
        Width of exp(-d^2 / t).

    Returns
    -------
    float or None
        Gamma; None if none was given. Several raise ValueError.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.gamma_from(None, 1.0, None)
    0.5
    """
    widths = {"gamma": gamma, "sigma": sigma, "t": t}
    given = {name: value for name, value in widths.items() if value is not None}
    if len(given) > 1:
        raise ValueError(
            f"the Gaussian width was given {len(given)} times ({', '.join(given)}); "
            "give exactly one of gamma, sigma, t"
        )
    for name, value in given.items():
        if not np.isfinite(value) or value <= 0:
            raise ValueError(f"{name} must be a positive finite number; got {value!r}")
    if sigma is not None:
        return 1.0 / (2.0 * sigma**2)
    return 1.0 / t if t is not None else gamma


def median_gamma(X: Array) -> float:
    """Return gamma with sigma = the median distance between the points.

    Taken over at most 1,000 points spread evenly through the rows, so that no seed is involved. If
    more than half of the pairs coincide the mean distance stands in, and 1 if all do.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The points.

    Returns
    -------
    float
        The width gamma of exp(-gamma d^2).

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.median_gamma(np.array([[0.0], [1.0]]))
    0.5
    """
    from scipy.spatial.distance import pdist

    refuse_cells(X)
    n = X.shape[0]
    spread = np.unique(np.linspace(0, n - 1, min(n, SAMPLE)).astype(int))
    if sp.issparse(X):
        table = pairwise_distances(X[spread], X[spread])
        distances = table[np.triu_indices(len(spread), 1)]
    else:
        distances = pdist(X[spread])
    if not distances.size or distances.max() == 0.0:
        return 0.5
    sigma = float(np.median(distances)) or float(distances.mean())
    return 1.0 / (2.0 * sigma**2)


def edge_gamma(distances: Array) -> float:
    """Return gamma with t = the mean squared length of a graph's edges (exp(-d^2 / t)).

    A typical edge then weighs 1/e: neither are all edges alike, nor is any cut off.

    Parameters
    ----------
    distances : ndarray
        Lengths of the edges.

    Returns
    -------
    float
        The width gamma of exp(-gamma d^2).

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.edge_gamma(np.array([2.0, 2.0]))
    0.25
    """
    mean_square = float(np.mean(distances**2)) if distances.size else 0.0
    return 1.0 / mean_square if mean_square > 0.0 else 1.0


def _gaussian(kernel: Kernel, A: Array, B: Array) -> Array:
    return _radial(kernel, pairwise_squared_distances(A, B))


def _laplacian(kernel: Kernel, A: Array, B: Array) -> Array:
    return _radial(kernel, pairwise_distances(A, B, "cityblock"))


def _thin_plate(kernel: Kernel, A: Array, B: Array) -> Array:
    """Return r^2 log r with r = d / sigma (Izenman 2013, exercise 16.2): 0 where points are equal.

    It is no inner product: its kernel matrix has eigenvalues of both signs.
    """
    table = pairwise_squared_distances(A, B)
    table *= 2.0 * float(kernel.gamma or 1.0)  # gamma is 1 / (2 sigma^2)
    return np.asarray(0.5 * table * np.log(np.where(table > 0.0, table, 1.0)))


def _radial(kernel: Kernel, table: Array) -> Array:
    """Return exp(-gamma distance), in place, by several threads."""

    def work(rows: slice) -> None:
        strip = table[rows]
        strip *= -float(kernel.gamma or 1.0)
        np.exp(strip, out=strip)

    run_strips(work, len(table), TILE)
    return table


def _of_products(kernel: Kernel, products: Array) -> Array:
    if kernel.name == "linear":
        return products
    if kernel.name == "homogeneous":
        return np.asarray(products**kernel.degree)
    scaled = float(kernel.gamma or 1.0) * products + kernel.coef0
    return np.asarray(scaled**kernel.degree if kernel.name == "polynomial" else np.tanh(scaled))


def _by_products(kernel: Kernel, A: Array, B: Array) -> Array:
    products: Any = A @ B.T
    return _of_products(kernel, products.toarray() if sp.issparse(products) else products)


def _norms(A: Any) -> Array:
    squares = A.multiply(A).sum(axis=1) if sp.issparse(A) else np.einsum("ij,ij->i", A, A)
    return np.sqrt(np.asarray(squares, dtype=np.float64).ravel())


def _cosine(kernel: Kernel, A: Array, B: Array) -> Array:
    """Return the cosines of the angles between rows; a row of zeros has none, and 0 stands in."""
    products: Any = A @ B.T
    table = products.toarray() if sp.issparse(products) else products
    for norms, shape in ((_norms(A), (-1, 1)), (_norms(B), (1, -1))):
        table = table / np.where(norms > 0.0, norms, 1.0).reshape(shape)
    return np.asarray(np.clip(table, -1.0, 1.0))


_FORMULAS: dict[str, Callable[[Kernel, Array, Array], Array]] = {
    "linear": _by_products,
    "homogeneous": _by_products,
    "polynomial": _by_products,
    "sigmoid": _by_products,
    "cosine": _cosine,
    "gaussian": _gaussian,
    "laplacian": _laplacian,
    "thin-plate": _thin_plate,
}


def check_symmetric(table: Array, what: str, tolerance: float = 1e-8) -> None:
    """Raise ValueError, naming the worst entry, unless a table is square and symmetric.

    Parameters
    ----------
    table : ndarray
        The table to check.
    what : str
        What it is called in the message.
    tolerance : float, default=1e-8
        Difference that is tolerated, as a share of the largest entry.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.check_symmetric(np.eye(3), "the kernel")
    """
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"{what} must be square; got shape {table.shape}")
    scale = float(np.abs(table).max(initial=0.0))
    gap = np.abs(table - table.T)
    if gap.size and gap.max() > tolerance * scale:
        i, j = (int(index) for index in np.unravel_index(int(gap.argmax()), gap.shape))
        raise ValueError(
            f"{what} must be symmetric, but entry ({i}, {j}) is {table[i, j]:.6g} and ({j}, {i}) "
            f"is {table[j, i]:.6g}; pass (K + K.T) / 2 if that is what you mean"
        )


def is_positive_semidefinite(table: Any, tolerance: float = 1e-10) -> bool:
    """Tell whether a symmetric table is positive semi-definite up to rounding.

    Tried by a Cholesky factorisation of the table with ``tolerance`` times its trace (per point)
    added to the diagonal: it exists exactly if no eigenvalue is below minus that amount.

    Parameters
    ----------
    table : array-like of shape (n_samples, n_samples)
        A symmetric table.
    tolerance : float, default=1e-10
        Size of negative eigenvalues that is tolerated, relative to the mean diagonal entry.

    Returns
    -------
    bool
        Whether the table is the kernel matrix of some points.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.is_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    False
    """
    table = np.asarray(table, dtype=np.float64)
    check_symmetric(table, "the similarity table")
    lift = tolerance * max(float(np.abs(table).max(initial=0.0)), np.finfo(float).tiny) * len(table)
    try:
        np.linalg.cholesky(table + lift * np.eye(len(table)))
    except np.linalg.LinAlgError:
        return False
    return True
