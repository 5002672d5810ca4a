"""How much of the distances a map with t coordinates leaves unexplained."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array
from .score import Chosen, Curve, choose, jackknife
from .sides import check_finite, checked, checked_table

PRICE = 1 / 16  # of a pair and a coordinate, for a pair whose distance is ranked


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
    the map that uses its first t coordinates. Of each point, in ``per_point``, it is the same over
    its row.

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
    sums = _row_sums(table, places, others, chosen)
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


def _row_sums(table: Array, places: Array, others: Array, chosen: Chosen) -> Array:
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
