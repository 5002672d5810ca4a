"""Where a curve bends: the elbow of 1 - R_t^2 and the gap in a spectrum, of a map and of patches.

Of a whole map they say how many coordinates the *map* needs. A ring needs two coordinates and a
sphere three, though they are curves and surfaces. Cut into patches they need one and two. A patch
is a point with the points nearest to it along the neighbour graph; shortest paths within it are
scaled classically, and the curve 1 - R_t^2 and the eigenvalues are read as for a whole map. A bend
or gap counts only where the coordinates before it explain the patch; beyond five or six dimensions
a hundred points show none, and say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import neighbor_graph, pairwise_distances
from ..edges import subgraph
from ..graph import symmetrize
from ..kernel import double_centered
from ..paths import geodesic_distances
from ..runtime import stage
from ..values import Array, Metric, refuse_cells
from .estimate import DistinctPoints, Estimate, find_distinct_points

NEGLIGIBLE = 1e-4  # an unexplained share below is as good as none: a correlation of 0.99995
GAIN = np.log(10.0)  # leaving a tenth unexplained is as good as leaving a hundredth: a narrow
# sheet has a long first coordinate, whose gain must not hide the bend at the second
VANISHED = 1e-6  # of the largest eigenvalue: one below is as good as zero
RIVAL = 0.5  # of the sharpest bend: sharp enough to be mistaken for it
GROUPS = 10  # parts of the rows, at least, whose elbows are compared for the spread
CHUNK_BYTES = 32 * 2**20
CENTERS = 50  # patches
PATCH_SIZE = 100  # points in a patch: enough to show 5 dimensions, few enough to be flat
SMALLEST_PATCH = 20  # in a patch: fewer do not show three dimensions
PATCH_NEIGHBORS = 10  # neighbours along which distances within a patch are measured
PATCH_COORDINATES = 10  # that are looked at
EXPLAINED = 0.15  # at most this much of the variance of the distances may be unexplained


def sharpest_bend(residuals: Array) -> Array:
    """Return how sharply log(1 - R_t^2) bends at t = 1, 2, ...; rows are curves.

    No coordinates leave everything unexplained, so each curve starts at 1 for t = 0.
    """
    curves = np.atleast_2d(residuals)
    logs = np.log(np.maximum(curves, NEGLIGIBLE))
    logs = np.hstack([np.zeros((len(logs), 1)), logs])
    gains = np.minimum(-np.diff(logs, axis=1), GAIN)
    return np.asarray(gains[:, :-1] - gains[:, 1:])


def gaps(values: Array) -> Array:
    """Return log(value_t / value_{t + 1}) for t = 1, 2, ... of falling eigenvalues; by rows."""
    spectra = np.atleast_2d(values)
    floor = VANISHED * np.maximum(spectra[:, :1], 1e-300)
    return np.asarray(-np.diff(np.log(np.maximum(spectra, floor)), axis=1))


def elbow(residual_variance: Any) -> Estimate:
    """Return the elbow of the curve 1 - R_t^2, t = 1 .. T (Izenman 2013, section 16.6.3).

    The elbow is where the logarithm of the curve bends most, so that a narrow sheet, whose second
    coordinate explains little but most of what is left, still has two. It says how many
    coordinates the *map* needs: for a closed curve that is 2. The error is half the range of all
    bends at least half as sharp.

    Parameters
    ----------
    residual_variance : array-like of shape (n_coordinates,)
        The curve, as ``quality.residual_variance`` gives it.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import dimension
    >>> round(dimension.elbow([0.5, 0.01, 0.009, 0.008]).value)
    2
    """
    curve = _checked(residual_variance, "the curve 1 - R_t^2", 2)
    if curve.min() < 0.0 or curve.max() > 1.0 + 1e-9:
        raise ValueError("1 - R_t^2 lies between 0 and 1; pass what residual_variance returns")
    return _pick("elbow", sharpest_bend(curve)[0], f"the bend of {len(curve)} coordinates")


def eigengap(values: Any) -> Estimate:
    """Return after how many eigenvalues, largest first, the ratio to the next one is largest.

    For the gram family (PCA, scaling, Isomap, kernel PCA), whose eigenvalues are variances;
    negative ones count as zero. The error is half the range of all gaps at least half as wide on
    the log scale.

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Eigenvalues in descending order.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import dimension
    >>> round(dimension.eigengap([5.0, 4.0, 0.1, 0.09]).value)
    2
    """
    spectrum = _checked(values, "the eigenvalues", 2)
    if (np.diff(spectrum) > 1e-9 * abs(spectrum[0])).any() or spectrum[0] <= 0.0:
        raise ValueError("eigenvalues must be given largest first, and the first be positive")
    return _pick("eigengap", gaps(spectrum)[0], f"the gap among {len(spectrum)} eigenvalues")


def elbow_of_map(distances: Any, Y: Any, columns: Array | None = None) -> Estimate:
    """Return the elbow of 1 - R_t^2 for given distances and the coordinates of a map.

    The rows are asked in ten or more groups; the error is the standard deviation of what these say.

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_columns)
        Distances that the map should keep, such as geodesic ones.
    Y : array-like of shape (n_samples, n_components)
        The map, with more coordinates than are needed.
    columns : ndarray of shape (n_columns,) or None, default=None
        The points (landmarks) that the columns of the table belong to; None is all points.

    Returns
    -------
    Estimate
        The dimension with its standard error.

    Examples
    --------
    >>> from unspool import Isomap, datasets, dimension
    >>> model = Isomap(4, n_neighbors=8).fit(datasets.swiss_roll(400).points)
    >>> round(dimension.elbow_of_map(model.geodesics_, model.embedding_).value)
    2
    """
    table, places = _checked_map(distances, Y, columns)
    others = places if columns is None else places[columns]
    count = min(len(table), max(GROUPS, -(-table.nbytes // CHUNK_BYTES)))
    groups = np.array_split(np.random.default_rng(0).permutation(len(table)), count)
    curves = np.array([residuals(table[g], places[g], others) for g in groups])
    shares = [len(g) for g in groups]
    bends = sharpest_bend(np.average(curves, axis=0, weights=shares))[0]
    said = sharpest_bend(curves).argmax(axis=1) + 1
    return Estimate(
        method="elbow",
        value=float(bends.argmax() + 1),
        standard_error=float(said.std()),
        read_at=f"the bend of {places.shape[1]} coordinates",
        exact=True,
        curve=bends,
        scales=np.arange(1, len(bends) + 1),
    )


def residuals(table: Array, places: Array, others: Array) -> Array:
    """Return 1 - R_t^2 for t = 1 .. width of a table of distances between places and others."""
    given = table - table.mean()
    answer = np.ones(places.shape[1])
    for t in range(1, places.shape[1] + 1):
        found = pairwise_distances(places[:, :t], others[:, :t])
        found -= found.mean()
        spread = np.vdot(given, given) * np.vdot(found, found)
        if spread > 0.0:
            answer[t - 1] = 1.0 - np.vdot(given, found) ** 2 / spread
    return np.clip(answer, 0.0, 1.0)


def _pick(method: str, sharpness: Array, read_at: str) -> Estimate:
    rivals = np.flatnonzero(sharpness >= RIVAL * sharpness.max()) + 1
    return Estimate(
        method=method,
        value=float(sharpness.argmax() + 1),
        standard_error=float(np.ptp(rivals)) / 2,
        read_at=read_at,
        exact=True,
        curve=sharpness,
        scales=np.arange(1, len(sharpness) + 1),
    )


def _checked(values: Any, name: str, least: int) -> Array:
    curve = np.asarray(values, dtype=np.float64)
    if curve.ndim != 1 or len(curve) < least or not np.isfinite(curve).all():
        raise ValueError(f"{name} must be at least {least} finite numbers; got {values!r}")
    return curve


def _checked_map(distances: Any, Y: Any, columns: Array | None) -> tuple[Array, Array]:
    for given in (distances, Y):
        refuse_cells(given)
    table, places = np.asarray(distances, np.float64), np.asarray(Y, np.float64)
    if places.ndim != 2 or places.shape[1] < 2 or not np.isfinite(places).all():
        raise ValueError("Y must be a finite map with at least 2 coordinates to show an elbow")
    wanted = len(places), len(places) if columns is None else len(columns)
    if table.shape != wanted or not np.isfinite(table).all():
        raise ValueError(f"distances must be a finite table of {wanted}; got {table.shape}")
    return table, places


@dataclass(frozen=True, slots=True)
class Patches:
    """What each patch says: 1 - R_t^2 and eigenvalues, one row per patch."""

    centers: Array
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
    return elbow_of(cut_patches(find_distinct_points(X, metric, sample, seed)))


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
    return eigengap_of(cut_patches(find_distinct_points(X, metric, sample, seed)))


def elbow_of(found: Patches) -> Estimate:
    """Return the mean elbow of patches."""
    return _mean("elbow", sharpest_bend(found.residuals), found)


def eigengap_of(found: Patches) -> Estimate:
    """Return the mean place of the eigengap of patches."""
    return _mean("eigengap", gaps(found.values), found)


def cut_patches(data: DistinctPoints) -> Patches:
    """Return the curves and eigenvalues of patches around some of the chosen points."""
    n = data.n_points
    if n <= 2 * SMALLEST_PATCH:
        raise ValueError(
            f"patches need more than {2 * SMALLEST_PATCH} distinct points; there are {n}"
        )
    source = np.random.default_rng(data.seed)
    centers = data.chosen
    if len(centers) > CENTERS:
        centers = np.sort(source.choice(centers, CENTERS, replace=False))
    around = min(256, n - 1, max(2 * SMALLEST_PATCH, n // 3))
    size = min(PATCH_SIZE, around // 2)
    neighbors = data.neighbors_of(centers, around)[0]
    kept, values = [], []
    with stage("patches", total=len(centers)) as running:
        for center, others in zip(centers, neighbors, strict=True):
            lengths = _paths(data, np.concatenate([[center], others]), size)
            spectrum, coordinates = _scaled(lengths)
            kept.append(residuals(lengths, coordinates, coordinates))
            values.append(spectrum)
            running.advance()
    width = min(len(curve) for curve in kept)
    curves = np.array([curve[:width] for curve in kept])
    spectra = np.array([value[:width] for value in values])
    independent = max(1.0, min(len(centers), n / size))
    return Patches(data.original[centers], curves, spectra, size, independent)


def _paths(data: DistinctPoints, members: Array, size: int) -> Array:
    """Return shortest paths among the ``size`` points nearest, along the graph, to the first."""
    table = data.between(members, members)
    np.fill_diagonal(table, 0.0)
    joined = min(PATCH_NEIGHBORS, len(members) - 1)
    graph = symmetrize(neighbor_graph(table, joined, metric="precomputed"))
    away = geodesic_distances(graph, np.array([0]))[0]
    order = np.argsort(away, kind="stable")[:size]
    return geodesic_distances(subgraph(graph, np.sort(order[np.isfinite(away[order])])))


def _scaled(lengths: Array) -> tuple[Array, Array]:
    """Return the largest eigenvalues and the coordinates of classical scaling, in one place.

    A patch is 100 points: all its eigenpairs take a millisecond.
    """
    values, vectors = np.linalg.eigh(double_centered(-0.5 * lengths**2))
    count = max(2, min(PATCH_COORDINATES, len(values) // 3))
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
        sample=found.centers[speaks],
    )
