"""How many random directions keep all distances, how surely, and whether they did (S3 15.4)."""

from __future__ import annotations

from math import ceil, exp, log
from typing import Literal

from ._distortions import distortions

__all__ = [
    "distortions",
    "johnson_lindenstrauss_dimension",
    "projection_success_probability",
    "projection_tail_probability",
]


def johnson_lindenstrauss_dimension(
    n: int, eps: float, bound: Literal["mohri", "dasgupta-gupta"] = "dasgupta-gupta"
) -> int:
    """Return in how many dimensions ``n`` points fit with squared distances within 1 +- ``eps``.

    "mohri" is k = 20 log n / eps^2 (S3 Lemma 15.4; eps below 1/2, more than 4 points), rounded up.
    "dasgupta-gupta" is k = 4 log n / (eps^2 / 2 - eps^3 / 3) (2003; eps below 1), rounded down as
    scikit-learn does, which computes it. Neither depends on the dimension of the points.

    >>> johnson_lindenstrauss_dimension(10_000, 0.1, "mohri")
    18421
    >>> johnson_lindenstrauss_dimension(10_000, 0.1, "dasgupta-gupta")
    7894
    """
    if bound == "mohri":
        _check_lemma(eps, n)
        return ceil(20.0 * log(n) / eps**2)
    if bound != "dasgupta-gupta":
        raise ValueError(f"unknown bound {bound!r}; use 'mohri' or 'dasgupta-gupta'")
    from sklearn.random_projection import johnson_lindenstrauss_min_dim

    _check_eps(eps, 1.0, "the bound of Dasgupta and Gupta")
    _check_whole(n, "n", 2)
    return max(1, int(johnson_lindenstrauss_min_dim(n, eps=eps)))


def projection_tail_probability(n_components: int, eps: float) -> float:
    """Bound the probability that one squared length leaves 1 +- ``eps``: 2 e^(-(eps^2 - eps^3)k/4).

    For k = ``n_components`` Gaussian directions divided by sqrt(k), whatever the vector (S3 Lemma
    15.3); the same bounds a chi-square variable with k degrees of freedom leaving k (1 +- eps)
    (Lemma 15.2). At most 1, where the formula says nothing.
    """
    _check_lemma(eps)
    _check_whole(n_components, "n_components", 1)
    return min(1.0, 2.0 * exp(-(eps**2 - eps**3) * n_components / 4.0))


def projection_success_probability(n: int, eps: float, n_components: int | None = None) -> float:
    """Bound from below the probability that a random map keeps all pairs of ``n`` points.

    To 1 +- ``eps`` of their squared distance: 1 - 2 n^2 e^(-(eps^2 - eps^3)k/4) (S3 Lemma 15.4).
    With k = 20 log n / eps^2, which is taken unless ``n_components`` is given, that is
    1 - 2 n^(5 eps - 3), above 1 - 2 / sqrt(n). At least 0, where the formula says nothing.
    """
    _check_lemma(eps, n)
    if n_components is None:
        return float(1.0 - 2.0 * n ** (5.0 * eps - 3.0))
    _check_whole(n_components, "n_components", 1)
    exponent = 2.0 * log(n) - (eps**2 - eps**3) * n_components / 4.0
    return max(0.0, 1.0 - 2.0 * exp(min(exponent, 0.0)))


def _check_lemma(eps: float, n: int | None = None) -> None:
    _check_eps(eps, 0.5, "the Johnson-Lindenstrauss lemma of S3 15.4")
    if n is not None:
        _check_whole(n, "n", 5)


def _check_eps(eps: float, below: float, what: str) -> None:
    if not 0.0 < eps < below:
        raise ValueError(f"{what} holds for eps between 0 and {below:g}, both excluded; got {eps}")


def _check_whole(value: int, name: str, at_least: int) -> None:
    if isinstance(value, bool) or int(value) != value or value < at_least:
        raise ValueError(f"{name} must be a whole number of at least {at_least}; got {value!r}")
