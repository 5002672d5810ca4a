"""Directed neighbours -> an undirected graph."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ..edges import graph_from_edges
from ..values import NeighborGraph

Symmetrize = Literal["union", "mutual"]


def symmetrize(graph: NeighborGraph, rule: Symmetrize = "union") -> NeighborGraph:
    """Join i and j if either ("union") or both ("mutual") list the other.

    Where the two directions disagree on a distance, the shorter counts.
    """
    rows, columns, distances = graph.rows, graph.neighbors, graph.distances
    if rule == "mutual":
        there = rows.astype(np.int64) * graph.n_columns + columns
        back = columns.astype(np.int64) * graph.n_columns + rows
        both = np.isin(there, back)
        rows, columns, distances = rows[both], columns[both], distances[both]
    return graph_from_edges(
        np.concatenate([rows, columns]),
        np.concatenate([columns, rows]),
        np.concatenate([distances, distances]),
        shape=(graph.n_points, graph.n_columns),
        search=graph.search,
        recall=graph.recall,
    )
