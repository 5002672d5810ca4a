"""Neighbour search alone: nearest neighbours of all points, or all within a radius."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Data
from .rows import Answer, Side

COUNT = 10
JUDGED = 500  # points whose neighbours are looked up exactly to judge an answer


def nearest(count: int = COUNT, **options: Any) -> Side:
    """Return our search; of an approximate one the measuring of its recall is included."""

    def side(sample: Data) -> Answer:
        from unspool import distances

        found = distances.neighbor_graph(sample.points, count, **options)
        told = "" if found.recall is None else f"told a recall of {found.recall:.4f}"
        return {"neighbors": found.neighbors.reshape(-1, count), "notes": told}

    return side


def sklearn(count: int = COUNT, metric: str = "euclidean", algorithm: str = "brute") -> Side:
    """Return scikit-learn's exact search."""

    def side(sample: Data) -> Answer:
        from sklearn.neighbors import NearestNeighbors

        model = NearestNeighbors(n_neighbors=count, algorithm=algorithm, metric=metric)
        return {"neighbors": model.fit(sample.points).kneighbors(return_distance=False)}

    return side


def faiss_flat(count: int = COUNT, *, cosine: bool = False) -> Side:
    """Return faiss's exact search, in single precision; each point finds itself among others."""

    def side(sample: Data) -> Answer:
        import faiss

        table = np.ascontiguousarray(sample.points, dtype=np.float32)
        if cosine:
            table = table / np.linalg.norm(table, axis=1, keepdims=True)
        index = (faiss.IndexFlatIP if cosine else faiss.IndexFlatL2)(table.shape[1])
        index.add(table)
        found = index.search(table, count + 1)[1]
        own = found == np.arange(len(found))[:, None]
        own[~own.any(axis=1), -1] = True  # a copy was nearer by rounding
        return {"neighbors": found[~own].reshape(-1, count)}

    return side


def within(radius: float) -> Side:
    """Return our search for all neighbours within a radius."""

    def side(sample: Data) -> Answer:
        from unspool import distances

        found = distances.neighbor_graph(sample.points, radius=radius)
        return {"lengths": found.distances, "notes": f"{found.n_edges:,} edges"}

    return side


def sklearn_within(radius: float) -> Side:
    """Return scikit-learn's."""

    def side(sample: Data) -> Answer:
        from sklearn.neighbors import radius_neighbors_graph

        return {"lengths": radius_neighbors_graph(sample.points, radius, mode="distance").data}

    return side


def recall(answer: Answer, sample: Data, metric: str = "euclidean") -> float:
    """Return the share of the true neighbours of some points; equally near ones count."""
    from sklearn.metrics import pairwise_distances

    n, count = sample.points.shape[0], answer["neighbors"].shape[1]
    chosen = np.random.default_rng(1).choice(n, min(n, JUDGED), replace=False)
    shares = []
    for some in np.array_split(chosen, max(1, len(chosen) // 50)):
        table = _distances(sample.points[some], sample.points, metric, pairwise_distances)
        table[np.arange(len(some)), some] = np.inf
        found = np.take_along_axis(table, answer["neighbors"][some], axis=1)
        farthest = np.partition(table, count - 1, axis=1)[:, count - 1 : count]
        # cosine comes by products, so equally near ones differ by rounding
        shares.append(found <= farthest * (1 + 1e-12) + (1e-12 if metric == "cosine" else 0.0))
    return float(np.concatenate(shares).mean())


def cosine_recall(answer: Answer, sample: Data) -> float:
    """Return the same of the neighbours by the angle between points."""
    return recall(answer, sample, "cosine")


def _distances(queries: Any, points: Any, metric: str, products: Any) -> np.ndarray:
    """Return distances by differences where they are Euclidean: products would round them."""
    from scipy.spatial.distance import cdist

    if metric == "euclidean":
        return np.asarray(cdist(queries, points))
    return np.asarray(products(queries, points, metric=metric))
