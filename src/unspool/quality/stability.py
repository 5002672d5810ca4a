"""How far each point of the map moves when part of the data is left out.

The method is fitted again on parts of the data, each map is laid on the reference by the best
motion, and what remains of the movement is the spread of a point. Small everywhere: the map is a
property of the data. Large in places: do not read anything into the position of those points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array
from .distance_rows import checked
from .procrustes import align
from .score import Score

LEAST = 3  # times a point must have been mapped: two for a spread, one more for its error


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Stability(Score):
    """Spread of each point over the maps of resampled data.

    In units of the map's size, the root mean square distance of its points from their centre.
    ``places`` are the mean places of the points in ``sample``, on the reference map.
    """

    places: Array
    n_resamples: int


def stability(
    estimator: Any,
    X: Any,
    *,
    n_resamples: int = 20,
    share: float = 0.8,
    replace: bool = False,
    reference: Any = None,
    seed: int = 0,
) -> Stability:
    """Return how far points move when an estimator sees less data.

    Each resample leaves out another part, and all points are left out about equally often. The
    estimator itself is not changed. A map of several connected components has several frames:
    score one component at a time.

    Parameters
    ----------
    estimator : estimator
        Any with ``fit_transform``.
    X : array-like of shape (n_samples, n_features)
        The data, one row per point.
    n_resamples : int, default=20
        Number of resamples.
    share : float, default=0.8
        Share of the points that a resample keeps.
    replace : bool, default=False
        Draw as many points with replacement instead (a bootstrap); copies of a point count once, at
        their mean place. Copies are neighbours at distance 0, which neighbour graphs feel.
    reference : array-like of shape (n_samples, n_components) or None, default=None
        The map to compare with; None is that of all points.
    seed : int, default=0
        Seed of the resamples.

    Returns
    -------
    Stability
        How far each point moves, and the map as a whole.

    Examples
    --------
    >>> from unspool import PCA, datasets, quality
    >>> found = quality.stability(PCA(2), datasets.swiss_roll(200).points, n_resamples=5)
    >>> found.value < 0.1
    True
    """
    data = checked(X, "X")
    _check_plan(n_resamples, share, len(data))
    target = _mapped(estimator, data, np.arange(len(data))) if reference is None else reference
    target = checked(target, "reference")
    if len(target) != len(data):
        raise ValueError(f"X has {len(data)} points and the reference map {len(target)}")
    size = np.sqrt(np.square(target - target.mean(axis=0)).sum(axis=1).mean())
    moves = np.full((n_resamples, *target.shape), np.nan)
    draws = _draws(len(data), n_resamples, share, replace, seed)
    with stage("resamples", total=n_resamples) as running:
        for move, rows in zip(moves, draws, strict=True):
            laid = align(_mapped(estimator, data, rows), target[rows]).aligned
            seen, copy_of, copies = np.unique(rows, return_inverse=True, return_counts=True)
            sums = np.zeros((len(seen), laid.shape[1]))
            np.add.at(sums, copy_of, laid)
            move[seen] = (sums / copies[:, None] - target[seen])[:, : target.shape[1]]
            running.advance()
    return _scored(moves / size, target, size)


def _check_plan(n_resamples: Any, share: Any, n_points: int) -> None:
    if not isinstance(n_resamples, Integral) or n_resamples <= LEAST:
        raise ValueError(f"n_resamples must be a whole number above {LEAST}; got {n_resamples!r}")
    if not 0.0 < share < 1.0 or round(share * n_points) < 3:
        raise ValueError(
            f"share must leave out some of the {n_points} points and keep at least 3; got {share!r}"
        )


def _draws(n: int, count: int, share: float, replace: bool, seed: int) -> Iterator[Array]:
    """Yield the rows of each resample.

    Disjoint parts are left out in turn, until each point was left out once; then again.
    """
    source = np.random.default_rng(seed)
    n_left = max(1, n - round(share * n))
    order = np.empty(0, dtype=np.intp)
    for _ in range(count):
        if replace:
            yield np.sort(source.integers(n, size=n - n_left))
            continue
        if len(order) < n_left:  # what remains of a round goes first in the next one
            fresh = source.permutation(n)
            order = np.concatenate([order, fresh[~np.isin(fresh, order)]])
        yield np.setdiff1d(np.arange(n), order[:n_left])
        order = order[n_left:]


def _mapped(estimator: Any, data: Array, rows: Array) -> Array:
    """Return the map of some rows (of a table of distances or similarities, rows and columns)."""
    from sklearn.base import clone
    from sklearn.utils import get_tags

    part = data[np.ix_(rows, rows)] if get_tags(estimator).input_tags.pairwise else data[rows]
    places = np.asarray(clone(estimator).fit_transform(part), dtype=np.float64)
    if places.ndim != 2 or len(places) != len(rows):
        raise ValueError(
            f"{type(estimator).__name__} mapped {len(rows)} points to shape {places.shape}; one "
            "row per point is needed"
        )
    return places


def _scored(moves: Array, target: Array, size: float) -> Stability:
    """Turn moves (resamples, points, coordinates), NaN where left out, into spreads."""
    seen = ~np.isnan(moves[:, :, 0])
    usable = np.flatnonzero(seen.sum(axis=0) >= LEAST)
    if len(usable) == 0:
        raise ValueError("no point was drawn often enough; raise n_resamples or share")
    moves, seen = np.nan_to_num(moves[:, usable]), seen[:, usable]
    counts, sums = seen.sum(axis=0), moves.sum(axis=0)
    squares = np.square(moves).sum(axis=(0, 2))
    spread = _spread(counts, sums, squares)
    left_out = np.array(
        [
            _spread(counts - was, sums - move, squares - np.square(move).sum(axis=1)).mean()
            for was, move in zip(seen, moves, strict=True)
        ]
    )
    scatter = np.square(left_out - left_out.mean()).sum()
    return Stability(
        name="movement under resampling",
        value=float(spread.mean()),
        per_point=spread,
        sample=usable,
        n_points=len(target),
        exact=False,
        standard_error=float(np.sqrt((len(moves) - 1) / len(moves) * scatter)),
        places=target[usable] + size * sums / counts[:, None],
        n_resamples=len(moves),
    )


def _spread(counts: Array, sums: Array, squares: Array) -> Array:
    variance = (squares - np.square(sums).sum(axis=1) / counts) / (counts - 1)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))
