"""Two configurations of the same points, compared up to what a map cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array
from .distance_rows import check_same_points, checked
from .score import Chosen, Score, mean_score


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
        raise ValueError(f"Y has {len(source)} points and truth has {len(target)}; need the same")
    width = max(source.shape[1], target.shape[1])
    source, target = _widened(source, width), _widened(target, width)
    centre, shift = source.mean(axis=0), target.mean(axis=0)
    source_centred, target_centred = source - centre, target - shift
    spread, target_spread = np.square(source_centred).sum(), np.square(target_centred).sum()
    if target_spread == 0.0:
        raise ValueError("all points of truth are one place, so there is nothing to lay Y on")
    left, singular, right = np.linalg.svd(source_centred.T @ target_centred)
    rotation = left @ right
    scale = float(singular.sum() / spread) if scaling and spread > 0 else 1.0
    moved = scale * source_centred @ rotation
    left_over = float(np.square(moved - target_centred).sum() / target_spread)
    return Alignment(moved + shift, rotation, scale, left_over, centre, shift)


def procrustes(Y: Any, truth: Any, *, scaling: bool = True) -> Score:
    """Return how far a map is from the ``truth`` after the best motion: 0 if it is the truth.

    The value is ``align(Y, truth).disparity``. Of each point it is the squared distance left
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

    This is the right question for maps of unit covariance (LLE, Hessian LLE, LTSA), which know
    the truth up to an affine transformation only. A true coordinate without variance counts as 1.

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
    given = np.asarray(values)
    return checked(given[:, None] if given.ndim == 1 else given, name)


def _widened(points: Array, width: int) -> Array:
    return np.pad(points, ((0, 0), (0, width - points.shape[1])))
