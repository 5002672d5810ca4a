"""Intruders: neighbours on the map that are none in the data, and how far they had to come.

Only the ranks of a few neighbours are needed, so no row is sorted: the points that are nearer are
counted. A matrix product in single precision decides all but those within its rounding error,
which are decided by differences in double precision.
"""

from __future__ import annotations

import numpy as np

from ..distances import build_index
from ..runtime import limit_blas_threads, run_strips, stage
from ..values import Array
from .score import Chosen

STRIP = 256  # rows of products that a thread holds: 5 MB of 5,000 points
UNIT = 2.0**-24  # rounding of single precision


def ranks_beyond(points: Array, places: Array, k: int, chosen: Chosen) -> Array | None:
    """Return the sum of rank - k over the k nearest on the map that rank beyond k in the data.

    None where equal distances on the map leave open who the k nearest are.
    """
    from .intruders_kernels import count_beyond

    near = _nearest(places, k, chosen.points)
    centred = points - points.mean(axis=0)
    norms = np.einsum("ij,ij->i", centred, centred)
    if near is None or not norms.max() > 0.0:
        return None
    scale = 2.0 ** -np.ceil(0.5 * np.log2(norms.max()))  # a power of two: ties stay ties
    exact, sketch = points * scale, np.asarray(centred * scale, dtype=np.float32)
    lengths = np.asarray(norms * scale**2, dtype=np.float32)
    # inner products of points within the unit ball, their norms, the limits; and the centring
    slack = UNIT * (2.0 * (points.shape[1] + 4) + 16.0) + 2.0**-48 * float(np.abs(exact).max())
    answer = np.empty(len(chosen.points))

    def count(part: slice) -> None:
        rows = chosen.points[part]
        products = sketch[rows] @ sketch.T
        count_beyond(products, rows, near[part], exact, lengths, slack, answer[part])

    with stage("intruders", total=len(chosen.points)), limit_blas_threads():
        run_strips(count, len(chosen.points), STRIP)
    return answer


def _nearest(places: Array, k: int, rows: Array) -> Array | None:
    """Return the k nearest others on the map; None if a tie leaves them open."""
    if k + 2 > len(places):
        return None
    found = build_index(places, "euclidean").nearest(places[rows], k + 2)
    others = found.neighbors != rows[found.rows]
    row = found.rows[others]
    have = np.bincount(row, minlength=len(rows))
    rank = np.arange(len(row)) - np.repeat(np.cumsum(have) - have, have)
    kept = rank <= k
    lengths = found.distances[others][kept].reshape(-1, k + 1)
    if (lengths[:, k] == lengths[:, k - 1]).any():
        return None
    return np.asarray(found.neighbors[others][kept].reshape(-1, k + 1)[:, :k])
