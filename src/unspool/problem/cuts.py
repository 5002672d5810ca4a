"""What a clustering cuts off a weighted graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..values import Array


def cuts(weights: Any, labels: Array) -> tuple[float, float]:
    """Return the weight of the edges between clusters, and the same over the clusters' volumes."""
    edges = weights.tocoo()
    crossing = labels[edges.row] != labels[edges.col]
    size = int(labels.max()) + 1
    leaving = np.bincount(labels[edges.row[crossing]], edges.data[crossing], minlength=size)
    volume = np.bincount(labels[edges.row], edges.data, minlength=size)
    return 0.5 * float(leaving.sum()), float((leaving / np.where(volume > 0, volume, 1.0)).sum())
