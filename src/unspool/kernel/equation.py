"""The implicit equation of a component, written so that a person can read it.

A component says that a combination of monomials is constant on the data. Any multiple of it says
the same, and digits that change its value by far less than it varies anyway say nothing. So of all
scalings and roundings that keep to the component, the one with the shortest text is chosen: whole
numbers come out where they are there, and nothing is made up where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array

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
    """Return the equation ``vector . (monomials - mean) = 0`` in its shortest form.

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
