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
    queries: Any = None  # new points, for the rows that place them


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


def bent(n: int, dimension: int, columns: int) -> Data:
    """Return points on a bent surface of so many dimensions: its graph fills in."""
    random = np.random.default_rng(0)
    bends = random.normal(size=(dimension, columns)) / np.sqrt(dimension)
    return Data(np.tanh(random.normal(size=(n, dimension)) @ bends))


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


def subspaces(n: int) -> Data:
    """Return points of a plane and two lines in three dimensions, with which they are in."""
    from unspool import datasets

    sample = datasets.subspaces(n, dimensions=(2, 1, 1), noise=0.01)
    return Data(sample.points, sample.color[:, None])


def mnist(n: int) -> Data:
    """Return the first test images of MNIST, 0..1."""
    from unspool import datasets

    images = datasets.real("mnist")["x_test"][:n]
    return Data(images.reshape(len(images), -1) / 255.0)


def mnist_components(n: int, columns: int = 50, queries: int = 0) -> Data:
    """Return principal components of MNIST: of training images (50 as t-SNE is given), of queries.

    The latter are test images.
    """
    from sklearn.decomposition import PCA

    images = mnist_train(n, queries)
    axes = PCA(columns, random_state=0).fit(images.points)
    placed = axes.transform(images.queries) if queries else None
    return Data(axes.transform(images.points), queries=placed)


def mnist_graph(n: int) -> Data:
    """Return the same with the graph of their ten nearest neighbours."""
    from unspool.distances import neighbor_graph
    from unspool.graph import symmetrize

    points = mnist(n).points
    return Data(points, graph=symmetrize(neighbor_graph(points, 10)))


def mnist_train(n: int, queries: int = 0) -> Data:
    """Return the first training images of MNIST, 0..1, and test images as query points."""
    from unspool import datasets

    found = datasets.real("mnist")
    train, test = (found[key].reshape(len(found[key]), -1) for key in ("x_train", "x_test"))
    return Data(train[:n] / 255.0, found["y_train"][:n, None], queries=test[:queries] / 255.0)


def mnist_with_map(n: int) -> Data:
    """Return test images of MNIST with a map of them as the truth: their first two axes."""
    from sklearn.decomposition import PCA

    points = mnist(n).points
    return Data(points, PCA(2, random_state=0).fit_transform(points))  # the same for both sides


def pendigits() -> Data:
    """Return all 10,992 pen-drawn digits, 16 columns of 0..1."""
    from unspool import datasets

    found = datasets.real("pendigits")
    points = np.vstack([found["x_train"], found["x_test"]]) / 100.0
    return Data(points, np.concatenate([found["y_train"], found["y_test"]])[:, None])


def words(n: int, columns: int = 100) -> Data:
    """Return the GloVe vectors of the most frequent words, their first columns."""
    from unspool import datasets

    return Data(datasets.real("glove_words_100k")["x"][:n, :columns].astype(np.float64))


def forest(n: int) -> Data:
    """Return rows spread over the forest cover table: ten measured columns, standardised."""
    from unspool import datasets

    table = datasets.real("covtype")["numeric"]
    points = table[:: len(table) // n][:n].astype(np.float64)
    return Data((points - points.mean(axis=0)) / points.std(axis=0))


def cells(columns: str = "pca") -> Data:
    """Return 700 blood cells: 50 axes, or 765 genes."""
    from unspool import datasets

    return Data(datasets.real("pbmc68k_reduced")[columns].astype(np.float64))


def speech() -> Data:
    """Return 4,509 log-periodograms of five phonemes, 256 columns."""
    from unspool import datasets

    return Data(datasets.real("phoneme_timit")["x"].astype(np.float64))


def objects() -> Data:
    """Return the 1,440 views of COIL-20, 1,024 pixels."""
    from unspool import datasets

    return Data(datasets.real("coil20_32x32")["x"].astype(np.float64))


def faces() -> Data:
    """Return the 698 sculpture faces, 1,024 pixels, with pose and light."""
    from unspool import datasets

    found = datasets.real("isomap_faces_32x32")
    return Data(found["x"].astype(np.float64), found["pose_light"].astype(np.float64))


def counts(n: int, n_words: int, density: float) -> Data:
    """Return word counts as texts have them: few words often, most hardly ever (Zipf 1949)."""
    import scipy.sparse as sp

    random = np.random.default_rng(0)
    frequency = 1.0 / np.arange(1, n_words + 1)
    each = int(density * n_words)
    drawn = random.choice(n_words, size=(n, 3 * each), p=frequency / frequency.sum())
    rare = random.integers(n_words, size=(n, each))  # else no text would have enough words
    words_of = np.hstack([drawn, rare])
    rows = np.repeat(np.arange(n), words_of.shape[1])
    table = sp.csr_array((np.ones(words_of.size), (rows, words_of.ravel())), shape=(n, n_words))
    table.sum_duplicates()
    return Data(table)
