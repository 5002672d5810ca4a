"""Sides that are more than fitting one model."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .data import Data
from .rows import Answer


def isomap_blocks(sample: Data) -> Answer:
    """Exact Isomap with nothing of size n x n held."""
    import unspool

    model = unspool.Isomap(2, n_neighbors=10).fit(sample.points)
    facts = model.report_.stage("spectrum").facts
    return {
        "map": model.embedding_,
        "values": model.eigenvalues_,
        "notes": f"relative residual {facts['residual'] / model.eigenvalues_[0]:.1e}",
    }


def two_workers(sample: Data) -> tuple[Any, str]:
    """Start two workers on this machine, and write the points where they find them."""
    from distributed import Client, LocalCluster

    path = Path(tempfile.mkdtemp()) / "points.npy"
    np.save(path, sample.points)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True}
    cluster = LocalCluster(memory_limit="6GB", dashboard_address=":0", **options)
    with Client(cluster) as client:
        client.wait_for_workers(2)
    return cluster, str(path)


def isomap_on_workers(started: tuple[Any, str], sample: Data) -> Answer:
    """Exact Isomap, its neighbours and products by two workers."""
    from distributed import Client

    import unspool

    with Client(started[0]):
        model = unspool.Isomap(2, n_neighbors=8).fit(started[1])
    return {"map": model.embedding_, "notes": "two workers of one thread, started before"}


def sklearn_classical_mds(sample: Data) -> Answer:
    """scikit-learn's classical MDS."""
    from sklearn.manifold import ClassicalMDS

    return {"map": ClassicalMDS(n_components=2).fit_transform(sample.points)}


def sklearn_nystroem(sample: Data) -> Answer:
    """scikit-learn's Nystroem features and PCA."""
    from sklearn.decomposition import PCA
    from sklearn.kernel_approximation import Nystroem

    features = Nystroem(gamma=0.5, n_components=300, random_state=0).fit_transform(sample.points)
    return {"map": PCA(2).fit_transform(features)}


def sklearn_laplacian(sample: Data) -> Answer:
    """scikit-learn's spectral embedding of the same 0/1 union graph as ours."""
    from sklearn.manifold import spectral_embedding
    from sklearn.neighbors import kneighbors_graph

    directed = kneighbors_graph(sample.points, 10)
    return {"map": spectral_embedding(directed.maximum(directed.T), n_components=2, random_state=0)}


def geodesics(sample: Data, precision: str = "float64") -> Answer:
    """All shortest paths of a neighbour graph."""
    from unspool import paths

    return {"lengths": paths.geodesic_distances(sample.graph, precision=precision)}  # type: ignore[arg-type]


def scipy_geodesics(sample: Data) -> Answer:
    """The same by SciPy's Dijkstra."""
    from scipy.sparse.csgraph import dijkstra

    return {"lengths": dijkstra(sample.graph.with_weights(sample.graph.distances))}


def total_length(answer: Answer, sample: Data) -> float:
    """Return the sum of all path lengths: equal for both sides if they agree."""
    return float(answer["lengths"].sum(dtype=np.float64))


def clusters(sample: Data) -> Answer:
    """Our spectral clustering."""
    import unspool

    model = unspool.SpectralClustering(n_clusters=10, n_neighbors=10).fit(sample.points)
    return {"labels": model.labels_}


def subspaces(sample: Data) -> Answer:
    """Our generalized PCA."""
    import unspool

    return {"labels": unspool.GPCA(n_subspaces=3).fit(sample.points).labels_}


def sklearn_clusters(sample: Data) -> Answer:
    """scikit-learn's spectral clustering."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        10, affinity="nearest_neighbors", n_neighbors=10, random_state=0
    ).fit(sample.points)
    return {"labels": model.labels_}


def rand_index(answer: Answer, sample: Data) -> float:
    """Return how well the labels agree with the true ones."""
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(sample.truth[:, 0], answer["labels"]))


def sklearn_mds(sample: Data) -> Answer:
    """scikit-learn's metric MDS, 100 iterations from one start."""
    from sklearn.manifold import MDS

    model = MDS(2, n_init=1, init="classical_mds", max_iter=100, eps=1e-9, random_state=0)
    return {"map": model.fit_transform(sample.points)}


def sklearn_nonmetric_mds(sample: Data) -> Answer:
    """scikit-learn's non-metric MDS, 100 iterations from one start."""
    from sklearn.manifold import MDS

    model = MDS(
        2,
        metric_mds=False,
        n_init=1,
        init="classical_mds",
        max_iter=100,
        eps=1e-9,
        random_state=0,
        normalized_stress=True,
    )
    return {"map": model.fit_transform(sample.points)}


def stress(answer: Answer, sample: Data) -> float:
    """Return the raw stress of a map, computed the same way for both sides, row by row."""
    return _stress(answer["map"], sample.points, relative=False)


def relative_stress(answer: Answer, sample: Data) -> float:
    """Return the stress with weights 1 / delta^2."""
    return _stress(answer["map"], sample.points, relative=True)


def _weights(n: int) -> np.ndarray:
    """Return a symmetric table of weights between 0.2 and 4."""
    weights = np.triu(np.random.default_rng(1).uniform(0.2, 4.0, size=(n, n)), 1)
    return weights + weights.T


def weighted_mds(sample: Data) -> Answer:
    """Metric MDS of a table whose pairs weigh differently."""
    import unspool

    weights = _weights(len(sample.points))
    model = unspool.MDS(2, metric="precomputed", weights=weights).fit(sample.points)
    return {"map": model.embedding_, "notes": f"{model.n_iter_} steps"}


def weighted_stress(answer: Answer, sample: Data) -> float:
    """Return the stress with the weights of ``weighted_mds``."""
    from scipy.spatial.distance import squareform

    misses = squareform(sample.points, checks=False) - _distances(answer["map"])
    return float(squareform(_weights(len(sample.points)), checks=False) @ np.square(misses))


def known_stress(answer: Answer, sample: Data) -> float:
    """Return the raw stress of the known pairs of a table."""
    from scipy.spatial.distance import squareform

    found = _distances(answer["map"])
    return float(np.nansum(np.square(squareform(sample.points, checks=False) - found)))


def _distances(points: np.ndarray) -> np.ndarray:
    from scipy.spatial.distance import pdist

    return np.asarray(pdist(points))


def _stress(places: np.ndarray, points: np.ndarray, *, relative: bool) -> float:
    from scipy.spatial.distance import cdist

    total = 0.0
    for first in range(0, len(points), 1000):
        rows = slice(first, first + 1000)
        wanted, found = (cdist(table[rows], table[first:]) for table in (points, places))
        later = np.arange(len(wanted))[:, None] < np.arange(wanted.shape[1])
        missed = (found - wanted)[later]
        total += float(np.square(missed / wanted[later] if relative else missed).sum())
    return total


def rank_stress(answer: Answer, sample: Data) -> float:
    """Return stress-1 of a map against the best monotone function of the dissimilarities."""
    from scipy.optimize import isotonic_regression
    from scipy.spatial.distance import pdist

    given, found = pdist(sample.points), pdist(answer["map"])
    order = np.lexsort((found, given))
    fitted = isotonic_regression(found[order]).x
    return float(np.sqrt(np.square(found[order] - fitted).sum() / np.square(found).sum()))


def _rebuilt(model: object, sample: Data) -> Answer:
    fitted = model.fit(sample.points)  # type: ignore[attr-defined]
    return {"map": fitted.embedding_, "rebuilt": fitted.inverse_transform(fitted.embedding_)}


def principal_curve(sample: Data) -> Answer:
    """A principal curve."""
    import unspool

    return _rebuilt(unspool.PrincipalCurve(), sample)


def principal_surface(sample: Data) -> Answer:
    """A principal surface."""
    import unspool

    return _rebuilt(unspool.PrincipalSurface(2), sample)


def network(sample: Data) -> Answer:
    """An autoassociative network with two units in the middle."""
    import unspool

    return _rebuilt(unspool.AutoassociativeNetwork(2), sample)


def reconstruction(answer: Answer, sample: Data) -> float:
    """Return the share of the variance that the way back does not bring."""
    centred = sample.points - sample.points.mean(axis=0)
    return float(np.square(answer["rebuilt"] - sample.points).sum() / np.square(centred).sum())
