"""How functions on data spread and bend: heat flow along a graph, and curviness."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import expm_multiply

from .. import distances, problem
from ..values import Array

BATCH = 2_000  # neighbourhoods whose quadratics are fitted together


def heat_flow(weights: Any, values: Any, t: float, *, normalized: bool = False) -> Array:
    """Return a function on a graph after heat has flowed along its edges for a time.

    Solves du/dt = -L u with L = D - W, or I - D^-1 W (Belkin and Niyogi 2001, eqs. 8-10): the
    solution is exp(-t L) u.

    Parameters
    ----------
    weights : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric weights of the edges, none negative.
    values : array-like of shape (n_samples,) or (n_samples, n_functions)
        The function at time 0.
    t : float
        Time.
    normalized : bool, default=False
        Whether heat flows as a random walk goes, by I - D^-1 W.

    Returns
    -------
    ndarray of the shape of ``values``
        The function at time t.

    Examples
    --------
    >>> from unspool import heat_flow
    >>> heat_flow([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], 100.0).round(6)
    array([0.5, 0.5])
    """
    table = sp.csr_array(weights, dtype=np.float64)
    heights = np.asarray(values, dtype=np.float64)
    if table.shape[0] != table.shape[1] or len(heights) != table.shape[0]:
        raise ValueError(
            f"weights must be square, with a row for each value; got shapes {table.shape} and "
            f"{heights.shape}"
        )
    if not np.isfinite(t) or t < 0.0:
        raise ValueError(f"t must be a time of at least 0; got {t!r}")
    if table.nnz and table.data.min() < 0.0:
        raise ValueError("weights must not be negative")
    degrees = np.asarray(table.sum(axis=1)).ravel()
    laplacian = sp.diags_array(degrees) - table
    if normalized:
        laplacian = sp.diags_array(1.0 / np.where(degrees > 0.0, degrees, 1.0)) @ laplacian
    flow = -float(t) * sp.csr_array(laplacian)
    return np.asarray(expm_multiply(flow, heights, traceA=float(flow.trace())))


def curviness(values: Any, X: Any, n_components: int = 2, n_neighbors: int = 15) -> float:
    """Return how much a function on a manifold bends: the mean squared size of its Hessian.

    In the neighbourhood of each point a quadratic of the tangent coordinates is fitted to the
    function; the squares of its second derivatives are added up, and averaged over the points
    (Izenman 2013, eqs. 16.51-16.52). Constants and coordinates that are isometric have none.

    Parameters
    ----------
    values : array-like of shape (n_samples,)
        The function at each point.
    X : array-like of shape (n_samples, n_features)
        The points.
    n_components : int, default=2
        Dimension of the manifold.
    n_neighbors : int, default=15
        Neighbours that a quadratic is fitted to.

    Returns
    -------
    float
        The average over the points of the sum of squared second derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import curviness
    >>> plane = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    >>> round(curviness(plane[:, 0] ** 2 + plane[:, 1], plane), 6)
    4.0
    """
    points, heights = np.asarray(X, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if points.ndim != 2 or heights.shape != (len(points),):
        raise ValueError(
            f"values must be one number a point; got shapes {heights.shape} and {points.shape}"
        )
    needed = problem.members_needed(n_components) - 1
    if n_neighbors < needed:
        raise ValueError(f"n_neighbors={n_neighbors} fit no quadratic; use at least {needed}")
    near = distances.neighbor_graph(points, n_neighbors).neighbors.reshape(len(points), -1)
    members = np.column_stack([np.arange(len(points)), near])
    sums = [
        _squared_hessians(points[rows], heights[rows], n_components)
        for rows in np.array_split(members, max(1, len(members) // BATCH))
    ]
    return float(np.concatenate(sums).mean())


def _squared_hessians(clouds: Array, heights: Array, n_components: int) -> Array:
    """Return the sum of squared second derivatives of the quadratic of each neighbourhood."""
    clouds = clouds - clouds.mean(axis=1, keepdims=True)
    unit = problem.tangent_coordinates(clouds, n_components)
    lengths = np.linalg.norm(np.swapaxes(clouds, 1, 2) @ unit, axis=1)
    tangents = unit * lengths[:, None, :]
    size = np.maximum(np.abs(tangents).max(axis=(1, 2)), 1e-300)  # of each neighbourhood
    tangents = tangents / size[:, None, None]
    first, second = np.triu_indices(n_components)
    halves = np.where(first == second, 0.5, 1.0)
    quadratic = tangents[:, :, first] * tangents[:, :, second] * halves
    design = np.concatenate([np.ones((*heights.shape, 1)), tangents, quadratic], axis=2)
    found = (np.linalg.pinv(design) @ heights[:, :, None])[:, 1 + n_components :, 0]
    twice = np.where(first == second, 1.0, 2.0)  # a mixed derivative stands in two places
    return np.asarray((twice * found**2).sum(axis=1) / size**4)
