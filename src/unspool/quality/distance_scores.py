"""How well the distances on a map are those in the data, between all points and around each.

Stress sums up the errors; the Shepard diagram shows distances on the map against distances in the
data, pair by pair; the residual variance 1 - R_t^2 tells how much a map with t coordinates leaves
unexplained.

How the map stretches each neighbourhood is an ellipse per point. Near a point the data look like
their tangent plane and the map like a linear function on it. What that function makes of the unit
circle is an ellipse on the map: its half-axes are the stretches. All circles of one size: an
isometry up to scale. Circles of different sizes: angles are kept, areas are not. Needles: the map
tears or flattens here. (Perrault-Joncas & Meila 2013 estimate the same ellipses through the
Laplacian.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..distances import neighbor_graph
from ..runtime import stage
from ..values import Array, Metric
from .distance_rows import (
    DistanceRows,
    check_finite,
    check_neighbors,
    check_same_points,
    checked,
    checked_table,
    distance_rows,
    kept_distances,
    measured,
    points_of,
    rows_of_both,
)
from .score import CHUNK_BYTES, Chosen, Curve, Score, choose, jackknife, work_on_strips

DRAWN = 500  # points whose pairs a Shepard diagram shows by default: 124,750 dots
GROUPS = 20  # left out in turn for the standard error of its correlation
PRICE = 1 / 16  # of a pair and a coordinate, for a pair whose distance is ranked
FLAT = 1e-9  # of the longest direction: a neighbourhood that is thinner says nothing across it
COLLAPSED = 1e-12  # of the typical stretch: what a neighbourhood mapped to one place counts as


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stress(Score):
    """Normalised stress.

    ``raw`` is the sum of squares over the pairs i < j behind it, and ``scale`` the factor on the
    map's distances.
    """

    raw: float
    scale: float


def stress(
    X: Any,
    Y: Any,
    *,
    metric: Metric = "euclidean",
    scaling: bool = True,
    sample: int | None = None,
    seed: int = 0,
) -> Stress:
    """Return the normalised stress sqrt(sum (delta - s d)^2 / sum delta^2) of a map.

    delta are the distances in the data and d those on the map. s is the scale that fits best,
    because many methods fix their own. Per point it is the same over the pairs of that point.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    scaling : bool, default=True
        With False, s is 1 and ``raw`` the raw stress of Vidal, Ma, Sastry 2016, eq. 4.30, over each
        pair once.
    sample : int or None, default=None
        Number of points to look at; None is all of them as long as that is affordable.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Stress
        The stress, of the map and of every point.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> points = datasets.swiss_roll(100).points
    >>> bool(quality.stress(points, 2.0 * points).value < 1e-7)
    True
    """
    data, places = rows_of_both(X, Y, metric, at_least=2)
    chosen = choose(data.n_points, sample, seed)
    data = measured(data, chosen)
    pilot = _pilot_scale(data, places, chosen) if scaling else 1.0
    sums = _row_sums(data, places, chosen, pilot)
    total = sums.sum(axis=0)
    if total[0] == 0.0:
        raise ValueError("all distances in the data are 0: all points coincide")
    step = _step(total, scaling)
    given, near, cross, missed = sums.T
    per_point = np.maximum(missed - 2.0 * step * cross + step**2 * near, 0.0)
    per_point = np.divide(per_point, given, out=np.zeros_like(given), where=given > 0)
    value = float(_normalised(total[None], scaling)[0])
    return Stress(
        name="stress",
        value=value,
        per_point=np.sqrt(per_point),
        sample=chosen.points,
        n_points=data.n_points,
        exact=chosen.exact,
        standard_error=float(jackknife(sums, lambda s: _normalised(s, scaling), chosen)),
        raw=float(value**2 * total[0] / 2.0 * data.n_points / len(chosen.points)),
        scale=float(pilot + step),
    )


def _pilot_scale(data: DistanceRows, places: DistanceRows, chosen: Chosen) -> float:
    """Return the best scale for a few rows: with it the sums below hardly cancel."""
    rows = chosen.points[:16]
    given, found = data.distances(rows), places.distances(rows)
    check_finite(given, rows)
    spread = np.square(found).sum()
    return float((given * found).sum() / spread) if spread > 0 else 1.0


def _row_sums(data: DistanceRows, places: DistanceRows, chosen: Chosen, pilot: float) -> Array:
    """Return for each chosen point the sums of delta^2, d^2, e d and e^2, e = delta - pilot d."""
    sums, kept = np.empty((len(chosen.points), 4)), kept_distances(data, chosen)

    def work(strip: slice) -> None:
        rows = chosen.points[strip]
        given = data.distances(rows) if kept is None else kept[strip]
        check_finite(given, rows)
        found = places.distances(rows)
        missed = given - pilot * found
        pairs = ((given, given), (found, found), (missed, found), (missed, missed))
        sums[strip] = np.column_stack([np.einsum("ij,ij->i", a, b) for a, b in pairs])

    work_on_strips("stress", chosen, work)
    return sums


def _step(total: Array, scaling: bool) -> float:
    """Return what the best scale has beyond the pilot."""
    return float(total[2] / total[1]) if scaling and total[1] > 0 else 0.0


def _normalised(sums: Array, scaling: bool) -> Array:
    given, near, cross, missed = sums.T
    if scaling:
        missed = missed - np.divide(cross**2, near, out=np.zeros_like(near), where=near > 0)
    return np.asarray(np.sqrt(np.maximum(missed, 0.0) / given))


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Shepard(Score):
    """Pairs of points with their distance in the data and on the map.

    The value is the rank correlation of the two (Spearman), 1 for a map that keeps the order of all
    distances; per point it is the same over its own pairs.
    """

    first: Array
    second: Array
    given: Array
    mapped: Array

    def monotone(self) -> Array:
        """Return for each pair the best increasing function of the given distance (isotonic)."""
        from sklearn.isotonic import IsotonicRegression

        return np.asarray(IsotonicRegression().fit_transform(self.given, self.mapped))


def shepard(
    X: Any, Y: Any, *, metric: Metric = "euclidean", sample: int | None = None, seed: int = 0
) -> Shepard:
    """Return the data of a Shepard diagram: all pairs among a sample of the points.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point; with ``metric="precomputed"`` the distances between them.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    metric : str or callable, default="euclidean"
        Name of a metric, a function of two points, or "precomputed".
    sample : int or None, default=None
        Number of points whose pairs are taken; None is 500.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Shepard
        Distances in the data and on the map, and the best increasing function between them.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(100)
    >>> len(quality.shepard(roll.points, roll.coordinates).given)
    4950
    """
    data = checked_table(X, "X") if metric == "precomputed" else points_of(X, "X")
    places = checked(Y, "Y")
    check_same_points(len(data), len(places), 3)
    chosen = choose(len(data), min(DRAWN, len(data)) if sample is None else sample, seed)
    points = chosen.points
    table = data[np.ix_(points, points)] if metric == "precomputed" else data[points]
    everyone = np.arange(len(points))
    given = distance_rows(table, metric).distances(everyone)
    mapped = distance_rows(places[points]).distances(everyone)
    i, j = np.triu_indices(len(points), 1)
    value = _rank_correlation(given[i, j], mapped[i, j])
    return Shepard(
        name="Shepard correlation",
        value=value,
        per_point=_by_row(given, mapped),
        sample=points,
        n_points=len(data),
        exact=chosen.exact,
        standard_error=0.0 if chosen.exact else _error(given, mapped) * chosen.correction,
        first=points[i],
        second=points[j],
        given=given[i, j],
        mapped=mapped[i, j],
    )


def _by_row(given: Array, mapped: Array) -> Array:
    others = ~np.eye(len(given), dtype=bool)
    shape = len(given), len(given) - 1
    return _rank_correlations(given[others].reshape(shape), mapped[others].reshape(shape))


def _rank_correlation(given: Array, mapped: Array) -> float:
    return float(_rank_correlations(given[None], mapped[None])[0])


def _rank_correlations(given: Array, mapped: Array) -> Array:
    """Return Spearman's correlation of each row; 0 where a side does not vary."""
    from scipy.stats import rankdata

    u, v = (rankdata(table, axis=1) - (given.shape[1] + 1) / 2 for table in (given, mapped))
    common, uu, vv = (np.einsum("ij,ij->i", a, b) for a, b in ((u, v), (u, u), (v, v)))
    spread = np.sqrt(uu * vv)
    return np.asarray(np.divide(common, spread, out=np.zeros_like(common), where=spread > 0))


def _error(given: Array, mapped: Array) -> float:
    """Return the standard error from leaving out one group of points after the other."""
    group = np.arange(len(given)) % GROUPS
    values = []
    for left_out in range(GROUPS):
        kept = np.flatnonzero(group != left_out)
        i, j = np.triu_indices(len(kept), 1)
        pairs = kept[i], kept[j]
        values.append(_rank_correlation(given[pairs], mapped[pairs]))
    return float(np.sqrt((GROUPS - 1) * np.var(values)))


def residual_variance(
    distances: Any,
    Y: Any,
    columns: Array | None = None,
    *,
    sample: int | None = None,
    seed: int = 0,
) -> Curve:
    """Return 1 - R_t^2 for t = 1 .. width of ``Y`` (Izenman 2013, section 16.6.3).

    R_t is the correlation, over all entries of the table of ``distances``, with the distances on
    the map that uses its first t coordinates. ``per_point`` has the same over the row of each
    point.

    Parameters
    ----------
    distances : array-like of shape (n_samples, n_columns)
        Distances that the map should keep, such as geodesic ones.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    columns : ndarray of shape (n_columns,) or None, default=None
        The points (landmarks) that the columns of the table belong to; None is all points.
    sample : int or None, default=None
        Number of rows to look at; None is all unless the table exceeds 20,000 squared or so.
    seed : int, default=0
        Seed of the sample.

    Returns
    -------
    Curve
        The residual variance by t.

    Examples
    --------
    >>> from unspool import Isomap, datasets, quality
    >>> model = Isomap(2, n_neighbors=8).fit(datasets.swiss_roll(400).points)
    >>> bool(quality.residual_variance(model.geodesics_, model.embedding_).values[-1] < 0.01)
    True
    """
    places = checked(Y, "Y")
    others = places if columns is None else places[columns]
    n_rows, n_columns = len(places), len(others)
    table = checked_table(distances, "distances", (n_rows, n_columns))
    chosen = choose(n_rows, sample, seed, PRICE * places.shape[1] * n_columns / n_rows)
    sums = _correlation_sums(table, places, others, chosen)
    total = sums.sum(axis=0)
    if not _varies(total[0, 3], total[0, 1], total[0, 0]):
        raise ValueError("all distances are equal, so no map explains more of them than another")
    return Curve(
        name="residual variance 1 - R^2",
        at=np.arange(1, places.shape[1] + 1),
        values=_unexplained(total[None])[0],
        standard_errors=jackknife(sums, _unexplained, chosen),
        sample=chosen.points,
        n_points=n_rows,
        exact=chosen.exact,
        per_point=_unexplained(sums),
    )


def _correlation_sums(table: Array, places: Array, others: Array, chosen: Chosen) -> Array:
    """Return for each chosen row and each t the sums 1, u, v, u^2, v^2, u v.

    u are the given distances and v those on the map, both less a rough mean of theirs: the sums
    of squares then do not cancel.
    """
    width = places.shape[1]
    sums = np.empty((len(chosen.points), width, 6))
    centre_u, centre_v = float(table[chosen.points[0]].mean()), np.zeros(width)
    with stage("residual variance", total=len(chosen.points)) as running:
        for part in chosen.blocks(table.shape[1]):
            rows = chosen.points[part]
            u = table[rows].astype(np.float64)
            check_finite(u, rows)
            u -= centre_u
            squares = np.zeros(u.shape)
            for t in range(width):
                squares += np.square(places[rows, t][:, None] - others[:, t])
                v = np.sqrt(squares)
                if part.start == 0:
                    centre_v[t] = v.mean()
                v -= centre_v[t]
                sums[part, t] = _sums(u, v)
            running.advance(len(rows))
    return sums


def _sums(u: Array, v: Array) -> Array:
    products = [np.einsum("ij,ij->i", a, b) for a, b in ((u, u), (v, v), (u, v))]
    count = np.full(len(u), float(u.shape[1]))
    return np.column_stack([count, u.sum(axis=1), v.sum(axis=1), *products])


def _unexplained(sums: Array) -> Array:
    """Return 1 - R^2 from the six sums in the last axis; 1 where a side does not vary."""
    count, u, v, uu, vv, uv = np.moveaxis(sums, -1, 0)
    spread = (uu - u**2 / count) * (vv - v**2 / count)
    common = (uv - u * v / count) ** 2
    vary = _varies(uu, u, count) & _varies(vv, v, count)
    explained = np.divide(common, spread, out=np.zeros_like(common), where=vary)
    return np.asarray(np.clip(1.0 - explained, 0.0, 1.0))


def _varies(squares: Array, total: Array, count: Array) -> Array:
    """Return where a sum of squares is more than rounding leaves of equal numbers."""
    return np.asarray(squares - total**2 / count > 1e-13 * squares)


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Distortion(Score):
    """Stretches of the map around each point.

    ``stretches[i]`` (d, largest first) are the factors by which lengths grow around point i, and
    ``axes[i, :, j]`` is the half-axis j of its ellipse in coordinates of the map. ``typical`` is
    their median. Per point the score is the root mean square of log(stretch / typical): 0 where
    the map is an isometry up to its scale, 0.7 where lengths are off by a factor of 2.
    """

    stretches: Array
    axes: Array
    typical: float

    @property
    def areas(self) -> Array:
        """Factor by which areas (volumes) grow around each point, relative to typical stretches."""
        return np.asarray((self.stretches / self.typical).prod(axis=1))

    @property
    def elongations(self) -> Array:
        """Longest over shortest half-axis of each ellipse: 1 where angles are kept."""
        shortest = np.maximum(self.stretches[:, -1], COLLAPSED * self.typical)
        return np.asarray(self.stretches[:, 0] / shortest)


def local_distortion(
    X: Any, Y: Any, n_neighbors: int | None = None, *, dimension: int | None = None
) -> Distortion:
    """Return how the map ``Y`` stretches the neighbourhoods of the points ``X``.

    Directions in which a neighbourhood has no extent, as around duplicates, count as typical.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    n_neighbors : int or None, default=None
        Nearest points that a tangent plane comes from; None is 3 d + 4.
    dimension : int or None, default=None
        Directions d of a tangent plane; None is as many as the map has coordinates.

    Returns
    -------
    Distortion
        The stretch of every point in its principal directions.

    Examples
    --------
    >>> from unspool import datasets, quality
    >>> roll = datasets.swiss_roll(300)
    >>> found = quality.local_distortion(roll.points, roll.coordinates)
    >>> len(found.stretches)
    300
    """
    points, places = points_of(X, "X"), checked(Y, "Y")
    check_same_points(len(points), len(places), 3)
    n = len(points)
    wanted = places.shape[1] if dimension is None else check_neighbors(dimension, n, "dimension")
    count = min(3 * wanted + 4, n - 1) if n_neighbors is None else n_neighbors
    count = check_neighbors(count, n)
    wanted = min(wanted, points.shape[1], places.shape[1], count)
    neighbors = neighbor_graph(points, count).neighbors.reshape(n, count)
    members = np.hstack([np.arange(n)[:, None], neighbors])
    return _scored(*_ellipses(points, places, members, wanted))


def _ellipses(points: Any, places: Array, members: Array, d: int) -> tuple[Array, Array]:
    """Return stretches (n, d), NaN where unknown, and axes (n, q, d) of all neighbourhoods."""
    n, q = len(points), places.shape[1]
    stretches, axes = np.empty((n, d)), np.empty((n, q, d))
    per_point = 8 * members.shape[1] * (points.shape[1] + members.shape[1])
    step = max(1, CHUNK_BYTES // per_point)
    with stage("distortion", total=n) as running:
        for first in range(0, n, step):
            part = slice(first, first + step)
            tangent, lengths = _tangent_frames(points[members[part]], d)
            known = lengths > FLAT * np.maximum(lengths[:, :1], 1e-300)
            inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=known)
            jacobians = inverse[:, :, None] * (tangent.transpose(0, 2, 1) @ places[members[part]])
            _, found, directions = np.linalg.svd(jacobians, full_matrices=False)
            found[~np.sort(known, axis=1)[:, ::-1]] = np.nan
            stretches[part], axes[part] = found, directions.transpose(0, 2, 1)
            running.advance(len(tangent))
    return stretches, axes


def _tangent_frames(neighborhoods: Array, d: int) -> tuple[Array, Array]:
    """Return orthonormal tangent coordinates (b, k, d) of each neighbourhood, and their lengths."""
    offsets = neighborhoods - neighborhoods[:, :1]  # of copies exactly zero, wherever they are
    centred = offsets - offsets.mean(axis=1, keepdims=True)
    left, lengths, _ = np.linalg.svd(centred, full_matrices=False)
    return left[:, :, :d], lengths[:, :d]


def _scored(stretches: Array, axes: Array) -> Distortion:
    known = np.isfinite(stretches)
    positive = stretches[known & (stretches > 0)]
    if len(positive) == 0:
        raise ValueError("all points coincide, in the data or on the map, so nothing is stretched")
    typical = float(np.exp(np.median(np.log(positive))))
    stretches = np.where(known, stretches, typical)
    order = np.argsort(-stretches, axis=1, kind="stable")
    stretches = np.take_along_axis(stretches, order, axis=1)
    axes = np.take_along_axis(axes, order[:, None, :], axis=2)
    logs = np.log(np.maximum(stretches, COLLAPSED * typical) / typical)
    per_point = np.sqrt(np.square(logs).mean(axis=1))
    return Distortion(
        name="local distortion",
        value=float(per_point.mean()),
        per_point=per_point,
        sample=np.arange(len(per_point)),
        n_points=len(per_point),
        stretches=stretches,
        axes=axes * stretches[:, None, :],
        typical=typical,
    )
