"""A guess at the pairs that are not known, good enough to start from."""

from __future__ import annotations

import numpy as np

from ..threads import ONE_AT_A_TIME
from ..values import Array


def fill_gaps(rows: Array, to_relays: Array, from_relays: Array) -> Array:
    """Return ``rows`` of distances with NaN replaced by the shortest way over one relay.

    ``to_relays`` (rows, m) are the distances from the rows' points to m relays, ``from_relays``
    (m, n) those from the relays to all points. By the triangle inequality no way is shorter than
    the distance itself, and with some dozen relays one of them lies almost between any two points.
    Infinite where no relay knows both ends.
    """
    from ._kernels import detours

    filled = np.empty(rows.shape)
    with ONE_AT_A_TIME:
        detours(rows, np.ascontiguousarray(to_relays), from_relays, filled)
    return filled
