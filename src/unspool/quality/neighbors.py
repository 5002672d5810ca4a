"""Which neighbours a map keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import nearest


def neighbors_kept(X: Any, Y: Any, n_neighbors: int = 10) -> float:
    """Return the mean share of each point's nearest neighbours that are among them on the map too.

    Times ``n_neighbors`` it is score_k of S3 Exercise 15.6.
    """
    before, after = nearest(np.asarray(X), n_neighbors), nearest(np.asarray(Y), n_neighbors)
    size = before.n_columns
    edges_before = before.rows.astype(np.int64) * size + before.neighbors
    edges_after = after.rows.astype(np.int64) * size + after.neighbors
    return float(np.isin(edges_before, edges_after).mean())
