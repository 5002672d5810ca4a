"""How many coordinates the data need: intrinsic dimension, with its spread and point by point.

``intrinsic_dimension(X)`` asks all estimators and prints a table. One by one: ``levina_bickel``,
``two_nearest``, ``correlation_dimension``, ``local_pca``, ``elbow_of_patches`` and
``eigengap_of_patches`` take points; ``elbow``, ``elbow_of_map`` and ``eigengap`` read the result of
a method, and tell how many coordinates its *map* needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..runtime import stage
from ..values import Metric
from .elbow import (
    Patches,
    cut_patches,
    eigengap,
    eigengap_of,
    eigengap_of_patches,
    elbow,
    elbow_of,
    elbow_of_map,
    elbow_of_patches,
)
from .estimate import Dimension, DistinctPoints, Estimate, find_distinct_points
from .local import (
    correlation_dimension,
    correlation_of,
    levina_bickel,
    levina_bickel_of,
    local_pca,
    local_pca_of,
    two_nearest,
    two_nearest_of,
)

__all__ = [
    "ESTIMATORS",
    "QUICK",
    "Dimension",
    "Estimate",
    "correlation_dimension",
    "count_coordinates",
    "eigengap",
    "eigengap_of_patches",
    "elbow",
    "elbow_of_map",
    "elbow_of_patches",
    "intrinsic_dimension",
    "levina_bickel",
    "local_pca",
    "two_nearest",
]
QUICK = ("levina-bickel", "two-nearest", "local-pca")
ESTIMATORS = (
    "correlation",
    "levina-bickel",
    "two-nearest",
    "local-pca",
    "elbow",
    "eigengap",
)


def intrinsic_dimension(
    X: Any,
    method: str = "all",
    *,
    metric: Metric = "euclidean",
    sample: int | None = None,
    seed: int = 0,
) -> Dimension:
    """Return how many coordinates the data need locally, by one method or by all six.

    Copies of points count once. The answer prints as a table.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them, of
        which local PCA can say nothing.
    method : str, default="all"
        "all", or one of "correlation", "levina-bickel", "two-nearest", "local-pca", "elbow",
        "eigengap" (the last two on small patches).
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to ask; None is 10,000 at most.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Dimension
        The estimates of all methods that were asked, and the number they agree on.

    Examples
    --------
    >>> from unspool import datasets, intrinsic_dimension
    >>> intrinsic_dimension(datasets.swiss_roll(1000).points).n_components
    2
    """
    if method != "all" and method not in ESTIMATORS:
        raise ValueError(f"unknown method {method!r}; use 'all' or one of {', '.join(ESTIMATORS)}")
    data = find_distinct_points(X, metric, sample, seed)
    wanted = ESTIMATORS if method == "all" else (method,)
    estimates, left_out = _all_of(data, wanted, strict=method != "all")
    if not estimates:
        raise ValueError("no method has an answer: " + "; ".join(left_out))
    return Dimension(
        estimates=tuple(estimates),
        n_points=data.n_given,
        n_distinct=data.n_points,
        n_columns=data.n_columns,
        left_out=tuple(left_out),
    )


def count_coordinates(X: Any, metric: Metric = "euclidean", seed: int = 0) -> int:
    """Return how many coordinates a map of the data needs, by the quick estimators.

    It is the median of their estimates, which the report of a fit states.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, or distances between them with ``metric="precomputed"``.
    metric : str or callable, default="euclidean"
        As for ``intrinsic_dimension``; or what a table holds, of which only "distances" tell.
    seed : int, default=0
        Seed of the sample, where there are many points.

    Returns
    -------
    int
        At least 1, and fewer than points.

    Examples
    --------
    >>> from unspool import datasets, dimension
    >>> dimension.count_coordinates(datasets.swiss_roll(500).points)
    2
    """
    if sp.issparse(X) or metric in ("kernel", "weights"):
        raise ValueError(
            "n_components='auto' needs dense points, or a dense table of the distances between "
            "them; give n_components as a number"
        )
    with stage("dimension") as running:
        metric = "precomputed" if metric == "distances" else metric
        data = find_distinct_points(X, metric, None, seed)
        found, left_out = _all_of(data, QUICK, strict=False)
        if not found:
            raise ValueError(
                "n_components='auto' cannot tell the dimension: "
                + "; ".join(left_out)
                + "; give n_components as a number"
            )
        median = float(np.median([estimate.value for estimate in found]))
        count = min(max(1, round(median)), data.n_points - 1)
        said = ", ".join(f"{estimate.method} {estimate.value:.2f}" for estimate in found)
        running.note(n_components=count, because=said)
    return count


def _all_of(
    data: DistinctPoints, wanted: tuple[str, ...], *, strict: bool
) -> tuple[list[Estimate], list[str]]:
    """Return the estimates, and why others are missing; if ``strict``, a reason is an error."""
    on_patches: list[Patches] = []

    def shared() -> Patches:
        if not on_patches:
            on_patches.append(cut_patches(data))
        return on_patches[0]

    ways: dict[str, Callable[[], Estimate]] = {
        "correlation": lambda: correlation_of(data),
        "levina-bickel": lambda: levina_bickel_of(data),
        "two-nearest": lambda: two_nearest_of(data),
        "local-pca": lambda: local_pca_of(data),
        "elbow": lambda: elbow_of(shared()),
        "eigengap": lambda: eigengap_of(shared()),
    }
    estimates, left_out = [], []
    for name in wanted:
        try:
            estimates.append(ways[name]())
        except ValueError as reason:
            if strict:
                raise
            left_out.append(f"{name}: {reason}")
    return estimates, left_out
