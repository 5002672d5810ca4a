"""Explicit feature maps: the monomials of a point's coordinates, up to or of one degree.

Where a kernel gives the inner products of features, these give the features themselves. The
Veronese map lists all monomials of exactly one degree in degree-lexicographic order (Vidal, Ma,
Sastry 2016, section 4.1.1); ``monomials`` lists those of all degrees from one on, as polynomial PCA
extends a point (Izenman 2013, section 16.2).
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from scipy.special import comb as binomial

from ..values import Array


def veronese(X: Any, degree: int, scaled: bool = False) -> Array:
    """Return all monomials of exactly ``degree`` of each row: x1^n, x1^(n-1) x2, ..., xD^n.

    There are C(n + D - 1, n) of them.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    degree : int
        Degree n of the monomials.
    scaled : bool, default=False
        Multiply each by the root of its multinomial coefficient, so that inner products of features
        are (x'y)^n: the homogeneous kernel.

    Returns
    -------
    ndarray of shape (n_samples, n_monomials)
        The monomials.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.veronese([[2.0, 3.0]], 2)
    array([[4., 6., 9.]])
    """
    variables = _checked(X, degree)
    products = variables.copy()
    for reached in range(1, degree):
        products = _raised(products, variables, reached, np.multiply)
    if scaled:
        products *= np.sqrt(_multinomials(veronese_exponents(len(variables), degree)))[:, None]
    return products.T


def veronese_exponents(n_features: int, degree: int) -> Array:
    """Return the exponents of the Veronese map.

    Parameters
    ----------
    n_features : int
        Number of variables.
    degree : int
        Degree of the monomials.

    Returns
    -------
    ndarray of shape (n_monomials, n_features)
        One row per monomial, one column per variable.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.veronese_exponents(2, 2).tolist()
    [[2, 0], [1, 1], [0, 2]]
    """
    powers = ones = np.eye(n_features, dtype=int)
    for reached in range(1, degree):
        powers = _raised(powers, ones, reached, np.add)
    return powers


def monomials(X: Any, degree: int) -> Array:
    """Return all monomials of degree 1 to ``degree`` of each row (Izenman 2013, section 16.2).

    By degree; within a degree those of fewer variables first, then lexicographic. For degree 2 that
    is the book's order: the variables, their squares, their cross-products.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    degree : int
        Highest degree.

    Returns
    -------
    ndarray of shape (n_samples, n_monomials)
        The monomials.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.monomials([[2.0, 3.0]], 2)
    array([[2., 3., 4., 9., 6.]])
    """
    variables = _checked(X, degree)
    blocks, products = [variables], variables
    powers = ones = np.eye(len(variables), dtype=int)
    for reached in range(1, degree):
        products = _raised(products, variables, reached, np.multiply)
        powers = _raised(powers, ones, reached, np.add)
        blocks.append(products[_pure_first(powers)])
    return np.concatenate(blocks).T


def monomial_exponents(n_features: int, degree: int) -> Array:
    """Return the exponents of ``monomials``.

    Parameters
    ----------
    n_features : int
        Number of variables.
    degree : int
        Highest degree.

    Returns
    -------
    ndarray of shape (n_monomials, n_features)
        One row per monomial, one column per variable.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.monomial_exponents(2, 2).tolist()
    [[1, 0], [0, 1], [2, 0], [0, 2], [1, 1]]
    """
    powers = ones = np.eye(n_features, dtype=int)
    blocks = [powers]
    for reached in range(1, degree):
        powers = _raised(powers, ones, reached, np.add)
        blocks.append(powers[_pure_first(powers)])
    return np.concatenate(blocks)


def n_monomials(n_features: int, degree: int) -> int:
    """Return how many monomials of degree 1 to ``degree`` there are; 2 r + r (r - 1) / 2 for 2.

    Parameters
    ----------
    n_features : int
        Number of variables r.
    degree : int
        Highest degree.

    Returns
    -------
    int
        The number of monomials.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.n_monomials(3, 2)
    9
    """
    return comb(n_features + degree, degree) - 1


def _raised(rows: Array, variables: Array, degree: int, join: np.ufunc) -> Array:
    """Return the monomials of the next degree, in order, from those of ``degree``, one per row.

    A monomial that begins with x_j is x_j times one whose variables are x_j or later, and these
    are the last ones of the list: one multiplication per monomial (of exponents, one addition).
    """
    n_features = len(variables)
    tails = (rows[_first_without(j, n_features, degree) :] for j in range(n_features))
    return np.concatenate([join(tail, variables[j]) for j, tail in enumerate(tails)])


def _first_without(variable: int, n_features: int, degree: int) -> int:
    """Return the place of the first monomial that has none of the variables before this one."""
    later = n_features - variable
    return comb(n_features + degree - 1, degree) - comb(later + degree - 1, degree)


def _pure_first(powers: Array) -> Array:
    return np.argsort(np.count_nonzero(powers, axis=1), kind="stable")


def _multinomials(powers: Array) -> Array:
    """Return degree! / (product of the exponents' factorials), as a product of binomials."""
    return np.asarray(binomial(np.cumsum(powers, axis=1), powers).prod(axis=1))


def _checked(X: Any, degree: int) -> Array:
    """Return the variables, one per row: products of rows are contiguous."""
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"X must have one row per point; got an array of shape {points.shape}")
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise ValueError(f"degree must be a whole number of at least 1; got {degree!r}")
    return np.ascontiguousarray(points.T)
