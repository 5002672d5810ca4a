"""Where new points go on a fixed map: each by the stress of its own dissimilarities."""

from __future__ import annotations

import numpy as np

from ..progress import stage
from ..threads import ONE_AT_A_TIME
from ..values import Array

ROWS = 1024  # placed between two looks at who wants to cancel
NEAREST = 3  # fitted points to start from, beside the classical place


def place_by_stress(rows: Array, weights: Array | None, places: Array) -> Array:
    """Return where each row of dissimilarities to the points at ``places`` fits best.

    Newton's steps lead from the place of the nearest point to a minimum of
    sum_j w_j (|y - x_j| - delta_j)^2. Those from the next nearest and from the classical place
    count only where they lead lower by a tenth: a point that is beside a known one should stay
    there, though this be but a local minimum. Entries that are NaN do not count. Rows do not know
    of each other.
    """
    from ._kernels import place_rows

    answer = np.empty((len(rows), places.shape[1]))
    fixed = np.ascontiguousarray(places, dtype=np.float64)
    with stage("placing", total=len(rows)) as running:
        for first in range(0, len(rows), ROWS):
            part = slice(first, first + ROWS)
            known = ~np.isnan(rows[part])
            row = np.where(known, rows[part], 0.0)
            weight = np.where(known, 1.0 if weights is None else weights[part], 0.0)
            nearest = np.argsort(rows[part], axis=1, kind="stable")[:, :NEAREST]  # NaN last
            starts = np.concatenate(
                [fixed[nearest], _classical_places(row, weight, fixed)[:, None]], axis=1
            )
            with ONE_AT_A_TIME:
                place_rows(row, weight, fixed, starts, answer[part])
            running.advance(len(row))
    return answer


def _classical_places(rows: Array, weights: Array, places: Array) -> Array:
    """Return where squares put points: 2 (x_j - c) y = |x_j - c|^2 - delta_j^2, less its mean."""
    shares = weights / weights.sum(axis=1, keepdims=True)
    centres = np.einsum("rj,jk->rk", shares, places)
    squares = np.einsum("jk,jk->j", places, places)
    excess = squares - 2.0 * np.einsum("rk,jk->rj", centres, places) - rows**2
    excess -= np.einsum("rj,rj->r", shares, excess)[:, None]
    products = places[:, :, None] * places[:, None, :]
    spread = np.einsum("rj,jkm->rkm", shares, products) - centres[:, :, None] * centres[:, None, :]
    side = 0.5 * np.einsum("rj,jk->rk", shares * excess, places)
    inverse = np.linalg.pinv(spread, hermitian=True)
    return np.asarray(centres + np.einsum("rkm,rm->rk", inverse, side))
