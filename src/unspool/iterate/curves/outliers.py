"""Which points are outliers of a curve, and how little they count (S4 16.3.4)."""

from __future__ import annotations

import numpy as np

from ...values import Array

OUTLYING = 8.45  # median deviations beyond the median: 4 standard deviations of a normal distance
ROUNDING = 1e-12  # of distances between points of about unit size
TAIL = 0.05  # share of the points at each end in which a gap is looked for
GAP = 0.1  # as a share of the stretch between the tails


def robust_weights(distances: Array) -> Array:
    """Return Tukey's biweights: 1 on the curve, falling to 0 at ``OUTLYING`` deviations.

    Median and median absolute deviation of the distances are not moved by up to half of the
    points; together they give the spread in any number of dimensions.
    """
    middle = float(np.median(distances))
    deviation = float(np.median(np.abs(distances - middle)))
    # distances that are all alike, or mere rounding, are no scale to judge others by
    cutoff = max(middle + OUTLYING * deviation, 2 * middle, ROUNDING)
    return np.asarray(np.square(np.maximum(0.0, 1.0 - np.square(distances / cutoff))))


def stranded(places: Array, weights: Array) -> Array:
    """Return the few points beyond a wide gap at an end of the curve.

    An outlier in line with an end is no distance away from a curve that has followed it; what
    gives it away is the empty stretch before it.
    """
    used = np.flatnonzero(weights > 0)
    used = used[np.argsort(places[used], kind="stable")]
    along = places[used]
    low, high = np.quantile(along, [TAIL, 1 - TAIL])
    wide = np.diff(along) > max(GAP, 10 / len(used)) * (high - low)
    few = int(TAIL * len(used))
    before = np.flatnonzero(wide[:few])
    after = len(wide) - few + np.flatnonzero(wide[len(wide) - few :])
    first = before[-1] + 1 if len(before) else 0
    last = after[0] + 1 if len(after) else len(used)
    return np.concatenate([used[:first], used[last:]])


def nearest_sum(squares: Array, count: int) -> float:
    """Return the sum of the ``count`` smallest squares."""
    if count == len(squares):
        return float(squares.sum())
    return float(np.partition(squares, count - 1)[:count].sum())
