"""Two configurations of the same points, compared up to what a map cannot know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..values import Array


@dataclass(frozen=True, slots=True)
class Alignment:
    """The motion that lays one configuration on another: ``scale * (Y - centre) @ rotation +
    shift``.

    ``disparity`` is the share of the target's variance that is left over, between 0 and 1.
    """

    aligned: Array
    rotation: Array
    scale: float
    disparity: float


def align(Y: Any, truth: Any, *, scaling: bool = True) -> Alignment:
    """Lay ``Y`` on ``truth`` by the rotation, reflection, shift (and scale) that fit best.

    If the two differ in width the narrower is padded with zeros.
    """
    source, target = _padded(np.asarray(Y, np.float64), np.asarray(truth, np.float64))
    source_centred, target_centred = source - source.mean(axis=0), target - target.mean(axis=0)
    left, singular, right = np.linalg.svd(source_centred.T @ target_centred)
    rotation = left @ right
    spread, target_spread = np.square(source_centred).sum(), np.square(target_centred).sum()
    scale = float(singular.sum() / spread) if scaling and spread > 0 else 1.0
    moved = scale * source_centred @ rotation
    left_over = float(np.square(moved - target_centred).sum() / max(target_spread, 1e-300))
    return Alignment(moved + target.mean(axis=0), rotation, scale, left_over)


def disparity(Y: Any, truth: Any) -> float:
    """Return the share of ``truth`` that ``Y`` misses after the best similarity transformation."""
    return align(Y, truth).disparity


def explained_by(Y: Any, truth: Any) -> Array:
    """Return R^2 of each true coordinate, fitted by an affine function of the map."""
    design = np.column_stack([np.ones(len(Y)), np.asarray(Y, np.float64)])
    target = np.asarray(truth, np.float64)
    fitted = design @ np.linalg.lstsq(design, target, rcond=None)[0]
    total = np.square(target - target.mean(axis=0)).sum(axis=0)
    return np.asarray(1.0 - np.square(target - fitted).sum(axis=0) / total)


def _padded(first: Array, second: Array) -> tuple[Array, Array]:
    width = max(first.shape[1], second.shape[1])
    return (
        np.pad(first, ((0, 0), (0, width - first.shape[1]))),
        np.pad(second, ((0, 0), (0, width - second.shape[1]))),
    )
