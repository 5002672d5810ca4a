"""Explicit feature maps: monomials of a point's coordinates, and Nystroem's of any kernel.

Where a kernel gives the inner products of features, these give the features themselves. The
Veronese map lists all monomials of exactly one degree in degree-lexicographic order (Vidal, Ma,
Sastry 2016, section 4.1.1); ``monomials`` lists those of all degrees from one on, as polynomial PCA
extends a point (Izenman 2013, section 16.2).

The equation of a component is written so that a person can read it. A component says that a
combination of monomials is constant on the data. Any multiple of it says the same, and digits that
change its value by far less than it varies anyway say nothing. So of all scalings and roundings
that keep to the component, the one with the shortest text is chosen: whole numbers come out where
they are there, and nothing is made up where they are not.

Nystroem's features are those of a kernel table that is known by a few of its columns, K ~ C W^+ C'
(Mohri et al. 2012, exercise 15.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
import scipy.linalg
from scipy.special import comb as binomial

from ..runtime import limit_blas_threads, run_strips, stage
from ..values import Array, Similarity, refuse_cells


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


def veronese_gradients(X: Any, degree: int) -> Array:
    """Return the derivatives of all monomials of the Veronese map by each variable.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The points.
    degree : int
        Degree of the monomials.

    Returns
    -------
    ndarray of shape (n_features, n_samples, n_monomials)
        One table of derivatives per variable.

    Examples
    --------
    >>> from unspool import kernel
    >>> kernel.veronese_gradients([[2.0, 3.0]], 2).tolist()
    [[[4.0, 3.0, 0.0]], [[0.0, 2.0, 6.0]]]
    """
    variables = _checked(X, degree)
    width, n = variables.shape
    powers = veronese_exponents(width, degree)
    lower = veronese(X, degree - 1) if degree > 1 else np.ones((n, 1))
    fewer = veronese_exponents(width, degree - 1) if degree > 1 else np.zeros((1, width), int)
    place = {tuple(row): number for number, row in enumerate(fewer.tolist())}
    found = np.zeros((width, n, len(powers)))
    for variable in range(width):
        having = np.flatnonzero(powers[:, variable])
        reduced = powers[having] - np.eye(width, dtype=int)[variable]
        columns = [place[tuple(row)] for row in reduced.tolist()]
        found[variable][:, having] = lower[:, columns] * powers[having, variable]
    return found


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
    width, n = variables.shape
    table, filled = np.empty((n_monomials(width, degree), n)), width
    products = table[:width] = variables
    powers = ones = np.eye(width, dtype=int)
    for reached in range(1, degree):
        products = _raised(products, variables, reached, np.multiply)
        powers = _raised(powers, ones, reached, np.add)
        block = table[filled : filled + len(products)]
        np.take(products, _pure_first(powers), axis=0, out=block, mode="clip")
        filled += len(products)
    return table.T


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
    refuse_cells(X)
    points = np.asarray(X, dtype=np.float64)
    if points.ndim != 2:
        raise ValueError(f"X must have one row per point; got an array of shape {points.shape}")
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise ValueError(f"degree must be a whole number of at least 1; got {degree!r}")
    return np.ascontiguousarray(points.T)


SHARE = 0.25  # of the residual may change by rounding: adds 3 % to it, in root mean square
EXACT = 1e-8  # of the largest term's variation may change where the residual is nothing
LAST_DIGITS = 1e-13  # of the largest term's size may change: that is how far it is known
NEAR = 0.01  # of the coefficients' length: rounding never leads to another component
UNITS = 12  # terms tried as the one whose coefficient becomes whole, the largest ones
FRACTIONS = 3  # characters that having any counts for: 9 and 4 are easier than 2.25 and 1
MULTIPLES = np.arange(1, 13)
DECIMALS = np.arange(11)


@dataclass(frozen=True, slots=True)
class Equation:
    """A polynomial equation ``sum of coefficient * monomial + constant = 0`` that data fulfil.

    Terms are in dictionary order. ``exponents[i][j]`` is the power of variable j in term i, and
    ``residual`` the root mean square of the left side, as it is printed, over the fitted points.
    Call it on points to get its left side there.
    """

    coefficients: tuple[float, ...]
    exponents: tuple[tuple[int, ...], ...]
    constant: float
    names: tuple[str, ...]
    residual: float

    def __call__(self, X: Any) -> Array:
        """Return the left side at each row of ``X``: zero on the surface, signed off it."""
        points = np.asarray(X, dtype=np.float64)
        if points.ndim != 2 or points.shape[1] != len(self.names):
            raise ValueError(
                f"X must have {len(self.names)} columns, one a variable; got shape {points.shape}"
            )
        left = np.full(len(points), self.constant)
        for coefficient, powers in zip(self.coefficients, self.exponents, strict=True):
            left += coefficient * np.prod(points**powers, axis=1)
        return left

    @property
    def terms(self) -> tuple[str, ...]:
        """The monomials as they are printed, one a coefficient."""
        return tuple(monomial_name(powers, self.names) for powers in self.exponents)

    def __str__(self) -> str:
        return _text(self.coefficients, self.terms, self.constant) + " = 0"


def monomial_name(powers: Sequence[int], names: Sequence[str]) -> str:
    """Return a monomial as Python writes it: ``x1*x2**2``."""
    factors = zip(powers, names, strict=True)
    return "*".join(name if p == 1 else f"{name}**{p}" for p, name in factors if p)


def readable_equation(
    vector: Array, *, mean: Array, spread: Array, exponents: Array, names: Any = None
) -> Equation:
    """Return the equation ``vector @ (monomials - mean) = 0`` in its shortest form.

    Parameters
    ----------
    vector : ndarray of shape (n_monomials,)
        Coefficients of the monomials.
    mean : ndarray of shape (n_monomials,)
        Mean of the monomials.
    spread : ndarray of shape (n_axes, n_monomials)
        Turns coefficients into the values they give on the data: the norm of ``spread @ c`` is the
        standard deviation of the combination c of the monomials.
    exponents : ndarray of shape (n_monomials, n_features)
        Exponents of the monomials.
    names : sequence of str or None, default=None
        Names of the variables; None is x1, x2, ...

    Returns
    -------
    Equation
        The equation; it prints as Python writes it.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> exponents = kernel.monomial_exponents(2, 1)
    >>> nothing = np.zeros(2)
    >>> line = np.array([1.0, -2.0])
    >>> print(kernel.readable_equation(line, mean=nothing, spread=np.eye(2), exponents=exponents))
    x1 - 2*x2 = 0
    """
    if names is None:
        names = [f"x{i + 1}" for i in range(exponents.shape[1])]
    order = sorted(range(len(vector)), key=lambda term: _spelled(exponents[term]))
    vector, mean, spread, exponents = vector[order], mean[order], spread[:, order], exponents[order]
    labels = [monomial_name(powers, names) for powers in exponents]
    forms = list(_roundings(vector, mean, spread)) or [_unrounded(vector, mean)]
    chosen, constant = min(forms, key=lambda form: _difficulty(form[0], labels, form[1]))
    used = np.flatnonzero(chosen)
    sign = -1.0 if used.size and chosen[used[0]] < 0 else 1.0
    off_center = constant + chosen @ mean
    return Equation(
        coefficients=tuple(float(sign * c) for c in chosen[used]),
        exponents=tuple(tuple(int(p) for p in powers) for powers in exponents[used]),
        constant=float(sign * constant) + 0.0,  # + 0.0: no negative zero
        names=tuple(str(name) for name in names),
        residual=float(np.hypot(np.linalg.norm(spread @ chosen), off_center)),
    )


def _roundings(vector: Array, mean: Array, spread: Array) -> Iterator[tuple[Array, float]]:
    """Yield (coefficients, constant) of each scaling, with the fewest decimals that keep to it."""
    sizes = np.abs(vector) * np.linalg.norm(spread, axis=0)
    bound = SHARE * np.linalg.norm(spread @ vector) + EXACT * sizes.max()
    bound += LAST_DIGITS * float(np.max(sizes + np.abs(vector * mean)))
    for unit in np.abs(vector[_largest(sizes, vector, bound)]):
        rounded = _to_decimals((MULTIPLES / unit)[:, None, None] * vector, DECIMALS[:, None])
        back = (unit / MULTIPLES)[:, None]
        moved = rounded * back[:, :, None] - vector
        near = np.linalg.norm(moved, axis=2) <= NEAR * np.linalg.norm(vector)
        change = np.linalg.norm(moved @ spread.T, axis=2)
        constants = _to_decimals(-(rounded @ mean)[:, :, None], DECIMALS)
        shift = (constants + (rounded @ mean)[:, :, None]) * back[:, :, None]
        holds = (np.hypot(change[:, :, None], shift) <= bound) & near[:, :, None]
        for multiple in np.flatnonzero(holds.any(axis=(1, 2))):
            fewest = int(np.argmax(holds[multiple].any(axis=1)))
            of_constant = int(np.argmax(holds[multiple, fewest]))
            yield rounded[multiple, fewest], float(constants[multiple, fewest, of_constant])


def _largest(sizes: Array, vector: Array, bound: float) -> Array:
    """Return the terms that matter most; where none varies, the one of largest coefficient."""
    if sizes.max() <= bound:
        return np.array([np.abs(vector).argmax()])
    terms = np.argsort(-sizes, kind="stable")[:UNITS]
    return terms[sizes[terms] > bound]


def _to_decimals(numbers: Array, decimals: Array) -> Array:
    powers = 10.0**decimals
    return np.asarray(np.rint(numbers * powers) / powers)


def _unrounded(vector: Array, mean: Array) -> tuple[Array, float]:
    largest = vector / np.abs(vector).max()
    return largest, float(-largest @ mean)


def _spelled(powers: Array) -> tuple[int, ...]:
    """Return the variables of a monomial in a row, by which terms are put in dictionary order."""
    return tuple(np.repeat(np.arange(len(powers)), powers).tolist())


def _difficulty(coefficients: Array, labels: Sequence[str], constant: float) -> tuple[int, float]:
    """Return how hard a form is to read: its length, then the size of its numbers."""
    used = np.flatnonzero(coefficients)
    text = _text(coefficients[used].tolist(), [labels[int(term)] for term in used], constant)
    return len(text) + FRACTIONS * ("." in text), float(np.abs(coefficients).sum())


def _text(coefficients: Sequence[float], terms: Sequence[str], constant: float) -> str:
    parts = [
        (c, term if abs(c) == 1.0 else f"{abs(c):.15g}*{term}")
        for c, term in zip(coefficients, terms, strict=True)
    ]
    if constant != 0.0 or not parts:
        parts.append((constant, f"{abs(constant):.15g}"))
    text = "".join(f" {'-' if c < 0 else '+'} {part}" for c, part in parts)
    return text[3:] if text.startswith(" +") else "-" + text[3:]


INDEFINITE = 1e-8  # of the largest: rounding leaves values less negative
BLOCK_BYTES = 64 * 2**20
FEATURE_ROWS, STRIP = 1 << 13, 1 << 9  # rows whose columns are made together, and multiplied
DRAWN_FROM = 12_000  # points that landmarks are drawn from, at most,
DRAWN_PER_LANDMARK = 40  # or so many for each, if that is more


def pivoted_cholesky(kernel: Similarity, X: Array, count: int, seed: int = 0) -> Array:
    """Return ``count`` landmarks drawn by accelerated randomly pivoted Cholesky.

    A point is drawn with probability proportional to what is left of its diagonal entry after the
    columns so far (Chen, Epperly, Tropp, Webber 2023); proposals come in blocks and are accepted
    one by one by rejection, which gives the same law with matrix products instead of single
    columns (2024). Of very many points, a uniform sample stands for all: it has dozens of points
    for each landmark.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    count : int
        Number of landmarks.
    seed : int, default=0
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Row indices of the landmarks.

    Examples
    --------
    >>> from unspool import datasets, kernel
    >>> gaussian = kernel.Kernel("gaussian", gamma=1.0)
    >>> len(kernel.pivoted_cholesky(gaussian, datasets.circle(100).points, 5))
    5
    """
    rng = np.random.default_rng(seed)
    most = max(DRAWN_FROM, DRAWN_PER_LANDMARK * count)
    if len(X) > most:
        sample = np.sort(rng.choice(len(X), most, replace=False))
        return np.asarray(sample[_drawn(kernel, X[sample], count, rng)])
    return _drawn(kernel, X[:], count, rng)


def _drawn(kernel: Similarity, X: Array, count: int, rng: np.random.Generator) -> Array:
    left = np.array(kernel.diagonal(X), dtype=np.float64)
    largest, total = float(np.abs(left).max()), float(left.sum())
    check_definite(left, largest, "k(x, x)")
    factor = np.zeros((len(X), count))
    chosen: list[int] = []
    with stage("landmarks", total=count) as running, limit_blas_threads():
        while len(chosen) < count and left.sum() > 1e-13 * total:
            proposals = rng.choice(len(X), max(8, count // 10), p=left / left.sum())
            accepted = _accept(kernel, X, factor[:, : len(chosen)], proposals, rng)
            accepted = accepted[: count - len(chosen)]
            fresh = _columns(kernel, X, factor[:, : len(chosen)], accepted)
            factor[:, len(chosen) : len(chosen) + len(accepted)] = fresh
            chosen.extend(int(point) for point in accepted)
            left = left - np.square(fresh).sum(axis=1)
            check_definite(left, largest, "what the landmarks leave of k(x, x)")
            left = np.maximum(left, 0.0)
            left[chosen] = 0.0
            running.advance(len(accepted))
    return np.array(chosen, dtype=np.intp)


def check_definite(values: Array, largest: float, what: str) -> None:
    """Raise ValueError if one of the values shows that a kernel is not positive semi-definite.

    Parameters
    ----------
    values : ndarray
        Values that no kernel makes negative: entries of a diagonal, or eigenvalues.
    largest : float
        Size that rounding is measured by.
    what : str
        What the values are, for the message.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> kernel.check_definite(np.array([2.0, 0.0, -1e-12]), 2.0, "an eigenvalue")
    """
    lowest = float(values.min(initial=0.0))
    if lowest < -INDEFINITE * largest:
        raise ValueError(
            f"the kernel is not positive semi-definite ({what} reaches {lowest:.3g}), and "
            "landmarks need one that is; leave n_landmarks and landmarks out to decompose the "
            "table of all pairs, or use another kernel"
        )


def features(kernel: Similarity, X: Array, landmarks: Array, inverse_root: Array) -> Array:
    """Return F = C W^(-1/2) of points: their Nystroem features, with F F' = C W^+ C'.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    landmarks : ndarray of shape (n_landmarks, n_features)
        The landmarks.
    inverse_root : ndarray of shape (n_landmarks, rank)
        W^(-1/2) of the table W of the landmarks.

    Returns
    -------
    ndarray of shape (n_samples, rank)
        The features.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> points = np.array([[1.0], [2.0]])
    >>> kernel.features(lambda X, Y: X @ Y.T, points, points[:1], np.ones((1, 1)))
    array([[1.],
           [2.]])
    """
    table = np.empty((len(X), inverse_root.shape[1]))
    columns: Array

    def work(rows: slice) -> None:
        np.matmul(columns[rows], inverse_root, out=block[rows])

    with limit_blas_threads():  # threads of BLAS's own would spin while the next columns are made
        for first in range(0, len(X), FEATURE_ROWS):
            block = table[first : first + FEATURE_ROWS]
            columns = kernel(X[first : first + FEATURE_ROWS], landmarks)
            run_strips(work, len(block), STRIP)
    return table


def nystroem_error(kernel: Similarity, X: Array, landmarks: Array) -> float:
    """Return |K - C W^+ C'|_F over all pairs, block by block: K itself is never held.

    Equals |K_22 - K_21 W^+ K_21'|_F (Mohri et al. 2012, exercise 15.4 a).

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` gives the table of kernel values.
    X : ndarray of shape (n_samples, n_features)
        The points.
    landmarks : ndarray of int
        Row indices of the landmarks.

    Returns
    -------
    float
        The error in the Frobenius norm.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import kernel
    >>> points = np.array([[1.0], [2.0], [3.0]])
    >>> round(kernel.nystroem_error(lambda X, Y: X @ Y.T, points, np.array([0])), 9)
    0.0
    """
    others = np.setdiff1d(np.arange(len(X)), landmarks)
    square = 0.0
    inner = np.linalg.pinv(kernel(X[landmarks], X[landmarks]), rcond=1e-13, hermitian=True)
    columns = kernel(X[others], X[landmarks])
    step = max(1, BLOCK_BYTES // (8 * max(1, len(others))))
    for first in range(0, len(others), step):
        rows = slice(first, first + step)
        gap = kernel(X[others[rows]], X[others]) - columns[rows] @ inner @ columns.T
        square += float(np.square(gap).sum())
    return float(np.sqrt(square))


def _accept(
    kernel: Similarity, X: Array, factor: Array, proposals: Array, rng: np.random.Generator
) -> Array:
    """Return the proposals that survive: each with the share of its entry that others left over."""
    gram = kernel(X[proposals], X[proposals]) - factor[proposals] @ factor[proposals].T
    start = np.diag(gram).copy()
    kept: list[int] = []
    for i in range(len(proposals)):
        if gram[i, i] > 1e-12 * start[i] > 0.0 and rng.random() * start[i] <= gram[i, i]:
            kept.append(i)
            column = gram[i:, i] / np.sqrt(gram[i, i])
            gram[i:, i:] -= np.outer(column, column)
    return np.asarray(proposals[kept])


def _columns(kernel: Similarity, X: Array, factor: Array, accepted: Array) -> Array:
    """Return the new columns of the Cholesky factor for the accepted landmarks."""
    rest = kernel(X, X[accepted]) - factor @ factor[accepted].T
    block = rest[accepted]
    triangle = np.linalg.cholesky(block + 1e-14 * np.trace(block) * np.eye(len(block)))
    return np.asarray(scipy.linalg.solve_triangular(triangle, rest.T, lower=True).T)
