"""Commute times of the random walk on a weighted graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import problem
from ..runtime import claim
from ..spectrum import solve
from ..values import Array


def commute_time_distances(weights: Any) -> Array:
    """Return the expected number of steps of a walk from i to j and back, for all pairs.

    c(i, j) = vol (L+_ii + L+_jj - 2 L+_ij) with L+ the pseudo-inverse of D - W and vol the sum of
    all weights (Mohri et al. 2012, section 15.3.2; Izenman 2013, eq. 16.58).

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric, non-negative weights of a connected graph.

    Returns
    -------
    ndarray of shape (n_samples, n_samples)
        The commute times.

    Examples
    --------
    >>> from unspool import commute_time_distances
    >>> commute_time_distances([[0.0, 1.0], [1.0, 0.0]]).round(12)
    array([[0., 2.],
           [2., 0.]])
    """
    table = sp.csr_array(weights, dtype=np.float64)
    n = table.shape[0]
    if table.shape[0] != table.shape[1] or abs(table - table.T).max() > 1e-10 * abs(table).max():
        raise ValueError("weights must be a square symmetric table")
    claim(3 * n * n * 8, f"the {n} x {n} commute times", "take a sample of the points")
    spectrum = solve(problem.laplacian(table, "unnormalized"), n - 1)
    if spectrum.values[0] <= 1e-12 * spectrum.values[-1]:
        raise ValueError("the graph is not connected, so some commute times are infinite")
    scaled = spectrum.vectors / np.sqrt(spectrum.values)
    own = np.square(scaled).sum(axis=1)
    times = own[:, None] + own[None, :] - 2.0 * (scaled @ scaled.T)
    np.fill_diagonal(times, 0.0)
    return np.asarray(np.maximum(times, 0.0) * table.sum())
