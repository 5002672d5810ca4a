"""Configurations of the same points, compared up to what a map cannot know: a motion, a scale.

A map is laid on the truth, or maps of parts of the data on the map of all. What remains of the
movement then is the spread of a point. Small everywhere: the map is a property of the data. Large
in places: do not read anything into the position of those points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from ..runtime import stage
from ..values import Array, refuse_cells
from .distance_rows import check_same_points, checked
from .score import Chosen, Score, mean_score

LEAST = 3  # times a point must have been mapped: two for a spread, one more for its error


@dataclass(frozen=True, slots=True)
class Alignment:
    """The motion that lays one configuration on another.

    It is ``scale * (Y - centre) @ rotation + shift``; ``disparity`` is the share of the target's
    variance that is left over, between 0 and 1.
    """

    aligned: Array
    rotation: Array
    scale: float
    disparity: float
    centre: Array
    shift: Array

    def apply(self, points: Any) -> Array:
        """Move other points of the same configuration along."""
        moved = _widened(_columns(points, "points"), len(self.centre)) - self.centre
        return np.asarray(self.scale * moved @ self.rotation + self.shift)


def align(Y: Any, truth: Any, *, scaling: bool = True) -> Alignment:
    """Lay ``Y`` on ``truth`` by the rotation, reflection, shift (and scale) that fit best.

    If the two differ in width the narrower is padded with zeros.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    truth : array-like of shape (n_samples, n_coordinates)
        The true coordinates of the same points.
    scaling : bool, default=True
        Also choose the scale that fits best.

    Returns
    -------
    Alignment
        The map laid on the truth, the motion, and what is left over.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import quality
    >>> truth = np.random.default_rng(0).normal(size=(20, 2))
    >>> bool(quality.align(-3.0 * truth, truth).disparity < 1e-12)
    True
    """
    source, target = _columns(Y, "Y"), _columns(truth, "truth")
    if len(source) != len(target):
        raise ValueError(
            f"Y has {len(source)} points and truth has {len(target)}; they must be the same points"
        )
    width = max(source.shape[1], target.shape[1])
    source, target = _widened(source, width), _widened(target, width)
    centre, shift = source.mean(axis=0), target.mean(axis=0)
    source_centred, target_centred = source - centre, target - shift
    spread, target_spread = np.square(source_centred).sum(), np.square(target_centred).sum()
    if target_spread == 0.0:
        raise ValueError("all points of truth coincide, so there is nothing to align Y with")
    left, singular, right = np.linalg.svd(source_centred.T @ target_centred)
    rotation = left @ right
    scale = float(singular.sum() / spread) if scaling and spread > 0 else 1.0
    moved = scale * source_centred @ rotation
    left_over = float(np.square(moved - target_centred).sum() / target_spread)
    return Alignment(moved + shift, rotation, scale, left_over, centre, shift)


def procrustes(Y: Any, truth: Any, *, scaling: bool = True) -> Score:
    """Return how far a map is from the ``truth`` after the best motion: 0 if it is the truth.

    The value is ``align(Y, truth).disparity``. Per point it is the squared distance left
    over, in units of the mean squared distance of the true points from their centre.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    truth : array-like of shape (n_samples, n_coordinates)
        The true coordinates of the same points.
    scaling : bool, default=True
        Also choose the scale that fits best.

    Returns
    -------
    Score
        The disparity, of the map and of every point.

    Examples
    --------
    >>> from unspool import Isomap, datasets, quality
    >>> roll = datasets.swiss_roll(400)
    >>> model = Isomap(2, n_neighbors=8).fit(roll.points)
    >>> quality.procrustes(model.embedding_, roll.coordinates).value < 0.05
    True
    """
    laid = align(Y, truth, scaling=scaling)
    target = _widened(_columns(truth, "truth"), laid.aligned.shape[1])
    left_over = np.square(laid.aligned - target).sum(axis=1)
    spread = np.square(target - target.mean(axis=0)).sum(axis=1).mean()
    everyone = Chosen(np.arange(len(target)), len(target))
    return mean_score("Procrustes error", left_over / spread, everyone)


def disparity(Y: Any, truth: Any) -> float:
    """Return the share of ``truth`` that ``Y`` misses after the best similarity transformation.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    truth : array-like of shape (n_samples, n_coordinates)
        The true coordinates of the same points.

    Returns
    -------
    float
        0 if the map is the truth up to a similarity, at most 1.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import quality
    >>> truth = np.random.default_rng(0).normal(size=(20, 2))
    >>> bool(quality.disparity(2.0 * truth + 1.0, truth) < 1e-12)
    True
    """
    return align(Y, truth).disparity


def explained_by(Y: Any, truth: Any) -> Array:
    """Return R^2 of each true coordinate, fitted by an affine function of the map.

    This is the right question for maps of unit covariance (LLE, Hessian LLE, LTSA), which determine
    the truth only up to an affine transformation. A true coordinate without variance counts as 1.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        The map of these points, row by row.
    truth : array-like of shape (n_samples, n_coordinates)
        The true coordinates of the same points.

    Returns
    -------
    ndarray of shape (n_coordinates,)
        The share of the variance of each coordinate that the map explains.

    Examples
    --------
    >>> import numpy as np
    >>> from unspool import quality
    >>> truth = np.random.default_rng(0).normal(size=(20, 2))
    >>> quality.explained_by(truth @ [[2.0, 1.0], [0.0, 3.0]], truth).round(6)
    array([1., 1.])
    """
    places, target = _columns(Y, "Y"), _columns(truth, "truth")
    check_same_points(len(target), len(places), 2)
    centred = target - target.mean(axis=0)
    design = np.column_stack([np.ones(len(places)), places - places.mean(axis=0)])
    fitted = design @ np.linalg.lstsq(design, centred, rcond=None)[0]
    total = np.square(centred).sum(axis=0)
    missed = np.square(centred - fitted).sum(axis=0)
    return np.asarray(1.0 - np.divide(missed, total, out=np.zeros_like(total), where=total > 0))


def _columns(values: Any, name: str) -> Array:
    """Return checked points; a vector is one column."""
    refuse_cells(values)
    given = np.asarray(values)
    return checked(given[:, None] if given.ndim == 1 else given, name)


def _widened(points: Array, width: int) -> Array:
    return np.pad(points, ((0, 0), (0, width - points.shape[1])))


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
