"""Angles kept: the combination of known vectors that is most nearly a similarity everywhere.

Every neighbourhood i may be scaled by a factor s_i of its own. The program

    minimise  Σ_i Σ_jk ( |z_j - z_k|² - s_i |x_j - x_k|² )²   over  z = L y,  P = L'L,  tr(P) = 1

looks for the linear map L of the vectors y that keeps angles best (Sha and Saul 2005). For given P
the best factors are known, and what is left is a quadratic function of P alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..values import Array
from .combination import half_vectorize, solve_combination

AT_ONCE = 2**21  # numbers of pairs by products of vectors that are held at a time
RIDGE = 1e-12  # of the mean: where the vectors keep angles exactly there is no curvature left


@dataclass(frozen=True, slots=True)
class ConformalMap:
    """How much of each vector the coordinates take, and the spectrum of P, which sums to one.

    ``weights`` (n_vectors, n_vectors) holds a coordinate per column, most variance first;
    ``misfit`` is the share of the squared distances that no similarity explains.
    """

    values: Array
    weights: Array
    misfit: float
    steps: int


def keep_angles(
    vectors: Array, neighborhoods: Iterable[tuple[Array, Array]], tolerance: float, max_steps: int
) -> ConformalMap:
    """Return the combination of vectors that keeps the angles within neighbourhoods best.

    Parameters
    ----------
    vectors : ndarray of shape (n_points, n_vectors)
        What is combined, each of unit variance.
    neighborhoods : iterable of pairs of ndarray
        Batches of neighbourhoods: the points of each (b, m), and their squared distances
        (b, m, m).
    tolerance : float
        Relative gap at which the program is solved.
    max_steps : int
        Steps of the interior-point method.

    Returns
    -------
    ConformalMap
        The combination.
    """
    size = vectors.shape[1]
    quadratic = np.zeros((size * (size + 1) // 2,) * 2)
    whole = np.zeros_like(quadratic)
    for points, squared in neighborhoods:
        left, right = np.triu_indices(points.shape[1], 1)
        chunk = max(1, AT_ONCE // (len(left) * size**2))
        for start in range(0, len(points), chunk):
            rows = points[start : start + chunk]
            steps = vectors[rows[:, left]] - vectors[rows[:, right]]
            products = half_vectorize(steps[..., :, None] * steps[..., None, :])
            lengths = squared[start : start + chunk, left, right]
            added, taken = _misfit(products, lengths)
            quadratic += added - taken
            whole += added
    mean = float(np.trace(whole)) / len(whole)
    quadratic[np.diag_indices_from(quadratic)] += RIDGE * mean
    nothing = np.zeros(len(quadratic))
    found = solve_combination(
        quadratic, nothing, unit_trace=True, tolerance=tolerance, max_steps=max_steps
    )
    matrix = found.state
    values, axes = np.linalg.eigh(matrix)
    values = np.maximum(values[::-1], 0.0)
    flat = half_vectorize(matrix)
    misfit = float(flat @ quadratic @ flat) / max(float(flat @ whole @ flat), 1e-300)
    return ConformalMap(values, axes[:, ::-1] * np.sqrt(values), misfit, found.steps)


def _misfit(products: Array, lengths: Array) -> tuple[Array, Array]:
    """Return the squares of all products, and what scaled squared distances explain of them."""
    flat = products.reshape(-1, products.shape[-1])
    along = np.einsum("bp,bpf->bf", lengths, products)
    norms = np.sqrt(np.maximum(np.square(lengths).sum(axis=1), 1e-300))[:, None]
    explained = along / norms
    return flat.T @ flat, explained.T @ explained
