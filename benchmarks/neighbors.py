"""Neighbour search alone: ten neighbours of all points, judged by the share of true ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Data
from .rows import Answer

COUNT = 10
JUDGED = 500  # points whose neighbours are looked up exactly to judge an answer


def mnist() -> Data:
    """Return the 60,000 training images of MNIST, 0..1."""
    from unspool import datasets

    images = datasets.real("mnist")["x_train"]
    return Data(images.reshape(len(images), -1) / 255.0)


def words() -> Data:
    """Return the GloVe vectors of 100,000 words."""
    from unspool import datasets

    return Data(datasets.real("glove_words_100k")["x"].astype(np.float64))


def approximate(sample: Data) -> Answer:
    """Our approximate search, the measuring of its recall included."""
    return _ours(sample, search="approximate")


def exact(sample: Data) -> Answer:
    """Our exact search."""
    return _ours(sample)


def _ours(sample: Data, **options: Any) -> Answer:
    from unspool import distances

    found = distances.neighbor_graph(sample.points, COUNT, **options)
    told = "" if found.recall is None else f"told a recall of {found.recall:.4f}"
    return {"neighbors": found.neighbors.reshape(-1, COUNT), "notes": told}


def sklearn(sample: Data) -> Answer:
    """scikit-learn's exact search."""
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=COUNT, algorithm="brute").fit(sample.points)
    return {"neighbors": model.kneighbors(return_distance=False)}


def recall(answer: Answer, sample: Data) -> float:
    """Return the share of the true neighbours of some points; equally near ones count."""
    from scipy.spatial.distance import cdist

    chosen = np.random.default_rng(1).choice(len(sample.points), JUDGED, replace=False)
    shares = []
    for some in np.array_split(chosen, JUDGED // 50):
        table = cdist(sample.points[some], sample.points)
        table[np.arange(len(some)), some] = np.inf
        found = np.take_along_axis(table, answer["neighbors"][some], axis=1)
        farthest = np.partition(table, COUNT - 1, axis=1)[:, COUNT - 1 : COUNT]
        shares.append(found <= farthest * (1 + 1e-12))
    return float(np.concatenate(shares).mean())
