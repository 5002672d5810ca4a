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

    Parameters
    ----------
    graph : NeighborGraph
        A directed graph.
    rule : {"union", "mutual"}, default="union"
        Which edges stay.

    Returns
    -------
    NeighborGraph
        The undirected graph: every edge stands in both rows.

    Examples
    --------
    >>> from unspool import distances, graph
    >>> directed = distances.neighbor_graph([[0.0], [1.0], [3.0]], 1)
    >>> graph.symmetrize(directed).n_edges, graph.symmetrize(directed, "mutual").n_edges
    (4, 2)
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
