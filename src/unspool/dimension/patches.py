"""The elbow and the eigengap of small patches: the dimension of the manifold, not of its shape.

A ring needs two coordinates and a sphere three, though they are curves and surfaces. Cut into
patches they need one and two. A patch is a point with the points nearest to it along the
neighbour graph; shortest paths within it are scaled classically, and the curve 1 - R_t^2 and the
eigenvalues are asked as for a whole map. A bend or gap counts only where the coordinates before
it explain the patch; beyond five or six dimensions a hundred points show none, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import neighbor_graph
from ..edges import subgraph
from ..graph import symmetrize
from ..paths import geodesic_distances
from ..runtime import stage
from ..values import Array, Metric
from .distinct import Cloud, cloud
from .elbow import gaps, residuals, sharpest_bend
from .estimate import Estimate

CENTRES = 50  # patches
SIZE = 100  # points in a patch: enough to show 5 dimensions, few enough to be flat
FEWEST = 20  # in a patch: fewer do not show three dimensions
JOINED = 10  # neighbours along which distances within a patch are measured
COORDINATES = 10  # of a patch that are looked at
EXPLAINED = 0.15  # at most this much of the variance of the distances may be unexplained


@dataclass(frozen=True, slots=True)
class Patches:
    """What each patch says: 1 - R_t^2 and eigenvalues, a row a patch."""

    centres: Array
    residuals: Array
    values: Array
    size: int
    independent: float


def elbow_of_patches(
    X: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Estimate:
    """Return the mean elbow of 1 - R_t^2 over 50 patches of the data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import datasets, dimension
    >>> round(dimension.elbow_of_patches(datasets.swiss_roll(1000).points).value)
    2
    """
    return elbow_of(patches(cloud(X, metric, sample, seed)))


def eigengap_of_patches(
    X: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Estimate:
    """Return the mean place of the largest eigenvalue ratio over 50 patches of the data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import datasets, dimension
    >>> round(dimension.eigengap_of_patches(datasets.swiss_roll(1000).points).value)
    2
    """
    return eigengap_of(patches(cloud(X, metric, sample, seed)))


def elbow_of(found: Patches) -> Estimate:
    """Return the mean elbow of patches."""
    return _mean("elbow", sharpest_bend(found.residuals), found)


def eigengap_of(found: Patches) -> Estimate:
    """Return the mean place of the eigengap of patches."""
    return _mean("eigengap", gaps(found.values), found)


def patches(asked: Cloud) -> Patches:
    """Return what patches around some of the points asked say."""
    n = asked.n_points
    if n <= 2 * FEWEST:
        raise ValueError(f"patches need more than {2 * FEWEST} distinct points; there are {n}")
    source = np.random.default_rng(asked.seed)
    centres = asked.asked
    if len(centres) > CENTRES:
        centres = np.sort(source.choice(centres, CENTRES, replace=False))
    around = min(256, n - 1, max(2 * FEWEST, n // 3))
    size = min(SIZE, around // 2)
    neighbors = asked.neighbors_of(centres, around)[0]
    kept, values = [], []
    with stage("patches", total=len(centres)) as running:
        for centre, others in zip(centres, neighbors, strict=True):
            lengths = _paths(asked, np.concatenate([[centre], others]), size)
            spectrum, coordinates = _scaled(lengths)
            kept.append(residuals(lengths, coordinates, coordinates))
            values.append(spectrum)
            running.advance()
    width = min(len(curve) for curve in kept)
    curves = np.array([curve[:width] for curve in kept])
    spectra = np.array([value[:width] for value in values])
    independent = max(1.0, min(len(centres), n / size))
    return Patches(asked.original[centres], curves, spectra, size, independent)


def _paths(asked: Cloud, members: Array, size: int) -> Array:
    """Return shortest paths among the ``size`` points nearest, along the graph, to the first."""
    table = asked.between(members, members)
    np.fill_diagonal(table, 0.0)
    joined = min(JOINED, len(members) - 1)
    graph = symmetrize(neighbor_graph(table, joined, metric="precomputed"))
    away = geodesic_distances(graph, np.array([0]))[0]
    order = np.argsort(away, kind="stable")[:size]
    return geodesic_distances(subgraph(graph, np.sort(order[np.isfinite(away[order])])))


def _scaled(lengths: Array) -> tuple[Array, Array]:
    """Return the largest eigenvalues and the coordinates of classical scaling, in one place.

    A patch is 100 points: all its eigenpairs take a millisecond.
    """
    similarity = -0.5 * lengths**2
    similarity = similarity - similarity.mean(axis=0) - similarity.mean(axis=1)[:, None]
    similarity -= similarity.mean()
    values, vectors = np.linalg.eigh(similarity)
    count = max(2, min(COORDINATES, len(values) // 3))
    values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
    return values, vectors * np.sqrt(np.maximum(values, 0.0))


def _mean(method: str, sharpness: Array, found: Patches) -> Estimate:
    explained = found.residuals[:, : sharpness.shape[1]] <= EXPLAINED
    speaks = np.asarray(explained.any(axis=1))
    if 2 * speaks.sum() <= len(speaks):
        raise ValueError(
            f"only {speaks.sum()} of {len(speaks)} patches of {found.size} points are explained by "
            f"{sharpness.shape[1]} coordinates; the dimension is too high for this method"
        )
    said = np.where(explained, sharpness, -np.inf)[speaks].argmax(axis=1) + 1.0
    return Estimate(
        method=method,
        value=float(said.mean()),
        standard_error=float(said.std() / np.sqrt(found.independent)),
        read_at=f"{len(said)} patches of {found.size} points",
        exact=False,
        curve=sharpness[speaks].mean(axis=0),
        scales=np.arange(1, sharpness.shape[1] + 1),
        per_point=said,
        sample=found.centres[speaks],
    )
