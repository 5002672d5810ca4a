"""The data of the benchmarks, made the same in every process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Data:
    """Points, and the true coordinates where there are any."""

    points: Any
    truth: Any = None
    graph: Any = None  # of neighbours, for the rows that begin with one


def roll(n: int) -> Data:
    """Return the Swiss roll of the targets."""
    from unspool import datasets

    sample = datasets.swiss_roll(n, seed=0)
    return Data(np.array(sample.points), np.array(sample.coordinates))


def table(n: int, unknown: float) -> Data:
    """Return the distances of a Swiss roll, this share of them unknown (NaN), as points."""
    from scipy.spatial.distance import cdist

    points = roll(n).points
    distances, dice = cdist(points, points), np.random.default_rng(0).random((n, n))
    gaps = np.triu(dice < unknown, 1)
    distances[gaps | gaps.T] = np.nan
    return Data(distances)


def hole(n: int) -> Data:
    """Return the Swiss roll with a hole."""
    from unspool import datasets

    sample = datasets.swiss_roll(n, hole=True, seed=0)
    return Data(np.array(sample.points), np.array(sample.coordinates))


def saddle(n: int) -> Data:
    """Return a saddle surface with a little noise."""
    from unspool import datasets

    sample = datasets.saddle(n, noise=0.02, seed=0)
    return Data(np.array(sample.points), np.array(sample.coordinates))


def cloud(n: int, dimension: int) -> Data:
    """Return a uniform cloud, whose neighbour graph has no small separators."""
    points = np.random.default_rng(0).random((n, dimension))
    return Data(points, points)


def gaussian(n: int, dimension: int) -> Data:
    """Return normal points with falling spreads."""
    spreads = 1.0 / np.arange(1, dimension + 1)
    points = np.random.default_rng(0).normal(size=(n, dimension)) * spreads
    return Data(points, points)


def clusters(n: int) -> Data:
    """Return ten round clusters in ten dimensions, with their labels."""
    random = np.random.default_rng(0)
    labels = np.arange(n) % 10
    centres = 6 * random.normal(size=(10, 10))
    return Data(centres[labels] + random.normal(size=(n, 10)), labels[:, None].astype(float))


def mnist(n: int) -> Data:
    """Return the first test images of MNIST, 0..1."""
    from unspool import datasets

    images = datasets.real("mnist")["x_test"][:n]
    return Data(images.reshape(len(images), -1) / 255.0)


def mnist_graph(n: int) -> Data:
    """Return the same with the graph of their ten nearest neighbours."""
    from unspool.distances import neighbor_graph
    from unspool.graph import symmetrize

    points = mnist(n).points
    return Data(points, graph=symmetrize(neighbor_graph(points, 10)))
