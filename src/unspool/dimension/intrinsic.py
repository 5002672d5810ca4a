"""All estimators at once, on neighbours that are searched once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..values import Metric
from .correlation import correlation_of
from .distinct_points import DistinctPoints, find_distinct_points
from .elbow import Patches, cut_patches, eigengap_of, elbow_of
from .estimate import Dimension, Estimate
from .local_pca import local_pca_of
from .nearest import levina_bickel_of, two_nearest_of

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
